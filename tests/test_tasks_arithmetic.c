/* SPDX-License-Identifier: Apache-2.0
 * test_tasks_arithmetic.c - layouts, laws and exact probabilities of the arithmetic tasks.
 *
 * Values are computed here by other means than in the tasks: by recursive descent, and in machine words for binary
 * numbers. Statistics use fixed seeds and 4 standard errors of exact probabilities.
 */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/suite.h"
#include "support/task_facts.h"

enum { DRAWS = 20000 };

/* Rounds to a value printed with so many digits. */
static void rounds_to(double x, double page, int digits, const char *what)
{
    const double half = 0.5 * pow(10, -digits);
    ck_assert_msg(fabs(x - page) <= half + 1e-12, "%s: %.5f does not round to %.*f", what, x, digits, page);
}

/* ---- majority shares of the literature --------------------------------------------------------------------------- */

static const struct {
    const char *task, *settings;
    double page;
    int digits;
} majorities[] = {
    { "modular_arithmetic", "{len: 1}", 0.20, 2 },
    { "modular_arithmetic", "{len: 3}", 0.25, 2 },
    { "modular_arithmetic", "{len: 5}", 0.23, 2 },
    { "modular_arithmetic", "{len: 9}", 0.21, 2 },
    { "modular_arithmetic", "{len: 19}", 0.20, 2 },
    { "modular_arithmetic", "{len: 40}", 0.20, 2 },
    { "modular_arithmetic", "{variant: aussm, len: [6, 40], compat: aussm}", 0.51, 2 },
    { "modular_arithmetic", "{variant: aussm, len: [41, 256], compat: aussm}", 17.0 / 33, 4 },
    { "bracket_arithmetic", "{len: 10}", 0.263, 3 },
    { "bracket_arithmetic", "{len: 20}", 0.28, 2 },
    { "bracket_arithmetic", "{len: 40}", 0.29, 2 },
    { "bracket_arithmetic", "{len: 100}", 0.30, 2 },
    { "modular_addition", "{}", 0.20, 2 },
    { "adding", "{}", 1.0 / 16, 6 },
    { "solve_equation", "{}", 0.20, 2 },
    { "compute_sqrt", "{len: 2}", 1.0, 6 },
    { "compute_sqrt", "{len: 4}", (12 + 10) / 30.0, 6 }, /* 3, 5 and 7 numbers have roots 1, 2 and 3 */
};

START_TEST(majority_shares)
{
    TaskCase c;
    if (!facts_open(majorities[_i].task, majorities[_i].settings, &c)) return;
    rounds_to(c.shape.chance_majority, majorities[_i].page, majorities[_i].digits, majorities[_i].settings);
}
END_TEST

/* ---- expressions without brackets -------------------------------------------------------------------------------- */

/* Offsets of the layouts: first digit, + - *, = (-1: none). */
typedef struct Ids {
    int digit, plus, minus, times, equals, open, close;
} Ids;

/* By terms: over the integers, with precedence or from left to right. Digits small and expressions short. */
static long evaluate(const Ids *ids, const int *x, int n, bool precedence)
{
    long sum = 0, term = x[0] - ids->digit;
    for (int t = 1; t + 1 < n; t += 2) {
        const long d = x[t + 1] - ids->digit;
        if (x[t] == ids->times) {
            term *= d;
        } else {
            if (precedence) sum += term, term = 0;
            term += x[t] == ids->plus ? d : -d;
        }
    }
    return sum + term;
}

static int modulo(long v, int m) { return (int)(((v % m) + m) % m); }

