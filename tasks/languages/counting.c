/* SPDX-License-Identifier: Apache-2.0
 * counting - run a small program of assignments and increments among idle statements; what is the value of a variable?
 *
 *   program                a = 0 ;  pass;  a ++;  pass;  a ++;  print a                                    answer 2
 *   tokens: statements     input  1 0 2 0 2 3                                     target  2 at the last position
 *   tokens: words          input  7 4 8 5 2 7 6 2 7 6 3 7                         target  2 at the last position
 *
 * One of len statements is `set` (a uniform variable becomes 0), `pass`, or `increment` (a uniform variable among those
 * set, plus 1), with these weights; an increment that has no variable, or would exceed limit, is drawn again. A program
 * in which nothing is set is drawn again (exactly, without a repeat). The question is for a uniform variable among
 * those set. Only its answer is scored: classes 0..limit, V_out = limit + 1.
 *
 * Ids, v = variables: statements: pass 0, set 1..v, increment v+1..2v, print 2v+1..3v, V_in = 3v+1, L = len + 1. words:
 * <pad> 0 and <start> 1 (neither is ever used), pass; 2, print 3, = 4, ; 5, ++; 6, variables 7.., number 0 last, V_in =
 * v+8; a pass is one token, an increment two, a set four, the question two.
 *
 * compat: cope (words only) does what the published code does: a program in which nothing is set is drawn again with a
 * new length of the law, and an example has at most 512 tokens with its answer: it is cut from the left, which can cut
 * off the set that matters. The solver then answers limit, which is nearly always right at the published settings; the
 * ceiling is its accuracy on 20000 programs (above 0.999 there).
 *
 * A constant answer: exact for 1 variable, else measured; at the published settings always `limit`. Slices:
 * floor(log2(statements from the variable's last set to the question)).
 *
 * Memory: j variables at 0..u each, all told apart by questions, take j(u+1) statements (words: one more, so that equal
 * lengths are possible): j log2(u+1) bits, the best j and u that fit; v log2(limit+1) from len of v(limit+1)+1 on. With
 * compat len counts up to 127, which are never cut. A floor.
 *
 * Source: Golovneva et al. 2024 (arXiv:2405.18719), section 5.2, repository RAM, projects/cope, count_data_gen.py:
 * len [3, 512], variables 1, 3, 5, tokens: words, compat: cope, 10 000 examples. Longer programs of the out-of-
 * distribution test: lengths UNVERIFIED. Deviations: one token per statement, small len; word ids in a fixed order.
 */
#include "task.h"
#include "common/solvable.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { VERSION = 1 };

enum { STATEMENTS, WORDS };

enum { NONE, COPE };

enum { PASS = 2, PRINT, IS, SEMICOLON, INCREMENT, VARIABLE }; /* word ids */

enum { LEN_MAX = 4096, VARIABLES_MAX = 16, LIMIT_MAX = 1000, BLOCK = 511, UNCUT = 127, PROGRAMS = 20000 };

typedef struct {
    Length len;
    int variables, limit, tokens, compat;
    double set, pass, increment;
} Cfg;

static const Option options[] = {
    OPT_L(Cfg, len, "[3, 64]", 2, LEN_MAX, "statements of the program, question not counted"),
    OPT_I(Cfg, variables, "1", 1, VARIABLES_MAX, "variables"),
    OPT_I(Cfg, limit, "10", 1, LIMIT_MAX, "greatest value"),
    OPT_E(Cfg, tokens, "statements", "statements|words", "one token per statement, or one per word"),
    OPT_R(Cfg, set, "1", 0.001, 1000, "weight of a statement that sets a variable to 0"),
    OPT_R(Cfg, pass, "50", 0, 1000, "weight of an idle statement"),
    OPT_R(Cfg, increment, "7", 0.001, 1000, "weight of an increment"),
    OPT_E(Cfg, compat, "none", "none|cope", "cope: cut to 512 tokens, new length where nothing is set"),
    OPT_END,
};

static int longest(const Cfg *c)
{
    int n = length_max(&c->len);
    if (c->tokens == STATEMENTS) return n + 1;
    return c->compat == COPE && 4 * n + 2 > BLOCK ? BLOCK : 4 * n + 2;
}

