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

#include "common/qkv.h"
#include "common/step_size.h"

enum { VERSION = 1 };

typedef struct {
    Heads head;
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
    HEAD_INT(n_h, "2", 1, 64, "Householder factors per token"),
    OPT_B(Cfg, decay, "false", "input-dependent decay per head (Gated DeltaProduct)"),
    HEAD_WIDTHS,
    OPT_RS(Cfg, eigenvalues, "[-1, 1]", -1, 1, EIGEN_HELP " (of each factor)"),
    HEAD_SHELL("4", "silu", "l2", "silu"),
    OPT_END,
};

static bool build(const void *cfg, const Place *at, Params *p, void *self, Err *err)
{
    const Cfg *c = cfg;
    Self *s = self;
    TRY(eigen_check(&c->eigenvalues, err));
    TRY(qkv_build(&c->head, at, p, &s->qkv, err));
    s->wb = param(p, "wb", INIT_LINEAR, at->d_model, c->head.n_h * c->head.heads);
    if (c->decay) head_decay_build(c->head.heads, at, p, &s->decay);
    s->s0 = head_start_build(&c->head, &s->qkv, p);
    head_out_build(c->head.output_gate, &s->qkv, at, p, &s->out);
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
    DplrIn in = { .q = q,
                  .w = op_mul_rows(c->tape, k, beta),
                  .v = v,
                  .r = k,
                  .a = o->decay ? head_decay_run(&s->decay, c, x) : NULL };
    Tensor *y = head_scan(d, c, s->s0, in);
    return head_out_run(&s->out, c, y, x);
}

static TheoryClass theory_class(const void *cfg)
{
    const Cfg *c = cfg;
    if (!eigen_negative(&c->eigenvalues)) return (TheoryClass){ CLASS_DPLR1, c->head.n_h };
    return (TheoryClass){ c->head.n_h > 1 ? CLASS_DPLR_H : CLASS_DPLR1_NEG, c->head.n_h };
}

MIXER(delta_product, "several delta-rule steps per token", "arXiv:2502.10297")