static const struct {
    const char *settings;
    Ids ids;
    int m, digits, answer; /* number of digits; class of the value 0 */
    bool precedence;
} plain[] = {
    { "{len: 12, bos: false}", { 0, 5, 6, 7, -1, -1, -1 }, 5, 6, 0, true },
    { "{variant: xlstm, len: 12, bos: false}", { 5, 1, 2, 3, 4, -1, -1 }, 5, 5, 5, true },
    { "{variant: xlstm, len: 13, m: 3, bos: false}", { 5, 1, 2, 3, 4, -1, -1 }, 3, 6, 5, true },
    { "{variant: slice, len: 11, bos: false}", { 5, 1, 2, 3, 4, -1, -1 }, 5, 6, 5, true },
    { "{variant: aussm, len: 13, bos: false}", { 0, 7, 6, 5, 8, -1, -1 }, 5, 5, 0, true },
    { "{variant: aussm, len: 13, bos: false, compat: aussm}", { 0, 7, 6, 5, 8, -1, -1 }, 5, 5, 0, false },
    { "{variant: bilinear, len: 6, bos: false, score: final}", { 0, 5, 6, 7, -1, -1, -1 }, 5, 6, 0, false },
};

START_TEST(plain_layouts)
{
    TaskCase c;
    const Ids *ids = &plain[_i].ids;
    const int k = plain[_i].digits, m = plain[_i].m, n = 2 * k - 1;
    const bool zero_last = strstr(plain[_i].settings, "compat") != NULL;
    double digit[16] = { 0 }, op[3] = { 0 }, hits = 0;
    if (!facts_open("modular_arithmetic", plain[_i].settings, &c)) return;
    for (uint64_t i = 0; i < DRAWS; i++) {
        task_draw(&c, i);
        const int *x = c.e.input, last = c.e.len - 1;
        for (int t = 0; t < last; t++) ck_assert_int_eq(c.e.target[t], IGNORE);
        if (ids->equals >= 0) ck_assert_int_eq(x[last], ids->equals);
        ck_assert_int_eq(c.e.len, n + (strstr(plain[_i].settings, "bilinear") == NULL));
        for (int t = 0; t < n; t += 2) ck_assert(x[t] >= ids->digit && x[t] < ids->digit + m);
        for (int t = 1; t < n; t += 2) {
            ck_assert(x[t] == ids->plus || x[t] == ids->minus || x[t] == ids->times);
            op[x[t] == ids->plus ? 0 : x[t] == ids->minus ? 1 : 2]++;
        }
        digit[x[0] - ids->digit]++;
        if (zero_last) ck_assert_int_eq(x[n - 1], 0);
        const int value = modulo(evaluate(ids, x, n, plain[_i].precedence), m);
        ck_assert_int_eq(c.e.target[last], plain[_i].answer + value);
        hits += value == 0;
    }
    for (int d = 0; d < m; d++) facts_share(digit[d], DRAWS, 1.0 / m, "first digit", d);
    for (int o = 0; o < 3; o++) facts_share(op[o], DRAWS * (k - 1.0), 1.0 / 3, "operator", o);
    facts_share(hits, DRAWS, c.shape.chance_majority, "answer 0 in layout", _i);
}
END_TEST

/* Every prefix has its own answer. */
START_TEST(bilinear_every)
{
    TaskCase c;
    const Ids ids = { 0, 5, 6, 7, -1, -1, -1 };
    double hits = 0, scored = 0;
    if (!facts_open("modular_arithmetic", "{variant: bilinear, len: [1, 7]}", &c)) return;
    for (uint64_t i = 0; i < DRAWS; i++) {
        task_draw(&c, i);
        ck_assert_int_eq(c.e.input[0], 8);
        for (int t = 0; t < c.e.len; t++) {
            const bool asked = t % 2 == 1;
            ck_assert_int_eq(c.e.target[t], asked ? modulo(evaluate(&ids, c.e.input + 1, t, false), 5) : IGNORE);
            scored += asked, hits += asked && c.e.target[t] == 0;
        }
    }
    ck_assert_msg(fabs(hits / scored - c.shape.chance_majority) < 0.006, "%.4f", hits / scored);
}
END_TEST

