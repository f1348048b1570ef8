/* SPDX-License-Identifier: Apache-2.0
 * test_mixers.c - what every mixer promises, checked on all of them with every option at every other value.
 *
 * Adding a mixer adds its tests: variants come from all_mixers[] and the option tables.
 */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/rig.h"
#include "support/suite.h"

enum { VARIANTS_MAX = 2048, D = RIG_D };

static struct {
    int n;
    Variant v[VARIANTS_MAX];
} all;

/* Open variant i, or return false when the mixer refuses it with a message that names one of its settings. */
static bool open_variant(Rig *r, int i, const char **text)
{
    const Variant *v = &all.v[i];
    Err err = { 0 };
    if (rig_open(r, v, &err)) {
        *text = variant_text(v, r->arena);
        return true;
    }
    bool named = false;
    for (int j = 0; j < v->n; j++) named = named || strstr(err.msg, v->set[j].option);
    ck_assert_msg(named && err.code == EXIT_USAGE, "%s: %s", variant_text(v, r->arena), err.msg);
    rig_close(r);
    return false;
}

static void check_same(const char *text, const char *what, const real *a, const real *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        ck_assert_msg(memcmp(a + i, b + i, sizeof(real)) == 0, "%s: %s, element %zu: %.17g and %.17g", text, what, i,
                      (double)a[i], (double)b[i]);
}

/* ---- gradients ---- */

typedef struct Probe {
    Rig *r;
    const real *x, *cot;
    int B, T;
} Probe;

/* sum(y * cot) in double */
static double loss_at(const Probe *p, const real *x, real *y)
{
    double sum = 0;
    rig_run(p->r, NULL, 0, x, p->B, p->T, y);
    for (int i = 0; i < p->B * p->T * D; i++) sum += (double)y[i] * (double)p->cot[i];
    return sum;
}

/* The loss with v[i] moved by h. */
static double loss_moved(const Probe *p, real *v, size_t i, double h, const real *x, real *y)
{
    real old = v[i];
    v[i] = (real)((double)old + h);
    double f = loss_at(p, x, y);
    v[i] = old;
    return f;
}

/* g (n) against central differences of fourth order in the n reals at v, the input x or a parameter. (Second order is
 * not enough: the norms of small vectors bend the loss within 1e-5.) */
static void check_gradient(const char *text, const char *name, const Probe *p, real *v, const real *g, size_t n,
                           const real *x, real *y)
{
    double h = 1e-5, *num = malloc(n * sizeof *num), scale = 0;
    ck_assert_ptr_nonnull(num);
    for (size_t i = 0; i < n; i++) {
        double near = loss_moved(p, v, i, h, x, y) - loss_moved(p, v, i, -h, x, y);
        double far = loss_moved(p, v, i, 2 * h, x, y) - loss_moved(p, v, i, -2 * h, x, y);
        num[i] = (8 * near - far) / (12 * h);
        scale = fmax(scale, fabs(num[i]));
    }
    for (size_t i = 0; i < n; i++) {
        double size = fmax(fabs(num[i]), fmax(0.01 * scale, 1e-3)), e = fabs((double)g[i] - num[i]) / size;
        ck_assert_msg(e < 1e-6, "%s: gradient of %s[%zu] is %.12g, central difference %.12g", text, name, i,
                      (double)g[i], num[i]);
    }
    free(num);
}

static double largest(const real *x, size_t n)
{
    double m = 0;
    for (size_t i = 0; i < n; i++) m = isfinite((double)x[i]) ? fmax(m, fabs((double)x[i])) : (double)INFINITY;
    return m;
}

/* d sum(y * cot): gradients of parameters into params_grads, of the input returned on the tape. */
static Tensor *backward(Rig *r, Tape *t, const MixerUse *use, const real *x, const real *cot, int B, int T)
{
    Ctx c = { .tape = t, .training = true };
    Tensor *in = TENSOR(t, B, T, D), *w = tape_const(t, 3, (int[]){ B, T, D });
    size_t n = (size_t)(B * T * D);
    memcpy(in->x, x, n * sizeof(real));
    memcpy(w->x, cot, n * sizeof(real));
    tape_backward(t, op_mul(t, mixer_run(use, &c, in), w));
    (void)r;
    return in;
}

