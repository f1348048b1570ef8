/* SPDX-License-Identifier: Apache-2.0
 * attention - causal softmax attention, whole past or a sliding window.
 *
 *   s[t,j] = <q[t], k[j]> / sqrt(K) + b[t,j]    j <= t, and t - j < window if set    q (B,T,H,K), k (B,T,Hk,K)
 *   o[t]   = sum_j softmax_j(s[t,.]) v[j]                                            v (B,T,Hk,V), o (B,T,H,V)
 *   y      = o Wo                                                                    Wo (H V,D)
 *
 * Query head h reads key head h / (H / Hk). Positions (rope, biases b of t5, alibi and cope, nope) and their options:
 * common/attend.h; learned and sinusoidal positions belong to the embedding, model.pos. q, k, v and their convolutions:
 * common/qkv.h. State: keys (rotated) and values, Hk (K + V) for each position kept, at most window.
 * Class: attention: recalls anything it has stored; fixed depth bounds the states it can track (TC0).
 * Source: Vaswani et al. 2017 (arXiv:1706.03762); grouped keys: Ainslie et al. 2023 (arXiv:2305.13245). `window` counts
 * the current position, as flash-linear-attention does. No biases in the projections.
 */
#include "mixer.h"

#include "common/attend.h"

enum { VERSION = 1 };

typedef struct {
    Heads head;
    AttendCfg at;
} Cfg;
typedef struct {
    Qkv qkv;
    Attend attend;
    Tensor *wo;
} Self;

static const Option options[] = {
    HEAD_COUNT,
    KV_HEADS,
    HEAD_SIZES,
    POS_OPTIONS("rope"),
    ROPE_OPTIONS("half"),
    WINDOW_OPTION,
    QK_NORM_OPTION("none"),
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
    s->wo = param(p, "wo", INIT_OUT, s->qkv.H * s->qkv.V, at->d_model);
    return true;
}

static Tensor *forward(const void *cfg, void *self, Ctx *c, Tensor *x)
{
    (void)cfg;
    Self *s = self;
    Tensor *q, *k, *v;
    qkv_run(&s->qkv, c, x, &q, &k, &v);
    Tensor *y = attend_run(&s->attend, c, "", q, k, attend_values(&s->attend, c, v), NULL);
    y = op_reshape(c->tape, y, x->dim[0], x->dim[1], s->qkv.H * s->qkv.V);
    return op_linear(c->tape, y, s->wo, NULL);
}

static TheoryClass theory_class(const void *cfg)
{
    (void)cfg;
    return (TheoryClass){ CLASS_ATTENTION, 0 };
}

MIXER(attention, "causal softmax attention", "arXiv:1706.03762")
