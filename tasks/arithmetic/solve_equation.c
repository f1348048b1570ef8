/* SPDX-License-Identifier: Apache-2.0
 * solve_equation - the digit that stands behind x in an equation modulo m.
 *
 *   variant    input                                      target                    len n counts
 *   chomsky    E = v, a digit replaced by x, query        the digit, at the query   E = v
 *   aussm      E = F, a digit of E replaced by x, ACT     the solution, at ACT      all, and the answer
 *
 *   chomsky    (1+x)=3, len 7      input 7 1 5 9 8 10 3 11                 target _ _ _ _ _ _ _ 2
 *   aussm      (x*2)=(1+2)         input 6 11 7 2 5 10 6 1 9 2 5 12        target _ _ _ _ _ _ _ _ _ _ _ 4
 *
 * chomsky: E is an exact expression (common/expression.h) of n-2 tokens in + and -, v its value; from a random symbol
 * of E = v on, the next digit, cyclically, becomes x. n 1 and 2 show zeros, and the answer is 0. aussm: E and F are
 * independent grown expressions in + - *, equally long, as long as both fit; one digit of E, uniform, becomes x, and
 * both are drawn again until x has just one solution modulo m (after 256 draws, all operators of E become +).
 *
 * compat: aussm (variant: aussm) solves over the rational numbers, cuts off the fraction, and reduces modulo m; drawn
 * again is what does not depend on x. (x*2)=(1+2) then has the answer 1, not 4. Needs numbers below 2^120.
 *
 * Ids: chomsky: digits 0..m-1, + - ( ) x = m..m+5, the blank if there are any, the query; V_out = m. aussm: digits, )
 * ( * - + = m..m+5, x m+6, ACT m+7, padding m+8, V_out = m+9 (14 for m 5, as published). blanks, per symbol of the
 * input, are for chomsky. There a constant is right for 1/m (always for n below 3), exactly; aussm: measured, 0.21 for
 * len [6, 40] (compat: 0.26). Slices: depth, brackets around x. Fails for options that do not fit together, too short
 * len.
 *
 * Memory: chomsky: of h levels that are open at once, h = (n - 7)/8 + 1 rounded down, the m sums and a sign each.
 * aussm, m odd: an invertible map each, of 2m + phi(m) - 2, h = (tokens of E - 5)/8 + 1; m even: as chomsky. At least
 * log2 m.
 *
 * Source: chomsky: Deletang et al. 2023 (arXiv:2207.02098), m 5, training len [1, 40], testing 41 to 500. aussm:
 * arXiv:2507.05238, repository AUSSM, len [6, 40], testing [41, 256]. UNVERIFIED: there, the order of the ids x and
 * ACT, how a length is divided between E and F, and that the fraction is cut off before the reduction.
 */
#include "task.h"
#include "common/chomsky.h"
#include "common/expression.h"
#include "common/lengths.h"
#include "common/solvable.h"

#include <math.h>
#include <stdio.h>

enum { VERSION = 1 };

enum { CHOMSKY, AUSSM };

/* Wide numbers take 120 bits, so expressions of at most 120 digits. */
enum { DRAWS_MAX = 256, WIDE_BITS = 120, WIDE_NODES = 2 * WIDE_BITS };

__extension__ typedef __int128 Wide;
__extension__ typedef unsigned __int128 UWide;

typedef struct {
    Length len;
    int variant, m, blanks, compat;
} Cfg;

static const Option options[] = {
    OPT_L(Cfg, len, "[5, 20]", 1, CHOMSKY_LEN_MAX, "symbols, counted as the variant does"),
    OPT_I(Cfg, blanks, "0", 0, CHOMSKY_BLANKS_MAX, "variant: chomsky: blank positions per symbol before the query"),
    OPT_E(Cfg, variant, "chomsky", "chomsky|aussm", "ids, length count, expressions and where x may stand"),
    OPT_I(Cfg, m, "5", 2, 1024, "modulus: digits are 0..m-1"),
    OPT_E(Cfg, compat, "none", "none|aussm", "aussm: solve over the rational numbers and cut off the fraction"),
    OPT_END,
};

