/* SPDX-License-Identifier: Apache-2.0
 * fox - forgetting attention: softmax attention whose scores fade by gates that the input sets.
 *
 *   f[t,h] = sigmoid(x[t] wf_h + bf_h)                                          wf (D,H), bf (H)
 *   s[t,j] = <q[t], k[j]> / sqrt(K) + sum_{j<m<=t} log f[m]     j <= t          q (B,T,H,K), k (B,T,Hk,K)
 *   o[t]   = sum_j softmax_j(s[t,.]) v[j];  y = o Wo                            v (B,T,Hk,V), Wo (H V,D)
 *   kv_shift:    k[t] <- a k[t-1] + (1-a) k[t], a = sigmoid(x[t] wsk), one per head; v alike with wsv; k[-1] = 0
 *   qk_norm:     then RMS of q and k per head, a gain per head and channel, eps 1e-5
 *   output_norm: RMS of o per head, a gain per head and channel, eps 1e-6;  output_gate: then o * sigmoid(x Wg)
 *
 * FoX Pro is all four switches on (its projections have no biases either). bf starts at 0, gates near 1/2, so that one
 * or two positions are remembered before training; gate_time T starts them at exp(-1/T) instead. No positions needed;
 * `pos` adds one (common/attend.h, angles of base 10000). State: Hk (K + V) + H for each position kept, with kv_shift
 * also Hk (K + V). Class: attention.
 * Source: Lin et al. 2025 (arXiv:2503.02130) and their code. Deviations: gate_time is one for all heads, theirs spreads
 * over them; projections start as the backbone's, wf as theirs, N(0, 0.02). Their MLP of ratio 3.5 is the backbone's.
 */
#include "mixer.h"

#include <math.h>

#include "common/attend.h"

enum { VERSION = 1 };

typedef struct {
    Heads head;
    AttendCfg at;
    double gate_time;
    bool kv_shift, qk_norm, output_norm, output_gate;
} Cfg;
typedef struct {
    Qkv qkv;
    Attend attend;
    Tensor *wf, *bf, *wsk, *wsv, *norm_q, *norm_k, *norm_o, *wg, *wo;
} Self;

static const Option options[] = {
    HEAD_COUNT,
    KV_HEADS,
    HEAD_SIZES,
    OPT_R(Cfg, gate_time, "0", 0, 1e6, "positions after which a fresh gate has faded a key by e; 0: gates of 1/2"),
    OPT_B(Cfg, kv_shift, "false", "mix keys and values with those of the position before"),
    OPT_B(Cfg, qk_norm, "false", "RMS norm of q and k per head"),
    OPT_B(Cfg, output_norm, "false", "RMS norm of each head's output"),
    OPT_B(Cfg, output_gate, "false", "sigmoid gate on each channel of the output, from the layer's input"),
    POS_OPTIONS("nope"),
    WINDOW_OPTION,
    HEAD_CONV("0", "none"),
    OPT_END,
};

static bool build(const void *cfg, const Place *at, Params *p, void *self, Err *err)
{
    const Cfg *c = cfg;
    Self *s = self;
    int D = at->d_model;
    TRY(kv_heads_check(&c->head, err));
    TRY(qkv_build(&c->head, at, p, &s->qkv, err));
    int H = s->qkv.H, HK = s->qkv.HK, K = s->qkv.K, V = s->qkv.V;
    TRY(attend_build(&c->at, H, K, p, &s->attend, err));
    s->wf = param(p, "wf", INIT_NORMAL(0.02), D, H);
    s->bf = param(p, "bf", INIT_CONST(c->gate_time > 0 ? -log(expm1(1 / c->gate_time)) : 0), H);
    if (c->kv_shift) {
        s->wsk = param(p, "wsk", INIT_LINEAR, D, HK);
        s->wsv = param(p, "wsv", INIT_LINEAR, D, HK);
    }
    if (c->qk_norm) {
        s->norm_q = param(p, "norm_q", INIT_CONST(1), H * K);
        s->norm_k = param(p, "norm_k", INIT_CONST(1), HK * K);
    }
    if (c->output_norm) s->norm_o = param(p, "norm_o", INIT_CONST(1), H * V);
    if (c->output_gate) s->wg = param(p, "wg", INIT_LINEAR, D, H * V);
    s->wo = param(p, "wo", INIT_OUT, H * V, D);
    return true;
}

/* y (B,T,H,N) with its last two axes as one. */
static Tensor *flat(Tape *t, Tensor *y) { return op_reshape(t, y, y->dim[0], y->dim[1], y->dim[2] * y->dim[3]); }

/* RMS over the last axis, then a gain (H N). */
static Tensor *norm_heads(Tape *t, Tensor *y, Tensor *gain, double eps)
{
    Tensor *z = op_mul_last(t, flat(t, op_rmsnorm(t, y, NULL, eps)), gain);
    return op_reshape_dims(t, z, 4, y->dim);
}

/* y[t] + a[t] (y[t-1] - y[t]), a = sigmoid(x w) per head. */
static Tensor *shift(Ctx *c, const char *slot, Tensor *x, Tensor *w, Tensor *y)
{
    Tape *t = c->tape;
    int n = y->dim[2] * y->dim[3];
    Tensor *taps = tape_const(t, 2, (int[]){ 2, n }), *past = carry_in(c, slot, NULL, y->dim[0], 1, n);
    for (int i = 0; i < n; i++) taps->x[i] = 1;
    Tensor *before = op_short_conv(t, flat(t, y), taps, NULL, past, carry_out(c, slot));
    Tensor *step = op_sub(t, op_reshape_dims(t, before, 4, y->dim), y);
    return op_add(t, y, op_mul_rows(t, step, op_sigmoid(t, op_linear(t, x, w, NULL))));
}

static Tensor *forward(const void *cfg, void *self, Ctx *c, Tensor *x)
{
    (void)cfg;
    Self *s = self;
    Tape *t = c->tape;
    Tensor *q, *k, *v, *log_f = op_logsigmoid(t, op_linear(t, x, s->wf, s->bf));
    qkv_run(&s->qkv, c, x, &q, &k, &v);
    if (s->wsk) {
        k = shift(c, "shift_k", x, s->wsk, k);
        v = shift(c, "shift_v", x, s->wsv, v);
    }
    if (s->norm_q) {
        q = norm_heads(t, q, s->norm_q, 1e-5);
        k = norm_heads(t, k, s->norm_k, 1e-5);
    }
    Tensor *y = attend_run(&s->attend, c, "", q, k, attend_values(&s->attend, c, v), log_f);
    if (s->norm_o) y = norm_heads(t, y, s->norm_o, 1e-6);
    y = flat(t, y);
    if (s->wg) y = op_mul(t, y, op_sigmoid(t, op_linear(t, x, s->wg, NULL)));
    return op_linear(t, y, s->wo, NULL);
}

static TheoryClass theory_class(const void *cfg)
{
    (void)cfg;
    return (TheoryClass){ CLASS_ATTENTION, 0 };
}

MIXER(fox, "forgetting attention, and FoX Pro by its switches", "arXiv:2503.02130")
