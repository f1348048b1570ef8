/* SPDX-License-Identifier: Apache-2.0
 * modular_arithmetic - value modulo m of an expression without brackets.
 *
 *   variant    input, d digits, o operators            target                    operands k of len n
 *   chomsky    d o d ... o d, blanks, query            the value, at the query   n symbols (n - 1 if n is even)
 *   xlstm      d o d ... o d =                         the value, at =           n counts = and answer (n - 1 if even)
 *   slice      d o d ... o d =                         the value, at =           n counts = (n + 1 if n is odd)
 *   aussm      d o d ... o d =                         the value, at =           k = n/2 - 1, rounded down
 *   bilinear   d o d ... o d                           the value, at every d     k = n
 *
 *   chomsky    3 - 2 * 4 + 1, bos: false     input 3 6 2 7 4 5 1 9     target _ _ _ _ _ _ _ 1
 *   xlstm      3 - 2 * 4, bos: false         input 8 2 7 3 9 4         target _ _ _ _ _ 5       (-5 = 0)
 *   bilinear   3 - 2 * 4, bos: false         input 3 6 2 7 4           target 3 _ 1 _ 4
 *
 * Digits and operators (+ - *) are independent and uniform. * binds before + and -; bilinear and compat: aussm go from
 * left to right. compat: aussm (needs variant: aussm) keeps a fault of that source: the last digit is always 0.
 *
 * Ids: chomsky: digits 0..m-1, + - * m..m+2, m+3 (never drawn), the blank if there are any, the query. xlstm, slice: 0
 * padding, + - * 1..3, = 4, digits 5..m+4. bilinear: digits 0..m-1, + - * m..m+2. aussm: digits, * m, - m+1, + m+2, =
 * m+3, padding m+4. bos: true puts one id more, the last, in front. xlstm, slice and aussm answer with the id of the
 * digit (V_out counts all their ids, as published: 10 for m 5), the others with the value, V_out = m. blanks, per
 * symbol of the input, are for chomsky; score: final asks for the value of all digits only, at the last, and is for
 * bilinear.
 *
 * A constant (0) is right for more than 1/m, as products are 0 more often; exact, measured for m above 32. m 5: chomsky
 * 0.20, 0.25, 0.23, 0.21 for 1, 2, 3, 5 operands; bilinear 0.27 at the defaults; compat: aussm 0.51. Fails for options
 * that do not fit together and for too short len.
 *
 * Memory: 2 log2 m bits, sum and pending product; from left to right log2(3m - 2), the value and operator as maps of
 * the next digit; less where an example has too few operands.
 *
 * Source: chomsky: Deletang et al. 2023 (arXiv:2207.02098), m 5, training len [1, 40], testing 41 to 500. xlstm: Beck
 * et al. 2024 (arXiv:2405.04517), also Grazzi et al. 2025 (arXiv:2411.12537), len [3, 40], testing [39, 256]
 * (published as 40 to 256; from 39 on the numbers of operands are equally likely). slice: Walker et al. 2025
 * (arXiv:2505.17761), repository structured-linear-cdes, len [3, 40], testing [40, 256]; UNVERIFIED: its order of
 * operations. aussm: arXiv:2507.05238, repository AUSSM, len [6, 40], testing [41, 256]; its sweep runs a vocabulary
 * of 12, m 7: UNVERIFIED which one the paper used. bilinear: Ebrahimi and Memisevic 2025 (arXiv:2505.21749), len [2,
 * 10], testing 2..10 and 500; UNVERIFIED: the layout. Published without bos.
 */
#include "task.h"
#include "common/chomsky.h"
#include "common/lengths.h"
#include "common/solvable.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { VERSION = 1 };

enum { CHOMSKY, XLSTM, SLICE, AUSSM, BILINEAR };

enum { EVERY, FINAL };

enum { PLUS, MINUS, TIMES, OPERATORS };

enum { SHARE_M_MAX = 32 };

typedef struct {
    Length len;
    int variant, m, score, blanks, compat;
    bool bos;
} Cfg;

