/* SPDX-License-Identifier: Apache-2.0
 * delta_net - linear attention that overwrites: every write first removes what its key reads.
 *
 *   S[t] = S[t-1] + beta k (v - S[t-1]' k)'        S (K,V) per head, q, k (B,T,H,K), v (B,T,H,V), beta (B,T,H)
 *   o[t] = S[t]' q / sqrt(K)                       (B,T,H,V)
 *   beta = sigmoid(x Wb), or 2 sigmoid(x Wb) for eigenvalues [-1, 1]: I - beta k k' has eigenvalue 1 - beta along k
 *
 * q, k, v, their convolutions, norms and the output: common/qkv.h. State: H K V (+ (W-1) (2 H K + H V)).
 * Class: one Householder-like factor per token; with beta in [0,1] it cannot do parity, with [0,2] it can.
 * Source: Yang et al. 2024 (arXiv:2406.06484); negative eigenvalues: Grazzi et al. 2025 (arXiv:2411.12537).
 */
#include "mixer.h"

#include <math.h>

#include "common/qkv.h"
#include "common/start.h"

enum { VERSION = 1 };

typedef struct {
    int heads, head_k, head_v, short_conv, activation, qk_norm, output_gate, initial_state;
    Reals eigenvalues;
} Cfg;
typedef struct {
    Qkv qkv;
    HeadOut out;
    Tensor *wb, *s0;
} Self;

static const Option options[] = {
    OPT_I(Cfg, heads, "2", 1, 1024, HEADS_HELP),
    OPT_I(Cfg, head_k, "0", 0, 4096, HEAD_K_HELP),
    OPT_I(Cfg, head_v, "0", 0, 4096, HEAD_V_HELP),
    OPT_RS(Cfg, eigenvalues, "[0, 1]", -1, 1, EIGEN_HELP),
    OPT_I(Cfg, short_conv, "4", 0, SHORT_CONV_MAX, SHORT_CONV_HELP),
    OPT_E(Cfg, activation, "silu", ACT_CHOICES, ACT_HELP),
    OPT_E(Cfg, qk_norm, "l2", NORM_CHOICES, NORM_HELP),
    OPT_E(Cfg, output_gate, "none", GATE_CHOICES, GATE_HELP),
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
                     .short_conv = c->short_conv,
                     .activation = c->activation,
                     .norm = c->qk_norm };
    TRY(eigen_check(&c->eigenvalues, err));
    TRY(qkv_build(&spec, at, p, &s->qkv, err));
    s->wb = param(p, "wb", INIT_LINEAR, at->d_model, c->heads);
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
                                                 .scale = 1 / sqrt(d->K),
                                                 .s0 = s0,
                                                 .last = carry_out(c, "s") });
    return head_out_run(&s->out, c, y, x);
}

static TheoryClass theory_class(const void *cfg)
{
    const Cfg *c = cfg;
    return (TheoryClass){ eigen_negative(&c->eigenvalues) ? CLASS_DPLR1_NEG : CLASS_DPLR1, 1 };
}

MIXER(delta_net, "delta rule: erase what the key reads, then write", "arXiv:2406.06484")
