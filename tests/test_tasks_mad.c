/* SPDX-License-Identifier: Apache-2.0
 * test_tasks_mad.c - layouts, token by token, and exact probabilities of the MAD family but selective copying.
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

enum { DRAWS = 20000, IDS = 256 };

/* Every next token is trained on; `last` is the one behind the input. */
static void check_next_tokens(const Example *e, int last)
{
    MUST(e->has_train_target);
    for (int t = 0; t < e->len; t++) MUST_EQ(e->train_target[t], t + 1 < e->len ? e->input[t + 1] : last);
}

/* ---- in-context and noisy recall --------------------------------------------------------------------------------- */

typedef struct Recall {
    const char *settings;
    int len, keys, values, noise; /* ids: keys, values, noise, then the copy mark */
    bool multi, all;
} Recall;

static const Recall recalls[] = {
    { "{len: 128}", 128, 8, 8, 0, true, true },
    { "{len: 12, vocab: 9}", 12, 4, 5, 0, true, true },
    { "{len: 64, vocab: 32, noise_vocab: 16, noise: 0.2}", 64, 8, 8, 16, true, true },
    { "{len: 8, vocab: 8, noise_vocab: 2, noise: 0.9, score: values}", 8, 3, 3, 2, true, false },
    { "{len: 32, vocab: 16, multi_query: false}", 32, 7, 8, 0, false, true },
    { "{len: 32, vocab: 20, multi_query: false, noise_vocab: 4, noise: 0.5}", 32, 7, 8, 4, false, true },
};

/* One pair at t, of which the value is `value`: a binding that agrees with map[], or noise. Returns its key or -1. */
static int check_pair(const Recall *r, const Example *e, int t, int value, int *map)
{
    int k = e->input[t], ids = r->keys + r->values;
    if (k >= ids) {
        MUST(k < ids + r->noise && value >= ids && value < ids + r->noise && e->target[t] == IGNORE);
        return -1;
    }
    MUST(k < r->keys && value >= r->keys && value < ids);
    bool known = map[k] != IGNORE, last = t == e->len - 1;
    MUST(!known || map[k] == value);
    MUST_EQ(e->target[t], known && (r->multi || last) ? value : IGNORE);
    MUST(known || !last);
    map[k] = value;
    return k;
}

START_TEST(recall_layout)
{
    const Recall *r = &recalls[_i];
    TaskCase c;
    if (!facts_open("in_context_recall", r->settings, &c)) return;
    ck_assert_double_eq_tol(c.shape.chance_majority, 1.0 / r->values, 1e-12);
    for (uint64_t i = 0; i < 2000; i++) {
        int map[IDS], t = 0;
        task_draw(&c, i);
        for (int k = 0; k < IDS; k++) map[k] = IGNORE;
        MUST_EQ(c.e.len, r->len - r->multi);
        for (; t < r->len - 2; t += 2) {
            check_pair(r, &c.e, t, c.e.input[t + 1], map);
            MUST_EQ(c.e.target[t + 1], IGNORE);
        }
        if (!r->multi) {
            MUST_EQ(c.e.input[t], c.shape.vocab_in - 1);
            MUST_EQ(c.e.target[t++], IGNORE);
        }
        MUST_EQ(t, c.e.len - 1);
        MUST(check_pair(r, &c.e, t, c.e.target[t], map) >= 0);
        if (r->all) check_next_tokens(&c.e, c.e.target[t]);
    }
}
END_TEST

/* Mean of 1/D, where D is the number of different keys among n uniform ones of k. */
static double mean_inverse_distinct(int n, int k)
{
    double p[IDS] = { 1 }, mean = 0;
    for (int i = 0; i < n; i++)
        for (int d = k; d >= 0; d--) p[d] = p[d] * d / k + (d ? p[d - 1] * (k - d + 1) / k : 0);
    for (int d = 1; d <= k; d++) mean += p[d] / d;
    return mean;
}

