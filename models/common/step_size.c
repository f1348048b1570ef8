/* SPDX-License-Identifier: Apache-2.0
 * step_size.c - one decay per head and token. See step_size.h. */
#include "common/step_size.h"

#include <math.h>

static int axes_size(const int *dim, int rank)
{
    int n = 1;
    for (int i = 0; i < rank; i++) n *= dim[i];
    return n;
}

void init_dt_bias(real *x, const int *dim, int rank, double lo, double hi, Rng *rng)
{
    for (int i = 0, n = axes_size(dim, rank); i < n; i++) {
        double dt = exp(log(lo) + (log(hi) - log(lo)) * rng_uniform(rng));
        if (dt < 1e-4) dt = 1e-4;
        x[i] = (real)(dt + log(-expm1(-dt)));
    }
}

void init_a_log(real *x, const int *dim, int rank, double lo, double hi, Rng *rng)
{
    for (int i = 0, n = axes_size(dim, rank); i < n; i++) x[i] = (real)log(hi - (hi - lo) * rng_uniform(rng));
}

void head_decay_build(int heads, const Place *at, Params *p, HeadDecay *out)
{
    out->wa = param(p, "wa", INIT_LINEAR, at->d_model, heads);
    out->a_log = param(p, "a_log", INIT_FN(init_a_log, 0, 16), heads);
    out->dt_bias = param(p, "dt_bias", INIT_FN(init_dt_bias, 1e-3, 0.1), heads);
}

Tensor *head_decay_run(const HeadDecay *s, Ctx *c, Tensor *x)
{
    Tape *t = c->tape;
    Tensor *dt = op_softplus(t, op_linear(t, x, s->wa, s->dt_bias));
    return op_exp(t, op_affine(t, op_mul_last(t, dt, op_exp(t, s->a_log)), -1, 0));
}

void channel_decay_build(int heads, int width, int rank, double floor, const Place *at, Params *p, ChannelDecay *out)
{
    *out = (ChannelDecay){ .H = heads, .K = width, .floor = floor };
    out->w1 = param(p, "wa1", INIT_LINEAR, at->d_model, rank);
    out->w2 = param(p, "wa2", INIT_LINEAR, rank, heads * width);
    out->a_log = param(p, "a_log", floor < 0 ? NO_DECAY(INIT_CONST(0)) : INIT_FN(init_a_log, 1, 16), heads);
    out->dt_bias = param(p, "dt_bias", INIT_FN(init_dt_bias, 1e-3, 0.1), heads * width);
}

/* v (H) as (H K): each entry K times. */
static Tensor *repeat_each(Tape *t, Tensor *v, int K)
{
    Tensor *ones = tape_const(t, 2, (int[]){ 1, K });
    for (int i = 0; i < K; i++) ones->x[i] = 1;
    return op_reshape(t, op_linear(t, op_reshape(t, v, v->dim[0], 1), ones, NULL), v->dim[0] * K);
}

Tensor *channel_decay_run(const ChannelDecay *s, Ctx *c, Tensor *x)
{
    Tape *t = c->tape;
    Tensor *rate = repeat_each(t, op_exp(t, s->a_log), s->K);
    Tensor *f = op_linear(t, op_linear(t, x, s->w1, NULL), s->w2, s->dt_bias), *g;
    if (s->floor < 0)
        g = op_affine(t, op_sigmoid(t, op_mul_last(t, f, rate)), s->floor, 0);
    else
        g = op_affine(t, op_mul_last(t, op_softplus(t, f), rate), -1, 0);
    return op_reshape(t, op_exp(t, g), x->dim[0], x->dim[1], s->H, s->K);
}
