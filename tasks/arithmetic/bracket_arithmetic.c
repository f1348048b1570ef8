/* SPDX-License-Identifier: Apache-2.0
 * bracket_arithmetic - value modulo m of an expression with a bracket around every operation; needs a stack.
 *
 *   variant    input                           target                    expression E for len n
 *   chomsky    E, blanks, query                the value, at the query   n tokens: exact
 *   xlstm      E =                             the value, at =           n counts =, answer, pad: exact, max(n, 5) - 3
 *   slice      E =                             the value, at =           n counts =: exact, n - 1
 *   aussm      E =                             the value, at =           n counts = and answer: grown while it fits
 *
 *   chomsky    (3*(-4)), bos: false     input 8 3 7 8 6 4 9 9 11      target _ _ _ _ _ _ _ _ 3
 *   aussm      (3*4), bos: false        input 6 3 7 4 5 10            target _ _ _ _ _ 2
 *
 * Expressions (common/expression.h): exact, of as many tokens as said: d, -d, (d), (-d) up to 4, else (left op right)
 * with the length of left uniform; grown, from a digit, replacing random digits by (d op d), of 1, 5, 9, ... tokens, n
 * - 2 at most. Digits and operators (+ - *; mult: false, for chomsky, + - only) are independent and uniform.
 *
 * Ids: chomsky: digits 0..m-1, + - * m..m+2, ( m+3, ) m+4, an x that is never drawn, the blank if there are any, the
 * query. xlstm: digits, + - * ( ) = m..m+5, padding m+6. slice: 0 padding, digits 1..m, + - * ( ) = m+1..m+6. aussm:
 * digits, ) ( * - + = m..m+5, padding m+6. bos: true puts one id more, the last, in front. All but chomsky answer with
 * the id of the digit, V_out counts all their ids, as published (12 for m 5); chomsky with the value, V_out = m.
 * blanks, per symbol of the input, are for chomsky.
 *
 * A constant (0) is right far more often than 1/m, as products are 0 more often: 0.263, 0.28, 0.29, 0.30 for chomsky
 * and len 10, 20, 40, 100; exact, measured for very long ones. Slices: depth, brackets open at once. Fails for options
 * that do not fit together and for too short len.
 *
 * Memory: of h levels that are open at once, h = (tokens - 5)/8 + 1, rounded down, all but the innermost add an
 * invertible map of the value inside, of 2m + phi(m) - 2 (2 for m 2), the innermost one of 3m - 2 (3 for m 2). mult:
 * false: m sums, and a sign a level (no signs for m 2). Less than 5 tokens: log2 m.
 *
 * Source: chomsky: Deletang et al. 2023 (arXiv:2207.02098), m 5, training len [1, 40], testing 41 to 500. xlstm: Beck
 * et al. 2024 (arXiv:2405.04517), also Grazzi et al. 2025 (arXiv:2411.12537), len [3, 40], testing [40, 256]; a run of
 * arXiv:2503.10799 has a vocabulary of 10: m 3. slice: Walker et al. 2025 (arXiv:2505.17761), repository
 * structured-linear-cdes, same len; UNVERIFIED: the order of its ids from + on. aussm: arXiv:2507.05238, repository
 * AUSSM, len [6, 40], testing [41, 256]. Published without bos.
 */
#include "task.h"
#include "common/chomsky.h"
#include "common/expression.h"
#include "common/lengths.h"
#include "common/solvable.h"

#include <math.h>
#include <stdio.h>

enum { VERSION = 1 };

enum { CHOMSKY, XLSTM, SLICE, AUSSM };

typedef struct {
    Length len;
    int variant, m, blanks;
    bool mult, bos;
} Cfg;