static const Option options[] = {
    OPT_L(Cfg, len, "[6, 20]", 1, CHOMSKY_LEN_MAX, "symbols, counted as the variant does"),
    OPT_I(Cfg, blanks, "0", 0, CHOMSKY_BLANKS_MAX, "variant: chomsky: blank positions per symbol before the query"),
    OPT_E(Cfg, variant, "chomsky", "chomsky|xlstm|slice|aussm|bilinear", "ids, length count and place of the answer"),
    OPT_I(Cfg, m, "5", 2, 1024, "modulus: digits are 0..m-1"),
    OPT_E(Cfg, score, "every", "every|final", "variant: bilinear: ask at every digit, or at the last only"),
    OPT_E(Cfg, compat, "none", "none|aussm", "aussm: the last digit is 0, operators apply from left to right"),
    OPT_B(Cfg, bos, "true", "start every example with a begin mark"),
    OPT_END,
};

/* ---- ids --------------------------------------------------------------------------------------------------------- */

static bool from_left(const Cfg *c) { return c->variant == BILINEAR || c->compat; }
static bool every(const Cfg *c) { return c->variant == BILINEAR && c->score == EVERY; }
static bool has_equals(const Cfg *c) { return c->variant == XLSTM || c->variant == SLICE || c->variant == AUSSM; }

static Chomsky frame(const Cfg *c) { return (Chomsky){ .symbols = c->m + OPERATORS + 1, .blanks = c->blanks }; }

static int id_digit(const Cfg *c) { return c->variant == XLSTM || c->variant == SLICE ? OPERATORS + 2 : 0; }

static int id_operator(const Cfg *c, int op)
{
    if (c->variant == AUSSM) return c->m + TIMES - op;
    return id_digit(c) ? 1 + op : c->m + op;
}

static int id_equals(const Cfg *c) { return c->variant == AUSSM ? c->m + OPERATORS : 1 + OPERATORS; }

static int id_bos(const Cfg *c)
{
    const Chomsky f = frame(c);
    return c->variant == CHOMSKY ? chomsky_vocab(&f) : c->m + (c->variant == BILINEAR ? 3 : 5);
}

static int operands(const Cfg *c, int n)
{
    switch (c->variant) {
    case XLSTM: return (n + 1) / 2 - 1;
    case AUSSM: return n / 2 - 1;
    case BILINEAR: return n;
    default: return (n + 1) / 2;
    }
}

static int operands_max(const Cfg *c) { return operands(c, length_max(&c->len)); }

/* ---- shape ------------------------------------------------------------------------------------------------------- */

/* Laws of the value for 1, 2, ... operands: at[s * m + p], the sum of all terms but the last, and the last, signed.
 * From left to right the sum is 0 and the value is p. */
typedef struct Chain {
    int m;
    bool from_left;
    double at[SHARE_M_MAX * SHARE_M_MAX];
} Chain;

static void chain_step(Chain *k)
{
    double next[SHARE_M_MAX * SHARE_M_MAX] = { 0 };
    const int m = k->m;
    for (int s = 0; s < (k->from_left ? 1 : m); s++)
        for (int p = 0; p < m; p++) {
            const double w = k->at[s * m + p] / (3 * m);
            for (int x = 0; x < m; x++) {
                next[s * m + p * x % m] += w;
                const int sum = k->from_left ? 0 : (s + p) % m;
                next[sum * m + (k->from_left ? p + x : x) % m] += w;
                next[sum * m + (k->from_left ? p + m - x : m - x) % m] += w;
            }
        }
    memcpy(k->at, next, sizeof(double) * (size_t)(m * m));
}

static double chain_value(const Chain *k, int value)
{
    double share = 0;
    for (int p = 0; p < k->m; p++) {
        const int s = (value - p + k->m) % k->m;
        if (!k->from_left || s == 0) share += k->at[s * k->m + p];
    }
    return share;
}

/* Share of the commonest answer: the law of the value for each number of operands, weighted by how often it is asked
 * for. Laws settle; then only the weights are summed. compat: the last operator is * one time in three, and the rest is
 * the law of one operand less, whose commonest value is 0 too. */
