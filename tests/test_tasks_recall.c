/* SPDX-License-Identifier: Apache-2.0
 * test_tasks_recall.c - layouts and exact probabilities of the recall tasks: what no line of a facts file can say.
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

enum { DRAWS = 10000 };

/* Counts of the slot drawn first and second against successive sampling with weights (g+1)^-0.99. */
static void check_slots(double count[2][32], int slots, double n)
{
    double w[32], sum = 0;
    for (int g = 0; g < slots; g++) sum += w[g] = pow(g + 1, -0.99);
    for (int g = 0; g < slots; g++) {
        double second = 0;
        for (int h = 0; h < slots; h++) second += h == g ? 0 : w[h] / sum * w[g] / (sum - w[h]);
        facts_share(count[0][g], n, w[g] / sum, "first slot", g);
        facts_share(count[1][g], n, second, "second slot", g);
    }
}

/* The filler of positions from..len-1 that `held` does not mark: its policy, and uniform for `any`. */
static void count_filler(const TaskCase *c, int policy, const bool *held, const bool *is_key, int from, double *count)
{
    for (int t = from; t < c->e.len; t++) {
        if (held[t]) continue;
        int id = c->e.input[t];
        ck_assert_int_eq(c->e.target[t], IGNORE);
        if (policy == 0) ck_assert_int_eq(id, 0);
        if (policy == 1) ck_assert(!is_key[id]);
        count[id]++;
    }
}

static void check_uniform(const double *count, int n, const char *what)
{
    double sum = 0;
    for (int i = 0; i < n; i++) sum += count[i];
    for (int i = 0; i < n; i++) facts_share(count[i], sum, 1.0 / n, what, i);
}

/* ---- mqar -------------------------------------------------------------------------------------------------------- */

/* A full house: every slot asks. One context value answers one query of N, the line of who knows no bindings. */
START_TEST(mqar_full)
{
    TaskCase c;
    if (!facts_open("mqar", "{len: 32, kv: 8, vocab: 34}", &c)) return;
    for (uint64_t i = 0; i < 1000; i++) {
        int first = 0;
        task_draw(&c, i);
        for (int t = 0; t < 32; t++) {
            ck_assert_int_eq(c.e.target[t] != IGNORE, t >= 16 && t % 2 == 0);
            first += c.e.target[t] == c.e.input[1];
        }
        ck_assert_int_eq(first, 1);
    }
}
END_TEST

/* ---- forgetting -------------------------------------------------------------------------------------------------- */

enum { N = 3, M = 2, HALF = 14, CONTEXT = 2 * (N + M) };

/* Index of a key among the first N. */
static int index_of(const int *x, int key)
{
    int i = 0;
    while (x[2 * i] != key) ck_assert_int_lt(++i, N);
    return i;
}

/* The pairs, then the updates; returns how many updates repeat the old value, which only compat may. */
static int read_context(const TaskCase *c, bool compat, bool *is_key, int *latest, double *index, double *shift)
{
    const int *x = c->e.input;
    bool updated[N] = { false };
    int repeats = 0;
    for (int i = 0; i < N; i++) {
        int key = x[2 * i], value = x[2 * i + 1];
        ck_assert(key >= 1 && key < HALF && value >= HALF && value < 2 * HALF && !is_key[key] && !is_key[value]);
        is_key[key] = is_key[value] = true;
        latest[i] = value;
    }
    for (int i = 0; i < N; i++) is_key[x[2 * i + 1]] = false;
    for (int j = 0; j < M; j++) {
        int i = index_of(x, x[2 * (N + j)]), value = x[2 * (N + j) + 1];
        ck_assert(!updated[i] && value >= HALF && value < 2 * HALF);
        ck_assert(compat ? value != x[2 * j + 1] : value != x[2 * i + 1]);
        repeats += value == x[2 * i + 1];
        updated[i] = true;
        latest[i] = value;
        index[j * N + i]++;
        shift[(value - x[2 * (compat ? j : i) + 1] + HALF) % HALF]++;
    }
    return repeats;
}

