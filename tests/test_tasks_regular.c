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

/* ---- cellular automata ------------------------------------------------------------------------------------------- */

typedef struct Orbit {
    int width, radius, orbit, steps;
    double ceiling, copy, constant; /* as published, by simulation */
} Orbit;

static const Orbit orbits[] = {
    { 20, 2, 10, 1, 0.9964, 0.54, 0.64 }, { 20, 2, 10, 2, 0.9905, 0.59, 0.64 }, { 20, 2, 10, 4, 0.976, 0.59, 0.64 },
    { 12, 1, 6, 1, 0.9998, 0.60, 0.71 },  { 12, 1, 6, 4, 0.9991, 0.75, 0.71 },
};

static double half_digit(double page) { return page > 0.9 ? 6e-4 : 5e-3; } /* ceilings: of small simulations */

static void assert_page(double sum, double squares, double n, double page, const char *what, int index)
{
    double mean = sum / n, error = sqrt((squares / n - mean * mean) / n);
    ck_assert_msg(near(mean, page, half_digit(page) + 4 * error), "%s %d: %.5f (s.e. %.5f), page says %.4f", what,
                  index, mean, error, page);
}

/* The solver's accuracy and the two simple answers, per example, against the published digits. */
START_TEST(automaton_baselines)
{
    const Orbit *o = &orbits[_i];
    char settings[96];
    TaskCase c;
    double sum[3] = { 0 }, squares[3] = { 0 };
    snprintf(settings, sizeof settings, "{width: %d, radius: %d, orbit: %d, steps: %d}", o->width, o->radius, o->orbit,
             o->steps);
    if (!opens("cellular_automaton", settings, &c)) return;
    int w = o->width, end = o->orbit * (w + 1), wrong;
    for (uint64_t i = 0; i < DRAWS; i++) {
        task_draw(&c, i);
        ck_assert_int_eq(task_solve(&c, &wrong), w);
        double ones = 0, copied = 0;
        for (int k = 0; k < w; k++) {
            ones += c.e.target[end + k];
            copied += c.e.target[end + k] == c.e.input[end - w - 1 + k];
        }
        double share[3] = { 1 - (double)wrong / w, copied / w, fmax(ones, w - ones) / w };
        for (int k = 0; k < 3; k++) sum[k] += share[k], squares[k] += share[k] * share[k];
    }
    facts_mean(sum[0], squares[0], DRAWS, c.shape.ceiling, settings);
    ck_assert_msg(near(c.shape.ceiling, o->ceiling, half_digit(o->ceiling)), "ceiling %.5f", c.shape.ceiling);
    assert_page(sum[0], squares[0], DRAWS, o->ceiling, "solver", _i);
    assert_page(sum[1], squares[1], DRAWS, o->copy, "copy of the last state", _i);
    assert_page(sum[2], squares[2], DRAWS, o->constant, "constant of the example", _i);
}
END_TEST

/* One rule rules an example; what it showed is marked 0, and an entry that it did not show is a fair coin. */
START_TEST(automaton_rule)
{
    enum { W = 12, ORBIT = 4, END = ORBIT * (W + 1) };
    TaskCase c;
    double ones = 0, coins = 0, heads = 0, next[8] = { 0 }, met[8] = { 0 };
    if (!opens("cellular_automaton", "{width: 12, orbit: 4}", &c)) return;
    for (uint64_t i = 0; i < DRAWS; i++) {
        int rule[8] = { -1, -1, -1, -1, -1, -1, -1, -1 };
        bool tossed = false;
        task_draw(&c, i);
        const int *x = c.e.input, *y = c.e.target;
        ck_assert_int_eq(c.e.len, END + W);
        for (int j = 1; j <= ORBIT; j++) {
            const int *from = x + (j - 1) * (W + 1);
            ck_assert_int_eq(from[W], 2);
            for (int k = 0; k < W; k++) {
                int e = 4 * from[(k + W - 1) % W] + 2 * from[k] + from[(k + 1) % W];
                int value = j < ORBIT ? from[W + 1 + k] : y[END + k];
                if (j == ORBIT) {
                    ck_assert(x[END + k] == 4 && c.e.slice_of[END + k] == (rule[e] < 0));
                    if (rule[e] < 0 && !tossed) tossed = true, coins++, heads += value;
                    ck_assert(rule[e] < 0 || rule[e] == value);
                    continue;
                }
                ck_assert(rule[e] < 0 || rule[e] == value);
                if (rule[e] < 0) met[e]++, next[e] += value;
                rule[e] = value;
            }
        }
        ones += x[3];
    }
    for (int e = 0; e < 8; e++) facts_share(next[e], met[e], 0.5, "rule entry", e);
    facts_share(ones, DRAWS, 0.5, "first state", 3);
    ck_assert(coins > 100);
    facts_share(heads, coins, 0.5, "unseen entries", 0);
}
END_TEST

/* Whatever is marked as shown is solved; a copy in the other form differs by what its own state shows. */
START_TEST(automaton_slices)
{
    static const char *const settings[] = { "{width: 20, radius: 2, orbit: 5, steps: 3}",
                                            "{width: 20, radius: 3, orbit: 6, form: next}" };
    TaskCase c;
    int wrong, unseen = 0;
    if (!opens("cellular_automaton", settings[_i], &c)) return;
    for (uint64_t i = 0; i < 2000; i++) {
        task_draw(&c, i);
        task_solve(&c, &wrong);
        for (int t = 0; t < c.e.len; t++) {
            if (c.e.target[t] == IGNORE) continue;
            unseen += c.e.slice_of[t];
            ck_assert(c.e.slice_of[t] || c.prediction[t] == c.e.target[t]);
            if (_i == 1 && t + 1 < c.e.len) ck_assert_int_eq(c.e.target[t], c.e.input[t + 1]);
        }
    }
    ck_assert_int_gt(unseen, 1000);
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
    tcase_add_loop_test(c, automaton_baselines, 0, (int)(sizeof orbits / sizeof *orbits));
    tcase_add_test(c, automaton_rule);
    tcase_add_loop_test(c, automaton_slices, 0, 2);
    suite_add_tcase(s, c);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_ENV);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
