/* SPDX-License-Identifier: Apache-2.0
 * rwkv6 - linear attention with a decay per key channel, read before the write, plus a bonus for the present token.
 *
 *   o[t] = (S[t-1] + diag(u) k v')' r              S (K,V) per head, r, k (B,T,H,K), v (B,T,H,V), u (H,K)
 *   S[t] = diag(a[t]) S[t-1] + k v'                a = exp(-exp(w0 + tanh(x_w A) B)), w0 (H K), A (D,Rw), B (Rw,H K)
 *   y    = (norm(o; g, b) * silu(x_g Wg)) Wo       LayerNorm of each head over V, g, b (H V), eps 1e-5
 *   x_i  = x + (x[t-1] - x) m_i                    inputs of r, k, v, w, g: Wr (named wq), Wk, Wv, A, Wg
 *   m_i  = mu_i + tanh((x + (x[t-1] - x) mu_x) W1)_i W2_i      W1 (D,5 R), W2_i (R,D), mu (D)
 *
 * token_shift fixed: m_i = mu_i (RWKV-5); none: x_i = x. The read before the write is a scan on shifted k, v, a.
 * State: H K V + 2 H K + H V (+ D with a token shift). Class: diagonal, eigenvalues in [0,1].
 * Source: Peng et al. 2024 (arXiv:2404.05892); starts of mu, W2, B, w0, u as in BlinkDL/RWKV-LM.
 * Deviations: two heads as wide as d_model / 2 by default (there 64 wide); only the time mixing, no channel mixing;
 * LayerNorm eps 1e-5 (there 6.4e-4); W1 and A start as other projections (there 0; W2 and B, within 0.01, keep their
 * parts small).
 */
#include "mixer.h"

#include <math.h>

#include "common/qkv.h"
#include "common/token_shift.h"

enum { VERSION = 1 };
enum { SHIFT_DATA, SHIFT_FIXED, SHIFT_NONE };
enum { TO_R, TO_K, TO_V, TO_W, TO_G, N_TO };

typedef struct {
    Heads head;
    int token_shift, mix_rank, decay_rank;
} Cfg;
typedef struct {
    Qkv qkv;
    int n, rank;                             /* inputs that are mixed, 4 without a gate */
    Tensor *mu_x, *w1, *mu[N_TO], *w2[N_TO]; /* NULL where the token shift has none */
    Tensor *w0, *wa, *wb, *u, *wg, *scale, *bias, *wo, *s0;
} Self;

static const Option options[] = {
    HEAD_WIDTHS,
    OPT_E(Cfg, token_shift, "data", "data|fixed|none",
          "mix with the previous token: weights from the data, fixed, none"),
    OPT_I(Cfg, mix_rank, "32", 1, 4096, "rank R of the token shift's weights"),
    OPT_I(Cfg, decay_rank, "64", 1, 4096, "rank Rw of the decay's projection"),
    HEAD_END("silu"),
    OPT_END,
};

/* log of -log a without data: decays from 0.9975 to 0.69. */
static void init_rate(real *x, const int *dim, int rank, double exponent, double unused, Rng *rng)
{
    (void)rank, (void)unused, (void)rng;
    ramp(x, dim[0], -6, 5, exponent);
}

static void init_bonus(real *x, const int *dim, int rank, double depth, double unused, Rng *rng)
{
    (void)rank, (void)unused, (void)rng;
    ramp(x, dim[0], depth, -depth, 1);
    for (int i = 0; i < dim[0]; i++) x[i] += (real)(0.1 * ((i + 1) % 3 - 1));
}

static void build_shift(const Cfg *c, const Place *at, Params *p, Self *s)
{
    static const char *const mu[] = { "mu_r", "mu_k", "mu_v", "mu_w", "mu_g" };
    static const char *const w2[] = { "mix_r", "mix_k", "mix_v", "mix_w", "mix_g" };
    double down = 1 - (double)at->layer / at->layers;
    int D = at->d_model, R = c->mix_rank;
    s->rank = R;
    s->n = c->head.output_gate == GATE_NONE ? TO_G : N_TO;
    if (c->token_shift == SHIFT_NONE) return;
    for (int i = 0; i < s->n; i++) {
        double e = i == TO_R || i == TO_G ? down / 2 : down;
        s->mu[i] = param(p, mu[i], INIT_FN(init_mix, e, i == TO_V ? 0.3 * depth_of(at) : 0), D);
    }
    if (c->token_shift == SHIFT_FIXED) return;
    s->mu_x = param(p, "mu_x", INIT_FN(init_mix, down, 0), D);
    s->w1 = param(p, "mix_w1", INIT_LINEAR, D, s->n * R);
    for (int i = 0; i < s->n; i++) s->w2[i] = param(p, w2[i], INIT_UNIFORM(-0.01, 0.01), R, D);
}

