/* SPDX-License-Identifier: Apache-2.0
 * in_context_recall - one key, one value, shown again and again; with noise between the pairs: noisy recall.
 *
 *   string   k v k v ... k v                    len tokens, len/2 pairs; a value is drawn when its key first appears
 *   input    the string without its last token
 *   target   the value, at every key that was shown before
 *
 *   vocab 8, len 10              input 1 6 3 4 1 6 0 4 3        target _ _ _ _ 6 _ _ _ 4
 *   ..., noise_vocab 2, noise    input 1 4 7 6 0 3 1 4 0        target _ _ _ _ _ _ 4 _ 3
 *   ..., multi_query: false      input 1 3 2 6 1 3 7 2          target _ _ _ _ _ _ _ 6
 *
 * Both tasks are one file because noise is one option more and the rest is the same: noise > 0 is noisy recall.
 * Ids: keys 0..K-1, values K..M-1, noise_vocab noise ids M.., and with multi_query: false a copy mark vocab-1 in front
 * of the last pair, which alone is scored then (L = len positions; else L = len-1). M is what is left of vocab and
 * K = floor(M/2). V_in = V_out = vocab. Keys are uniform with repetition, the last among the distinct keys shown;
 * values are uniform and may coincide. Each pair but the last is two independent noise ids with probability noise; one
 * pair of the len/2, chosen at random, is spared, and an example without any key is drawn again.
 *
 * score: all trains on every next token (keys and new values are random: their loss has a floor) and still evaluates
 * what is scored above; values trains on that alone. A constant is right for 1 of M-K, exactly. With few keys (8 at
 * vocab 16, 63 draws at len 128) a binding is refreshed again and again: lookup, not capacity; raise vocab for that.
 * Slices: floor(log2(distance from the last showing of the value)). The headline of the source is acc_macro.
 *
 * Memory: n log2(M-K) bits after n = min(K, len/2 - 1) bindings of the same keys, each of which may be asked for.
 *
 * Fails for odd len, for noise without noise_vocab, and if fewer than 3 ids are left for keys and values.
 *
 * Source: Poli et al. 2024 (arXiv:2403.17844), repository mad-lab: vocab 16 (32, 64, 128), len 128 (256, 512, 1024);
 * noisy: vocab 32 (48, 80, 144), noise_vocab 16, noise 0.2 (0.4, 0.6, 0.8), same lengths; multi_query: true, 12800
 * (6400, 3200, 1600, 800) examples. Deviations: len 64 by default; no failure without a key.
 */
#include "task.h"

#include "common/solvable.h"

#include <math.h>
#include <stdio.h>

enum { VERSION = 1 };

enum { ALL, VALUES };

enum { VOCAB_MAX = 65536 };

typedef struct {
    Length len;
    int vocab, noise_vocab, score;
    double noise;
    bool multi_query;
} Cfg;

static const Option options[] = {
    OPT_L(Cfg, len, "64", 4, 1 << 16, "tokens of the string, even"),
    OPT_I(Cfg, vocab, "16", 4, VOCAB_MAX, "ids in all"),
    OPT_R(Cfg, noise, "0", 0, 0.99, "probability that a pair is noise; 0: in-context recall, above: noisy recall"),
    OPT_I(Cfg, noise_vocab, "0", 0, VOCAB_MAX, "noise ids, taken from the top of vocab"),
    OPT_B(Cfg, multi_query, "true", "score every key shown before; false: the last pair only, behind a copy mark"),
    OPT_E(Cfg, score, "all", "all|values", "train on every next token, or on the scored values; values are evaluated"),
    OPT_END,
};

static int used_ids(const Cfg *c) { return c->vocab - c->noise_vocab - !c->multi_query; }
static int used_keys(const Cfg *c) { return used_ids(c) / 2; }
static int used_values(const Cfg *c) { return used_ids(c) - used_keys(c); }

