/* SPDX-License-Identifier: Apache-2.0
 * test_base.c - errors, checks, arenas and random numbers.
 *
 * PCG32 is held against the output published with the reference implementation (pcg-c, test-high, check-pcg32: five
 * rounds of numbers, coins, dice and cards for seeds 42, 54) and against a second implementation over 10^6 draws.
 */
#include "base/base.h"
#include "support/suite.h"

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- errors ---- */

static bool fails(Err *e) { return err_set(e, EXIT_USAGE, "%s:%d: bad %s", "x.yaml", 7, "thing"); }

static bool passes_on(Err *e)
{
    TRY(fails(e));
    return err_set(e, EXIT_FAILED, "never reached");
}

START_TEST(err_is_filled_once)
{
    Err e = { 0 };
    ck_assert(!passes_on(&e));
    ck_assert_int_eq(e.code, EXIT_USAGE);
    ck_assert_str_eq(e.msg, "x.yaml:7: bad thing");
    ck_assert(!err_set(&e, EXIT_FAILED, "second"));
    ck_assert_str_eq(e.msg, "x.yaml:7: bad thing");
    ck_assert_int_eq(e.code, EXIT_USAGE);
    ck_assert(!err_set(NULL, EXIT_FAILED, "nobody listens"));
}
END_TEST

START_TEST(err_prefix_goes_in_front)
{
    Err e = { 0 };
    ck_assert(!err_prefix(&e, "run %d", 3));
    ck_assert_str_eq(e.msg, "");
    fails(&e);
    ck_assert(!err_prefix(&e, "run %d", 3));
    ck_assert_str_eq(e.msg, "run 3: x.yaml:7: bad thing");
    ck_assert(!err_prefix(NULL, "run"));
}
END_TEST

START_TEST(err_long_messages_are_cut)
{
    char big[2000];
    Err e = { 0 };
    memset(big, 'a', sizeof big - 1);
    big[sizeof big - 1] = 0;
    err_set(&e, EXIT_FAILED, "%s", big);
    ck_assert_uint_eq(strlen(e.msg), sizeof e.msg - 1);
    err_prefix(&e, "p");
    ck_assert_uint_eq(strlen(e.msg), sizeof e.msg - 1);
    ck_assert(!strncmp(e.msg, "p: aaa", 6));
    err_prefix(&e, "%s", big);
    ck_assert_uint_eq(strlen(e.msg), sizeof e.msg - 1);
}
END_TEST

START_TEST(failed_check_aborts)
{
    CHECK(1 + 1 == 2, "fine");
    CHECK(1 + 1 == 3, "as it should: %d", 2);
}
END_TEST

/* ---- arenas ---- */

START_TEST(arena_aligns_and_zeroes)
{
    Arena *a = arena_new("test");
    for (size_t n = 0; n < 300; n++) {
        char *p = arena_alloc(a, n, 1), *z = arena_zalloc(a, n, 1);
        ck_assert_uint_eq((uintptr_t)p % 64, 0);
        ck_assert_uint_eq((uintptr_t)z % 64, 0);
        for (size_t i = 0; i < n; i++) ck_assert_int_eq(z[i], 0);
        memset(p, 1, n);
        memset(z, 2, n);
    }
    arena_free(a);
    arena_free(NULL);
}
END_TEST

START_TEST(arena_blocks_do_not_overlap)
{
    enum { N = 40 };
    Arena *a = arena_new("test");
    unsigned char *p[N];
    size_t n[N];
    for (int i = 0; i < N; i++) { /* up to 1.5 MB each: many blocks */
        n[i] = (size_t)(i * 37 % N + 1) * 38000;
        p[i] = ARENA_RAW(a, unsigned char, n[i]);
        memset(p[i], i + 1, n[i]);
    }
    for (int i = 0; i < N; i++)
        for (size_t k = 0; k < n[i]; k += 997) ck_assert_int_eq(p[i][k], i + 1);
    arena_free(a);
}
END_TEST