static Chomsky frame(const Cfg *c) { return (Chomsky){ .symbols = c->m + 6, .blanks = c->blanks }; }

static ExpressionIds ids_of(const Cfg *c)
{
    const int m = c->m;
    if (c->variant == AUSSM) return (ExpressionIds){ 0, { m + 4, m + 3, m + 2 }, m + 1, m, m + 6 };
    return (ExpressionIds){ 0, { m, m + 1, -1 }, m + 2, m + 3, m + 4 };
}

static int id_equals(const Cfg *c) { return c->m + 5; }
static int id_act(const Cfg *c) { return c->m + 7; }

/* aussm: how many times each side is grown, so that E = F ACT answer fits. */
static int growth(int n) { return ((n - 3) / 2 - 1) / 4; }

/* ---- shape ------------------------------------------------------------------------------------------------------- */

static bool check(const Cfg *c, Err *err)
{
    const int min = length_min(&c->len), digits = growth(length_max(&c->len)) + 1;
    if (c->compat && c->variant != AUSSM)
        return err_set(err, EXIT_USAGE, "solve_equation: compat: aussm needs variant: aussm");
    if (c->variant == AUSSM && min < 5)
        return err_set(err, EXIT_USAGE, "solve_equation: len: %d is less than 5, the shortest of variant: aussm", min);
    if (c->blanks && c->variant != CHOMSKY)
        return err_set(err, EXIT_USAGE, "solve_equation: blanks: %d needs variant: chomsky", c->blanks);
    if (c->compat && digits * log2(c->m) > WIDE_BITS)
        return err_set(err, EXIT_USAGE, "solve_equation: compat: aussm: numbers of len: %d, m: %d exceed %d bits",
                       length_max(&c->len), c->m, WIDE_BITS);
    return true;
}

static bool shape(const void *cfg, const void *data, TaskShape *out, Err *err)
{
    (void)data;
    const Cfg *c = cfg;
    const Chomsky f = frame(c);
    TRY(check(c, err));
    const int n = length_max(&c->len);
    const double trivial = 1 - length_over(&c->len, 2);
    *out = (TaskShape){
        .vocab_in = c->variant == AUSSM ? c->m + 9 : chomsky_vocab(&f),
        .vocab_out = c->variant == AUSSM ? c->m + 9 : c->m,
        .max_len = c->variant == AUSSM ? 2 * (4 * growth(n) + 1) + 2 : chomsky_len(&f, n, 1),
        .chance_uniform = 1.0 / c->m,
        .chance_majority = c->variant == AUSSM ? 0 : fmin(trivial + (1 - trivial) / c->m, 1 - 1e-9),
        .ceiling = 1,
        .headline = "acc_token",
        .slice_label = "depth",
    };
    return true;
}

/* ---- examples ---------------------------------------------------------------------------------------------------- */

/* Brackets around position t. */
static int depth_at(const ExpressionIds *ids, const int *x, int t)
{
    int depth = 0;
    for (int i = 0; i < t; i++) depth += (x[i] == ids->open) - (x[i] == ids->close);
    return depth;
}

static void sample_chomsky(const Cfg *c, Rng *rng, Example *e)
{
    const Chomsky f = frame(c);
    const ExpressionIds ids = ids_of(c);
    const int n = c->len.now;
    int *x = e->input, digit = 0, depth = 0;
    if (n < 3) {
        for (int t = 0; t < n; t++) x[t] = 0;
    } else {
        Expression left;
        expression_draw(&left, c->m, TIMES, n - 2, rng);
        expression_write(&left, &ids, x);
        x[n - 2] = id_equals(c);
        x[n - 1] = expression_value(&left);
        int at = (int)rng_below(rng, (uint32_t)n);
        while (x[at] >= c->m) at = (at + 1) % n;
        digit = x[at];
        x[at] = ids.x;
        depth = depth_at(&ids, x, at);
    }
    chomsky_write(&f, n, &digit, 1, 1, 0, e);
    e->slice_of[e->len - 1] = depth;
}

