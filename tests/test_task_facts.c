/* SPDX-License-Identifier: Apache-2.0
 * test_task_facts.c - facts of single tasks: published worked examples token by token, layouts, exact probabilities.
 *
 * A fact of an absent task is reported as "skipped: not built: NAME". Statistics use fixed seeds and 4 standard errors
 * of exact probabilities.
 */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/task_case.h"

enum { _ = IGNORE, EXAMPLE_MAX = 32, DRAWS = 20000 };

static Arena *arena;
static void setup(void) { arena = arena_new("test"); }
static void teardown(void) { arena_free(arena); }

static const char *const known[] = {
    "parity", "word_problem", "mqar", "flip_flop", "joint_recall", "selective_copying"
};

/* Open a task, or return false where it is not built. */
static bool opens(const char *task, const char *settings, TaskCase *c)
{
    Err err = { 0 };
    const Task *t = task_find(task);
    if (!t) return false;
    bool ok = task_open(t, settings, arena, c, &err);
    ck_assert_msg(ok, "%s %s: %s", task, settings ? settings : "", err.msg);
    return true;
}

/* p hits of n draws within 4 standard errors of probability p. */
static void assert_share(double hits, double n, double p, const char *what, int index)
{
    double z = (hits - n * p) / sqrt(n * p * (1 - p) + 1e-12);
    ck_assert_msg(fabs(z) < 4, "%s %d: %g of %g, expected %.5f, z = %.1f", what, index, hits, n, p, z);
}

/* ---- worked examples --------------------------------------------------------------------------------------------- */

/* found: small enough for the generator to be asked for this very example; its targets must be the published ones. */
typedef struct Worked {
    const char *task, *settings;
    bool found;
    int len, input[EXAMPLE_MAX], target[EXAMPLE_MAX];
} Worked;