/* Keys and values uniform, repeats as often as in uniform draws, the last key uniform among the different ones. */
START_TEST(recall_shares)
{
    enum { PAIRS = 8, K = 8 };
    TaskCase c;
    if (!facts_open("in_context_recall", "{len: 16}", &c)) return;
    double key[K] = { 0 }, value[K] = { 0 }, repeated[PAIRS] = { 0 }, first = 0, sum = 0, squares = 0, scored = 1;
    ck_assert_double_eq_tol(c.shape.chance_uniform, 0.125, 1e-12);
    for (uint64_t i = 0; i < DRAWS; i++) {
        double n = 0;
        task_draw(&c, i);
        key[c.e.input[6]]++, value[c.e.input[1] - K]++;
        for (int j = 0; j < PAIRS; j++) repeated[j] += c.e.target[2 * j] != IGNORE, n += c.e.target[2 * j] != IGNORE;
        first += c.e.input[2 * (PAIRS - 1)] == c.e.input[0];
        sum += n, squares += n * n;
    }
    for (int k = 0; k < K; k++)
        facts_share(key[k], DRAWS, 1.0 / K, "key", k), facts_share(value[k], DRAWS, 1.0 / K, "value", k);
    for (int j = 1; j < PAIRS - 1; j++) {
        double p = 1 - pow(1 - 1.0 / K, j);
        facts_share(repeated[j], DRAWS, p, "repeated key of pair", j);
        scored += p;
    }
    facts_share(first, DRAWS, mean_inverse_distinct(PAIRS - 1, K), "last key is the first", 0);
    facts_mean(sum, squares, DRAWS, scored, "scored positions");
}
END_TEST

/* A pair is noise with the stated probability, but for the spared one and for examples drawn again. */
START_TEST(recall_noise)
{
    enum { PAIRS = 3 };
    TaskCase c;
    if (!facts_open("in_context_recall", "{len: 6, vocab: 32, noise_vocab: 16, noise: 0.9}", &c)) return;
    const double f = 0.9, fails = pow(f, PAIRS - 1) / PAIRS, one = (f * (1 - 1.0 / PAIRS) - fails) / (1 - fails);
    double noise[2] = { 0 }, id[16] = { 0 };
    for (uint64_t i = 0; i < DRAWS; i++) {
        task_draw(&c, i);
        for (int j = 0; j < 2; j++) noise[j] += c.e.input[2 * j] >= 16;
        if (c.e.input[0] >= 16) id[c.e.input[1] - 16]++;
    }
    for (int j = 0; j < 2; j++) facts_share(noise[j], DRAWS, one, "noise in pair", j);
    for (int k = 0; k < 16; k++) facts_share(id[k], noise[0], 1.0 / 16, "noise id", k);
}
END_TEST

/* ---- fuzzy recall ------------------------------------------------------------------------------------------------ */

typedef struct Fuzzy {
    const char *settings;
    int keys, values, key_min, key_max, value_min, value_max;
} Fuzzy;

static const Fuzzy fuzzies[] = {
    { "{len: 128}", 7, 8, 1, 3, 1, 3 },
    { "{len: 128, key_min: 3}", 7, 8, 3, 3, 1, 3 },
    { "{len: 20, vocab: 7, value_min: 2}", 3, 3, 1, 3, 2, 3 },
    { "{len: [9, 24], vocab: 12, key_max: 2, value_max: 2}", 5, 6, 1, 2, 1, 2 },
};

typedef struct Pair {
    int key[4], value[4], keys, values;
} Pair;

/* Read ids lo..hi-1 from string[t] on, all different, into out; returns the next position. */
static int read_tuple(const int *string, int n, int t, int lo, int hi, int *out, int *size)
{
    for (*size = 0; t < n && string[t] >= lo && string[t] < hi; t++) {
        for (int i = 0; i < *size; i++) MUST(out[i] != string[t]);
        MUST(*size < 4);
        out[(*size)++] = string[t];
    }
    return t;
}

/* Split an example (with its last token put back) into pads and pairs; targets must be those of keys seen before. */
static int read_pairs(const Fuzzy *f, const Example *e, Pair *pair, int *pads)
{
    int string[IDS], n = e->len + 1, t = 0, pairs = 0;
    memcpy(string, e->input, sizeof(int) * (size_t)e->len);
    string[n - 1] = e->target[n - 2];
    while (t < n && string[t] == f->keys + f->values) t++;
    *pads = t;
    while (t < n) {
        Pair *p = &pair[pairs++];
        int value = read_tuple(string, n, t, 0, f->keys, p->key, &p->keys), known = -1;
        int end = read_tuple(string, n, value, f->keys, f->keys + f->values, p->value, &p->values);
        MUST(p->keys >= f->key_min && p->keys <= f->key_max && p->values >= f->value_min);
        MUST(p->values <= f->value_max);
        for (int i = 0; i < pairs - 1 && known < 0; i++)
            if (pair[i].keys == p->keys && !memcmp(pair[i].key, p->key, sizeof(int) * (size_t)p->keys)) known = i;
        MUST(known < 0 || (pair[known].values == p->values &&
                           !memcmp(pair[known].value, p->value, sizeof(int) * (size_t)p->values)));
        for (int s = t > *pads ? t : t + 1; s < end; s++)
            MUST_EQ(e->target[s - 1], known >= 0 && s >= value ? string[s] : IGNORE);
        MUST(end < n || known >= 0);
        t = end;
    }
    return pairs;
}