/* Value over the integers. */
static Wide value_wide(const Expression *e)
{
    Wide value[WIDE_NODES];
    value[0] = 0;
    for (int i = e->nodes - 1; i >= 0; i--) {
        const ExpressionNode *p = &e->node[i];
        value[i] = p->value;
        if (!p->child) continue;
        const Wide a = value[p->child], b = value[p->child + 1];
        value[i] = p->op == PLUS ? a + b : p->op == MINUS ? a - b : a * b;
    }
    return value[0];
}

static int draw_leaf(const Expression *e, Rng *rng)
{
    int skip = (int)rng_below(rng, (uint32_t)e->nodes / 2 + 1), i = 0;
    for (;; i++)
        if (!e->node[i].child && skip-- == 0) return i;
}

/* The only x with a x = b modulo m, or -1. */
static int divide(int a, int b, int m)
{
    int found = -1;
    for (int x = 0; x < m; x++) {
        if ((a * x - b) % m != 0) continue;
        if (found >= 0) return -1;
        found = x;
    }
    return found;
}

/* The value that `leaf` of e must have for e = right, or -1. Clears the leaf. */
static int solution(const Cfg *c, Expression *e, int leaf, Wide right)
{
    int *x = &e->node[leaf].value;
    if (!c->compat) {
        *x = 1;
        const int one = expression_value(e);
        *x = 0;
        const int zero = expression_value(e);
        return divide((one - zero + c->m) % c->m, ((int)right - zero + c->m) % c->m, c->m);
    }
    *x = 1;
    const Wide one = value_wide(e);
    *x = 0;
    const Wide zero = value_wide(e), slope = one - zero;
    return slope ? (int)(((right - zero) / slope % c->m + c->m) % c->m) : -1;
}

static void sample_aussm(const Cfg *c, Rng *rng, Example *e)
{
    const ExpressionIds ids = ids_of(c);
    const int g = growth(c->len.now), side = 4 * g + 1, last = 2 * side + 1;
    Expression tree;
    int leaf = 0, x = -1;
    for (int draws = 0; x < 0; draws++) {
        expression_grow(&tree, c->m, OPERATORS, g, rng);
        expression_write(&tree, &ids, e->input + side + 1);
        const Wide right = c->compat ? value_wide(&tree) : expression_value(&tree);
        expression_grow(&tree, c->m, OPERATORS, g, rng);
        for (int i = 0; draws >= DRAWS_MAX && i < tree.nodes; i++) tree.node[i].op = PLUS;
        leaf = draw_leaf(&tree, rng);
        x = solution(c, &tree, leaf, right);
    }
    expression_write(&tree, &ids, e->input);
    e->input[tree.node[leaf].from] = ids.x;
    e->input[side] = id_equals(c);
    e->input[last] = id_act(c);
    e->target[last] = x;
    e->slice_of[last] = depth_at(&ids, e->input, tree.node[leaf].from);
    e->len = last + 1;
}

static void sample(const void *cfg, const void *data, Rng *rng, Example *e)
{
    (void)data;
    const Cfg *c = cfg;
    if (c->variant == CHOMSKY)
        sample_chomsky(c, rng, e);
    else
        sample_aussm(c, rng, e);
    e->has_slice = true;
}

/* ---- solver ------------------------------------------------------------------------------------------------------ */

/* Both sides as a x + b modulo m; then try all x. */
static int solve_modular(const Cfg *c, const int *token, int equals, int n)
{
    const ExpressionIds ids = ids_of(c);
    const Linear left = expression_parse(&ids, c->m, token, equals);
    const Linear right = equals < n ? expression_parse(&ids, c->m, token + equals + 1, n - equals - 1) : (Linear){ 0 };
    for (int x = 0; x < c->m; x++)
        if ((left.a * x + left.b) % c->m == (right.a * x + right.b) % c->m) return x;
    return 0;
}

/* Value over the integers for x: a closing bracket joins the last two numbers by the last operator. Unsigned, as other
 * strings than those drawn may exceed all bounds. */
