/* SPDX-License-Identifier: Apache-2.0
 * mixer.h - the interface of a mixer: one file in models/FAMILY/NAME.c, ending in MIXER(NAME, summary, source).
 *
 * A mixer declares its parameters in build() and composes differentiable ops in forward(): (B,T,D) -> (B,T,D), causal,
 * each sequence on its own. A mixer file includes "mixer.h" (and "common/..." of models/), <math.h>, <string.h>.
 */
#ifndef SEQPROBE_MIXER_H
#define SEQPROBE_MIXER_H

#include "base/base.h"
#include "base/option.h"
#include "ctx.h"
#include "tape/tape.h"
#include "theory.h"

/* Where a mixer stands: width, layer index of layers, longest training length (positions), input vocabulary. */
typedef struct Place { int d_model, layer, layers, max_len, vocab; } Place;

typedef struct Mixer {
    const char *name, *summary, *source;
    const char *file;                  /* models/FAMILY/NAME.c; FAMILY is the kernel it reduces to */
    int version;                       /* raised with any change of its numbers */
    size_t cfg_size, self_size;
    const Option *options;
    bool (*build)(const void *cfg, const Place *at, Params *p, void *self, Err *err);
    Tensor *(*forward)(const void *cfg, void *self, Ctx *c, Tensor *x);
    TheoryClass (*theory_class)(const void *cfg);
    bool no_stream;                    /* cannot carry state (long convolutions) */
    bool approx;                       /* causal only up to rounding (FFT) */
} Mixer;

/* Every mixer file defines statics options, build, forward, theory_class and an enum VERSION. */
#define MIXER_WITH(id, summary_, source_, ...) const Mixer plugin_mixer_##id = { \
    .name = #id, .summary = summary_, .source = source_, .file = __FILE__, .version = VERSION, \
    .cfg_size = sizeof(Cfg), .self_size = sizeof(Self), .options = options, \
    .build = build, .forward = forward, .theory_class = theory_class, __VA_ARGS__ };
#define MIXER(id, summary_, source_) MIXER_WITH(id, summary_, source_, .no_stream = false)

extern const Mixer *const all_mixers[];                   /* NULL-terminated, generated from the file names */
const Mixer *mixer_find(const char *name);                /* NULL if absent */

/* A configured mixer. Specs are a bare name or a map {name: ..., option: ...}; the "label" key is ignored. */
typedef struct MixerUse { const Mixer *mixer; void *cfg, *self; char where[64]; } MixerUse;

/* Read and check a spec (file:line:col errors); allocates cfg, not self. */
bool mixer_read(const Value *spec, Arena *a, MixerUse *out, Err *err);
/* Declare its parameters under name `where`; a fresh self per Params view. */
bool mixer_build(MixerUse *use, const Place *at, Params *p, const char *where, Arena *a, Err *err);
/* Run it with slot names under its `where`. */
Tensor *mixer_run(const MixerUse *use, Ctx *c, Tensor *x);
/* A mixer inside another (option kind OPT_MIXER): read and build in one call. */
bool mixer_open(const Place *at, const Value *spec, Params *p, const char *where, Arena *a, MixerUse *out, Err *err);

#endif
