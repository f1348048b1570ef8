/* SPDX-License-Identifier: Apache-2.0
 * shuffle_dyck - n = types bracket words, each balanced in itself, shuffled into one (Shuffle-n): which closers are
 * legal next? n counters instead of a stack.
 *
 *   words ( ( ) ) and [ ]      one shuffle      ( [ ( ) ] )
 *   input    0 1 0 2 3 2
 *   target   1 3 3 3 1 0                        bit i: a bracket of type i is open
 *
 * Ids: openers 0..n-1, closers n..2n-1; V_in = 2n. Target at every position: the set of types with an open bracket, as
 * a bit mask, which says what may follow (openers always may, a closer if its bit is set); V_out = 2^n.
 *
 * Exactly len symbols (even; a range [2, 51] draws 2, 4, ... 50). Each of the len/2 pairs has a uniform type; each
 * type's word is a walk (from depth 0 open; else open with probability p_open, but close when just enough of its own
 * symbols are left); all orders of the words' symbols are equally likely. types: 1 is Dyck-1.
 *
 * A constant answer (everything open, in most settings): measured, 0.72 at the defaults, 0.05 for 6 types and lengths
 * 2..50. Slices: depth (brackets open, of all types). Needs even len.
 *
 * compat: nested draws what the published generator does: a Dyck-n word (one walk, the type of an opener uniform, a
 * closer closes the bracket on top), labelled as above. It never crosses two pairs, so a stack would do as well.
 *
 * Memory: of h-1 symbols (h = len/2), any counts of open brackets that sum to h-1, h-3, ... are told apart by closers:
 * log2 of the sum of C(s+n-1, n-1) over those s, a floor. nested: those of a single type only, n for each s > 0.
 *
 * Source: Suzgun et al. 2019 (arXiv:1911.03329), shuffle languages; Bhattamishra et al. 2020 (arXiv:2009.11264),
 * repository Transformer-Formal-Languages: Shuffle-2, 4, 6, lengths as for Dyck-1 (2..50, then 52..100, 102..150), a
 * word counts only if all its positions are right (acc_exact). Deviations: true shuffles by default; one class per set
 * instead of a multi-hot target; words by the walk instead of the recursive grammar; equal words are not removed.
 */
#include "task.h"
#include "common/solvable.h"
#include "common/walk.h"

#include <math.h>
#include <stdio.h>

enum { VERSION = 1 };

enum { NONE, NESTED };

enum { TYPES_MAX = 8 };

typedef struct {
    Length len;
    int types, compat;
    double p_open;
} Cfg;

static const Option options[] = {
    OPT_L(Cfg, len, "64", 2, WALK_MAX, "symbols in all, even"),
    OPT_I(Cfg, types, "2", 1, TYPES_MAX, "kinds of brackets"),
    OPT_R(Cfg, p_open, "0.5", 0.01, 0.99, "probability to open rather than close, where both are possible"),
    OPT_E(Cfg, compat, "none", "none|nested", "nested: pairs never cross, as in the published generator"),
    OPT_END,
};

static bool shape(const void *cfg, const void *data, TaskShape *out, Err *err)
{
    (void)data;
    const Cfg *c = cfg;
    TRY(walk_check_lengths("shuffle_dyck", &c->len, 2, err));
    double empty = c->types == 1 ? walk_share_empty(&c->len, c->p_open) : 0;
    *out = (TaskShape){
        .vocab_in = 2 * c->types,
        .vocab_out = 1 << c->types,
        .max_len = walk_length(length_max(&c->len), 2),
        .chance_uniform = 1.0 / (1 << c->types),
        .chance_majority = c->types == 1 ? fmax(empty, 1 - empty) : 0,
        .ceiling = 1,
        .headline = "acc_token",
        .slice_label = "depth",
    };
    return true;
}

