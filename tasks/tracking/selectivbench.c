/* SPDX-License-Identifier: Apache-2.0
 * selectivbench - name the state of a random grammar whose symbols many states share, past gaps and distractors.
 *
 *   two letters A and B of two states each: A0 = 1, A1 = 2, B0 = 3, B1 = 4, the end # = 0
 *   edges A0 -> B1, A0 -> A1, A1 -> B0, B0 -> A0, B1 -> #
 *     walk     A0 A1 B0 A0 B1 #
 *     input     1  1  2  1  2 0
 *     target    1  2  3  1  4 0
 *
 * Ids: # 0, letters 1..letters, an empty step of a gap letters+1. V_in = letters+2. Classes: # 0, then the states
 * letter by letter; V_out = 1 + letters + ambiguous (depth-1).
 *
 * Grammar, one per run, from the table seed: `ambiguous` of the letters are split into `depth` states, the others have
 * one. From every state there is, to each letter of m states, an edge to one of them with probability m density/depth
 * (at most 1), and to # with probability density/depth: state and next symbol fix the next state. Drawn again until
 * every state has a path to #. A string begins in one of `starts` start states, with different letters so that the
 * first element tells which, and follows random edges until #; strings of more than `limit` elements are left out
 * (exactly, by weights computed backwards). An example is strings one after the other, cut after len elements.
 *
 * After an element of number gap_start or more (from 0), with probability gap_prob, comes a gap of gap_min..gap_max
 * steps: empty ones, or with distractors: true each a symbol that cannot follow the current state (uniform; the empty
 * one where there is none). The state stays. score: all asks at every position; elements at the elements alone; last at
 * the last step of each element with its gap. compat: selectivbench makes gaps of gap_min and gap_max steps half as
 * likely as those between (durations rounded to a tenth).
 *
 * Chance 1/V_out; the majority share is measured: 0.121 by default, 0.0087 at the published size (#, once in every
 * string of at most 200 elements). Naming a state of the current letter at random is right for 1/depth. Slices:
 * floor(log2(element's number in its string, from 1)).
 *
 * Published: 40 letters, all ambiguous, depth 40 (1601 classes), density 0.4, len 200, gaps of one step; complexity:
 * letters = depth in {20, 24, 26, 30, 34, 38, 40}; gaps: 1..10 steps with noise, test 1, 2, 5, 10, 20, 50, 100;
 * distractors: gap_start 50, gap_prob 0.1. Deviations: symbols instead of one-hot vectors, and so no noise; start
 * states never share a letter (there they may, and then nobody can tell the first elements); train and test are
 * different strings (there test strings are the first of training); accuracy per position, not of the softmax summed
 * over a gap. UNVERIFIED: that the limit of 200 counts the end.
 *
 * Source: arXiv:2601.12598, repository symseqbench/selectivbench.
 */
#include "task.h"
#include "common/grammar.h"
#include "common/solvable.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { VERSION = 1 };

enum { SCORE_ALL, SCORE_ELEMENTS, SCORE_LAST };

enum { NONE, SELECTIVBENCH };

enum { LEN_MAX = 4096, GAP_MAX = 1000, POSITIONS_MAX = 1 << 20, TRIES = 2000 };

typedef struct {
    Length len;
    int letters, ambiguous, depth;
    double density;
    int starts, limit, gap_min, gap_max, gap_start;
    double gap_prob;
    bool distractors;
    int score, compat;
} Cfg;

typedef struct {
    Grammar g;
    Cfg made; /* what it was made for */
} Data;

static const Option options[] = {
    OPT_L(Cfg, len, "100", 1, LEN_MAX, "elements per example"),
    OPT_I(Cfg, letters, "8", 1, GRAMMAR_LETTERS_MAX, "letters of the grammar"),
    OPT_I(Cfg, ambiguous, "8", 0, GRAMMAR_LETTERS_MAX, "letters shared by several states"),
    OPT_I(Cfg, depth, "4", 1, GRAMMAR_DEPTH_MAX, "states of an ambiguous letter"),
    OPT_R(Cfg, density, "0.4", 0.01, 64, "probability of an edge to an ambiguous letter"),
    OPT_I(Cfg, starts, "4", 1, GRAMMAR_LETTERS_MAX, "start states"),
    OPT_I(Cfg, limit, "200", 2, 1000, "longest string, elements with the end"),
    OPT_I(Cfg, gap_min, "0", 0, GAP_MAX, "shortest gap after an element, steps"),
    OPT_I(Cfg, gap_max, "0", 0, GAP_MAX, "longest gap after an element, steps; 0: no gaps"),
    OPT_I(Cfg, gap_start, "0", 0, LEN_MAX, "first element that a gap may follow, from 0"),
    OPT_R(Cfg, gap_prob, "1", 0, 1, "probability of a gap"),
    OPT_B(Cfg, distractors, "false", "fill gaps with symbols that cannot follow"),
    OPT_E(Cfg, score, "all", "all|elements|last",
          "ask everywhere, at elements, or at the last step of each with its gap"),
    OPT_E(Cfg, compat, "none", "none|selectivbench", "selectivbench: shortest and longest gaps half as likely"),
    OPT_END,
};