static double majority_share(const Cfg *c)
{
    Chain k = { .m = c->m, .from_left = from_left(c) };
    double weight[CHOMSKY_LEN_MAX + 2] = { 0 }, share[SHARE_M_MAX] = { 0 }, all = 0, law[SHARE_M_MAX], best = 0;
    if (c->m > SHARE_M_MAX) return 0;
    for (int n = length_min(&c->len); n <= length_max(&c->len); n++)
        weight[operands(c, n) - (c->compat != 0)] += every(c) ? length_over(&c->len, n - 1) : length_share(&c->len, n);
    if (every(c))
        for (int n = 1; n < length_min(&c->len); n++) weight[n] = 1;
    for (int p = 0; p < c->m; p++) k.at[p] = 1.0 / c->m;
    double change = 1;
    for (int i = 1; i <= operands_max(c); i++) {
        for (int v = 0; v < c->m && change > 1e-13; v++) law[v] = chain_value(&k, v);
        for (int v = 0; v < c->m; v++) share[v] += weight[i] * law[v];
        all += weight[i];
        if (change > 1e-13) {
            const Chain old = k;
            chain_step(&k);
            change = 0;
            for (int j = 0; j < c->m * c->m; j++) change = fmax(change, fabs(k.at[j] - old.at[j]));
        }
    }
    for (int v = 0; v < c->m; v++) best = fmax(best, share[v] / all);
    return c->compat ? 1.0 / 3 + 2.0 / 3 * best : best;
}

static bool check(const Cfg *c, Err *err)
{
    static const int shortest[] = { [CHOMSKY] = 1, [XLSTM] = 3, [SLICE] = 1, [AUSSM] = 4, [BILINEAR] = 1 };
    const int least = c->compat ? 6 : shortest[c->variant], n = length_min(&c->len);
    if (c->compat && c->variant != AUSSM)
        return err_set(err, EXIT_USAGE, "modular_arithmetic: compat: aussm needs variant: aussm");
    if (n < least)
        return err_set(err, EXIT_USAGE, "modular_arithmetic: len: %d is less than %d, one operand%s", n, least,
                       c->compat ? " and the 0 of compat: aussm" : " in this variant");
    if (c->blanks && c->variant != CHOMSKY)
        return err_set(err, EXIT_USAGE, "modular_arithmetic: blanks: %d needs variant: chomsky", c->blanks);
    if (c->score != EVERY && c->variant != BILINEAR)
        return err_set(err, EXIT_USAGE, "modular_arithmetic: score: final needs variant: bilinear");
    return true;
}

static bool shape(const void *cfg, const void *data, TaskShape *out, Err *err)
{
    (void)data;
    const Cfg *c = cfg;
    const Chomsky f = frame(c);
    TRY(check(c, err));
    const int symbols = 2 * operands_max(c) - 1;
    *out = (TaskShape){
        .vocab_in = id_bos(c) + c->bos,
        .vocab_out = has_equals(c) ? c->m + 5 : c->m,
        .max_len = c->bos + (c->variant == CHOMSKY ? chomsky_len(&f, symbols, 1) : symbols + has_equals(c)),
        .chance_uniform = 1.0 / c->m,
        .chance_majority = majority_share(c),
        .ceiling = 1,
        .headline = "acc_token",
    };
    return true;
}

/* ---- examples ---------------------------------------------------------------------------------------------------- */

/* The expression from position 0 on, and its value; with every, targets at the digits. */
static int write_expression(const Cfg *c, int k, Rng *rng, Example *e)
{
    int sum = 0, term = 0, op = PLUS, t = 0;
    for (int i = 0; i < k; i++) {
        const bool zero = c->compat && i == k - 1;
        const int x = zero ? 0 : (int)rng_below(rng, (uint32_t)c->m);
        if (op == TIMES) {
            term = term * x % c->m;
        } else if (from_left(c)) {
            term = (term + (op == PLUS ? x : c->m - x)) % c->m;
        } else {
            sum = (sum + term) % c->m;
            term = op == PLUS ? x : c->m - x;
        }
        if (every(c)) e->target[t] = term;
        e->input[t++] = id_digit(c) + x;
        if (i == k - 1) break;
        op = (int)rng_below(rng, OPERATORS);
        e->input[t++] = id_operator(c, op);
    }
    return (sum + term) % c->m;
}

static void sample(const void *cfg, const void *data, Rng *rng, Example *e)
{
    (void)data;
    const Cfg *c = cfg;
    const Chomsky f = frame(c);
    const int k = operands(c, c->len.now), last = 2 * k - 2;
    Example behind = *e;
    if (c->bos) e->input[0] = id_bos(c);
    behind.input += c->bos, behind.target += c->bos, behind.slice_of += c->bos, behind.train_target += c->bos;
    const int value = write_expression(c, k, rng, &behind);
    if (c->variant == CHOMSKY) {
        chomsky_write(&f, last + 1, &value, 1, 1, 0, &behind);
    } else if (has_equals(c)) {
        behind.input[last + 1] = id_equals(c);
        behind.target[last + 1] = id_digit(c) + value;
        behind.len = last + 2;
    } else {
        behind.target[last] = value;
        behind.len = last + 1;
    }
    e->len = c->bos + behind.len;
}

