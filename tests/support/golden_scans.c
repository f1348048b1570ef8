/* SPDX-License-Identifier: Apache-2.0
 * golden_scans.c - adapters for the matrix-state recurrences that op_scan_dplr computes. */
#include "golden.h"

#include <math.h>

static Tensor *decay(Golden *g, const char *name) { return op_exp(g->tape, golden_in(g, name)); }

static bool scan(Golden *g, DplrIn in)
{
    in.scale = golden_number(g, "scale");
    golden_want(g, "o", op_scan_dplr(g->tape, &in));
    return true;
}

/* Additive family; g (log decay) per head or per key channel, or absent. */
static bool additive(Golden *g)
{
    DplrIn in = { .q = golden_in(g, "q"), .w = golden_in(g, "k"), .v = golden_in(g, "v") };
    if (golden_has(g, "g")) in.a = decay(g, "g");
    return scan(g, in);
}

static bool linear_attention(Golden *g)
{
    return golden_is(g, "feature_map", "identity") && golden_is(g, "normalize", "false") && additive(g);
}

/* gamma_h = 1 - 2^(-5-h). The paired rotation's angles base^(-j/(K/2-1)) are the usual ones of another base. */
static bool retention(Golden *g)
{
    Tape *t = g->tape;
    DplrIn in = { .q = golden_in(g, "q"), .w = golden_in(g, "k"), .v = golden_in(g, "v") };
    int B = in.q->dim[0], T = in.q->dim[1], H = in.q->dim[2], K = in.q->dim[3];
    in.a = FILL(g, 0, B, T, H);
    for (int i = 0; i < B * T * H; i++) in.a->x[i] = (real)(1 - pow(2, -5 - i % H));
    if (!golden_is(g, "rotary", "none")) {
        bool pair = golden_is(g, "rotary", "pair");
        double base = golden_number(g, "base"), half = K / 2.0;
        if (pair) base = pow(base, half / (half - 1));
        in.q = op_rope(t, in.q, 0, base, pair);
        in.w = op_rope(t, in.w, 0, base, pair);
    }
    return scan(g, in);
}

static bool hgrn2(Golden *g)
{
    Tensor *f = decay(g, "g");
    return scan(g,
                (DplrIn){ .q = golden_in(g, "q"), .w = op_affine(g->tape, f, -1, 1), .v = golden_in(g, "v"), .a = f });
}

/* (1 at row i of each column that repeats i), as a map from groups to the heads that read them. */
static Tensor *repeat(Golden *g, Tensor *x, int from, int to, int width)
{
    Tensor *map = FILL(g, 0, from * width, to * width);
    for (int h = 0; h < to; h++)
        for (int i = 0; i < width; i++) map->x[(h * from / to * width + i) * to * width + h * width + i] = 1;
    return op_linear(g->tape, x, map, NULL);
}

static bool ssd(Golden *g)
{
    Tape *t = g->tape;
    Tensor *x = golden_in(g, "x"), *dt = golden_in(g, "dt"), *bm = golden_in(g, "Bm"), *cm = golden_in(g, "Cm");
    int B = x->dim[0], T = x->dim[1], H = x->dim[2], P = x->dim[3], G = bm->dim[2], N = bm->dim[3];
    Tensor *k = repeat(g, op_reshape(t, bm, B, T, G * N), G, H, N);
    Tensor *q = repeat(g, op_reshape(t, cm, B, T, G * N), G, H, N);
    DplrIn in = { .q = op_reshape(t, q, B, T, H, N), .w = op_reshape(t, k, B, T, H, N), .scale = 1 };
    in.v = op_mul_rows(t, x, dt);
    in.a = op_exp(t, op_mul_last(t, dt, golden_in(g, "A")));
    Tensor *skip = op_linear(t, op_reshape(t, golden_in(g, "D"), H, 1), FILL(g, 1, 1, P), NULL);
    Tensor *past = op_mul_last(t, op_reshape(t, x, B, T, H * P), op_reshape(t, skip, H * P));
    golden_want(g, "o", op_add(t, op_scan_dplr(t, &in), op_reshape(t, past, B, T, H, P)));
    return true;
}

/* Delta family: w = beta k, r = k; n_h micro-steps and a decay if the case has them. */
static bool delta(Golden *g)
{
    Tensor *k = golden_in(g, "k");
    DplrIn in = { .q = golden_in(g, "q"), .r = k, .v = golden_in(g, "v") };
    in.w = op_mul_rows(g->tape, k, golden_in(g, "beta"));
    if (golden_has(g, "g")) in.a = decay(g, "g");
    return scan(g, in);
}

/* Separate erase and write gates: w = k, r = b k, v <- w v. */
static bool gated_delta_rule2(Golden *g)
{
    Tape *t = g->tape;
    Tensor *k = golden_in(g, "k");
    DplrIn in = { .q = golden_in(g, "q"), .w = k, .a = decay(g, "g") };
    in.r = op_mul(t, golden_in(g, "b"), k);
    in.v = op_mul(t, golden_in(g, "w"), golden_in(g, "v"));
    return scan(g, in);
}

/* Row t becomes row t - 1, the first one `first`: x (B,T,...). */
static Tensor *shift(Golden *g, Tensor *x, double first)
{
    Tape *t = g->tape;
    int B = x->dim[0], T = x->dim[1], n = (int)tensor_size(x) / (B * T);
    Tensor *taps = FILL(g, 0, 2, n);
    for (int i = 0; i < n; i++) taps->x[i] = 1;
    Tensor *y = op_short_conv(t, op_reshape(t, x, B, T, n), taps, NULL, FILL(g, first, 1, n), NULL);
    return op_reshape_dims(t, y, x->rank, x->dim);
}

