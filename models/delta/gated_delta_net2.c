/* SPDX-License-Identifier: Apache-2.0
 * gated_delta_net2 - the delta rule with a decay, an erase gate and a write gate for every channel.
 *
 *   S~   = diag(a[t]) S[t-1]                       S (K,V) per head, a (B,T,H,K): common/step_size.h
 *   S[t] = S~ + k (w * v - S~' (b * k))'           q, k, b (B,T,H,K), v, w (B,T,H,V)
 *   o[t] = S[t]' q / sqrt(K)                       (B,T,H,V)
 *   b    = sigmoid(x Wb), or 2 sigmoid(x Wb) for eigenvalues [-1, 1]     w = sigmoid(x Ww)     Wb (D,H K), Ww (D,H V)
 *
 * q, k, v, their convolutions, norms and the output with its low-rank gate sigmoid(x Wg0 Wg + bg): common/qkv.h.
 * State: H K V (+ (W-1) (2 H K + H V)).
 * Class: as the delta rule; the eigenvalue off 1 is 1 - k' (b * k). At b = w = beta it is kda.
 * Source: arXiv:2605.22791 and its layer in flash-linear-attention.
 */
#include "mixer.h"

#include "common/qkv.h"
#include "common/step_size.h"

enum { VERSION = 1 };

typedef struct {
    Heads head;
    int rank;
    Reals eigenvalues;
} Cfg;
typedef struct {
    Qkv qkv;
    HeadOut out;
    ChannelDecay decay;
    Tensor *wb, *ww, *s0;
} Self;

static const Option options[] = {
    HEAD_WIDTHS,
    OPT_RS(Cfg, eigenvalues, "[0, 1]", -1, 1, EIGEN_HELP),
    OPT_I(Cfg, rank, "0", 0, 4096, RANK_HELP),
    HEAD_SHELL("4", "silu", "l2", "sigmoid"),
    OPT_END,
};

static bool build(const void *cfg, const Place *at, Params *p, void *self, Err *err)
{
    const Cfg *c = cfg;
    Self *s = self;
    TRY(eigen_check(&c->eigenvalues, err));
    TRY(qkv_build(&c->head, at, p, &s->qkv, err));
    const Qkv *d = &s->qkv;
    const int rank = c->rank ? c->rank : d->V;
    s->wb = param(p, "wb", INIT_LINEAR, at->d_model, d->H * d->K);
    s->ww = param(p, "ww", INIT_LINEAR, at->d_model, d->H * d->V);
    channel_decay_build(d->H, d->K, rank, 0, at, p, &s->decay);
    s->s0 = head_start_build(&c->head, d, p);
    head_out_low_build(c->head.output_gate, rank, d, at, p, &s->out);
    return true;
}

/* sigmoid(x w) times y, which is split into heads. */
static Tensor *gate(Tape *t, Tensor *x, Tensor *w, bool doubled, Tensor *y)
{
    Tensor *g = op_sigmoid(t, op_linear(t, x, w, NULL));
    if (doubled) g = op_affine(t, g, 2, 0);
    return op_mul(t, op_reshape(t, g, y->dim[0], y->dim[1], y->dim[2], y->dim[3]), y);
}

static Tensor *forward(const void *cfg, void *self, Ctx *c, Tensor *x)
{
    const Cfg *o = cfg;
    Self *s = self;
    Tape *t = c->tape;
    DplrIn in = { .a = channel_decay_run(&s->decay, c, x) };
    qkv_run(&s->qkv, c, x, &in.q, &in.w, &in.v);
    in.r = gate(t, x, s->wb, eigen_negative(&o->eigenvalues), in.w);
    in.v = gate(t, x, s->ww, false, in.v);
    return head_out_run(&s->out, c, head_scan(&s->qkv, c, s->s0, in), x);
}

static TheoryClass theory_class(const void *cfg)
{
    const Cfg *c = cfg;
    return (TheoryClass){ eigen_negative(&c->eigenvalues) ? CLASS_DPLR1_NEG : CLASS_DPLR1, 1 };
}

MIXER(gated_delta_net2, "delta rule with decay, erase and write gates per channel", "arXiv:2605.22791")
