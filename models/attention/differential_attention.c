/* SPDX-License-Identifier: Apache-2.0
 * differential_attention - the difference of two softmax maps on shared values, so that common noise cancels.
 *
 *   q = [q1 | q2], k = [k1 | k2] per head                                        q_i, k_i (B,T,H,K), v (B,T,H,V)
 *   A_i = causal softmax of <q_i, k_i> / sqrt(K)
 *   lambda = exp(<lq1, lk1>) - exp(<lq2, lk2>) + l0,  l0 = 0.8 - 0.6 exp(-0.3 l)  l: index of the layer; lq, lk (K)
 *   u = (A_1 - lambda A_2) v;  o = (1 - l0) rms(u; w)                            w (V) shared by the heads, eps 1e-5
 *   y = o Wo                                                                     Wo (H V,D)
 *
 * heads counts pairs of maps: half the heads of an attention with as many parameters; default V = 2K = d_model/heads.
 * lambda is not clamped: it may leave [0,1]. lq, lk start N(0, 0.1^2) and are not decayed. Positions:
 * common/attend.h, on each map. State: Hk (2K + V) for each position kept. Class: attention.
 * Source: Ye et al. 2024 (arXiv:2410.05258) and their code (interleaved rotations, no biases).
 */
#include "mixer.h"

#include <math.h>

#include "common/attend.h"

enum { VERSION = 1 };

typedef struct {
    Heads head;
    AttendCfg at;
} Cfg;
typedef struct {
    Qkv qkv;
    Attend attend;
    double start; /* l0 */
    Tensor *lq[2], *lk[2], *norm, *wo;
} Self;

static const Option options[] = {
    HEAD_COUNT,
    KV_HEADS,
    HEAD_INT(head_k, "0", 0, 4096, "key width K of each of the two maps of a head; 0: d_model / (2 heads)"),
    HEAD_INT(head_v, "0", 0, 4096, HEAD_V_HELP),
    POS_OPTIONS("rope"),
    ROPE_OPTIONS("interleaved"),
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
    Heads both = c->head;
    both.head_k *= 2;
    TRY(qkv_build(&both, at, p, &s->qkv, err));
    int d = s->qkv.K / 2;
    if (s->qkv.K % 2)
        return err_set(err, EXIT_USAGE, "heads: twice %d does not divide d_model %d, and head_k is 0: set head_k",
                       c->head.heads, at->d_model);
    TRY(attend_build(&c->at, s->qkv.H, d, p, &s->attend, err));
    s->start = 0.8 - 0.6 * exp(-0.3 * at->layer);
    static const char *const name[2][2] = { { "lq1", "lk1" }, { "lq2", "lk2" } };
    for (int i = 0; i < 2; i++) {
        s->lq[i] = param(p, name[i][0], INIT_NORMAL(0.1), d);
        s->lk[i] = param(p, name[i][1], INIT_NORMAL(0.1), d);
    }
    s->norm = param(p, "norm", INIT_CONST(1), s->qkv.V);
    s->wo = param(p, "wo", INIT_OUT, s->qkv.H * s->qkv.V, at->d_model);
    return true;
}

/* exp(<lq, lk>), (1,1) */
static Tensor *exp_dot(Tape *t, Tensor *lq, Tensor *lk)
{
    int d = lq->dim[0];
    return op_exp(t, op_linear(t, op_reshape(t, lq, 1, d), op_reshape(t, lk, d, 1), NULL));
}

/* lambda, n times. */
static Tensor *lambda(const Self *s, Tape *t, int n)
{
    Tensor *ones = tape_const(t, 2, (int[]){ 1, n });
    for (int i = 0; i < n; i++) ones->x[i] = 1;
    Tensor *l = op_affine(t, op_sub(t, exp_dot(t, s->lq[0], s->lk[0]), exp_dot(t, s->lq[1], s->lk[1])), 1, s->start);
    return op_reshape(t, op_linear(t, l, ones, NULL), n);
}

static Tensor *forward(const void *cfg, void *self, Ctx *c, Tensor *x)
{
    (void)cfg;
    Self *s = self;
    Tape *t = c->tape;
    int d = s->qkv.K / 2, V = s->qkv.V;
    Tensor *q, *k, *v, *y[2];
    qkv_run(&s->qkv, c, x, &q, &k, &v);
    v = attend_values(&s->attend, c, v);
    for (int i = 0; i < 2; i++)
        y[i] = attend_run(&s->attend, c, i ? "2" : "1", op_slice(t, q, i * d, d), op_slice(t, k, i * d, d), v, NULL);
    Tensor *u = op_sub(t, y[0], op_mul_last(t, y[1], lambda(s, t, V)));
    Tensor *o = op_affine(t, op_rmsnorm(t, u, s->norm, 1e-5), 1 - s->start, 0);
    return op_linear(t, op_reshape(t, o, x->dim[0], x->dim[1], s->qkv.H * V), s->wo, NULL);
}

static TheoryClass theory_class(const void *cfg)
{
    (void)cfg;
    return (TheoryClass){ CLASS_ATTENTION, 0 };
}

MIXER(differential_attention, "difference of two softmax maps", "arXiv:2410.05258")