START_TEST(fuzzy_layout)
{
    const Fuzzy *f = &fuzzies[_i];
    int most = f->key_max + f->value_max, pads;
    double size[4] = { 0 };
    TaskCase c;
    if (!facts_open("fuzzy_recall", f->settings, &c)) return;
    for (uint64_t i = 0; i < 4000; i++) {
        Pair pair[IDS];
        task_draw(&c, i);
        int pairs = read_pairs(f, &c.e, pair, &pads);
        MUST(pads >= 2 && pads <= most + 1);
        check_next_tokens(&c.e, c.e.target[c.e.len - 1]);
        size[pair[pairs - 1].keys]++;
    }
    for (int k = f->key_min; k <= f->key_max && f->key_max > f->key_min; k++)
        facts_share(size[k], 4000, 1.0 / (f->key_max - f->key_min + 1), "size of the last key", k);
}
END_TEST

/* Tuples of a size are equally likely, in the probe and in the first pair. */
START_TEST(fuzzy_tuples)
{
    enum { K = 3 };
    static const Fuzzy f = { "{len: 13, vocab: 8}", K, 4, 1, 3, 1, 3 };
    double last[64] = { 0 }, first[64] = { 0 };
    TaskCase c;
    if (!facts_open("fuzzy_recall", f.settings, &c)) return;
    for (uint64_t i = 0; i < DRAWS; i++) {
        Pair pair[IDS];
        int code[2] = { 0 }, pads;
        task_draw(&c, i);
        int pairs = read_pairs(&f, &c.e, pair, &pads);
        for (int j = 0; j < pair[0].keys; j++) code[0] = 4 * code[0] + pair[0].key[j] + 1;
        for (int j = 0; j < pair[pairs - 1].keys; j++) code[1] = 4 * code[1] + pair[pairs - 1].key[j] + 1;
        first[code[0]]++, last[code[1]]++;
    }
    for (int code = 1, tuples = 0; code < 64; code++) {
        int size = code < 4 ? 1 : code < 16 ? 2 : 3;
        if (last[code] == 0 && first[code] == 0) continue;
        double p = 1.0 / 3 / (size == 1 ? 3 : 6);
        facts_share(last[code], DRAWS, p, "last key", code);
        facts_share(first[code], DRAWS, p, "first key", code);
        MUST(++tuples <= 15);
    }
}
END_TEST

/* Keys and values of one token: the probe's first place, by its own draw, by chance, or at the last moment. */
START_TEST(fuzzy_probe)
{
    enum { LEN = 14, K = 4, END = LEN - 4, DUE = (END - 2) / 2, PAIRS = END / 2 };
    double want[PAIRS] = { 0 }, place[PAIRS] = { 0 };
    TaskCase c;
    if (!facts_open("fuzzy_recall", "{len: 14, vocab: 10, key_max: 1, value_max: 1}", &c)) return;
    for (int from = 0; from < LEN - 4; from++) {
        int due = (from + 1) / 2 < DUE ? (from + 1) / 2 : DUE;
        for (int j = 0; j <= due; j++) want[j] += pow(1 - 1.0 / K, j) * (j < due ? 1.0 / K : 1) / (LEN - 4);
    }
    for (uint64_t i = 0; i < DRAWS; i++) {
        int start = LEN + 1 - 2 * (PAIRS + 1), j = 0;
        task_draw(&c, i);
        while (j < PAIRS && c.e.input[start + 2 * j] != c.e.input[LEN - 1]) j++;
        MUST(j < PAIRS);
        place[j]++;
    }
    for (int j = 0; j < PAIRS; j++) facts_share(place[j], DRAWS, want[j], "first place of the probe", j);
}
END_TEST

/* ---- memorization ------------------------------------------------------------------------------------------------ */

/* The map of a table seed, read off the solver, as one number. */
static int map_code(TaskCase *c, uint64_t seed)
{
    static const int input[] = { 0, 7, 1, 7, 2, 7 };
    int out[6];
    Err err = { 0 };
    MUST(c->task->prepare(c->cfg, seed, facts_arena, c->data, &err));
    c->task->solve(c->cfg, c->data, input, 6, out);
    MUST(out[1] != out[3] && out[1] != out[5] && out[3] != out[5]);
    for (int t = 1; t < 6; t += 2) MUST(out[t] >= 3 && out[t] <= 6);
    return 100 * out[1] + 10 * out[3] + out[5];
}

