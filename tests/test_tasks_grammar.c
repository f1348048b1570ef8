/* SPDX-License-Identifier: Apache-2.0
 * test_tasks_grammar.c - random grammars and the task on them: the law of strings by hand, the published size, gaps,
 * distractors. Statistics use fixed seeds and 4 standard errors.
 */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/grammar.h"
#include "support/suite.h"
#include "support/task_facts.h"

enum { DRAWS = 20000 };

/* ---- grammars ---------------------------------------------------------------------------------------------------- */

/* The grammar of the worked example. */
static Grammar worked_grammar(void)
{
    static int symbol_of[] = { 0, 1, 1, 2, 2 }, edge[] = { 0, 0, 2, 3, 4, 5 }, to[] = { 4, 2, 3, 1, 0 };
    return (Grammar){
        .letters = 2, .states = 5, .starts = 1, .start = { 1 }, .symbol_of = symbol_of, .edge = edge, .to = to
    };
}

START_TEST(grammar_worked)
{
    Grammar g = worked_grammar();
    const int symbol[] = { 1, 1, 2, 1, 2, 0 }, state[] = { 1, 2, 3, 1, 4, 0 };
    for (int t = 0, s = 0; t < 6; t++) {
        s = grammar_read(&g, s, symbol[t]);
        ck_assert_int_eq(s, state[t]);
    }
    ck_assert_int_eq(grammar_read(&g, 4, 1), -1);
    ck_assert_int_eq(grammar_read(&g, 0, 2), -1);
}
END_TEST

/* Strings of the worked grammar are (A0 A1 B0)^k A0 B1 #, 3 (k + 1) elements with probability 2^-(k+1); at most 9. */
START_TEST(grammar_strings)
{
    Grammar g = worked_grammar();
    Rng rng = rng_named(5, "strings");
    int count[12] = { 0 };
    ck_assert(!grammar_bound(&g, 2, facts_arena));
    ck_assert(grammar_bound(&g, 10, facts_arena));
    ck_assert_double_eq_tol((double)g.ends[9 * 5 + 1], 0.875, 1e-6);
    for (int i = 0; i < DRAWS; i++) {
        int s = 0, at = 0;
        do s = grammar_step(&g, s, at++, &rng);
        while (s);
        ck_assert_int_le(at, 10);
        count[at]++;
    }
    for (int k = 0; k < 3; k++) facts_share(count[3 * (k + 1)], DRAWS, exp2(-k - 1) / 0.875, "length", k);
}
END_TEST

/* The published size: edges, ways out, how many walks end within 200, the mean of all. */
START_TEST(grammar_published)
{
    enum { GRAMMARS = 12 };
    GrammarSpec spec = { 40, 40, 40, 0.4, 4 };
    double edges = 0, exits = 0, within = 0, squares = 0;
    for (uint64_t i = 0; i < GRAMMARS; i++) {
        Grammar g;
        Rng rng = rng_named(i, "published");
        ck_assert(grammar_draw(&spec, 100, &rng, facts_arena, &g));
        ck_assert(grammar_bound(&g, 200, facts_arena));
        ck_assert_int_eq(g.states, 1601);
        edges += g.edge[1601];
        for (int e = 0; e < g.edge[1601]; e++) exits += g.to[e] == 0;
        for (int a = 0; a < 4; a++)
            for (int b = 0; b < a; b++) ck_assert_int_ne(g.symbol_of[g.start[a]], g.symbol_of[g.start[b]]);
        double p = 0;
        for (int a = 0; a < 4; a++) p += (double)g.ends[199 * 1601 + g.start[a]] / 4;
        within += p / GRAMMARS, squares += p * p / GRAMMARS;
    }
    double states = 1600.0 * GRAMMARS, error = sqrt((squares - within * within) / (GRAMMARS - 1));
    facts_share(edges - exits, states * 40, 0.4, "edges", 0); /* one of 40 states of each letter with probability 0.4 */
    facts_share(exits, states, 0.01, "ways out", 0);
    /* An end with probability 0.01 E[1 / (1 + letters)] = 0.01 (1 - 0.6^41) / (41 * 0.4) a step, if walks
     * met all states equally often. */
    double leave = 0.01 * (1 - pow(0.6, 41)) / (41 * 0.4), want = 1 - pow(1 - leave, 199);
    ck_assert_msg(fabs(within - want) < 4 * error + 0.01, "%.4f (s.e. %.4f), about %.4f", within, error, want);
    ck_assert_double_eq_tol(want, 0.1, 0.05);
}
END_TEST

