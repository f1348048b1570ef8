/* SPDX-License-Identifier: Apache-2.0
 * op_dropout - inverted dropout: each element is zero with probability p, else divided by 1 - p.
 *
 *   x, y of one shape, 0 <= p < 1      y = keep x / (1-p);  dx += keep dy / (1-p)
 *
 * p = 0 returns x itself. The draws come from rng alone, one 32-bit number per element, so a mask is a pure function of
 * its stream. Saves one byte per element. Source: Srivastava et al. 2014.
 */
#include "tape/tape.h"
#include "tape/vec.h"

typedef struct {
    real scale;
    unsigned char *keep;
} Saved;

static void back(Node *n)
{
    const Saved *s = n->saved;
    real *dx = n->in[0]->g;
    const real *dy = n->out->g;
    if (!dx) return;
    for (size_t i = 0, size = tensor_size(n->out); i < size; i++) dx[i] += s->keep[i] ? s->scale * dy[i] : 0;
}

Tensor *op_dropout(Tape *t, Tensor *x, double p, Rng rng)
{
    CHECK(p >= 0 && p < 1, "dropout with p = %g, want 0 <= p < 1", p);
    if (p == 0) return x;
    Tensor *y = tape_like(t, x);
    size_t n = tensor_size(x);
    Saved *s = ARENA_NEW(t->arena, Saved, 1);
    s->keep = ARENA_RAW(t->arena, unsigned char, n);
    s->scale = (real)(1 / (1 - p));
    uint32_t dropped = (uint32_t)(p * 4294967296.0);
    for (size_t i = 0; i < n; i++) s->keep[i] = rng_u32(&rng) >= dropped;
    for (size_t i = 0; i < n; i++) y->x[i] = s->keep[i] ? s->scale * x->x[i] : 0;
    tape_flops(t, (double)n);
    return PUSH(t, "dropout", y, s, x);
}
