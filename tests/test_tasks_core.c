/* SPDX-License-Identifier: Apache-2.0
 * test_tasks_core.c - layouts and exact probabilities of the tasks of the core: what no line of a facts file can say.
 *
 * Statistics use fixed seeds and 4 standard errors
 * of exact probabilities.
 */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/suite.h"
#include "support/task_facts.h"

enum { _ = IGNORE, EXAMPLE_MAX = 32, DRAWS = 20000 };

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
    if (!facts_open("word_problem", w->settings, &c)) return;
    int count[1024] = { 0 }, reached[1024] = { 0 }, letters = 0, targets = 0, total = 0;
    for (uint64_t i = 0; i < 1000; i++) {
        task_draw(&c, i);
        for (int t = 0; t < c.e.len; t++) count[c.e.input[t]]++, reached[c.e.target[t]] = 1, total++;
    }
    for (int id = 0; id < c.shape.vocab_in; id++) {
        if (!count[id]) continue;
        if (w->id[0] >= 0) ck_assert_int_eq(id, w->id[letters]);
        facts_share(count[id], total, 1.0 / w->n, w->settings, id);
        letters++;
    }
    for (int id = 0; id < c.shape.vocab_out; id++) targets += reached[id];
    ck_assert_int_eq(letters, w->n);
    ck_assert_int_eq(targets, c.shape.vocab_out);
}
END_TEST

/* Tables of one group are refused by the settings of another. */
START_TEST(word_tables)
{
    TaskCase s3, s5;
    TaskShape shape;
    Err err = { 0 };
    if (!facts_open("word_problem", "{group: S3}", &s3) || !facts_open("word_problem", "{group: S5}", &s5)) return;
    ck_assert(!s5.task->shape(s5.cfg, s3.data, &shape, &err) && strstr(err.msg, "group"));
}
END_TEST

/* ---- mqar -------------------------------------------------------------------------------------------------------- */

/* Slots drawn first and second (those of the first and second pair) against successive sampling. */
START_TEST(mqar_slots)
{
    enum { S = 28 };
    static const double first[] = { 0.2511, 0.1264, 0.0846, 0.0636, 0.0510 };
    TaskCase c;
    if (!facts_open("mqar", "{len: 64, kv: 4, filler: none}", &c)) return;
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
        facts_share(count[0][g], DRAWS, w[g] / sum, "first slot", g);
        facts_share(count[1][g], DRAWS, second, "second slot", g);
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
    if (!facts_open("mqar", settings[_i], &c)) return;
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
        if (_i == 2) facts_share(filler[id], fillers, 1 / 80.0, "filler", id);
        if (id) facts_share(keys[id], 5000, id < 40 ? 6 / 39.0 : 6 / 40.0, "context id", id);
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
    if (!facts_open("flip_flop", settings, &c)) return;
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
    if (!facts_open("flip_flop", "{len: 64, p_ignore: 0.5, p_write: 0.2, p_undo: 0.1, score: all}", &c)) return;
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
    for (int k = 0; k < 4; k++) facts_share(count[k], 2000 * 30, share[k], "instruction", k + 2);
}
END_TEST

START_TEST(flip_flop_stress)
{
    TaskCase c;
    if (!facts_open("flip_flop", "{len: 4096, stress: true}", &c)) return;
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
    if (!facts_open("joint_recall", "{contexts: 3, keys: 4, n_value: 5}", &c)) return;
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
        for (int k = 0; k < C; k++) facts_share(first_context[half][k], 5000, 1.0 / C, "first context", k);
        for (int k = 0; k < K; k++) facts_share(first_key[half][k], 5000, 1.0 / K, "first key", k);
    }
    for (int v = 0; v < 5; v++) facts_share(values[v], 5000, 0.2, "value", v);
}
END_TEST

/* s4: every place equally likely; the first data token's place follows the law of the smallest of m. mad: blanks before
 * each token are binomial (len, 1/m), none after the last. */
START_TEST(copying_places)
{
    enum { LEN = 9, M = 3, BODY = LEN + M };
    TaskCase s4, mad;
    if (!facts_open("selective_copying", "{len: 9, m: 3}", &s4)) return;
    if (!facts_open("selective_copying", "{len: 9, m: 3, variant: mad}", &mad)) return;
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
        facts_share(place[t], DRAWS, (double)M / BODY, "place", t);
        if (after >= 2) facts_share(first[t], DRAWS, after * (after - 1) / 2.0 / 220, "first place", t);
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
    if (!facts_open("selective_copying", "{len: 6, m: [1, 4]}", &c)) return;
    double count[5] = { 0 };
    for (uint64_t i = 0; i < 4000; i++) {
        int tokens = 0, asked = 0;
        task_draw(&c, i);
        for (int t = 0; t < 10; t++) tokens += c.e.input[t] != 0;
        for (int t = 10; t < c.e.len; t++) asked += c.e.input[t] == 9 && c.e.target[t] != IGNORE;
        ck_assert(tokens == asked && c.e.len == 10 + tokens);
        count[tokens]++;
    }
    for (int m = 1; m <= 4; m++) facts_share(count[m], 4000, 0.25, "tokens", m);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("tasks_core");
    TCase *c = tcase_create("facts");
    tcase_set_timeout(c, 180);
    tcase_add_checked_fixture(c, facts_setup, facts_teardown);
    tcase_add_loop_test(c, word_alphabets, 0, COUNT(alphabets));
    tcase_add_test(c, word_tables);
    tcase_add_test(c, mqar_slots);
    tcase_add_loop_test(c, mqar_layout, 0, 3);
    tcase_add_loop_test(c, flip_flop_reads, 0, 3);
    tcase_add_test(c, flip_flop_layout);
    tcase_add_test(c, flip_flop_stress);
    tcase_add_test(c, joint_layout);
    tcase_add_test(c, copying_places);
    tcase_add_test(c, copying_variable_length);
    suite_add_tcase(s, c);
    return suite_run(s);
}
