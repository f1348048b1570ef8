/* SPDX-License-Identifier: Apache-2.0
 * op_l2norm - unit Euclidean length over the last axis.
 *
 *   x (...,N) -> y (...,N)      r = (sum(x^2) + eps)^(-1/2),  y = r x
 *   dx += r (dy - y (y . dy))
 *
 * Cost: 3 flops per element. Saves r per row.
 */
#include "tape/tape.h"
#include "tape/vec.h"

static void back(Node *n)
{
    Tensor *x = n->in[0];
    const real *rs = n->saved;
    size_t N = (size_t)tensor_last(x), rows = (size_t)tensor_rows(x);
    for (size_t row = 0; x->g && row < rows; row++) {
        const real *y = n->out->x + row * N, *dy = n->out->g + row * N, r = rs[row], c = vec_dot(y, dy, N);
        real *dx = x->g + row * N;
        for (size_t i = 0; i < N; i++) dx[i] += r * (dy[i] - c * y[i]);
    }
}

Tensor *op_l2norm(Tape *t, Tensor *x, double eps)
{
    Tensor *y = tape_like(t, x);
    size_t N = (size_t)tensor_last(x), rows = (size_t)tensor_rows(x);
    real *rs = ARENA_RAW(t->arena, real, rows);
    for (size_t row = 0; row < rows; row++) {
        const real *xr = x->x + row * N, r = (real)(1 / sqrt((double)vec_dot(xr, xr, N) + eps));
        real *yr = y->x + row * N;
        rs[row] = r;
        for (size_t i = 0; i < N; i++) yr[i] = r * xr[i];
    }
    tape_flops(t, 3.0 * (double)(N * rows));
    return PUSH(t, "l2norm", y, rs, x);
}