START_TEST(forgetting_layout)
{
    static const char *const settings[] = { "{len: 26, kv: 3, updates: 2, vocab: 28, filler: none}",
                                            "{len: 26, kv: 3, updates: 2, vocab: 28, filler: disjoint}",
                                            "{len: 26, kv: 3, updates: 2, vocab: 28}",
                                            "{len: 26, kv: 3, updates: 2, vocab: 28, compat: zoology}" };
    TaskCase c;
    if (!facts_open("forgetting_mqar", settings[_i], &c)) return;
    const int *x = c.e.input;
    double keys[HALF] = { 0 }, values[HALF] = { 0 }, index[M * N] = { 0 }, shift[HALF] = { 0 };
    double slot[2][32] = { { 0 } }, filler[2 * HALF] = { 0 }, repeats = 0;
    for (uint64_t k = 0; k < DRAWS; k++) {
        bool is_key[2 * HALF] = { false }, held[26] = { false };
        int latest[N], asked = 0;
        task_draw(&c, k);
        ck_assert_int_eq(c.e.len, 26);
        repeats += read_context(&c, _i == 3, is_key, latest, index, shift);
        for (int t = CONTEXT; t < 26; t += 2) {
            if (c.e.target[t] == IGNORE) continue;
            int i = index_of(x, x[t]);
            ck_assert_int_eq(c.e.target[t], latest[i]);
            ck_assert_int_eq(c.e.slice_of[t], x[2 * N] == x[t] || x[2 * N + 2] == x[t]);
            if (i < 2) slot[i][(t - CONTEXT) / 2]++;
            held[t] = true;
            asked++;
        }
        ck_assert_int_eq(asked, N);
        count_filler(&c, _i, held, is_key, CONTEXT, filler);
        keys[x[0]]++, values[x[1] - HALF]++;
    }
    check_slots(slot, 8, DRAWS);
    check_uniform(keys + 1, HALF - 1, "first key");
    check_uniform(values, HALF, "first value");
    check_uniform(shift + 1, HALF - 1, "new value less old");
    for (int j = 0; j < M; j++) check_uniform(index + N * j, N, "key updated");
    if (_i >= 2) check_uniform(filler, 2 * HALF, "filler");
    /* compat: the key is another than the j-th, and its old value is drawn */
    facts_share(repeats, (double)DRAWS * M, _i == 3 ? (1 - 1.0 / N) / (HALF - 1) : 0, "repeated value", 0);
}
END_TEST

/* Mark every assignment of latest values that some first values and updates lead to. */
static void mark_latest(int n, int m, int h, int at, int updates, int *value, bool *first, bool *seen)
{
    if (at == n) {
        int code = 0;
        for (int i = 0; i < n; i++) code = code * h + value[i];
        if (updates == m) seen[code] = true;
        return;
    }
    for (int old = 0; old < h; old++) {
        if (first[old]) continue;
        first[old] = true;
        value[at] = old;
        mark_latest(n, m, h, at + 1, updates, value, first, seen);
        for (value[at] = 0; updates < m && value[at] < h; value[at]++)
            if (value[at] != old) mark_latest(n, m, h, at + 1, updates + 1, value, first, seen);
        first[old] = false;
    }
}

START_TEST(forgetting_memory)
{
    static const int sizes[][3] = { { 2, 1, 10 }, { 3, 1, 14 }, { 3, 2, 16 }, { 4, 1, 18 }, { 3, 3, 18 } };
    const int n = sizes[_i][0], m = sizes[_i][1], len = sizes[_i][2], h = len / 2 + 1;
    char settings[96];
    TaskCase c;
    snprintf(settings, sizeof settings, "{len: %d, kv: %d, updates: %d, vocab: %d}", len, n, m, 2 * h);
    if (!facts_open("forgetting_mqar", settings, &c)) return;
    int value[4], codes = (int)pow(h, n), count = 0;
    bool first[16] = { false }, *seen = ARENA_NEW(facts_arena, bool, codes);
    mark_latest(n, m, h, 0, 0, value, first, seen);
    for (int i = 0; i < codes; i++) count += seen[i];
    ck_assert_double_eq_tol(c.task->memory_bits(c.cfg, c.data), log2(count), 1e-9);
}
END_TEST

