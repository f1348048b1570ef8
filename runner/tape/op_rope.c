/* SPDX-License-Identifier: Apache-2.0
 * op_rope - rotary positions: pairs of channels turn by an angle that grows with the position.
 *
 *   x (B,T,H,K), K even -> y (B,T,H,K);  pair i = 0..K/2-1, position p = pos0 + t, angle p base^(-2i/K) = th
 *   (a,b) -> (a cos th - b sin th, a sin th + b cos th)
 *   half layout: a = x[i], b = x[i+K/2];  interleaved: a = x[2i], b = x[2i+1]
 *   dx += dy turned by -th
 *
 * Cosines and sines are made in double, at positions that are multiples of ANCHOR from the angle and in between by
 * turning on, so that a position's factors do not depend on where a chunk starts. Cost: 3 flops per element. Saves the
 * factors, (T,K). Source: Su et al. 2021 (arXiv:2104.09864).
 */
#include "tape/tape.h"
#include "tape/vec.h"

enum { ANCHOR = 32 };

typedef struct {
    bool interleaved;
    real *cs;
} Saved; /* cs (T,2,K/2): cosines, sines */

static void fill_factors(real *cs, int T, int half, int pos0, double base)
{
    for (int i = 0; i < half; i++) {
        double freq = pow(base, -(double)i / half), c1 = cos(freq), s1 = sin(freq), c = 1, s = 0;
        for (int p = pos0 - pos0 % ANCHOR; p < pos0 + T; p++) {
            if (p % ANCHOR == 0) {
                c = cos(p * freq);
                s = sin(p * freq);
            } else {
                double turned = c * c1 - s * s1;
                s = s * c1 + c * s1;
                c = turned;
            }
            if (p < pos0) continue;
            real *row = cs + (size_t)(p - pos0) * 2 * (size_t)half;
            row[i] = (real)c;
            row[half + i] = (real)s;
        }
    }
}

/* y += or = x turned by the factors c, sign*s. */
static void turn_half(real *restrict y, const real *restrict x, const real *c, const real *s, real sign, int half,
                      bool add)
{
    for (int i = 0; i < half; i++) {
        real a = x[i], b = x[half + i], cos_i = c[i], sin_i = sign * s[i];
        y[i] = (add ? y[i] : 0) + a * cos_i - b * sin_i;
        y[half + i] = (add ? y[half + i] : 0) + a * sin_i + b * cos_i;
    }
}

static void turn_pairs(real *restrict y, const real *restrict x, const real *c, const real *s, real sign, int half,
                       bool add)
{
    for (int i = 0; i < half; i++) {
        real a = x[2 * i], b = x[2 * i + 1], cos_i = c[i], sin_i = sign * s[i];
        y[2 * i] = (add ? y[2 * i] : 0) + a * cos_i - b * sin_i;
        y[2 * i + 1] = (add ? y[2 * i + 1] : 0) + a * sin_i + b * cos_i;
    }
}

static void turn(real *y, const real *x, const Tensor *shape, const Saved *s, real sign, bool add)
{
    int B = shape->dim[0], T = shape->dim[1], H = shape->dim[2], K = shape->dim[3], half = K / 2;
    for (int b = 0; b < B; b++)
        for (int t = 0; t < T; t++)
            for (int h = 0; h < H; h++) {
                const real *c = s->cs + (size_t)t * (size_t)K;
                size_t at = (((size_t)b * (size_t)T + (size_t)t) * (size_t)H + (size_t)h) * (size_t)K;
                (s->interleaved ? turn_pairs : turn_half)(y + at, x + at, c, c + half, sign, half, add);
            }
}

static void back(Node *n)
{
    if (n->in[0]->g) turn(n->in[0]->g, n->out->g, n->out, n->saved, -1, true);
}

Tensor *op_rope(Tape *t, Tensor *x, int pos0, double base, bool interleaved)
{
    CHECK(x->rank == 4 && x->dim[3] % 2 == 0, "rope: x %s, want (B,T,H,K), K even", shape_str(x));
    CHECK(pos0 >= 0 && base > 0, "rope: first position %d, base %g", pos0, base);
    int T = x->dim[1], K = x->dim[3];
    Saved *s = ARENA_NEW(t->arena, Saved, 1);
    *s = (Saved){ .interleaved = interleaved, .cs = ARENA_RAW(t->arena, real, (size_t)T * (size_t)K) };
    fill_factors(s->cs, T, K / 2, pos0, base);
    Tensor *y = tape_like(t, x);
    turn(y->x, x->x, x, s, 1, false);
    tape_flops(t, 3.0 * (double)tensor_size(x));
    return PUSH(t, "rope", y, s, x);
}
