# SPDX-License-Identifier: Apache-2.0
# seqprobe: build, tests, sweeps. `make help` prints the targets.

CC      ?= cc
ifeq ($(origin CC),default)
CC      := gcc
endif
FLAVOUR ?= release
COMPILER:= $(notdir $(firstword $(CC)))
BUILD   ?= build/$(COMPILER)-$(FLAVOUR)
JOBS    ?= $(shell nproc 2>/dev/null || echo 2)
CONFIG  ?= configs/quick.yaml
DIRS    ?= tests/golden
PROGRAM := $(BUILD)/seqprobe

# ---- flags --------------------------------------------------------------------------------------------------------
# -march=x86-64-v3 where the building machine has AVX2 and FMA, else the compiler's baseline.
ARCH    ?= $(shell grep -qm1 'avx2' /proc/cpuinfo 2>/dev/null && grep -qm1 'fma' /proc/cpuinfo && echo -march=x86-64-v3)
STD     := -std=c11 -D_POSIX_C_SOURCE=200809L -D_XOPEN_SOURCE=700
WARN    := -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wconversion -Wdouble-promotion
ifdef WERROR
WARN    += -Werror
endif
MATHS   := -ffp-contract=fast -fno-math-errno -fno-trapping-math
CFLAGS_release  := -O3 -g
CFLAGS_asan     := -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer -DPOISON
CFLAGS_valgrind := -O1 -g -DPOISON
CFLAGS_tsan     := -O1 -g -fsanitize=thread
CFLAGS_coverage := -O0 -g --coverage
FLAGS   := $(CFLAGS_$(FLAVOUR))
ifeq ($(FLAGS),)
$(error unknown FLAVOUR '$(FLAVOUR)'; known: release asan valgrind tsan coverage)
endif

# ---- libraries (see `make deps`) ----------------------------------------------------------------------------------
PKG     := $(shell command -v pkg-config 2>/dev/null)
ifneq ($(PKG),)
BLAS_DIR  := $(patsubst %/,%,$(shell pkg-config --variable=libdir openblas 2>/dev/null))
BLAS_INC  := $(filter-out -I/usr/include,$(shell pkg-config --cflags-only-I openblas 2>/dev/null))
XSMM      := $(shell pkg-config --exists libxsmmnoblas 2>/dev/null && echo 1)
endif
DEFS    := -DSEQPROBE_BUILD_FLAGS='"$(FLAGS) $(ARCH) $(MATHS)"' $(if $(XSMM),-DHAVE_LIBXSMM)
comma   := ,
LIBS    := $(if $(BLAS_DIR),-L$(BLAS_DIR) -Wl$(comma)-rpath$(comma)$(BLAS_DIR)) \
           $(if $(XSMM),-lxsmmnoblas -lxsmm -lxsmmnoblas) -lopenblas -lyaml -lpthread -ldl -lm
LDFLAGS := $(filter -fsanitize% --coverage,$(FLAGS))

