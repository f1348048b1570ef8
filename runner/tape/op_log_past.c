/* SPDX-License-Identifier: Apache-2.0
 * op_log_past.c - logarithm of a decayed running sum of exponentials, before each token.
 *
 *   x (B,T,N), w (N) decay rates or NULL (zeros), z0 (B,N) or NULL (nothing before: EMPTY) -> y (B,T,N), y[0] = z0
 *   y[t+1] = log(exp(y[t] - w) + exp(x[t]));   last (B,N) or NULL receives y[T]
 *   p = sigmoid(x[t] - y[t] + w):  dx[t] += p l;  dw -= (1 - p) l;  l := dy[t] + (1 - p) l;  dz0 += l
 *
 * A softmax over all tokens up to t then is a gated recurrence: sigmoid(x[t] - y[t] + w) is the weight of token t, and
 * one minus it what the average before it keeps. Nothing overflows, whatever x is.
 */
#include "base/vmath.h"
#include "tape/tape.h"

#include <math.h>
#include <string.h>

static const real EMPTY = (real)-1e30;

static void back(Node *node)
{
    const Tensor *x = node->in[0], *w = node->in[1], *z0 = node->in[2], *y = node->out;
    const size_t B = (size_t)x->dim[0], T = (size_t)x->dim[1], N = (size_t)x->dim[2];
    size_t mark = arena_mark(node->arena);
    real *l = ARENA_RAW(node->arena, real, N);
    for (size_t b = 0; b < B; b++) {
        memset(l, 0, sizeof(real) * N);
        for (size_t t = T; t-- > 0;)
            for (size_t i = 0; i < N; i++) {
                const size_t o = (b * T + t) * N + i;
                const real p = r_sigmoid(x->x[o] - y->x[o] + (w ? w->x[i] : 0)), rest = (1 - p) * l[i];
                if (x->g) x->g[o] += p * l[i];
                if (w && w->g) w->g[i] -= rest;
                l[i] = y->g[o] + rest;
            }
        for (size_t i = 0; z0 && z0->g && i < N; i++) z0->g[b * N + i] += l[i];
    }
    arena_reset(node->arena, mark);
}

static real log_add(real a, real b)
{
    const real top = a > b ? a : b, d = a > b ? b - a : a - b;
    return top + r_softplus(d);
}

Tensor *op_log_past(Tape *t, Tensor *x, Tensor *w, Tensor *z0, real *last)
{
    CHECK(x->rank == 3 && (!w || (w->rank == 1 && w->dim[0] == x->dim[2])), "log_past: x %s, w %s", shape_str(x),
          shape_str(w));
    const size_t B = (size_t)x->dim[0], T = (size_t)x->dim[1], N = (size_t)x->dim[2];
    CHECK(!z0 || tensor_size(z0) == B * N, "log_past: z0 %s, x %s", shape_str(z0), shape_str(x));
    Tensor *y = tape_like(t, x);
    size_t mark = arena_mark(t->arena);
    real *z = ARENA_RAW(t->arena, real, N);
    for (size_t b = 0; b < B; b++) {
        for (size_t i = 0; i < N; i++) z[i] = z0 ? z0->x[b * N + i] : EMPTY;
        for (size_t j = 0; j < T; j++) {
            const size_t o = (b * T + j) * N;
            memcpy(y->x + o, z, sizeof(real) * N);
            for (size_t i = 0; i < N; i++) z[i] = log_add(z[i] - (w ? w->x[i] : 0), x->x[o + i]);
        }
        if (last) memcpy(last + b * N, z, sizeof(real) * N);
    }
    arena_reset(t->arena, mark);
    tape_flops(t, 8.0 * (double)tensor_size(y));
    return PUSH(t, "log_past", y, NULL, x, w, z0);
}
