/* SPDX-License-Identifier: Apache-2.0
 * op_shape - reshape, slice and concatenate.
 *
 *   op_reshape  x of any shape -> the same values and gradients under new axes (shared, no copy, no node)
 *   op_slice    x (...,N) -> y (...,n)        y = x[..., from : from + n];  dx[..., from : from + n] += dy
 *   op_concat   a (...,M), b (...,N) -> y (...,M+N)
 */
#include "tape/tape.h"
#include "tape/vec.h"

Tensor *op_reshape_dims(Tape *t, Tensor *x, int rank, const int *dim)
{
    CHECK(rank >= 1 && rank <= RANK_MAX, "reshape to rank %d", rank);
    Tensor *y = ARENA_NEW(t->arena, Tensor, 1);
    *y = (Tensor){ .x = x->x, .g = x->g, .rank = rank };
    memcpy(y->dim, dim, sizeof(int) * (size_t)rank);
    CHECK(tensor_size(x) == tensor_size(y), "reshape: %s to %s", shape_str(x), shape_str(y));
    return y;
}

static Tensor *with_last(Tape *t, const Tensor *x, int last)
{
    int dim[RANK_MAX];
    memcpy(dim, x->dim, sizeof dim);
    dim[x->rank - 1] = last;
    return tape_tensor(t, x->rank, dim);
}

static void back_slice(Node *n)
{
    Tensor *x = n->in[0], *y = n->out;
    size_t N = (size_t)tensor_last(x), M = (size_t)tensor_last(y), from = (size_t) * (int *)n->saved;
    if (!x->g) return;
    for (size_t r = 0, rows = (size_t)tensor_rows(x); r < rows; r++) vec_add(x->g + r * N + from, y->g + r * M, M);
}

Tensor *op_slice(Tape *t, Tensor *x, int from, int n)
{
    CHECK(from >= 0 && n >= 0 && from + n <= tensor_last(x), "slice %d..%d of %s", from, from + n, shape_str(x));
    Tensor *y = with_last(t, x, n);
    size_t N = (size_t)tensor_last(x), M = (size_t)n;
    for (size_t r = 0, rows = (size_t)tensor_rows(x); r < rows; r++)
        memcpy(y->x + r * M, x->x + r * N + (size_t)from, M * sizeof(real));
    int *saved = t->grad ? ARENA_NEW(t->arena, int, 1) : NULL;
    if (saved) *saved = from;
    return tape_push(t, "slice", back_slice, y, saved, 1, &x);
}

static void back_concat(Node *n)
{
    Tensor *a = n->in[0], *b = n->in[1], *y = n->out;
    size_t M = (size_t)tensor_last(a), N = (size_t)tensor_last(b);
    for (size_t r = 0, rows = (size_t)tensor_rows(y); r < rows; r++) {
        if (a->g) vec_add(a->g + r * M, y->g + r * (M + N), M);
        if (b->g) vec_add(b->g + r * N, y->g + r * (M + N) + M, N);
    }
}

Tensor *op_concat(Tape *t, Tensor *a, Tensor *b)
{
    CHECK(a->rank == b->rank && !memcmp(a->dim, b->dim, sizeof(int) * (size_t)(a->rank - 1)),
          "concat: a %s, b %s, want equal axes but the last", shape_str(a), shape_str(b));
    size_t M = (size_t)tensor_last(a), N = (size_t)tensor_last(b);
    Tensor *y = with_last(t, a, tensor_last(a) + tensor_last(b));
    for (size_t r = 0, rows = (size_t)tensor_rows(y); r < rows; r++) {
        memcpy(y->x + r * (M + N), a->x + r * M, M * sizeof(real));
        memcpy(y->x + r * (M + N) + M, b->x + r * N, N * sizeof(real));
    }
    return tape_push(t, "concat", back_concat, y, NULL, 2, (Tensor *[]){ a, b });
}