static const Worked worked[] = {
    { "parity", "{len: 5, bos: false}", true, 5, { 1, 0, 1, 1, 0 }, { 1, 1, 0, 1, 1 } },
    { "parity", "{len: 5}", true, 6, { 2, 1, 0, 1, 1, 0 }, { _, 1, 1, 0, 1, 1 } },
    { "parity", "{len: 5, bos: false, layout: xlstm}", true, 5, { 2, 1, 2, 2, 1 }, { _, _, _, _, 2 } },
    { "parity", "{len: 5, bos: false, layout: final}", true, 6, { 1, 0, 1, 1, 0, 2 }, { _, _, _, _, _, 1 } },
    { "parity", "{len: 4, layout: zoology_final}", true, 6, { 3, 1, 0, 0, 1, 2 }, { _, _, _, _, _, 0 } },
    { "word_problem", "{group: S3, len: 4, bos: false}", true, 4, { 1, 3, 2, 4 }, { 1, 5, 3, 0 } },
    { "word_problem", "{group: S3, len: 4}", true, 5, { 7, 1, 3, 2, 4 }, { _, 1, 5, 3, 0 } },
    { "word_problem", "{group: S5, len: 5, bos: false}", false, 5, { 24, 7, 119, 1, 50 }, { 24, 31, 91, 90, 13 } },
    { "word_problem", "{group: A5, len: 4, bos: false}", false, 4, { 1, 2, 4, 59 }, { 1, 0, 4, 53 } },
    { "word_problem", "{group: Z7, len: 3, bos: false}", true, 3, { 5, 4, 6 }, { 5, 2, 1 } },
    /* three steps to fold a block in: identity until the last position of a block */
    { "word_problem",
      "{group: S3, generators: swaps_hard, len: 8, bos: false}",
      true,
      8,
      { 3, 0, 0, 0, 2, 0, 0, 0 },
      { 0, 0, 0, 3, 3, 3, 3, 5 } },
    { "word_problem",
      "{group: S3, generators: tokens, repeat: 3, len: 2, bos: false}",
      true,
      6,
      { 1, 1, 1, 3, 3, 3 },
      { 0, 0, 1, 1, 1, 5 } },
    { "word_problem",
      "{group: S3, generators: tokens, repeat: 3, blank: true, len: 2, bos: false}",
      true,
      6,
      { 13, 13, 1, 13, 13, 3 },
      { 0, 0, 1, 1, 1, 5 } },
    { "mqar",
      "{vocab: 24, len: 20, kv: 3, filler: none}",
      false,
      20,
      { 10, 23, 5, 22, 6, 20, 0, 0, 6, 0, 10, 0, 0, 0, 5, 0, 0, 0, 0, 0 },
      { _, _, _, _, _, _, _, _, 20, _, 23, _, _, _, 22, _, _, _, _, _ } },
    { "mqar", "{vocab: 6, len: 4, kv: 1, filler: none}", true, 4, { 2, 5, 2, 0 }, { _, _, 5, _ } },
    { "flip_flop", "{len: 12}", true, 11, { 2, 1, 4, 0, 4, 0, 3, 1, 2, 0, 3 }, { _, _, _, _, _, _, 1, _, _, _, 0 } },
    { "flip_flop", "{len: 10, stress: true}", true, 9, { 2, 1, 4, 0, 4, 0, 4, 0, 3 }, { _, _, _, _, _, _, _, _, 1 } },
    /* w 1 w 0 u . r 1 u . (nothing to take back) r 1 */
    { "flip_flop",
      "{len: 12, p_ignore: 0, p_undo: 0.4}",
      true,
      11,
      { 2, 1, 2, 0, 5, 0, 3, 1, 5, 1, 3 },
      { _, _, _, _, _, _, 1, _, _, _, 1 } },
    { "joint_recall",
      "{contexts: 2, keys: 2, n_value: 4, max_contexts: 2, max_keys: 2}",
      true,
      21,
      { 1, 17, 14, 11, 15, 11, 16, 15, 10, 14, 13, 4, 16, 14, 13, 15, 10, 17, 15, 11, 14 },
      { _, _, _, _, _, _, _, _, _, _, _, _, _, 13, _, 10, _, _, 11, _, 11 } },
    { "selective_copying",
      "{alphabet: 6, len: 6, m: 3}",
      true,
      12,
      { 0, 4, 0, 0, 2, 2, 0, 0, 0, 5, 5, 5 },
      { _, _, _, _, _, _, _, _, _, 4, 2, 2 } },
    { "selective_copying",
      "{alphabet: 6, len: 6, m: 3, reverse: true}",
      true,
      12,
      { 0, 4, 0, 0, 2, 2, 0, 0, 0, 5, 5, 5 },
      { _, _, _, _, _, _, _, _, _, 2, 2, 4 } },
    { "selective_copying",
      "{alphabet: 6, len: 2, m: 3, variable: false}",
      true,
      8,
      { 4, 2, 2, 0, 0, 5, 5, 5 },
      { _, _, _, _, _, 4, 2, 2 } },
    { "selective_copying",
      "{alphabet: 6, len: 4, m: 3, variant: mad}",
      true,
      11,
      { 4, 0, 4, 4, 2, 4, 2, 5, 4, 4, 4 },
      { _, _, _, _, _, _, _, _, 0, 2, 2 } },
    { "selective_copying", "{alphabet: 6, len: 5, m: 2, variant: lag}", true, 5, { 3, 1, 4, 4, 2 }, { _, _, 3, 1, 4 } },
};

START_TEST(works)
{
    const Worked *w = &worked[_i];
    TaskCase c;
    if (!opens(w->task, w->settings, &c)) return;
    ck_assert_int_eq(c.shape.max_len, w->len);
    c.task->solve(c.cfg, c.data, w->input, w->len, c.prediction);
    for (int t = 0; t < w->len; t++)
        ck_assert_msg(w->target[t] == IGNORE || c.prediction[t] == w->target[t], "%s %s at %d: solver says %d, want %d",
                      w->task, w->settings, t, c.prediction[t], w->target[t]);
    bool found = !w->found;
    for (uint64_t i = 0; i < 400000 && !found; i++) {
        task_draw(&c, i);
        if (memcmp(c.e.input, w->input, sizeof(int) * (size_t)w->len) != 0) continue;
        found = true;
        for (int t = 0; t < w->len; t++)
            ck_assert_msg(c.e.target[t] == w->target[t], "%s %s at %d: generator says %d, want %d", w->task,
                          w->settings, t, c.e.target[t], w->target[t]);
    }
    ck_assert_msg(found, "%s %s: the generator never draws the worked example", w->task, w->settings);
}
END_TEST