/* ---- compositional ----------------------------------------------------------------------------------------------- */

/* V = 40: first halves 1..12, second 13..25, values 26..39. */
START_TEST(compositional_layout)
{
    static const char *const settings[] = { "{len: 38, kv: 4, vocab: 40, filler: none}",
                                            "{len: 38, kv: 4, vocab: 40, filler: disjoint}",
                                            "{len: 38, kv: 4, vocab: 40}" };
    TaskCase c;
    if (!facts_open("compositional_mqar", settings[_i], &c)) return;
    const int *x = c.e.input;
    double ids[40] = { 0 }, filler[40] = { 0 }, slot[2][32] = { { 0 } }, same[2][3] = { { 0 } };
    for (uint64_t k = 0; k < DRAWS; k++) {
        bool is_key[40] = { false }, held[38] = { false }, value[40] = { false };
        int asked = 0, halves = 0, share[2] = { 0 };
        task_draw(&c, k);
        for (int i = 0; i < 4; i++) {
            int a = x[3 * i], b = x[3 * i + 1], v = x[3 * i + 2];
            ck_assert(a >= 1 && a < 13 && b >= 13 && b < 26 && v >= 26 && v < 40 && !value[v]);
            halves += !is_key[a] + !is_key[b];
            ids[a] += !is_key[a], ids[b] += !is_key[b], ids[v]++;
            is_key[a] = is_key[b] = value[v] = true;
            if (i && a == x[0]) same[0][i - 1]++, share[0]++;
            if (i && b == x[1]) same[1][i - 1]++, share[1]++;
            for (int j = 0; j < i; j++) ck_assert(x[3 * j] != a || x[3 * j + 1] != b);
        }
        ck_assert(halves == 4 && share[0] == 1 && share[1] == 1);
        for (int t = 12; t + 1 < 38; t += 3) {
            if (c.e.target[t + 1] == IGNORE) continue;
            int i = 0;
            while (x[3 * i] != x[t] || x[3 * i + 1] != x[t + 1]) ck_assert_int_lt(++i, 4);
            ck_assert_int_eq(c.e.target[t + 1], x[3 * i + 2]);
            ck_assert_int_eq(c.e.slice_of[t + 1], (int)floor(log2(t - 1 - 3 * i)));
            if (i < 2) slot[i][(t - 12) / 3]++;
            held[t] = held[t + 1] = true;
            asked++;
        }
        ck_assert_int_eq(asked, 4);
        count_filler(&c, _i, held, is_key, 12, filler);
    }
    check_slots(slot, 8, DRAWS);
    for (int h = 0; h < 2; h++) check_uniform(same[h], 3, "place of the same half");
    for (int id = 1; id < 40; id++)
        facts_share(ids[id], DRAWS, id < 13 ? 2 / 12.0 : id < 26 ? 2 / 13.0 : 4 / 14.0, "context id", id);
    if (_i == 2) check_uniform(filler, 40, "filler");
}
END_TEST

/* ---- stacked ----------------------------------------------------------------------------------------------------- */