/* One variable: weight of each value after n statements, some set among them; the commonest, pooled over the law. */
static double majority_of_one(const Cfg *c)
{
    double share[LIMIT_MAX + 1] = { 0 }, answer[LIMIT_MAX + 1] = { 0 }, unset = 1, words = 0, best = 0;
    double idle = c->pass / (c->set + c->pass), sum = c->set + c->pass + c->increment;
    for (int n = 1; n <= length_max(&c->len); n++) {
        double set = 0;
        for (int v = c->limit; v >= 0; v--) {
            double all = v < c->limit ? sum : c->set + c->pass; /* no increment at the limit */
            set += share[v] * c->set / all;
            if (v < c->limit) share[v + 1] += share[v] * c->increment / all;
            share[v] *= c->pass / all;
        }
        share[0] += set + unset * (1 - idle);
        unset *= idle;
        double weight = c->len.kind == LENGTH_UNIFORM && n >= length_min(&c->len);
        for (int i = 0; c->len.kind != LENGTH_UNIFORM && i < c->len.n; i++) weight += c->len.v[i] == n;
        if (c->compat == COPE) weight *= 1 - unset;
        for (int v = 0; v <= c->limit && weight > 0; v++) answer[v] += weight * share[v] / (1 - unset);
        words += weight;
    }
    for (int v = 0; v <= c->limit; v++) best = fmax(best, answer[v] / words);
    return best;
}

static void sample(const void *cfg, const void *data, Rng *rng, Example *e);
static void solve(const void *cfg, const void *data, const int *input, int len, int *prediction);

/* Share of programs whose answer the solver finds in what is left of them. */
static double measure_ceiling(const Cfg *cfg)
{
    Cfg c = *cfg;
    int input[BLOCK], target[BLOCK], slice_of[BLOCK], prediction[BLOCK], right = 0;
    Example e = { .input = input, .target = target, .slice_of = slice_of };
    Rng rng = rng_named(0, "counting: ceiling");
    for (int i = 0; i < PROGRAMS; i++) {
        length_draw(&c.len, &rng);
        sample(&c, NULL, &rng, &e);
        solve(&c, NULL, input, e.len, prediction);
        right += prediction[e.len - 1] == target[e.len - 1];
    }
    return (double)right / PROGRAMS;
}

static bool shape(const void *cfg, const void *data, TaskShape *out, Err *err)
{
    (void)data;
    const Cfg *c = cfg;
    int most = length_max(&c->len) - 1;
    if (c->compat == COPE && c->tokens != WORDS)
        return err_set(err, EXIT_USAGE, "counting: compat: cope needs tokens: words");
    bool cut = c->compat == COPE && 4 * length_max(&c->len) + 2 > BLOCK;
    *out = (TaskShape){
        .vocab_in = c->tokens == WORDS ? VARIABLE + c->variables + 1 : 3 * c->variables + 1,
        .vocab_out = c->limit + 1,
        .max_len = longest(c),
        .chance_uniform = 1.0 / (1 + (most < c->limit ? most : c->limit)),
        .chance_majority = c->variables == 1 ? majority_of_one(c) : 0,
        .ceiling = cut ? measure_ceiling(c) : 1,
        .headline = "acc_token",
        .slice_label = "log2_gap",
    };
    return true;
}

/* A program as it runs: value -1 is not set, at[] the statement of the last set. */
typedef struct {
    int value[VARIABLES_MAX], at[VARIABLES_MAX];
} State;

/* The skip-th variable that is set, and below the limit. */
static int find_set(const Cfg *c, const State *s, int limit, int skip)
{
    int v = 0;
    for (; v < c->variables; v++)
        if (s->value[v] >= 0 && s->value[v] < limit && skip-- == 0) break;
    return v;
}

/* Write n statement ids to program and the question behind them; returns the variable asked for. */
static int draw_program(const Cfg *c, Rng *rng, int n, int *program, State *s)
{
    double idle = c->pass / (c->set + c->pass), some = 1 - pow(idle, n);
    int first = idle > 0 ? (int)(log1p(-rng_uniform(rng) * some) / log(idle)) : 0, set = 0, low = 0;
    if (first > n - 1) first = n - 1;
    for (int v = 0; v < c->variables; v++) s->value[v] = -1;
    for (int i = 0; i < n; i++) {
        double more = set ? c->increment * low / set : 0, u = rng_uniform(rng) * (c->set + c->pass + more);
        program[i] = 0;
        if (i == first || (i > first && u < c->set)) {
            int v = (int)rng_below(rng, (uint32_t)c->variables);
            low += s->value[v] < 0 || s->value[v] == c->limit;
            set += s->value[v] < 0;
            s->value[v] = 0;
            s->at[v] = i;
            program[i] = 1 + v;
        } else if (i > first && u >= c->set + c->pass && low > 0) {
            int v = find_set(c, s, c->limit, (int)rng_below(rng, (uint32_t)low));
            low -= ++s->value[v] == c->limit;
            program[i] = 1 + c->variables + v;
        }
    }
    int asked = find_set(c, s, c->limit + 1, (int)rng_below(rng, (uint32_t)set));
    program[n] = 1 + 2 * c->variables + asked;
    return asked;
}

