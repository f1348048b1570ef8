/* SPDX-License-Identifier: Apache-2.0
 * op_sinusoid - add sines and cosines of the position to every channel of a sequence.
 *
 *   x (B,T,D), D even -> y[b,t] = x[b,t] + E[pos0 + t];  dx += dy
 *   pairs:      E[p,2i] = sin(p f_i),  E[p,2i+1]   = cos(p f_i),  f_i = base^(-2i/D)              i = 0..D/2-1
 *   halves:     E[p,i]  = sin(p f_i),  E[p,D/2+i]  = cos(p f_i),  f_i = base^(-2i/D)
 *   stretched:  as halves with f_i = base^(-i/(D/2-1)), so that the last frequency is 1/base (D = 2: f_0 = 1)
 *
 * Angles in double. Cost: one flop per element. Saves nothing. Sources: pairs, Vaswani et al. 2017 (arXiv:1706.03762);
 * halves, the transformers of neural_networks_chomsky_hierarchy (there p counts down to the end of the sequence);
 * stretched, mad-lab.
 */
#include "tape/tape.h"
#include "tape/vec.h"

void sinusoid_row(Sinusoid kind, double base, int position, int D, real *out)
{
    int half = D / 2, steps = kind == SINUSOID_STRETCHED && half > 1 ? half - 1 : half;
    for (int i = 0; i < half; i++) {
        double angle = position * pow(base, -(double)i / steps);
        out[kind == SINUSOID_PAIRS ? 2 * i : i] = (real)sin(angle);
        out[kind == SINUSOID_PAIRS ? 2 * i + 1 : half + i] = (real)cos(angle);
    }
}

static void back(Node *n)
{
    if (n->in[0]->g) vec_add(n->in[0]->g, n->out->g, tensor_size(n->out));
}

Tensor *op_sinusoid(Tape *t, Tensor *x, Sinusoid kind, double base, int pos0)
{
    CHECK(x->rank == 3 && x->dim[2] % 2 == 0, "sinusoid: x %s, want (B,T,D), D even", shape_str(x));
    CHECK(pos0 >= 0 && base > 0, "sinusoid: first position %d, base %g", pos0, base);
    Tensor *y = tape_like(t, x);
    size_t B = (size_t)x->dim[0], T = (size_t)x->dim[1], D = (size_t)x->dim[2], mark = arena_mark(t->arena);
    real *row = ARENA_RAW(t->arena, real, D);
    for (size_t p = 0; p < T; p++) {
        sinusoid_row(kind, base, pos0 + (int)p, (int)D, row);
        for (size_t b = 0; b < B; b++) {
            const real *from = x->x + (b * T + p) * D;
            real *to = y->x + (b * T + p) * D;
            for (size_t i = 0; i < D; i++) to[i] = from[i] + row[i];
        }
    }
    arena_reset(t->arena, mark);
    tape_flops(t, (double)tensor_size(y));
    return PUSH(t, "sinusoid", y, NULL, x);
}
