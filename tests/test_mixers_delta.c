/* SPDX-License-Identifier: Apache-2.0
 * test_mixers_delta.c - where mixers of the delta family must agree: one factor, no decay, equal gates. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "support/rig.h"
#include "support/suite.h"

#define SIZES                                                                                                          \
    { "heads", "2" }, { "head_k", "4" }, { "head_v", "3" }
enum { H = 2, K = 4, V = 3, D = RIG_D };

START_TEST(test_product)
{
    Rig a, b;
    if (RIG_OPEN(&b, "delta_net", SIZES) &&
        RIG_OPEN(&a, "delta_product", SIZES, { "n_h", "1" }, { "eigenvalues", "[0, 1]" }, { "output_gate", "none" }))
        rig_identity("delta_product of one factor is delta_net", &a, &b, 0);
    if (RIG_OPEN(&b, "gated_delta_net", SIZES) &&
        RIG_OPEN(&a, "delta_product", SIZES, { "n_h", "1" }, { "decay", "true" }, { "eigenvalues", "[0, 1]" }))
        rig_identity("gated delta_product of one factor is gated_delta_net", &a, &b, 0);
}
END_TEST

static void fill(real *x, size_t n, double value)
{
    for (size_t i = 0; i < n; i++) x[i] = (real)value;
}

/* A rate of e^-60 leaves a decay of 1. Not to the bit: with a decay the kernel rounds a s + w u in another order. */
START_TEST(test_no_decay)
{
    static const char *const gated[] = { "gated_delta_net", "kda" };
    for (size_t i = 0; i < sizeof gated / sizeof *gated; i++) {
        Rig a, b;
        if (!RIG_OPEN(&b, "delta_net", SIZES, { "eigenvalues", "[-1, 1]" }) ||
            !RIG_OPEN(&a, gated[i], SIZES, { "output_gate", "none" }, { "eigenvalues", "[-1, 1]" }))
            continue;
        fill(rig_weight(&a, "a_log", H), H, -60);
        rig_identity("without decay it is delta_net", &a, &b, rig_tolerance());
    }
}
END_TEST

/* to (D,H W) has every column of from (D,H) W times. */
static void repeat_columns(real *to, const real *from, int rows, int W)
{
    for (int r = 0; r < rows; r++)
        for (int i = 0; i < H * W; i++) to[r * H * W + i] = from[r * H + i / W];
}

/* A decay of rank H can be one per head: W1 is Wa, W2 repeats a head's entry for its channels. */
START_TEST(test_equal_channels)
{
    Rig a, b;
    if (!RIG_OPEN(&b, "gated_delta_net", SIZES, { "output_gate", "none" }) ||
        !RIG_OPEN(&a, "kda", SIZES, { "output_gate", "none" }, { "rank", "2" }))
        return;
    static const real eye[] = { 1, 0, 0, 1 };
    memcpy(rig_weight(&a, "wa1", D * H), rig_weight(&b, "wa", D * H), sizeof(real) * D * H);
    repeat_columns(rig_weight(&a, "wa2", H * H * K), eye, H, K);
    repeat_columns(rig_weight(&a, "dt_bias", H * K), rig_weight(&b, "dt_bias", H), 1, K);
    rig_identity("kda with equal decays in a head is gated_delta_net", &a, &b, rig_tolerance());
}
END_TEST

START_TEST(test_equal_gates)
{
    Rig a, b;
    if (!RIG_OPEN(&b, "kda", SIZES) || !RIG_OPEN(&a, "gated_delta_net2", SIZES)) return;
    repeat_columns(rig_weight(&a, "wb", D * H * K), rig_weight(&b, "wb", D * H), D, K);
    repeat_columns(rig_weight(&a, "ww", D * H * V), rig_weight(&b, "wb", D * H), D, V);
    rig_identity("gated_delta_net2 with b = w = beta is kda", &a, &b, rig_tolerance());
}
END_TEST

int main(void)
{
    gemm_setup();
    Suite *s = suite_create("mixers_delta");
    TCase *c = tcase_create("identities");
    tcase_add_test(c, test_product);
    tcase_add_test(c, test_no_decay);
    tcase_add_test(c, test_equal_channels);
    tcase_add_test(c, test_equal_gates);
    suite_add_tcase(s, c);
    return suite_run_together(s);
}