/* Returns the number of words. */
static int spell(const Cfg *c, const int *program, int n, int *word)
{
    int t = 0;
    for (int i = 0; i < n; i++) {
        int kind = (program[i] + c->variables - 1) / c->variables, name = VARIABLE + (program[i] - 1) % c->variables;
        switch (kind) {
        case 0: word[t++] = PASS; break;
        case 1:
            word[t++] = name;
            word[t++] = IS;
            word[t++] = VARIABLE + c->variables;
            word[t++] = SEMICOLON;
            break;
        case 2:
            word[t++] = name;
            word[t++] = INCREMENT;
            break;
        default:
            word[t++] = PRINT;
            word[t++] = name;
            break;
        }
    }
    return t;
}

/* The published law of lengths: those at which nothing is set are drawn again. */
static int draw_length(const Cfg *c, Rng *rng)
{
    Length len = c->len;
    for (int i = 0; i < 1000 && len.kind != LENGTH_FIXED; i++) {
        length_draw(&len, rng);
        if (rng_uniform(rng) >= pow(c->pass / (c->set + c->pass), len.now)) break;
    }
    return len.now;
}

static void sample(const void *cfg, const void *data, Rng *rng, Example *e)
{
    (void)data;
    const Cfg *c = cfg;
    State state;
    int program[LEN_MAX + 1], word[4 * LEN_MAX + 2], n = c->compat == COPE ? draw_length(c, rng) : c->len.now;
    int asked = draw_program(c, rng, n, program, &state), from = 0;
    e->len = n + 1;
    if (c->tokens == WORDS) {
        e->len = spell(c, program, n + 1, word);
        if (c->compat == COPE && e->len > BLOCK) from = e->len - BLOCK;
        e->len -= from;
    }
    memcpy(e->input, c->tokens == WORDS ? word + from : program, sizeof *word * (size_t)e->len);
    e->target[e->len - 1] = state.value[asked];
    e->slice_of[e->len - 1] = ilogb((double)(n - state.at[asked]));
    e->has_slice = true;
}

/* The states in the box of j variables at 0..u. */
static double memory_bits(const void *cfg, const void *data)
{
    (void)data;
    const Cfg *c = cfg;
    int n = length_max(&c->len) - (c->tokens == WORDS);
    if (c->compat == COPE && n > UNCUT - 1) n = UNCUT - 1;
    double best = 0;
    for (int j = 1; j <= c->variables && j <= n; j++) best = fmax(best, j * log2(fmin(n / j, c->limit + 1)));
    return best;
}

/* Walk back from the question and count the increments of its variable until it is set. */
static int look_back(const Cfg *c, const int *input, int t)
{
    bool words = c->tokens == WORDS;
    int name = input[t], v = c->variables, count = 0;
    for (int s = t - (words ? 2 : 1); s >= 0; s--) {
        bool set = words ? input[s] == name && input[s + 1] == IS : input[s] == name - 2 * v;
        count += words ? input[s] == name && input[s + 1] == INCREMENT : input[s] == name - v;
        if (set) return count < c->limit ? count : c->limit;
    }
    return c->limit;
}

static void solve(const void *cfg, const void *data, const int *input, int len, int *prediction)
{
    (void)data;
    const Cfg *c = cfg;
    for (int t = 0; t < len; t++) {
        bool asked = c->tokens == WORDS ? t > 0 && input[t - 1] == PRINT : input[t] > 2 * c->variables;
        prediction[t] = asked ? look_back(c, input, t) : 0;
    }
}

static const char *symbol(const void *cfg, const void *data, int id, bool is_target, char *buf)
{
    (void)data;
    const Cfg *c = cfg;
    static const char *const words[] = { "<pad>", "<start>", "pass;", "print", "=", ";", "++;" };
    if (is_target) {
        snprintf(buf, 32, "%d", id);
    } else if (c->tokens == WORDS) {
        if (id < VARIABLE) return words[id];
        snprintf(buf, 32, "%c", id == VARIABLE + c->variables ? '0' : 'a' + id - VARIABLE);
    } else {
        if (id == 0) return "pass;";
        int kind = (id - 1) / c->variables, name = 'a' + (id - 1) % c->variables;
        snprintf(buf, 32, kind == 0 ? "%c=0;" : kind == 1 ? "%c++;" : "print %c", name);
    }
    return buf;
}

static Theory theory(const void *cfg, TheoryClass cls, int layers)
{
    (void)cfg;
    return solvable_row(SOLVABLE_STAR_FREE, cls, layers);
}

TASK_WITH(counting, "follow assignments and increments; what is the value now?", "arXiv:2405.18719", .symbol = symbol,
          .memory_bits = memory_bits)
