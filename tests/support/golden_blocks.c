/* SPDX-License-Identifier: Apache-2.0
 * golden_blocks.c - adapters for norms, channel mixers, short convolution, token shift and cross-entropy. */
#include "golden.h"

#include <math.h>

static bool rmsnorm(Golden *g)
{
    Tensor *x = golden_in(g, "x"), *w = golden_in(g, "w");
    golden_want(g, "y", op_rmsnorm(g->tape, x, w, golden_number(g, "eps")));
    return true;
}

static bool layernorm(Golden *g)
{
    Tensor *x = golden_in(g, "x"), *w = golden_in(g, "w"), *b = golden_in(g, "b");
    golden_want(g, "y", op_layernorm(g->tape, x, w, b, golden_number(g, "eps")));
    return true;
}

static bool l2norm(Golden *g)
{
    golden_want(g, "y", op_l2norm(g->tape, golden_in(g, "x"), golden_number(g, "eps")));
    return true;
}

static bool swiglu(Golden *g)
{
    Tensor *a = golden_in(g, "a"), *b = golden_in(g, "b");
    golden_want(g, "y", op_swiglu(g->tape, a, b));
    return true;
}

static bool glu_mlp(Golden *g)
{
    Tape *t = g->tape;
    Tensor *x = golden_in(g, "x"), *wg = golden_weight(g, "wg"), *wu = golden_weight(g, "wu");
    Tensor *y = op_swiglu(t, op_linear(t, x, wg, NULL), op_linear(t, x, wu, NULL));
    golden_want(g, "y", op_linear(t, y, golden_weight(g, "wd"), NULL));
    return true;
}

/* 0.5 x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))) */
static Tensor *gelu_tanh(Tape *t, Tensor *x)
{
    Tensor *cube = op_mul(t, x, op_mul(t, x, x));
    Tensor *inner = op_affine(t, op_add(t, x, op_affine(t, cube, 0.044715, 0)), sqrt(2 / acos(-1)), 0);
    return op_mul(t, x, op_affine(t, op_tanh(t, inner), 0.5, 0.5));
}

static bool gelu_mlp(Golden *g)
{
    Tape *t = g->tape;
    Tensor *w2 = golden_weight(g, "w2"), *b2 = golden_in(g, "b2");
    Tensor *h = op_linear(t, golden_in(g, "x"), golden_weight(g, "w1"), golden_in(g, "b1"));
    golden_want(g, "y", op_linear(t, op_gelu(t, h), w2, b2));
    golden_want(g, "y_tanh", op_linear(t, gelu_tanh(t, h), w2, b2));
    return true;
}

static bool gmu(Golden *g)
{
    Tape *t = g->tape;
    Tensor *h = op_linear(t, golden_in(g, "x"), golden_weight(g, "w1"), NULL);
    golden_want(g, "y", op_linear(t, op_swiglu(t, h, golden_in(g, "m")), golden_weight(g, "w2"), NULL));
    return true;
}

static bool short_conv(Golden *g)
{
    Tensor *y = op_short_conv(g->tape, golden_in(g, "u"), golden_weight(g, "w"), golden_in(g, "b"), NULL, NULL);
    golden_want(g, "y", golden_is(g, "silu", "true") ? op_silu(g->tape, y) : y);
    return true;
}

/* The previous token is a convolution with taps (1, 0). */
static bool token_shift(Golden *g)
{
    Tape *t = g->tape;
    Tensor *x = golden_in(g, "x"), *a = golden_in(g, "a");
    int B = x->dim[0], T = x->dim[1], H = x->dim[2], D = x->dim[3];
    Tensor *taps = FILL(g, 0, 2, H * D);
    for (int i = 0; i < H * D; i++) taps->x[i] = 1;
    Tensor *before = op_short_conv(t, op_reshape(t, x, B, T, H * D), taps, NULL, NULL, NULL);
    before = op_reshape(t, before, B, T, H, D);
    golden_want(g, "y", op_add(t, op_mul_rows(t, before, a), op_mul_rows(t, x, op_affine(t, a, -1, 1))));
    return true;
}

static bool cross_entropy(Golden *g)
{
    Tape *t = g->tape;
    Tensor *z = golden_in(g, "logits");
    Npy targets = golden_array(g, "targets");
    int n = tensor_rows(z), C = tensor_last(z), count = 0, hits = 0;
    int *y = ARENA_NEW(g->arena, int, n), *pred = ARENA_NEW(g->arena, int, n);
    double *each = ARENA_NEW(g->arena, double, n), *picked = ARENA_NEW(g->arena, double, n);
    for (int i = 0; i < n; i++) count += (y[i] = targets.x[i] < 0 ? IGNORE : (int)targets.x[i]) != IGNORE;
    Tensor *loss = op_cross_entropy(t, op_reshape(t, z, n, C), y, 1.0 / count, NULL, pred);
    for (int i = 0; i < n; i++) {
        Tensor *row = TENSOR(t, 1, C);
        for (int j = 0; j < C; j++) row->x[j] = z->x[i * C + j];
        op_cross_entropy(t, row, &y[i], 0, &each[i], NULL);
        picked[i] = pred[i];
        hits += pred[i] == y[i];
    }
    golden_want(g, "loss", loss);
    golden_value(g, "per_token", each, (size_t)n);
    golden_value(g, "pred", picked, (size_t)n);
    golden_value(g, "count", &(double){ count }, 1);
    golden_value(g, "accuracy", &(double){ (double)hits / count }, 1);
    return true;
}

const Adapter golden_blocks[] = {
    { "rmsnorm", rmsnorm },
    { "layernorm", layernorm },
    { "l2norm", l2norm },
    { "swiglu", swiglu },
    { "glu_mlp", glu_mlp },
    { "gelu_mlp", gelu_mlp },
    { "gmu", gmu },
    { "short_conv", short_conv },
    { "token_shift", token_shift },
    { "cross_entropy", cross_entropy },
    { NULL, NULL },
};