/* Gradients of the input and of every parameter; none is always zero (a parameter that nothing uses). */
START_TEST(test_gradients)
{
    Rig r;
    const char *text;
    enum { B = 2, T = 5, N = B * T * D };
    if (!open_variant(&r, _i, &text)) return;
    real *x = rig_normal(&r, "x", N), *cot = rig_normal(&r, "cot", N), y[N];
    Tape *t = tape_new("grad", true);
    memset(params_grads(r.params), 0, params_count(r.params) * sizeof(real));
    Tensor *in = backward(&r, t, &r.use, x, cot, B, T);
    Probe p = { &r, x, cot, B, T };
    ck_assert_msg(isfinite(largest(in->g, N)), "%s: gradient of the input is not finite", text);
    if (sizeof(real) == sizeof(double)) check_gradient(text, "x", &p, x, in->g, N, x, y);
    for (int i = 0; i < params_number(r.params); i++) {
        Param *it = params_at(r.params, i);
        size_t n = tensor_size(&it->t);
        double m = largest(it->t.g, n);
        ck_assert_msg(m > 0 && isfinite(m), "%s: largest gradient of %s is %g", text, it->name, m);
        if (sizeof(real) == sizeof(double)) check_gradient(text, it->name, &p, it->t.x, it->t.g, n, x, y);
    }
    tape_free(t);
    rig_close(&r);
}
END_TEST

/* ---- causality, batches, lengths ---- */

/* x[t+1..] never reaches y[..t], and x[t] does reach y[t]. */
START_TEST(test_causal)
{
    Rig r;
    const char *text;
    enum { B = 2, T = 9, N = B * T * D };
    if (!open_variant(&r, _i, &text)) return;
    real *x = rig_normal(&r, "x", N), *z = rig_normal(&r, "z", N), y[N], yz[N], xz[N];
    rig_run(&r, NULL, 0, x, B, T, y);
    ck_assert_msg(isfinite(largest(y, N)), "%s: output is not finite", text);
    for (int t = 0; t < T; t++) {
        for (int b = 0; b < B; b++) {
            memcpy(xz + b * T * D, x + b * T * D, sizeof(real) * (size_t)(t * D));
            memcpy(xz + (b * T + t) * D, z + (b * T + t) * D, sizeof(real) * (size_t)((T - t) * D));
        }
        rig_run(&r, NULL, 0, xz, B, T, yz);
        for (int b = 0; b < B; b++) {
            if (r.use.mixer->approx)
                rig_near(text, "the future changes the past", yz + b * T * D, y + b * T * D, (size_t)(t * D),
                         rig_tolerance());
            else
                check_same(text, "the future changes the past", yz + b * T * D, y + b * T * D, (size_t)(t * D));
            ck_assert_msg(memcmp(yz + (b * T + t) * D, y + (b * T + t) * D, sizeof(real) * D),
                          "%s: x[%d] does not reach y[%d]", text, t, t);
        }
    }
    rig_close(&r);
}
END_TEST

/* A sequence does not depend on its neighbours: to the bit in a batch of one size, nearly in batches of other sizes. */
START_TEST(test_batch)
{
    Rig r;
    const char *text;
    enum { B = 3, T = 7, N = B * T * D };
    if (!open_variant(&r, _i, &text)) return;
    real *x = rig_normal(&r, "x", N), y[N], other[N], alone[T * D];
    rig_run(&r, NULL, 0, x, B, T, y);
    for (int b = 0; b < B; b++) {
        rig_run(&r, NULL, 0, x + b * T * D, 1, T, alone);
        rig_near(text, "alone and in a batch", alone, y + b * T * D, T * D, 0.1 * rig_tolerance());
        for (int i = 0; i < T * D; i++) x[b * T * D + i] += 1;
        rig_run(&r, NULL, 0, x, B, T, other);
        for (int i = 0; i < N; i++)
            if (i / (T * D) != b) check_same(text, "a neighbour changes it", other + i, y + i, 1);
        for (int i = 0; i < T * D; i++) x[b * T * D + i] -= 1;
        rig_run(&r, NULL, 0, x, B, T, y);
    }
    rig_close(&r);
}
END_TEST