/* 2 to 20 digits, and 20 to 128, equally often; the one of the answer included. */
START_TEST(xlstm_operands)
{
    static const struct {
        const char *settings;
        int lo, hi;
    } laws[] = { { "{variant: xlstm, len: [3, 40]}", 2, 20 }, { "{variant: xlstm, len: [39, 256]}", 20, 128 } };
    double count[130] = { 0 };
    TaskCase c;
    if (!facts_open("modular_arithmetic", laws[_i].settings, &c)) return;
    for (uint64_t i = 0; i < DRAWS; i++) {
        task_draw(&c, i);
        count[(c.e.len - 1) / 2 + 1]++; /* begin mark, d o d ... d = */
    }
    for (int k = laws[_i].lo; k <= laws[_i].hi; k++)
        facts_share(count[k], DRAWS, 1.0 / (laws[_i].hi - laws[_i].lo + 1), "digits", k);
}
END_TEST

/* ---- expressions with brackets ----------------------------------------------------------------------------------- */

/* d, -e, (e), (e op e) by recursive descent, modulo m; *x is moved on. */
static int descend(const Ids *ids, const int **x, int m)
{
    const int id = *(*x)++;
    if (id == ids->minus) return modulo(-descend(ids, x, m), m);
    if (id != ids->open) {
        ck_assert(id >= ids->digit && id < ids->digit + m);
        return id - ids->digit;
    }
    const int a = descend(ids, x, m), op = *(*x)++;
    if (op == ids->close) return a;
    const int b = descend(ids, x, m);
    ck_assert_int_eq(*(*x)++, ids->close);
    ck_assert(op == ids->plus || op == ids->minus || op == ids->times);
    return op == ids->times ? a * b % m : modulo(op == ids->plus ? a + b : a - b, m);
}

static const struct {
    const char *settings;
    Ids ids;
    int m, tokens, ask, answer;
} brackets[] = {
    { "{len: 23, bos: false}", { 0, 5, 6, 7, -1, 8, 9 }, 5, 23, 11, 0 },
    { "{len: 23, mult: false, bos: false}", { 0, 5, 6, -1, -1, 8, 9 }, 5, 23, 11, 0 },
    { "{variant: xlstm, len: 23, bos: false}", { 0, 5, 6, 7, 10, 8, 9 }, 5, 20, 10, 0 },
    { "{variant: xlstm, len: 4, m: 3, bos: false}", { 0, 3, 4, 5, 8, 6, 7 }, 3, 2, 8, 0 },
    { "{variant: slice, len: 23, bos: false}", { 1, 6, 7, 8, 11, 9, 10 }, 5, 22, 11, 1 },
    { "{variant: aussm, len: 24, bos: false}", { 0, 9, 8, 7, 10, 6, 5 }, 5, 21, 10, 0 },
    { "{variant: aussm, len: 22, bos: false}", { 0, 9, 8, 7, 10, 6, 5 }, 5, 17, 10, 0 },
};

START_TEST(bracket_layouts)
{
    TaskCase c;
    const Ids *ids = &brackets[_i].ids;
    const int n = brackets[_i].tokens;
    double hits = 0;
    if (!facts_open("bracket_arithmetic", brackets[_i].settings, &c)) return;
    for (uint64_t i = 0; i < DRAWS; i++) {
        task_draw(&c, i);
        const int *x = c.e.input;
        ck_assert_int_eq(c.e.len, n + 1);
        for (int t = 0; t < n; t++) ck_assert_int_eq(c.e.target[t], IGNORE);
        const int value = descend(ids, &x, brackets[_i].m);
        ck_assert_msg(x == c.e.input + n, "example %d: an expression of %d tokens", (int)i, (int)(x - c.e.input));
        ck_assert_int_eq(*x, brackets[_i].ask);
        ck_assert_int_eq(c.e.target[n], brackets[_i].answer + value);
        hits += value == 0;
    }
    facts_share(hits, DRAWS, c.shape.chance_majority, "answer 0 in layout", _i);
}
END_TEST