/* All 24 maps of 3 keys to 4 values are equally likely; the worked example needs 0 -> 5, 1 -> 3, 2 -> 6. */
START_TEST(memorization_maps)
{
    enum { SEEDS = 9600 };
    static const int input[] = { 1, 7, 2, 7, 1, 7 }, target[] = { IGNORE, 3, IGNORE, 6, IGNORE, 3 };
    double count[1000] = { 0 };
    bool drawn = false;
    int maps = 0;
    TaskCase c;
    if (!facts_open("memorization", "{vocab: 8, len: 6}", &c)) return;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        int code = map_code(&c, seed);
        if (count[code]++ == 0) maps++;
        if (code != 536 || drawn) continue;
        for (uint64_t i = 0; i < 2000 && !drawn; i++) {
            task_draw(&c, i);
            drawn = c.e.len == 6 && !memcmp(c.e.input, input, sizeof input);
        }
        for (int t = 0; t < 6; t++) MUST_EQ(c.e.target[t], target[t]);
    }
    MUST(drawn && maps == 24);
    for (int code = 0; code < 1000; code++)
        if (count[code] > 0) facts_share(count[code], SEEDS, 1.0 / 24, "map", code);
    MUST_EQ(map_code(&c, 7), map_code(&c, 7));
}
END_TEST

START_TEST(memorization_keys)
{
    enum { H = 12 };
    double count[2][H] = { { 0 } };
    TaskCase c;
    if (!facts_open("memorization", "{vocab: 25}", &c)) return;
    for (uint64_t i = 0; i < DRAWS; i++) {
        task_draw(&c, i);
        MUST_EQ(c.e.len, 32);
        for (int t = 0; t < 32; t += 2) MUST(c.e.input[t] < H && c.e.input[t + 1] == 24 && c.e.target[t] < 0);
        count[0][c.e.input[0]]++, count[1][c.e.input[30]]++;
    }
    for (int k = 0; k < H; k++)
        for (int j = 0; j < 2; j++) facts_share(count[j][k], DRAWS, 1.0 / H, "key", k);
}
END_TEST

/* ---- compression ------------------------------------------------------------------------------------------------- */

START_TEST(compression_layout)
{
    enum { N = 7 };
    double token[5] = { 0 }, place[N] = { 0 };
    TaskCase c;
    if (!facts_open("compression", _i ? "{len: 8, vocab: 6, query: position}" : "{len: 8, vocab: 6}", &c)) return;
    for (uint64_t i = 0; i < DRAWS; i++) {
        bool asked[N] = { false };
        task_draw(&c, i);
        MUST(c.e.len == 2 * N + 1 && c.e.input[N] == 5);
        for (int t = 0; t <= N; t++) MUST(c.e.target[t] == IGNORE && (t == N || c.e.input[t] < 5));
        for (int j = 0; j < N; j++) {
            int at = _i ? c.e.input[N + 1 + j] - 6 : j;
            MUST(at >= 0 && at < N && !asked[at] && c.e.input[N + 1 + j] == (_i ? 6 + at : 6));
            asked[at] = true;
            MUST_EQ(c.e.target[N + 1 + j], c.e.input[at]);
        }
        token[c.e.input[i % N]]++, place[_i ? c.e.input[N + 2] - 6 : 1]++;
    }
    for (int k = 0; k < 5; k++) facts_share(token[k], DRAWS, 0.2, "token", k);
    for (int k = 0; k < N && _i; k++) facts_share(place[k], DRAWS, 1.0 / N, "second question", k);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("tasks_mad");
    TCase *c = tcase_create("mad");
    tcase_set_timeout(c, 180);
    tcase_add_checked_fixture(c, facts_setup, facts_teardown);
    tcase_add_loop_test(c, recall_layout, 0, COUNT(recalls));
    tcase_add_test(c, recall_shares);
    tcase_add_test(c, recall_noise);
    tcase_add_loop_test(c, fuzzy_layout, 0, COUNT(fuzzies));
    tcase_add_test(c, fuzzy_tuples);
    tcase_add_test(c, fuzzy_probe);
    tcase_add_test(c, memorization_maps);
    tcase_add_test(c, memorization_keys);
    tcase_add_loop_test(c, compression_layout, 0, 2);
    suite_add_tcase(s, c);
    return suite_run(s);
}