/* ---- word problem ------------------------------------------------------------------------------------------------ */

typedef struct Alphabet {
    const char *settings;
    int n, id[16];
} Alphabet;

static const Alphabet alphabets[] = {
    { "{group: S5, generators: swaps, len: 64, bos: false}", 11, { 0, 1, 2, 5, 6, 14, 21, 24, 54, 80, 105 } },
    { "{group: S4, generators: swaps, len: 64, bos: false}", 7, { 0, 1, 2, 5, 6, 14, 21 } },
    { "{group: S5, generators: limit, limit: 3, len: 64, bos: false}", 31, { -1 } },
    { "{group: S5, generators: few, len: 64, bos: false}", 4, { 1, 2, 6, 24 } },
    { "{group: A5, generators: few, len: 64, bos: false}", 2, { -1 } },
    { "{group: A6, generators: few, len: 64, bos: false}", 2, { -1 } },
    { "{group: A4, generators: few, len: 64, bos: false}", 2, { -1 } },
    { "{group: Z60, len: 64, bos: false}", 60, { -1 } },
};

/* The ids that are drawn, equally often, and the products that are reached: the whole group. */
START_TEST(word_alphabets)
{
    const Alphabet *w = &alphabets[_i];
    TaskCase c;
    if (!opens("word_problem", w->settings, &c)) return;
    int count[1024] = { 0 }, reached[1024] = { 0 }, letters = 0, targets = 0, total = 0;
    for (uint64_t i = 0; i < 1000; i++) {
        task_draw(&c, i);
        for (int t = 0; t < c.e.len; t++) count[c.e.input[t]]++, reached[c.e.target[t]] = 1, total++;
    }
    for (int id = 0; id < c.shape.vocab_in; id++) {
        if (!count[id]) continue;
        if (w->id[0] >= 0) ck_assert_int_eq(id, w->id[letters]);
        assert_share(count[id], total, 1.0 / w->n, w->settings, id);
        letters++;
    }
    for (int id = 0; id < c.shape.vocab_out; id++) targets += reached[id];
    ck_assert_int_eq(letters, w->n);
    ck_assert_int_eq(targets, c.shape.vocab_out);
}
END_TEST

START_TEST(word_refuses)
{
    static const char *const bad[][2] = {
        { "{group: S7}", "option 'group'" },
        { "{generators: limit}", "limit" },
        { "{limit: 3}", "generators: limit" },
        { "{repeat: 2}", "generators: tokens" },
        { "{blank: true}", "generators: tokens" },
        { "{group: Z60, generators: swaps}", "Z60" },
        { "{group: A5, generators: swaps}", "A5" },
        { "{group: A4_x_Z5, generators: few}", "A4_x_Z5" },
        { "{generators: swaps_hard, len: [4, 8]}", "multiple of 4" },
        { "{generators: swaps_hard, len: {set: [8, 10]}}", "multiple of 4" },
    };
    const Task *t = task_find("word_problem");
    for (size_t i = 0; t && i < sizeof bad / sizeof *bad; i++) {
        TaskCase c;
        Err err = { 0 };
        ck_assert_msg(!task_open(t, bad[i][0], arena, &c, &err), "%s is accepted", bad[i][0]);
        ck_assert_msg(strstr(err.msg, bad[i][1]), "%s: %s", bad[i][0], err.msg);
    }
    TaskCase s3, s5;
    TaskShape shape;
    Err err = { 0 };
    if (!opens("word_problem", "{group: S3}", &s3) || !opens("word_problem", "{group: S5}", &s5)) return;
    ck_assert(!t->shape(s5.cfg, s3.data, &shape, &err) && strstr(err.msg, "group"));
}
END_TEST

/* ---- mqar -------------------------------------------------------------------------------------------------------- */

