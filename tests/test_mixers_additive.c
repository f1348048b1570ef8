/* SPDX-License-Identifier: Apache-2.0
 * test_mixers_additive.c - where mixers with gated diagonal recurrences must agree, and what their gates start at. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/rig.h"
#include "support/suite.h"

#define SIZES                                                                                                          \
    { "heads", "2" }, { "head_k", "4" }, { "head_v", "3" }
enum { H = 2, K = 4, V = 3, D = RIG_D };

static void fill(real *x, size_t n, double value)
{
    for (size_t i = 0; i < n; i++) x[i] = (real)value;
}

/* As rig_identity, with the weights that each has. */
static void same_output(const char *what, Rig *a, Rig *b)
{
    enum { B = 2, T = 37, N = B * T * D };
    real *x = rig_normal(a, "x", N), *y = rig_normal(a, "", N), *z = rig_normal(a, "", N);
    rig_run(a, NULL, 0, x, B, T, y);
    rig_run(b, NULL, 0, x, B, T, z);
    rig_near(a->use.mixer->name, what, y, z, N, rig_tolerance());
    rig_close(a);
    rig_close(b);
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

/* With a phase of 0 nothing turns: the decay is real, as gla's, whose scale and norm are undone here. */
START_TEST(test_gateloop_phase)
{
    Rig a, b;
    if (!RIG_OPEN(&b, "gla", { "heads", "1" }, { "head_k", "4" }, { "head_v", "3" }, { "gate_rank", "6" },
                  { "gate_tau", "1" }) ||
        !RIG_OPEN(&a, "gateloop", { "heads", "1" }, { "head_k", "4" }, { "head_v", "3" }))
        return;
    real *w1 = rig_weight(&b, "w1", D * D), *q = rig_weight(&b, "wq", D * K), *qa = rig_weight(&a, "wq", D * K);
    rig_copy(&a, &b);
    fill(rig_weight(&a, "wp", D * K), D * K, 0);
    fill(w1, D * D, 0);
    for (int i = 0; i < D; i++) w1[i * D + i] = 1;
    memcpy(rig_weight(&a, "bm", K), rig_weight(&b, "b", K), sizeof(real) * K);
    memcpy(rig_weight(&a, "wm", D * K), rig_weight(&b, "w2", D * K), sizeof(real) * D * K);
    for (int i = 0; i < D * K; i++) q[i] = 2 * qa[i]; /* sqrt(K) */
    same_output("without phase it is gla", &a, &b);
}
END_TEST

/* Heads of width 1 are scanned as elements; the same heads in one product, for one head. */
START_TEST(test_gateloop_elements)
{
    Rig a, b;
    if (!RIG_OPEN(&b, "gateloop", { "heads", "1" }, { "head_k", "1" }, { "head_v", "2" }) ||
        !RIG_OPEN(&a, "gateloop", { "heads", "1" }, { "head_k", "1" }, { "head_v", "1" }))
        return;
    /* two equal value columns: the norm over both is that over one */
    const real *v = rig_weight(&a, "wv", D), *g = rig_weight(&a, "wg", D), *o = rig_weight(&a, "wo", D);
    real *v2 = rig_weight(&b, "wv", 2 * D), *g2 = rig_weight(&b, "wg", 2 * D), *o2 = rig_weight(&b, "wo", 2 * D);
    static const char *const same[] = { "wq", "wk", "wm", "wp" };
    for (int i = 0; i < 4; i++) memcpy(rig_weight(&b, same[i], D), rig_weight(&a, same[i], D), sizeof(real) * D);
    fill(rig_weight(&b, "norm", 2), 2, (double)*rig_weight(&a, "norm", 1));
    *rig_weight(&b, "bm", 1) = *rig_weight(&a, "bm", 1);
    for (int i = 0; i < 2 * D; i++) {
        v2[i] = v[i / 2];
        g2[i] = g[i / 2];
        o2[i] = o[i % D] / 2;
    }
    same_output("one element is a matrix of one by one", &a, &b);
}
END_TEST

int main(void)
{
    gemm_setup();
    Suite *s = suite_create("mixers_additive");
    TCase *c = tcase_create("identities");
    tcase_add_test(c, test_rwkv6_shift);
    tcase_add_test(c, test_rwkv6_fixed_shift);
    tcase_add_test(c, test_gateloop_phase);
    tcase_add_test(c, test_gateloop_elements);
    suite_add_tcase(s, c);
    return suite_run_together(s);
}