static const Option options[] = {
    OPT_L(Cfg, len, "[3, 20]", 1, CHOMSKY_LEN_MAX, "symbols, counted as the variant does"),
    OPT_I(Cfg, blanks, "0", 0, CHOMSKY_BLANKS_MAX, "variant: chomsky: blank positions per symbol before the query"),
    OPT_E(Cfg, variant, "chomsky", "chomsky|xlstm|slice|aussm", "ids, length count, expressions, place of the answer"),
    OPT_I(Cfg, m, "5", 2, 1024, "modulus: digits are 0..m-1"),
    OPT_B(Cfg, mult, "true", "variant: chomsky: draw products too"),
    OPT_B(Cfg, bos, "true", "start every example with a begin mark"),
    OPT_END,
};

/* ---- ids --------------------------------------------------------------------------------------------------------- */

static Chomsky frame(const Cfg *c) { return (Chomsky){ .symbols = c->m + 6, .blanks = c->blanks }; }

static ExpressionIds ids_of(const Cfg *c)
{
    const int digit = c->variant == SLICE, from = digit + c->m;
    if (c->variant == AUSSM) return (ExpressionIds){ 0, { from + 4, from + 3, from + 2 }, from + 1, from, -1 };
    return (ExpressionIds){ digit, { from, from + 1, from + 2 }, from + 3, from + 4, -1 };
}

static int id_equals(const Cfg *c) { return c->m + 5 + (c->variant == SLICE); }

static int id_bos(const Cfg *c)
{
    const Chomsky f = frame(c);
    return c->variant == CHOMSKY ? chomsky_vocab(&f) : c->m + 7;
}

/* How many times an expression of len n is grown; the tokens of one. */
static int growth(int n) { return (n - 3) / 4; }

static int tokens(const Cfg *c, int n)
{
    switch (c->variant) {
    case XLSTM: return n < 5 ? 2 : n - 3;
    case SLICE: return n - 1;
    case AUSSM: return 4 * growth(n) + 1;
    default: return n;
    }
}

static int operators(const Cfg *c) { return c->mult ? OPERATORS : TIMES; }

/* ---- shape ------------------------------------------------------------------------------------------------------- */

static double majority_share(const Cfg *c)
{
    double law[EXPRESSION_LAW_MAX], best = 0;
    const bool grown = c->variant == AUSSM;
    const int most = length_max(&c->len);
    if (!expression_laws(grown, c->m, operators(c), grown ? growth(most) : tokens(c, most), law)) return 0;
    for (int v = 0; v < c->m; v++) {
        double share = 0;
        for (int n = length_min(&c->len); n <= most; n++)
            share += length_share(&c->len, n) * law[(grown ? growth(n) : tokens(c, n)) * c->m + v];
        best = fmax(best, share);
    }
    return best;
}

static bool check(const Cfg *c, Err *err)
{
    static const int least[] = { [CHOMSKY] = 1, [XLSTM] = 3, [SLICE] = 2, [AUSSM] = 3 };
    const int n = length_min(&c->len);
    if (n < least[c->variant])
        return err_set(err, EXIT_USAGE, "bracket_arithmetic: len: %d is less than %d, the shortest of this variant", n,
                       least[c->variant]);
    if (c->blanks && c->variant != CHOMSKY)
        return err_set(err, EXIT_USAGE, "bracket_arithmetic: blanks: %d needs variant: chomsky", c->blanks);
    if (!c->mult && c->variant != CHOMSKY)
        return err_set(err, EXIT_USAGE, "bracket_arithmetic: mult: false needs variant: chomsky");
    return true;
}

static bool shape(const void *cfg, const void *data, TaskShape *out, Err *err)
{
    (void)data;
    const Cfg *c = cfg;
    const Chomsky f = frame(c);
    TRY(check(c, err));
    const int n = tokens(c, length_max(&c->len));
    *out = (TaskShape){
        .vocab_in = id_bos(c) + c->bos,
        .vocab_out = c->variant == CHOMSKY ? c->m : c->m + 7,
        .max_len = c->bos + (c->variant == CHOMSKY ? chomsky_len(&f, n, 1) : n + 1),
        .chance_uniform = 1.0 / c->m,
        .chance_majority = majority_share(c),
        .ceiling = 1,
        .headline = "acc_token",
        .slice_label = "depth",
    };
    return true;
}

