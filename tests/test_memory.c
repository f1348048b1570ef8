/* SPDX-License-Identifier: Apache-2.0
 * test_memory.c - the memory floor of the tasks, counted by brute force at tiny sizes.
 *
 * All examples of a tiny configuration are drawn. Two pasts of t positions are told apart if some examples continue
 * them by the same inputs and ask for different answers on the way. The floor is log2 of the largest set of pasts of
 * one length that are told apart pairwise, over all t: found exactly where few pasts are left after merging those that
 * are told apart from the same others, else only shown to be that large.
 */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/task_case.h"

enum { EXAMPLES_MAX = 1400, LEN_MAX = 24, EXACT_MAX = 64 };

static Arena *arena;
static void setup(void) { arena = arena_new("test"); }
static void teardown(void) { arena_free(arena); }

typedef struct Seen {
    int len, input[LEN_MAX], target[LEN_MAX];
} Seen;

/* All examples: drawn until 15 times as many as there are brought nothing new. */
static int draw_all(TaskCase *c, Seen *seen)
{
    int n = 0;
    for (int i = 0, last = 0; i - last < 15 * n + 100; i++) {
        Seen s = { 0 };
        task_draw(c, (uint64_t)i);
        ck_assert_int_le(c->e.len, LEN_MAX);
        s.len = c->e.len;
        memcpy(s.input, c->e.input, (size_t)s.len * sizeof *s.input);
        memcpy(s.target, c->e.target, (size_t)s.len * sizeof *s.target);
        int k = 0;
        while (k < n && memcmp(&seen[k], &s, sizeof s) != 0) k++;
        if (k < n) continue;
        ck_assert_int_lt(n, EXAMPLES_MAX);
        seen[n++] = s;
        last = i;
    }
    return n;
}

/* Numbers of the pasts of t positions, by example (-1: not longer than t); returns how many there are. */
static int find_pasts(const Seen *seen, int n, int t, int *past)
{
    int pasts = 0;
    for (int i = 0; i < n; i++) {
        int k = 0;
        past[i] = -1;
        if (seen[i].len <= t) continue;
        while (k < i && (past[k] < 0 || memcmp(seen[k].input, seen[i].input, (size_t)t * sizeof(int)) != 0)) k++;
        past[i] = k < i ? past[k] : pasts++;
    }
    return pasts;
}

static bool told_apart(const Seen *x, const Seen *y, int t)
{
    for (int p = t; p < x->len && p < y->len && x->input[p] == y->input[p]; p++)
        if (x->target[p] != IGNORE && y->target[p] != IGNORE && x->target[p] != y->target[p]) return true;
    return false;
}

/* Size of the largest clique that extends one of `size` members by the candidates; edges as bit sets. */
static int clique(const uint64_t *edge, uint64_t candidates, int size)
{
    int best = size;
    while (candidates) {
        if (size + __builtin_popcountll(candidates) <= best) return best;
        int v = __builtin_ctzll(candidates);
        candidates &= candidates - 1;
        int found = clique(edge, candidates & edge[v], size + 1);
        if (found > best) best = found;
    }
    return best;
}

static int greedy(const bool *edge, int n, int from)
{
    int *member = ARENA_NEW(arena, int, n), size = 0;
    member[size++] = from;
    for (int v = 0; v < n; v++) {
        int i = 0;
        while (i < size && edge[member[i] * n + v]) i++;
        if (i == size) member[size++] = v;
    }
    return size;
}

