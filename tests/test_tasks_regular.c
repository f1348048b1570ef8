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

#include "support/suite.h"
#include "support/task_facts.h"

enum { DRAWS = 20000 };

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
    if (!facts_open("n_parity", settings, &c)) return;
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
    if (!facts_open("n_parity", "{n: 4, len: 8, balanced: true}", &c)) return;
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
    if (!facts_open("delayed_match", NULL, &c)) return;
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
    if (!facts_open("cellular_automaton", settings, &c)) return;
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
    if (!facts_open("cellular_automaton", "{width: 12, orbit: 4}", &c)) return;
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
    if (!facts_open("cellular_automaton", settings[_i], &c)) return;
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

/* ---- cycles, pairs, parity ----------------------------------------------------------------------------------------*/

/* Place of the walker after n moves: shares counted over all 3^n walks, measured, and as published. */
START_TEST(cycle_law)
{
    static const struct {
        int n, cycle;
        double page, half;
    } law[] = { { 1, 5, 0.333, 5e-4 }, { 3, 5, 0.26, 5e-3 },    { 5, 5, 0.218, 5e-4 },
                { 10, 5, 0.20, 5e-3 }, { 1, 2, 2 / 3.0, 1e-9 }, { 6, 9, 141 / 729.0, 1e-9 } };
    int n = law[_i].n, m = law[_i].cycle, walks = 1;
    double count[16] = { 0 }, seen[16] = { 0 }, most = 0;
    char settings[64];
    TaskCase c;
    snprintf(settings, sizeof settings, "{len: %d, cycle: %d, layout: final}", n, m);
    if (!facts_open("cycle_navigation", settings, &c)) return;
    for (int i = 0; i < n; i++) walks *= 3;
    for (int w = 0; w < walks; w++) {
        int place = 0;
        for (int i = 0, rest = w; i < n; i++, rest /= 3) place += rest % 3 + m - 1;
        count[place % m]++;
    }
    for (uint64_t i = 0; i < DRAWS; i++) {
        task_draw(&c, i);
        seen[c.e.target[n + 1]]++;
    }
    for (int k = 0; k < m; k++) {
        facts_share(seen[k], DRAWS, count[k] / walks, settings, k);
        most = fmax(most, count[k] / walks);
    }
    ck_assert_msg(fabs(c.shape.chance_majority - most) < 1e-12, "%s: %.6f", settings, c.shape.chance_majority);
    ck_assert_msg(near(most, law[_i].page, law[_i].half), "%s: %.6f", settings, most);
}
END_TEST

/* Every layout tells the same walk in its own ids. */
START_TEST(cycle_layouts)
{
    static const struct {
        const char *layout;
        int back, stay, forward, mark, answer;
    } row[] = { { "every", 0, 1, 2, -1, 0 },
                { "final", 0, 1, 2, 3, 0 },
                { "xlstm", 3, 1, 2, -1, 4 },
                { "slice", 3, 1, 2, -1, 4 },
                { "aussm", 8, 9, 7, -1, 0 } };
    char settings[64];
    double moves[10] = { 0 };
    TaskCase c;
    snprintf(settings, sizeof settings, "{cycle: 7, len: 9, bos: false, layout: %s}", row[_i].layout);
    if (!facts_open("cycle_navigation", settings, &c)) return;
    ck_assert_int_eq(c.shape.vocab_in, _i == 0 ? 3 : _i == 1 ? 4 : 11);
    ck_assert_int_eq(c.shape.vocab_out, _i < 2 ? 7 : 11);
    for (uint64_t i = 0; i < DRAWS; i++) {
        int place = 0;
        task_draw(&c, i);
        ck_assert_int_eq(c.e.len, 9 + (_i == 1));
        for (int t = 0; t < c.e.len; t++) {
            int x = c.e.input[t];
            bool last = t == c.e.len - 1, mark = last && _i == 1;
            ck_assert(mark ? x == row[_i].mark : x == row[_i].back || x == row[_i].stay || x == row[_i].forward);
            place += (x == row[_i].forward) - (x == row[_i].back);
            int want = ((place % 7) + 7) % 7 + row[_i].answer;
            ck_assert_int_eq(c.e.target[t], last || _i == 0 ? want : IGNORE);
            if (!mark) moves[x]++;
        }
    }
    facts_share(moves[row[_i].back], 9 * DRAWS, 1 / 3.0, "moves back", _i);
    facts_share(moves[row[_i].forward], 9 * DRAWS, 1 / 3.0, "moves forward", _i);
}
END_TEST

