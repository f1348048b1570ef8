/* SPDX-License-Identifier: Apache-2.0
 * op_short_conv - causal convolution over a few tokens, each channel on its own.
 *
 *   x (B,T,C), w (W,C), bias (C) or NULL, s0 (B,W-1,C) or (W-1,C) or NULL -> y (B,T,C)
 *   e = [s0; x] along time, W-1+T rows (zeros for s0 NULL)
 *   y[t] = bias + sum over j < W of w[j] e[t+j]        w[W-1] multiplies the current token
 *   de[i] += sum over j of w[j] dy[i-j];   dw[j] += sum over t of dy[t] e[t+j];   dbias += sum over t of dy[t]
 *   last (B,W-1,C) = the last W-1 rows of e; it may be s0's own memory. Any T, also T < W-1.
 *
 * Cost: 2 W flops per element. Saves nothing.
 */
#include "tape/tape.h"
#include "tape/vec.h"

typedef struct {
    int B, T, C, W;
} Dims;

static Dims dims_of(const Tensor *x, const Tensor *w)
{
    return (Dims){ .B = x->dim[0], .T = x->dim[1], .C = x->dim[2], .W = w->dim[0] };
}

/* Row i of e for sequence b, in the values (s, x) or in the gradients; NULL where e is a constant zero. */
static real *ext_row(Dims d, const Tensor *s0, real *s, real *x, int b, int i)
{
    size_t C = (size_t)d.C, head = (size_t)(d.W - 1);
    if (i >= d.W - 1) return x ? x + ((size_t)b * (size_t)d.T + (size_t)(i - (d.W - 1))) * C : NULL;
    return s ? s + ((s0->rank == 3 ? (size_t)b * head : 0) + (size_t)i) * C : NULL;
}

/* y[c] = bias[c] + sum over j < W of w[j,c] rows[j,c]: rows is contiguous. */
static void full_row(real *restrict y, const real *bias, const real *w, const real *rows, int W, size_t C)
{
    size_t c = 0;
    for (; c + (size_t)VLEN <= C; c += (size_t)VLEN) {
        vreal s = bias ? v_load(bias + c) : v_set(0);
        for (size_t j = 0; j < (size_t)W; j++) s += v_load(w + j * C + c) * v_load(rows + j * C + c);
        v_store(y + c, s);
    }
    for (; c < C; c++) {
        real s = bias ? bias[c] : 0;
        for (size_t j = 0; j < (size_t)W; j++) s += w[j * C + c] * rows[j * C + c];
        y[c] = s;
    }
}

static void back(Node *n)
{
    Tensor *x = n->in[0], *w = n->in[1], *bias = n->in[2], *s0 = n->in[3];
    Dims d = dims_of(x, w);
    size_t C = (size_t)d.C;
    for (int b = 0; b < d.B; b++) {
        const real *dy = n->out->g + (size_t)b * (size_t)d.T * C;
        for (int t = 0; t < d.T; t++, dy += C) {
            if (bias && bias->g) vec_add(bias->g, dy, C);
            for (int j = 0; j < d.W; j++) {
                const real *e = ext_row(d, s0, s0 ? s0->x : NULL, x->x, b, t + j);
                real *de = ext_row(d, s0, s0 ? s0->g : NULL, x->g, b, t + j);
                if (w->g && e) vec_fma(w->g + (size_t)j * C, dy, e, C);
                if (de) vec_fma(de, dy, w->x + (size_t)j * C, C);
            }
        }
    }
}

static void check(const Tensor *x, const Tensor *w, const Tensor *bias, const Tensor *s0)
{
    CHECK(x->rank == 3 && w->rank == 2 && w->dim[0] >= 1 && w->dim[1] == x->dim[2] &&
              (!bias || (bias->rank == 1 && bias->dim[0] == x->dim[2])),
          "short_conv: x %s, w %s, bias %s, want (B,T,C), (W,C), (C)", shape_str(x), shape_str(w), shape_str(bias));
    if (!s0) return;
    const int *tail = s0->dim + (s0->rank == 3);
    CHECK((s0->rank == 2 || (s0->rank == 3 && s0->dim[0] == x->dim[0])) && tail[0] == w->dim[0] - 1 &&
              tail[1] == x->dim[2],
          "short_conv: s0 %s for x %s, w %s, want (B,W-1,C) or (W-1,C)", shape_str(s0), shape_str(x), shape_str(w));
}

Tensor *op_short_conv(Tape *t, Tensor *x, Tensor *w, Tensor *bias, Tensor *s0, real *last)
{
    check(x, w, bias, s0);
    Dims d = dims_of(x, w);
    Tensor *y = tape_like(t, x);
    size_t C = (size_t)d.C;
    for (int b = 0; b < d.B; b++)
        for (int i = 0; i < d.T; i++) {
            real *row = y->x + ((size_t)b * (size_t)d.T + (size_t)i) * C;
            if (i >= d.W - 1) {
                full_row(row, bias ? bias->x : NULL, w->x, ext_row(d, s0, NULL, x->x, b, i), d.W, C);
                continue;
            }
            memset(row, 0, C * sizeof(real));
            if (bias) vec_add(row, bias->x, C);
            for (int j = 0; j < d.W; j++) {
                const real *e = ext_row(d, s0, s0 ? s0->x : NULL, x->x, b, i + j);
                if (e) vec_fma(row, w->x + (size_t)j * C, e, C);
            }
        }
    for (int b = 0; last && b < d.B; b++)
        for (int i = 0; i < d.W - 1; i++) {
            const real *e = ext_row(d, s0, s0 ? s0->x : NULL, x->x, b, d.T + i);
            real *to = last + ((size_t)b * (size_t)(d.W - 1) + (size_t)i) * C;
            if (e)
                memmove(to, e, C * sizeof(real));
            else
                memset(to, 0, C * sizeof(real));
        }
    tape_flops(t, 2.0 * d.W * (double)tensor_size(x));
    return PUSH(t, "short_conv", y, NULL, x, w, bias, s0);
}
