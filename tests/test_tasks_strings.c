/* SPDX-License-Identifier: Apache-2.0
 * test_tasks_strings.c - layouts and exact probabilities of the tasks on strings: what no line of a facts file can say.
 *
 * Exact probabilities come from counting all sequences of a small case, or from binomials and chains of their own;
 * statistics use fixed seeds and 4 standard errors.
 */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/suite.h"
#include "support/task_facts.h"

enum { DRAWS = 40000 };

/* As facts_share, and exactly none or all where the probability is 0 or 1. */
static void share(double hits, double n, double p, const char *what, int index)
{
    if (p <= 0 || p >= 1)
        ck_assert_msg(hits == n * p, "%s %d: %g of %g, expected %g", what, index, hits, n, n * p);
    else
        facts_share(hits, n, p, what, index);
}

/* p rounds to the figure that the head of the task gives. */
static void rounds_to(double p, double figure, double digit)
{
    ck_assert_msg(fabs(p - figure) <= digit / 2, "%.6f, said to be %.4f", p, figure);
}

static double choose(int n, int k)
{
    double c = 1;
    for (int i = 1; i <= k; i++) c *= (double)(n - k + i) / i;
    return c;
}

/* ---- majority ---------------------------------------------------------------------------------------------------- */

/* The probability that more (or, with ties, at least as many) of m fair bits are ones, from binomials. */
static double more_ones(int m, bool ties)
{
    double p = 0;
    for (int k = 0; k <= m; k++)
        if (2 * k > m || (ties && 2 * k == m)) p += choose(m, k) * pow(0.5, m);
    return p;
}

START_TEST(majority_cumulative)
{
    enum { N = 20 };
    TaskCase c;
    if (!facts_open("majority", "{len: 20}", &c)) return;
    double ones[N] = { 0 }, bits[N] = { 0 }, expected = 0;
    for (uint64_t i = 0; i < DRAWS; i++) {
        task_draw(&c, i);
        ck_assert_int_eq(c.e.len, N);
        for (int t = 0, sum = 0; t < N; t++) {
            bits[t] += c.e.input[t], ones[t] += c.e.target[t];
            sum += 2 * c.e.input[t] - 1;
            ck_assert_int_eq(c.e.slice_of[t], abs(sum));
        }
    }
    for (int t = 0; t < N; t++) {
        share(bits[t], DRAWS, 0.5, "bit", t);
        share(ones[t], DRAWS, more_ones(t + 1, true), "at least as many ones", t);
        expected += more_ones(t + 1, true) / N;
    }
    ck_assert_double_eq_tol(c.shape.chance_majority, expected, 1e-12);
}
END_TEST

START_TEST(majority_final)
{
    static const int lens[] = { 4, 7, 30 };
    char settings[64];
    TaskCase c;
    for (int i = 0; i < 3; i++) {
        snprintf(settings, sizeof settings, "{len: %d, layout: final}", lens[i]);
        if (!facts_open("majority", settings, &c)) return;
        double ones = 0;
        for (uint64_t k = 0; k < DRAWS; k++) {
            task_draw(&c, k);
            ck_assert(c.e.len == lens[i] + 1 && c.e.input[lens[i]] == 2);
            for (int t = 0; t < lens[i]; t++) ck_assert_int_eq(c.e.target[t], IGNORE);
            ones += c.e.target[lens[i]];
        }
        share(ones, DRAWS, more_ones(lens[i], false), "more ones of", lens[i]);
        ck_assert_double_eq_tol(c.shape.chance_majority, 1 - more_ones(lens[i], false), 1e-12);
    }
}
END_TEST

/* ---- vocab_majority ---------------------------------------------------------------------------------------------- */

typedef enum { UNTIED, REWRITTEN, FIRST, SMALLEST } TieRule;

typedef struct Vote {
    const char *settings;
    int first; /* id of the first token; five tokens */
    TieRule rule;
    bool count;
} Vote;

enum { TOKENS = 5, VOTES = 6 };