/* T = 1 is the first step of a longer run; 65 is no multiple of any chunk. One pass, passes split at odd places, and
 * one position at a time agree. */
START_TEST(test_stream)
{
    Rig r;
    const char *text;
    enum { B = 2, T = RIG_MAX_LEN, N = B * T * D };
    if (!open_variant(&r, _i, &text)) return;
    real *x = rig_normal(&r, "x", N), *whole = rig_normal(&r, "", N), *parts = rig_normal(&r, "", N), first[D];
    int each[T];
    for (int t = 0; t < T; t++) each[t] = t + 1;
    rig_run(&r, NULL, 0, x, B, T, whole);
    ck_assert_msg(isfinite(largest(whole, N)), "%s: output is not finite", text);
    rig_run(&r, NULL, 0, x, 1, 1, first);
    rig_near(text, "T = 1", first, whole, D, rig_tolerance());
    if (!r.use.mixer->no_stream) {
        const struct {
            int n, end[3];
            const char *what;
        } split[] = {
            { 1, { T }, "one pass with a state" },
            { 2, { 33, T }, "split at 33" },
            { 2, { 1, T }, "split at 1" },
            { 3, { 29, 36, T }, "split at 29 and 36" },
        };
        State *s = state_new(B);
        for (size_t i = 0; i < sizeof split / sizeof *split; i++) {
            state_clear(s);
            rig_stream(&r, s, x, B, T, split[i].end, split[i].n, parts);
            rig_near(text, split[i].what, parts, whole, N, rig_tolerance());
        }
        state_clear(s);
        rig_stream(&r, s, x, B, T, each, T, parts);
        rig_near(text, "one position at a time", parts, whole, N, rig_tolerance());
        state_free(s);
    }
    rig_close(&r);
}
END_TEST

/* ---- state and parameters ---- */

static size_t state_after(Rig *r, int B, int T, bool steps)
{
    State *s = state_new(B);
    real *x = rig_normal(r, "x", (size_t)(B * T * D)), *y = rig_normal(r, "", (size_t)(B * T * D));
    int end[RIG_MAX_LEN];
    for (int t = 0; t < T; t++) end[t] = t + 1;
    rig_stream(r, s, x, B, T, steps ? end : &T, steps ? T : 1, y);
    size_t n = state_reals(s);
    state_free(s);
    return n;
}

/* The measured state does not depend on batch or pieces; on the length only where attention keeps it all. */
START_TEST(test_state)
{
    Rig r;
    const char *text;
    if (!open_variant(&r, _i, &text)) return;
    if (!r.use.mixer->no_stream) {
        size_t n16 = state_after(&r, 2, 16, false), n24 = state_after(&r, 2, 24, false),
               n32 = state_after(&r, 2, 32, false);
        TheoryClass c = r.use.mixer->theory_class(r.use.cfg);
        bool grows = c.kind == CLASS_ATTENTION || c.kind == CLASS_OTHER;
        ck_assert_msg(n16 > 0, "%s: no state", text);
        ck_assert_msg(grows ? n16 <= n24 && n24 <= n32 : n16 == n24 && n24 == n32,
                      "%s: %zu, %zu, %zu reals after 16, 24, 32 positions", text, n16, n24, n32);
        ck_assert_msg(state_after(&r, 1, 24, false) == n24, "%s: state depends on the batch", text);
        ck_assert_msg(state_after(&r, 2, 24, true) == n24, "%s: state depends on the pieces", text);
    }
    rig_close(&r);
}
END_TEST