/* ---- selectivbench ----------------------------------------------------------------------------------------------- */

/* Lengths of gaps: flat, or half as likely at both ends; none before gap_start. */
START_TEST(gap_laws)
{
    TaskCase c;
    if (!facts_open("selectivbench",
                    _i ? "{gap_min: 1, gap_max: 10, compat: selectivbench}" : "{gap_min: 0, gap_max: 4, gap_start: 3}",
                    &c))
        return;
    int count[12] = { 0 }, n = 0, gap_id = c.shape.vocab_in - 1, most = _i ? 10 : 4, least = _i ? 1 : 0;
    for (uint64_t i = 0; i < 300; i++) {
        task_draw(&c, i);
        for (int t = 0, element = 0; t < c.e.len; element++) {
            int gap = 0;
            for (t++; t < c.e.len && c.e.input[t] == gap_id; t++, gap++)
                ck_assert_int_eq(c.e.target[t], c.e.target[t - 1]);
            if (!_i && element < 3)
                ck_assert_int_eq(gap, 0);
            else
                count[gap]++, n++;
        }
    }
    for (int d = least; d <= most; d++)
        facts_share(count[d], n, _i ? (d == 1 || d == 10 ? 1.0 / 18 : 1.0 / 9) : 0.2, "gap", d);
}
END_TEST

/* Distractors come after a tenth of the elements from the 50th on, change nothing, and never could have followed. */
START_TEST(distractors)
{
    TaskCase plain, c;
    if (!facts_open("selectivbench", "{}", &plain) ||
        !facts_open("selectivbench", "{gap_min: 1, gap_max: 1, gap_prob: 0.1, gap_start: 50, distractors: true}", &c))
        return;
    static bool follows[64][64]; /* of the same grammar, as seen without distractors */
    memset(follows, 0, sizeof follows);
    for (uint64_t i = 0; i < 2000; i++) {
        task_draw(&plain, i);
        for (int t = 0; t < plain.e.len; t++) follows[t ? plain.e.target[t - 1] : 0][plain.e.input[t]] = true;
    }
    int n = 0, extra = 0;
    for (uint64_t i = 0; i < 1000; i++) {
        task_draw(&c, i);
        int here = c.e.len - 100;
        for (int t = 0, element = 0; t < c.e.len; t++) {
            int before = t ? c.e.target[t - 1] : 0;
            if (follows[before][c.e.input[t]]) {
                element++;
                continue;
            }
            ck_assert_int_ge(element, 51);
            ck_assert_int_eq(c.e.target[t], before);
            here--;
        }
        ck_assert_int_eq(here, 0);
        extra += c.e.len - 100, n += 50;
    }
    facts_share(extra, n, 0.1, "distractors", 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("grammar");
    TCase *t = tcase_create("all");
    tcase_add_checked_fixture(t, facts_setup, facts_teardown);
    tcase_set_timeout(t, 120);
    tcase_add_test(t, grammar_worked);
    tcase_add_test(t, grammar_strings);
    tcase_add_test(t, grammar_published);
    tcase_add_loop_test(t, gap_laws, 0, 2);
    tcase_add_test(t, distractors);
    suite_add_tcase(suite, t);
    return suite_run(suite);
}
