/* SPDX-License-Identifier: Apache-2.0
 * abc - attention with bounded memory: M slots, each an average of all past tokens with softmax weights.
 *
 *   w[t] = exp(s[t]) / sum_{u<=t} exp(s[u])        (B,T,H,M), s = x Ws, Ws (D,H M)
 *   Sk[t] = diag(1 - w) Sk[t-1] + w k'             (M,K) per head, k (B,T,H,K)
 *   Sv[t] = diag(1 - w) Sv[t-1] + w v'             (M,V) per head, v (B,T,H,V)
 *   o[t] = Sv[t]' softmax(Sk[t] q / sqrt(K))       (B,T,H,V)
 *
 * The running sums are kept as logarithms (op_log_past). With `rotary`, q and k are turned by their positions (base
 * 10000, halves). q, k, v, their convolutions and the gated output: common/qkv.h.
 * State: H M (K + V + 1) (+ (W-1) (2 H K + H V)).
 * Class: diagonal, eigenvalues in [0,1], with a softmax in the read-out.
 * Source: Peng et al. 2022 (arXiv:2110.02488), with the layer of flash-linear-attention. Deviations: M = K slots and
 * keys d_model / heads wide by default (there 64 slots, keys half as wide); logits are not clamped.
 */
#include "mixer.h"

#include <math.h>

#include "common/qkv.h"

enum { VERSION = 1 };

typedef struct {
    Heads head;
    int slots;
    bool rotary;
} Cfg;
typedef struct {
    Qkv qkv;
    HeadOut out;
    int M;
    Tensor *ws;
} Self;

static const Option options[] = {
    HEAD_WIDTHS,
    OPT_I(Cfg, slots, "0", 0, 4096, "number of slots M per head; 0: the key width"),
    OPT_B(Cfg, rotary, "true", "rotary positions of q and k"),
    HEAD_CONV("0", "with_conv"),
    HEAD_ENUM(output_gate, "silu", GATE_CHOICES, GATE_HELP),
    OPT_END,
};

static bool build(const void *cfg, const Place *at, Params *p, void *self, Err *err)
{
    const Cfg *c = cfg;
    Self *s = self;
    TRY(qkv_build(&c->head, at, p, &s->qkv, err));
    if (c->rotary && s->qkv.K % 2)
        return err_set(err, EXIT_USAGE, "rotary: needs an even key width, not %d: set head_k, heads or rotary: false",
                       s->qkv.K);
    s->M = c->slots ? c->slots : s->qkv.K;
    s->ws = param(p, "ws", INIT_LINEAR, at->d_model, s->qkv.H * s->M);
    head_out_build(c->head.output_gate, &s->qkv, at, p, &s->out);
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
    if (o->rotary) {
        q = op_rope(t, q, c->pos0, 1e4, false);
        k = op_rope(t, k, c->pos0, 1e4, false);
    }
    Tensor *logit = op_linear(t, x, s->ws, NULL), *z0 = carry_in(c, "z", NULL, B, H * s->M);
    Tensor *w = op_sigmoid(t, op_sub(t, logit, op_log_past(t, logit, NULL, z0, carry_out(c, "z"))));
    SlotsIn in = { .q = q, .kv = op_concat(t, k, v), .scale = 1 / sqrt(s->qkv.K) };
    in.w = op_reshape(t, w, B, T, H, s->M);
    in.a = op_affine(t, in.w, -1, 1);
    in.s0 = carry_in(c, "s", NULL, B, H, s->M, s->qkv.K + s->qkv.V);
    in.last = carry_out(c, "s");
    return head_out_run(&s->out, c, op_scan_slots(t, &in), x);
}

static TheoryClass theory_class(const void *cfg)
{
    (void)cfg;
    return (TheoryClass){ CLASS_DIAG_POS, 0 };
}

MIXER(abc, "attention with bounded memory: slots of softmax averages", "arXiv:2110.02488")
