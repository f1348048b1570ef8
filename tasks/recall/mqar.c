/* SPDX-License-Identifier: Apache-2.0
 * mqar - multi-query associative recall: many keys bound to values, each asked for once, anywhere later.
 *
 *   input    k[0] v[0] k[1] v[1] ... k[N-1] v[N-1] | slots of two positions, N of them hold a key, the rest filler
 *   target   v[i] where k[i] is asked, nothing elsewhere
 *
 *   V=24, L=20, N=3, filler: none
 *   input    10 23 5 22 6 20 |  0 0  6 0 10 0  0 0  5 0  0 0  0 0
 *   target    _  _ _  _ _  _ |  _ _ 20 _ 23 _  _ _ 22 _  _ _  _ _
 *
 * len = L positions in all, kv = N pairs; C = 2 N passes positions of context, S = (L-C)/2 slots. One id space of size
 * V = vocab for input and output (V_in = V_out): 0 filler, 1..V/2-1 keys, V/2..V-1 values; keys are distinct, values
 * are distinct. N distinct slots are drawn one after another with weight (g+1)^(power_a-1), g = 0..S-1, and the i-th
 * slot drawn belongs to the i-th pair, so with power_a below 1 early pairs are asked early. The answer is never shown.
 * filler: what stands at all other positions after the context: `none` id 0; `any` an independent uniform id (the
 * published random_non_queries: it can be a context key, an unscored "query"); `disjoint` the same without the keys of
 * the context. A solver must use the first occurrence of a key.
 *
 * Needs vocab and len even, vocab > len, 2 N (passes + 1) <= len; fails otherwise. Chance: 2/V for who knows which half
 * holds values (a constant answer, exactly), 1/N for who knows the values of the context but not the bindings.
 * Slices: floor(log2(distance from the last showing of the value to the query)).
 *
 * Memory: log2 (V/2)! / (V/2 - N)! bits after the context: for any N keys, the ways to give them distinct values are
 * pairwise told apart by the queries.
 *
 * Source: Arora et al. 2023 (arXiv:2312.04927), section 4, and 2024 (arXiv:2402.18668), repository zoology,
 * multiquery_ar. Deviations: vocab 256 by default (published 8192; a small vocabulary is easier, so say it in figures);
 * passes > 1 as intended (the context repeated; the published code fails); slots by exponential races, the same law.
 */
#include "common/slots.h"
#include "task.h"

#include <math.h>

enum { VERSION = 1 };

typedef struct {
    Length len, kv;
    int vocab, filler, passes;
    double power_a;
} Cfg;

static const Option options[] = {
    OPT_L(Cfg, len, "64", 4, SLOTS_LEN_MAX, "positions per example, even"),
    OPT_L(Cfg, kv, "8", 1, SLOTS_MAX, "key-value pairs"),
    OPT_I(Cfg, vocab, "256", 6, SLOTS_VOCAB_MAX, "ids in all, even, more than len"),
    OPT_R(Cfg, power_a, "0.01", 0, 10, "queries: slot g has weight (g+1)^(power_a-1); 1 is uniform"),
    OPT_E(Cfg, filler, "any", FILLER_CHOICES, "unused positions: id 0, any id but a context key, any id"),
    OPT_I(Cfg, passes, "1", 1, 16, "how often the context is shown"),
    OPT_END,
};

static bool shape(const void *cfg, const void *data, TaskShape *out, Err *err)
{
    (void)data;
    const Cfg *c = cfg;
    int longest = length_max(&c->len), shortest = length_min(&c->len), pairs = length_max(&c->kv);
    if (!length_even(&c->len))
        return err_set(err, EXIT_USAGE, "mqar: len must be even (a law over lengths: {set: [64, 128]})");
    if (c->vocab % 2) return err_set(err, EXIT_USAGE, "mqar: vocab: %d must be even", c->vocab);
    if (c->vocab <= longest)
        return err_set(err, EXIT_USAGE, "mqar: vocab: %d must be greater than len: %d", c->vocab, longest);
    if ((long)2 * pairs * (c->passes + 1) > shortest)
        return err_set(err, EXIT_USAGE, "mqar: kv: %d with passes: %d needs len of %ld or more, not %d", pairs,
                       c->passes, (long)2 * pairs * (c->passes + 1), shortest);
    *out = (TaskShape){
        .vocab_in = c->vocab,
        .vocab_out = c->vocab,
        .max_len = longest,
        .chance_uniform = 2.0 / c->vocab,
        .chance_majority = 2.0 / c->vocab,
        .ceiling = 1,
        .headline = "acc_mean",
        .slice_label = "log2_gap",
    };
    return true;
}

