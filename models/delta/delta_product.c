/* SPDX-License-Identifier: Apache-2.0
 * delta_product - several delta-rule steps per token: the transition is a product of n_h Householder-like factors.
 *
 *   S = a[t] S[t-1]                                S (K,V) per head; a = 1, or with `decay` (B,T,H): common/step_size.h
 *   for j = 1..n_h:  S += beta_j k_j (v_j - S' k_j)'       k (B,T,n_h,H,K), v (B,T,n_h,H,V), beta (B,T,n_h,H)
 *   o[t] = S' q / sqrt(K)                          q (B,T,H,K), o (B,T,H,V)
 *   beta = 2 sigmoid(x Wb) for eigenvalues [-1, 1] (the default), sigmoid(x Wb) for [0, 1]
 *
 * Keys, values and strengths of the n_h steps have projections of their own; their convolutions, norms and the gated
 * output: common/qkv.h. State: H K V (+ (W-1) (H K + n_h H (K + V))), whatever n_h.
 * Class: n_h Householder factors per token; two reflections make a rotation, n - 1 of them any permutation of n items.
 * Source: Siems et al. 2025 (arXiv:2502.10297). n_h = 1 without decay is delta_net.
 */
#include "mixer.h"

#include <math.h>

#include "common/qkv.h"
#include "common/start.h"
#include "common/step_size.h"

enum { VERSION = 1 };

typedef struct {
    int n_h, heads, head_k, head_v, short_conv, activation, qk_norm, output_gate, initial_state;
    bool decay;
    Reals eigenvalues;
} Cfg;
typedef struct {
    Qkv qkv;
    HeadOut out;
    HeadDecay decay;
    Tensor *wb, *s0;
} Self;

static const Option options[] = {
    OPT_I(Cfg, n_h, "2", 1, 64, "Householder factors per token"),
    OPT_B(Cfg, decay, "false", "input-dependent decay per head (Gated DeltaProduct)"),
    OPT_I(Cfg, heads, "2", 1, 1024, HEADS_HELP),
    OPT_I(Cfg, head_k, "0", 0, 4096, HEAD_K_HELP),
    OPT_I(Cfg, head_v, "0", 0, 4096, HEAD_V_HELP),
    OPT_RS(Cfg, eigenvalues, "[-1, 1]", -1, 1, EIGEN_HELP " (of each factor)"),
    OPT_I(Cfg, short_conv, "4", 0, SHORT_CONV_MAX, SHORT_CONV_HELP),
    OPT_E(Cfg, activation, "silu", ACT_CHOICES, ACT_HELP),
    OPT_E(Cfg, qk_norm, "l2", NORM_CHOICES, NORM_HELP),
    OPT_E(Cfg, output_gate, "silu", GATE_CHOICES, GATE_HELP),
    OPT_E(Cfg, initial_state, "zero", START_CHOICES, START_HELP),
    OPT_END,
};

static bool build(const void *cfg, const Place *at, Params *p, void *self, Err *err)
{
    const Cfg *c = cfg;
    Self *s = self;
    QkvSpec spec = { .heads = c->heads,
                     .head_k = c->head_k,
                     .head_v = c->head_v,
                     .micro = c->n_h,
                     .short_conv = c->short_conv,
                     .activation = c->activation,
                     .norm = c->qk_norm };
    TRY(eigen_check(&c->eigenvalues, err));
    TRY(qkv_build(&spec, at, p, &s->qkv, err));
    s->wb = param(p, "wb", INIT_LINEAR, at->d_model, c->n_h * c->heads);
    if (c->decay) head_decay_build(c->heads, at, p, &s->decay);
    s->s0 = start_build(p, "s0", c->initial_state, s->qkv.H, s->qkv.K, s->qkv.V);
    head_out_build(c->output_gate, &s->qkv, at, p, &s->out);
    return true;
}

static Tensor *forward(const void *cfg, void *self, Ctx *c, Tensor *x)
{
    const Cfg *o = cfg;
    Self *s = self;
    const Qkv *d = &s->qkv;
    Tensor *q, *k, *v;
    qkv_run(d, c, x, &q, &k, &v);
    Tensor *beta = beta_run(c, d, x, s->wb, eigen_negative(&o->eigenvalues));
    Tensor *s0 = carry_in(c, "s", s->s0, x->dim[0], d->H, d->K, d->V);
    Tensor *y = op_scan_dplr(c->tape, &(DplrIn){ .q = q,
                                                 .w = op_mul_rows(c->tape, k, beta),
                                                 .v = v,
                                                 .r = k,
                                                 .a = o->decay ? head_decay_run(&s->decay, c, x) : NULL,
                                                 .scale = 1 / sqrt(d->K),
                                                 .s0 = s0,
                                                 .last = carry_out(c, "s") });
    return head_out_run(&s->out, c, y, x);
}

static TheoryClass theory_class(const void *cfg)
{
    const Cfg *c = cfg;
    if (!eigen_negative(&c->eigenvalues)) return (TheoryClass){ CLASS_DPLR1, c->n_h };
    return (TheoryClass){ c->n_h > 1 ? CLASS_DPLR_H : CLASS_DPLR1_NEG, c->n_h };
}

MIXER(delta_product, "several delta-rule steps per token", "arXiv:2502.10297")