static const Vote votes[] = {
    { "{alphabet: 6, len: 6}", 1, UNTIED, false },
    { "{alphabet: 6, len: 6, compat: zoology}", 1, REWRITTEN, false },
    { "{alphabet: 6, len: 6, layout: slice}", 1, FIRST, false },
    { "{alphabet: 6, len: 6, layout: slice, count: true}", 1, FIRST, true },
    { "{alphabet: 6, len: 6, layout: aussm}", 0, SMALLEST, false },
    { "{alphabet: 6, len: 6, layout: aussm, count: true, cap: 3}", 0, SMALLEST, true },
    { "{alphabet: 6, len: 6, count: true}", 1, UNTIED, true },
};

/* The answer for a sequence of digits, or -1 if it is tied and ties are not allowed. */
static int vote(const Vote *v, const int *x, int cap)
{
    int count[TOKENS] = { 0 }, most = 0, tied = 0, winner = -1;
    for (int t = 0; t < VOTES; t++) count[x[t]]++;
    for (int k = 0; k < TOKENS; k++) most = count[k] > most ? count[k] : most;
    for (int k = TOKENS - 1; k >= 0; k--)
        if (count[k] == most) tied++, winner = k;
    if (v->rule == UNTIED && tied > 1) return -1;
    for (int t = VOTES - 1; t >= 0 && v->rule == FIRST; t--)
        if (count[x[t]] == most) winner = x[t];
    return !v->count ? v->first + winner : most < cap ? most : cap;
}

/* The law of the answer, by counting all 5^6 sequences. */
START_TEST(vocab_law)
{
    const Vote *v = &votes[_i];
    TaskCase c;
    if (!facts_open("vocab_majority", v->settings, &c)) return;
    double want[16] = { 0 }, hits[16] = { 0 }, all = 0;
    const int cap = strstr(v->settings, "cap: 3") ? 3 : 6;
    for (int code = 0; code < 15625; code++) {
        int x[VOTES];
        for (int t = 0, rest = code; t < VOTES; t++, rest /= TOKENS) x[t] = rest % TOKENS;
        const int answer = vote(v, x, cap);
        if (answer >= 0) want[answer]++, all++;
    }
    for (uint64_t i = 0; i < DRAWS; i++) {
        task_draw(&c, i);
        hits[c.e.target[c.e.len - 1]]++;
    }
    for (int k = 0; k < 16; k++) share(hits[k], DRAWS, want[k] / all, v->settings, k);
    if (v->rule == SMALLEST && !v->count) ck_assert_double_gt(want[0], 1.2 * want[4]);
    if (c.shape.chance_majority > 0) ck_assert_double_eq_tol(c.shape.chance_majority, 0.2, 1e-12);
}
END_TEST

/* Zoology's winner is never tied, the end mark follows; published, the first token of another kind was overwritten. */
START_TEST(vocab_untied)
{
    static const char *const settings[] = { "{alphabet: 9, len: 10}", "{alphabet: 9, len: 10, compat: zoology}",
                                            "{alphabet: 4000, len: 10}" };
    TaskCase c;
    if (!facts_open("vocab_majority", settings[_i], &c)) return;
    double leads[16] = { 0 };
    for (uint64_t i = 0; i < 2000; i++) {
        int count[4000] = { 0 }, winner = c.shape.vocab_in, runner_up = 0;
        task_draw(&c, i);
        ck_assert(c.e.len == 11 && c.e.input[10] == 0);
        winner = c.e.target[10];
        for (int t = 0; t < 10; t++) count[c.e.input[t]]++;
        for (int t = 0; t < 10; t++)
            if (c.e.input[t] != winner && count[c.e.input[t]] > runner_up) runner_up = count[c.e.input[t]];
        ck_assert_int_gt(count[winner], runner_up);
        ck_assert_int_eq(c.e.slice_of[10], count[winner] - runner_up);
        leads[c.e.slice_of[10]]++;
    }
    if (_i == 2) ck_assert_double_gt(leads[1], 1990); /* overwritten: two of a kind, the rest once */
}
END_TEST

/* ---- distinct ---------------------------------------------------------------------------------------------------- */

