/* SPDX-License-Identifier: Apache-2.0
 * op_rmsnorm - root-mean-square norm over the last axis.
 *
 *   x (...,N), w (N) or NULL -> y (...,N)      r = (mean(x^2) + eps)^(-1/2),  xh = r x,  y = w xh
 *   g = w dy;   dx += r (g - xh mean(xh g));   dw += sum over rows of dy xh
 *
 * Cost: 4 flops per element. Saves r per row. Source: Zhang and Sennrich 2019 (arXiv:1910.07467), eps inside the root.
 */
#include "tape/tape.h"
#include "tape/vec.h"

static void back(Node *n)
{
    Tensor *x = n->in[0], *w = n->in[1];
    const real *rs = n->saved;
    size_t N = (size_t)tensor_last(x), rows = (size_t)tensor_rows(x);
    real *g = ARENA_RAW(n->arena, real, N);
    for (size_t row = 0; row < rows; row++) {
        const real *xr = x->x + row * N, *dy = n->out->g + row * N, r = rs[row];
        if (w && w->g)
            for (size_t i = 0; i < N; i++) w->g[i] += dy[i] * (r * xr[i]);
        if (!x->g) continue;
        for (size_t i = 0; i < N; i++) g[i] = w ? w->x[i] * dy[i] : dy[i];
        real *dx = x->g + row * N, c = vec_dot(xr, g, N) * r * r / (real)N;
        for (size_t i = 0; i < N; i++) dx[i] += r * (g[i] - c * xr[i]);
    }
}

Tensor *op_rmsnorm(Tape *t, Tensor *x, Tensor *w, double eps)
{
    CHECK(!w || (w->rank == 1 && w->dim[0] == tensor_last(x)), "rmsnorm: x %s, w %s, want (...,N), (N)", shape_str(x),
          shape_str(w));
    Tensor *y = tape_like(t, x);
    size_t N = (size_t)tensor_last(x), rows = (size_t)tensor_rows(x);
    real *rs = ARENA_RAW(t->arena, real, rows);
    for (size_t row = 0; row < rows; row++) {
        const real *xr = x->x + row * N;
        real *yr = y->x + row * N, r = (real)(1 / sqrt((double)vec_dot(xr, xr, N) / (double)N + eps));
        rs[row] = r;
        if (w)
            for (size_t i = 0; i < N; i++) yr[i] = w->x[i] * (r * xr[i]);
        else
            for (size_t i = 0; i < N; i++) yr[i] = r * xr[i];
    }
    tape_flops(t, 4.0 * (double)(N * rows));
    return PUSH(t, "rmsnorm", y, rs, x, w);
}