START_TEST(stacked_layout)
{
    enum { PAIRS = 3, KEYS = 5, VALUES = 4 };
    TaskCase c;
    if (!facts_open("stacked_mqar", "{kv: 3, keys: 5, values: 4, passes: 2}", &c)) return;
    ck_assert_int_eq(c.shape.vocab_in, KEYS * (VALUES + 1));
    const int *x = c.e.input;
    double ids[KEYS * VALUES] = { 0 }, again[PAIRS] = { 0 }, asked[PAIRS] = { 0 };
    for (uint64_t k = 0; k < DRAWS; k++) {
        int value[KEYS] = { -1, -1, -1, -1, -1 }, values = 0;
        task_draw(&c, k);
        ck_assert_int_eq(c.e.len, 3 * PAIRS);
        for (int i = 0; i < PAIRS; i++) {
            ck_assert(x[i] < KEYS * VALUES && value[x[i] / VALUES] < 0 && !(values >> (x[i] % VALUES) & 1));
            value[x[i] / VALUES] = x[i] % VALUES;
            values |= 1 << (x[i] % VALUES);
            ids[x[i]]++;
            if (x[PAIRS + i] == x[0]) again[i]++;
            if (x[2 * PAIRS + i] == KEYS * VALUES + x[0] / VALUES) asked[i]++;
        }
        for (int i = 0, seen[KEYS] = { 0 }; i < PAIRS; i++) {
            int pair = x[PAIRS + i], key = x[2 * PAIRS + i] - KEYS * VALUES;
            ck_assert(value[pair / VALUES] == pair % VALUES && !(seen[pair / VALUES]++ & 1));
            ck_assert(key >= 0 && c.e.target[2 * PAIRS + i] == value[key] && value[key] >= 0);
            ck_assert(c.e.target[i] == IGNORE && c.e.target[PAIRS + i] == IGNORE);
        }
    }
    for (int id = 0; id < KEYS * VALUES; id++) facts_share(ids[id], DRAWS, (double)PAIRS / (KEYS * VALUES), "pair", id);
    check_uniform(again, PAIRS, "place in the second pass");
    check_uniform(asked, PAIRS, "place among the queries");
}
END_TEST

/* ---- joint recall ------------------------------------------------------------------------------------------------ */

/* Published sizes: (contexts, keys) uniform on 5..16 squared, ck targets. Who ignores the context, and answers with the
 * key's first value, is right for 1/c + (1 - 1/c)/n_value. */
START_TEST(joint_sizes)
{
    TaskCase c;
    if (!facts_open("joint_recall", "{contexts: [5, 16], keys: [5, 16], n_value: 16}", &c)) return;
    ck_assert_int_eq(c.shape.max_len, 1057);
    ck_assert_double_eq(c.shape.chance_majority, 0.0625);
    double contexts[12] = { 0 }, keys[12] = { 0 }, excess = 0, squares = 0;
    const int *x = c.e.input;
    for (uint64_t i = 0; i < 3000; i++) {
        int n = 0, k = 0, first[16], asked = 0, right = 0;
        task_draw(&c, i);
        for (int j = 0; j < 16; j++) first[j] = -1;
        for (int t = 0; x[t] != 4; t++) {
            if (x[t] >= 42) n++, k = 0;
            if (x[t] < 26 || x[t] >= 42) continue;
            if (first[x[t] - 26] < 0) first[x[t] - 26] = x[t + 1];
            k++;
        }
        for (int t = 0; t < c.e.len; t++)
            if (c.e.target[t] != IGNORE) asked++, right += c.e.target[t] == first[x[t] - 26];
        ck_assert(asked == n * k && c.e.len == 2 * n * (2 * k + 1) + 1);
        double over = (double)right / asked - (1.0 / n + (1 - 1.0 / n) / 16);
        contexts[n - 5]++, keys[k - 5]++, excess += over, squares += over * over;
    }
    check_uniform(contexts, 12, "contexts");
    check_uniform(keys, 12, "keys");
    facts_mean(excess, squares, 3000, 0, "who ignores the context");
}
END_TEST

/* ---- induction heads --------------------------------------------------------------------------------------------- */

