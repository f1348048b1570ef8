/* SPDX-License-Identifier: Apache-2.0
 * dyck - balanced words over n = types kinds of brackets (Dyck-n): which closer is legal next?
 *
 *   layout: legal       word  ( [ ] )      input  0 1 3 2       target  1 2 1 0
 *   layout: balanced    word  ( [ ] )      input  0 1 3 2 4     target  _ _ _ _ 1
 *                       word  ( [ ] ]      input  0 1 3 3 4     target  _ _ _ _ 0
 *
 * Ids: openers 0..n-1, closers n..2n-1, query 2n (balanced only). Words of exactly len symbols (even; a range [2, 51]
 * draws 2, 4, ... 50): from depth 0 open; else open with probability p_open, but close when just enough symbols are
 * left; the type of an opener is uniform.
 *
 * legal: the class of the set of symbols that may follow: 0 all openers, 1 + i all openers and the closer of type i,
 * which is the bracket on top of the stack. Scored everywhere; V_in = 2n, V_out = n+1. A constant answer is right for
 * the larger of q and (1-q)/n, exactly, q = share of positions at depth 0 (by recursion): 0.45 at the defaults, where
 * the type of the last opener is right for 0.71. Slices: depth (brackets open), or with slice: gap
 * floor(log2(1 + positions back to the top opener; at depth 0, to the opener that was just closed)).
 *
 * balanced: 1 if the word is balanced, read at the query; half the words are spoilt. negatives: closer changes one
 * closer, uniformly chosen, to another type; swap exchanges two closers of different types, uniformly chosen (a word
 * whose closers are all of one type is spoilt as by closer). V_in = 2n+1, V_out = 2, constant 0.5. Beware of closer:
 * the sum of the openers' types minus that of the closers', modulo n, is 0 just for the balanced words, so no stack is
 * needed; swap leaves all counts as they are.
 *
 * Needs even len; layout balanced needs types >= 2; slice needs layout legal, negatives layout balanced.
 *
 * Memory: legal: h = len/2; of h-1 symbols, any stack of height h-1, h-3, ...: log2(n^(h-1) + n^(h-3) + ...) bits (of a
 * law, the longest). balanced: closer log2 n, and no more is needed; swap at least log2 h: one opener of another type
 * among h, at any of the h places, is told apart from every other such place.
 *
 * Source: Bhattamishra et al. 2020 (arXiv:2009.11264), repository Transformer-Formal-Languages (Dyck-1: train lengths
 * 2..50, test bins 2..50, 52..100, 102..150; a word counts only if all its positions are right: acc_exact); Sarrof et
 * al. 2024 (arXiv:2405.17394). Deviations: one class per legal set instead of a multi-hot target; words by the walk
 * above instead of the recursive grammar (nest 0.5, concatenate 0.25, empty 0.25, too long ones emptied); equal words
 * are not removed; layout balanced is ours.
 */
#include "task.h"
#include "common/solvable.h"
#include "common/walk.h"

#include <math.h>
#include <stdio.h>

enum { VERSION = 1 };

enum { LEGAL, BALANCED };

enum { CLOSER, SWAP };

enum { DEPTH, GAP };

enum { TYPES_MAX = 64 };

typedef struct {
    Length len;
    int types, layout, negatives, slice;
    double p_open;
} Cfg;

static const Option options[] = {
    OPT_L(Cfg, len, "64", 2, WALK_MAX, "symbols of the word, even"),
    OPT_I(Cfg, types, "2", 1, TYPES_MAX, "kinds of brackets"),
    OPT_R(Cfg, p_open, "0.5", 0.01, 0.99, "probability to open rather than close, where both are possible"),
    OPT_E(Cfg, layout, "legal", "legal|balanced", "legal next symbols at every position, or is the word balanced?"),
    OPT_E(Cfg, negatives, "closer", "closer|swap", "balanced: one closer of another type, or two closers exchanged"),
    OPT_E(Cfg, slice, "depth", "depth|gap", "legal: slices by stack height or log2 distance to the top opener"),
    OPT_END,
};

static bool shape(const void *cfg, const void *data, TaskShape *out, Err *err)
{
    (void)data;
    const Cfg *c = cfg;
    bool legal = c->layout == LEGAL;
    TRY(walk_check_lengths("dyck", &c->len, 2, err));
    if (!legal && c->types < 2)
        return err_set(err, EXIT_USAGE, "dyck: layout: balanced needs types of 2 or more, not %d", c->types);
    if (legal && c->negatives != CLOSER) return err_set(err, EXIT_USAGE, "dyck: negatives needs layout: balanced");
    if (!legal && c->slice != DEPTH) return err_set(err, EXIT_USAGE, "dyck: slice needs layout: legal");
    double empty = legal ? walk_share_empty(&c->len, c->p_open) : 0.5;
    *out = (TaskShape){
        .vocab_in = 2 * c->types + !legal,
        .vocab_out = legal ? c->types + 1 : 2,
        .max_len = walk_length(length_max(&c->len), 2) + !legal,
        .chance_uniform = legal ? 1.0 / (c->types + 1) : 0.5,
        .chance_majority = legal ? fmax(empty, (1 - empty) / c->types) : 0.5,
        .ceiling = 1,
        .headline = "acc_token",
        .slice_label = legal ? (c->slice == GAP ? "log2_gap" : "depth") : NULL,
    };
    return true;
}