/* A view runs on the owner's values and has gradients of its own. */
START_TEST(test_view)
{
    Rig r;
    const char *text;
    enum { B = 2, T = 5, N = B * T * D };
    if (!open_variant(&r, _i, &text)) return;
    size_t sum = 0, count = params_count(r.params);
    for (int i = 0; i < params_number(r.params); i++) sum += tensor_size(&params_at(r.params, i)->t);
    ck_assert_msg(sum == count && count > 0, "%s: %zu parameters, %zu in the list", text, count, sum);

    Params *view = params_view(r.arena, r.params);
    MixerUse use = r.use;
    Place at = { .d_model = D, .layers = 2, .max_len = RIG_MAX_LEN, .vocab = 11 };
    Err err = { 0 };
    ck_assert_msg(mixer_build(&use, &at, view, "mixer", r.arena, &err), "%s: %s", text, err.msg);
    params_finish(view, 99);
    ck_assert_ptr_ne(use.self, r.use.self);
    real *x = rig_normal(&r, "x", N), *cot = rig_normal(&r, "cot", N), *gx = rig_normal(&r, "", N);
    Tape *t = tape_new("view", true);
    memset(params_grads(r.params), 0, count * sizeof(real));
    memset(params_grads(view), 0, count * sizeof(real));
    memcpy(gx, backward(&r, t, &r.use, x, cot, B, T)->g, N * sizeof(real));
    tape_reset(t);
    real *own = ARENA_RAW(r.arena, real, count);
    memcpy(own, params_grads(r.params), count * sizeof(real));
    check_same(text, "input gradient of the view", backward(&r, t, &use, x, cot, B, T)->g, gx, N);
    check_same(text, "parameter gradients of the view", params_grads(view), own, count);
    check_same(text, "gradients of the owner after the view ran", params_grads(r.params), own, count);
    tape_free(t);
    rig_close(&r);
}
END_TEST

/* ---- options ---- */

/* with_conv is one of the other two until there is a convolution. */
static bool means_the_same(const Variant *v)
{
    for (int j = 0; j < v->n; j++) {
        const Option *o = option_find(v->mixer->options, v->set[j].option);
        if (!strcmp(v->set[j].value, "with_conv")) return true;
        if (!strcmp(o->def, "with_conv") && !strcmp(v->set[j].value, "none")) return true;
    }
    return false;
}

/* No option is ignored: another value changes the outputs, with weights from the same streams. */
START_TEST(test_option_matters)
{
    enum { B = 1, T = 9, N = B * T * D };
    Rig r, base;
    const char *text, *plain;
    int i = _i;
    while (i > 0 && all.v[i - 1].mixer == all.v[_i].mixer) i--;
    if (i == _i || means_the_same(&all.v[_i]) || !open_variant(&r, _i, &text)) return;
    ck_assert(open_variant(&base, i, &plain));
    real *x = rig_normal(&r, "x", N), y[N], yb[N];
    rig_run(&r, NULL, 3, x, B, T, y);
    rig_run(&base, NULL, 3, x, B, T, yb);
    ck_assert_msg(memcmp(y, yb, sizeof y), "%s: changes nothing", text);
    rig_close(&base);
    rig_close(&r);
}
END_TEST

/* Every numeric option at its ends (the upper one if it is small enough to build) works or is refused by name. */
START_TEST(test_option_ends)
{
    Variant v = all.v[_i];
    const Variant *base = _i > 0 ? &all.v[_i - 1] : NULL;
    if (base && base->mixer == v.mixer) return; /* once per mixer, at its first variant */
    int at = v.n;
    for (const Option *o = v.mixer->options; o->name; o++)
        for (int end = 0; end < 2 && (o->kind == OPT_INT || o->kind == OPT_REAL); end++) {
            char value[32];
            double d = end ? o->max : o->min;
            if (o->kind == OPT_INT && d > 1024) continue;
            snprintf(value, sizeof value, "%.17g", d);
            v.n = at;
            v.set[v.n++] = (Setting){ o->name, value };
            Rig r;
            Err err = { 0 };
            real *y, *x;
            if (rig_open(&r, &v, &err)) {
                x = rig_normal(&r, "x", 3 * D), y = rig_normal(&r, "", 3 * D);
                rig_run(&r, NULL, 0, x, 1, 3, y);
            } else {
                ck_assert_msg(strstr(err.msg, o->name), "%s %s=%s: %s", v.mixer->name, o->name, value, err.msg);
            }
            rig_close(&r);
        }
}
END_TEST

/* ---- particular mixers ---- */

#define SIZES                                                                                                          \
    { "heads", "2" }, { "head_k", "4" }, { "head_v", "3" }