START_TEST(arena_marks_across_blocks)
{
    Arena *a = arena_new("test");
    char *keep = arena_strdup(a, "kept");
    size_t mark = arena_mark(a), peak = 0;
    void *first[6], *big = NULL;
    for (int round = 0; round < 4; round++) {
        for (int i = 0; i < 6; i++) {
            void *p = arena_alloc(a, 700000, 1);
            memset(p, round, 700000);
            if (round == 0) first[i] = p;
            if (i < 3 && round < 3) ck_assert_ptr_eq(p, first[i]); /* the same memory in the same order */
        }
        if (round == 0) peak = arena_peak(a);
        ck_assert_uint_eq(arena_peak(a), peak); /* and no more of it */
        arena_reset(a, mark);
        ck_assert_uint_eq(arena_mark(a), mark);
    }
    big = arena_alloc(a, 30000000, 1); /* kept blocks are too small for this one */
    memset(big, 7, 30000000);
    ck_assert_uint_ge(arena_peak(a), 30000000);
    ck_assert_str_eq(keep, "kept");
    arena_reset(a, 0);
    ck_assert_uint_eq(arena_mark(a), 0);
    ck_assert_ptr_eq(arena_alloc(a, 1, 1), keep);
    arena_free(a);
}
END_TEST

START_TEST(arena_nested_marks)
{
    Arena *a = arena_new("test");
    size_t mark[50];
    char *text[50];
    for (int i = 0; i < 50; i++) {
        mark[i] = arena_mark(a);
        text[i] = arena_printf(a, "%d %0*d", i, 50000, i);
    }
    for (int i = 49; i >= 25; i--) arena_reset(a, mark[i]);
    for (int i = 0; i < 25; i++) ck_assert_int_eq(atoi(text[i]), i);
    ck_assert_ptr_eq(arena_alloc(a, 50000, 1), text[25]);
    arena_free(a);
}
END_TEST

START_TEST(arena_reset_beyond_aborts)
{
    Arena *a = arena_new("test");
    arena_reset(a, 64);
}
END_TEST

START_TEST(arena_overflow_exits)
{
    Arena *a = arena_new("test");
    arena_alloc(a, SIZE_MAX / 2, 16);
}
END_TEST

START_TEST(arena_poison)
{
#ifdef POISON
    Arena *a = arena_new("test");
    for (int round = 0; round < 2; round++) {
        real *x = ARENA_RAW(a, real, 1000);
        for (int i = 0; i < 1000; i++) {
            ck_assert(isnan(x[i]));
            x[i] = 0;
        }
        arena_reset(a, 0);
    }
    ck_assert(ARENA_NEW(a, real, 10)[9] == 0);
    arena_free(a);
#else
    ck_assert(true);
#endif
}
END_TEST

START_TEST(arena_strings)
{
    Arena *a = arena_new("test");
    char *s = arena_printf(a, "%s-%d", "abc", 42);
    ck_assert_str_eq(s, "abc-42");
    char *t = arena_strdup(a, s);
    ck_assert_ptr_ne(s, t);
    ck_assert_str_eq(t, "abc-42");
    char *big = arena_printf(a, "%0*d", 100000, 1);
    ck_assert_uint_eq(strlen(big), 100000);
    arena_free(a);
}
END_TEST

/* ---- PCG32 ---- */

