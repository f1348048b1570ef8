/* SPDX-License-Identifier: Apache-2.0
 * golden_attention.c - adapters for softmax attention: windows, grouped keys, rotations, gates, differences. */
#include "golden.h"

#include <math.h>
#include <string.h>

static bool softmax(Golden *g)
{
    Tape *t = g->tape;
    Tensor *q = golden_in(g, "q"), *k = golden_in(g, "k"), *v = golden_in(g, "v");
    int window = !strcmp(g->op, "softmax_attention_swa") ? (int)golden_number(g, "window") : 0;
    if (!strncmp(g->op, "softmax_attention_rope", 22)) {
        int first = (int)golden_number(g, "first_position");
        bool pairs = golden_is(g, "layout", "interleaved");
        q = op_rope(t, q, first, golden_number(g, "base"), pairs);
        k = op_rope(t, k, first, golden_number(g, "base"), pairs);
        golden_want(g, "q_rot", q);
        golden_want(g, "k_rot", k);
    }
    golden_want(g, "o", op_attention(t, q, k, v, 1 / sqrt(tensor_last(q)), window));
    return true;
}

static bool gated(Golden *g)
{
    Tape *t = g->tape;
    Tensor *o = op_attention(t, golden_in(g, "q"), golden_in(g, "k"), golden_in(g, "v"), golden_number(g, "scale"), 0);
    Tensor *gate = op_sigmoid(t, golden_in(g, "g"));
    golden_want(g, "o", golden_is(g, "gate", "headwise") ? op_mul_rows(t, o, gate) : op_mul(t, o, gate));
    return true;
}

/* exp(a . b), shape (1,1) */
static Tensor *exp_dot(Golden *g, const char *a, const char *b)
{
    Tape *t = g->tape;
    Tensor *x = golden_in(g, a), *y = golden_in(g, b);
    int n = tensor_last(x);
    return op_exp(t, op_linear(t, op_reshape(t, x, 1, n), op_reshape(t, y, n, 1), NULL));
}

/* Query and key heads 2h and 2h+1 form pair h. */
static bool differential(Golden *g)
{
    Tape *t = g->tape;
    Tensor *q = golden_in(g, "q"), *k = golden_in(g, "k"), *v = golden_in(g, "v"), *o[2];
    int B = q->dim[0], T = q->dim[1], H = v->dim[2], K = q->dim[3], V = v->dim[3];
    double start = golden_number(g, "lambda_init"), scale = golden_number(g, "scale");
    for (int i = 0; i < 2; i++) {
        Tensor *qi = op_slice(t, op_reshape(t, q, B, T, H, 2 * K), i * K, K);
        Tensor *ki = op_slice(t, op_reshape(t, k, B, T, H, 2 * K), i * K, K);
        o[i] = op_attention(t, qi, ki, v, scale, 0);
    }
    Tensor *lam = op_affine(t, op_sub(t, exp_dot(g, "lq1", "lk1"), exp_dot(g, "lq2", "lk2")), 1, start);
    Tensor *second = op_linear(t, op_reshape(t, o[1], B * T * H * V, 1), lam, NULL);
    Tensor *y =
        op_rmsnorm(t, op_sub(t, o[0], op_reshape(t, second, B, T, H, V)), golden_in(g, "w"), golden_number(g, "eps"));
    golden_want(g, "o", op_affine(t, y, 1 - start, 0));
    golden_want(g, "lam", lam);
    return true;
}

const Adapter golden_attention[] = {
    { "softmax_attention", softmax },
    { "softmax_attention_t37", softmax },
    { "softmax_attention_gqa", softmax },
    { "softmax_attention_swa", softmax },
    { "softmax_attention_rope", softmax },
    { "softmax_attention_rope_interleaved", softmax },
    { "gated_attention", gated },
    { "gated_attention_headwise", gated },
    { "differential_attention", differential },
    { NULL, NULL },
};
