/* SPDX-License-Identifier: Apache-2.0
 * test_tasks_copying.c - layouts, token by token, and exact probabilities of copying, lookup and stacks.
 *
 * Examples are parsed here by other code than the generators' and solvers'. Statistics use fixed seeds and 4 standard
 * errors of probabilities worked out here.
 */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/suite.h"
#include "support/task_facts.h"

enum { DRAWS = 20000 };

/* ---- strings ----------------------------------------------------------------------------------------------------- */

/* Contexts of 220 are strings `$ w | w .` end to end; whole ones are scored from the bar to the last letter. */
START_TEST(string_contexts)
{
    enum { BEGIN = 26, BAR, END, L = 220 };
    double length[21] = { 0 };
    TaskCase c;
    if (!facts_open("string_copy", "{context: 220}", &c)) return;
    for (uint64_t i = 0; i < DRAWS; i++) {
        task_draw(&c, i);
        MUST_EQ(c.e.len, L);
        for (int t = 0, n; t < L; t += 2 * n + 3) {
            MUST_EQ(c.e.input[t], BEGIN);
            for (n = 0; t + n + 1 < L && c.e.input[t + n + 1] < 26; n++) continue;
            bool whole = t + n + 1 < L && t + 2 * n + 3 <= L;
            MUST(n <= 20 && (n >= 5 || !whole) && (t + n + 1 >= L || c.e.input[t + n + 1] == BAR));
            for (int s = t; s < L && s < t + 2 * n + 3; s++) {
                bool asked = whole && s > t + n && s < t + 2 * n + 2;
                int next = s == t + 2 * n + 1 ? END : c.e.input[s - n];
                MUST_EQ(c.e.target[s], asked ? next : IGNORE);
                if (asked) MUST_EQ(c.e.input[s + 1], next);
            }
            if (t == 0) length[n]++;
            if (t + n + 1 >= L) break;
        }
    }
    for (int n = 5; n <= 20; n++) facts_share(length[n], DRAWS, 1.0 / 16, "length", n);
}
END_TEST

/* Of three letters, one is written over another: all three pairs of places are equally likely. */
START_TEST(string_duplicates)
{
    static const int pair[3][2] = { { 0, 1 }, { 0, 2 }, { 1, 2 } };
    double same[3] = { 0 };
    TaskCase c;
    if (!facts_open("string_copy", "{len: 3, duplicate: 1, alphabet: 5}", &c)) return;
    for (uint64_t i = 0; i < DRAWS; i++) {
        task_draw(&c, i);
        for (int k = 0; k < 3; k++) same[k] += c.e.input[1 + pair[k][0]] == c.e.input[1 + pair[k][1]];
    }
    for (int k = 0; k < 3; k++) facts_share(same[k], DRAWS, 1.0 / 3 + 2.0 / 3 / 5, "equal letters", k);
}
END_TEST

/* How often the n-gram g stands in w without overlap, and its first place. */
static int count_ngram(const int *w, int len, const int *g, int n, int *first)
{
    int count = 0;
    for (int i = 0; i + n <= len;) {
        bool here = !memcmp(w + i, g, sizeof(int) * (size_t)n);
        if (here && !count++) *first = i;
        i += here ? n : 1;
    }
    return count;
}

START_TEST(ngram_layout)
{
    enum { LEN = 12, N = 3, A = 6 };
    static const char *const settings[] = {
        "{len: 12, alphabet: 6}",
        "{len: 12, alphabet: 6, variant: prefix}",
        "{len: 12, alphabet: 6, length_answer: 0}",
        "{len: 12, alphabet: 6, length_answer: 2, variant: prefix, duplicate: true}",
    };
    static const int answers[] = { 4, 4, 0, 2 };
    bool prefix = _i % 2;
    TaskCase c;
    if (!facts_open("ngram_lookup", settings[_i], &c)) return;
    for (uint64_t i = 0; i < 4000; i++) {
        int first = -1, w = prefix ? N + 2 : 1, g = prefix ? 1 : LEN + 2, from = LEN + N + (prefix ? 3 : 2);
        task_draw(&c, i);
        const int *x = c.e.input;
        MUST(x[0] == A && x[w + LEN] == A + 1 && (!prefix || x[N + 1] == A + 1));
        int count = count_ngram(x + w, LEN, x + g, N, &first), answer = answers[_i] ? answers[_i] : LEN - N - first;
        MUST(count >= (_i == 3 ? 2 : 1));
        MUST(first >= 0 && first + N + answer <= LEN && c.e.len == from + answer);
        for (int t = 0; t < from - 1; t++) MUST(c.e.target[t] == IGNORE && x[t] <= A + 1);
        for (int j = 0; j <= answer; j++) {
            int next = j < answer ? x[w + first + N + j] : A + 2;
            MUST_EQ(c.e.target[from - 1 + j], next);
            if (j < answer) MUST_EQ(x[from + j], next);
        }
    }
}
END_TEST