/* ---- examples ---------------------------------------------------------------------------------------------------- */

static void sample(const void *cfg, const void *data, Rng *rng, Example *e)
{
    (void)data;
    const Cfg *c = cfg;
    const Chomsky f = frame(c);
    const ExpressionIds ids = ids_of(c);
    const int n = tokens(c, c->len.now);
    Example behind = *e;
    Expression x;
    if (c->variant == AUSSM)
        expression_grow(&x, c->m, OPERATORS, growth(c->len.now), rng);
    else
        expression_draw(&x, c->m, operators(c), n, rng);
    if (c->bos) e->input[0] = id_bos(c);
    behind.input += c->bos, behind.target += c->bos, behind.slice_of += c->bos, behind.train_target += c->bos;
    const int depth = expression_write(&x, &ids, behind.input), value = expression_value(&x);
    if (c->variant == CHOMSKY) {
        chomsky_write(&f, n, &value, 1, 1, 0, &behind);
    } else {
        behind.input[n] = id_equals(c);
        behind.target[n] = ids.digit + value;
        behind.len = n + 1;
    }
    e->len = c->bos + behind.len;
    e->slice_of[e->len - 1] = depth;
    e->has_slice = true;
}

/* Parse all tokens since the last = or the begin mark. */
static void solve(const void *cfg, const void *data, const int *input, int len, int *prediction)
{
    (void)data;
    const Cfg *c = cfg;
    const Chomsky f = frame(c);
    const ExpressionIds ids = ids_of(c);
    const int ask = c->variant == CHOMSKY ? chomsky_vocab(&f) - 1 : id_equals(c);
    for (int t = 0, from = 0; t < len; t++) {
        prediction[t] = ids.digit;
        if (input[t] != ask) continue;
        prediction[t] += expression_parse(&ids, c->m, input + from, t - from).b;
        from = t + 1;
    }
}

/* ---- facts ------------------------------------------------------------------------------------------------------- */

/* Two pasts that differ first, from the inside, at some level: what stands inside is known, so adding a digit to it
 * makes any value there, one at which the maps differ; further out maps are invertible, and a digit added, or a
 * product with 0, keeps two different values or two different maps from meeting. Without products, only sum and signs
 * matter. */
static double memory_bits(const void *cfg, const void *data)
{
    (void)data;
    const Cfg *c = cfg;
    const int h = expression_levels(tokens(c, length_max(&c->len))), m = c->m;
    if (h == 0) return log2(m);
    if (!c->mult) return log2(m) + (m > 2 ? h : 0);
    const int outer = m > 2 ? 2 * m + expression_units(m) - 2 : 2, inner = m > 2 ? 3 * m - 2 : 3;
    return (h - 1) * log2(outer) + log2(inner);
}

static const char *symbol(const void *cfg, const void *data, int id, bool is_target, char *buf)
{
    (void)data;
    static const char *const sign[] = { "+", "-", "*" };
    const Cfg *c = cfg;
    const Chomsky f = frame(c);
    const ExpressionIds ids = ids_of(c);
    const int x = id - ids.digit;
    for (int op = 0; op < OPERATORS; op++)
        if (id == ids.op[op]) return sign[op];
    if (id == ids.open || id == ids.close) return id == ids.open ? "(" : ")";
    if (id == id_bos(c) && !is_target) return "<bos>";
    if (x < 0 || (x >= c->m && c->variant != CHOMSKY)) return id == id_equals(c) ? "=" : "<pad>";
    if (x >= c->m) return chomsky_symbol(&f, id) ? chomsky_symbol(&f, id) : "x";
    snprintf(buf, 32, "%d", x);
    return buf;
}

static Theory theory(const void *cfg, TheoryClass cls, int layers)
{
    (void)cfg;
    return solvable_row(SOLVABLE_STACK, cls, layers);
}

TASK_WITH(bracket_arithmetic, "expressions modulo m, with brackets", "arXiv:2207.02098, 2405.04517, 2507.05238",
          .symbol = symbol, .memory_bits = memory_bits)