/* Two copied tokens, one or two triggers: all placements equally likely, 9 of one, C(7, 2) of two. */
START_TEST(induction_layout)
{
    static const char *const settings[] = { "{len: 12, vocab: 7, induction_len: 2, loss: all}",
                                            "{len: 12, vocab: 7, induction_len: 2, num_triggers: 2, loss: all}" };
    TaskCase c;
    if (!facts_open("induction_heads", settings[_i], &c)) return;
    const int *x = c.e.input;
    double place[81] = { 0 }, data[5] = { 0 }, answer[2][5] = { { 0 } };
    for (uint64_t i = 0; i < DRAWS; i++) {
        int at[3], k = 0;
        task_draw(&c, i);
        ck_assert(c.e.len == 14 && x[12] == 1);
        for (int t = 0; t < 12; t++) {
            ck_assert(x[t] >= 1 && x[t] < 7 && c.e.target[t] == IGNORE);
            if (x[t] != 1) continue;
            ck_assert_int_lt(k, 2);
            at[k++] = t;
        }
        ck_assert(k == _i + 1 && at[k - 1] <= 8 && (!_i || at[1] - at[0] > 2));
        place[at[0] * 9 * _i + at[k - 1]]++;
        for (int j = 0; j < 2; j++) {
            int a = x[at[0] + 1 + j];
            ck_assert(c.e.target[12 + j] == a && (!_i || x[at[1] + 1 + j] == a) && (j || x[13] == a));
            ck_assert_int_eq(c.e.slice_of[12 + j], (int)floor(log2(12 - at[k - 1])));
            answer[j][a - 2]++;
        }
        for (int t = 0; t < 13; t++) ck_assert_int_eq(c.e.train_target[t], x[t + 1]);
        ck_assert_int_eq(c.e.train_target[13], c.e.target[13]);
        data[x[11] - 2]++;
    }
    for (int p = 0, places = _i ? 21 : 9; p < 81; p++) {
        bool possible = _i ? p % 9 - p / 9 > 2 : p < 9;
        facts_share(place[p], DRAWS, possible ? 1.0 / places : 0, "placement", p);
    }
    check_uniform(data, 5, "last data token");
    for (int j = 0; j < 2; j++) check_uniform(answer[j], 5, "answer");
}
END_TEST

/* The source's triggers: one with probability 1/2, else two of six places, one if they are neighbours or the same. */
START_TEST(induction_safari)
{
    TaskCase c;
    if (!facts_open("induction_heads", "{len: 8, num_triggers: 2, compat: safari}", &c)) return;
    double single = 0, first = 0;
    for (uint64_t i = 0; i < DRAWS; i++) {
        int triggers = 0;
        task_draw(&c, i);
        for (int t = 0; t < 8; t++) triggers += c.e.input[t] == 1;
        ck_assert(triggers >= 1 && triggers <= 2 && c.e.input[6] != 1 && c.e.input[7] != 1);
        single += triggers == 1, first += c.e.input[0] == 1;
    }
    facts_share(single, DRAWS, 0.5 + 0.5 * 16 / 36, "one trigger", 0);
    facts_share(first, DRAWS, 0.5 / 6 + 0.5 * 11 / 36, "trigger in front", 0);
    ck_assert_double_eq_tol(c.shape.chance_uniform, 1 / 14.0, 1e-12);
}
END_TEST

/* ---- associative recall ------------------------------------------------------------------------------------------ */

/* Expectation of 1 / (distinct keys) after `pairs` draws of `keys`. */
static double mean_inverse_distinct(int pairs, int keys)
{
    double p[32] = { 1 }, mean = 0;
    for (int i = 0; i < pairs; i++)
        for (int d = i + 1; d >= 0; d--) p[d] = p[d] * d / keys + (d ? p[d - 1] * (keys - d + 1) / keys : 0);
    for (int d = 1; d <= pairs; d++) mean += p[d] / d;
    return mean;
}

