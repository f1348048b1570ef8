/* SPDX-License-Identifier: Apache-2.0
 * rwkv4 - attention without queries: an average of the past with softmax weights that decay, per channel.
 *
 *   o[t] = (a[t-1] + exp(u + k) v) / (b[t-1] + exp(u + k))     elementwise (B,T,N); u (N) bonus of the present token
 *   a[t] = exp(-w) a[t-1] + exp(k) v,  b[t] = exp(-w) b[t-1] + exp(k)          w = exp(rate), rate (N)
 *   y    = (sigmoid(r) * o) Wo                                 Wo (N,D)
 *   r, k, v = x_i Wi, x_i = x + (x[t-1] - x) mu_i              Wi (D,N), mu (D); token_shift none: x_i = x
 *
 * Kept as z = log b (op_log_past) and the average h = a / b, itself a gated recurrence: h[t] = (1 - g) h[t-1] + g v,
 * g = sigmoid(k - z[t-1] + w). State: 2 N + D. Class: diagonal, eigenvalues in [0,1].
 * Source: Peng et al. 2023 (arXiv:2305.13048); starts as in BlinkDL/RWKV-LM, u UNVERIFIED.
 * Deviation: only the time mixing; Wr, Wk start as other projections (there 0).
 */
#include "mixer.h"

#include <math.h>

#include "common/token_shift.h"

enum { VERSION = 1 };
enum { SHIFT_FIXED, SHIFT_NONE };
enum { TO_R, TO_K, TO_V, N_TO };

typedef struct {
    int width, token_shift;
} Cfg;
typedef struct {
    int n;
    Tensor *mu[N_TO], *w[N_TO], *rate, *u, *wo;
} Self;

static const Option options[] = {
    OPT_I(Cfg, width, "0", 0, 65536, "state width N; 0: d_model"),
    OPT_E(Cfg, token_shift, "fixed", "fixed|none", "mix with the previous token: learned weights, or none"),
    OPT_END,
};

static void init_rate(real *x, const int *dim, int rank, double exponent, double unused, Rng *rng)
{
    (void)rank, (void)unused, (void)rng;
    ramp(x, dim[0], -5, 8, exponent);
}

static void init_bonus(real *x, const int *dim, int rank, double base, double zigzag, Rng *rng)
{
    (void)rank, (void)rng;
    for (int i = 0; i < dim[0]; i++) x[i] = (real)(base + zigzag * ((i + 1) % 3 - 1));
}

static bool build(const void *cfg, const Place *at, Params *p, void *self, Err *err)
{
    static const char *const mu[] = { "mu_r", "mu_k", "mu_v" }, *const w[] = { "wr", "wk", "wv" };
    (void)err;
    const Cfg *c = cfg;
    Self *s = self;
    const double down = 1 - (double)at->layer / at->layers;
    s->n = c->width ? c->width : at->d_model;
    for (int i = 0; i < N_TO; i++) {
        Init start = INIT_FN(init_mix, i == TO_R ? down / 2 : down, i == TO_V ? 0.3 * depth_of(at) : 0);
        if (c->token_shift == SHIFT_FIXED) s->mu[i] = param(p, mu[i], start, at->d_model);
        s->w[i] = param(p, w[i], INIT_LINEAR, at->d_model, s->n);
    }
    s->rate = param(p, "rate", INIT_FN(init_rate, 0.7 + 1.3 * depth_of(at), 0), s->n);
    s->u = param(p, "u", INIT_FN(init_bonus, log(0.3), 0.5), s->n);
    s->wo = param(p, "wo", INIT_OUT, s->n, at->d_model);
    return true;
}

/* The last row that the shift sees is the last state of the scan: one slot for both. */
static Tensor *average(const Self *s, Ctx *c, Tensor *k, Tensor *v)
{
    Tape *t = c->tape;
    int B = k->dim[0];
    Tensor *w = op_exp(t, s->rate), *z0 = carry_in(c, "z", NULL, B, s->n);
    Tensor *past = op_sub(t, k, op_log_past(t, k, w, z0, carry_out(c, "z")));
    Tensor *take = op_sigmoid(t, op_add_last(t, past, w));
    Tensor *h0 = carry_in(c, "h", NULL, B, s->n);
    Tensor *h = op_scan_diag(t, op_affine(t, take, -1, 1), op_mul(t, take, v), h0, NULL);
    Tensor *before = shift_rows(t, h, h0 ? op_reshape(t, h0, B, 1, s->n) : NULL, carry_out(c, "h"));
    return op_add(t, before, op_mul(t, op_sigmoid(t, op_add_last(t, past, s->u)), op_sub(t, v, before)));
}

static Tensor *forward(const void *cfg, void *self, Ctx *c, Tensor *x)
{
    (void)cfg;
    Self *s = self;
    Tape *t = c->tape;
    Tensor *to[N_TO], *d = s->mu[0] ? op_sub(t, previous_token(c, "x", x, NULL), x) : NULL;
    for (int i = 0; i < N_TO; i++)
        to[i] = op_linear(t, d ? op_add(t, x, op_mul_last(t, d, s->mu[i])) : x, s->w[i], NULL);
    Tensor *o = average(s, c, to[TO_K], to[TO_V]);
    return op_linear(t, op_mul(t, op_sigmoid(t, to[TO_R]), o), s->wo, NULL);
}

static TheoryClass theory_class(const void *cfg)
{
    (void)cfg;
    return (TheoryClass){ CLASS_DIAG_POS, 0 };
}

MIXER(rwkv4, "decaying softmax average of the past, per channel", "arXiv:2305.13048")
