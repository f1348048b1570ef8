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

#include "common/qkv.h"

enum { VERSION = 1 };

typedef struct {
    Heads head;
    Reals eigenvalues;
} Cfg;
typedef struct {
    Qkv qkv;
    HeadOut out;
    Tensor *wb, *s0;
} Self;

static const Option options[] = {
    HEAD_WIDTHS,
    OPT_RS(Cfg, eigenvalues, "[0, 1]", -1, 1, EIGEN_HELP),
    HEAD_SHELL("4", "silu", "l2", "none"),
    OPT_END,
};

static bool build(const void *cfg, const Place *at, Params *p, void *self, Err *err)
{
    const Cfg *c = cfg;
    Self *s = self;
    TRY(eigen_check(&c->eigenvalues, err));
    TRY(qkv_build(&c->head, at, p, &s->qkv, err));
    s->wb = param(p, "wb", INIT_LINEAR, at->d_model, c->head.heads);
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
    DplrIn in = { .q = q, .w = op_mul_rows(c->tape, k, beta), .v = v, .r = k };
    Tensor *y = head_scan(d, c, s->s0, in);
    return head_out_run(&s->out, c, y, x);
}

static TheoryClass theory_class(const void *cfg)
{
    const Cfg *c = cfg;
    return (TheoryClass){ eigen_negative(&c->eigenvalues) ? CLASS_DPLR1_NEG : CLASS_DPLR1, 1 };
}

MIXER(delta_net, "delta rule: erase what the key reads, then write", "arXiv:2406.06484")