/* ---- solver ------------------------------------------------------------------------------------------------------ */

/* Digit of an id, or -1. */
static int digit_of(const Cfg *c, int id)
{
    const int x = id - id_digit(c);
    return x >= 0 && x < c->m ? x : -1;
}

static int operator_of(const Cfg *c, int id)
{
    for (int op = 0; op < OPERATORS; op++)
        if (id == id_operator(c, op)) return op;
    return -1;
}

/* Backwards, with precedence: the product of the digits since the last + or - on the way, added with its sign. */
static int value_terms(const Cfg *c, const int *input, int len)
{
    int sum = 0, product = 1;
    for (int t = len - 1; t >= 0; t--) {
        const int x = digit_of(c, input[t]), op = operator_of(c, input[t]);
        if (x >= 0) product = product * x % c->m;
        if (op != PLUS && op != MINUS) continue;
        sum = (sum + (op == PLUS ? product : c->m - product)) % c->m;
        product = 1;
    }
    return (sum + product) % c->m;
}

/* Backwards, from left to right: what follows makes a v + b of a value v; done when a is 0. */
static int value_maps(const Cfg *c, const int *input, int len)
{
    int a = 1, b = 0, x = 0;
    for (int t = len - 1; t >= 0 && a != 0; t--) {
        const int digit = digit_of(c, input[t]), op = operator_of(c, input[t]);
        if (digit >= 0) x = digit;
        if (op == PLUS) b = (b + a * x) % c->m;
        if (op == MINUS) b = (b + a * (c->m - x)) % c->m;
        if (op == TIMES) a = a * x % c->m;
    }
    return (a * x + b) % c->m;
}

static void solve(const void *cfg, const void *data, const int *input, int len, int *prediction)
{
    (void)data;
    const Cfg *c = cfg;
    const Chomsky f = frame(c);
    for (int t = 0; t < len; t++) {
        const bool asked = c->variant == BILINEAR ? input[t] < c->m
                           : has_equals(c)        ? input[t] == id_equals(c)
                                                  : input[t] == chomsky_vocab(&f) - 1;
        prediction[t] = id_digit(c);
        if (asked) prediction[t] += from_left(c) ? value_maps(c, input, t + 1) : value_terms(c, input, t + 1);
    }
}

/* ---- facts ------------------------------------------------------------------------------------------------------- */

/* After a digit: the value, or sum and last term where a * may follow. After an operator, maps of the next digit x: v +
 * x, v - x and v x, which differ but for x and -x, twice each. */
static double memory_bits(const void *cfg, const void *data)
{
    (void)data;
    const Cfg *c = cfg;
    const int k = operands_max(c) - (c->compat != 0);
    if (k == 1) return c->variant == BILINEAR ? 0 : log2(c->m);
    if (k > 2 && !from_left(c)) return 2 * log2(c->m);
    return log2(c->m > 2 ? 3 * c->m - 2 : 3);
}

static const char *symbol(const void *cfg, const void *data, int id, bool is_target, char *buf)
{
    (void)data;
    static const char *const sign[] = { "+", "-", "*" };
    const Cfg *c = cfg;
    const Chomsky f = frame(c);
    const int x = digit_of(c, id), op = operator_of(c, id);
    if (x < 0 && op >= 0) return sign[op];
    if (x < 0 && !is_target && id == id_bos(c)) return "<bos>";
    if (x < 0 && has_equals(c)) return id == id_equals(c) ? "=" : "<pad>";
    if (x < 0) return chomsky_symbol(&f, id) ? chomsky_symbol(&f, id) : "_";
    snprintf(buf, 32, "%d", x);
    return buf;
}

static Theory theory(const void *cfg, TheoryClass cls, int layers)
{
    const Cfg *c = cfg;
    if (cls.kind == CLASS_DIAG_REAL && (c->m & (c->m - 1)) == 0)
        return (Theory){ THEORY_COND, "needs depth: a cascade of parities" };
    return solvable_row(SOLVABLE_SOLVABLE, cls, layers);
}

TASK_WITH(modular_arithmetic, "expressions modulo m, without brackets", "arXiv:2207.02098, 2405.04517, 2507.05238",
          .symbol = symbol, .memory_bits = memory_bits)