static UWide parse_wide(const ExpressionIds *ids, int m, const int *token, int n, int x)
{
    UWide number[2 * WIDE_NODES];
    int op[2 * WIDE_NODES], numbers = 0, ops = 0;
    for (int t = 0; t < n; t++) {
        const int id = token[t];
        if ((id < m || id == ids->x) && numbers < 2 * WIDE_NODES)
            number[numbers++] = (UWide)(id == ids->x ? x : id);
        else if ((id == ids->op[PLUS] || id == ids->op[MINUS] || id == ids->op[TIMES]) && ops < 2 * WIDE_NODES)
            op[ops++] = id;
        if (id != ids->close || numbers < 2 || ops < 1) continue;
        const UWide b = number[--numbers], a = number[numbers - 1];
        ops--;
        number[numbers - 1] = op[ops] == ids->op[PLUS] ? a + b : op[ops] == ids->op[MINUS] ? a - b : a * b;
    }
    return numbers ? number[numbers - 1] : 0;
}

static int solve_rational(const Cfg *c, const int *token, int equals, int n)
{
    const ExpressionIds ids = ids_of(c);
    const UWide zero = parse_wide(&ids, c->m, token, equals, 0);
    UWide slope = parse_wide(&ids, c->m, token, equals, 1) - zero, rest = 0 - zero;
    if (equals < n) rest += parse_wide(&ids, c->m, token + equals + 1, n - equals - 1, 0);
    const bool negative = (slope >> 127) != (rest >> 127);
    if (slope >> 127) slope = 0 - slope;
    if (rest >> 127) rest = 0 - rest;
    const UWide whole = slope ? rest / slope : 0, m = (unsigned)c->m;
    const int x = (int)(whole % m);
    return negative ? (c->m - x) % c->m : x;
}

static int answer(const void *cfg, const int *x, int n, int *y)
{
    const Cfg *c = cfg;
    int equals = n;
    for (int t = 0; t < n; t++)
        if (x[t] == id_equals(c)) equals = t;
    y[0] = c->compat ? solve_rational(c, x, equals, n) : solve_modular(c, x, equals, n);
    return 1;
}

static void solve(const void *cfg, const void *data, const int *input, int len, int *prediction)
{
    (void)data;
    const Cfg *c = cfg;
    const Chomsky f = frame(c);
    if (c->variant == CHOMSKY) {
        chomsky_solve(&f, cfg, answer, input, len, prediction);
        return;
    }
    for (int t = 0, from = 0; t < len; t++) {
        prediction[t] = 0;
        if (input[t] != id_act(c)) continue;
        answer(cfg, input + from, t - from, prediction + t);
        from = t + 1;
    }
}

/* ---- facts ------------------------------------------------------------------------------------------------------- */

/* x still to come: it can stand inside all levels, and solutions differ where sums, signs or maps do. */
static double memory_bits(const void *cfg, const void *data)
{
    (void)data;
    const Cfg *c = cfg;
    const int n = length_max(&c->len), m = c->m;
    const int h = expression_levels(c->variant == AUSSM ? 4 * growth(n) + 1 : n - 2);
    if (c->variant == CHOMSKY && n < 3) return 0;
    if (m == 2 || h == 0 || c->compat) return log2(m);
    return c->variant == AUSSM && m % 2 ? h * log2(2 * m + expression_units(m) - 2) : log2(m) + h;
}

static const char *symbol(const void *cfg, const void *data, int id, bool is_target, char *buf)
{
    (void)data, (void)is_target;
    static const char *const sign[] = { "+", "-", "*" };
    const Cfg *c = cfg;
    const Chomsky f = frame(c);
    const ExpressionIds ids = ids_of(c);
    for (int op = 0; op < OPERATORS; op++)
        if (id == ids.op[op]) return sign[op];
    if (id == ids.open || id == ids.close) return id == ids.open ? "(" : ")";
    if (id == ids.x || id == id_equals(c)) return id == ids.x ? "x" : "=";
    if (id >= c->m) return c->variant == CHOMSKY ? chomsky_symbol(&f, id) : id == id_act(c) ? "<act>" : "<pad>";
    snprintf(buf, 32, "%d", id);
    return buf;
}

static Theory theory(const void *cfg, TheoryClass cls, int layers)
{
    (void)cfg;
    return solvable_row(SOLVABLE_STACK, cls, layers);
}

TASK_WITH(solve_equation, "the digit behind x in an equation modulo m", "arXiv:2207.02098, 2507.05238",
          .symbol = symbol, .memory_bits = memory_bits)
