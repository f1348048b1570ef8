/* SPDX-License-Identifier: Apache-2.0
 * short_conv.h - the short causal depthwise convolution that a mixer may put after a projection.
 *
 *   y[t,c] = b[c] + sum_{j<W} w[j,c] x[t-(W-1)+j,c]        x, y (B,T,C), w (W,C), zeros before the sequence starts
 *
 * Width 0 is no convolution at all. State: the last W-1 inputs, (W-1) C reals.
 * Source: the convolution of Mamba (arXiv:2312.00752) and of most linear recurrences since; start U(+-1/sqrt(W)).
 */
#ifndef SEQPROBE_MODELS_SHORT_CONV_H
#define SEQPROBE_MODELS_SHORT_CONV_H

#include "mixer.h"

enum { SHORT_CONV_MAX = 64 };
#define SHORT_CONV_HELP "width of the causal depthwise convolution in front, positions; 0: none"

typedef struct ShortConv { Tensor *w, *bias; char slot[24]; } ShortConv;   /* w NULL: off */

/* Declare NAME (W,C) and, if biased, NAME_bias (C); its state lives in slot NAME. */
ShortConv short_conv_build(Params *p, const char *name, int width, int channels, bool biased);
/* The convolution alone; x itself when off. */
Tensor *short_conv_run(const ShortConv *s, Ctx *c, Tensor *x);

#endif
