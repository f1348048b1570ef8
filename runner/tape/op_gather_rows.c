/* SPDX-License-Identifier: Apache-2.0
 * op_gather_rows - some rows of a tensor, such as the scored positions in front of the output head.
 *
 *   x (...,D) seen as (rows,D), row: n ints in 0..rows-1, repeats allowed -> y (n,D)
 *   y[i] = x[row[i]];  dx[row[i]] += dy[i]
 *
 * Saves a copy of the row numbers.
 */
#include "tape/tape.h"
#include "tape/vec.h"

static void back(Node *n)
{
    Tensor *x = n->in[0], *y = n->out;
    const int *row = n->saved;
    size_t D = (size_t)y->dim[1];
    if (!x->g) return;
    for (int i = 0; i < y->dim[0]; i++) vec_add(x->g + (size_t)row[i] * D, y->g + (size_t)i * D, D);
}

Tensor *op_gather_rows(Tape *t, Tensor *x, const int *row, int n)
{
    int rows = tensor_rows(x);
    size_t D = (size_t)tensor_last(x);
    Tensor *y = TENSOR(t, n, tensor_last(x));
    for (int i = 0; i < n; i++) {
        CHECK(row[i] >= 0 && row[i] < rows, "gather_rows: row %d, x %s has %d", row[i], shape_str(x), rows);
        memcpy(y->x + (size_t)i * D, x->x + (size_t)row[i] * D, D * sizeof(real));
    }
    int *kept = NULL;
    if (t->grad) {
        kept = ARENA_RAW(t->arena, int, n);
        memcpy(kept, row, (size_t)n * sizeof(int));
    }
    return PUSH(t, "gather_rows", y, kept, x);
}
