/* SPDX-License-Identifier: Apache-2.0
 * mingru - gated linear recurrence whose gates see only the input.
 *
 *   z = sigmoid(x Wz + bz)    v = g(x Wv + bv)         x (B,T,D), Wz, Wv (D,N), biases only with `bias: true`
 *   h[t] = (1 - z[t]) * h[t-1] + z[t] * v[t]           elementwise, (B,T,N)
 *   y = h Wo                                           Wo (N,D)
 *   candidate: positive  g(a) = a + 1/2 for a >= 0, else sigmoid(a);   linear  g(a) = a
 *
 * With short_conv W > 0, x is silu(conv(x)) first. State: N (+ (W-1) D).
 * Class: diagonal, eigenvalues in [0,1]: flip-flops and star-free languages with depth; not parity.
 * Source: Feng et al. 2024 (arXiv:2410.01201), minGRU; `positive` is their Appendix B form, `linear` the plain one.
 * Deviations: a plain linear-space scan (equal to their log-space scan), and the output projection Wo at any width.
 */
#include "mixer.h"

#include "common/short_conv.h"
#include "common/start.h"

enum { VERSION = 1 };
enum { POSITIVE, LINEAR };

typedef struct {
    int width, candidate, short_conv, initial_state;
    bool bias;
} Cfg;
typedef struct {
    Tensor *wz, *bz, *wv, *bv, *wo, *h0;
    ShortConv conv;
    int n;
} Self;

static const Option options[] = {
    OPT_I(Cfg, width, "0", 0, 65536, "state width N; 0: d_model"),
    OPT_E(Cfg, candidate, "positive", "positive|linear", "g of the candidate: positive (log-space form) or linear"),
    OPT_B(Cfg, bias, "false", "biases on the two input projections"),
    OPT_I(Cfg, short_conv, "0", 0, SHORT_CONV_MAX, SHORT_CONV_HELP),
    OPT_E(Cfg, initial_state, "zero", START_CHOICES, START_HELP),
    OPT_END,
};

static bool build(const void *cfg, const Place *at, Params *p, void *self, Err *err)
{
    (void)err;
    const Cfg *c = cfg;
    Self *s = self;
    int D = at->d_model, N = c->width ? c->width : D;
    s->n = N;
    s->conv = short_conv_build(p, "conv", c->short_conv, D, false);
    s->wz = param(p, "wz", INIT_LINEAR, D, N);
    s->wv = param(p, "wv", INIT_LINEAR, D, N);
    s->bz = c->bias ? param(p, "bz", INIT_CONST(0), N) : NULL;
    s->bv = c->bias ? param(p, "bv", INIT_CONST(0), N) : NULL;
    s->h0 = start_build(p, "h0", c->initial_state, N);
    s->wo = param(p, "wo", INIT_OUT, N, D);
    return true;
}

static Tensor *forward(const void *cfg, void *self, Ctx *c, Tensor *x)
{
    const Cfg *o = cfg;
    Self *s = self;
    Tape *t = c->tape;
    if (o->short_conv) x = op_silu(t, short_conv_run(&s->conv, c, x));
    Tensor *z = op_sigmoid(t, op_linear(t, x, s->wz, s->bz));
    Tensor *v = op_linear(t, x, s->wv, s->bv);
    if (o->candidate == POSITIVE) v = op_mingru_g(t, v);
    Tensor *h0 = carry_in(c, "h", s->h0, x->dim[0], s->n);
    Tensor *h = op_scan_diag(t, op_affine(t, z, -1, 1), op_mul(t, z, v), h0, carry_out(c, "h"));
    return op_linear(t, h, s->wo, NULL);
}

static TheoryClass theory_class(const void *cfg)
{
    (void)cfg;
    return (TheoryClass){ CLASS_DIAG_POS, 0 };
}

MIXER(mingru, "gated linear recurrence, input-only gates", "arXiv:2410.01201")
