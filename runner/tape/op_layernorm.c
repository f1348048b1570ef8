/* SPDX-License-Identifier: Apache-2.0
 * op_layernorm - mean and variance norm over the last axis.
 *
 *   x (...,N), w (N) or NULL, b (N) or NULL -> y (...,N)
 *   r = (var(x) + eps)^(-1/2), biased variance,  xh = r (x - mean(x)),  y = w xh + b
 *   g = w dy;   dx += r (g - mean(g) - xh mean(xh g));   dw += sum over rows of dy xh;   db += sum over rows of dy
 *
 * Cost: 7 flops per element. Saves mean and r per row; the variance takes a second pass over the row. Source: Ba et al.
 * 2016 (arXiv:1607.06450).
 */
#include "tape/tape.h"
#include "tape/vec.h"

static void back(Node *n)
{
    Tensor *x = n->in[0], *w = n->in[1], *b = n->in[2];
    const real *saved = n->saved;
    size_t N = (size_t)tensor_last(x), rows = (size_t)tensor_rows(x);
    real *g = ARENA_RAW(n->arena, real, N), *xh = ARENA_RAW(n->arena, real, N);
    for (size_t row = 0; row < rows; row++) {
        const real *xr = x->x + row * N, *dy = n->out->g + row * N, mean = saved[2 * row], r = saved[2 * row + 1];
        for (size_t i = 0; i < N; i++) xh[i] = r * (xr[i] - mean);
        if (w && w->g) vec_fma(w->g, dy, xh, N);
        if (b && b->g) vec_add(b->g, dy, N);
        if (!x->g) continue;
        for (size_t i = 0; i < N; i++) g[i] = w ? w->x[i] * dy[i] : dy[i];
        real *dx = x->g + row * N, c0 = vec_sum(g, N) / (real)N, c1 = vec_dot(xh, g, N) / (real)N;
        for (size_t i = 0; i < N; i++) dx[i] += r * (g[i] - c0 - c1 * xh[i]);
    }
}

static void scale_shift(real *y, const Tensor *w, const Tensor *b, size_t N)
{
    if (w)
        for (size_t i = 0; i < N; i++) y[i] *= w->x[i];
    if (b) vec_add(y, b->x, N);
}

Tensor *op_layernorm(Tape *t, Tensor *x, Tensor *w, Tensor *b, double eps)
{
    int last = tensor_last(x);
    CHECK((!w || (w->rank == 1 && w->dim[0] == last)) && (!b || (b->rank == 1 && b->dim[0] == last)),
          "layernorm: x %s, w %s, b %s, want (...,N), (N), (N)", shape_str(x), shape_str(w), shape_str(b));
    Tensor *y = tape_like(t, x);
    size_t N = (size_t)last, rows = (size_t)tensor_rows(x);
    real *saved = ARENA_RAW(t->arena, real, 2 * rows);
    for (size_t row = 0; row < rows; row++) {
        const real *xr = x->x + row * N;
        real *yr = y->x + row * N, mean = vec_sum(xr, N) / (real)N;
        for (size_t i = 0; i < N; i++) yr[i] = xr[i] - mean;
        real r = (real)(1 / sqrt((double)vec_dot(yr, yr, N) / (double)N + eps));
        for (size_t i = 0; i < N; i++) yr[i] *= r;
        saved[2 * row] = mean;
        saved[2 * row + 1] = r;
        scale_shift(yr, w, b, N);
    }
    tape_flops(t, 7.0 * (double)(N * rows));
    return PUSH(t, "layernorm", y, saved, x, w, b);
}