static void sample(const void *cfg, const void *data, Rng *rng, Example *e)
{
    (void)data;
    const Cfg *c = cfg;
    Ids used;
    int slot[SLOTS_MAX], half = c->vocab / 2, n = c->kv.now, len = c->len.now, once = 2 * n, context = once * c->passes;
    ids_clear(&used, c->vocab);
    for (int i = 0; i < n; i++) e->input[2 * i] = ids_draw_new(&used, rng, 1, half - 1);
    for (int i = 0; i < n; i++) e->input[2 * i + 1] = ids_draw_new(&used, rng, half, half);
    for (int t = once; t < context; t++) e->input[t] = e->input[t - once];

    slots_draw(rng, (len - context) / 2, n, c->power_a, slot);
    for (int t = context; t < len; t++) e->input[t] = 0;
    for (int i = 0; i < n; i++) {
        int t = context + 2 * slot[i];
        e->input[t] = e->input[2 * i];
        e->target[t] = e->input[2 * i + 1];
        e->slice_of[t] = ilogb((double)(t - (context - once + 2 * i + 1)));
    }
    filler_write(rng, c->filler, &used, c->vocab, half, e->input, context, len);
    e->len = len;
    e->has_slice = true;
}

static double memory_bits(const void *cfg, const void *data)
{
    (void)data;
    const Cfg *c = cfg;
    return log2_distinct(c->vocab / 2, length_max(&c->kv));
}

/* The first time a key is followed by something is its binding: remember the position of every first occurrence. */
static void solve(const void *cfg, const void *data, const int *input, int len, int *prediction)
{
    (void)data;
    const Cfg *c = cfg;
    int first[SLOTS_VOCAB_MAX];
    for (int id = 0; id < c->vocab; id++) first[id] = -1;
    for (int t = 0; t < len; t++) {
        int id = input[t], at = first[id];
        if (at < 0) first[id] = t;
        prediction[t] = at >= 0 ? input[at + 1] : 0;
    }
}

static const char *symbol(const void *cfg, const void *data, int id, bool is_target, char *buf)
{
    (void)data, (void)is_target;
    return pair_symbol(id, ((const Cfg *)cfg)->vocab / 2, buf);
}

static Theory theory(const void *cfg, TheoryClass cls, int layers)
{
    (void)cfg;
    static const char bits[] = "state of at least kv log2(vocab) bits (arXiv:2402.18668)";
    switch (cls.kind) {
    case CLASS_LTI: return (Theory){ THEORY_COND, "width must grow with kv (arXiv:2312.04927)" };
    case CLASS_DPLR1:
    case CLASS_DPLR1_NEG:
    case CLASS_DPLR_H: return (Theory){ THEORY_COND, "exact for kv <= key width, orthogonal keys (arXiv:2406.06484)" };
    case CLASS_ATTENTION:
        return layers >= 2 ? (Theory){ THEORY_YES, "two layers, width independent of kv (arXiv:2312.04927)" }
                           : (Theory){ THEORY_COND, "one layer needs a shift by one in front (arXiv:2312.04927)" };
    case CLASS_OTHER: return (Theory){ THEORY_OPEN, "class not settled" };
    default: return (Theory){ THEORY_COND, bits };
    }
}

TASK_WITH(mqar, "multi-query associative recall", "arXiv:2312.04927, 2402.18668", .symbol = symbol,
          .memory_bits = memory_bits)
