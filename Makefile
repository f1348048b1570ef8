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
PREFIX  ?= /usr/local
PROGRAM := $(BUILD)/seqprobe
# Compile on all processors without being asked; an outer make's -j is passed down as usual.
ifeq ($(MAKELEVEL),0)
MAKEFLAGS += -j$(JOBS) --no-print-directory
endif

# ---- flags --------------------------------------------------------------------------------------------------------
# -march=x86-64-v3 where the building machine has AVX2 and FMA, else the compiler's baseline.
ARCH    ?= $(shell grep -qm1 'avx2' /proc/cpuinfo 2>/dev/null && grep -qm1 'fma' /proc/cpuinfo && echo -march=x86-64-v3)
STD     := -std=c11 -D_POSIX_C_SOURCE=200809L -D_XOPEN_SOURCE=700
WARN    := -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wconversion -Wdouble-promotion
ifdef WERROR
WARN    += -Werror
endif
# At -O1 gcc does not see that these are set.
WARN    += $(if $(filter release,$(FLAVOUR)),,$(if $(filter gcc%,$(COMPILER)),-Wno-maybe-uninitialized))
MATHS   := -ffp-contract=fast -fno-math-errno -fno-trapping-math
CFLAGS_release  := -O3 -g
CFLAGS_asan     := -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer -DPOISON
CFLAGS_valgrind := -O1 -g -DPOISON
CFLAGS_tsan     := -O1 -g -fsanitize=thread
CFLAGS_coverage := -O1 -g --coverage -fprofile-update=atomic
CFLAGS_fuzz     := -O1 -g -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
FLAGS   := $(CFLAGS_$(FLAVOUR))
ifeq ($(FLAGS),)
$(error unknown FLAVOUR '$(FLAVOUR)'; known: release asan valgrind tsan coverage fuzz)
endif

# ---- libraries (see `make deps`) ----------------------------------------------------------------------------------
# Debian packages by what proves their presence. libxsmm is optional: without it all products go through OpenBLAS.
PKG     := $(shell command -v pkg-config 2>/dev/null)
have     = $(if $(PKG),$(shell pkg-config --exists $(1) 2>/dev/null && echo 1))
NEEDED  := $(if $(PKG),,pkg-config) $(if $(call have,yaml-0.1),,libyaml-dev) \
           $(if $(call have,openblas),,libopenblas-pthread-dev)
MISSING := $(strip $(NEEDED) $(if $(call have,check),,check) $(if $(shell command -v gnuplot 2>/dev/null),,gnuplot-nox))
NEEDED  := $(strip $(NEEDED))
XSMM    := $(call have,libxsmmnoblas)
ifneq ($(PKG),)
BLAS_DIR  := $(patsubst %/,%,$(shell pkg-config --variable=libdir openblas 2>/dev/null))
BLAS_INC  := $(filter-out -I/usr/include,$(shell pkg-config --cflags-only-I openblas 2>/dev/null))
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
OBJ32   := $(SOURCES:%.c=$(BUILD)/f32/%.o) $(BUILD)/f32/registry.o $(BUILD)/f32/heads.o
OBJ64   := $(SOURCES:%.c=$(BUILD)/f64/%.o) $(BUILD)/f64/registry.o $(BUILD)/f64/heads.o

# Test programs: tests/test_NAME.c runs in float; those named here run in double as well (NAME.64).
TESTS_BOTH := ops golden mixers kernels vmath gemm op_values mixers_delta mixers_levels
TEST_NAMES := $(patsubst tests/test_%.c,%,$(sort $(wildcard tests/test_*.c)))
# The laws of the tasks take many draws; under a sanitizer the contract (tasks.32) has drawn and solved them all.
TESTS_RUN  := $(if $(filter asan,$(FLAVOUR)),$(filter-out tasks_%,$(TEST_NAMES)),$(TEST_NAMES))
TEST_BINS  := $(TESTS_RUN:%=$(BUILD)/tests/%.32) \
              $(patsubst %,$(BUILD)/tests/%.64,$(filter $(TESTS_BOTH),$(TEST_NAMES)))