/* The largest set told apart after t positions. *exact becomes false if it may be larger. */
static int count_states(const Seen *seen, int n, int t, bool *exact)
{
    int *past = ARENA_NEW(arena, int, n), pasts = find_pasts(seen, n, t, past), kept = 0, best = 0;
    bool *edge = ARENA_NEW(arena, bool, pasts *pasts + 1);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < i && past[i] >= 0; k++)
            if (past[k] >= 0 && past[k] != past[i] && told_apart(&seen[i], &seen[k], t))
                edge[past[i] * pasts + past[k]] = edge[past[k] * pasts + past[i]] = true;
    int *keep = ARENA_NEW(arena, int, pasts + 1);
    for (int v = 0; v < pasts; v++) {
        int i = 0;
        while (i < kept && memcmp(edge + keep[i] * pasts, edge + v * pasts, (size_t)pasts) != 0) i++;
        if (i == kept) keep[kept++] = v;
    }
    for (int v = 0; v < kept; v++) {
        int size = greedy(edge, pasts, keep[v]);
        if (size > best) best = size;
    }
    if (kept > EXACT_MAX) {
        *exact = false;
        return best;
    }
    uint64_t bits[EXACT_MAX] = { 0 };
    for (int v = 0; v < kept; v++)
        for (int w = 0; w < kept; w++)
            if (edge[keep[v] * pasts + keep[w]]) bits[v] |= (uint64_t)1 << w;
    return clique(bits, kept == 64 ? ~(uint64_t)0 : ((uint64_t)1 << kept) - 1, 0);
}

typedef struct Floor {
    const char *task, *settings;
    int states;
    bool least; /* more states may be needed: the formula is a floor only */
} Floor;

static const Floor floors[] = {
    { "parity", "{len: 1}", 1, false },
    { "parity", "{len: 2}", 2, false },
    { "parity", "{len: [1, 5]}", 2, false },
    { "parity", "{len: 1, layout: final}", 2, false },
    { "parity", "{len: 1, layout: xlstm}", 1, false },
    { "parity", "{len: 4, layout: xlstm}", 2, false },
    { "parity", "{len: 4, layout: zoology_final, bos: false}", 2, false },
    { "word_problem", "{group: S3, len: 1}", 1, false },
    { "word_problem", "{group: S3, len: 2}", 6, false },
    { "word_problem", "{group: S3, len: [1, 3]}", 6, false },
    { "word_problem", "{group: Z5, len: 3}", 5, false },
    { "word_problem", "{group: S3, generators: few, len: 6}", 3, false },
    { "word_problem", "{group: S4, generators: few, len: 4}", 9, false },
    { "word_problem", "{group: S4, generators: few, len: 6}", 12, false },
    { "word_problem", "{group: A4, generators: few, len: 6}", 11, false },
    { "word_problem", "{group: S3, generators: swaps, len: 2}", 4, false },
    { "word_problem", "{group: S3, generators: swaps, len: 4}", 6, false },
    { "word_problem", "{group: A4, generators: limit, limit: 3, len: 2}", 9, false },
    { "word_problem", "{group: S3, generators: swaps_hard, len: 4}", 6, false },
    { "word_problem", "{group: S3, generators: swaps_hard, len: 8}", 36, false },
    { "word_problem", "{group: S3, generators: tokens, repeat: 2, len: 3}", 6, false },
    { "word_problem", "{group: S3, generators: tokens, repeat: 2, blank: true, len: 3}", 6, false },
    { "flip_flop", "{len: 4}", 2, false },
    { "flip_flop", "{len: 6, p_ignore: 0.4}", 3, false },
    { "flip_flop", "{len: 8, p_ignore: 0.4}", 3, false },
    { "flip_flop", "{len: 8, p_ignore: 0}", 2, false },
    { "flip_flop", "{len: 8, p_ignore: 0.5, p_write: 0}", 2, false },
    { "flip_flop", "{len: 8, stress: true}", 2, false },
    { "flip_flop", "{len: 6, p_ignore: 0.25, p_undo: 0.25}", 3, false },
    { "flip_flop", "{len: 8, p_ignore: 0.25, p_undo: 0.25}", 4, false },
    { "flip_flop", "{len: 8, p_ignore: 0, p_undo: 0.3}", 4, false },
    { "flip_flop", "{len: 10, p_ignore: 0.25, p_undo: 0.25}", 6, false },
    { "mqar", "{len: 4, kv: 1, vocab: 6}", 3, false },
    { "mqar", "{len: 6, kv: 1, vocab: 8, filler: none}", 4, false },
    { "mqar", "{len: 8, kv: 2, vocab: 10, filler: none}", 20, true },
    { "mqar", "{len: 6, kv: 1, passes: 2, vocab: 8, filler: none}", 4, false },
    { "joint_recall", "{contexts: 2, keys: 1, n_value: 3, max_contexts: 2, max_keys: 1}", 9, false },
    { "joint_recall", "{contexts: 1, keys: 2, n_value: 3, max_contexts: 1, max_keys: 2}", 9, false },
    { "joint_recall", "{contexts: [1, 2], keys: 1, n_value: 2, max_contexts: 2, max_keys: 1}", 4, false },
    { "joint_recall", "{contexts: 1, keys: 3, n_value: 2, max_contexts: 1, max_keys: 3}", 12, false },
    { "joint_recall", "{contexts: 2, keys: 2, n_value: 2, max_contexts: 2, max_keys: 2}", 32, true },
    { "selective_copying", "{len: 2, m: 2, alphabet: 4}", 4, false },
    { "selective_copying", "{len: 2, m: 2, alphabet: 5, variable: false}", 9, false },
    { "selective_copying", "{len: 1, m: 3, alphabet: 4, reverse: true}", 8, false },
    { "selective_copying", "{len: 1, m: [1, 2], alphabet: 5}", 9, false },
    { "selective_copying", "{variant: mad, len: 2, m: 2, alphabet: 5}", 9, false },
    { "selective_copying", "{variant: lag, len: 6, m: 2, alphabet: 4}", 4, false },
    { "selective_copying", "{variant: lag, len: 6, m: 4, alphabet: 5}", 9, false },
};