static bool shape(const void *cfg, const void *data, TaskShape *out, Err *err)
{
    (void)data;
    const Cfg *c = cfg;
    bool odd = c->len.kind == LENGTH_UNIFORM;
    for (int i = 0; i < c->len.n; i++) odd |= c->len.v[i] % 2 != 0;
    if (odd)
        return err_set(err, EXIT_USAGE, "in_context_recall: len must be even (a law over lengths: {set: [64, 128]})");
    if (c->noise > 0 && c->noise_vocab == 0)
        return err_set(err, EXIT_USAGE, "in_context_recall: noise: %g needs noise_vocab of 1 or more", c->noise);
    if (used_ids(c) < 3)
        return err_set(err, EXIT_USAGE,
                       "in_context_recall: vocab: %d with noise_vocab: %d%s leaves %d ids for keys and values, not 3",
                       c->vocab, c->noise_vocab, c->multi_query ? "" : " and a copy mark (multi_query: false)",
                       used_ids(c) > 0 ? used_ids(c) : 0);
    *out = (TaskShape){
        .vocab_in = c->vocab,
        .vocab_out = c->vocab,
        .max_len = length_max(&c->len) - c->multi_query,
        .chance_uniform = 1.0 / used_values(c),
        .chance_majority = 1.0 / used_values(c),
        .ceiling = 1,
        .headline = "acc_token",
        .slice_label = "log2_gap",
    };
    return true;
}

/* Keys in the order of their first showing, and the position of each one's latest value. */
typedef struct {
    int n, key[VOCAB_MAX / 2], shown[VOCAB_MAX / 2];
} Bindings;

static void ask(Example *e, int t, int shown)
{
    e->target[t] = e->input[shown];
    e->slice_of[t] = ilogb((double)(t - shown));
}

static void write_pair(const Cfg *c, Rng *rng, Bindings *b, Example *e, int t)
{
    int k = (int)rng_below(rng, (uint32_t)used_keys(c));
    e->input[t] = k;
    if (b->shown[k] < 0) {
        e->input[t + 1] = used_keys(c) + (int)rng_below(rng, (uint32_t)used_values(c));
        b->key[b->n++] = k;
    } else {
        e->input[t + 1] = e->input[b->shown[k]];
        if (c->multi_query) ask(e, t, b->shown[k]);
    }
    b->shown[k] = t + 1;
}

static void sample(const void *cfg, const void *data, Rng *rng, Example *e)
{
    (void)data;
    const Cfg *c = cfg;
    Bindings b;
    int pairs = c->len.now / 2, t;
    b.n = 0;
    for (int k = 0; k < used_keys(c); k++) b.shown[k] = -1;
    do {
        int spared = (int)rng_below(rng, (uint32_t)pairs);
        for (int i = t = 0; i < pairs - 1; i++, t += 2) {
            if (c->noise > 0 && i != spared && rng_uniform(rng) < c->noise)
                for (int j = 0; j < 2; j++)
                    e->input[t + j] = used_ids(c) + (int)rng_below(rng, (uint32_t)c->noise_vocab);
            else
                write_pair(c, rng, &b, e, t);
        }
    } while (b.n == 0);
    if (!c->multi_query) e->input[t++] = c->vocab - 1;
    int k = b.key[rng_below(rng, (uint32_t)b.n)];
    e->input[t] = k;
    ask(e, t, b.shown[k]);
    e->len = t + 1;
    e->has_slice = true;
    e->has_train_target = c->score == ALL;
    for (int i = 0; i < e->len && e->has_train_target; i++) e->train_target[i] = i < t ? e->input[i + 1] : e->target[t];
}

static double memory_bits(const void *cfg, const void *data)
{
    (void)data;
    const Cfg *c = cfg;
    int keys = used_keys(c), pairs = length_max(&c->len) / 2 - 1;
    return (keys < pairs ? keys : pairs) * log2(used_values(c));
}

/* Look back for the last time this id was read, and say what followed it. */
static void solve(const void *cfg, const void *data, const int *input, int len, int *prediction)
{
    (void)data;
    const Cfg *c = cfg;
    for (int t = 0; t < len; t++) {
        int s = input[t] < used_keys(c) ? t - 1 : -1;
        while (s >= 0 && input[s] != input[t]) s--;
        prediction[t] = s >= 0 ? input[s + 1] : used_keys(c);
    }
}

static const char *symbol(const void *cfg, const void *data, int id, bool is_target, char *buf)
{
    (void)data, (void)is_target;
    const Cfg *c = cfg;
    int keys = used_keys(c), ids = used_ids(c);
    if (!c->multi_query && id == c->vocab - 1) return "<copy>";
    snprintf(buf, 32, "%c%d", id < keys ? 'k' : id < ids ? 'v' : 'n', id < keys ? id : id < ids ? id - keys : id - ids);
    return buf;
}

static Theory theory(const void *cfg, TheoryClass cls, int layers)
{
    (void)cfg;
    return solvable_row(SOLVABLE_RECALL, cls, layers);
}

TASK_WITH(in_context_recall, "in-context recall of key-value pairs; noisy recall with noise between them",
          "arXiv:2403.17844", .symbol = symbol, .memory_bits = memory_bits)