static const struct {
    uint32_t x[6];
    const char *coins, *rolls, *cards;
} published[] = {
    { { 0xa15c02b7, 0x7b47f409, 0xba1d3330, 0x83d2f293, 0xbfa4784b, 0xcbed606e },
      "HHTTTHTHHHTHTTTHHHHHTTTHHHTHTHTHTTHTTTHHHHHHTTTTHHTTTTTHTTTTTTTHT",
      "341122324324335231315141564662633",
      "QdKs6d3s3d4c3hTdKc5cJhKdJdAs4s4hAdThAcJc7sQs2s7hKh2d6cAh4dQh9h6s5s2c9cTs8d9s3c8cJs5d2h6h7d8s9d5h8hQc7cTc" },
    { { 0x74ab93ad, 0x1c1da000, 0x494ff896, 0x34462f2f, 0xd308a3e5, 0x0fa83bab },
      "HHHHHHHHHHTHHHTHTHTHTHTTTTHHTTTHHTHHTHTTHHTTTHHHHHHTHTTHTHTTTTTTT",
      "511332453226432424323632342411544",
      "7d2s7hTd8s3c3dJs2dTc4hQs5c9cTh2cJcQd9dQc7s3s5s6h4dJh4cAc4s5h5dKc8h8dJd9sAd6s6cKd2h3hKhTsQh9h6dAs7cKsAh8c" },
    { { 0x39af5f9f, 0x04196b18, 0xc3c3eb28, 0xc076c60c, 0xc693e135, 0xf8f63932 },
      "HTTHHTTTTTHTTHHHTHTTHHTTHTHHTHTHTTTTHHTTTHHTHHTTHTTHHHTHHHTHTTTHT",
      "515322453313463234223152466424336",
      "KdJhKcQh4dQc4h9d3cKhQs8h5cJd7d8d3h7c8s3s2hKs9c9h2c8cAd7s4s2s5h6s4cAh7h5sAc3d5dQdAsTc6h9s2d6c6dTdJcTsThJs" },
    { { 0x55ce6851, 0x97a7726d, 0x17e10815, 0x58007d43, 0x962fb148, 0xb9bb55bd },
      "HHTHHTTTTHTHHHHHTTHHHTTTHHTHTHTHTHHTTHTHHHHHHTHHTHHTHHTTTTHHTHHTT",
      "663234264263235534466265446161365",
      "Qd8h5d8s8dTs7hThQsJs7sKc6h5s4dAcJd7d7cTd2c6s5h6d3sKd9sJhKhAsAh9h3cQh9c2dTc9d2s3dKs4hQcAdJc8c2h3h4s4c5c6c" },
    { { 0xfcef7cd6, 0x1b488b5a, 0xd0daf7ea, 0x1d9a70f7, 0x241a37cf, 0x9a3857b7 },
      "HHHHTHHTTHTTHHHTTTHHTHTHTTTTHTTHTHTTTHHHTHTHTTHTTHTHHTHTHHHTHTHTT",
      "541261315636214452156564445264356",
      "4d9sQc9hAsQs7s4cKd6h6s2c8c5d7h5hJc3s7cJhJsKsTcJdKcTh3hTsQhAdTd3cAh2d3d5cAc8s5s9c2h6c6dKhQd8d7d2s8h4h9d4s" },
};

START_TEST(pcg32_published_rounds)
{
    Rng r = rng_seed(42, 54);
    for (size_t k = 0; k < sizeof published / sizeof *published; k++) {
        char coins[66] = "", rolls[34] = "", cards[105] = "";
        int card[52];
        for (int i = 0; i < 6; i++) ck_assert_uint_eq(rng_u32(&r), published[k].x[i]);
        for (int i = 0; i < 65; i++) coins[i] = rng_below(&r, 2) ? 'H' : 'T';
        for (int i = 0; i < 33; i++) rolls[i] = (char)('1' + rng_below(&r, 6));
        for (int i = 0; i < 52; i++) card[i] = i;
        rng_shuffle(&r, card, 52);
        for (int i = 0; i < 52; i++) {
            cards[2 * i] = "A23456789TJQK"[card[i] / 4];
            cards[2 * i + 1] = "hcds"[card[i] % 4];
        }
        ck_assert_str_eq(coins, published[k].coins);
        ck_assert_str_eq(rolls, published[k].rolls);
        ck_assert_str_eq(cards, published[k].cards);
    }
}
END_TEST

/* From the definition: output permutation of the old state, advance by multiply and add, both in 128 bits. */
static uint32_t second_pcg(uint64_t *state, uint64_t inc)
{
    uint64_t old = *state, hi = 6364136223846793005ull >> 32, lo = 6364136223846793005ull & 0xffffffffu;
    uint64_t shifted = ((old / 262144u) ^ old) / 134217728u % 4294967296u;
    int rot = (int)(old / 576460752303423488u);
    *state = ((old * hi) << 32) + old * lo + inc;
    for (; rot > 0; rot--) shifted = shifted / 2 + (shifted % 2) * 2147483648u;
    return (uint32_t)shifted;
}