/* The left operand has 1 .. n-4 tokens, equally often; operators are uniform. */
START_TEST(exact_split)
{
    enum { N = 12 };
    const Ids ids = { 0, 5, 6, 7, -1, 8, 9 };
    double left[N] = { 0 }, op[3] = { 0 };
    TaskCase c;
    if (!facts_open("bracket_arithmetic", "{len: 12, bos: false}", &c)) return;
    for (uint64_t i = 0; i < DRAWS; i++) {
        task_draw(&c, i);
        const int *x = c.e.input + 1;
        descend(&ids, &x, 5);
        left[x - c.e.input - 1]++, op[*x - 5]++;
    }
    for (int l = 1; l <= N - 4; l++) facts_share(left[l], DRAWS, 1.0 / (N - 4), "tokens on the left", l);
    for (int o = 0; o < 3; o++) facts_share(op[o], DRAWS, 1.0 / 3, "operator", o);
}
END_TEST

/* Replacing uniform leaves k times splits the k - 1 later ones uniformly. */
START_TEST(grown_split)
{
    enum { GROWTH = 5 };
    const Ids ids = { 0, 9, 8, 7, -1, 6, 5 };
    double left[GROWTH] = { 0 };
    TaskCase c;
    if (!facts_open("bracket_arithmetic", "{variant: aussm, len: 23, bos: false}", &c)) return;
    for (uint64_t i = 0; i < DRAWS; i++) {
        task_draw(&c, i);
        const int *x = c.e.input + 1;
        descend(&ids, &x, 5);
        left[(x - c.e.input - 1) / 4]++;
    }
    for (int k = 0; k < GROWTH; k++) facts_share(left[k], DRAWS, 1.0 / GROWTH, "times grown on the left", k);
}
END_TEST

/* ---- equations --------------------------------------------------------------------------------------------------- */

/* The answer put in for x makes both sides equal, and no other digit does. */
static int solutions(const TaskCase *c, const Ids *ids, int x_id, int answer, bool *right)
{
    int copy[300], found = 0;
    *right = false;
    for (int d = 0; d < 5; d++) {
        for (int t = 0; t < c->e.len; t++) copy[t] = c->e.input[t] == x_id ? d : c->e.input[t];
        const int *x = copy;
        const int left = descend(ids, &x, 5);
        ck_assert_int_eq(*x++, ids->equals);
        if (left != descend(ids, &x, 5)) continue;
        found++;
        if (d == answer) *right = true;
    }
    return found;
}

START_TEST(equations)
{
    static const struct {
        const char *settings;
        Ids ids;
        int x, positions;
    } cases[] = { { "{len: 23}", { 0, 5, 6, -1, 10, 7, 8 }, 9, 24 },
                  { "{len: 4}", { 0, 5, 6, -1, 10, 7, 8 }, 9, 5 },
                  { "{variant: aussm, len: 29}", { 0, 9, 8, 7, 10, 6, 5 }, 11, 28 },
                  { "{variant: aussm, len: 200}", { 0, 9, 8, 7, 10, 6, 5 }, 11, 196 } };
    TaskCase c;
    bool right;
    if (!facts_open("solve_equation", cases[_i].settings, &c)) return;
    for (uint64_t i = 0; i < DRAWS / 10; i++) {
        task_draw(&c, i);
        int unknowns = 0;
        ck_assert_int_eq(c.e.len, cases[_i].positions);
        for (int t = 0; t < c.e.len; t++) unknowns += c.e.input[t] == cases[_i].x;
        ck_assert_int_eq(unknowns, 1);
        ck_assert_int_eq(solutions(&c, &cases[_i].ids, cases[_i].x, c.e.target[c.e.len - 1], &right), 1);
        ck_assert_msg(right, "%s: example %d", cases[_i].settings, (int)i);
    }
}
END_TEST

/* (1+x)=2 and the like, n 7: x takes the digit behind a random symbol: of 7, ( and the first digit lead to that, +
 * and the second to the second, ) = and the value to the value. */
