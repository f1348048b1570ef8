/* SPDX-License-Identifier: Apache-2.0
 * step_size.h - the input-dependent decay of Mamba's descendants, and how its parameters start.
 *
 *   dt = softplus(x Wa + dt_bias)    a = exp(-exp(A_log) dt)       x (B,T,D), Wa (D,H), A_log, dt_bias (H), a (B,T,H)
 *
 * Start: A ~ U(0,16) (never 0), A_log = log A; dt log-uniform in [0.001, 0.1], at least 1e-4, and dt_bias its inverse
 * softplus. Neither is weight-decayed.
 * Source: Mamba-2 (arXiv:2405.21060) and Gated DeltaNet (arXiv:2412.06464), reference code.
 */
#ifndef SEQPROBE_MODELS_STEP_SIZE_H
#define SEQPROBE_MODELS_STEP_SIZE_H

#include "mixer.h"

/* INIT_FN of dt_bias: a and b are the smallest and largest dt. */
void init_dt_bias(real *x, const int *dim, int rank, double lo, double hi, Rng *rng);
/* INIT_FN of A_log: A uniform in (a, b]. */
void init_a_log(real *x, const int *dim, int rank, double lo, double hi, Rng *rng);

typedef struct HeadDecay { Tensor *wa, *a_log, *dt_bias; } HeadDecay;

void    head_decay_build(int heads, const Place *at, Params *p, HeadDecay *out);
Tensor *head_decay_run(const HeadDecay *s, Ctx *c, Tensor *x);

/* One decay per key channel, from a low-rank projection of rank R and a rate per head (Kimi Linear, arXiv:2510.26692):
 *   f = x W1 W2 + dt_bias     a = exp(-exp(A_log) softplus(f)), or with floor < 0  a = exp(floor sigmoid(exp(A_log) f))
 * W1 (D,R), W2 (R,H K), dt_bias (H K), A_log (H) -> a (B,T,H,K). A ~ U(1,16), or A = 1 with a floor. */
typedef struct ChannelDecay { int H, K; double floor; Tensor *w1, *w2, *a_log, *dt_bias; } ChannelDecay;

#define FLOOR_HELP "smallest log decay; 0: none, the decay is exp(-A softplus(.))"
#define RANK_HELP  "width of the low-rank projections of decay and output gate; 0: head_v"
void    channel_decay_build(int heads, int width, int rank, double floor, const Place *at, Params *p,
                            ChannelDecay *out);
Tensor *channel_decay_run(const ChannelDecay *s, Ctx *c, Tensor *x);

#endif