/* vocab 11: keys 2..5, values 6..10; six pairs. */
START_TEST(associative_layout)
{
    static const char *const settings[] = { "{vocab: 11, len: 12}",
                                            "{vocab: 11, len: 12, allow_dot: true, loss: all}" };
    TaskCase c;
    if (!facts_open("associative_recall", settings[_i], &c)) return;
    const int *x = c.e.input;
    double keys[4] = { 0 }, values[5] = { 0 }, asked[4] = { 0 }, answers[6] = { 0 }, first = 0;
    for (uint64_t i = 0; i < DRAWS; i++) {
        int value[6] = { 0 }, last[6] = { 0 };
        task_draw(&c, i);
        ck_assert(c.e.len == 14 && x[12] == 1 && x[13] >= 2 && x[13] < 6);
        for (int t = 0; t < 14; t++) ck_assert_int_eq(c.e.target[t] != IGNORE, t == 13);
        for (int t = 0; t < 12; t += 2) {
            ck_assert(x[t] >= 2 && x[t] < 6 && x[t + 1] >= 6 && x[t + 1] < 11);
            ck_assert(!value[x[t]] || value[x[t]] == x[t + 1]);
            value[x[t]] = x[t + 1], last[x[t]] = t + 1;
        }
        ck_assert_int_eq(c.e.target[13], value[x[13]]);
        ck_assert_int_eq(c.e.slice_of[13], last[x[13]] ? (int)floor(log2(13 - last[x[13]])) : 0);
        ck_assert(_i || value[x[13]]);
        for (int t = 0; _i && t < 13; t++) ck_assert_int_eq(c.e.train_target[t], x[t + 1]);
        keys[x[10] - 2]++, values[x[1] - 6]++, asked[x[13] - 2]++, first += x[13] == x[0];
        answers[value[x[13]] ? value[x[13]] - 5 : 0]++;
    }
    const double dots = _i ? pow(0.75, 6) : 0;
    check_uniform(keys, 4, "key");
    check_uniform(values, 5, "value");
    check_uniform(asked, 4, "key asked");
    for (int v = 0; v < 6; v++) facts_share(answers[v], DRAWS, v ? (1 - dots) / 5 : dots, "answer", v);
    facts_share(first, DRAWS, _i ? 0.25 : mean_inverse_distinct(6, 4), "first key asked", 0);
    ck_assert_double_eq_tol(c.shape.chance_majority, fmax(dots, (1 - dots) / 5), 1e-12);
}
END_TEST

/* ---- needle ------------------------------------------------------------------------------------------------------ */

/* Filler 0..3, mark 4, query 5, values 6..8; a single needle starts at 0..len-4. */
START_TEST(needle_single)
{
    static const char *const settings[] = { "{len: 24, fillers: 4, values: 3}",
                                            "{len: 24, values: 3, distractor: true}" };
    TaskCase c;
    if (!facts_open("needle", settings[_i], &c)) return;
    const int *x = c.e.input, mark = _i ? 0 : 4, low = _i ? 2 : 0, fillers = _i ? 3 : 4;
    double depth[21] = { 0 }, values[3] = { 0 }, filler[4] = { 0 };
    for (uint64_t i = 0; i < DRAWS; i++) {
        int p = 0;
        task_draw(&c, i);
        while (x[p] != mark) ck_assert_int_lt(++p, 21);
        int v = x[p + 1];
        ck_assert(c.e.len == 24 && x[23] == mark + 1 && c.e.target[23] == v && v >= mark + 2 && v < mark + 5);
        ck_assert_int_eq(c.e.slice_of[23], 10 * p / 21);
        for (int t = 0; t < 23; t++) {
            ck_assert_int_eq(c.e.target[t], IGNORE);
            if (t == p || t == p + 1) continue;
            ck_assert(x[t] >= low && x[t] < low + fillers);
            filler[x[t] - low]++;
        }
        depth[p]++, values[v - mark - 2]++;
    }
    check_uniform(depth, 21, "depth");
    check_uniform(values, 3, "value");
    check_uniform(filler, fillers, "filler");
}
END_TEST