START_TEST(distinct_law)
{
    enum { N = 9, K = 7 };
    TaskCase c;
    if (!facts_open("distinct", "{alphabet: 9, len: 9}", &c)) return;
    double p[N + 1] = { 1 }, hits[N + 1] = { 0 }, first[K + 2] = { 0 };
    for (int t = 0; t < N; t++)
        for (int d = t + 1; d > 0; d--) {
            p[d] = p[d] * d / K + p[d - 1] * (K - d + 1) / K;
            if (d == 1) p[0] = 0;
        }
    for (uint64_t i = 0; i < DRAWS; i++) {
        task_draw(&c, i);
        const int d = c.e.len - N;
        hits[d]++;
        first[c.e.target[N + d - 1]]++;
        for (int t = 0; t < c.e.len; t++) {
            ck_assert_int_eq(c.e.input[t] == 0, t > N);
            ck_assert_int_eq(c.e.input[t] == K + 1, t == N);
            ck_assert_int_eq(c.e.slice_of[t], t < N ? IGNORE : t - N);
        }
    }
    for (int d = 1; d <= K; d++) share(hits[d], DRAWS, p[d], "distinct tokens", d);
    for (int k = 1; k <= K; k++) share(first[k], DRAWS, 1.0 / K, "last answer", k);
}
END_TEST

/* ---- agreement --------------------------------------------------------------------------------------------------- */

START_TEST(agreement_layout)
{
    enum { GAP = 3, FILLERS = 2, K = 3, MAX = 5 };
    TaskCase c;
    if (!facts_open("agreement",
                    _i ? "{len: [1, 5], k: 3, gap: 3, fillers: 2, variant: crossed}"
                       : "{len: [1, 5], k: 3, gap: 3, fillers: 2}",
                    &c))
        return;
    double gaps[GAP + 1] = { 0 }, fillers[FILLERS] = { 0 }, types[K] = { 0 }, lens[MAX + 1] = { 0 };
    double items = 0, filled = 0, openers = 0;
    for (uint64_t i = 0; i < 10000; i++) {
        int type[MAX], n = 0, slots = 0, run = 0;
        task_draw(&c, i);
        for (int t = 0; t < c.e.len; t++) {
            const int x = c.e.input[t];
            if (x >= 1 && x <= FILLERS) {
                fillers[x - 1]++, filled++, run++;
                continue;
            }
            gaps[run]++, items++, run = 0;
            if (x > FILLERS) {
                ck_assert(n < MAX && slots == 0 && c.e.target[t] == IGNORE);
                type[n++] = x - FILLERS - 1;
                types[x - FILLERS - 1]++, openers++;
            } else {
                ck_assert_int_eq(c.e.target[t], type[_i ? slots : n - 1 - slots]);
                ck_assert_int_eq(c.e.slice_of[t], slots++);
            }
        }
        ck_assert(slots == n && run == 0);
        lens[n]++;
    }
    for (int g = 0; g <= GAP; g++) share(gaps[g], items, 0.25, "gap", g);
    for (int f = 0; f < FILLERS; f++) share(fillers[f], filled, 0.5, "filler", f);
    for (int k = 0; k < K; k++) share(types[k], openers, 1.0 / 3, "type", k);
    for (int n = 1; n <= MAX; n++) share(lens[n], 10000, 0.2, "openers", n);
}
END_TEST

/* ---- the frame of the Chomsky tasks ------------------------------------------------------------------------------ */

typedef struct Frame {
    const char *task, *settings;
    int n, symbols, blanks, out; /* ids of the task itself; blanks per symbol */
} Frame;

static const Frame frames[] = {
    { "reverse_string", "{len: 6, alphabet: 3, blanks: 2}", 6, 3, 2, 6 },
    { "duplicate_string", "{len: 6, alphabet: 3, blanks: 1}", 6, 3, 1, 12 },
    { "odds_first", "{len: 7, alphabet: 3}", 7, 3, 0, 7 },
    { "missing_duplicate", "{len: 7, alphabet: 3, blanks: 3}", 7, 5, 3, 1 },
    { "bucket_sort", "{len: 6, alphabet: 3, blanks: 1}", 6, 3, 1, 6 },
    { "stack_manipulation", "{len: 6, alphabet: 3, blanks: 2, score_tail: true}", 6, 7, 2, 7 },
};