all:
lib: $(BUILD)/libseqprobe32.a $(BUILD)/libseqprobe64.a ## both libraries, float and double

all: $(PROGRAM) lib link ## build the program (float32) and both libraries
link: $(PROGRAM)
	@mkdir -p build && ln -sfn $(abspath $(PROGRAM)) build/seqprobe

# ---- registry: the file name is the id ----------------------------------------------------------------------------
define REGISTRY
#include "mixer.h"
#include "task.h"
$(foreach t,$(TASK_IDS),extern const Task plugin_task_$(t);)
$(foreach m,$(MIXER_IDS),extern const Mixer plugin_mixer_$(m);)
const Task *const all_tasks[] = { $(foreach t,$(TASK_IDS),&plugin_task_$(t),) 0 };
const Mixer *const all_mixers[] = { $(foreach m,$(MIXER_IDS),&plugin_mixer_$(m),) 0 };
endef
export REGISTRY
$(BUILD)/registry.c: FORCE
	@mkdir -p $(@D); printf '%s\n' "$$REGISTRY" | cmp -s - $@ || printf '%s\n' "$$REGISTRY" > $@
# Their head comments, and those of the headers they share: what `seqprobe help` prints.
HEADS   := $(TASKS) $(MIXERS) $(sort $(wildcard tasks/common/*.h models/common/*.h))
$(BUILD)/heads.c: FORCE
	@mkdir -p $(@D); LC_ALL=C awk -f runner/show/heads.awk $(HEADS) > $@.new && \
	    if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi
FORCE:
# An archive made by git has the commit in .commit; a checkout asks git.
VERSION := $(shell sed -n 's/^.define VERSION_NUMBER "\(.*\)"/\1/p' runner/base/version.c)
COMMIT  := $(or $(shell grep -v Format .commit 2>/dev/null),$(shell git describe --always --dirty --exclude '*' \
           2>/dev/null),unknown)
$(BUILD)/version.h: FORCE
	@mkdir -p $(@D); line='#define SEQPROBE_COMMIT "$(COMMIT)"'; echo "$$line" | cmp -s - $@ || echo "$$line" > $@
$(BUILD)/f32/runner/base/version.o $(BUILD)/f64/runner/base/version.o: $(BUILD)/version.h
$(BUILD)/f32/runner/base/version.o $(BUILD)/f64/runner/base/version.o: DEFS += -I$(BUILD)

COMPILE = @mkdir -p $(@D); $(CC) $(STD) $(FLAGS) $(ARCH) $(MATHS) $(WARN) $(DEFS) $(BLAS_INC) \
          -Irunner -Itasks -Imodels -MMD -MP
$(BUILD)/f32/registry.o: $(BUILD)/registry.c ; $(COMPILE) -DREAL_BITS=32 -c $< -o $@
$(BUILD)/f64/registry.o: $(BUILD)/registry.c ; $(COMPILE) -DREAL_BITS=64 -c $< -o $@
$(BUILD)/f32/heads.o: $(BUILD)/heads.c ; $(COMPILE) -DREAL_BITS=32 -c $< -o $@
$(BUILD)/f64/heads.o: $(BUILD)/heads.c ; $(COMPILE) -DREAL_BITS=64 -c $< -o $@
$(BUILD)/f32/%.o: %.c ; $(COMPILE) -DREAL_BITS=32 -c $< -o $@
$(BUILD)/f64/%.o: %.c ; $(COMPILE) -DREAL_BITS=64 -c $< -o $@
$(BUILD)/libseqprobe32.a: $(OBJ32) ; @rm -f $@; ar rcs $@ $(OBJ32)
$(BUILD)/libseqprobe64.a: $(OBJ64) ; @rm -f $@; ar rcs $@ $(OBJ64)
$(PROGRAM): $(BUILD)/f32/runner/main.o $(BUILD)/libseqprobe32.a
	@$(CC) $(LDFLAGS) $^ $(LIBS) -o $@
TEST_HELP := $(wildcard tests/support/*.c)
$(BUILD)/tests/%.32: $(BUILD)/f32/tests/test_%.o $(TEST_HELP:%.c=$(BUILD)/f32/%.o) $(BUILD)/libseqprobe32.a
	@mkdir -p $(@D); $(CC) $(LDFLAGS) $(filter %.o,$^) $(filter %.a,$^) $(shell pkg-config --libs check) $(LIBS) -o $@
$(BUILD)/tests/%.64: $(BUILD)/f64/tests/test_%.o $(TEST_HELP:%.c=$(BUILD)/f64/%.o) $(BUILD)/libseqprobe64.a
	@mkdir -p $(@D); $(CC) $(LDFLAGS) $^ $(shell pkg-config --libs check) $(LIBS) -o $@
# Speed, measured by hand: build/.../bench/NAME from tests/bench/bench_NAME.c.
BENCHES := $(patsubst tests/bench/bench_%.c,$(BUILD)/bench/%,$(sort $(wildcard tests/bench/bench_*.c)))
$(BUILD)/bench/%: $(BUILD)/f32/tests/bench/bench_%.o $(TEST_HELP:%.c=$(BUILD)/f32/%.o) $(BUILD)/libseqprobe32.a
	@mkdir -p $(@D); $(CC) $(LDFLAGS) $^ $(shell pkg-config --libs check) $(LIBS) -o $@
# Readers fed with arbitrary bytes: libFuzzer's programs, and the stored inputs through the same code in `make test`.
FUZZ_HELP := $(filter-out %/fuzz_main.c,$(wildcard tests/fuzz/fuzz_*.c))
FUZZ_IDS  := $(patsubst tests/fuzz/fuzz_%.c,%,$(FUZZ_HELP))
$(BUILD)/tests/fuzz.32: $(FUZZ_HELP:%.c=$(BUILD)/f32/%.o)
$(BUILD)/fuzz/%: tests/fuzz/fuzz_main.c $(BUILD)/f32/tests/fuzz/fuzz_%.o $(BUILD)/libseqprobe32.a
	@mkdir -p $(@D); $(CC) $(STD) $(FLAGS) -fsanitize=fuzzer -Irunner -DREAL_BITS=32 -DFUZZ=fuzz_$* $^ $(LIBS) -o $@
# The program in which one call to the system fails (tests/fault/fault.c).
WRAPPED := malloc calloc realloc aligned_alloc mmap open read write close fsync ftruncate rename mkdir flock pipe fork \
           opendir fopen fclose fflush fwrite fputs fputc puts putchar printf fprintf
FAULTY  := $(BUILD)/fault/seqprobe
YAML_A  := $(wildcard $(if $(PKG),$(shell pkg-config --variable=libdir yaml-0.1 2>/dev/null))/libyaml.a)
$(BUILD)/fault/ours.o: $(BUILD)/f32/runner/main.o $(BUILD)/libseqprobe32.a
	@mkdir -p $(@D); $(CC) -r -nostdlib $(WRAPPED:%=-Wl,--wrap=%) $< \
	    -Wl,--whole-archive $(BUILD)/libseqprobe32.a $(YAML_A) -Wl,--no-whole-archive -o $@
$(FAULTY): $(BUILD)/fault/ours.o $(BUILD)/f32/tests/fault/fault.o
	@$(CC) $(LDFLAGS) $^ $(LIBS) -o $@
.SECONDARY:
-include $(OBJ32:.o=.d) $(OBJ64:.o=.d) $(BUILD)/f32/runner/main.d \
         $(wildcard $(BUILD)/f32/tests/*.d $(BUILD)/f64/tests/*.d $(BUILD)/f32/tests/*/*.d $(BUILD)/f64/tests/*/*.d)

# Not compiled, and counted like the test programs.
TEST_SCRIPTS := $(sort $(wildcard tests/test_*.sh))
# Missing packages are installed first; make then starts again, because it asks pkg-config while it reads this file.
ifneq ($(and $(SECOND_TRY),$(MISSING)),)
$(if $(findstring n,$(firstword -$(MAKEFLAGS))),,$(error still missing: $(MISSING)))
endif
ifneq ($(if $(SECOND_TRY),,$(MISSING)),)
quick test test-junit test-long asan smoke task-smoke full: ; @$(MAKE) deps && $(MAKE) SECOND_TRY=1 $@
else
SWEEP = $(PROGRAM) sweep $(1) -j $(JOBS) || [ $$? -eq 4 ]
quick: link ## six task families x the core mixers: build, train, table, figures (CONFIG=FILE for another sweep)
	@$(call SWEEP,$(CONFIG))
	@$(PROGRAM) table $(CONFIG) --save && $(PROGRAM) plot $(CONFIG)

# Chosen by name, with %: make test TEST_ONLY="tasks.32 test_cli.sh", make test TEST_SKIP=mixers%
TEST_ONLY ?= %
TESTS = $(foreach t,$(TEST_BINS) $(TEST_SCRIPTS),\
          $(if $(filter-out $(TEST_SKIP),$(filter $(TEST_ONLY),$(notdir $t))),$t))
test: link $(filter-out tests/%,$(TESTS)) $(FAULTY) ## the short tests (TEST_ONLY=NAMES, TEST_SKIP=NAMES)
	@SEQPROBE=$(abspath $(PROGRAM)) BUILD=$(abspath $(BUILD)) CC='$(CC)' GOLDEN_DIRS='$(DIRS)' \
	    sh tests/run.sh $(TESTS)

test-junit: ## the short tests, also as JUnit XML in build/junit/
	@JUNIT=build/junit $(MAKE) test
test-long: test $(filter %/numbers.32,$(TEST_BINS)) ## and every pair of task and mixer for twenty steps
	@$(BUILD)/tests/numbers.32 --all
test-slurm: link ## job arrays on a Slurm of one node, with kills and requeues (root, ten minutes; not part of test)
	@SEQPROBE=$(abspath $(PROGRAM)) bash tests/slurm.sh
.PHONY: fuzz faults
FUZZ_SECONDS ?= 600
fuzz: ## libFuzzer on every reader, FUZZ_SECONDS=600 each (FUZZ_IDS="config npy" for some); needs clang
	@BUILD=build/clang-fuzz SECONDS_EACH=$(FUZZ_SECONDS) sh tests/fuzz/fuzz.sh $(FUZZ_IDS)
test-kill: link ## kill a sweep KILLS=100 times at random moments, compare its files with an undisturbed one's
	@SEQPROBE=$(abspath $(PROGRAM)) sh tests/kill.sh $(or $(KILLS),100) $(SEED)
faults: ## every call to the system fails once, under AddressSanitizer (half an hour)
	@$(MAKE) FLAVOUR=asan build/$(COMPILER)-asan/fault/seqprobe
	@sh tests/fault/faults.sh build/$(COMPILER)-asan/fault/seqprobe
asan: ## the tests under AddressSanitizer and UBSan
	@$(MAKE) FLAVOUR=asan test

smoke: link ## train tiny models to their thresholds (exit 3 when one is missed)
	@$(call SWEEP,configs/smoke.yaml)
	@$(PROGRAM) check configs/smoke.yaml

task-smoke: link ## every task once, at a size that is learnt in seconds (exit 3 when one is not)
	@$(call SWEEP,configs/task-smoke.yaml)
	@$(PROGRAM) check configs/task-smoke.yaml

full: link ## every config, one after the other
	@for c in $(CONFIGS); do $(call SWEEP,$$c) || exit; done
endif

# Files without a name are parts that others include; smoke is a test.
CONFIGS := $(filter-out configs/smoke.yaml,$(shell grep -l '^name:' configs/*.yaml 2>/dev/null))
sweep: link ## train CONFIG=FILE with JOBS=N; resumes where it stopped
	@$(PROGRAM) sweep $(CONFIG) -j $(JOBS)
table: link ## the table of CONFIG=FILE
	@$(PROGRAM) table $(CONFIG)
figures: link ## the figures of CONFIG=FILE
	@$(PROGRAM) plot $(CONFIG)
fig-%: link ## one of them by name: trains what is missing, draws it
	@$(call SWEEP,$(CONFIG))
	@$(PROGRAM) plot $(CONFIG) --figure $*
report: link ## one HTML page about CONFIG=FILE: results/NAME/report.html
	@$(PROGRAM) report $(CONFIG)
check-accuracy: link ## compare CONFIG=FILE with its thresholds (exit 3 and names what fell)
	@$(PROGRAM) check $(CONFIG) --junit build/check.xml
check-reference: link ## compare the results of CONFIG=FILE with those kept in results/reference
	@$(PROGRAM) check $(CONFIG) --reference results/reference
golden: $(filter %/golden.32 %/golden.64,$(TEST_BINS)) ## every op against float64 cases (DIRS="FOLDER ...")
	@code=0; for t in $^; do echo "$$t"; $$t $(DIRS) || code=1; done; exit $$code

# ---- other flavours of the tests -----------------------------------------------------------------------------------
# Under valgrind training takes minutes: the tests of text, files, plans and ops, and commands that only look. Not the
# programs with a test that aborts: they need a process per test, and then leaks are not seen.
VALGRIND_TESTS := file npy value yaml plan grid collect group stats op_values op_values.64
valgrind: ## tests that do not train under valgrind (memory errors and leaks fail)
	@$(MAKE) FLAVOUR=valgrind valgrind-run
valgrind-run: $(PROGRAM) $(foreach t,$(VALGRIND_TESTS),$(filter %/$(if $(suffix $t),$t,$t.32),$(TEST_BINS)))
	@sh tests/valgrind.sh $^
tsan: ## the tests with threads under ThreadSanitizer
	@$(MAKE) FLAVOUR=tsan tsan-run
tsan-run: $(filter %/gemm.32 %/gemm.64,$(TEST_BINS))
	@TSAN_OPTIONS=halt_on_error=1 CK_TIMEOUT_MULTIPLIER=20 sh tests/run.sh $^
coverage: ## the tests with gcov: lines covered, by folder
	@find build/$(COMPILER)-coverage -name '*.gcda' -delete 2>/dev/null || true
	@CK_TIMEOUT_MULTIPLIER=10 $(MAKE) FLAVOUR=coverage test; code=$$?; \
	    sh tests/coverage.sh build/$(COMPILER)-coverage && exit $$code

.PHONY: valgrind valgrind-run tsan tsan-run coverage

# ---- installation --------------------------------------------------------------------------------------------------
# The program finds its data beside itself (BIN/../share/seqprobe), so DESTDIR may be moved to / later.
INTO     = $(DESTDIR)$(PREFIX)
DATA    := $(wildcard plots/*.gp configs/*.yaml results/reference/published/*)
MAN     := share/man/man1/seqprobe.1
BASH_COMPLETION := share/bash-completion/completions/seqprobe
ZSH_COMPLETION  := share/zsh/site-functions/_seqprobe
install: $(PROGRAM) ## program, data, manual page, completions: PREFIX=/usr/local, DESTDIR= for packages
	@umask 022; mkdir -p $(addprefix $(INTO)/,bin $(dir $(MAN) $(BASH_COMPLETION) $(ZSH_COMPLETION)))
	@install -m 755 $(PROGRAM) $(INTO)/bin/seqprobe
	@umask 022; for f in $(DATA); do mkdir -p $(INTO)/share/seqprobe/$$(dirname $$f) && \
	    install -m 644 $$f $(INTO)/share/seqprobe/$$f || exit; done
	@umask 022; $(PROGRAM) help --man > $(INTO)/$(MAN)
	@umask 022; $(PROGRAM) completion bash > $(INTO)/$(BASH_COMPLETION)
	@umask 022; $(PROGRAM) completion zsh > $(INTO)/$(ZSH_COMPLETION)
	@echo "installed in $(INTO): seqprobe --version, man seqprobe"
uninstall: ## remove what install put there (the same PREFIX and DESTDIR)
	rm -f $(addprefix $(INTO)/,bin/seqprobe $(MAN) $(BASH_COMPLETION) $(ZSH_COMPLETION))
	rm -rf $(INTO)/share/seqprobe
DIST := seqprobe-$(VERSION)
dist: ## build/seqprobe-VERSION.tar.gz of the last commit
	@mkdir -p build && git archive --prefix=$(DIST)/ HEAD | gzip -9n > build/$(DIST).tar.gz
	@git diff --quiet HEAD || echo 'note: uncommitted changes are not in it' >&2
	@echo build/$(DIST).tar.gz
distcheck: dist ## unpack it elsewhere, build, install, run from there
	@CC='$(CC)' sh tests/distcheck.sh build/$(DIST).tar.gz
.PHONY: install uninstall dist distcheck

# ---- house keeping ------------------------------------------------------------------------------------------------
format: ## clang-format every .c in place (headers are aligned by hand)
	clang-format -i $(wildcard runner/*.c runner/*/*.c tasks/*/*.c models/*/*.c tests/*.c tests/*/*.c)
lint: ## house rules, cppcheck, clang-tidy (those that are installed)
	@BUILD='$(BUILD)' sh tests/lint.sh
readme: link ## write the generated lists of README.md again
	@sh tests/readme.sh write $(PROGRAM)

RESULTS ?= results
NAME     = $(or $(shell sed -n 's/^name: *//p' $(CONFIG)),$(basename $(notdir $(CONFIG))))
KEEP     = results/reference/$(NAME)
reference: link ## keep the results of CONFIG=FILE in results/reference (tables, choice of rates, verdicts, figures)
	@mkdir -p $(KEEP) && $(PROGRAM) table $(CONFIG) --results $(RESULTS) --save > /dev/null
	@! grep -q '^thresholds:' $(CONFIG) || { $(PROGRAM) check $(CONFIG) --results $(RESULTS) > $(KEEP)/check.txt || \
	    [ $$? -eq 3 ]; }
	@for f in table.md published.md published.csv selected.csv 'figures/*.csv' 'figures/*.png' 'figures/*.txt'; do \
	    for g in $(RESULTS)/$(NAME)/$$f; do [ ! -f "$$g" ] || cp "$$g" $(KEEP)/; done; done; ls $(KEEP)

deps: ## install what is missing (apt-get as root or sudo -n; otherwise prints the command)
	@all='$(MISSING)$(if $(XSMM),, libxsmm-dev)'; \
	[ -n "$$all" ] || { echo 'nothing is missing'; exit 0; }; \
	command -v apt-get >/dev/null || { echo "missing (Debian's names): $$all" >&2; exit 1; }; \
	if [ "$$(id -u)" = 0 ]; then as=; elif sudo -n true 2>/dev/null; then as='sudo -n'; else \
	    echo "missing packages; install them with: sudo apt-get install -y $$all" >&2; exit 1; fi; \
	echo "installing $$all"; \
	$$as apt-get update -qq && for p in $$all; do \
	    $$as env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $$p >/dev/null || \
	        [ $$p = libxsmm-dev ] || exit 1; done

bench: $(BENCHES) ## speed of products, kernels and generators on this machine (minutes)
	@for b in $(BENCHES); do echo "== $$(basename $$b)"; $$b || exit; done

bench-sweep: link ## what a sweep of 500 trivial runs costs beside training (RUNS, ROUNDS)
	@SEQPROBE=$(abspath $(PROGRAM)) sh tests/bench/sweep_overhead.sh

clean: ## remove everything built (results stay)
	rm -rf build

help: ## this list
	@awk -F':.*## ' '/^[a-z][a-z0-9%-]*:.*## / { printf "  %-16s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

# A build without its libraries stops here, with the way out, and not at a missing header. These goals do not:
ifneq ($(NEEDED),)
OFFLINE := quick test test-junit test-long asan smoke full deps clean help format lint reference uninstall dist
ifneq ($(filter-out $(OFFLINE),$(or $(MAKECMDGOALS),all)),)
$(error missing: $(NEEDED); `make deps` installs them)
endif
endif

.PHONY: all lib link quick test test-junit test-long test-slurm asan bench bench-sweep smoke full sweep table figures \
        report check-accuracy check-reference golden format lint readme reference deps clean help FORCE
