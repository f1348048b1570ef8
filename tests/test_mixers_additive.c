/* SPDX-License-Identifier: Apache-2.0
 * test_mixers_additive.c - where mixers with gated diagonal recurrences must agree, and what their gates start at. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/rig.h"

#define SIZES                                                                                                          \
    { "heads", "2" }, { "head_k", "4" }, { "head_v", "3" }
enum { H = 2, K = 4, V = 3, D = RIG_D };

static void fill(real *x, size_t n, double value)
{
    for (size_t i = 0; i < n; i++) x[i] = (real)value;
}

/* Mixing weights of 0 leave each token as it is. */
START_TEST(test_rwkv6_shift)
{
    static const char *const mu[] = { "mu_r", "mu_k", "mu_v", "mu_w", "mu_g" };
    Rig a, b;
    if (!RIG_OPEN(&b, "rwkv6", SIZES, { "token_shift", "none" }) ||
        !RIG_OPEN(&a, "rwkv6", SIZES, { "token_shift", "fixed" }))
        return;
    for (int i = 0; i < 5; i++) fill(rig_weight(&a, mu[i], D), D, 0);
    rig_identity("no mixing is no token shift", &a, &b, rig_tolerance());
}
END_TEST

START_TEST(test_rwkv6_fixed_shift)
{
    static const char *const part[] = { "mix_r", "mix_k", "mix_v", "mix_w", "mix_g" };
    Rig a, b;
    if (!RIG_OPEN(&b, "rwkv6", SIZES, { "token_shift", "fixed" }) || !RIG_OPEN(&a, "rwkv6", SIZES)) return;
    for (int i = 0; i < 5; i++) fill(rig_weight(&a, part[i], 32 * D), 32 * D, 0);
    rig_identity("mixing without data is a fixed token shift", &a, &b, rig_tolerance());
}
END_TEST

int main(void)
{
    gemm_setup();
    Suite *s = suite_create("mixers_additive");
    TCase *c = tcase_create("identities");
    tcase_add_test(c, test_rwkv6_shift);
    tcase_add_test(c, test_rwkv6_fixed_shift);
    suite_add_tcase(s, c);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_NORMAL);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
