/* SPDX-License-Identifier: Apache-2.0
 * forget.h - forget gates with a lower bound that rises with depth.
 *
 *   f = lb + (1 - lb) sigmoid(z)     z (B,T,N), lb (N)
 *   lb = sigmoid(b), b learned from lb = l + (1 - l) layer / layers at the start; l: option lower_bound
 *
 * A bound of exactly 0 (the first layer at l = 0) has no parameter.
 * Source: Qin et al. 2023 (arXiv:2311.04823), where lb is the sum over lower layers of a softmax over the layers; that
 * starts at layer / layers too, but stays ordered.
 */
#ifndef SEQPROBE_MODELS_FORGET_H
#define SEQPROBE_MODELS_FORGET_H

#include "mixer.h"

#define FORGET_HELP "lower bound l of the first layer's forget gate"

/* Declare bound (N); NULL when it is 0. */
Tensor *forget_bound(double first, int n, const Place *at, Params *p);
/* 1 - f, without cancellation where f is near 1. */
Tensor *forget_write(Tape *t, Tensor *z, Tensor *bound);

#endif
