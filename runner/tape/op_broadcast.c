/* SPDX-License-Identifier: Apache-2.0
 * op_broadcast - one vector for all rows, or one factor per row.
 *
 *   op_add_last  x (...,N), v (N) -> y = x + v     dx += dy;      dv += sum over rows of dy
 *   op_mul_last  x (...,N), v (N) -> y = x * v     dx += dy * v;  dv += sum over rows of dy * x
 *   op_mul_rows  x (...,N), s (...) or (...,1) -> y[r] = s[r] x[r]     dx[r] += s[r] dy[r];  ds[r] += dy[r] . x[r]
 *
 * Cost: one flop per element. Save nothing.
 */
#include "tape/tape.h"
#include "tape/vec.h"

static void back_add(Node *n)
{
    Tensor *x = n->in[0], *v = n->in[1], *y = n->out;
    size_t N = (size_t)v->dim[0], rows = (size_t)tensor_rows(x);
    if (x->g) vec_add(x->g, y->g, tensor_size(y));
    for (size_t r = 0; v->g && r < rows; r++) vec_add(v->g, y->g + r * N, N);
}

Tensor *op_add_last(Tape *t, Tensor *x, Tensor *v)
{
    CHECK(v->rank == 1 && v->dim[0] == tensor_last(x), "add_last: x %s, v %s, want (...,N), (N)", shape_str(x),
          shape_str(v));
    Tensor *y = tape_like(t, x);
    size_t N = (size_t)v->dim[0];
    const real *add = v->x;
    for (size_t r = 0, rows = (size_t)tensor_rows(x); r < rows; r++) {
        const real *from = x->x + r * N;
        real *to = y->x + r * N;
        for (size_t i = 0; i < N; i++) to[i] = from[i] + add[i];
    }
    tape_flops(t, (double)tensor_size(y));
    return tape_push(t, "add_last", back_add, y, NULL, 2, (Tensor *[]){ x, v });
}

static void back_mul(Node *n)
{
    Tensor *x = n->in[0], *v = n->in[1], *y = n->out;
    size_t N = (size_t)v->dim[0];
    for (size_t r = 0, rows = (size_t)tensor_rows(x); r < rows; r++) {
        if (x->g) vec_fma(x->g + r * N, y->g + r * N, v->x, N);
        if (v->g) vec_fma(v->g, y->g + r * N, x->x + r * N, N);
    }
}

Tensor *op_mul_last(Tape *t, Tensor *x, Tensor *v)
{
    CHECK(v->rank == 1 && v->dim[0] == tensor_last(x), "mul_last: x %s, v %s, want (...,N), (N)", shape_str(x),
          shape_str(v));
    Tensor *y = tape_like(t, x);
    size_t N = (size_t)v->dim[0];
    const real *by = v->x;
    for (size_t r = 0, rows = (size_t)tensor_rows(x); r < rows; r++) {
        const real *from = x->x + r * N;
        real *to = y->x + r * N;
        for (size_t i = 0; i < N; i++) to[i] = from[i] * by[i];
    }
    tape_flops(t, (double)tensor_size(y));
    return tape_push(t, "mul_last", back_mul, y, NULL, 2, (Tensor *[]){ x, v });
}

static void back_rows(Node *n)
{
    Tensor *x = n->in[0], *s = n->in[1], *y = n->out;
    size_t N = (size_t)tensor_last(x);
    for (size_t r = 0, rows = (size_t)tensor_rows(x); r < rows; r++) {
        if (x->g) vec_axpy(x->g + r * N, s->x[r], y->g + r * N, N);
        if (s->g) s->g[r] += vec_dot(y->g + r * N, x->x + r * N, N);
    }
}

Tensor *op_mul_rows(Tape *t, Tensor *x, Tensor *s)
{
    bool one = s->rank == x->rank && tensor_last(s) == 1;
    CHECK((one || s->rank == x->rank - 1) && !memcmp(s->dim, x->dim, sizeof(int) * (size_t)(x->rank - 1)),
          "mul_rows: x %s, s %s, want (...,N), (...)", shape_str(x), shape_str(s));
    Tensor *y = tape_like(t, x);
    size_t N = (size_t)tensor_last(x);
    for (size_t r = 0, rows = (size_t)tensor_rows(x); r < rows; r++) {
        const real *from = x->x + r * N, by = s->x[r];
        real *to = y->x + r * N;
        for (size_t i = 0; i < N; i++) to[i] = by * from[i];
    }
    tape_flops(t, (double)tensor_size(y));
    return tape_push(t, "mul_rows", back_rows, y, NULL, 2, (Tensor *[]){ x, s });
}