/* The state is read before the write: a scan on the previous token's k, v, decay; and a bonus for the present one. */
static bool rwkv6(Golden *g)
{
    Tape *t = g->tape;
    Tensor *r = golden_in(g, "r"), *k = golden_in(g, "k"), *v = golden_in(g, "v");
    int B = r->dim[0], T = r->dim[1], H = r->dim[2], K = r->dim[3];
    DplrIn in = { .q = r, .w = shift(g, k, 0), .v = shift(g, v, 0), .scale = golden_number(g, "scale") };
    in.a = shift(g, decay(g, "w"), 1);
    Tensor *rk = op_reshape(t, op_mul(t, r, k), B, T, H * K);
    Tensor *u = op_mul_last(t, rk, op_reshape(t, golden_in(g, "u"), H * K));
    Tensor *bonus = op_mul_rows(t, v, op_linear(t, op_reshape(t, u, B, T, H, K), FILL(g, 1, K, 1), NULL));
    golden_want(g, "o", op_add(t, op_scan_dplr(t, &in), bonus));
    return true;
}

/* Complex decay, as a real scan with keys turned by the sum of the phases; twice as wide. */
static bool gateloop(Golden *g)
{
    Tape *t = g->tape;
    Tensor *q = golden_in(g, "q"), *k = golden_in(g, "k"), *mag = golden_in(g, "mag");
    Tensor *z = op_phasor(t, golden_in(g, "phase"), NULL, NULL);
    DplrIn in = { .v = golden_in(g, "v"), .a = op_concat(t, mag, mag), .scale = 1 };
    in.q = op_mul(t, op_concat(t, q, q), z);
    in.w = op_mul(t, op_concat(t, k, k), z);
    golden_want(g, "o", op_scan_dplr(t, &in));
    return true;
}

static void slots(Golden *g, Tensor *w, Tensor *a)
{
    SlotsIn in = { .q = golden_in(g, "q"), .w = w, .a = a, .scale = golden_number(g, "scale") };
    Tensor *k = golden_in(g, "k");
    in.kv = op_concat(g->tape, k, golden_in(g, "v"));
    golden_want(g, "o", op_scan_slots(g->tape, &in));
}

static bool gsa(Golden *g)
{
    Tensor *w = golden_in(g, "s");
    slots(g, w, decay(g, "g"));
    return true;
}

/* A softmax over the past, as a gate: what is new takes its weight, what was there keeps the rest. */
static bool abc(Golden *g)
{
    Tape *t = g->tape;
    Tensor *s = golden_in(g, "s"), *flat = op_reshape(t, s, s->dim[0], s->dim[1], s->dim[2] * s->dim[3]);
    Tensor *w = op_sigmoid(t, op_sub(t, flat, op_log_past(t, flat, NULL, NULL, NULL)));
    w = op_reshape_dims(t, w, s->rank, s->dim);
    slots(g, w, op_affine(t, w, -1, 1));
    return true;
}

/* The same softmax with a decay and its average, read before the write with a bonus for the present token. */
static bool rwkv4(Golden *g)
{
    Tape *t = g->tape;
    Tensor *k = golden_in(g, "k"), *v = golden_in(g, "v"), *w = golden_in(g, "w");
    Tensor *past = op_sub(t, k, op_log_past(t, k, w, NULL, NULL));
    Tensor *take = op_sigmoid(t, op_add_last(t, past, w));
    Tensor *mean = op_scan_diag(t, op_affine(t, take, -1, 1), op_mul(t, take, v), NULL, NULL);
    Tensor *before = shift(g, mean, 0), *now = op_sigmoid(t, op_add_last(t, past, golden_in(g, "u")));
    golden_want(g, "o", op_add(t, before, op_mul(t, now, op_sub(t, v, before))));
    return true;
}

/* The same recurrences with the past in levels. */
static bool levels(Golden *g)
{
    Tensor *k = golden_in(g, "k");
    DplrIn in = { .q = golden_in(g, "q"), .w = k, .v = golden_in(g, "v"), .a = decay(g, "g") };
    if (golden_has(g, "beta")) {
        in.r = k;
        in.w = op_mul_rows(g->tape, k, golden_in(g, "beta"));
    }
    in.scale = golden_number(g, "scale");
    golden_want(g, "o", op_scan_levels(g->tape, &in, golden_in(g, "lam"), 0));
    return true;
}

const Adapter golden_scans[] = {
    { "linear_attention", linear_attention },
    { "gla", additive },
    { "scalar_gla", additive },
    { "retention", retention },
    { "hgrn2", hgrn2 },
    { "rwkv6", rwkv6 },
    { "gateloop", gateloop },
    { "gsa", gsa },
    { "abc", abc },
    { "rwkv4_wkv", rwkv4 },
    { "ssd", ssd },
    { "delta_rule", delta },
    { "gated_delta_rule", delta },
    { "kda", delta },
    { "delta_product", delta },
    { "gated_delta_product", delta },
    { "gated_delta_rule2", gated_delta_rule2 },
    { "log_linear_attention", levels },
    { "log_linear_delta", levels },
    { NULL, NULL },
};