/* Symbols, then blanks, then queries; the last are the scored ones. */
START_TEST(frame_layout)
{
    const Frame *f = &frames[_i];
    TaskCase c;
    if (!facts_open(f->task, f->settings, &c)) return;
    const int blanks = f->n * f->blanks, query = f->symbols + (f->blanks > 0);
    ck_assert_int_eq(c.shape.vocab_in, query + 1);
    ck_assert_int_eq(c.shape.max_len, f->n + blanks + f->out);
    for (uint64_t i = 0; i < 1000; i++) {
        task_draw(&c, i);
        ck_assert_int_eq(c.e.len, f->n + blanks + f->out);
        for (int t = 0; t < c.e.len; t++) {
            const int x = c.e.input[t];
            ck_assert_msg(t < f->n            ? x < f->symbols
                          : t < f->n + blanks ? x == f->symbols
                                              : x == query,
                          "%s: id %d at %d", f->task, x, t);
            ck_assert_int_eq(c.e.target[t] == IGNORE, t < f->n + blanks);
            if (c.e.has_slice) ck_assert_int_eq(c.e.slice_of[t], t < f->n + blanks ? IGNORE : t - f->n - blanks);
        }
    }
}
END_TEST

/* The answer is the whole of what is needed: as tokens, from the definition. */
START_TEST(frame_answers)
{
    enum { N = 7 };
    TaskCase reverse, twice, odds, even, fed;
    if (!facts_open("reverse_string", "{len: 7, alphabet: 5}", &reverse) ||
        !facts_open("duplicate_string", "{len: 7, alphabet: 5}", &twice) ||
        !facts_open("duplicate_string", "{len: 7, alphabet: 5, layout: aussm}", &fed) ||
        !facts_open("odds_first", "{len: 7, alphabet: 5}", &odds) ||
        !facts_open("odds_first", "{len: 7, alphabet: 5, docstring_order: true}", &even))
        return;
    static const int at_odds[] = { 1, 3, 5, 0, 2, 4, 6 }, at_even[] = { 0, 2, 4, 6, 1, 3, 5 };
    double symbols[5] = { 0 };
    for (uint64_t i = 0; i < 5000; i++) {
        task_draw(&reverse, i), task_draw(&twice, i), task_draw(&odds, i), task_draw(&even, i), task_draw(&fed, i);
        ck_assert_int_eq(fed.e.len, 2 * N);
        ck_assert_int_eq(fed.e.input[N], 5);
        ck_assert_int_eq(fed.shape.vocab_in, 7);
        for (int q = 0; q < N; q++) {
            ck_assert_int_eq(reverse.e.target[N + q], reverse.e.input[N - 1 - q]);
            ck_assert_int_eq(twice.e.target[N + q], twice.e.input[q]);
            ck_assert_int_eq(twice.e.target[2 * N + q], twice.e.input[q]);
            ck_assert_int_eq(odds.e.target[N + q], odds.e.input[at_odds[q]]);
            ck_assert_int_eq(even.e.target[N + q], even.e.input[at_even[q]]);
            ck_assert_int_eq(fed.e.target[N + q], fed.e.input[q]);
            if (q > 0) ck_assert_int_eq(fed.e.input[N + q], fed.e.input[q - 1]);
            symbols[reverse.e.input[q]]++;
        }
    }
    for (int k = 0; k < 5; k++) share(symbols[k], 5000 * N, 0.2, "symbol", k);
}
END_TEST

/* ---- missing duplicate ------------------------------------------------------------------------------------------- */

