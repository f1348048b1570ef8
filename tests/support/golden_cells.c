/* SPDX-License-Identifier: Apache-2.0
 * golden_cells.c - adapters for vector-state recurrences: LSTM, minGRU, minLSTM, HGRN, Mamba, diagonal bilinear. */
#include "golden.h"

/* The case also lets the last cell state into the loss, which our op keeps out of the tape. One more step with gates
 * i = 0, f = 1, o = 1 (saturated, so without gradient) outputs tanh(c_last), which is on it. */
static bool lstm(Golden *g)
{
    Tape *t = g->tape;
    Tensor *xw = op_linear(t, golden_in(g, "x"), golden_weight(g, "W"), golden_in(g, "b")), *u = golden_weight(g, "U");
    int B = xw->dim[0], T = xw->dim[1], N = u->dim[0];
    double *gates = ARENA_NEW(g->arena, double, 4 * N);
    for (int i = 0; i < 4 * N; i++) gates[i] = i / N == 0 ? -1000 : i / N == 2 ? 0 : 1000;
    real *last_h = ARENA_NEW(g->arena, real, B * N), *last_c = ARENA_NEW(g->arena, real, B * N);
    Tensor *h =
        op_cell_lstm(t, golden_time_append(g, xw, gates), u, golden_in(g, "h0"), golden_in(g, "c0"), last_h, last_c);
    golden_want(g, "h", golden_time_slice(g, h, 0, T));
    golden_reals(g, "c_last", last_c, (size_t)(B * N));
    Tensor *tanh_c = golden_time_slice(g, h, T, 1);
    Npy cot = golden_array(g, "cot_c_last");
    for (int i = 0; i < B * N; i++) cot.x[i] /= 1 - (double)tanh_c->x[i] * (double)tanh_c->x[i];
    golden_cotangent(g, tanh_c, cot.x);
    return true;
}

static Tensor *candidate(Golden *g, Tensor *x)
{
    Tensor *v = op_linear(g->tape, x, golden_weight(g, "Wh"), golden_in(g, "bh"));
    return golden_is(g, "positive_g", "true") ? op_mingru_g(g->tape, v) : v;
}

static bool mingru(Golden *g)
{
    Tape *t = g->tape;
    Tensor *x = golden_in(g, "x");
    Tensor *z = op_sigmoid(t, op_linear(t, x, golden_weight(g, "Wz"), golden_in(g, "bz")));
    Tensor *u = op_mul(t, z, candidate(g, x));
    golden_want(g, "h", op_scan_diag(t, op_affine(t, z, -1, 1), u, golden_in(g, "h0"), NULL));
    return true;
}

/* f / (f + i) = sigmoid(log f - log i) */
static bool minlstm(Golden *g)
{
    Tape *t = g->tape;
    Tensor *x = golden_in(g, "x");
    Tensor *f = op_logsigmoid(t, op_linear(t, x, golden_weight(g, "Wf"), golden_in(g, "bf")));
    Tensor *i = op_logsigmoid(t, op_linear(t, x, golden_weight(g, "Wi"), golden_in(g, "bi")));
    Tensor *keep = op_sigmoid(t, op_sub(t, f, i));
    Tensor *u = op_mul(t, op_affine(t, keep, -1, 1), candidate(g, x));
    golden_want(g, "h", op_scan_diag(t, keep, u, golden_in(g, "h0"), NULL));
    return true;
}

static bool hgrn(Golden *g)
{
    Tensor *x = golden_in(g, "x");
    golden_want(g, "o", op_scan_diag(g->tape, op_exp(g->tape, golden_in(g, "g")), x, NULL, NULL));
    return true;
}

static bool bilinear(Golden *g)
{
    if (!golden_is(g, "kind", "diag")) return false;
    Tensor *a = op_linear(g->tape, golden_in(g, "x"), golden_weight(g, "W"), NULL);
    Tensor *zero = FILL(g, 0, a->dim[0], a->dim[1], a->dim[2]);
    golden_want(g, "h", op_scan_diag(g->tape, a, zero, golden_in(g, "h0"), NULL));
    return true;
}

static bool mamba(Golden *g)
{
    Tape *t = g->tape;
    Tensor *u = golden_in(g, "u"), *z = golden_in(g, "z");
    Tensor *dt = op_softplus(t, op_add_last(t, golden_in(g, "dt_raw"), golden_in(g, "dt_bias")));
    Tensor *y = op_scan_selective(t, u, dt, golden_in(g, "A_log"), golden_in(g, "Bm"), golden_in(g, "Cm"),
                                  golden_in(g, "Dskip"), golden_is(g, "negative_eigenvalues", "true"), NULL, NULL);
    golden_want(g, "y", op_swiglu(t, z, y));
    return true;
}

const Adapter golden_cells[] = {
    { "lstm", lstm },         { "mingru", mingru },  { "minlstm", minlstm }, { "hgrn", hgrn },
    { "bilinear", bilinear }, { "mamba_s6", mamba }, { NULL, NULL },
};