# ---- sources ------------------------------------------------------------------------------------------------------
TASKS   := $(sort $(filter-out tasks/common/%,$(wildcard tasks/*/*.c)))
MIXERS  := $(sort $(filter-out models/common/%,$(wildcard models/*/*.c)))
RUNNER  := $(sort $(filter-out runner/main.c,$(wildcard runner/*.c runner/*/*.c)))
COMMON  := $(sort $(wildcard tasks/common/*.c models/common/*.c))
SOURCES := $(RUNNER) $(COMMON) $(TASKS) $(MIXERS)
TASK_IDS  := $(notdir $(basename $(TASKS)))
MIXER_IDS := $(notdir $(basename $(MIXERS)))
ifneq ($(words $(TASK_IDS)),$(words $(sort $(TASK_IDS))))
$(error two files in tasks/ have the same name: the name is the id)
endif
ifneq ($(words $(MIXER_IDS)),$(words $(sort $(MIXER_IDS))))
$(error two files in models/ have the same name: the name is the id)
endif
OBJ32   := $(SOURCES:%.c=$(BUILD)/f32/%.o) $(BUILD)/f32/registry.o
OBJ64   := $(SOURCES:%.c=$(BUILD)/f64/%.o) $(BUILD)/f64/registry.o

# Test programs: tests/test_NAME.c runs in float; those named here run in double as well (NAME.64).
TESTS_BOTH := ops golden mixers kernels
TEST_NAMES := $(patsubst tests/test_%.c,%,$(sort $(wildcard tests/test_*.c)))
TEST_BINS  := $(TEST_NAMES:%=$(BUILD)/tests/%.32) $(patsubst %,$(BUILD)/tests/%.64,$(filter $(TESTS_BOTH),$(TEST_NAMES)))

all:
lib: $(BUILD)/libseqprobe32.a $(BUILD)/libseqprobe64.a ## both libraries, float and double

all: $(PROGRAM) lib link ## build the program (float32) and both libraries
link: $(PROGRAM)
	@mkdir -p build && ln -sfn $(abspath $(PROGRAM)) build/seqprobe

# ---- registry: the file name is the id ----------------------------------------------------------------------------
define REGISTRY
#include "mixer.h"
#include "task.h"
$(foreach t,$(TASK_IDS),extern const Task task_$(t);)
$(foreach m,$(MIXER_IDS),extern const Mixer mixer_$(m);)
const Task *const all_tasks[] = { $(foreach t,$(TASK_IDS),&task_$(t),) 0 };
const Mixer *const all_mixers[] = { $(foreach m,$(MIXER_IDS),&mixer_$(m),) 0 };
endef
export REGISTRY
$(BUILD)/registry.c: FORCE
	@mkdir -p $(@D); printf '%s\n' "$$REGISTRY" | cmp -s - $@ || printf '%s\n' "$$REGISTRY" > $@
FORCE:
COMMIT  := $(or $(shell git describe --always --dirty --exclude '*' 2>/dev/null),unknown)
$(BUILD)/version.h: FORCE
	@mkdir -p $(@D); echo '#define SEQPROBE_COMMIT "$(COMMIT)"' | cmp -s - $@ || echo '#define SEQPROBE_COMMIT "$(COMMIT)"' > $@
$(BUILD)/f32/runner/show/version.o $(BUILD)/f64/runner/show/version.o: $(BUILD)/version.h
$(BUILD)/f32/runner/show/version.o $(BUILD)/f64/runner/show/version.o: DEFS += -I$(BUILD)

COMPILE = @mkdir -p $(@D); $(CC) $(STD) $(FLAGS) $(ARCH) $(MATHS) $(WARN) $(DEFS) $(BLAS_INC) -Irunner -Itasks -Imodels -MMD -MP
$(BUILD)/f32/registry.o: $(BUILD)/registry.c ; $(COMPILE) -DREAL_BITS=32 -c $< -o $@
$(BUILD)/f64/registry.o: $(BUILD)/registry.c ; $(COMPILE) -DREAL_BITS=64 -c $< -o $@
$(BUILD)/f32/%.o: %.c ; $(COMPILE) -DREAL_BITS=32 -c $< -o $@
$(BUILD)/f64/%.o: %.c ; $(COMPILE) -DREAL_BITS=64 -c $< -o $@
$(BUILD)/libseqprobe32.a: $(OBJ32) ; @rm -f $@; ar rcs $@ $(OBJ32)
$(BUILD)/libseqprobe64.a: $(OBJ64) ; @rm -f $@; ar rcs $@ $(OBJ64)
$(PROGRAM): $(BUILD)/f32/runner/main.o $(BUILD)/libseqprobe32.a
	$(CC) $(LDFLAGS) $^ $(LIBS) -o $@
TEST_HELP := $(wildcard tests/support/*.c)
$(BUILD)/tests/%.32: $(BUILD)/f32/tests/test_%.o $(TEST_HELP:%.c=$(BUILD)/f32/%.o) $(BUILD)/libseqprobe32.a
	@mkdir -p $(@D); $(CC) $(LDFLAGS) $^ $(shell pkg-config --libs check) $(LIBS) -o $@
$(BUILD)/tests/%.64: $(BUILD)/f64/tests/test_%.o $(TEST_HELP:%.c=$(BUILD)/f64/%.o) $(BUILD)/libseqprobe64.a
	@mkdir -p $(@D); $(CC) $(LDFLAGS) $^ $(shell pkg-config --libs check) $(LIBS) -o $@
.SECONDARY:
-include $(OBJ32:.o=.d) $(OBJ64:.o=.d) $(wildcard $(BUILD)/f32/tests/*.d $(BUILD)/f64/tests/*.d $(BUILD)/f32/runner/main.d)

test: $(PROGRAM) $(TEST_BINS) ## the short tests
	@SEQPROBE=$(abspath $(PROGRAM)) BUILD=$(abspath $(BUILD)) sh tests/run.sh $(TEST_BINS)

clean: ## remove everything built
	rm -rf build

help: ## this list
	@awk -F':.*## ' '/^[a-z][a-z0-9-]*:.*## / { printf "  %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: all lib link test clean help FORCE