/* The hole is anywhere in both copies; the parity of the visible ones is the answer. */
START_TEST(missing_parity)
{
    enum { N = 9 };
    TaskCase c;
    if (!facts_open("missing_duplicate", "{len: 9}", &c)) return;
    double holes[N] = { 0 }, ones = 0;
    for (uint64_t i = 0; i < DRAWS; i++) {
        int parity = 0, hole = -1;
        task_draw(&c, i);
        ck_assert_int_eq(c.e.input[N - 1], 3);
        for (int t = 0; t < N - 1; t++) {
            if (c.e.input[t] == 2) {
                ck_assert_int_eq(hole, -1);
                hole = t;
                continue;
            }
            const int twin = c.e.input[(t + 4) % 8];
            ck_assert(twin == c.e.input[t] || twin == 2);
            parity ^= c.e.input[t];
        }
        ck_assert(hole >= 0 && c.e.target[N] == c.e.input[(hole + 4) % 8] && c.e.target[N] == parity);
        holes[hole]++, ones += c.e.target[N];
    }
    for (int t = 0; t < 8; t++) share(holes[t], DRAWS, 0.125, "hole", t);
    share(ones, DRAWS, 0.5, "hidden one", 0);
}
END_TEST

/* Length 1 always asks for 1: of lengths 1..40 the best constant is right for 1/40 + 39/80. */
START_TEST(missing_share)
{
    TaskCase c;
    if (!facts_open("missing_duplicate", "{len: [1, 40]}", &c)) return;
    double ones = 0;
    for (uint64_t i = 0; i < DRAWS; i++) {
        task_draw(&c, i);
        ones += c.e.target[c.e.len - 1];
    }
    share(ones, DRAWS, 41.0 / 80, "answer 1", 0);
    ck_assert_double_eq_tol(c.shape.chance_majority, 41.0 / 80, 1e-12);
}
END_TEST

/* ---- bucket sort ------------------------------------------------------------------------------------------------- */

/* P(Bin(n, p) > t) */
static double binomial_over(int n, double p, int t)
{
    double sum = 0;
    for (int k = t + 1; k <= n; k++)
        sum += exp(lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1) + (p < 1 ? k * log(p) + (n - k) * log1p(-p) : 0)) *
               (p < 1 || k == n) * (p > 0);
    return sum;
}

/* The t-th of n sorted symbols is k if at most t are smaller and more than t are not larger. */
static double quantile_share(int n)
{
    double sum = 0;
    for (int t = 0; t < n; t++) {
        const int k = 5 * t / n;
        sum += binomial_over(n, (k + 1) / 5.0, t) - binomial_over(n, k / 5.0, t);
    }
    return sum / n;
}

START_TEST(sort_by_place)
{
    static const int lens[] = { 5, 10, 20, 50, 100, 500 };
    static const double known[] = { 0.502, 0.598, 0.694, 0.801, 0.858, 0.937 };
    char settings[64];
    for (int i = 0; i < 6; i++) {
        const int n = lens[i], draws = n > 100 ? 500 : 5000;
        TaskCase c;
        double sum = 0, squares = 0, first = 0;
        snprintf(settings, sizeof settings, "{len: %d}", n);
        if (!facts_open("bucket_sort", settings, &c)) return;
        rounds_to(quantile_share(n), known[i], 1e-3);
        for (uint64_t k = 0; k < (uint64_t)draws; k++) {
            double right = 0;
            task_draw(&c, k);
            for (int t = 0; t < n; t++) right += c.e.target[n + t] == 5 * t / n;
            for (int t = 1; t < n; t++) ck_assert_int_ge(c.e.target[n + t], c.e.target[n + t - 1]);
            sum += right / n, squares += right / n * right / n, first += c.e.target[n] == 0;
        }
        facts_mean(sum, squares, draws, quantile_share(n), settings);
        if (n < 20) share(first, draws, 1 - pow(0.8, n), "smallest is 0", n);
    }
}
END_TEST

/* ---- stack manipulation ------------------------------------------------------------------------------------------ */