/* Two places, two letters: the first place is the answer's unless the second was drawn and is not its equal. */
START_TEST(ngram_places)
{
    double first = 0;
    TaskCase c;
    if (!facts_open("ngram_lookup", "{len: 3, alphabet: 2, ngram: 1, length_answer: 1}", &c)) return;
    for (uint64_t i = 0; i < DRAWS; i++) {
        task_draw(&c, i);
        first += c.e.input[5] == c.e.input[1];
    }
    facts_share(first, DRAWS, 0.75, "first place", 0);
}
END_TEST

/* ---- copy memory, palindromes, stacks ---------------------------------------------------------------------------- */

typedef struct Silence {
    const char *settings;
    int len, sign; /* positions in all, place of the sign */
    bool all;
} Silence;

static const Silence silences[] = {
    { "{len: 100}", 120, 109, false },
    { "{len: 20, score: all}", 40, 29, true },
    { "{len: 20, layout: wrnn, score: all}", 30, 19, true },
    { "{len: 11, layout: wrnn}", 21, 10, false },
    { "{len: 10, layout: wrnn, compat: wrnn}", 20, 9, false },
};

START_TEST(silence_layout)
{
    const Silence *s = &silences[_i];
    double count[10] = { 0 };
    TaskCase c;
    if (!facts_open("copy_memory", s->settings, &c)) return;
    MUST(c.shape.vocab_in == 10 && c.shape.vocab_out == 10);
    for (uint64_t i = 0; i < DRAWS; i++) {
        task_draw(&c, i);
        MUST(c.e.len == s->len && c.e.has_train_target == s->all);
        for (int t = 0; t < s->len; t++) {
            bool data = t < 10 && t != s->sign, asked = t >= s->len - 10;
            MUST(data ? c.e.input[t] >= 1 && c.e.input[t] <= 8 : c.e.input[t] == (t == s->sign ? 9 : 0));
            MUST_EQ(c.e.target[t], asked ? c.e.input[t - s->len + 10] : IGNORE);
            MUST(!s->all || c.e.train_target[t] == (asked ? c.e.target[t] : 0));
        }
        count[c.e.input[i % 9]]++;
    }
    for (int k = 1; k <= 8; k++) facts_share(count[k], DRAWS, 0.125, "symbol", k);
}
END_TEST

START_TEST(palindrome_layout)
{
    enum { N = 6 };
    double count[5] = { 0 };
    TaskCase c;
    if (!facts_open("palindrome", "{len: 6, alphabet: 5}", &c)) return;
    for (uint64_t i = 0; i < DRAWS; i++) {
        task_draw(&c, i);
        MUST(c.e.len == 2 * N && c.e.input[N] == 5);
        for (int t = 0; t < N; t++) {
            MUST(c.e.input[t] < 5 && c.e.target[t] == IGNORE && c.e.target[N + t] == c.e.input[N - 1 - t]);
            if (t < N - 1) MUST_EQ(c.e.input[N + 1 + t], c.e.input[N - 1 - t]);
        }
        count[c.e.input[i % N]]++;
    }
    for (int k = 0; k < 5; k++) facts_share(count[k], DRAWS, 0.2, "token", k);
}
END_TEST

typedef struct Stacks {
    const char *settings;
    int ops, stacks, elements, depth;
} Stacks;

static const Stacks stacks[] = {
    { "{}", 32, 4, 8, 32 },
    { "{len: 60, stacks: 2, elements: 3, depth: 2, p_pop: 0.2}", 20, 2, 3, 2 },
    { "{len: 60, stacks: 1, elements: 20, depth: 1, p_pop: 0.95}", 20, 1, 20, 1 },
};