static int id_gap(const Cfg *c) { return c->letters + 1; }

static bool prepare(const void *cfg, uint64_t table_seed, Arena *a, void *data, Err *err)
{
    const Cfg *c = cfg;
    Data *d = data;
    Rng rng = rng_named(table_seed, "selectivbench/grammar");
    GrammarSpec spec = { c->letters, c->ambiguous, c->depth, c->density, c->starts };
    if (c->ambiguous > c->letters)
        return err_set(err, EXIT_USAGE, "selectivbench: ambiguous: %d is more than letters: %d", c->ambiguous,
                       c->letters);
    if (c->starts > c->letters)
        return err_set(err, EXIT_USAGE,
                       "selectivbench: starts: %d is more than letters: %d; start states have different "
                       "letters",
                       c->starts, c->letters);
    d->made = *c;
    if (!grammar_draw(&spec, TRIES, &rng, a, &d->g))
        return err_set(err, EXIT_USAGE,
                       "selectivbench: density: %g, letters: %d, depth: %d: in none of %d grammars can "
                       "every state reach the end; raise density or letters, or lower depth",
                       c->density, c->letters, c->depth, TRIES);
    return grammar_bound(&d->g, c->limit, a) ||
           err_set(err, EXIT_USAGE, "selectivbench: limit: %d: no string is that short; raise limit", c->limit);
}

static bool check_gaps(const Cfg *c, Err *err)
{
    if (c->gap_min > c->gap_max)
        return err_set(err, EXIT_USAGE, "selectivbench: gap_min: %d is more than gap_max: %d", c->gap_min, c->gap_max);
    if (c->gap_max == 0 && (c->gap_start || c->gap_prob < 1 || c->distractors))
        return err_set(err, EXIT_USAGE, "selectivbench: %s needs gap_max: 1 or more",
                       c->distractors ? "distractors: true"
                       : c->gap_start ? "gap_start"
                                      : "gap_prob");
    if (c->gap_max == 0 && c->score == SCORE_LAST)
        return err_set(err, EXIT_USAGE, "selectivbench: score: last needs gap_max: 1 or more");
    if (c->compat == SELECTIVBENCH && c->gap_min == c->gap_max)
        return err_set(err, EXIT_USAGE, "selectivbench: compat: selectivbench needs gap_max above gap_min");
    if ((long)length_max(&c->len) * (1 + c->gap_max) > POSITIONS_MAX)
        return err_set(err, EXIT_USAGE, "selectivbench: len: %d with gap_max: %d is more than %d positions",
                       length_max(&c->len), c->gap_max, POSITIONS_MAX);
    return true;
}

static bool shape(const void *cfg, const void *data, TaskShape *out, Err *err)
{
    const Cfg *c = cfg, *made = &((const Data *)data)->made;
    const Grammar *g = &((const Data *)data)->g;
    const char *other = c->letters != made->letters                                ? "letters"
                        : c->ambiguous != made->ambiguous                          ? "ambiguous"
                        : c->depth != made->depth                                  ? "depth"
                        : c->density < made->density || c->density > made->density ? "density"
                        : c->starts != made->starts                                ? "starts"
                        : c->limit != made->limit                                  ? "limit"
                                                                                   : NULL;
    if (other)
        return err_set(err, EXIT_USAGE,
                       "selectivbench: %s of a slice differs from that of the run; one run has one "
                       "grammar",
                       other);
    TRY(check_gaps(c, err));
    *out = (TaskShape){
        .vocab_in = id_gap(c) + 1,
        .vocab_out = g->states,
        .max_len = length_max(&c->len) * (1 + c->gap_max),
        .chance_uniform = 1.0 / g->states,
        .chance_majority = 0,
        .ceiling = 1,
        .headline = "acc_token",
        .slice_label = "log2_element",
    };
    return true;
}