/* The law of the final height for n symbols of alphabet a: every start, all sequences of actions. */
static void height_law(int n, int a, double *p)
{
    for (int s = 1; s < n; s++)
        for (int code = 0, codes = (int)lround(pow(a + 1, n - s)); code < codes; code++) {
            int h = s;
            for (int i = 0, rest = code; i < n - s; i++, rest /= a + 1) h = rest % (a + 1) ? h + 1 : h > 0 ? h - 1 : 0;
            p[h] += 1.0 / codes / (n - 1);
        }
}

START_TEST(stack_heights)
{
    enum { N = 7, A = 2 };
    TaskCase c, tail;
    if (!facts_open("stack_manipulation", "{len: 7}", &c) ||
        !facts_open("stack_manipulation", "{len: 7, score_tail: true}", &tail))
        return;
    double p[N + 1] = { 0 }, hits[N + 1] = { 0 }, starts[N + 1] = { 0 }, actions[A + 1] = { 0 }, symbols[A] = { 0 };
    double acted = 0, shown = 0, mean = 0;
    height_law(N, A, p);
    for (uint64_t i = 0; i < DRAWS; i++) {
        int start = 0, height = 0;
        task_draw(&c, i);
        while (c.e.input[start] < A) symbols[c.e.input[start++]]++, shown++;
        for (int t = start; t < N; t++) {
            ck_assert_int_ge(c.e.input[t], A);
            actions[c.e.input[t] - A]++, acted++;
        }
        while (c.e.target[N + height] != A) height++;
        for (int q = 0; q <= N; q++) ck_assert_int_eq(c.e.target[N + q] == IGNORE, q > height);
        starts[start]++, hits[height]++;
    }
    for (int s = 1; s < N; s++) share(starts[s], DRAWS, 1.0 / (N - 1), "start", s);
    for (int a = 0; a <= A; a++) share(actions[a], acted, 1.0 / 3, "action", a);
    for (int a = 0; a < A; a++) share(symbols[a], shown, 0.5, "symbol", a);
    for (int h = 0; h <= N; h++) share(hits[h], DRAWS, p[h], "height", h), mean += h * p[h];
    ck_assert_double_eq_tol(c.shape.chance_majority, fmax(mean / A, 1) / (mean + 1), 1e-12);
    ck_assert_double_eq_tol(tail.shape.chance_majority, (mean / A + N - mean) / (N + 1), 1e-12);
}
END_TEST

/* compat: chomsky: targets end with the terminator, training targets are zeros after it. */
START_TEST(stack_tail)
{
    TaskCase c;
    if (!facts_open("stack_manipulation", "{len: 7, compat: chomsky}", &c)) return;
    for (uint64_t i = 0; i < 2000; i++) {
        bool ended = false;
        task_draw(&c, i);
        for (int t = 0; t < c.e.len; t++) {
            ck_assert_int_eq(c.e.train_target[t] == IGNORE, t < 7);
            if (t < 7) continue;
            ck_assert_int_eq(c.e.target[t], ended ? IGNORE : c.e.train_target[t]);
            if (ended) ck_assert_int_eq(c.e.train_target[t], 0);
            ended |= c.e.train_target[t] == 2;
        }
        ck_assert(ended);
    }
}
END_TEST

int main(void)
{
    Suite *s = suite_create("tasks_strings");
    TCase *c = tcase_create("strings");
    tcase_set_timeout(c, 120);
    tcase_add_checked_fixture(c, facts_setup, facts_teardown);
    tcase_add_test(c, majority_cumulative);
    tcase_add_test(c, majority_final);
    tcase_add_loop_test(c, vocab_law, 0, (int)(sizeof votes / sizeof *votes));
    tcase_add_loop_test(c, vocab_untied, 0, 3);
    tcase_add_test(c, distinct_law);
    tcase_add_loop_test(c, agreement_layout, 0, 2);
    tcase_add_loop_test(c, frame_layout, 0, (int)(sizeof frames / sizeof *frames));
    tcase_add_test(c, frame_answers);
    tcase_add_test(c, missing_parity);
    tcase_add_test(c, missing_share);
    tcase_add_test(c, sort_by_place);
    tcase_add_test(c, stack_heights);
    tcase_add_test(c, stack_tail);
    suite_add_tcase(s, c);
    return suite_run(s);
}