static bool build(const void *cfg, const Place *at, Params *p, void *self, Err *err)
{
    const Cfg *c = cfg;
    Self *s = self;
    TRY(qkv_build(&c->head, at, p, &s->qkv, err));
    int D = at->d_model, HK = s->qkv.H * s->qkv.K, HV = s->qkv.H * s->qkv.V;
    build_shift(c, at, p, s);
    s->w0 = param(p, "w0", INIT_FN(init_rate, 0.7 + 1.3 * depth_of(at), 0), HK);
    s->wa = param(p, "wa", INIT_LINEAR, D, c->decay_rank);
    s->wb = param(p, "wb", INIT_UNIFORM(-0.01, 0.01), c->decay_rank, HK);
    s->u = param(p, "u", INIT_FN(init_bonus, depth_of(at), 0), HK);
    s->s0 = head_start_build(&c->head, &s->qkv, p);
    s->scale = param(p, "norm", INIT_CONST(1), HV);
    s->bias = param(p, "norm_bias", INIT_CONST(0), HV);
    if (c->head.output_gate != GATE_NONE) s->wg = param(p, "wg", INIT_LINEAR, D, HV);
    s->wo = param(p, "wo", INIT_OUT, HV, D);
    return true;
}

/* The five inputs. */
static void mix(const Self *s, Ctx *c, Tensor *x, Tensor *to[N_TO])
{
    Tape *t = c->tape;
    for (int i = 0; i < N_TO; i++) to[i] = x;
    if (!s->mu[0]) return;
    Tensor *d = op_sub(t, previous_token(c, "x", x, NULL), x), *m = NULL;
    if (s->w1) m = op_tanh(t, op_linear(t, op_add(t, x, op_mul_last(t, d, s->mu_x)), s->w1, NULL));
    for (int i = 0; i < s->n; i++) {
        Tensor *part = m ? op_linear(t, op_slice(t, m, i * s->rank, s->rank), s->w2[i], s->mu[i]) : NULL;
        to[i] = op_add(t, x, part ? op_mul(t, d, part) : op_mul_last(t, d, s->mu[i]));
    }
}

/* The scan on the previous token's k, v, a; before the first token the decay is 1 and nothing is written. */
static Tensor *read_past(const Self *s, Ctx *c, Tensor *r, Tensor *k, Tensor *v, Tensor *a)
{
    Tape *t = c->tape;
    int B = r->dim[0], T = r->dim[1], H = s->qkv.H, K = s->qkv.K, V = s->qkv.V;
    Tensor *one = tape_const(t, 2, (int[]){ 1, H * K });
    for (int i = 0; i < H * K; i++) one->x[i] = 1;
    DplrIn in = { .q = op_reshape(t, r, B, T, H, K), .scale = 1 };
    in.w = op_reshape(t, previous_token(c, "k", k, NULL), B, T, H, K);
    in.v = op_reshape(t, previous_token(c, "v", v, NULL), B, T, H, V);
    in.a = op_reshape(t, previous_token(c, "a", a, one), B, T, H, K);
    return head_scan(&s->qkv, c, s->s0, in);
}

/* ((u * k) . r) v */
static Tensor *bonus(const Self *s, Tape *t, Tensor *r, Tensor *k, Tensor *v)
{
    int B = r->dim[0], T = r->dim[1], H = s->qkv.H, K = s->qkv.K;
    Tensor *ones = tape_const(t, 2, (int[]){ K, 1 });
    for (int i = 0; i < K; i++) ones->x[i] = 1;
    Tensor *rk = op_reshape(t, op_mul_last(t, op_mul(t, r, k), s->u), B, T, H, K);
    return op_mul_rows(t, op_reshape(t, v, B, T, H, s->qkv.V), op_linear(t, rk, ones, NULL));
}

static Tensor *forward(const void *cfg, void *self, Ctx *c, Tensor *x)
{
    const Cfg *o = cfg;
    Self *s = self;
    Tape *t = c->tape;
    Tensor *in[N_TO];
    mix(s, c, x, in);
    Tensor *r = op_linear(t, in[TO_R], s->qkv.wq, NULL), *k = op_linear(t, in[TO_K], s->qkv.wk, NULL);
    Tensor *v = op_linear(t, in[TO_V], s->qkv.wv, NULL);
    Tensor *w = op_linear(t, op_tanh(t, op_linear(t, in[TO_W], s->wa, NULL)), s->wb, s->w0);
    Tensor *a = op_exp(t, op_affine(t, op_exp(t, w), -1, 0));
    Tensor *y = op_add(t, read_past(s, c, r, k, v, a), bonus(s, t, r, k, v));
    y = op_reshape(t, op_layernorm(t, y, NULL, NULL, 1e-5), x->dim[0], x->dim[1], s->qkv.H * s->qkv.V);
    y = op_add_last(t, op_mul_last(t, y, s->scale), s->bias);
    if (s->wg) {
        Tensor *z = op_linear(t, in[TO_G], s->wg, NULL);
        y = o->head.output_gate == GATE_SILU ? op_swiglu(t, z, y) : op_mul(t, op_sigmoid(t, z), y);
    }
    return op_linear(t, y, s->wo, NULL);
}

static TheoryClass theory_class(const void *cfg)
{
    (void)cfg;
    return (TheoryClass){ CLASS_DIAG_POS, 0 };
}

MIXER(rwkv6, "linear attention with data-dependent decay and token shift", "arXiv:2404.05892")
