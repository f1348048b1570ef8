/* SPDX-License-Identifier: Apache-2.0
 * attention - causal softmax attention, whole past or a sliding window.
 *
 *   s[t,j] = <q[t], k[j]> / sqrt(K)    j <= t, and t - j < window if one is set      q (B,T,H,K), k (B,T,Hk,K)
 *   o[t]   = sum_j softmax_j(s[t,.]) v[j]                                            v (B,T,Hk,V), o (B,T,H,V)
 *   y      = o Wo                                                                    Wo (H V,D)
 *
 * Query head h reads key head h / (H / Hk). pos: rope rotates pair i of q and k at position t by t base^(-2i/K), pairs
 * (i, i + K/2) in the half layout, (2i, 2i+1) interleaved; nope leaves order to the causal mask. q, k, v and their
 * convolutions: common/qkv.h. State: keys (rotated) and values, Hk (K + V) for each position kept, at most window.
 * Class: attention: recalls anything it has stored; fixed depth bounds the states it can track (TC0).
 * Source: Vaswani et al. 2017 (arXiv:1706.03762); rotations: Su et al. 2021 (arXiv:2104.09864); grouped keys: Ainslie
 * et al. 2023 (arXiv:2305.13245). `window` counts the current position, as flash-linear-attention does. No biases.
 */
#include "mixer.h"

#include <math.h>

#include "common/qkv.h"

enum { VERSION = 1 };
enum { ROPE, NOPE };
enum { HALF, INTERLEAVED };

typedef struct {
    Heads head;
    int pos, rope_layout, window;
    double rope_base;
} Cfg;
typedef struct {
    Qkv qkv;
    Tensor *wo;
} Self;

static const Option options[] = {
    HEAD_COUNT,
    HEAD_INT(kv_heads, "0", 0, 1024, "number of key and value heads, a divisor of heads; 0: heads"),
    HEAD_SIZES,
    OPT_E(Cfg, pos, "rope", "rope|nope", "positions: rotary, or none"),
    OPT_R(Cfg, rope_base, "10000", 1, 1e9, "base of the rotary angles"),
    OPT_E(Cfg, rope_layout, "half", "half|interleaved", "which channels of a head form a rotary pair"),
    OPT_I(Cfg, window, "0", 0, 1048576, "positions seen, the current one included; 0: all"),
    HEAD_CONV("0", "none"),
    OPT_END,
};

static bool build(const void *cfg, const Place *at, Params *p, void *self, Err *err)
{
    const Cfg *c = cfg;
    Self *s = self;
    if (c->head.kv_heads && c->head.heads % c->head.kv_heads)
        return err_set(err, EXIT_USAGE, "kv_heads: %d does not divide heads %d", c->head.kv_heads, c->head.heads);
    TRY(qkv_build(&c->head, at, p, &s->qkv, err));
    if (c->pos == ROPE && s->qkv.K % 2)
        return err_set(err, EXIT_USAGE, "pos: rope needs an even key width, not %d: set head_k, heads or pos: nope",
                       s->qkv.K);
    s->wo = param(p, "wo", INIT_OUT, s->qkv.H * s->qkv.V, at->d_model);
    return true;
}

static Tensor *forward(const void *cfg, void *self, Ctx *c, Tensor *x)
{
    const Cfg *o = cfg;
    Self *s = self;
    Tape *t = c->tape;
    Tensor *q, *k, *v;
    qkv_run(&s->qkv, c, x, &q, &k, &v);
    if (o->pos == ROPE) {
        q = op_rope(t, q, c->pos0, o->rope_base, o->rope_layout == INTERLEAVED);
        k = op_rope(t, k, c->pos0, o->rope_base, o->rope_layout == INTERLEAVED);
    }
    k = carry_grow(c, "k", k, o->window);
    v = carry_grow(c, "v", v, o->window);
    Tensor *y = op_attention(t, q, k, v, 1 / sqrt(s->qkv.K), o->window);
    return op_linear(t, op_reshape(t, y, x->dim[0], x->dim[1], s->qkv.H * s->qkv.V), s->wo, NULL);
}

static TheoryClass theory_class(const void *cfg)
{
    (void)cfg;
    return (TheoryClass){ CLASS_ATTENTION, 0 };
}

MIXER(attention, "causal softmax attention", "arXiv:1706.03762")