/* ---- examples ---------------------------------------------------------------------------------------------------- */

static int draw_gap(const Cfg *c, int element, Rng *rng)
{
    if (c->gap_max == 0 || element < c->gap_start || (c->gap_prob < 1 && rng_uniform(rng) >= c->gap_prob)) return 0;
    uint32_t span = (uint32_t)(c->gap_max - c->gap_min);
    if (c->compat != SELECTIVBENCH) return c->gap_min + (int)rng_below(rng, span + 1);
    return c->gap_min + (int)(rng_below(rng, 2 * span) + 1) / 2; /* a half at either end */
}

/* A symbol that cannot follow state s, or the empty step. */
static int draw_distractor(const Cfg *c, const Grammar *g, int s, Rng *rng)
{
    bool follows[GRAMMAR_LETTERS_MAX + 1] = { false };
    int n = s ? g->edge[s + 1] - g->edge[s] : g->starts, id = 0;
    const int *to = s ? g->to + g->edge[s] : g->start;
    for (int i = 0; i < n; i++) follows[g->symbol_of[to[i]]] = true;
    if (n == c->letters + 1) return id_gap(c);
    for (int skip = (int)rng_below(rng, (uint32_t)(c->letters + 1 - n)); follows[id] || skip-- > 0; id++) {}
    return id;
}

static void sample(const void *cfg, const void *data, Rng *rng, Example *e)
{
    const Cfg *c = cfg;
    const Grammar *g = &((const Data *)data)->g;
    int s = 0, at = 0, t = 0;
    for (int i = 0; i < c->len.now; i++) {
        s = grammar_step(g, s, at, rng);
        at++;
        int gap = draw_gap(c, i, rng), slice = ilogb((double)at);
        for (int k = 0; k <= gap; k++, t++) {
            e->input[t] = k == 0 ? g->symbol_of[s] : c->distractors ? draw_distractor(c, g, s, rng) : id_gap(c);
            if (c->score == SCORE_ALL || k == (c->score == SCORE_LAST ? gap : 0)) {
                e->target[t] = s;
                e->slice_of[t] = slice;
            }
        }
        if (s == 0) at = 0;
    }
    e->len = t;
    e->has_slice = true;
}

/* Read the symbols: what cannot follow changes nothing. */
static void solve(const void *cfg, const void *data, const int *input, int len, int *prediction)
{
    const Cfg *c = cfg;
    const Grammar *g = &((const Data *)data)->g;
    int s = 0;
    for (int t = 0; t < len; t++) {
        int to = input[t] == id_gap(c) ? -1 : grammar_read(g, s, input[t]);
        if (to >= 0) s = to;
        prediction[t] = s;
    }
}

static const char *letter(int id, char *buf)
{
    snprintf(buf, 32, "%c%s", 'A' + (id - 1) % 26, id > 52 ? "\"" : id > 26 ? "'" : "");
    return buf;
}

static const char *symbol(const void *cfg, const void *data, int id, bool is_target, char *buf)
{
    const Cfg *c = cfg;
    const Grammar *g = &((const Data *)data)->g;
    if (id == 0) return "#";
    if (!is_target) return id == id_gap(c) ? "-" : letter(id, buf);
    int a = g->symbol_of[id], k = 0;
    while (g->symbol_of[id - k - 1] == a) k++;
    letter(a, buf);
    size_t n = strlen(buf);
    snprintf(buf + n, 32 - n, "%d", k);
    return buf;
}

static Theory theory(const void *cfg, TheoryClass cls, int layers)
{
    (void)cfg;
    switch (cls.kind) {
    case CLASS_LTI: return (Theory){ THEORY_NO, "time-invariant dynamics cannot start anew at the end of a string" };
    case CLASS_DENSE:
    case CLASS_RNN:
    case CLASS_OTHER: return solvable_row(SOLVABLE_UNSOLVABLE, cls, layers);
    case CLASS_ATTENTION:
        return (Theory){ THEORY_APPROX, "strings are bounded: shortcuts within a string (arXiv:2210.10749)" };
    default: return (Theory){ THEORY_COND, "partial maps on many states: needs as many dimensions, or depth" };
    }
}

TASK_WITH(selectivbench, "state of a random grammar, past gaps and distractors", "arXiv:2601.12598", .prepare = prepare,
          .data_size = sizeof(Data), .symbol = symbol)
