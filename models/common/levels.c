/* SPDX-License-Identifier: Apache-2.0
 * levels.c - levels of the past and their read weights. See levels.h. */
#include "common/levels.h"

static int levels_for(int len)
{
    int L = 1;
    for (int reach = 1; reach < len && L < LEVELS_MAX; reach *= 2) L++;
    return L;
}

void levels_build(int levels, int heads, const Place *at, Params *p, Levels *out)
{
    out->L = levels ? levels : levels_for(at->max_len);
    out->wl = param(p, "wl", INIT_LINEAR, at->d_model, heads * out->L);
    out->scale = param(p, "level_scale", NO_DECAY(INIT_CONST(1)), heads * out->L);
}

Tensor *levels_scan(const Levels *s, Ctx *c, Tensor *x, DplrIn in)
{
    Tape *t = c->tape;
    const int B = x->dim[0], T = x->dim[1], H = in.q->dim[2], K = in.q->dim[3], V = tensor_last(in.v);
    Tensor *lam = op_softplus(t, op_mul_last(t, op_linear(t, x, s->wl, NULL), s->scale));
    in.s0 = carry_in(c, "s", NULL, B, H, s->L > 1 ? s->L - 1 : 1, K, V);
    in.last = carry_out(c, "s");
    return op_scan_levels(t, &in, op_reshape(t, lam, B, T, H, s->L), c->pos0);
}