START_TEST(pcg32_equals_second_implementation)
{
    Rng r = rng_named(7, "second");
    uint64_t state = r.state, inc = r.inc;
    ck_assert_uint_eq(inc % 2, 1);
    for (int i = 0; i < 1000000; i++) {
        uint32_t want = second_pcg(&state, inc), got = rng_u32(&r);
        if (want != got) ck_abort_msg("draw %d: %08x, want %08x", i, got, want);
    }
    ck_assert_uint_eq(r.state, state);
}
END_TEST

/* ---- distributions; all seeds are fixed, the bounds are about four standard deviations ---- */

static double chi_square(const int *count, int k, double expected)
{
    double x = 0;
    for (int i = 0; i < k; i++) x += (count[i] - expected) * (count[i] - expected) / expected;
    return x;
}

static void check_chi_square(const int *count, int k, double expected)
{
    double x = chi_square(count, k, expected), df = k - 1;
    ck_assert_msg(fabs(x - df) < 4.5 * sqrt(2 * df) + 4, "chi square %.1f for %d degrees", x, k - 1);
}

START_TEST(rng_below_is_uniform)
{
    static const uint32_t sizes[] = { 2, 3, 7, 10, 64, 1000 };
    Rng r = rng_seed(1, 1);
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        int count[1000] = { 0 };
        for (int i = 0; i < 200000; i++) {
            uint32_t x = rng_below(&r, sizes[s]);
            ck_assert_uint_lt(x, sizes[s]);
            count[x]++;
        }
        check_chi_square(count, (int)sizes[s], 200000.0 / sizes[s]);
    }
    ck_assert_uint_eq(rng_below(&r, 1), 0);
}
END_TEST

/* Of n = 3 * 2^30, plain modulo would give the lowest third twice as often as the others. */
START_TEST(rng_below_rejects_the_biased_part)
{
    Rng r = rng_seed(2, 1);
    int count[3] = { 0 };
    for (int i = 0; i < 30000; i++) count[rng_below(&r, 3221225472u) >> 30]++;
    check_chi_square(count, 3, 10000);
}
END_TEST

START_TEST(rng_below_zero_aborts)
{
    Rng r = rng_seed(1, 1);
    rng_below(&r, 0);
}
END_TEST

START_TEST(rng_uniform_has_53_bits)
{
    enum { N = 200000 };
    Rng r = rng_seed(3, 1);
    int ones[53] = { 0 }, bins[64] = { 0 };
    double sum = 0;
    for (int i = 0; i < N; i++) {
        double u = rng_uniform(&r), scaled = u * 0x1p53;
        ck_assert(u >= 0 && u < 1);
        ck_assert(floor(scaled) == scaled);
        uint64_t bits = (uint64_t)scaled;
        for (int b = 0; b < 53; b++) ones[b] += (int)(bits >> b & 1);
        bins[(int)(u * 64)]++;
        sum += u;
    }
    for (int b = 0; b < 53; b++) ck_assert_double_eq_tol(ones[b] / (double)N, 0.5, 4.5 * 0.5 / sqrt(N));
    check_chi_square(bins, 64, N / 64.0);
    ck_assert_double_eq_tol(sum / N, 0.5, 4 * sqrt(1.0 / 12 / N));
}
END_TEST

START_TEST(rng_uniform_layout)
{
    Rng r = rng_seed(42, 54); /* first outputs a15c02b7, 7b47f409 */
    uint64_t want = ((uint64_t)(0xa15c02b7u >> 5) << 26) + (0x7b47f409u >> 6);
    ck_assert(rng_uniform(&r) == (double)want / 9007199254740992.0);
}
END_TEST

