/* SPDX-License-Identifier: Apache-2.0
 * op_linear - products with a weight matrix, over all rows at once.
 *
 *   op_linear    x (...,I), w (I,O), bias (O) or NULL -> y (...,O)    y = x w + bias
 *                dx += dy w';  dw += x' dy;  dbias += sum over rows of dy
 *   op_linear_t  x (...,I), w (O,I) -> y (...,O)                      y = x w'     (output tied to an embedding)
 *                dx += dy w;   dw += dy' x
 *
 * Cost: 2 rows I O flops forward, twice that backward. Saves nothing.
 */
#include "tape/tape.h"
#include "tape/vec.h"

static Tensor *rows_of(Tape *t, const Tensor *x, int last)
{
    int dim[RANK_MAX];
    memcpy(dim, x->dim, sizeof dim);
    dim[x->rank - 1] = last;
    return tape_tensor(t, x->rank, dim);
}

static void back(Node *n)
{
    Tensor *x = n->in[0], *w = n->in[1], *bias = n->in[2], *y = n->out;
    int rows = tensor_rows(x), I = w->dim[0], O = w->dim[1];
    if (x->g) gemm(false, true, rows, I, O, 1, y->g, O, w->x, O, 1, x->g, I);
    if (w->g) gemm(true, false, I, O, rows, 1, x->x, I, y->g, O, 1, w->g, O);
    if (bias && bias->g)
        for (int r = 0; r < rows; r++) vec_add(bias->g, y->g + (size_t)r * (size_t)O, (size_t)O);
}

Tensor *op_linear(Tape *t, Tensor *x, Tensor *w, Tensor *bias)
{
    CHECK(w->rank == 2 && tensor_last(x) == w->dim[0] && (!bias || (bias->rank == 1 && bias->dim[0] == w->dim[1])),
          "linear: x %s, w %s, bias %s, want (...,I), (I,O), (O)", shape_str(x), shape_str(w), shape_str(bias));
    int rows = tensor_rows(x), I = w->dim[0], O = w->dim[1];
    Tensor *y = rows_of(t, x, O);
    if (bias)
        for (int r = 0; r < rows; r++) memcpy(y->x + (size_t)r * (size_t)O, bias->x, (size_t)O * sizeof(real));
    gemm(false, false, rows, O, I, 1, x->x, I, w->x, O, bias ? 1 : 0, y->x, O);
    tape_flops(t, rows * (double)O * (2.0 * I + (bias ? 1 : 0)));
    return PUSH(t, "linear", y, NULL, x, w, bias);
}

static void back_t(Node *n)
{
    Tensor *x = n->in[0], *w = n->in[1], *y = n->out;
    int rows = tensor_rows(x), O = w->dim[0], I = w->dim[1];
    if (x->g) gemm(false, false, rows, I, O, 1, y->g, O, w->x, I, 1, x->g, I);
    if (w->g) gemm(true, false, O, I, rows, 1, y->g, O, x->x, I, 1, w->g, I);
}

Tensor *op_linear_t(Tape *t, Tensor *x, Tensor *w)
{
    CHECK(w->rank == 2 && tensor_last(x) == w->dim[1], "linear_t: x %s, w %s, want (...,I), (O,I)", shape_str(x),
          shape_str(w));
    int rows = tensor_rows(x), O = w->dim[0], I = w->dim[1];
    Tensor *y = rows_of(t, x, O);
    gemm(false, true, rows, O, I, 1, x->x, I, w->x, I, 0, y->x, O);
    tape_flops(t, 2.0 * rows * O * I);
    return tape_push(t, "linear_t", back_t, y, NULL, 2, (Tensor *[]){ x, w });
}