START_TEST(equation_places)
{
    double at[8] = { 0 }, digit[5] = { 0 };
    TaskCase c;
    if (!facts_open("solve_equation", "{len: 7}", &c)) return;
    for (uint64_t i = 0; i < DRAWS; i++) {
        task_draw(&c, i);
        for (int t = 0; t < 7; t++) at[t] += c.e.input[t] == 9;
        digit[c.e.target[7]]++;
    }
    facts_share(at[1], DRAWS, 2.0 / 7, "x at", 1);
    facts_share(at[3], DRAWS, 2.0 / 7, "x at", 3);
    facts_share(at[6], DRAWS, 3.0 / 7, "x at", 6);
    for (int d = 0; d < 5; d++) facts_share(digit[d], DRAWS, 0.2, "hidden digit", d);
}
END_TEST

/* ---- binary numbers ---------------------------------------------------------------------------------------------- */

/* Little-endian bits x[0..n-1]. */
static uint64_t number(const int *x, int n)
{
    uint64_t v = 0;
    for (int i = n - 1; i >= 0; i--) v = 2 * v + (uint64_t)x[i];
    return v;
}

static const struct {
    const char *task, *settings;
    int n, out;
    bool product, tail;
} binaries[] = {
    { "binary_addition", "{len: 50}", 50, 51, false, false },
    { "binary_addition", "{len: 17, score_tail: true}", 17, 18, false, true },
    { "binary_multiplication", "{len: 50}", 50, 50, true, false },
    { "binary_multiplication", "{len: 17, score_tail: true}", 17, 17, true, true },
};

START_TEST(binary_values)
{
    const int n = binaries[_i].n, out = binaries[_i].out;
    double split[64] = { 0 };
    TaskCase c;
    if (!facts_open(binaries[_i].task, binaries[_i].settings, &c)) return;
    for (uint64_t i = 0; i < DRAWS; i++) {
        task_draw(&c, i);
        const int *x = c.e.input, *y = c.e.target + n;
        int a = 0, digits = 0;
        while (x[a] != 2) a++;
        split[a]++;
        const uint64_t p = number(x, a), q = number(x + a + 1, n - 1 - a), want = binaries[_i].product ? p * q : p + q;
        ck_assert(a >= 1 && a <= n - 2 && p > 0 && q > 0);
        while (digits < out && y[digits] != 2) digits++;
        ck_assert_msg(number(y, digits) == want && y[digits - 1] == 1, "example %d: wrong digits", (int)i);
        for (int t = digits + 1; t < out; t++) ck_assert_int_eq(y[t], binaries[_i].tail ? 0 : IGNORE);
        for (int t = n; t < n + out; t++) ck_assert_int_eq(x[t], 3);
    }
    for (int a = 1; a <= n - 2; a++) facts_share(split[a], DRAWS, 1.0 / (n - 2), "digits of a", a);
}
END_TEST

/* 4-digit numbers but 0 are equally likely. */
START_TEST(binary_uniform)
{
    double count[16] = { 0 }, all = 0;
    TaskCase c;
    if (!facts_open("binary_addition", "{len: 7}", &c)) return;
    for (uint64_t i = 0; i < DRAWS; i++) {
        task_draw(&c, i);
        if (c.e.input[4] != 2) continue;
        all++, count[number(c.e.input, 4)]++;
    }
    ck_assert(count[0] == 0);
    for (int v = 1; v < 16; v++) facts_share(count[v], all, 1.0 / 15, "number", v);
}
END_TEST

START_TEST(roots)
{
    static const char *const settings[] = { "{len: 50}", "{len: 51}", "{len: 13}" };
    static const int bits[] = { 50, 51, 13 };
    const int n = bits[_i], out = (n + 1) / 2;
    double hits[32] = { 0 }, ones = 0;
    TaskCase c;
    if (!facts_open("compute_sqrt", settings[_i], &c)) return;
    for (uint64_t i = 0; i < DRAWS; i++) {
        uint64_t x = 0, root = 0;
        task_draw(&c, i);
        for (int t = 0; t < n; t++) x = 2 * x + (uint64_t)c.e.input[t];
        for (int t = n; t < n + out; t++) root = 2 * root + (uint64_t)c.e.target[t];
        ck_assert_msg(x > 0 && root * root <= x && (root + 1) * (root + 1) > x, "example %d: wrong root", (int)i);
        for (int j = 0; j < out; j++) hits[j] += c.e.target[n + j], ones += c.e.target[n + j];
    }
    const double top = n % 2 ? 0.5 : 0.75; /* root >= 2^(k-1) means x >= 4^(k-1) */
    facts_share(hits[0], DRAWS, top, "first bit, n", n);
    const double share = ones / (DRAWS * (double)out);
    ck_assert_msg(fabs(fmax(share, 1 - share) - c.shape.chance_majority) < 4 * 0.5 / sqrt(DRAWS * (double)out),
                  "n %d: ones %.5f, shape %.5f", n, share, c.shape.chance_majority);
}
END_TEST