/* State and parameters counted by hand at D = 6, two heads, K = 4, V = 3. */
START_TEST(test_counts)
{
    const struct {
        const char *name;
        int n;
        Setting set[6];
        size_t state, params;
    } row[] = {
        { "lstm", 1, { { "width", "5" } }, 10, 6 * 20 + 5 * 20 + 20 + 5 * 6 },
        { "mingru", 1, { { "width", "5" } }, 5, 3 * 30 },
        { "mingru", 2, { { "width", "5" }, { "short_conv", "3" } }, 5 + 2 * 6, 3 * 30 + 3 * 6 },
        { "mamba",
          1,
          { { "d_state", "3" } },
          12 * 3 + 3 * 12,
          2 * 6 * 12 + 5 * 12 + 12 * 7 + 12 + 12 + 12 * 3 + 12 + 12 * 6 },
        { "gla", 4, { SIZES, { "gate_rank", "2" } }, 24, 2 * 48 + 36 + 12 + 16 + 8 + 3 + 36 + 36 },
        { "gateloop", 3, { SIZES }, 2 * 24 + 8, 4 * 48 + 36 + 8 + 6 + 36 + 36 },
        { "gateloop", 1, { { "heads", "0" } }, 2 * 6 + 6, 7 * 36 + 6 + 6 },
        { "gsa", 4, { SIZES, { "slots", "5" } }, 2 * 5 * 7, 2 * 48 + 36 + 60 + 6 + 36 },
        { "abc", 4, { SIZES, { "slots", "5" } }, 2 * 5 * 8, 2 * 48 + 36 + 60 + 3 + 36 + 36 },
        { "rwkv4", 1, { { "width", "5" } }, 2 * 5 + 6, 3 * 6 + 4 * 30 + 10 },
        { "hgrn", 2, { { "width", "5" }, { "short_conv", "3" } }, 5 + 2 * 10, 4 * 30 + 2 * 15 + 5 },
        { "hgrn2", 4, { SIZES, { "short_conv", "3" } }, 24 + 2 * 22, 2 * 48 + 36 + 3 * 22 + 6 + 36 },
        { "rwkv6",
          5,
          { SIZES, { "mix_rank", "2" }, { "decay_rank", "3" } },
          24 + 22 + 6,
          2 * 48 + 3 * 36 + 6 * 6 + 60 + 5 * 12 + 8 + 18 + 24 + 8 + 12 },
        { "delta_net", 3, { SIZES }, 24 + 3 * 22, 2 * 48 + 36 + 4 * 22 + 12 + 3 + 36 },
        { "gated_delta_net", 3, { SIZES }, 24 + 3 * 22, 2 * 48 + 36 + 4 * 22 + 12 + 12 + 4 + 3 + 36 + 36 },
        { "delta_product", 3, { SIZES }, 24 + 3 * 36, 48 + 96 + 72 + 4 * 36 + 24 + 3 + 36 + 36 },
        { "delta_product", 5, { SIZES, { "n_h", "3" }, { "short_conv", "0" } }, 24, 48 + 144 + 108 + 36 + 3 + 36 + 36 },
        { "kda", 3, { SIZES }, 24 + 3 * 22, 2 * 48 + 36 + 4 * 22 + 12 + (18 + 24 + 2 + 8) + 3 + (18 + 18 + 6) + 36 },
        { "gated_delta_net2",
          4,
          { SIZES, { "rank", "2" } },
          24 + 3 * 22,
          2 * 48 + 36 + 4 * 22 + 48 + 36 + (12 + 16 + 2 + 8) + 3 + (12 + 12 + 6) + 36 },
        { "attention", 3, { SIZES }, 24 * 14, 2 * 48 + 36 + 36 },
        { "attention", 5, { SIZES, { "kv_heads", "1" }, { "window", "5" } }, 5 * 7, 48 + 24 + 18 + 36 },
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        Rig r;
        if (!rig_named(&r, row[i].name, row[i].n, row[i].set)) continue;
        ck_assert_msg(params_count(r.params) == row[i].params, "%s (row %zu): %zu parameters, by hand %zu", row[i].name,
                      i, params_count(r.params), row[i].params);
        size_t state = state_after(&r, 2, 24, false);
        ck_assert_msg(state == row[i].state, "%s (row %zu): state of %zu reals, by hand %zu", row[i].name, i, state,
                      row[i].state);
        rig_close(&r);
    }
}
END_TEST