/* Slots drawn first and second (those of the first and second pair) against successive sampling. */
START_TEST(mqar_slots)
{
    enum { S = 28 };
    static const double first[] = { 0.2511, 0.1264, 0.0846, 0.0636, 0.0510 };
    TaskCase c;
    if (!opens("mqar", "{len: 64, kv: 4, filler: none}", &c)) return;
    int count[2][S] = { { 0 } };
    double w[S], sum = 0;
    for (int g = 0; g < S; g++) sum += w[g] = pow(g + 1, -0.99);
    for (uint64_t i = 0; i < DRAWS; i++) {
        task_draw(&c, i);
        for (int t = 8; t < 64; t++)
            for (int pair = 0; pair < 2; pair++)
                if (c.e.target[t] != IGNORE && c.e.input[t] == c.e.input[2 * pair]) count[pair][(t - 8) / 2]++;
    }
    for (int g = 0; g < S; g++) {
        double second = 0;
        for (int h = 0; h < S; h++) second += h == g ? 0 : w[h] / sum * w[g] / (sum - w[h]);
        if (g < 5) ck_assert_msg(fabs(w[g] / sum - first[g]) < 6e-5, "slot %d: %.5f", g, w[g] / sum);
        assert_share(count[0][g], DRAWS, w[g] / sum, "first slot", g);
        assert_share(count[1][g], DRAWS, second, "second slot", g);
    }
    ck_assert_msg(fabs(w[S - 1] / sum - 0.0093) < 6e-5, "last slot");
}
END_TEST

/* Layout of one example, filler by policy, keys and values uniform on their halves. */
START_TEST(mqar_layout)
{
    static const char *const settings[] = { "{len: 64, kv: 6, vocab: 80, filler: none, passes: 2}",
                                            "{len: 64, kv: 6, vocab: 80, filler: disjoint, passes: 2}",
                                            "{len: 64, kv: 6, vocab: 80, passes: 2}" };
    TaskCase c;
    if (!opens("mqar", settings[_i], &c)) return;
    double filler[80] = { 0 }, keys[80] = { 0 }, fillers = 0;
    const int *x = c.e.input;
    for (uint64_t i = 0; i < 5000; i++) {
        int asked = 0;
        bool is_key[80] = { false };
        task_draw(&c, i);
        for (int p = 0; p < 6; p++) {
            ck_assert(x[2 * p] >= 1 && x[2 * p] < 40 && x[2 * p + 1] >= 40 && !is_key[x[2 * p]] &&
                      !is_key[x[2 * p + 1]]);
            is_key[x[2 * p]] = is_key[x[2 * p + 1]] = true;
            keys[x[2 * p]]++, keys[x[2 * p + 1]]++;
        }
        for (int t = 0; t < 12; t++) ck_assert_int_eq(x[t], x[t + 12]);
        for (int t = 24; t < 64; t++) {
            if (c.e.target[t] != IGNORE) {
                int p = 0;
                while (x[2 * p] != x[t]) p++;
                ck_assert(t % 2 == 0 && c.e.target[t] == x[2 * p + 1]);
                ck_assert_int_eq(c.e.slice_of[t], (int)floor(log2(t - (12 + 2 * p + 1))));
                asked++;
                continue;
            }
            filler[x[t]]++, fillers++;
            if (_i == 1 && x[t] < 40) ck_assert(!is_key[x[t]]);
        }
        ck_assert_int_eq(asked, 6);
    }
    for (int id = 0; id < 80; id++) {
        if (_i == 0) ck_assert(id == 0 || filler[id] == 0);
        if (_i == 2) assert_share(filler[id], fillers, 1 / 80.0, "filler", id);
        if (id) assert_share(keys[id], 5000, id < 40 ? 6 / 39.0 : 6 / 40.0, "context id", id);
    }
}
END_TEST

/* ---- flip-flop --------------------------------------------------------------------------------------------------- */

/* Reads per example and the score of copying the previous bit, against their expectations. */
START_TEST(flip_flop_reads)
{
    static const double ignore[] = { 0.8, 0.98, 0.1 }, reads[] = { 26.4, 3.54, 115.3 }, copied[] = { 0.60, 0.51, 0.95 };
    enum { PAIRS = 256, N = 2000 };
    char settings[64];
    TaskCase c;
    double p = ignore[_i], r = (1 - p) / 2, want = (PAIRS - 2) * r + 1, n = 0, nn = 0, right = 0, spread = 0;
    double copy = (r + (PAIRS - 3) * r * (1 - p / 2) + (1 - p / 2)) / want; /* the first pair is never ignored */
    snprintf(settings, sizeof settings, "{len: 512, p_ignore: %g}", p);
    if (!opens("flip_flop", settings, &c)) return;
    for (uint64_t i = 0; i < N; i++) {
        double k = 0, hits = 0;
        task_draw(&c, i);
        for (int t = 0; t < c.e.len; t += 2)
            if (c.e.input[t] == 3) k++, hits += c.e.input[t - 1] == c.e.target[t];
        n += k, nn += k * k, right += hits;
        spread += (hits - copy * k) * (hits - copy * k);
    }
    double mean = n / N, error = sqrt((nn / N - mean * mean) / N);
    ck_assert_msg(fabs(mean - want) < 4 * error && fabs(want - reads[_i]) < 0.06, "reads %.3f, want %.3f", mean, want);
    ck_assert_msg(fabs(right / n - copy) < 4 * sqrt(spread) / n && fabs(copy - copied[_i]) < 0.006,
                  "copying %.4f, want %.4f", right / n, copy);
}
END_TEST

