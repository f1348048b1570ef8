/* SPDX-License-Identifier: Apache-2.0
 * kda - Kimi delta attention: the delta rule with a decay for every key channel.
 *
 *   S~   = diag(a[t]) S[t-1]                       S (K,V) per head, a (B,T,H,K): common/step_size.h
 *   S[t] = S~ + beta k (v - S~' k)'                q, k (B,T,H,K), v (B,T,H,V), beta (B,T,H)
 *   o[t] = S[t]' q / sqrt(K)                       (B,T,H,V)
 *   beta = sigmoid(x Wb), or 2 sigmoid(x Wb) for eigenvalues [-1, 1]
 *
 * q, k, v, their convolutions, norms and the output with its low-rank gate sigmoid(x Wg0 Wg + bg): common/qkv.h.
 * State: H K V (+ (W-1) (2 H K + H V)).
 * Class: as the delta rule, with channels that forget at their own rates; at equal rates it is gated_delta_net.
 * Source: Kimi Team 2025 (arXiv:2510.26692) and its layer in flash-linear-attention, whose `lower_bound` is decay_floor
 * (-5 there when used; here as there off by default).
 */
#include "mixer.h"

#include "common/qkv.h"
#include "common/step_size.h"

enum { VERSION = 1 };

typedef struct {
    Heads head;
    int rank;
    double decay_floor;
    Reals eigenvalues;
} Cfg;
typedef struct {
    Qkv qkv;
    HeadOut out;
    ChannelDecay decay;
    Tensor *wb, *s0;
} Self;

static const Option options[] = {
    HEAD_WIDTHS,
    OPT_RS(Cfg, eigenvalues, "[0, 1]", -1, 1, EIGEN_HELP),
    OPT_I(Cfg, rank, "0", 0, 4096, RANK_HELP),
    OPT_R(Cfg, decay_floor, "0", -10, 0, FLOOR_HELP),
    HEAD_SHELL("4", "silu", "l2", "sigmoid"),
    OPT_END,
};

static bool build(const void *cfg, const Place *at, Params *p, void *self, Err *err)
{
    const Cfg *c = cfg;
    Self *s = self;
    TRY(eigen_check(&c->eigenvalues, err));
    TRY(qkv_build(&c->head, at, p, &s->qkv, err));
    const int rank = c->rank ? c->rank : s->qkv.V;
    s->wb = param(p, "wb", INIT_LINEAR, at->d_model, s->qkv.H);
    channel_decay_build(s->qkv.H, s->qkv.K, rank, c->decay_floor, at, p, &s->decay);
    s->s0 = head_start_build(&c->head, &s->qkv, p);
    head_out_low_build(c->head.output_gate, rank, &s->qkv, at, p, &s->out);
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
    Tensor *a = channel_decay_run(&s->decay, c, x);
    Tensor *y = head_scan(d, c, s->s0, (DplrIn){ .q = q, .w = op_mul_rows(c->tape, k, beta), .v = v, .r = k, .a = a });
    return head_out_run(&s->out, c, y, x);
}

static TheoryClass theory_class(const void *cfg)
{
    const Cfg *c = cfg;
    return (TheoryClass){ eigen_negative(&c->eigenvalues) ? CLASS_DPLR1_NEG : CLASS_DPLR1, 1 };
}

MIXER(kda, "delta rule with a decay per key channel (Kimi delta attention)", "arXiv:2510.26692")
