/* SPDX-License-Identifier: Apache-2.0
 * test_mixers_attention.c - where mixers of the attention family must agree: no gates, no slopes, no window, one group.
 */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/attend.h"
#include "support/rig.h"
#include "support/suite.h"

#define SIZES                                                                                                          \
    { "heads", "2" }, { "head_k", "4" }, { "head_v", "3" }
enum { H = 2, K = 4, V = 3, D = RIG_D, T = 37 }; /* T: the length of rig_identity */

static void fill(real *x, size_t n, double value)
{
    for (size_t i = 0; i < n; i++) x[i] = (real)value;
}

START_TEST(test_whole_window)
{
    static const char *const name[] = { "attention", "gated_attention", "differential_attention", "fox" };
    static const char *const pos[] = { "rope", "t5", "alibi", "cope", "nope" };
    for (size_t i = 0; i < 4 * 5; i++) {
        Rig a, b;
        if (RIG_OPEN(&b, name[i / 5], SIZES, { "pos", pos[i % 5] }) &&
            RIG_OPEN(&a, name[i / 5], SIZES, { "pos", pos[i % 5] }, { "window", "37" }))
            rig_identity("a window as long as the sequence is none", &a, &b, rig_tolerance());
    }
}
END_TEST

/* Every position scheme through a window, in pieces shorter and longer than it: distances and gates are those of one
 * pass, and what is kept is the window. */
START_TEST(test_window_in_pieces)
{
    static const char *const name[] = { "attention", "gated_attention", "differential_attention", "fox" };
    static const char *const pos[] = { "rope", "t5", "alibi", "cope", "nope" };
    static const int end[] = { 1, 2, 3, 9, 10, 17, 36, T };
    enum { B = 2, N = B * T * D };
    for (size_t i = 0; i < 4 * 5; i++) {
        Rig r;
        if (!RIG_OPEN(&r, name[i / 5], SIZES, { "pos", pos[i % 5] }, { "window", "5" })) continue;
        real *x = rig_normal(&r, "x", N), *whole = rig_normal(&r, "", N), *parts = rig_normal(&r, "", N);
        State *s = state_new(B);
        rig_run(&r, NULL, 0, x, B, T, whole);
        rig_stream(&r, s, x, B, T, end, sizeof end / sizeof *end, parts);
        rig_near(name[i / 5], pos[i % 5], parts, whole, N, rig_tolerance());
        state_free(s);
        rig_close(&r);
    }
}
END_TEST

/* A window of one position: y = v Wo, whatever the scores. */
START_TEST(test_window_of_one)
{
    enum { N = T * D };
    Rig r;
    real y[N], want[N] = { 0 };
    if (!RIG_OPEN(&r, "attention", SIZES, { "window", "1" })) return;
    const real *x = rig_normal(&r, "x", N), *wv = rig_weight(&r, "wv", D * H * V),
               *wo = rig_weight(&r, "wo", H * V * D);
    rig_run(&r, NULL, 0, x, 1, T, y);
    for (int t = 0; t < T; t++)
        for (int i = 0; i < H * V; i++) {
            double v = 0;
            for (int j = 0; j < D; j++) v += (double)x[t * D + j] * (double)wv[j * H * V + i];
            for (int j = 0; j < D; j++) want[t * D + j] += (real)(v * (double)wo[i * D + j]);
        }
    rig_near("attention", "a window of one passes values through", y, want, N, rig_tolerance());
    rig_close(&r);
}
END_TEST

START_TEST(test_no_bias)
{
    Rig a, b;
    if (RIG_OPEN(&b, "attention", SIZES, { "pos", "nope" }) && RIG_OPEN(&a, "attention", SIZES, { "pos", "t5" })) {
        fill(rig_weight(&a, "pos_table", 32 * H), 32 * H, 0);
        rig_identity("t5 with an empty table is nope", &a, &b, 0);
    }
    if (RIG_OPEN(&b, "attention", SIZES, { "pos", "nope" }) && RIG_OPEN(&a, "attention", SIZES, { "pos", "cope" })) {
        fill(rig_weight(&a, "pos_table", 64 * K), 64 * K, 0);
        rig_identity("cope with an empty table is nope", &a, &b, 0);
    }
}
END_TEST

/* Distance n costs m_h n: said by ALiBi, by a table, by a constant gate. */
START_TEST(test_slopes)
{
    Rig a, b;
    if (RIG_OPEN(&b, "attention", SIZES, { "pos", "alibi" }) &&
        RIG_OPEN(&a, "attention", SIZES, { "pos", "t5" }, { "pos_size", "80" })) {
        real *table = rig_weight(&a, "pos_table", 80 * H);
        for (int i = 0; i < 80 * H; i++) table[i] = (real)(-alibi_slope(i % H, H) * (i / H));
        rig_identity("t5 with a straight table is alibi", &a, &b, rig_tolerance());
    }
    if (RIG_OPEN(&b, "attention", SIZES, { "pos", "alibi" }) && RIG_OPEN(&a, "fox", SIZES)) {
        fill(rig_weight(&a, "wf", D * H), D * H, 0);
        for (int h = 0; h < H; h++) rig_weight(&a, "bf", H)[h] = (real)-log(expm1(alibi_slope(h, H)));
        rig_identity("fox with constant gates is alibi", &a, &b, rig_tolerance());
    }
}
END_TEST