/* Shares of the instructions; training targets are the next tokens; slices count from the last change. */
START_TEST(flip_flop_layout)
{
    TaskCase c;
    if (!opens("flip_flop", "{len: 64, p_ignore: 0.5, p_write: 0.2, p_undo: 0.1, score: all}", &c)) return;
    const double share[] = { 0.2, 0.2, 0.5, 0.1 };
    double count[4] = { 0 };
    for (uint64_t i = 0; i < 2000; i++) {
        int writes = 0, changed = 0;
        task_draw(&c, i);
        const int *x = c.e.input;
        ck_assert(c.e.len == 63 && x[0] == 2 && x[62] == 3);
        for (int t = 0; t < 63; t++) {
            ck_assert_int_eq(c.e.train_target[t], t < 62 ? x[t + 1] : c.e.target[t]);
            if (t % 2) continue;
            if (t > 0 && t < 62) count[x[t] - 2]++;
            if (x[t] == 3) ck_assert_int_eq(c.e.slice_of[t], (int)floor(log2(t - changed)));
            if (x[t] == 2) writes++, changed = t + 1;
            if (x[t] == 5 && writes > 1) writes--, changed = t;
        }
    }
    for (int k = 0; k < 4; k++) assert_share(count[k], 2000 * 30, share[k], "instruction", k + 2);
}
END_TEST

START_TEST(flip_flop_stress)
{
    TaskCase c;
    if (!opens("flip_flop", "{len: 4096, stress: true}", &c)) return;
    for (uint64_t i = 0; i < 20; i++) {
        task_draw(&c, i);
        const int *x = c.e.input, bit = x[1], last = c.e.len - 1;
        for (int t = 2; t < last; t += 2) ck_assert(x[t] == 4 && x[t + 1] == !bit && c.e.target[t] == IGNORE);
        ck_assert(last == 4094 && x[last] == 3 && c.e.target[last] == bit && c.e.slice_of[last] == 11);
    }
}
END_TEST

/* ---- joint recall, selective copying ----------------------------------------------------------------------------- */

/* Two tables of the same entries, every order of contexts and keys equally likely at the front. */
START_TEST(joint_layout)
{
    enum { C = 3, K = 4, HALF = C * (2 * K + 1) };
    TaskCase c;
    if (!opens("joint_recall", "{contexts: 3, keys: 4, n_value: 5}", &c)) return;
    double first_context[2][C] = { { 0 } }, first_key[2][K] = { { 0 } }, values[5] = { 0 };
    for (uint64_t i = 0; i < 5000; i++) {
        int table[2][C][K] = { { { 0 } } }, asked = 0;
        task_draw(&c, i);
        const int *x = c.e.input;
        ck_assert(c.e.len == 2 * HALF + 1 && x[0] == 1 && x[HALF + 1] == 4);
        for (int half = 0; half < 2; half++)
            for (int b = 0, t = 1 + half * (HALF + 1); b < C; b++, t++) {
                int context = x[t] - (10 + 5 + 16);
                if (b == 0) first_context[half][context]++, first_key[half][x[t + 1] - 15]++;
                for (int k = 0; k < K; k++, t += 2) {
                    int v = half ? c.e.target[t + 1] : x[t + 2];
                    if (half && t + 2 < c.e.len) ck_assert_int_eq(v, x[t + 2]);
                    table[half][context][x[t + 1] - 15] = v;
                    asked += c.e.target[t + 1] != IGNORE;
                }
            }
        ck_assert(asked == C * K && !memcmp(table[0], table[1], sizeof table[0]));
        values[table[0][1][2] - 10]++;
    }
    for (int half = 0; half < 2; half++) {
        for (int k = 0; k < C; k++) assert_share(first_context[half][k], 5000, 1.0 / C, "first context", k);
        for (int k = 0; k < K; k++) assert_share(first_key[half][k], 5000, 1.0 / K, "first key", k);
    }
    for (int v = 0; v < 5; v++) assert_share(values[v], 5000, 0.2, "value", v);
}
END_TEST

