/* SPDX-License-Identifier: Apache-2.0
 * log_linear_delta - the gated delta rule with the past in about log2 T levels, each with its own read weight.
 *
 *   S_l[t] = (I - beta k k') a[t] S_l[t-1]         S_l (K,V) per head and level l < L, a (B,T,H): common/step_size.h
 *   S_0[t] = beta k v'                             q, k (B,T,H,K), v (B,T,H,V), beta (B,T,H)
 *   o[t]   = sum_l lam[t,l] S_l[t]' q / sqrt(K)    lam (B,T,H,L): common/levels.h; o (B,T,H,V)
 *   beta   = sigmoid(x Wb), or 2 sigmoid(x Wb) for eigenvalues [-1, 1]
 *
 * What was written at s is read at t from level 0 if s = t, else from level floor(log2(s xor t)) + 1, at most L - 1.
 * Every token erases in every level what stands under its key. At lam = 1 or one level it is the gated delta rule.
 *
 * q, k, v, their convolutions, norms and the gated output: common/qkv.h. State: (L-1) H K V (+ (W-1) (2 H K + H V)),
 * levels that are empty at the moment included; level 0 is empty between two tokens.
 * Class: as the delta rule, which every level runs.
 * Source: Guo et al. 2025 (arXiv:2506.04761). Its layer on the gated delta rule is not in flash-linear-attention; that
 * lam is the softplus of the Mamba-2 layer there is UNVERIFIED. Deviation: values are as wide as keys by default.
 */
#include "mixer.h"

#include <math.h>

#include "common/levels.h"
#include "common/qkv.h"
#include "common/step_size.h"

enum { VERSION = 2 };

typedef struct {
    Heads head;
    int levels;
    Reals eigenvalues;
} Cfg;
typedef struct {
    Qkv qkv;
    HeadOut out;
    HeadDecay decay;
    Levels levels;
    Tensor *wb;
} Self;

static const Option options[] = {
    HEAD_WIDTHS,
    OPT_I(Cfg, levels, "0", 0, LEVELS_MAX, LEVELS_HELP),
    OPT_RS(Cfg, eigenvalues, "[0, 1]", -1, 1, EIGEN_HELP),
    HEAD_CONV("4", "silu"),
    HEAD_ENUM(qk_norm, "l2", NORM_CHOICES, NORM_HELP),
    HEAD_ENUM(output_gate, "silu", GATE_CHOICES, GATE_HELP),
    OPT_END,
};

static bool build(const void *cfg, const Place *at, Params *p, void *self, Err *err)
{
    const Cfg *c = cfg;
    Self *s = self;
    TRY(eigen_check(&c->eigenvalues, err));
    TRY(qkv_build(&c->head, at, p, &s->qkv, err));
    s->wb = param(p, "wb", INIT_LINEAR, at->d_model, s->qkv.H);
    head_decay_build(s->qkv.H, at, p, &s->decay);
    levels_build(c->levels, s->qkv.H, at, p, &s->levels);
    head_out_build(c->head.output_gate, &s->qkv, at, p, &s->out);
    return true;
}

static Tensor *forward(const void *cfg, void *self, Ctx *c, Tensor *x)
{
    const Cfg *o = cfg;
    Self *s = self;
    Tensor *q, *k, *v;
    qkv_run(&s->qkv, c, x, &q, &k, &v);
    Tensor *beta = beta_run(c, &s->qkv, x, s->wb, eigen_negative(&o->eigenvalues));
    DplrIn in = { .q = q, .w = op_mul_rows(c->tape, k, beta), .v = v, .r = k, .a = head_decay_run(&s->decay, c, x) };
    in.scale = 1 / sqrt(s->qkv.K);
    return head_out_run(&s->out, c, levels_scan(&s->levels, c, x, in), x);
}

static TheoryClass theory_class(const void *cfg)
{
    const Cfg *c = cfg;
    return (TheoryClass){ eigen_negative(&c->eigenvalues) ? CLASS_DPLR1_NEG : CLASS_DPLR1, 1 };
}

MIXER(log_linear_delta, "gated delta rule with the past in levels", "arXiv:2506.04761")
