/* SPDX-License-Identifier: Apache-2.0
 * gsa - gated slot attention: M slots with a key and a value each, one decay per slot.
 *
 *   a    = sigmoid(x Wf)^(1/tau)                   (B,T,H,M), Wf (D,H M)
 *   Sk[t] = diag(a) Sk[t-1] + (1 - a) k'           (M,K) per head, k (B,T,H,K)
 *   Sv[t] = diag(a) Sv[t-1] + (1 - a) v'           (M,V) per head, v (B,T,H,V)
 *   o[t] = Sv[t]' softmax(Sk[t] q)                 (B,T,H,V), no scale
 *   y    = norm(silu(o); w) Wo                     RMSNorm over the whole width, w (H V), eps 1e-5
 *
 * q, k, v, each through silu, and their convolutions: common/qkv.h. State: H M (K + V) (+ (W-1) (2 H K + H V)).
 * Class: diagonal, eigenvalues in [0,1], with a softmax in the read-out.
 * Source: Zhang et al. 2024 (arXiv:2409.07146). Deviations: M = K slots by default (there 64 of them, four heads).
 */
#include "mixer.h"

#include "common/qkv.h"

enum { VERSION = 1 };

typedef struct {
    Heads head;
    int slots;
    double gate_tau;
} Cfg;
typedef struct {
    Qkv qkv, whole; /* whole: the output as one head */
    HeadOut out;
    int M;
    Tensor *wf, *s0;
} Self;

static const Option options[] = {
    HEAD_WIDTHS,
    OPT_I(Cfg, slots, "0", 0, 4096, "number of slots M per head; 0: the key width"),
    OPT_R(Cfg, gate_tau, "8", 0.01, 1000, "temperature tau of the decay: a = sigmoid(.)^(1/tau)"),
    HEAD_SHELL("0", "silu", "none", "none"),
    OPT_END,
};

static bool build(const void *cfg, const Place *at, Params *p, void *self, Err *err)
{
    const Cfg *c = cfg;
    Self *s = self;
    TRY(qkv_build(&c->head, at, p, &s->qkv, err));
    s->M = c->slots ? c->slots : s->qkv.K;
    s->whole = (Qkv){ .H = 1, .V = s->qkv.H * s->qkv.V };
    s->wf = param(p, "wf", INIT_LINEAR, at->d_model, s->qkv.H * s->M);
    s->s0 = start_build(p, "s0", c->head.initial_state, s->qkv.H, s->M, s->qkv.K + s->qkv.V);
    head_out_build(c->head.output_gate, &s->whole, at, p, &s->out);
    return true;
}

static Tensor *forward(const void *cfg, void *self, Ctx *c, Tensor *x)
{
    const Cfg *o = cfg;
    Self *s = self;
    Tape *t = c->tape;
    int B = x->dim[0], T = x->dim[1], H = s->qkv.H;
    Tensor *q, *k, *v;
    qkv_run(&s->qkv, c, x, &q, &k, &v);
    Tensor *g = op_affine(t, op_logsigmoid(t, op_linear(t, x, s->wf, NULL)), 1 / o->gate_tau, 0);
    SlotsIn in = { .q = q, .kv = op_concat(t, k, v), .scale = 1 };
    in.a = op_reshape(t, op_exp(t, g), B, T, H, s->M);
    in.w = op_affine(t, in.a, -1, 1);
    in.s0 = carry_in(c, "s", s->s0, B, H, s->M, s->qkv.K + s->qkv.V);
    in.last = carry_out(c, "s");
    Tensor *y = op_silu(t, op_scan_slots(t, &in));
    return head_out_run(&s->out, c, op_reshape(t, y, B, T, 1, s->whole.V), x);
}

static TheoryClass theory_class(const void *cfg)
{
    (void)cfg;
    return (TheoryClass){ CLASS_DIAG_POS, 0 };
}

MIXER(gsa, "gated slot attention: softmax over decaying slots", "arXiv:2409.07146")
