/* SPDX-License-Identifier: Apache-2.0
 * rig.h - one mixer with given options at tiny sizes, ready to run, for contract tests.
 *
 * A variant is a mixer and settings "option=value" on top of tiny ones (2 heads of width 4 and 3, state width 5, ...),
 * which are applied where the mixer has the option. Parameters are initialised, then disturbed: nothing stays at
 * zero or one.
 */
#ifndef SEQPROBE_TESTS_RIG_H
#define SEQPROBE_TESTS_RIG_H

#include "mixer.h"

enum { RIG_D = 6, RIG_MAX_LEN = 65, RIG_SETTINGS = 24 };

typedef struct Setting { const char *option, *value; } Setting;      /* value "[-1, 1]" is a list */
typedef struct Variant { const Mixer *mixer; int n; Setting set[RIG_SETTINGS]; } Variant;

typedef struct Rig {
    Arena *arena;
    MixerUse use;
    Params *params;
    Tape *eval;                        /* a tape without gradients, for rig_run */
} Rig;

/* Every mixer at its tiny options, then with every option at every other value worth a test, one at a time, then with
 * all options changed at once. Returns their number. */
int  variants_list(Variant *out, int max);
/* "delta_net short_conv=0" */
const char *variant_text(const Variant *v, Arena *a);
/* False with a message when the mixer refuses the options. */
bool rig_open(Rig *r, const Variant *v, Err *err);
void rig_close(Rig *r);

/* y (B,T,D) of x (B,T,D) standing at pos0; state may be NULL. */
void rig_run(Rig *r, State *state, int pos0, const real *x, int B, int T, real *y);
/* The same in pieces that end at the n positions in `end`, the last of which is T. */
void rig_stream(Rig *r, State *state, const real *x, int B, int T, const int *end, int n, real *y);
/* n values of N(0, 1) from a named stream, on the rig's arena. */
real *rig_normal(Rig *r, const char *stream, size_t n);

/* Open a mixer by name with settings; false (test skipped) when it was left out of the build. */
bool rig_named(Rig *r, const char *name, int n, const Setting *set);
#define RIG_OPEN(r, name, ...) \
    rig_named((r), (name), (int)(sizeof((Setting[]){ __VA_ARGS__ }) / sizeof(Setting)), (Setting[]){ __VA_ARGS__ })
/* Values of the parameter "mixer.NAME"; it must be there and have n of them. */
real *rig_weight(Rig *r, const char *name, size_t n);

double rig_tolerance(void);            /* float 1e-4, double 1e-10 */
/* Fail unless worst_error(a, b) is at most allowed. */
void rig_near(const char *text, const char *what, const real *a, const real *b, size_t n, double allowed);
/* Give `to` the weights of `from` that it has under the same name and shape. */
void rig_copy(Rig *to, const Rig *from);
/* rig_copy(a, b), and fail unless their outputs agree; closes both. */
void rig_identity(const char *what, Rig *a, Rig *b, double allowed);

/* Largest |a - b| over largest |b|; NaN if any is. */
double worst_error(const real *a, const real *b, size_t n);

#endif
