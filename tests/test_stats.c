/* SPDX-License-Identifier: Apache-2.0
 * test_stats.c - Student's quantiles against published tables; intervals and permutations against hand-made cases.
 */
#include <check.h>
#include <math.h>
#include <stdlib.h>

#include "support/suite.h"
#include "sweep/stats.h"

static Arena *arena;

static void setup(void) { arena = arena_new("test"); }
static void teardown(void) { arena_free(arena); }

START_TEST(quantiles)
{
    static const struct {
        int degrees;
        double t;
    } table[] = {
        { 1, 12.706204736 },  { 2, 4.302652730 },    { 3, 3.182446305 },         { 4, 2.776445105 },
        { 5, 2.570581836 },   { 6, 2.446911851 },    { 7, 2.364624252 },         { 8, 2.306004135 },
        { 9, 2.262157163 },   { 10, 2.228138852 },   { 15, 2.131449546 },        { 20, 2.085963447 },
        { 29, 2.045229642 },  { 30, 2.042272456 },   { 60, 2.000297822 },        { 100, 1.983971519 },
        { 120, 1.979930405 }, { 1000, 1.962339081 }, { 100000000, 1.959963985 },
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        ck_assert_double_eq_tol(student_t95(table[i].degrees), table[i].t, 1e-7);
    for (int d = 1; d < 1000; d++) ck_assert(student_t95(d) > student_t95(d + 1)); /* also where the form changes */
    ck_assert_double_eq_tol(student_t95(400), student_t95(401), 2e-5);
}
END_TEST

START_TEST(moments)
{
    double odd[] = { 3, 1, 2 }, even[] = { 4, 1, 2, 3 }, one[] = { 7 }, same[] = { 0.1, 0.1, 0.1 };
    ck_assert_double_eq(median_of(odd, 3), 2);
    ck_assert_double_eq(odd[0], 1); /* sorted */
    ck_assert_double_eq(median_of(even, 4), 2.5);
    ck_assert_double_eq(median_of(one, 1), 7);
    ck_assert(isnan(median_of(one, 0)));
    ck_assert_double_eq(mean_of(even, 4), 2.5);
    ck_assert(isnan(mean_of(even, 0)));
    ck_assert_double_eq_tol(deviation_of(even, 4), sqrt(5.0 / 3), 1e-15);
    ck_assert(isnan(deviation_of(one, 1)));
    ck_assert_double_eq_tol(deviation_of(same, 3), 0, 1e-15);
}
END_TEST

START_TEST(intervals)
{
    const double x[] = { 1, 2, 3 }, two[] = { 0.4, 0.6 };
    Interval i = seed_interval(x, 3); /* 2 +- 4.302652730 / sqrt(3) */
    ck_assert_double_eq_tol(i.lo, 2 - 2.484137712, 1e-8);
    ck_assert_double_eq_tol(i.hi, 2 + 2.484137712, 1e-8);
    i = seed_interval(two, 2);                          /* 0.5 +- 12.7062 * 0.1 */
    ck_assert_double_eq_tol(i.lo, -0.7706204736, 1e-9); /* not clipped */
    i = seed_interval(two, 1);
    ck_assert(isnan(i.lo) && isnan(i.hi));
    const Interval a = { 0, 1 }, b = { 1, 2 }, c = { 1.5, 3 }, none = { (double)NAN, (double)NAN };
    ck_assert(!intervals_apart(a, b)); /* they touch */
    ck_assert(intervals_apart(a, c) && intervals_apart(c, a));
    ck_assert(!intervals_apart(a, none) && !intervals_apart(none, a));
}
END_TEST

static Paired of_differences(const double *d, int n)
{
    double *zero = ARENA_NEW(arena, double, n + 1);
    return paired_compare(d, zero, n, arena);
}

START_TEST(pairs)
{
    const double x[] = { 0.9, 0.8, 0.7 }, y[] = { 0.5, 0.6, 0.7 };
    Paired p = paired_compare(x, y, 3, arena); /* differences 0.4 0.2 0 */
    ck_assert_int_eq(p.n, 3);
    ck_assert_int_eq(p.wins, 2);
    ck_assert_int_eq(p.losses, 0);
    ck_assert_int_eq(p.ties, 1);
    ck_assert_double_eq_tol(p.mean, 0.2, 1e-15);
    ck_assert_double_eq_tol(p.p, 0.5, 1e-15); /* ++0 and --0 of the four, each twice */
    ck_assert_double_eq_tol(p.interval.hi, 0.2 + 4.302652730 * 0.2 / sqrt(3), 1e-8);
    p = paired_compare(y, x, 3, arena);
    ck_assert_int_eq(p.losses, 2);
    ck_assert_double_eq_tol(p.mean, -0.2, 1e-15);
    ck_assert_double_eq_tol(p.p, 0.5, 1e-15);
    p = paired_compare(x, x, 3, arena); /* nothing differs */
    ck_assert_int_eq(p.ties, 3);
    ck_assert_double_eq(p.p, 1);
    p = paired_compare(x, y, 1, arena);
    ck_assert_double_eq(p.p, 1);
    ck_assert(isnan(p.interval.lo));
    p = paired_compare(x, y, 0, arena);
    ck_assert(isnan(p.p) && isnan(p.mean));
    const double lost[] = { (double)INFINITY, 1 };
    ck_assert(isnan(of_differences(lost, 2).p)); /* a loss of a diverged run: no p, and none of 0 */
}
END_TEST

START_TEST(permutations)
{
    /* The sum is 4. Turning signs that weigh s makes 10 - 2 s of 10: s is 0, 1, 2, 3 (twice), or 7 and more. */
    const double four[] = { 1, 2, -3, 4 };
    ck_assert_double_eq_tol(of_differences(four, 4).p, 10.0 / 16, 1e-15);
    const double all[] = { 1, 2, 3, 4 };
    ck_assert_double_eq_tol(of_differences(all, 4).p, 2.0 / 16, 1e-15);
    const double tenths[] = { 0.1, 0.2, -0.3 }; /* 0 in decimals, not in binary: every choice reaches it */
    ck_assert_double_eq_tol(of_differences(tenths, 3).p, 1, 1e-15);
    /* Darwin's fifteen pairs of maize, in eighths of an inch: the case Fisher made of it, 1726 of 2^15. */
    const double maize[] = { 49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48 };
    Paired p = of_differences(maize, 15);
    ck_assert_double_eq_tol(p.mean, 314.0 / 15, 1e-12);
    ck_assert_double_eq_tol(p.p, 1726.0 / 32768, 1e-15);
    double many[40];
    for (int i = 0; i < 40; i++) many[i] = 1;
    ck_assert_double_eq_tol(of_differences(many, 20).p, 2.0 / (1 << 20), 1e-18);
    ck_assert_double_eq_tol(of_differences(many, 40).p, 1.0 / 65537, 1e-18);
    for (int i = 0; i < 40; i += 2) many[i] = -1.5; /* sum -10; normal approximation: 10 / sqrt(65), p = 0.215 */
    double drawn = of_differences(many, 40).p;
    ck_assert_double_eq_tol(drawn, 0.215, 0.05);
    ck_assert_double_eq(of_differences(many, 40).p, drawn); /* the same draws each time */
}
END_TEST

int main(void)
{
    Suite *s = suite_create("stats");
    TCase *c = tcase_create("stats");
    tcase_set_timeout(c, 30);
    tcase_add_checked_fixture(c, setup, teardown);
    tcase_add_test(c, quantiles);
    tcase_add_test(c, moments);
    tcase_add_test(c, intervals);
    tcase_add_test(c, pairs);
    tcase_add_test(c, permutations);
    suite_add_tcase(s, c);
    return suite_run(s);
}