START_TEST(test_open_gates)
{
    Rig a, b;
    if (RIG_OPEN(&b, "attention", SIZES, { "pos", "nope" }) && RIG_OPEN(&a, "fox", SIZES)) {
        fill(rig_weight(&a, "wf", D * H), D * H, 0);
        fill(rig_weight(&a, "bf", H), H, 60); /* log f = -e^-60 */
        rig_identity("fox that forgets nothing is attention without positions", &a, &b, rig_tolerance());
    }
    if (RIG_OPEN(&b, "attention", SIZES) && RIG_OPEN(&a, "gated_attention", SIZES, { "qk_norm", "none" })) {
        fill(rig_weight(&a, "wg", D * H * V), D * H * V, 0);
        enum { N = T * D };
        real ya[N], yb[N];
        const real *x = rig_normal(&b, "x", N);
        rig_copy(&a, &b);
        rig_run(&a, NULL, 0, x, 1, T, ya);
        rig_run(&b, NULL, 0, x, 1, T, yb);
        for (int i = 0; i < N; i++) ya[i] *= 2;
        rig_near("gated_attention", "gates of 1/2 halve attention", ya, yb, N, rig_tolerance());
        rig_close(&a), rig_close(&b);
    }
}
END_TEST

START_TEST(test_head_gates)
{
    Rig a, b;
    if (!RIG_OPEN(&b, "gated_attention", SIZES, { "gate", "headwise" }) || !RIG_OPEN(&a, "gated_attention", SIZES))
        return;
    const real *head = rig_weight(&b, "wg", D * H);
    real *each = rig_weight(&a, "wg", D * H * V);
    for (int i = 0; i < D * H * V; i++) each[i] = head[i / (H * V) * H + i % (H * V) / V];
    rig_identity("a gate per head is equal gates per channel", &a, &b, rig_tolerance());
}
END_TEST

/* to (D,2 n) holds from (D,n) twice. */
static void twice(real *to, const real *from, int n)
{
    for (int r = 0; r < D; r++)
        for (int i = 0; i < 2 * n; i++) to[r * 2 * n + i] = from[r * n + i % n];
}

START_TEST(test_one_group)
{
    static const char *const name[] = { "attention", "gated_attention", "fox", "differential_attention" };
    for (int i = 0; i < 4; i++) {
        Rig a, b;
        if (!RIG_OPEN(&b, name[i], SIZES, { "kv_heads", "1" }) || !RIG_OPEN(&a, name[i], SIZES)) continue;
        int k = i == 3 ? 2 * K : K;
        twice(rig_weight(&a, "wk", (size_t)(D * H * k)), rig_weight(&b, "wk", (size_t)(D * k)), k);
        twice(rig_weight(&a, "wv", D * H * V), rig_weight(&b, "wv", D * V), V);
        rig_identity("equal key heads are one", &a, &b, rig_tolerance());
    }
}
END_TEST

/* lambda = e^0 - e^log(1.2) + 0.2 = 0 leaves the first map alone: the second has no say; at lambda = 0.1 it has. */
START_TEST(test_no_difference)
{
    enum { N = T * D };
    Rig r;
    real y[N], z[N];
    if (!RIG_OPEN(&r, "differential_attention", SIZES)) return;
    const real *x = rig_normal(&r, "x", N);
    real *wq = rig_weight(&r, "wq", D * H * 2 * K);
    for (int on = 0; on < 2; on++) {
        fill(rig_weight(&r, "lq1", K), K, 0);
        fill(rig_weight(&r, "lq2", K), K, 0.5);
        fill(rig_weight(&r, "lk2", K), K, log(on ? 1.1 : 1.2) / (0.5 * K));
        rig_run(&r, NULL, 0, x, 1, T, y);
        for (int i = 0; i < D * H * 2 * K; i++)
            if (i / K % 2) wq[i] = -wq[i];
        rig_run(&r, NULL, 0, x, 1, T, z);
        if (on)
            ck_assert_double_gt(worst_error(z, y, N), 0.01);
        else
            rig_near("differential_attention", "lambda 0 drops the second map", z, y, N, rig_tolerance());
    }
    rig_close(&r);
}
END_TEST