/* An interpreter with an array for each stack. */
START_TEST(stack_layout)
{
    const Stacks *s = &stacks[_i];
    TaskCase c;
    if (!facts_open("multi_stack", s->settings, &c)) return;
    int blank = 2 + s->stacks + s->elements;
    MUST(c.shape.vocab_in == blank + 1 && c.shape.vocab_out == s->elements);
    for (uint64_t i = 0; i < 4000; i++) {
        int held[4][32], height[4] = { 0 }, all = 0;
        task_draw(&c, i);
        MUST_EQ(c.e.len, 3 * s->ops);
        for (int t = 0; t < c.e.len; t += 3) {
            int op = c.e.input[t], k = c.e.input[t + 1] - 2, element = c.e.input[t + 2] - 2 - s->stacks;
            MUST(op <= 1 && k >= 0 && k < s->stacks && c.e.target[t] == IGNORE && c.e.target[t + 2] == IGNORE);
            if (t == c.e.len - 3 && all) MUST_EQ(op, 1);
            if (op == 0) {
                MUST(element >= 0 && element < s->elements && c.e.target[t + 1] == IGNORE);
                MUST(height[k] < s->depth);
                held[k][height[k]++] = element, all++;
            } else {
                MUST(c.e.input[t + 2] == blank && height[k] > 0);
                height[k]--, all--;
                MUST_EQ(c.e.target[t + 1], held[k][height[k]]);
            }
        }
    }
}
END_TEST

/* The second operation pops with p_pop; the third on two stacks takes either; elements and stacks are uniform. */
START_TEST(stack_shares)
{
    double pop = 0, both = 0, either = 0, stack[4] = { 0 }, element[8] = { 0 };
    TaskCase c;
    if (!facts_open("multi_stack", "{p_pop: 0.3}", &c)) return;
    for (uint64_t i = 0; i < DRAWS; i++) {
        task_draw(&c, i);
        const int *x = c.e.input;
        pop += x[3] == 1, stack[x[1] - 2]++, element[x[2] - 6]++;
        if (x[3] == 1 || x[1] == x[4] || x[6] == 0) continue;
        both++, either += x[7] == x[1];
    }
    facts_share(pop, DRAWS, 0.3, "second operation pops", 0);
    facts_share(both, DRAWS, 0.7 * 0.75 * 0.3, "third operation pops one of two", 0);
    facts_share(either, both, 0.5, "third operation takes the first", 0);
    for (int k = 0; k < 4; k++) facts_share(stack[k], DRAWS, 0.25, "stack", k);
    for (int k = 0; k < 8; k++) facts_share(element[k], DRAWS, 0.125, "element", k);
}
END_TEST

/* Selective copying as in MAD: every blank falls into one of the m gaps, each equally likely. */
START_TEST(copying_gaps)
{
    enum { LEN = 20, M = 8 };
    double empty[M] = { 0 };
    TaskCase c;
    if (!facts_open("selective_copying", "{variant: mad, len: 20, m: 8, alphabet: 16}", &c)) return;
    for (uint64_t i = 0; i < DRAWS; i++) {
        task_draw(&c, i);
        for (int t = 0, gap = 0; gap < M; t++)
            if (c.e.input[t] != 14) empty[gap++] += t == 0 || c.e.input[t - 1] != 14;
        MUST(c.e.input[LEN + M - 1] < 14 && c.e.input[LEN + M] == 15);
    }
    for (int gap = 0; gap < M; gap++) facts_share(empty[gap], DRAWS, pow(1 - 1.0 / M, LEN), "empty gap", gap);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("tasks_copying");
    TCase *c = tcase_create("copying");
    tcase_set_timeout(c, 180);
    tcase_add_checked_fixture(c, facts_setup, facts_teardown);
    tcase_add_test(c, string_contexts);
    tcase_add_test(c, string_duplicates);
    tcase_add_loop_test(c, ngram_layout, 0, 4);
    tcase_add_test(c, ngram_places);
    tcase_add_loop_test(c, silence_layout, 0, COUNT(silences));
    tcase_add_test(c, palindrome_layout);
    tcase_add_loop_test(c, stack_layout, 0, COUNT(stacks));
    tcase_add_test(c, stack_shares);
    tcase_add_test(c, copying_gaps);
    suite_add_tcase(s, c);
    return suite_run(s);
}