START_TEST(counted)
{
    const Floor *f = &floors[_i];
    TaskCase c;
    Err err = { 0 };
    const Task *t = task_find(f->task);
    if (!t) {
        fprintf(stderr, "skipped: not built: %s\n", f->task);
        return;
    }
    ck_assert_msg(task_open(t, f->settings, arena, &c, &err), "%s", err.msg);
    ck_assert(t->memory_bits != NULL);
    double bits = t->memory_bits(c.cfg, c.data);
    ck_assert_msg(fabs(exp2(bits) - f->states) < 1e-9 * f->states, "%s %s: 2^%.9g, expected %d", f->task, f->settings,
                  bits, f->states);
    Seen *seen = ARENA_NEW(arena, Seen, EXAMPLES_MAX);
    int n = draw_all(&c, seen), best = 1;
    bool exact = true;
    for (int p = 1; p < c.shape.max_len; p++) {
        int states = count_states(seen, n, p, &exact);
        if (states > best) best = states;
    }
    ck_assert_msg(f->least ? best >= f->states : exact && best == f->states, "%s %s: %d%s states among %d examples",
                  f->task, f->settings, best, exact ? "" : " or more", n);
}
END_TEST

/* At the sizes of papers: exact values of the formulas. */
START_TEST(large)
{
    static const struct {
        const char *task, *settings;
        double bits;
    } at[] = {
        { "mqar", "{len: 64, kv: 8, vocab: 256}", 55.67806029 },
        { "mqar", "{len: 512, kv: 64, vocab: 8192}", 767.2862254 },
        { "word_problem", "{group: S5, generators: few}", 5.906890596 },
        { "word_problem", "{group: A5}", 5.906890596 },
        { "joint_recall", "{contexts: [5, 16], keys: [5, 16], n_value: 16}", 1028 },
        { "selective_copying", "{len: 4096, m: 16, alphabet: 16}", 60.91767875 },
        { "flip_flop", "{len: 512}", 1.584962501 },
        { "parity", "{len: 40}", 1 },
    };
    for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
        TaskCase c;
        Err err = { 0 };
        const Task *t = task_find(at[i].task);
        if (!t) continue;
        ck_assert_msg(task_open(t, at[i].settings, arena, &c, &err), "%s", err.msg);
        double bits = t->memory_bits(c.cfg, c.data);
        ck_assert_msg(fabs(bits - at[i].bits) < 1e-6, "%s %s: %.9g", at[i].task, at[i].settings, bits);
    }
}
END_TEST

int main(void)
{
    Suite *s = suite_create("memory");
    TCase *t = tcase_create("memory");
    tcase_set_timeout(t, 120);
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_loop_test(t, counted, 0, sizeof floors / sizeof *floors);
    tcase_add_test(t, large);
    suite_add_tcase(s, t);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_ENV);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed != 0;
}