/* Draw a shuffle: each symbol from the word of a type, in proportion to what is left of it. */
static void draw_shuffle(const Cfg *c, Rng *rng, int *word, int n)
{
    int left[TYPES_MAX] = { 0 }, depth[TYPES_MAX] = { 0 };
    for (int i = 0; i < n / 2; i++) left[rng_below(rng, (uint32_t)c->types)] += 2;
    for (int t = 0; t < n; t++) {
        int type = 0, skip = (int)rng_below(rng, (uint32_t)(n - t));
        for (; skip >= left[type]; type++) skip -= left[type];
        bool opens = walk_opens(rng, c->p_open, depth[type], left[type]);
        left[type]--;
        depth[type] += opens ? 1 : -1;
        word[t] = opens ? type : c->types + type;
    }
}

static void draw_nested(const Cfg *c, Rng *rng, int *word, int n)
{
    int stack[WALK_MAX / 2], depth = 0;
    for (int t = 0; t < n; t++)
        if (walk_opens(rng, c->p_open, depth, n - t))
            word[t] = stack[depth++] = (int)rng_below(rng, (uint32_t)c->types);
        else
            word[t] = c->types + stack[--depth];
}

static void sample(const void *cfg, const void *data, Rng *rng, Example *e)
{
    (void)data;
    const Cfg *c = cfg;
    int depth[TYPES_MAX] = { 0 }, n = walk_length(c->len.now, 2), open = 0, mask = 0;
    if (c->compat == NESTED)
        draw_nested(c, rng, e->input, n);
    else
        draw_shuffle(c, rng, e->input, n);
    for (int t = 0; t < n; t++) {
        int type = e->input[t] % c->types, change = e->input[t] < c->types ? 1 : -1;
        depth[type] += change;
        open += change;
        mask = depth[type] ? mask | 1 << type : mask & ~(1 << type);
        e->target[t] = mask;
        e->slice_of[t] = open;
    }
    e->len = n;
    e->has_slice = true;
}

static double memory_bits(const void *cfg, const void *data)
{
    (void)data;
    const Cfg *c = cfg;
    double sum = 0;
    for (int s = walk_length(length_max(&c->len), 2) / 2 - 1; s >= 0; s -= 2) {
        double ways = 1;
        for (int i = 1; i < c->types && c->compat == NONE; i++) ways *= (double)(s + i) / i;
        if (c->compat == NESTED && s > 0) ways = c->types;
        sum += ways;
    }
    return log2(fmax(sum, 1));
}

/* One pass per type, which sees no other: its bit is set while its openers outnumber its closers. */
static void solve(const void *cfg, const void *data, const int *input, int len, int *prediction)
{
    (void)data;
    const int types = ((const Cfg *)cfg)->types;
    for (int t = 0; t < len; t++) prediction[t] = 0;
    for (int type = 0; type < types; type++) {
        int excess = 0;
        for (int t = 0; t < len; t++) {
            excess += (input[t] == type) - (input[t] == types + type);
            prediction[t] |= (excess > 0) << type;
        }
    }
}

static const char *symbol(const void *cfg, const void *data, int id, bool is_target, char *buf)
{
    (void)data;
    const Cfg *c = cfg;
    static const char brackets[] = "([{<)]}>";
    int n = 0;
    if (!is_target) {
        int type = id % c->types;
        if (c->types <= 4)
            snprintf(buf, 32, "%c", brackets[id < c->types ? type : 4 + type]);
        else
            snprintf(buf, 32, id < c->types ? "(%d" : "%d)", type);
        return buf;
    }
    if (id == 0) return "-";
    for (int type = 0; type < c->types; type++)
        if (id >> type & 1) buf[n++] = c->types <= 4 ? brackets[4 + type] : (char)('0' + type);
    buf[n] = 0;
    return buf;
}

static Theory theory(const void *cfg, TheoryClass cls, int layers)
{
    (void)cfg;
    return solvable_row(SOLVABLE_COUNTERS, cls, layers);
}

TASK_WITH(shuffle_dyck, "bracket words shuffled into one: which closers are legal", "arXiv:1911.03329, 2009.11264",
          .symbol = symbol, .memory_bits = memory_bits)