/* Answers by the definition, an even number of unequal neighbours, and by length. */
START_TEST(even_pairs_answers)
{
    TaskCase c;
    double odd[4] = { 0 }, seen[4] = { 0 };
    if (!facts_open("even_pairs", "{len: [1, 3], bos: false}", &c)) return;
    ck_assert(fabs(c.shape.chance_majority - 2 / 3.0) < 1e-12);
    for (uint64_t i = 0; i < DRAWS; i++) {
        int unequal = 0;
        task_draw(&c, i);
        int n = c.e.len - 1, y = c.e.target[n];
        for (int t = 1; t < n; t++) unequal += c.e.input[t] != c.e.input[t - 1];
        for (int t = 0; t < n; t++) ck_assert_int_eq(c.e.target[t], IGNORE);
        ck_assert(c.e.input[n] == 2 && y == unequal % 2);
        odd[n] += y, seen[n]++;
    }
    for (int n = 1; n <= 3; n++) facts_share(seen[n], DRAWS, 1 / 3.0, "length", n);
    ck_assert(odd[1] == 0);
    for (int n = 2; n <= 3; n++) facts_share(odd[n], seen[n], 0.5, "odd at length", n);
    if (!facts_open("even_pairs", "{len: 4, layout: every}", &c)) return;
    ck_assert(fabs(c.shape.chance_majority - 5 / 8.0) < 1e-12);
}
END_TEST

/* Sources that share a layout share its examples; the inverted parity is one less the other. */
START_TEST(layouts_agree)
{
    static const char *const task[] = { "parity", "even_pairs", "cycle_navigation" };
    TaskCase a, b;
    for (int k = 0; k < 3; k++) {
        if (!facts_open(task[k], "{layout: xlstm, len: [2, 39]}", &a) ||
            !facts_open(task[k], "{layout: slice, len: [2, 39]}", &b))
            continue;
        for (uint64_t i = 0; i < 200; i++) {
            task_draw(&a, i), task_draw(&b, i);
            ck_assert(task_hash(&a, 0) == task_hash(&b, 0));
        }
    }
    if (!facts_open("parity", "{layout: aussm, len: 12, bos: false}", &a)) return;
    if (!facts_open("parity", "{layout: every, len: 12, bos: false}", &b)) return;
    ck_assert(a.shape.vocab_in == 3 && a.shape.vocab_out == 3);
    for (uint64_t i = 0; i < 200; i++) {
        task_draw(&a, i), task_draw(&b, i);
        ck_assert(!memcmp(a.e.input, b.e.input, 12 * sizeof(int)));
        ck_assert_int_eq(a.e.target[11], 1 - b.e.target[11]);
        ck_assert_int_eq(a.e.target[10], IGNORE);
    }
}
END_TEST

/* ---- word problems ----------------------------------------------------------------------------------------------- */

START_TEST(word_generators)
{
    static const struct {
        const char *group;
        int id[2];
    } few[] = { { "Z12", { 1, 11 } }, { "D4", { 1, 4 } }, { "Q8", { 2, 4 } } };
    char settings[64];
    TaskCase c;
    double first = 0;
    bool reached[12] = { false };
    snprintf(settings, sizeof settings, "{group: %s, generators: few, len: 41, bos: false}", few[_i].group);
    if (!facts_open("word_problem", settings, &c)) return;
    for (uint64_t i = 0; i < 2000; i++) {
        task_draw(&c, i);
        for (int t = 0; t < 41; t++) {
            ck_assert(c.e.input[t] == few[_i].id[0] || c.e.input[t] == few[_i].id[1]);
            reached[c.e.target[t]] = true;
        }
        first += c.e.input[40] == few[_i].id[0];
    }
    facts_share(first, 2000, 0.5, settings, 0);
    for (int g = 0; g < c.shape.vocab_out; g++) ck_assert_msg(reached[g], "%s: product %d", settings, g);
}
END_TEST

/* Swaps come back to the identity more often than 1/120: twice the same letter of 11. The counted mark is free. */
START_TEST(word_identity)
{
    TaskCase c;
    double back = 0;
    if (!facts_open("word_problem", "{group: S5, generators: swaps, len: 2, count_bos: true}", &c)) return;
    ck_assert(c.shape.vocab_in == 127 && c.shape.vocab_out == 127);
    ck_assert(fabs(c.shape.chance_majority - 1 / 3.0) < 1e-12);
    for (uint64_t i = 0; i < DRAWS; i++) {
        task_draw(&c, i);
        ck_assert(c.e.input[0] == 121 && c.e.target[0] == 121);
        back += c.e.target[2] == 0;
    }
    facts_share(back, DRAWS, 1 / 11.0, "back at the identity", 2);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("tasks_regular");
    TCase *c = tcase_create("tasks_regular");
    tcase_set_timeout(c, 120);
    tcase_add_checked_fixture(c, facts_setup, facts_teardown);
    tcase_add_loop_test(c, n_parity_bias, 0, 4);
    tcase_add_test(c, n_parity_balanced);
    tcase_add_test(c, delayed_match_lengths);
    tcase_add_loop_test(c, automaton_baselines, 0, (int)(sizeof orbits / sizeof *orbits));
    tcase_add_test(c, automaton_rule);
    tcase_add_loop_test(c, automaton_slices, 0, 2);
    tcase_add_loop_test(c, cycle_law, 0, 6);
    tcase_add_loop_test(c, cycle_layouts, 0, 5);
    tcase_add_test(c, even_pairs_answers);
    tcase_add_test(c, layouts_agree);
    tcase_add_loop_test(c, word_generators, 0, 3);
    tcase_add_test(c, word_identity);
    suite_add_tcase(s, c);
    return suite_run(s);
}