/* gate_time t: every gate starts at exp(-1/t). */
START_TEST(test_gate_time)
{
    static const struct {
        const char *time;
        double f;
    } row[] = { { "0", 0.5 }, { "1", 0.36787944117144233 }, { "20", 0.951229424500714 } };
    for (int i = 0; i < 3; i++) {
        const Mixer *fox = mixer_find("fox");
        if (!fox) return;
        Arena *a = arena_new("fox");
        Value *spec = value_map(a);
        value_set(spec, "name", value_scalar(a, "fox"));
        value_set(spec, "gate_time", value_scalar(a, row[i].time));
        Params *p = params_new(a, LINEAR_FAN_IN_NORMAL, 1);
        MixerUse use;
        Err err = { 0 };
        Place at = { .d_model = 8, .layers = 1, .max_len = 8, .vocab = 4 };
        ck_assert_msg(mixer_open(&at, spec, p, "m", a, &use, &err), "%s", err.msg);
        params_finish(p, 1);
        double b = (double)params_find(p, "m.bf")->t.x[0];
        ck_assert_double_eq_tol(1 / (1 + exp(-b)), row[i].f, 1e-6);
        arena_free(a);
    }
}
END_TEST

START_TEST(test_refusals)
{
    static const struct {
        Setting set[2];
        const char *says;
    } row[] = {
        { { { "pos", "rope" }, { "pos_size", "8" } }, "pos_size: only" },
        { { { "pos", "cope" }, { "pos_reach", "8" } }, "pos_reach: only" },
        { { { "pos", "nope" }, { "pos_scaled", "true" } }, "pos_scaled: only" },
        { { { "pos", "t5" }, { "pos_size", "1" } }, "pos_size: t5 needs two" },
        { { { "pos", "t5" }, { "pos_reach", "16" } }, "pos_reach: 16 is not beyond pos_size/2 = 16" },
        { { { "pos", "cope" }, { "pos_size", "1" } }, "pos_size: cope needs two" },
        { { { "pos", "rope" }, { "head_k", "3" } }, "even key width, not 3" },
        { { { "kv_heads", "3" }, { "heads", "2" } }, "kv_heads: 3 does not divide heads 2" },
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        Variant v = { .mixer = mixer_find("attention"), .n = 2 };
        if (!v.mixer) return;
        memcpy(v.set, row[i].set, sizeof row[i].set);
        Rig r;
        Err err = { 0 };
        ck_assert_msg(!rig_open(&r, &v, &err), "row %zu is accepted", i);
        ck_assert_msg(strstr(err.msg, row[i].says), "'%s' not in: %s", row[i].says, err.msg);
        rig_close(&r);
    }
}
END_TEST

/* Counted by hand: caches, the two shifts, the gates. */
START_TEST(test_counts)
{
    const struct {
        const char *name, *set[2];
        size_t state, params;
    } row[] = {
        { "gated_attention", { "gate", "headwise" }, (size_t)9 * H * (K + V), 2 * 48 + 36 + 36 + 2 * K + D * H },
        { "gated_attention", { "kv_heads", "1" }, (size_t)9 * (K + V), 48 + 24 + 18 + 36 + 36 + 2 * K },
        { "differential_attention", { "window", "5" }, (size_t)5 * H * (2 * K + V), 4 * 48 + 36 + 36 + 4 * K + V },
        { "fox", { "window", "5" }, (size_t)5 * H * (K + V + 1), 2 * 48 + 36 + 36 + D * H + H },
        { "fox", { "kv_shift", "true" }, (size_t)9 * H * (K + V + 1) + H * (K + V), 2 * 48 + 36 + 36 + 3 * D * H + H },
        { "attention", { "pos", "t5" }, (size_t)9 * H * (K + V), 2 * 48 + 36 + 36 + 32 * H },
        { "attention", { "pos", "cope" }, (size_t)9 * H * (K + V), 2 * 48 + 36 + 36 + 64 * K },
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        Rig r;
        real y[9 * D];
        if (!RIG_OPEN(&r, row[i].name, SIZES, { row[i].set[0], row[i].set[1] })) continue;
        ck_assert_msg(params_count(r.params) == row[i].params, "row %zu: %zu parameters, by hand %zu", i,
                      params_count(r.params), row[i].params);
        State *s = state_new(1);
        rig_run(&r, s, 0, rig_normal(&r, "x", 9 * D), 1, 9, y);
        ck_assert_msg(state_reals(s) == row[i].state, "row %zu: state of %zu, by hand %zu", i, state_reals(s),
                      row[i].state);
        state_free(s);
        rig_close(&r);
    }
}
END_TEST

int main(void)
{
    gemm_setup();
    Suite *s = suite_create("mixers_attention");
    TCase *c = tcase_create("identities");
    tcase_add_test(c, test_whole_window);
    tcase_add_test(c, test_window_in_pieces);
    tcase_add_test(c, test_window_of_one);
    tcase_add_test(c, test_no_bias);
    tcase_add_test(c, test_slopes);
    tcase_add_test(c, test_open_gates);
    tcase_add_test(c, test_head_gates);
    tcase_add_test(c, test_one_group);
    tcase_add_test(c, test_no_difference);
    tcase_add_test(c, test_gate_time);
    tcase_add_test(c, test_refusals);
    tcase_add_test(c, test_counts);
    suite_add_tcase(s, c);
    return suite_run_together(s);
}