/* Change one of the closers of a word of n symbols to another type. */
static void spoil_closer(const Cfg *c, Rng *rng, int *word, int n)
{
    int skip = (int)rng_below(rng, (uint32_t)n / 2), t = 0;
    for (;; t++)
        if (word[t] >= c->types && skip-- == 0) break;
    int type = (int)rng_below(rng, (uint32_t)c->types - 1);
    word[t] = c->types + type + (c->types + type >= word[t]);
}

/* Exchange two closers of different types: the first in proportion to the partners it has, then one of those. */
static bool spoil_swap(const Cfg *c, Rng *rng, int *word, int n)
{
    int count[TYPES_MAX] = { 0 }, pairs = 0, s = 0, t = 0;
    for (int i = 0; i < n; i++)
        if (word[i] >= c->types) count[word[i] - c->types]++;
    for (int type = 0; type < c->types; type++) pairs += count[type] * (n / 2 - count[type]);
    if (pairs == 0) return false;
    int skip = (int)rng_below(rng, (uint32_t)pairs);
    for (;; s++) {
        int others = word[s] < c->types ? 0 : n / 2 - count[word[s] - c->types];
        if (skip < others) break;
        skip -= others;
    }
    for (;; t++)
        if (word[t] >= c->types && word[t] != word[s] && skip-- == 0) break;
    int closer = word[s];
    word[s] = word[t];
    word[t] = closer;
    return true;
}

static void sample(const void *cfg, const void *data, Rng *rng, Example *e)
{
    (void)data;
    const Cfg *c = cfg;
    int opened[WALK_MAX / 2], depth = 0, n = walk_length(c->len.now, 2);
    for (int t = 0; t < n; t++) {
        int from = t;
        if (walk_opens(rng, c->p_open, depth, n - t)) {
            e->input[t] = (int)rng_below(rng, (uint32_t)c->types);
            opened[depth++] = t;
        } else {
            from = opened[--depth];
            e->input[t] = c->types + e->input[from];
        }
        if (c->layout != LEGAL) continue;
        if (depth > 0) from = opened[depth - 1];
        e->target[t] = depth ? 1 + e->input[from] : 0;
        e->slice_of[t] = c->slice == DEPTH ? depth : ilogb(1.0 + t - from);
    }
    e->len = n;
    e->has_slice = c->layout == LEGAL;
    if (c->layout == LEGAL) return;
    bool balanced = rng_below(rng, 2) == 1;
    if (!balanced && (c->negatives == CLOSER || !spoil_swap(c, rng, e->input, n))) spoil_closer(c, rng, e->input, n);
    e->input[n] = 2 * c->types;
    e->target[n] = balanced;
    e->len = n + 1;
}

static double memory_bits(const void *cfg, const void *data)
{
    (void)data;
    const Cfg *c = cfg;
    int half = walk_length(length_max(&c->len), 2) / 2;
    double n = c->types, sum = 0;
    if (c->layout == BALANCED) return log2(c->negatives == CLOSER || half == 1 ? n : half);
    for (int d = half - 1; d >= 0; d -= 2) sum += pow(n, d - (half - 1));
    return (half - 1) * log2(n) + log2(sum);
}

/* No stack: top[t] is where the innermost bracket open after t was opened (-1: none). A closer closes top[t-1], so what
 * is open then is what was open before that one. */
static void solve(const void *cfg, const void *data, const int *input, int len, int *prediction)
{
    (void)data;
    const Cfg *c = cfg;
    int link[WALK_MAX + 2], *top = link + 1;
    bool wrong = false;
    top[-1] = -1;
    for (int t = 0; t < len; t++) {
        int last = top[t - 1];
        bool opener = input[t] < c->types, query = input[t] == 2 * c->types;
        if (!opener && !query) wrong |= last < 0 || input[t] != c->types + input[last];
        top[t] = opener ? t : query || last < 0 ? last : top[last - 1];
        prediction[t] = c->layout == BALANCED ? !wrong && top[t] < 0 : top[t] < 0 ? 0 : 1 + input[top[t]];
    }
}

static const char *symbol(const void *cfg, const void *data, int id, bool is_target, char *buf)
{
    (void)data;
    const Cfg *c = cfg;
    static const char brackets[2][5] = { "([{<", ")]}>" };
    if (is_target && c->layout == BALANCED) return id ? "balanced" : "spoilt";
    if (is_target && id == 0) return "open";
    if (!is_target && id == 2 * c->types) return "?";
    int type = is_target ? id - 1 : id % c->types, closer = is_target || id >= c->types;
    if (c->types <= 4)
        snprintf(buf, 32, "%c", brackets[closer][type]);
    else
        snprintf(buf, 32, closer ? "%d)" : "(%d", type);
    return buf;
}

static Theory theory(const void *cfg, TheoryClass cls, int layers)
{
    const Cfg *c = cfg;
    if (c->layout == LEGAL) return solvable_row(c->types == 1 ? SOLVABLE_COUNTERS : SOLVABLE_STACK, cls, layers);
    if (c->negatives == SWAP) return solvable_row(SOLVABLE_STACK, cls, layers);
    bool power = !(c->types & (c->types - 1));
    Theory sum = solvable_row(c->types == 2 ? SOLVABLE_PARITY
                              : power       ? SOLVABLE_CYCLIC_2
                                            : SOLVABLE_CYCLIC,
                              cls, layers);
    return sum.verdict == THEORY_YES ? sum : solvable_row(SOLVABLE_COUNTERS, cls, layers);
}

TASK_WITH(dyck, "brackets of several types: what may follow, or is the word balanced", "arXiv:2009.11264, 2405.17394",
          .symbol = symbol, .memory_bits = memory_bits)
