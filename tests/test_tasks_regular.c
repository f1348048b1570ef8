/* SPDX-License-Identifier: Apache-2.0
 * test_tasks_regular.c - layouts and exact probabilities of the small regular tasks: windows of bits, cycles, pairs,
 * cellular automata, and the published settings of flip-flop and word problems.
 *
 * Statistics use fixed seeds and 4 standard errors of exact probabilities.
 */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/task_facts.h"

enum { DRAWS = 20000 };

static Arena *arena;
static void setup(void) { arena = arena_new("test"); }
static void teardown(void) { arena_free(arena); }

static bool opens(const char *task, const char *settings, TaskCase *c) { return facts_open(task, settings, arena, c); }

static bool near(double x, double page, double half_digit) { return fabs(x - page) <= half_digit + 1e-12; }

/* ---- windows of bits --------------------------------------------------------------------------------------------- */

/* Biased: a bit is 1 half the time, two bits agree with probability 2/3, and the window is odd with (1 - 1/(n+1))/2 for
 * even n. */
START_TEST(n_parity_bias)
{
    static const struct {
        int n;
        double odd;
    } page[] = { { 2, 0.333 }, { 3, 0.5 }, { 10, 0.455 }, { 30, 0.484 } };
    int n = page[_i].n;
    char settings[64];
    TaskCase c;
    snprintf(settings, sizeof settings, "{n: %d, len: %d, score: final}", n, 2 * n);
    if (!opens("n_parity", settings, &c)) return;
    double odd = n % 2 ? 0.5 : (1 - 1.0 / (n + 1)) / 2, hits = 0, first = 0, agree = 0;
    ck_assert_msg(near(odd, page[_i].odd, 5e-4), "n %d: %.5f", n, odd);
    ck_assert(fabs(c.shape.chance_majority - fmax(odd, 1 - odd)) < 1e-12);
    for (uint64_t i = 0; i < DRAWS; i++) {
        task_draw(&c, i);
        const int *x = c.e.input, *y = c.e.target;
        for (int t = 0; t < 2 * n - 1; t++) ck_assert_int_eq(y[t], IGNORE);
        hits += y[2 * n - 1], first += x[0], agree += x[0] == x[2 * n - 1];
    }
    facts_share(hits, DRAWS, odd, "odd windows, n", n);
    facts_share(first, DRAWS, 0.5, "ones, n", n);
    facts_share(agree, DRAWS, 2.0 / 3, "bits that agree, n", n);
}
END_TEST

START_TEST(n_parity_balanced)
{
    TaskCase c;
    double agree = 0, odd = 0;
    if (!opens("n_parity", "{n: 4, len: 8, balanced: true}", &c)) return;
    ck_assert(c.shape.chance_majority == 0.5);
    for (uint64_t i = 0; i < DRAWS; i++) {
        task_draw(&c, i);
        for (int t = 0; t < 8; t++) ck_assert_int_eq(c.e.target[t] == IGNORE, t < 3);
        agree += c.e.input[0] == c.e.input[7], odd += c.e.target[5];
    }
    facts_share(agree, DRAWS, 0.5, "bits that agree", 0);
    facts_share(odd, DRAWS, 0.5, "odd windows", 0);
}
END_TEST

/* Lengths of the source, and a match half the time at each of the scored positions. */
START_TEST(delayed_match_lengths)
{
    enum { N = 4, LO = N + 2, HI = 4 * N + 1 };
    TaskCase c;
    double lengths[HI + 1] = { 0 }, same[HI + 1] = { 0 }, asked[HI + 1] = { 0 };
    if (!opens("delayed_match", NULL, &c)) return;
    for (uint64_t i = 0; i < DRAWS; i++) {
        task_draw(&c, i);
        lengths[c.e.len]++;
        for (int t = 0; t < c.e.len; t++) {
            ck_assert_int_eq(c.e.target[t], t < N - 1 ? IGNORE : c.e.input[t] == c.e.input[t - N + 1]);
            if (t >= N - 1) asked[t]++, same[t] += c.e.target[t];
        }
    }
    for (int n = LO; n <= HI; n++) facts_share(lengths[n], DRAWS, 1.0 / (HI - LO + 1), "length", n);
    for (int t = N - 1; t < HI; t++) facts_share(same[t], asked[t], 0.5, "match at", t);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("tasks_regular");
    TCase *c = tcase_create("tasks_regular");
    tcase_set_timeout(c, 120);
    tcase_add_checked_fixture(c, setup, teardown);
    tcase_add_loop_test(c, n_parity_bias, 0, 4);
    tcase_add_test(c, n_parity_balanced);
    tcase_add_test(c, delayed_match_lengths);
    suite_add_tcase(s, c);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_ENV);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