START_TEST(rng_normal_moments)
{
    enum { N = 400000 };
    Rng r = rng_seed(4, 1);
    double m[5] = { 0 };
    int beyond = 0;
    for (int i = 0; i < N; i++) {
        double x = rng_normal(&r), p = 1;
        ck_assert(isfinite(x));
        for (int k = 1; k <= 4; k++) m[k] += (p *= x) / N;
        beyond += fabs(x) > 3;
    }
    ck_assert_double_eq_tol(m[1], 0, 4 / sqrt(N));
    ck_assert_double_eq_tol(m[2], 1, 4 * sqrt(2.0 / N));
    ck_assert_double_eq_tol(m[3], 0, 4 * sqrt(15.0 / N));
    ck_assert_double_eq_tol(m[4], 3, 4 * sqrt(96.0 / N));
    ck_assert_double_eq_tol(beyond / (double)N, 0.0026998, 4 * sqrt(0.0027 / N));
}
END_TEST

START_TEST(rng_shuffle_is_uniform)
{
    Rng r = rng_seed(5, 1);
    int count[24] = { 0 };
    for (int n = 0; n < 48000; n++) {
        int v[4] = { 0, 1, 2, 3 }, rank = 0;
        rng_shuffle(&r, v, 4);
        for (int i = 0; i < 4; i++) { /* number of the permutation */
            int smaller = 0;
            for (int j = i + 1; j < 4; j++) smaller += v[j] < v[i];
            rank = rank * (4 - i) + smaller;
        }
        count[rank]++;
    }
    check_chi_square(count, 24, 2000);
    int one = 9;
    rng_shuffle(&r, &one, 1);
    rng_shuffle(&r, NULL, 0);
    ck_assert_int_eq(one, 9);
}
END_TEST

START_TEST(rng_choose_is_distinct_and_uniform)
{
    enum { N = 11, K = 4, TRIALS = 40000 };
    Rng r = rng_seed(6, 1);
    int first[N] = { 0 }, any[N] = { 0 }, pair[N * N] = { 0 };
    for (int t = 0; t < TRIALS; t++) {
        int out[K], scratch[N], seen[N] = { 0 };
        rng_choose(&r, N, K, out, scratch);
        for (int i = 0; i < K; i++) {
            ck_assert(out[i] >= 0 && out[i] < N && !seen[out[i]]++);
            any[out[i]]++;
        }
        first[out[0]]++;
        pair[out[1] * N + out[3]]++;
    }
    check_chi_square(first, N, TRIALS / (double)N);
    for (int i = 0; i < N; i++) ck_assert_double_eq_tol(any[i], TRIALS * K / (double)N, 4 * sqrt(TRIALS * 0.232));
    for (int i = 0; i < N * N; i++) ck_assert_int_eq(pair[i] == 0, i / N == i % N);
    int all[N], scratch[N], sum = 0;
    rng_choose(&r, N, N, all, scratch);
    for (int i = 0; i < N; i++) sum += 1 << all[i];
    ck_assert_int_eq(sum, (1 << N) - 1);
    rng_choose(&r, 3, 0, all, scratch);
}
END_TEST

/* ---- streams ---- */

START_TEST(hashes_are_fixed)
{
    ck_assert_uint_eq(fnv1a64(""), 0xcbf29ce484222325u); /* published FNV-1a values */
    ck_assert_uint_eq(fnv1a64("a"), 0xaf63dc4c8601ec8cu);
    ck_assert_uint_eq(fnv1a64("foobar"), 0x85944171f73967e8u);
    ck_assert_uint_eq(mix64(0), 0xe220a8397b1dcdafu); /* first outputs of splitmix64 from states 0 and 1 */
    ck_assert_uint_eq(mix64(0x9e3779b97f4a7c15u), 0x6e789e6aa1b965f4u);
}
END_TEST

START_TEST(example_stream_formula)
{
    uint64_t key = mix64(fnv1a64("mqar/train/default") ^ mix64(11)), state = mix64(key + 5);
    Rng r = rng_example("mqar", "train", "default", 11, 5);
    ck_assert_uint_eq(r.state, state);
    ck_assert_uint_eq(r.inc, mix64(state ^ 0x9e3779b97f4a7c15u) | 1);
    Rng named = rng_named(11, "mqar/train/default"), zero = rng_example("mqar", "train", "default", 11, 0);
    ck_assert_uint_eq(named.state, zero.state);
}
END_TEST

