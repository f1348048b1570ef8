/* SPDX-License-Identifier: Apache-2.0
 * stacked_mqar - multi-query associative recall with a key and its value in one token: no shift is needed.
 *
 *   input    (k v) (k v) ... all N pairs, `passes` times, each time in a new order | k k k ... all N keys
 *   target   the value of the key, at every key alone
 *
 *   keys 4, values 3, kv 2, passes 2; pairs (1,2) and (3,0)
 *   input    5 9 9 5 |  13 15
 *   target   _ _ _ _ |   2  0
 *
 * kv = N pairs with distinct keys and distinct values, passes >= 1; L = (passes + 1) N positions. Input ids: the pair
 * of key k and value v is k values + v, the key alone keys values + k: V_in = keys (values + 1). Targets are values
 * 0..values-1: V_out = values. Keys, values, their pairing and every order are uniform.
 *
 * This is the token form of a task whose inputs are vectors, the embedding of the key beside that of the value. Here
 * the table of embeddings has a row for every pair, and what the rows have in common must be learnt. What it keeps: one
 * mixing layer suffices, for key and value arrive together.
 *
 * Fails for kv above keys or values. Chance: 1/values (a constant answer, exactly), 1/N for who knows the values of the
 * context but not the bindings. Slices: floor(log2(distance from the last showing of the pair to the query)).
 *
 * Memory: log2 h! / (h - N)! bits after the pairs, h values: for any N keys, the ways to give them distinct values are
 * pairwise told apart by the queries.
 *
 * Source: repository zoology, stacked_mqar (continuous_mqar); several passes as in Arora et al. 2024
 * (arXiv:2407.05483). Deviations: tokens for vectors, as said; keys and values need not be equally many.
 */
#include "common/slots.h"
#include "common/solvable.h"
#include "task.h"

#include <math.h>
#include <stdio.h>

enum { VERSION = 1 };

enum { SIDE_MAX = 512 };

typedef struct {
    Length kv;
    int keys, values, passes;
} Cfg;

static const Option options[] = {
    OPT_L(Cfg, kv, "8", 1, SIDE_MAX, "key-value pairs"),
    OPT_I(Cfg, keys, "16", 1, SIDE_MAX, "keys there are"),
    OPT_I(Cfg, values, "16", 2, SIDE_MAX, "values there are"),
    OPT_I(Cfg, passes, "1", 1, 16, "how often the pairs are shown"),
    OPT_END,
};

static bool shape(const void *cfg, const void *data, TaskShape *out, Err *err)
{
    (void)data;
    const Cfg *c = cfg;
    int pairs = length_max(&c->kv);
    if (pairs > c->keys) return err_set(err, EXIT_USAGE, "stacked_mqar: kv: %d exceeds keys: %d", pairs, c->keys);
    if (pairs > c->values) return err_set(err, EXIT_USAGE, "stacked_mqar: kv: %d exceeds values: %d", pairs, c->values);
    *out = (TaskShape){
        .vocab_in = c->keys * (c->values + 1),
        .vocab_out = c->values,
        .max_len = (c->passes + 1) * pairs,
        .chance_uniform = 1.0 / c->values,
        .chance_majority = 1.0 / c->values,
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
    int key[SIDE_MAX], value[SIDE_MAX], order[SIDE_MAX], last[SIDE_MAX] = { 0 }, scratch[SIDE_MAX], n = c->kv.now,
                                                         t = 0;
    rng_choose(rng, c->keys, n, key, scratch);
    rng_choose(rng, c->values, n, value, scratch);
    for (int i = 0; i < n; i++) order[i] = i;
    for (int pass = 0; pass < c->passes; pass++) {
        rng_shuffle(rng, order, n);
        for (int i = 0; i < n; i++, t++) {
            e->input[t] = key[order[i]] * c->values + value[order[i]];
            last[order[i]] = t;
        }
    }
    rng_shuffle(rng, order, n);
    for (int i = 0; i < n; i++, t++) {
        e->input[t] = c->keys * c->values + key[order[i]];
        e->target[t] = value[order[i]];
        e->slice_of[t] = ilogb((double)(t - last[order[i]]));
    }
    e->len = t;
    e->has_slice = true;
}

static double memory_bits(const void *cfg, const void *data)
{
    (void)data;
    const Cfg *c = cfg;
    return log2_distinct(c->values, length_max(&c->kv));
}

/* For a key alone, look for the pair of that key among the tokens before. */
static void solve(const void *cfg, const void *data, const int *input, int len, int *prediction)
{
    (void)data;
    const Cfg *c = cfg;
    int alone = c->keys * c->values;
    for (int t = 0; t < len; t++) {
        prediction[t] = 0;
        for (int s = 0; s < t && input[t] >= alone; s++) {
            if (input[s] >= alone || input[s] / c->values != input[t] - alone) continue;
            prediction[t] = input[s] % c->values;
            break;
        }
    }
}

static const char *symbol(const void *cfg, const void *data, int id, bool is_target, char *buf)
{
    (void)data;
    const Cfg *c = cfg;
    int alone = c->keys * c->values;
    if (is_target) snprintf(buf, 32, "v%d", id);
    if (!is_target && id >= alone) snprintf(buf, 32, "k%d", id - alone);
    if (!is_target && id < alone) snprintf(buf, 32, "k%d:v%d", id / c->values, id % c->values);
    return buf;
}

static Theory theory(const void *cfg, TheoryClass cls, int layers)
{
    (void)cfg;
    switch (cls.kind) {
    case CLASS_DPLR1:
    case CLASS_DPLR1_NEG:
    case CLASS_DPLR_H: return (Theory){ THEORY_COND, "exact for kv <= key width, orthogonal keys (arXiv:2406.06484)" };
    case CLASS_ATTENTION: return (Theory){ THEORY_YES, "one layer looks the key up; width independent of kv" };
    default: return solvable_row(SOLVABLE_RECALL, cls, layers);
    }
}

TASK_WITH(stacked_mqar, "recall with key and value in one token", "repository zoology, arXiv:2312.04927",
          .symbol = symbol, .memory_bits = memory_bits)
