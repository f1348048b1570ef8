/* SPDX-License-Identifier: Apache-2.0
 * test_mixers_levels.c - log-linear mixers: sizes by hand, and the mixer that they are with equal read weights. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/rig.h"
#include "support/suite.h"

#define SIZES                                                                                                          \
    { "heads", "2" }, { "head_k", "4" }, { "head_v", "3" }
enum { H = 2, K = 4, V = 3, D = RIG_D };

/* Levels at default: ceil(log2 65) + 1 = 8. */
START_TEST(test_sizes)
{
    const struct {
        const char *name, *levels;
        size_t states, params;
    } row[] = {
        { "log_linear_attention", "5", 4, 12 + 2 + 2 + 60 + 10 },
        { "log_linear_attention", "1", 1, 12 + 2 + 2 + 12 + 2 },
        { "log_linear_delta", "0", 7, 12 + 12 + 2 + 2 + 96 + 16 },
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        Rig r;
        if (!RIG_OPEN(&r, row[i].name, SIZES, { "levels", row[i].levels }, { "short_conv", "0" })) continue;
        ck_assert_uint_eq(params_count(r.params), row[i].params + 2 * D * H * K + 3 * D * H * V + V);
        State *s = state_new(1);
        real x[9 * D] = { 0 }, y[9 * D];
        rig_run(&r, s, 0, x, 1, 9, y);
        ck_assert_uint_eq(state_reals(s), row[i].states * H * K * V);
        state_free(s);
        rig_close(&r);
    }
}
END_TEST

/* At Wl = 0 every read weight is log 2, which queries without norm or activation may carry instead. */
START_TEST(test_equal_weights)
{
    const char *const levels[] = { "1", "3", "0" };
    enum { B = 2, T = 37, N = B * T * D };
    for (int i = 0; i < 3; i++) {
        Rig a, b;
        if (!RIG_OPEN(&b, "gated_delta_net", SIZES, { "activation", "none" }, { "qk_norm", "none" }) ||
            !RIG_OPEN(&a, "log_linear_delta", SIZES, { "activation", "none" }, { "qk_norm", "none" },
                      { "levels", levels[i] }))
            continue;
        rig_copy(&a, &b);
        size_t L = i == 0 ? 1 : i == 1 ? 3 : 8;
        memset(rig_weight(&a, "wl", D * H * L), 0, sizeof(real) * D * H * L);
        real *wq = rig_weight(&a, "wq", D * H * K);
        for (int k = 0; k < D * H * K; k++) wq[k] /= (real)log(2);
        real *x = rig_normal(&a, "x", N), *ya = rig_normal(&a, "", N), *yb = rig_normal(&a, "", N);
        rig_run(&a, NULL, 0, x, B, T, ya);
        rig_run(&b, NULL, 0, x, B, T, yb);
        rig_near("log_linear_delta of equal weights", "gated_delta_net", ya, yb, N, rig_tolerance());
        rig_close(&a);
        rig_close(&b);
    }
}
END_TEST

/* A read weight belongs to its level: with that of level 0 alone, a token reads what it writes and no past. */
START_TEST(test_one_weight)
{
    Rig r;
    enum { T = 9, N = T * D };
    if (!RIG_OPEN(&r, "log_linear_attention", SIZES, { "levels", "3" }, { "short_conv", "0" })) return;
    real x[N], y[N], z[N], *wl = rig_weight(&r, "wl", D * H * 3);
    memcpy(x, rig_normal(&r, "x", N), sizeof x);
    for (int t = 0; t < T; t++) x[t * D] = 1;
    for (int i = 0; i < D * H * 3; i++) wl[i] = 0;
    for (int j = 0; j < H * 3; j++) wl[j] = j % 3 ? -1000 : 1;
    for (int j = 0; j < H * 3; j++) rig_weight(&r, "level_scale", H * 3)[j] = 1;
    rig_run(&r, NULL, 0, x, 1, T, y);
    for (int t = 0; t < T; t++) rig_run(&r, NULL, 0, x + t * D, 1, 1, z + t * D);
    rig_near("log_linear_attention", "level 0 alone", y, z, N, rig_tolerance());
    for (int j = 0; j < H * 3; j++) wl[j] = 1;
    rig_run(&r, NULL, 0, x, 1, T, y);
    ck_assert_msg(worst_error(y, z, N) > 0.01, "the past is not read");
    rig_close(&r);
}
END_TEST

int main(void)
{
    gemm_setup();
    Suite *s = suite_create("mixers_levels");
    TCase *c = tcase_create("levels");
    tcase_add_test(c, test_sizes);
    tcase_add_test(c, test_equal_weights);
    tcase_add_test(c, test_one_weight);
    suite_add_tcase(s, c);
    return suite_run_together(s);
}
