/* SPDX-License-Identifier: Apache-2.0
 * gateloop - linear attention with a complex decay per key channel.
 *
 *   S[t] = diag(a[t]) S[t-1] + k v'                S (K,V) complex per head, q, k (B,T,H,K), v (B,T,H,V) real
 *   o[t] = Re(S[t])' q                             (B,T,H,V)
 *   a    = m exp(i p), m = sigmoid(x Wm + bm), p = x Wp        Wm, Wp (D,H K), bm (H K)
 *   y    = (norm(o; w) * silu(x Wg)) Wo            RMSNorm over the whole width, w (H V), eps 1e-5
 *
 * Computed with real states: z = sum of p over time, o = [q cos z, q sin z] read from the scan of [k cos z, k sin z]
 * with decay m (op_phasor). heads 0: H = D, K = V = 1, an elementwise recurrence. No scale.
 * State: 2 H K V + H K (+ (W-1) (2 H K + H V)). Class: diagonal, complex eigenvalues: counts modulo any n.
 * Source: Katsch 2023 (arXiv:2311.01927). UNVERIFIED: separate projections of magnitude and phase, and the output gate.
 * Deviations: the norm before the gate; bm (there is none in the source; it starts at magnitude_bias, 0).
 */
#include "mixer.h"

#include "common/qkv.h"

enum { VERSION = 1 };

typedef struct {
    Heads head;
    double magnitude_bias;
} Cfg;
typedef struct {
    Qkv qkv, twice, whole; /* twice: keys of real and imaginary part; whole: the output as one head */
    HeadOut out;
    Tensor *wm, *bm, *wp, *s0;
} Self;

static const Option options[] = {
    HEAD_INT(heads, "0", 0, 4096, "number of heads H; 0: d_model heads of width 1"),
    HEAD_SIZES,
    OPT_R(Cfg, magnitude_bias, "0", -100, 100, "start of bm: logit of the decay's magnitude"),
    HEAD_SHELL("0", "with_conv", "none", "silu"),
    OPT_END,
};

static bool build(const void *cfg, const Place *at, Params *p, void *self, Err *err)
{
    const Cfg *c = cfg;
    Self *s = self;
    Heads head = c->head;
    if (!head.heads) head.heads = at->d_model;
    TRY(qkv_build(&head, at, p, &s->qkv, err));
    int n = s->qkv.H * s->qkv.K;
    s->wm = param(p, "wm", INIT_LINEAR, at->d_model, n);
    s->bm = param(p, "bm", INIT_CONST(c->magnitude_bias), n);
    s->wp = param(p, "wp", INIT_LINEAR, at->d_model, n);
    s->twice = s->whole = s->qkv;
    s->twice.K *= 2;
    s->whole.H = 1;
    s->whole.V *= s->qkv.H;
    s->s0 = head_start_build(&head, &s->twice, p);
    head_out_build(head.output_gate, &s->whole, at, p, &s->out);
    return true;
}

/* [x y, x y'] for z = [y, y'], twice as wide as x. */
static Tensor *rotate(Tape *t, Tensor *x, Tensor *z) { return op_mul(t, op_concat(t, x, x), z); }

/* K = V = 1: the same scan without matrices, head beside head. */
static Tensor *scan_elements(const Self *s, Ctx *c, DplrIn in, Tensor *z)
{
    Tape *t = c->tape;
    int B = in.q->dim[0], T = in.q->dim[1], H = s->qkv.H;
    Tensor *s0 = carry_in(c, "s", s->s0 ? op_reshape(t, s->s0, 2 * H) : NULL, B, 2 * H);
    Tensor *kv = op_reshape(t, op_mul_rows(t, rotate(t, in.w, z), in.v), B, T, 2 * H);
    Tensor *h = op_scan_diag(t, op_reshape(t, in.a, B, T, 2 * H), kv, s0, carry_out(c, "s"));
    Tensor *ones = tape_const(t, 2, (int[]){ 2, 1 });
    ones->x[0] = ones->x[1] = 1;
    return op_linear(t, op_mul(t, rotate(t, in.q, z), op_reshape(t, h, B, T, H, 2)), ones, NULL);
}

static Tensor *forward(const void *cfg, void *self, Ctx *c, Tensor *x)
{
    (void)cfg;
    Self *s = self;
    Tape *t = c->tape;
    int B = x->dim[0], T = x->dim[1], H = s->qkv.H, K = s->qkv.K;
    Tensor *q, *k, *v, *y;
    qkv_run(&s->qkv, c, x, &q, &k, &v);
    Tensor *m = op_reshape(t, op_sigmoid(t, op_linear(t, x, s->wm, s->bm)), B, T, H, K);
    Tensor *p = op_reshape(t, op_linear(t, x, s->wp, NULL), B, T, H, K);
    Tensor *z0 = carry_in(c, "angle", NULL, B, H, K);
    Tensor *z = op_phasor(t, p, z0, carry_out(c, "angle"));
    if (K == 1 && s->qkv.V == 1)
        y = scan_elements(s, c, (DplrIn){ .q = q, .w = k, .v = v, .a = op_concat(t, m, m) }, z);
    else
        y = head_scan(&s->twice, c, s->s0,
                      (DplrIn){
                          .q = rotate(t, q, z), .w = rotate(t, k, z), .v = v, .a = op_concat(t, m, m), .scale = 1 });
    return head_out_run(&s->out, c, op_reshape(t, y, B, T, 1, s->whole.V), x);
}

static TheoryClass theory_class(const void *cfg)
{
    (void)cfg;
    return (TheoryClass){ CLASS_DIAG_COMPLEX, 0 };
}

MIXER(gateloop, "linear attention with a complex decay per channel", "arXiv:2311.01927")
