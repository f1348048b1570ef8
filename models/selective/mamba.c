/* SPDX-License-Identifier: Apache-2.0
 * mamba - selective state space (S6): every channel filters its input with decays the input chooses.
 *
 *   u = silu(conv(x Wu))    z = x Wz                          x (B,T,D), Wu, Wz (D,E), E = expand D
 *   [r, b, c] = u Wx        dt = softplus(r Wdt + dt_bias)    Wx (E,R+2N), Wdt (R,E); b, c (B,T,N), dt (B,T,E)
 *   h[t,e,n] = a h[t-1,e,n] + dt[t,e] u[t,e] b[t,n]           a = exp(-dt[t,e] exp(A_log[e,n])), h (E,N)
 *   o[t,e] = sum_n c[t,n] h[t,e,n] + skip[e] u[t,e]           y = (o * silu(z)) Wo, Wo (E,D)
 *
 * eigenvalues [-1, 1]: a = 2 exp(.) - 1. Start: A_log[e,n] = log(n+1), skip 1, Wdt ~ U(+-1/sqrt(R)), dt log-uniform in
 * [0.001, 0.1]; A_log, skip and dt_bias are not weight-decayed. State: E N (+ (W-1) E).
 * Class: diagonal; eigenvalues in [0,1] cannot do parity, in [-1,1] can; neither counts mod 3 or composes permutations.
 * Source: Gu & Dao 2023 (arXiv:2312.00752), reference code (Euler step for b); negative eigenvalues: Grazzi et al. 2025
 * (arXiv:2411.12537). Deviation: silu stays when the convolution is off.
 */
#include "mixer.h"

#include <math.h>

#include "common/qkv.h"
#include "common/short_conv.h"
#include "common/start.h"
#include "common/step_size.h"

enum { VERSION = 1 };

typedef struct {
    int expand, d_state, dt_rank, short_conv, initial_state;
    Reals eigenvalues;
} Cfg;
typedef struct {
    int E, N, R;
    ShortConv conv;
    Tensor *wu, *wz, *wx, *wdt, *dt_bias, *a_log, *skip, *h0, *wo;
} Self;

static const Option options[] = {
    OPT_I(Cfg, expand, "2", 1, 64, "inner width E in units of d_model"),
    OPT_I(Cfg, d_state, "16", 1, 1024, "states N per inner channel"),
    OPT_I(Cfg, dt_rank, "0", 0, 4096, "rank R of the step size's projection; 0: d_model / 16, rounded up"),
    OPT_RS(Cfg, eigenvalues, "[0, 1]", -1, 1, EIGEN_HELP),
    OPT_I(Cfg, short_conv, "4", 0, SHORT_CONV_MAX, SHORT_CONV_HELP),
    OPT_E(Cfg, initial_state, "zero", START_CHOICES, START_HELP),
    OPT_END,
};

/* A = 1..N for every channel. */
static void init_a_range(real *x, const int *dim, int rank, double a, double b, Rng *rng)
{
    (void)rank, (void)a, (void)b, (void)rng;
    for (int i = 0; i < dim[0] * dim[1]; i++) x[i] = (real)log(1 + i % dim[1]);
}

static bool build(const void *cfg, const Place *at, Params *p, void *self, Err *err)
{
    const Cfg *c = cfg;
    Self *s = self;
    TRY(eigen_check(&c->eigenvalues, err));
    int D = at->d_model, E = c->expand * D, N = c->d_state, R = c->dt_rank ? c->dt_rank : (D + 15) / 16;
    double bound = 1 / sqrt((double)R);
    s->E = E;
    s->N = N;
    s->R = R;
    s->wu = param(p, "wu", INIT_LINEAR, D, E);
    s->wz = param(p, "wz", INIT_LINEAR, D, E);
    s->conv = short_conv_build(p, "conv", c->short_conv, E, true);
    s->wx = param(p, "wx", INIT_LINEAR, E, R + 2 * N);
    s->wdt = param(p, "wdt", INIT_UNIFORM(-bound, bound), R, E);
    s->dt_bias = param(p, "dt_bias", INIT_FN(init_dt_bias, 1e-3, 0.1), E);
    s->a_log = param(p, "a_log", INIT_FN(init_a_range, 0, 0), E, N);
    s->skip = param(p, "skip", NO_DECAY(INIT_CONST(1)), E);
    s->h0 = start_build(p, "h0", c->initial_state, E, N);
    s->wo = param(p, "wo", INIT_OUT, E, D);
    return true;
}

static Tensor *forward(const void *cfg, void *self, Ctx *c, Tensor *x)
{
    const Cfg *o = cfg;
    Self *s = self;
    Tape *t = c->tape;
    Tensor *z = op_linear(t, x, s->wz, NULL);
    Tensor *u = op_silu(t, short_conv_run(&s->conv, c, op_linear(t, x, s->wu, NULL)));
    Tensor *rbc = op_linear(t, u, s->wx, NULL);
    Tensor *dt = op_softplus(t, op_linear(t, op_slice(t, rbc, 0, s->R), s->wdt, s->dt_bias));
    Tensor *b = op_slice(t, rbc, s->R, s->N), *read = op_slice(t, rbc, s->R + s->N, s->N);
    Tensor *h0 = carry_in(c, "h", s->h0, x->dim[0], s->E, s->N);
    Tensor *y =
        op_scan_selective(t, u, dt, s->a_log, b, read, s->skip, eigen_negative(&o->eigenvalues), h0, carry_out(c, "h"));
    return op_linear(t, op_swiglu(t, z, y), s->wo, NULL);
}

static TheoryClass theory_class(const void *cfg)
{
    const Cfg *c = cfg;
    return (TheoryClass){ eigen_negative(&c->eigenvalues) ? CLASS_DIAG_REAL : CLASS_DIAG_POS, 0 };
}

MIXER(mamba, "selective state space (S6)", "arXiv:2312.00752")
