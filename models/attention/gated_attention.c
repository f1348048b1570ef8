/* SPDX-License-Identifier: Apache-2.0
 * gated_attention - softmax attention whose heads are gated by the layer's input before they are mixed.
 *
 *   o[t] = softmax attention of q, k, v                             common/attend.h; q, k with RMS norms, rotary
 *   elementwise:  o'[t,h] = o[t,h] * sigmoid(x[t] Wg)_h             o (B,T,H,V), Wg (D,H V)
 *   headwise:     o'[t,h] = o[t,h] * sigmoid(x[t] wg_h)             wg (D,H), one factor per head
 *   y = o' Wo                                                       Wo (H V,D)
 *
 * The gates see the same x as q; they start near 1/2. State: as attention, Hk (K + V) for each position kept.
 * Class: attention. Source: Qiu et al. 2025 (arXiv:2505.06708), their layer after Qwen3; there the rows of Wg are part
 * of the query projection, which changes no number. Deviation: the linear start of the backbone, not N(0, 0.02).
 * UNVERIFIED: the epsilon 1e-6 of the norms of q and k.
 */
#include "mixer.h"

#include "common/attend.h"

enum { VERSION = 1 };
enum { ELEMENTWISE, HEADWISE };

typedef struct {
    Heads head;
    AttendCfg at;
    int gate;
} Cfg;
typedef struct {
    Qkv qkv;
    Attend attend;
    Tensor *wg, *wo;
} Self;

static const Option options[] = {
    HEAD_COUNT,
    KV_HEADS,
    HEAD_SIZES,
    OPT_E(Cfg, gate, "elementwise", "elementwise|headwise", "a gate per channel, or one per head"),
    POS_OPTIONS("rope"),
    ROPE_OPTIONS("half"),
    WINDOW_OPTION,
    QK_NORM_OPTION("rms"),
    HEAD_CONV("0", "none"),
    OPT_END,
};

static bool build(const void *cfg, const Place *at, Params *p, void *self, Err *err)
{
    const Cfg *c = cfg;
    Self *s = self;
    TRY(kv_heads_check(&c->head, err));
    TRY(qkv_build(&c->head, at, p, &s->qkv, err));
    TRY(attend_build(&c->at, s->qkv.H, s->qkv.K, p, &s->attend, err));
    s->wg = param(p, "wg", INIT_LINEAR, at->d_model, s->qkv.H * (c->gate == HEADWISE ? 1 : s->qkv.V));
    s->wo = param(p, "wo", INIT_OUT, s->qkv.H * s->qkv.V, at->d_model);
    return true;
}

static Tensor *forward(const void *cfg, void *self, Ctx *c, Tensor *x)
{
    const Cfg *o = cfg;
    Self *s = self;
    Tape *t = c->tape;
    Tensor *q, *k, *v, *gate = op_sigmoid(t, op_linear(t, x, s->wg, NULL));
    qkv_run(&s->qkv, c, x, &q, &k, &v);
    Tensor *y = attend_run(&s->attend, c, "", q, k, attend_values(&s->attend, c, v), NULL);
    if (o->gate == HEADWISE) y = op_mul_rows(t, y, gate);
    y = op_reshape(t, y, x->dim[0], x->dim[1], s->qkv.H * s->qkv.V);
    if (o->gate == ELEMENTWISE) y = op_mul(t, y, gate);
    return op_linear(t, y, s->wo, NULL);
}

static TheoryClass theory_class(const void *cfg)
{
    (void)cfg;
    return (TheoryClass){ CLASS_ATTENTION, 0 };
}

MIXER(gated_attention, "softmax attention with gated heads", "arXiv:2505.06708")
