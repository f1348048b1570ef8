/* SPDX-License-Identifier: Apache-2.0
 * op_dropout - inverted dropout: each element is zero with probability p, else divided by 1 - p.
 *
 *   x, y of one shape, 0 <= p < 1      y = m x;  dx += m dy;  m = 0 or 1/(1-p)
 *
 * p = 0 returns x itself. The draws come from rng alone, one 32-bit number per element, so a mask is a pure function of
 * its stream. Saves the factors, 0 or 1/(1-p). Source: Srivastava et al. 2014.
 */
#include "tape/tape.h"
#include "tape/vec.h"

static void back(Node *n)
{
    if (n->in[0]->g) vec_fma(n->in[0]->g, n->out->g, n->saved, tensor_size(n->out));
}

Tensor *op_dropout(Tape *t, Tensor *x, double p, Rng rng)
{
    CHECK(p >= 0 && p < 1, "dropout with p = %g, want 0 <= p < 1", p);
    if (p == 0) return x;
    Tensor *y = tape_like(t, x);
    size_t n = tensor_size(x);
    real *m = ARENA_RAW(t->arena, real, n), kept = (real)(1 / (1 - p));
    uint32_t dropped = (uint32_t)(p * 4294967296.0);
    for (size_t i = 0; i < n; i++) m[i] = rng_u32(&rng) < dropped ? 0 : kept;
    for (size_t i = 0; i < n; i++) y->x[i] = m[i] * x->x[i];
    tape_flops(t, (double)n);
    return PUSH(t, "dropout", y, m, x);
}
