/* SPDX-License-Identifier: Apache-2.0
 * lstm - long short-term memory, gates fed by the previous hidden state.
 *
 *   i, f, g, o = x W + h[t-1] U + b         x (B,T,D), W (D,4N), U (N,4N), b (4N): four blocks of width N
 *   c[t] = sigmoid(f) * c[t-1] + sigmoid(i) * tanh(g)                               (B,T,N)
 *   h[t] = sigmoid(o) * tanh(c[t])                                                  (B,T,N)
 *   y    = h Wo                                                                     Wo (N,D)
 *
 * With short_conv W > 0, x is silu(conv(x)) first.
 * Start: W, U, b ~ U(+-1/sqrt(N)), then the forget block of b = forget_bias. State: 2 N (+ (W-1) D).
 * Class: nonlinear recurrence; recognises every regular language, and c can count.
 * Source: Hochreiter & Schmidhuber 1997 with forget gates (Gers et al. 2000); gate order, one-bias form and start as in
 * PyTorch's LSTM. Deviation: the output projection Wo, which lets N differ from D and scales the residual branch.
 */
#include "mixer.h"

#include <math.h>

#include "common/short_conv.h"
#include "common/start.h"

enum { VERSION = 1 };

typedef struct {
    int width, short_conv, initial_state;
    double forget_bias;
} Cfg;
typedef struct {
    Tensor *w, *u, *b, *wo, *h0, *c0;
    ShortConv conv;
    int n;
} Self;

static const Option options[] = {
    OPT_I(Cfg, width, "0", 0, 65536, "hidden width N; 0: d_model"),
    OPT_R(Cfg, forget_bias, "1", -20, 20, "start of the forget gate's bias"),
    OPT_I(Cfg, short_conv, "0", 0, SHORT_CONV_MAX, SHORT_CONV_HELP),
    OPT_E(Cfg, initial_state, "zero", START_CHOICES, START_HELP),
    OPT_END,
};

/* U(-bound, bound) for the biases of i, g, o; `forget` for those of f. */
static void init_bias(real *x, const int *dim, int rank, double bound, double forget, Rng *rng)
{
    (void)rank;
    int N = dim[0] / 4;
    for (int i = 0; i < 4 * N; i++) x[i] = (real)(i / N == 1 ? forget : bound * (2 * rng_uniform(rng) - 1));
}

static bool build(const void *cfg, const Place *at, Params *p, void *self, Err *err)
{
    (void)err;
    const Cfg *c = cfg;
    Self *s = self;
    int D = at->d_model, N = c->width ? c->width : D;
    double bound = 1 / sqrt((double)N);
    s->n = N;
    s->conv = short_conv_build(p, "conv", c->short_conv, D, false);
    s->w = param(p, "w", INIT_UNIFORM(-bound, bound), D, 4 * N);
    s->u = param(p, "u", INIT_UNIFORM(-bound, bound), N, 4 * N);
    s->b = param(p, "b", INIT_FN(init_bias, bound, c->forget_bias), 4 * N);
    s->h0 = start_build(p, "h0", c->initial_state, N);
    s->c0 = start_build(p, "c0", c->initial_state, N);
    s->wo = param(p, "wo", INIT_OUT, N, D);
    return true;
}

static Tensor *forward(const void *cfg, void *self, Ctx *c, Tensor *x)
{
    const Cfg *o = cfg;
    Self *s = self;
    Tape *t = c->tape;
    int B = x->dim[0];
    if (o->short_conv) x = op_silu(t, short_conv_run(&s->conv, c, x));
    Tensor *h0 = carry_in(c, "h", s->h0, B, s->n), *c0 = carry_in(c, "c", s->c0, B, s->n);
    Tensor *xw = op_linear(t, x, s->w, s->b);
    Tensor *h = op_cell_lstm(t, xw, s->u, h0, c0, carry_out(c, "h"), carry_out(c, "c"));
    return op_linear(t, h, s->wo, NULL);
}

static TheoryClass theory_class(const void *cfg)
{
    (void)cfg;
    return (TheoryClass){ CLASS_RNN, 0 };
}

MIXER(lstm, "long short-term memory", "Hochreiter & Schmidhuber 1997")