/* Three digits behind the mark, the first two shown again behind QUERY. */
START_TEST(needle_passkey)
{
    TaskCase c;
    if (!facts_open("needle", "{variant: passkey, digits: 3, len: 16, fillers: 4, values: 3}", &c)) return;
    const int *x = c.e.input;
    double depth[9] = { 0 }, values[27] = { 0 };
    for (uint64_t i = 0; i < DRAWS; i++) {
        int p = 0, code = 0;
        task_draw(&c, i);
        while (x[p] != 4) ck_assert_int_lt(++p, 9);
        ck_assert(c.e.len == 16 && x[13] == 5 && x[14] == x[p + 1] && x[15] == x[p + 2]);
        for (int j = 0; j < 3; j++) {
            code = 3 * code + x[p + 1 + j] - 6;
            ck_assert(c.e.target[13 + j] == x[p + 1 + j] && c.e.slice_of[13 + j] == 10 * p / 9);
        }
        depth[p]++, values[code]++;
    }
    check_uniform(depth, 9, "depth");
    check_uniform(values, 27, "digits");
}
END_TEST

/* Two needles in eleven positions: C(7, 2) placements; keys distinct, the one asked for is either. */
START_TEST(needle_keys)
{
    TaskCase c;
    if (!facts_open("needle", "{variant: multi_key, needles: 2, len: 14, fillers: 4, values: 3, key_ids: 4}", &c))
        return;
    const int *x = c.e.input;
    double place[9 * 9] = { 0 }, keys[16] = { 0 }, values[9] = { 0 }, which[2] = { 0 };
    for (uint64_t i = 0; i < DRAWS; i++) {
        int at[3], k = 0;
        task_draw(&c, i);
        for (int t = 0; t < 12; t++) {
            if (x[t] != 4) continue;
            ck_assert_int_lt(k, 2);
            at[k++] = t;
        }
        ck_assert(k == 2 && at[1] - at[0] > 2 && at[1] <= 8 && x[12] == 5);
        int a = x[at[0] + 1] - 9, b = x[at[1] + 1] - 9, asked = x[13] - 9 == b;
        ck_assert(a >= 0 && a < 4 && b >= 0 && b < 4 && a != b && (asked || x[13] - 9 == a));
        ck_assert_int_eq(c.e.target[13], x[at[asked] + 2]);
        ck_assert_int_eq(c.e.slice_of[13], 10 * at[asked] / 9);
        place[9 * at[0] + at[1]]++, keys[4 * a + b]++, which[asked]++;
        values[3 * (x[at[0] + 2] - 6) + x[at[1] + 2] - 6]++;
    }
    for (int p = 0; p < 81; p++) facts_share(place[p], DRAWS, p % 9 - p / 9 > 2 ? 1 / 21.0 : 0, "placement", p);
    for (int p = 0; p < 16; p++) facts_share(keys[p], DRAWS, p % 4 == p / 4 ? 0 : 1 / 12.0, "keys", p);
    check_uniform(which, 2, "needle asked for");
    check_uniform(values, 9, "values");
}
END_TEST

int main(void)
{
    Suite *s = suite_create("tasks_recall");
    TCase *c = tcase_create("facts");
    tcase_set_timeout(c, 180);
    tcase_add_checked_fixture(c, facts_setup, facts_teardown);
    tcase_add_test(c, mqar_full);
    tcase_add_loop_test(c, forgetting_layout, 0, 4);
    tcase_add_loop_test(c, forgetting_memory, 0, 5);
    tcase_add_loop_test(c, compositional_layout, 0, 3);
    tcase_add_test(c, stacked_layout);
    tcase_add_test(c, joint_sizes);
    tcase_add_loop_test(c, induction_layout, 0, 2);
    tcase_add_test(c, induction_safari);
    tcase_add_loop_test(c, associative_layout, 0, 2);
    tcase_add_loop_test(c, needle_single, 0, 2);
    tcase_add_test(c, needle_passkey);
    tcase_add_test(c, needle_keys);
    suite_add_tcase(s, c);
    return suite_run(s);
}