/* ---- sums -------------------------------------------------------------------------------------------------------- */

START_TEST(addition_uniform)
{
    enum { M = 7, LEN = 9 };
    double sum[M] = { 0 }, digit[M] = { 0 };
    TaskCase c;
    if (!facts_open("modular_addition", "{m: 7, len: 9, bos: false}", &c)) return;
    for (uint64_t i = 0; i < DRAWS; i++) {
        task_draw(&c, i);
        int total = 0;
        for (int t = 0; t < LEN; t++) ck_assert_int_eq(c.e.target[t], (total += c.e.input[t]) % M);
        sum[total % M]++, digit[c.e.input[LEN / 2]]++;
    }
    for (int v = 0; v < M; v++) {
        facts_share(sum[v], DRAWS, 1.0 / M, "sum", v);
        facts_share(digit[v], DRAWS, 1.0 / M, "digit", v);
    }
}
END_TEST

/* One mark in each half, uniform there, and the triangular law of the sum. */
START_TEST(adding_marks)
{
    enum { LEN = 11, HALF = LEN / 2, LEVELS = 4 };
    double mark[LEN] = { 0 }, sum[2 * LEVELS - 1] = { 0 };
    TaskCase c;
    if (!facts_open("adding", "{len: 11, levels: 4}", &c)) return;
    for (uint64_t i = 0; i < DRAWS; i++) {
        int marks[2] = { 0 }, total = 0;
        task_draw(&c, i);
        for (int t = 0; t < LEN; t++) {
            if (t < LEN - 1) ck_assert_int_eq(c.e.target[t], IGNORE);
            if (c.e.input[t] < LEVELS) continue;
            marks[t >= HALF]++, mark[t]++, total += c.e.input[t] - LEVELS;
        }
        ck_assert(marks[0] == 1 && marks[1] == 1);
        ck_assert_int_eq(c.e.target[LEN - 1], total);
        sum[total]++;
    }
    for (int t = 0; t < LEN; t++) facts_share(mark[t], DRAWS, 1.0 / (t < HALF ? HALF : LEN - HALF), "mark at", t);
    for (int v = 0; v < 2 * LEVELS - 1; v++)
        facts_share(sum[v], DRAWS, (LEVELS - abs(v - (LEVELS - 1))) / 16.0, "sum", v);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("tasks_arithmetic");
    TCase *t = tcase_create("arithmetic");
    tcase_add_checked_fixture(t, facts_setup, facts_teardown);
    tcase_set_timeout(t, 120);
    tcase_add_loop_test(t, majority_shares, 0, COUNT(majorities));
    tcase_add_loop_test(t, plain_layouts, 0, COUNT(plain));
    tcase_add_test(t, bilinear_every);
    tcase_add_loop_test(t, xlstm_operands, 0, 2);
    tcase_add_loop_test(t, bracket_layouts, 0, COUNT(brackets));
    tcase_add_test(t, exact_split);
    tcase_add_test(t, grown_split);
    tcase_add_loop_test(t, equations, 0, 4);
    tcase_add_test(t, equation_places);
    tcase_add_loop_test(t, binary_values, 0, COUNT(binaries));
    tcase_add_test(t, binary_uniform);
    tcase_add_loop_test(t, roots, 0, 3);
    tcase_add_test(t, addition_uniform);
    tcase_add_test(t, adding_marks);
    suite_add_tcase(s, t);
    return suite_run(s);
}
