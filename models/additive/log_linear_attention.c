/* SPDX-License-Identifier: Apache-2.0
 * log_linear_attention - Mamba-2's recurrence with the past in about log2 T levels, each with its own read weight.
 *
 *   S_l[t] = a[t] S_l[t-1]                         S_l (K,V) per head and level l < L, a (B,T,H)
 *   S_0[t] = dt[t] k v'                            dt (B,T,H), q, k (B,T,H,K), v (B,T,H,V)
 *   o[t]   = sum_l lam[t,l] S_l[t]' q              lam (B,T,H,L): common/levels.h; o (B,T,H,V)
 *   dt     = softplus(x Wa + dt_bias)    a = exp(-exp(A_log) dt)      Wa (D,H), A_log, dt_bias (H)
 *
 * What was written at s is read at t from level 0 if s = t, else from level floor(log2(s xor t)) + 1, at most L - 1: a
 * Fenwick tree, near tokens apart and far ones in blocks. Example at t = 6: level 1 is empty, level 2 holds 4 and 5,
 * level 3 holds 0 to 3. At lam = 1 or one level it is the recurrence of Mamba-2.
 *
 * q, k, v, their convolutions and the gated output: common/qkv.h. State: (L-1) H K V (+ (W-1) (2 H K + H V)), levels
 * that are empty at the moment included; level 0 is empty between two tokens.
 * Start: A ~ U(1,16), dt log-uniform in [0.001, 0.1] (common/step_size.h).
 * Class: as a scalar decay, eigenvalues in [0,1].
 * Source: Guo et al. 2025 (arXiv:2506.04761). Deviations from its Mamba-2 layer: every head has queries and keys of its
 * own (there one pair for all); no convolution bias, no skip D; norm before the gate; decay starts and L as above.
 */
#include "mixer.h"

#include "common/levels.h"
#include "common/qkv.h"
#include "common/step_size.h"

enum { VERSION = 2 };

typedef struct {
    Heads head;
    int levels;
} Cfg;
typedef struct {
    Qkv qkv;
    HeadOut out;
    Levels levels;
    Tensor *wa, *a_log, *dt_bias;
} Self;

static const Option options[] = {
    HEAD_WIDTHS,
    OPT_I(Cfg, levels, "0", 0, LEVELS_MAX, LEVELS_HELP),
    HEAD_CONV("4", "silu"),
    HEAD_ENUM(qk_norm, "none", NORM_CHOICES, NORM_HELP),
    HEAD_ENUM(output_gate, "silu", GATE_CHOICES, GATE_HELP),
    OPT_END,
};

static bool build(const void *cfg, const Place *at, Params *p, void *self, Err *err)
{
    const Cfg *c = cfg;
    Self *s = self;
    TRY(qkv_build(&c->head, at, p, &s->qkv, err));
    s->wa = param(p, "wa", INIT_LINEAR, at->d_model, s->qkv.H);
    s->a_log = param(p, "a_log", INIT_FN(init_a_log, 1, 16), s->qkv.H);
    s->dt_bias = param(p, "dt_bias", INIT_FN(init_dt_bias, 1e-3, 0.1), s->qkv.H);
    levels_build(c->levels, s->qkv.H, at, p, &s->levels);
    head_out_build(c->head.output_gate, &s->qkv, at, p, &s->out);
    return true;
}

static Tensor *forward(const void *cfg, void *self, Ctx *c, Tensor *x)
{
    (void)cfg;
    Self *s = self;
    Tape *t = c->tape;
    Tensor *q, *k, *v;
    qkv_run(&s->qkv, c, x, &q, &k, &v);
    Tensor *dt = op_softplus(t, op_linear(t, x, s->wa, s->dt_bias));
    Tensor *a = op_exp(t, op_affine(t, op_mul_last(t, dt, op_exp(t, s->a_log)), -1, 0));
    DplrIn in = { .q = q, .w = op_mul_rows(t, k, dt), .v = v, .a = a, .scale = 1 };
    return head_out_run(&s->out, c, levels_scan(&s->levels, c, x, in), x);
}

static TheoryClass theory_class(const void *cfg)
{
    (void)cfg;
    return (TheoryClass){ CLASS_DIAG_POS, 0 };
}

MIXER(log_linear_attention, "Mamba-2's recurrence with the past in levels", "arXiv:2506.04761")
