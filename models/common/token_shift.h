/* SPDX-License-Identifier: Apache-2.0
 * token_shift.h - the previous token's row, carried from chunk to chunk, and what else the RWKV mixers share.
 *
 *   y[t] = x[t-1], y[0] = first      x (B,T,C); first (1,C) or NULL (zeros). State: C.
 */
#ifndef SEQPROBE_MODELS_TOKEN_SHIFT_H
#define SEQPROBE_MODELS_TOKEN_SHIFT_H

#include "mixer.h"

/* first (B,1,C), (1,C) or NULL; last (B,1,C) or NULL receives x[T-1]. */
Tensor *shift_rows(Tape *t, Tensor *x, Tensor *first, real *last);
Tensor *previous_token(Ctx *c, const char *slot, Tensor *x, Tensor *first);

/* Start values of channels i of n. INIT_FN(init_mix, e, less): 1 - less - (i/n)^e. */
void init_mix(real *x, const int *dim, int rank, double exponent, double less, Rng *rng);
/* x[i] = low + span (i/(n-1))^exponent; for a mixer's own init. */
void ramp(real *x, int n, double low, double span, double exponent);

/* Depth of a layer: 0 for the first, 1 for the last. */
static inline double depth_of(const Place *at) { return at->layers > 1 ? (double)at->layer / (at->layers - 1) : 0; }

#endif
