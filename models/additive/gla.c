/* SPDX-License-Identifier: Apache-2.0
 * gla - gated linear attention: one input-dependent decay per key channel.
 *
 *   S[t] = diag(a[t]) S[t-1] + k v'                S (K,V) per head, a, q, k (B,T,H,K), v (B,T,H,V)
 *   o[t] = S[t]' q / sqrt(K)                       (B,T,H,V)
 *   a    = sigmoid(x W1 W2 + b)^(1/tau)            W1 (D,R), W2 (R,H K), b (H K); as exp(logsigmoid(.) / tau)
 *
 * q, k, v, their convolutions and the gated output: common/qkv.h. State: H K V (+ (W-1) (2 H K + H V)).
 * Class: diagonal, eigenvalues in [0,1]. At tau = 16 memory starts slow (a near 0.96) and cannot be cleared at once.
 * Source: Yang et al. 2023 (arXiv:2312.06635). Deviation: keys are d_model / heads wide by default (there half).
 */
#include "mixer.h"

#include "common/qkv.h"

enum { VERSION = 1 };

typedef struct {
    Heads head;
    int gate_rank;
    double gate_tau;
} Cfg;
typedef struct {
    Qkv qkv;
    HeadOut out;
    Tensor *w1, *w2, *b, *s0;
} Self;

static const Option options[] = {
    HEAD_WIDTHS,
    OPT_I(Cfg, gate_rank, "16", 1, 4096, "rank R of the decay's projection"),
    OPT_R(Cfg, gate_tau, "16", 0.01, 1000, "temperature tau of the decay: a = sigmoid(.)^(1/tau)"),
    HEAD_SHELL("0", "with_conv", "none", "silu"),
    OPT_END,
};

static bool build(const void *cfg, const Place *at, Params *p, void *self, Err *err)
{
    const Cfg *c = cfg;
    Self *s = self;
    TRY(qkv_build(&c->head, at, p, &s->qkv, err));
    int n = s->qkv.H * s->qkv.K;
    s->w1 = param(p, "w1", INIT_LINEAR, at->d_model, c->gate_rank);
    s->w2 = param(p, "w2", INIT_LINEAR, c->gate_rank, n);
    s->b = param(p, "b", INIT_CONST(0), n);
    s->s0 = head_start_build(&c->head, &s->qkv, p);
    head_out_build(c->head.output_gate, &s->qkv, at, p, &s->out);
    return true;
}

static Tensor *decay(const Cfg *o, const Self *s, Tape *t, Tensor *x)
{
    Tensor *g = op_logsigmoid(t, op_linear(t, op_linear(t, x, s->w1, NULL), s->w2, s->b));
    Tensor *a = op_exp(t, op_affine(t, g, 1 / o->gate_tau, 0));
    return op_reshape(t, a, x->dim[0], x->dim[1], s->qkv.H, s->qkv.K);
}

static Tensor *forward(const void *cfg, void *self, Ctx *c, Tensor *x)
{
    Self *s = self;
    const Qkv *d = &s->qkv;
    Tensor *q, *k, *v;
    qkv_run(d, c, x, &q, &k, &v);
    DplrIn in = { .q = q, .w = k, .v = v, .a = decay(cfg, s, c->tape, x) };
    Tensor *y = head_scan(d, c, s->s0, in);
    return head_out_run(&s->out, c, y, x);
}

static TheoryClass theory_class(const void *cfg)
{
    (void)cfg;
    return (TheoryClass){ CLASS_DIAG_POS, 0 };
}

MIXER(gla, "linear attention with a decay per key channel", "arXiv:2312.06635")
