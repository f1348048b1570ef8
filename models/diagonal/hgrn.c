/* SPDX-License-Identifier: Apache-2.0
 * hgrn - gated linear recurrence whose forget gate has a lower bound.
 *
 *   f    = lb + (1 - lb) sigmoid(x Wf)             (B,T,N), bound lb (N): common/forget.h
 *   h[t] = f h[t-1] + (1 - f) silu(x Wi)           elementwise; Wf, Wi (D,N)
 *   y    = (norm(h; w) * silu(x Wg)) Wo            RMSNorm over N, w (N), eps 1e-5; Wg (D,N), Wo (N,D)
 *   eigenvalues [-1, 1]: (2 f - 1) h[t-1] instead
 *
 * With short_conv W > 0, the projections of gate and input each have one. State: N (+ 2 (W-1) N).
 * Class: diagonal, eigenvalues in [0,1]; real diagonal with [-1, 1], where a layer can count parity.
 * Source: Qin et al. 2023 (arXiv:2311.04823). Deviations: real states (the paper's are complex, with a rotation that
 * does not depend on the data), as its later implementations have them; each layer's bound is free (there their order
 * over the layers is enforced). [-1, 1] is ours, after Grazzi et al. 2024.
 */
#include "mixer.h"

#include "common/forget.h"
#include "common/qkv.h"

enum { VERSION = 1 };

typedef struct {
    int width, short_conv, output_gate, initial_state;
    double lower_bound;
    Reals eigenvalues;
} Cfg;
typedef struct {
    Qkv whole; /* the state as one head */
    HeadOut out;
    ShortConv cf, ci;
    Tensor *wf, *wi, *bound, *h0;
} Self;

static const Option options[] = {
    OPT_I(Cfg, width, "0", 0, 65536, "state width N; 0: d_model"),
    OPT_R(Cfg, lower_bound, "0", 0, 0.999, FORGET_HELP),
    OPT_RS(Cfg, eigenvalues, "[0, 1]", -1, 1, EIGEN_HELP),
    OPT_I(Cfg, short_conv, "0", 0, SHORT_CONV_MAX, SHORT_CONV_HELP),
    OPT_E(Cfg, output_gate, "silu", GATE_CHOICES, GATE_HELP),
    OPT_E(Cfg, initial_state, "zero", START_CHOICES, START_HELP),
    OPT_END,
};

static bool build(const void *cfg, const Place *at, Params *p, void *self, Err *err)
{
    const Cfg *c = cfg;
    Self *s = self;
    int D = at->d_model, N = c->width ? c->width : D;
    TRY(eigen_check(&c->eigenvalues, err));
    s->whole = (Qkv){ .H = 1, .V = N };
    s->wf = param(p, "wf", INIT_LINEAR, D, N);
    s->wi = param(p, "wi", INIT_LINEAR, D, N);
    s->cf = short_conv_build(p, "conv_f", c->short_conv, N, false);
    s->ci = short_conv_build(p, "conv_i", c->short_conv, N, false);
    s->bound = forget_bound(c->lower_bound, N, at, p);
    s->h0 = start_build(p, "h0", c->initial_state, N);
    head_out_build(c->output_gate, &s->whole, at, p, &s->out);
    return true;
}

static Tensor *forward(const void *cfg, void *self, Ctx *c, Tensor *x)
{
    const Cfg *o = cfg;
    Self *s = self;
    Tape *t = c->tape;
    int B = x->dim[0], N = s->whole.V;
    Tensor *write = forget_write(t, short_conv_run(&s->cf, c, op_linear(t, x, s->wf, NULL)), s->bound);
    Tensor *i = op_silu(t, short_conv_run(&s->ci, c, op_linear(t, x, s->wi, NULL)));
    Tensor *a = op_affine(t, write, eigen_negative(&o->eigenvalues) ? -2 : -1, 1);
    Tensor *h0 = carry_in(c, "h", s->h0, B, N);
    Tensor *h = op_scan_diag(t, a, op_mul(t, write, i), h0, carry_out(c, "h"));
    return head_out_run(&s->out, c, op_reshape(t, h, B, x->dim[1], 1, N), x);
}

static TheoryClass theory_class(const void *cfg)
{
    const Cfg *c = cfg;
    return (TheoryClass){ eigen_negative(&c->eigenvalues) ? CLASS_DIAG_REAL : CLASS_DIAG_POS, 0 };
}

MIXER(hgrn, "gated linear recurrence with bounded forgetting", "arXiv:2311.04823")
