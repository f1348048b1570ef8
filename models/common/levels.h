/* SPDX-License-Identifier: Apache-2.0
 * levels.h - the read weights of a log-linear mixer, and how many levels it has.
 *
 *   lam[t,h,l] = softplus(scale[h,l] (x Wl)[t,h,l])             x (B,T,D), Wl (D,H L), scale (H,L), lam (B,T,H,L)
 *
 * Option `levels`: L, or 0 for what the longest training length T needs, ceil(log2 T) + 1. Beyond that, the last level
 * keeps all that is older (runner/tape/op_scan_levels.c). Scales start at 1 and are not weight-decayed.
 * Source: the log-linear Mamba-2 layer of flash-linear-attention (arXiv:2506.04761).
 */
#ifndef SEQPROBE_MODELS_LEVELS_H
#define SEQPROBE_MODELS_LEVELS_H

#include "mixer.h"

#include "common/qkv.h"

enum { LEVELS_MAX = 31 };
#define LEVELS_HELP "levels L of the past; 0: ceil(log2 of the longest training length) + 1"

typedef struct Levels { int L; Tensor *wl, *scale; } Levels;

/* Declare wl and level_scale. */
void    levels_build(int levels, int heads, const Place *at, Params *p, Levels *out);
/* op_scan_levels that carries levels 1..L-1 in slot "s", (B,H,max(L-1,1),K,V). */
Tensor *levels_scan(const Levels *s, Ctx *c, Tensor *x, DplrIn in);

#endif