/* s4: every place equally likely; the first data token's place follows the law of the smallest of m. mad: blanks before
 * each token are binomial (len, 1/m), none after the last. */
START_TEST(copying_places)
{
    enum { LEN = 9, M = 3, BODY = LEN + M };
    TaskCase s4, mad;
    if (!opens("selective_copying", "{len: 9, m: 3}", &s4)) return;
    if (!opens("selective_copying", "{len: 9, m: 3, variant: mad}", &mad)) return;
    double place[BODY] = { 0 }, first[BODY] = { 0 }, blanks[M] = { 0 }, squares[M] = { 0 };
    for (uint64_t i = 0; i < DRAWS; i++) {
        bool seen = false;
        task_draw(&s4, i);
        for (int t = 0; t < BODY; t++) {
            if (!s4.e.input[t]) continue;
            place[t]++;
            if (!seen) first[t]++;
            seen = true;
        }
        task_draw(&mad, i);
        for (int t = 0, k = 0, run = 0; t < BODY; t++) {
            if (mad.e.input[t] == 8) {
                run++;
                continue;
            }
            blanks[k] += run, squares[k] += run * run;
            k++, run = 0;
        }
        ck_assert(mad.e.input[BODY - 1] < 8 && mad.e.input[BODY] == 9);
    }
    for (int t = 0; t < BODY; t++) {
        int after = BODY - 1 - t; /* places left for the other two tokens */
        assert_share(place[t], DRAWS, (double)M / BODY, "place", t);
        if (after >= 2) assert_share(first[t], DRAWS, after * (after - 1) / 2.0 / 220, "first place", t);
    }
    for (int k = 0; k < M; k++) {
        double mean = blanks[k] / DRAWS, variance = squares[k] / DRAWS - mean * mean;
        ck_assert_msg(fabs(mean - 3) < 4 * sqrt(2.0 / DRAWS) && fabs(variance - 2) < 0.1, "run %d: %.3f, %.3f", k, mean,
                      variance);
    }
}
END_TEST

START_TEST(copying_variable_length)
{
    TaskCase c;
    if (!opens("selective_copying", "{len: 6, m: [1, 4]}", &c)) return;
    double count[5] = { 0 };
    for (uint64_t i = 0; i < 4000; i++) {
        int tokens = 0, asked = 0;
        task_draw(&c, i);
        for (int t = 0; t < 10; t++) tokens += c.e.input[t] != 0;
        for (int t = 10; t < c.e.len; t++) asked += c.e.input[t] == 9 && c.e.target[t] != IGNORE;
        ck_assert(tokens == asked && c.e.len == 10 + tokens);
        count[tokens]++;
    }
    for (int m = 1; m <= 4; m++) assert_share(count[m], 4000, 0.25, "tokens", m);
}
END_TEST

/* ---- theory ------------------------------------------------------------------------------------------------------ */

typedef struct Verdict {
    const char *task, *settings;
    ClassKind kind;
    int n_h, layers;
    TheoryVerdict want;
} Verdict;