START_TEST(test_activation)
{
    Rig a, b;
    if (RIG_OPEN(&b, "gla", SIZES, { "short_conv", "3" }, { "activation", "silu" }) &&
        RIG_OPEN(&a, "gla", SIZES, { "short_conv", "3" }, { "activation", "with_conv" }))
        rig_identity("with_conv is silu after a convolution", &a, &b, 0);
    if (RIG_OPEN(&b, "gla", SIZES, { "activation", "none" }) &&
        RIG_OPEN(&a, "gla", SIZES, { "activation", "with_conv" }))
        rig_identity("with_conv is none without a convolution", &a, &b, 0);
}
END_TEST

START_TEST(test_attention_identities)
{
    enum { T = 20, N = T * D };
    Rig a, b;
    real *x, near[N], far[N];
    if (RIG_OPEN(&b, "attention", SIZES) && RIG_OPEN(&a, "attention", SIZES, { "window", "37" }))
        rig_identity("a window as long as the sequence is none", &a, &b, rig_tolerance());
    if (RIG_OPEN(&b, "attention", SIZES) && RIG_OPEN(&a, "attention", SIZES, { "kv_heads", "2" }))
        rig_identity("kv_heads = heads is the default", &a, &b, 0);
    if (!RIG_OPEN(&a, "attention", SIZES)) return;
    x = rig_normal(&a, "x", N);
    rig_run(&a, NULL, 0, x, 1, T, near);
    rig_run(&a, NULL, 1000, x, 1, T, far);
    rig_near("attention", "rotary scores depend on distances only", far, near, N, 10 * rig_tolerance());
    rig_close(&a);
}
END_TEST

START_TEST(test_refusals)
{
    const struct {
        const char *name;
        int n;
        Setting set[3];
        const char *says[2];
    } row[] = {
        { "delta_net", 1, { { "heads", "4" } }, { "heads", "head_k" } },
        { "gla", 2, { { "heads", "4" }, { "head_k", "3" } }, { "heads", "head_v" } },
        { "delta_net", 1, { { "eigenvalues", "[0, 0.5]" } }, { "eigenvalues", "[-1, 1]" } },
        { "mamba", 1, { { "eigenvalues", "[0]" } }, { "eigenvalues", "[0, 1]" } },
        { "attention", 2, { { "heads", "2" }, { "kv_heads", "3" } }, { "kv_heads", "heads 2" } },
        { "attention", 1, { { "heads", "2" } }, { "pos", "head_k" } },
        { "lstm", 1, { { "widht", "3" } }, { "widht", "'width'" } },
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        Variant v = { .mixer = mixer_find(row[i].name), .n = row[i].n };
        if (!v.mixer) continue;
        memcpy(v.set, row[i].set, sizeof row[i].set);
        Rig r;
        Err err = { 0 };
        ck_assert_msg(!rig_open(&r, &v, &err), "%s accepts %s=%s", row[i].name, v.set[0].option, v.set[0].value);
        for (int j = 0; j < 2; j++)
            ck_assert_msg(strstr(err.msg, row[i].says[j]), "'%s' not in: %s", row[i].says[j], err.msg);
        ck_assert_msg(strstr(err.msg, row[i].name), "no mixer name in: %s", err.msg);
        rig_close(&r);
    }
}
END_TEST

int main(void)
{
    gemm_setup();
    all.n = variants_list(all.v, VARIANTS_MAX);
    Suite *s = suite_create("mixers");
    const struct {
        const char *name;
        const TTest *test;
    } each[] = {
        { "gradients", test_gradients },    { "causal", test_causal },    { "batch", test_batch },
        { "stream", test_stream },          { "state", test_state },      { "view", test_view },
        { "matters", test_option_matters }, { "ends", test_option_ends },
    };
    for (size_t i = 0; i < sizeof each / sizeof *each; i++) {
        TCase *c = tcase_create(each[i].name);
        tcase_add_loop_test(c, each[i].test, 0, all.n);
        tcase_set_timeout(c, 60);
        suite_add_tcase(s, c);
    }
    TCase *c = tcase_create("particular");
    tcase_add_test(c, test_counts);
    tcase_add_test(c, test_activation);
    tcase_add_test(c, test_attention_identities);
    tcase_add_test(c, test_refusals);
    suite_add_tcase(s, c);
    return suite_run_together(s);
}
