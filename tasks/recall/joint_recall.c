/* SPDX-License-Identifier: Apache-2.0
 * joint_recall - the value depends on the pair (context, key), and the context is named once per block.
 *
 *   input    <bos> table <sep> table without its last token
 *   table    for each context, in random order:  context key val key val ...   (all keys, in random order)
 *   target   the value, at every key of the second table
 *
 *   2 contexts, 2 keys, n_value 4, max_keys 2, max_contexts 2; values of (context, key): 3 0 / 1 1
 *   input    1 | 17 14 11 15 11 | 16 15 10 14 13 | 4 | 16 14 13 15 10 | 17 15 11 14
 *   target   _ |  _  _  _  _  _ |  _  _  _  _  _ | _ |  _ 13  _ 10  _ |  _ 11  _ 11
 *
 * One id space for input and output (V_in = V_out): 1 <bos>, 4 <sep>, values 10..10+n_value-1, then max_keys keys, then
 * max_contexts contexts. contexts = c and keys = k are drawn per batch; ids 0..c-1 and 0..k-1 of each kind occur. Table
 * entries are independent and uniform; all four orders of keys and both of contexts are fresh. L = 2c(2k+1) + 1
 * positions, ck targets. Values of the second table are shown after they were asked for. A constant is right for 1 of
 * n_value, exactly. Fails when contexts or keys exceed their maximum.
 *
 * Memory: ck log2(n_value) bits at <sep>, for the second table asks for every entry; where ck exceeds n_value, rather
 * (ck-1) log2(n_value) + log2(ck) after the last key of the first table: the entries before it, and which one it is.
 *
 * Source: Zhan et al. 2025 (arXiv:2507.00449), repository HAX, create_dataset; published contexts and keys [5, 16],
 * n_value 16, ids padded to a vocabulary of 100. Deviations: small defaults; no padding; pairs (c, k) uniform, not
 * swept in order; equal examples are not removed.
 */
#include "task.h"

#include <math.h>
#include <stdio.h>

enum { VERSION = 1 };

enum { BOS = 1, SEP = 4, BIAS = 10, MAX = 64 };

typedef struct {
    Length contexts, keys;
    int n_value, max_contexts, max_keys;
} Cfg;

static const Option options[] = {
    OPT_L(Cfg, contexts, "[2, 6]", 1, MAX, "contexts per example"),
    OPT_L(Cfg, keys, "[2, 6]", 1, MAX, "keys per context"),
    OPT_I(Cfg, n_value, "8", 2, 1024, "values"),
    OPT_I(Cfg, max_contexts, "16", 1, MAX, "context ids in the vocabulary"),
    OPT_I(Cfg, max_keys, "16", 1, MAX, "key ids in the vocabulary"),
    OPT_END,
};

static int id_key(const Cfg *c) { return BIAS + c->n_value; }
static int id_context(const Cfg *c) { return id_key(c) + c->max_keys; }

static bool shape(const void *cfg, const void *data, TaskShape *out, Err *err)
{
    (void)data;
    const Cfg *c = cfg;
    int contexts = length_max(&c->contexts), keys = length_max(&c->keys), vocab = id_context(c) + c->max_contexts;
    if (contexts > c->max_contexts)
        return err_set(err, EXIT_USAGE, "joint_recall: contexts: %d exceeds max_contexts: %d", contexts,
                       c->max_contexts);
    if (keys > c->max_keys)
        return err_set(err, EXIT_USAGE, "joint_recall: keys: %d exceeds max_keys: %d", keys, c->max_keys);
    *out = (TaskShape){
        .vocab_in = vocab,
        .vocab_out = vocab,
        .max_len = 2 * contexts * (2 * keys + 1) + 1,
        .chance_uniform = 1.0 / c->n_value,
        .chance_majority = 1.0 / c->n_value,
        .ceiling = 1,
        .headline = "acc_mean",
    };
    return true;
}

static void shuffled(Rng *rng, int *order, int n)
{
    for (int i = 0; i < n; i++) order[i] = i;
    rng_shuffle(rng, order, n);
}

/* Write one table from position t on; the very last value only if it lies before `end`. Returns the next position. */
static int write_table(const Cfg *c, const int *value, Rng *rng, Example *e, int t, int end, bool asked)
{
    int n = c->contexts.now, k = c->keys.now, context[MAX], key[MAX];
    shuffled(rng, context, n);
    for (int i = 0; i < n; i++) {
        e->input[t++] = id_context(c) + context[i];
        shuffled(rng, key, k);
        for (int j = 0; j < k; j++) {
            int v = BIAS + value[context[i] * k + key[j]];
            if (asked) e->target[t] = v;
            e->input[t++] = id_key(c) + key[j];
            if (t < end) e->input[t] = v;
            t++;
        }
    }
    return t;
}

static void sample(const void *cfg, const void *data, Rng *rng, Example *e)
{
    (void)data;
    const Cfg *c = cfg;
    int value[MAX * MAX], n = c->contexts.now, k = c->keys.now;
    int len = 2 * n * (2 * k + 1) + 1;
    for (int i = 0; i < n * k; i++) value[i] = (int)rng_below(rng, (uint32_t)c->n_value);
    e->input[0] = BOS;
    int t = write_table(c, value, rng, e, 1, len, false);
    e->input[t] = SEP;
    write_table(c, value, rng, e, t + 1, len, true);
    e->len = len;
}

static double memory_bits(const void *cfg, const void *data)
{
    (void)data;
    const Cfg *c = cfg;
    int entries = length_max(&c->contexts) * length_max(&c->keys);
    return (entries - 1) * log2(c->n_value) + log2(entries > c->n_value ? entries : c->n_value);
}

/* At a key, find the same context's block from the front and the same key in it. */
static void solve(const void *cfg, const void *data, const int *input, int len, int *prediction)
{
    (void)data;
    const Cfg *c = cfg;
    int here = -1, keys = id_key(c), contexts = id_context(c);
    for (int t = 0; t < len; t++) {
        if (input[t] >= contexts) here = input[t];
        prediction[t] = BIAS;
        if (input[t] < keys || input[t] >= contexts) continue;
        int block = -1;
        for (int s = 0; s < t; s++) {
            if (input[s] >= contexts) block = input[s];
            if (block != here || input[s] != input[t]) continue;
            prediction[t] = input[s + 1];
            break;
        }
    }
}

static const char *symbol(const void *cfg, const void *data, int id, bool is_target, char *buf)
{
    (void)data, (void)is_target;
    const Cfg *c = cfg;
    if (id < BIAS) return id == BOS ? "<bos>" : id == SEP ? "<sep>" : "<unused>";
    int key = id_key(c), context = id_context(c);
    snprintf(buf, 32, "%c%d",
             id < key       ? 'v'
             : id < context ? 'k'
                            : 'c',
             id - (id < key       ? BIAS
                   : id < context ? key
                                  : context));
    return buf;
}

static Theory theory(const void *cfg, TheoryClass cls, int layers)
{
    (void)cfg, (void)layers;
    switch (cls.kind) {
    case CLASS_ATTENTION: return (Theory){ THEORY_YES, "finds context and key by content (arXiv:2507.00449)" };
    case CLASS_OTHER: return (Theory){ THEORY_OPEN, "class not settled" };
    default:
        return (Theory){ THEORY_NO,
                         "a fixed state cannot hold unbounded tables; up to its capacity (arXiv:2507.00449)" };
    }
}

TASK_WITH(joint_recall, "recall by context and key", "arXiv:2507.00449", .symbol = symbol, .memory_bits = memory_bits)
