/* SPDX-License-Identifier: Apache-2.0
 * hgrn2 - linear attention whose key is what the decay forgets.
 *
 *   f    = lb + (1 - lb) sigmoid(x Wk)             forget gate (B,T,H,K), bound lb (H K): common/forget.h
 *   S[t] = diag(f) S[t-1] + (1 - f) i'             S (K,V) per head, i = x Wv (B,T,H,V)
 *   o[t] = S[t]' q                                 q = silu(x Wq) (B,T,H,K)
 *   y    = norm(o; w) Wo                           RMSNorm over the whole width, w (H V), eps 1e-5
 *   eigenvalues [-1, 1]: diag(2 f - 1) S[t-1] instead
 *
 * Short convolutions (of q, the gate's logits, i): common/qkv.h. State: H K V (+ (W-1) (2 H K + H V)).
 * Class: diagonal, eigenvalues in [0,1]; real diagonal with [-1, 1], where a layer can count parity.
 * Source: Qin et al. 2024 (arXiv:2404.07904). Deviations: two heads instead of heads of width 128, and each layer's
 * bound is free (there their order over the layers is enforced). [-1, 1] is ours, after Grazzi et al. 2024.
 */
#include "mixer.h"

#include "common/forget.h"
#include "common/qkv.h"

enum { VERSION = 1 };

typedef struct {
    Heads head;
    double lower_bound;
    Reals eigenvalues;
} Cfg;
typedef struct {
    Qkv qkv, whole; /* whole: the output as one head */
    HeadOut out;
    Tensor *bound, *s0;
} Self;

static const Option options[] = {
    HEAD_WIDTHS,
    OPT_R(Cfg, lower_bound, "0", 0, 0.999, FORGET_HELP),
    OPT_RS(Cfg, eigenvalues, "[0, 1]", -1, 1, EIGEN_HELP),
    HEAD_INT(short_conv, "0", 0, SHORT_CONV_MAX, SHORT_CONV_HELP),
    HEAD_END("none"),
    OPT_END,
};

static bool build(const void *cfg, const Place *at, Params *p, void *self, Err *err)
{
    const Cfg *c = cfg;
    Self *s = self;
    TRY(eigen_check(&c->eigenvalues, err));
    TRY(qkv_build(&c->head, at, p, &s->qkv, err));
    s->qkv.silu = false; /* of q alone */
    s->whole = (Qkv){ .H = 1, .V = s->qkv.H * s->qkv.V };
    s->bound = forget_bound(c->lower_bound, s->qkv.H * s->qkv.K, at, p);
    s->s0 = head_start_build(&c->head, &s->qkv, p);
    head_out_build(c->head.output_gate, &s->whole, at, p, &s->out);
    return true;
}

static Tensor *forward(const void *cfg, void *self, Ctx *c, Tensor *x)
{
    const Cfg *o = cfg;
    Self *s = self;
    Tape *t = c->tape;
    int B = x->dim[0], T = x->dim[1], H = s->qkv.H, K = s->qkv.K;
    Tensor *q, *z, *v;
    qkv_run(&s->qkv, c, x, &q, &z, &v);
    Tensor *k = op_reshape(t, forget_write(t, op_reshape(t, z, B, T, H * K), s->bound), B, T, H, K);
    Tensor *a = op_affine(t, k, eigen_negative(&o->eigenvalues) ? -2 : -1, 1);
    Tensor *y = head_scan(&s->qkv, c, s->s0, (DplrIn){ .q = op_silu(t, q), .w = k, .v = v, .a = a, .scale = 1 });
    return head_out_run(&s->out, c, op_reshape(t, y, B, T, 1, s->whole.V), x);
}

static TheoryClass theory_class(const void *cfg)
{
    const Cfg *c = cfg;
    return (TheoryClass){ eigen_negative(&c->eigenvalues) ? CLASS_DIAG_REAL : CLASS_DIAG_POS, 0 };
}

MIXER(hgrn2, "linear attention, keys tied to the forget gate", "arXiv:2404.07904")