/* First draws of neighbouring examples, seeds, splits and slices look like independent uniform draws. */
START_TEST(example_streams_are_independent)
{
    enum { N = 20000 };
    int bins[256] = { 0 }, flips[32] = { 0 }, next[256] = { 0 };
    uint32_t before = 0;
    for (uint64_t i = 0; i < N; i++) {
        Rng r = rng_example("parity", "train", "default", 0, i), s = rng_example("parity", "test", "default", 0, i);
        Rng u = rng_example("parity", "train", "default", 1, i), v = rng_example("parity", "train", "x4", 0, i);
        uint32_t x = rng_u32(&r), y = rng_u32(&s), z = rng_u32(&u), w = rng_u32(&v), second = rng_u32(&r);
        bins[x >> 24]++;
        next[(x >> 28) * 16 + (before >> 28)]++;
        for (int b = 0; b < 32; b++) flips[b] += (int)((x ^ before) >> b & 1);
        ck_assert(x != y && x != z && x != w && y != z && x != second);
        before = x;
    }
    check_chi_square(bins, 256, N / 256.0);
    check_chi_square(next, 256, N / 256.0);
    for (int b = 0; b < 32; b++) ck_assert_double_eq_tol(flips[b] / (double)N, 0.5, 4 * 0.5 / sqrt(N));
}
END_TEST

/* The coin flips of two examples agree half of the time, whatever the lag between them. */
START_TEST(example_streams_do_not_overlap)
{
    enum { N = 4096 };
    Rng r = rng_example("parity", "train", "default", 0, 1), s = rng_example("parity", "train", "default", 0, 2);
    static int x[N], y[2 * N];
    for (int i = 0; i < N; i++) x[i] = (int)rng_below(&r, 2);
    for (int i = 0; i < 2 * N; i++) y[i] = (int)rng_below(&s, 2);
    for (int lag = 0; lag < 64; lag++) {
        int agree = 0;
        for (int i = 0; i < N; i++) agree += x[i] == y[i + lag];
        ck_assert_double_eq_tol(agree / (double)N, 0.5, 4.5 * 0.5 / sqrt(N));
    }
}
END_TEST

static Suite *base_suite(void)
{
    Suite *s = suite_create("base");
    TCase *t = tcase_create("errors");
    tcase_add_test(t, err_is_filled_once);
    tcase_add_test(t, err_prefix_goes_in_front);
    tcase_add_test(t, err_long_messages_are_cut);
    tcase_add_test_raise_signal(t, failed_check_aborts, 6);
    suite_add_tcase(s, t);
    t = tcase_create("arenas");
    tcase_set_timeout(t, 30);
    tcase_add_test(t, arena_aligns_and_zeroes);
    tcase_add_test(t, arena_blocks_do_not_overlap);
    tcase_add_test(t, arena_marks_across_blocks);
    tcase_add_test(t, arena_nested_marks);
    tcase_add_test_raise_signal(t, arena_reset_beyond_aborts, 6);
    tcase_add_exit_test(t, arena_overflow_exits, EXIT_MEMORY);
    tcase_add_test(t, arena_poison);
    tcase_add_test(t, arena_strings);
    suite_add_tcase(s, t);
    t = tcase_create("random numbers");
    tcase_set_timeout(t, 60);
    tcase_add_test(t, pcg32_published_rounds);
    tcase_add_test(t, pcg32_equals_second_implementation);
    tcase_add_test(t, rng_below_is_uniform);
    tcase_add_test(t, rng_below_rejects_the_biased_part);
    tcase_add_test_raise_signal(t, rng_below_zero_aborts, 6);
    tcase_add_test(t, rng_uniform_has_53_bits);
    tcase_add_test(t, rng_uniform_layout);
    tcase_add_test(t, rng_normal_moments);
    tcase_add_test(t, rng_shuffle_is_uniform);
    tcase_add_test(t, rng_choose_is_distinct_and_uniform);
    tcase_add_test(t, hashes_are_fixed);
    tcase_add_test(t, example_stream_formula);
    tcase_add_test(t, example_streams_are_independent);
    tcase_add_test(t, example_streams_do_not_overlap);
    suite_add_tcase(s, t);
    return s;
}

int main(void) { return suite_run(base_suite()); }