static const Verdict verdicts[] = {
    { "parity", NULL, CLASS_DIAG_POS, 1, 2, THEORY_NO },
    { "parity", NULL, CLASS_DIAG_REAL, 1, 1, THEORY_YES },
    { "parity", NULL, CLASS_DPLR1, 1, 2, THEORY_NO },
    { "parity", NULL, CLASS_ATTENTION, 1, 2, THEORY_APPROX },
    { "word_problem", "{group: Z2}", CLASS_DPLR1_NEG, 1, 1, THEORY_YES },
    { "word_problem", "{group: Z5}", CLASS_DIAG_REAL, 1, 8, THEORY_NO },
    { "word_problem", "{group: Z4}", CLASS_DIAG_REAL, 1, 2, THEORY_COND },
    { "word_problem", "{group: Z5}", CLASS_DIAG_COMPLEX, 1, 1, THEORY_YES },
    { "word_problem", "{group: Z5}", CLASS_DPLR1_NEG, 1, 1, THEORY_NO },
    { "word_problem", "{group: Z5}", CLASS_DPLR1_NEG, 1, 2, THEORY_YES },
    { "word_problem", "{group: S3}", CLASS_DPLR_H, 2, 1, THEORY_YES },
    { "word_problem", "{group: S3}", CLASS_DPLR1_NEG, 1, 1, THEORY_COND },
    { "word_problem", "{group: S3, generators: swaps}", CLASS_DPLR1_NEG, 1, 1, THEORY_YES },
    { "word_problem", "{group: S5}", CLASS_DPLR_H, 3, 1, THEORY_COND },
    { "word_problem", "{group: S5}", CLASS_DPLR_H, 4, 1, THEORY_YES },
    { "word_problem", "{group: S5}", CLASS_DPLR1_NEG, 1, 4, THEORY_YES },
    { "word_problem", "{group: A5}", CLASS_DPLR_H, 2, 1, THEORY_YES },
    { "word_problem", "{group: A5}", CLASS_DIAG_COMPLEX, 1, 9, THEORY_NO },
    { "word_problem", "{group: A5}", CLASS_ATTENTION, 1, 9, THEORY_NO },
    { "word_problem", "{group: A4_x_Z5}", CLASS_ATTENTION, 1, 2, THEORY_APPROX },
    { "word_problem", "{group: A4_x_Z5}", CLASS_DPLR_H, 2, 1, THEORY_YES },
    { "word_problem", "{group: S5}", CLASS_RNN, 1, 1, THEORY_YES },
    { "flip_flop", NULL, CLASS_LTI, 1, 2, THEORY_NO },
    { "flip_flop", NULL, CLASS_DIAG_POS, 1, 2, THEORY_YES },
    { "flip_flop", "{p_undo: 0.1}", CLASS_RNN, 1, 2, THEORY_NO },
    { "mqar", NULL, CLASS_ATTENTION, 1, 2, THEORY_YES },
    { "joint_recall", NULL, CLASS_DIAG_POS, 1, 2, THEORY_NO },
    { "selective_copying", NULL, CLASS_LTI, 1, 2, THEORY_NO },
    { "selective_copying", "{variable: false}", CLASS_LTI, 1, 2, THEORY_YES },
};

START_TEST(theory)
{
    const Verdict *v = &verdicts[_i];
    TaskCase c;
    if (!opens(v->task, v->settings, &c)) return;
    Theory th = c.task->theory(c.cfg, (TheoryClass){ v->kind, v->n_h }, v->layers);
    ck_assert_msg(th.verdict == v->want, "%s %s, %s: %s", v->task, v->settings ? v->settings : "",
                  theory_class_name(v->kind), theory_verdict_name(th.verdict));
}
END_TEST

#define COUNT(a) (int)(sizeof(a) / sizeof *(a))

int main(void)
{
    for (int i = 0; i < COUNT(known); i++)
        if (!task_find(known[i])) printf("skipped: not built: %s\n", known[i]);
    fflush(stdout);
    Suite *s = suite_create("task_facts");
    TCase *c = tcase_create("facts");
    tcase_set_timeout(c, 180);
    tcase_add_checked_fixture(c, setup, teardown);
    tcase_add_loop_test(c, works, 0, COUNT(worked));
    tcase_add_loop_test(c, word_alphabets, 0, COUNT(alphabets));
    tcase_add_test(c, word_refuses);
    tcase_add_test(c, mqar_slots);
    tcase_add_loop_test(c, mqar_layout, 0, 3);
    tcase_add_loop_test(c, flip_flop_reads, 0, 3);
    tcase_add_test(c, flip_flop_layout);
    tcase_add_test(c, flip_flop_stress);
    tcase_add_test(c, joint_layout);
    tcase_add_test(c, copying_places);
    tcase_add_test(c, copying_variable_length);
    tcase_add_loop_test(c, theory, 0, COUNT(verdicts));
    suite_add_tcase(s, c);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_ENV);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
