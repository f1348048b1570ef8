/* SPDX-License-Identifier: Apache-2.0
 * memorization - a fixed random map from keys to values, to be learned by heart: nothing in the input tells it.
 *
 *   input    k <ask> k <ask> ...               len tokens, len/2 questions
 *   target   _   v   _   v  ...                the value of the key, at <ask>
 *
 *   vocab 8, map 0 -> 5, 1 -> 3, 2 -> 6:       input 1 7 2 7 1 7        target _ 3 _ 6 _ 3
 *
 * Ids: keys 0..h-1, values h..vocab-2, <ask> vocab-1, with h = floor((vocab-1)/2); V_in = V_out = vocab. The map is
 * one to one: keys and values in random order, paired (one value is left over if vocab is even). It is drawn from the
 * table seed once per run, so it is the same in training and test. Keys are uniform with repetition, so a constant is
 * right for 1 of h, exactly. Fails for odd len.
 *
 * Memory: log2 h bits, the key until its <ask>; the map itself is in the weights.
 *
 * Source: Poli et al. 2024 (arXiv:2403.17844), repository mad-lab: len 32, vocab 256 (512, 1024, 2048, 4096, 8192),
 * only 256 training examples (train.examples). Deviations: the order of keys and values, random there as well, is ours;
 * noise tokens, which no published setting has, are left out.
 */
#include "task.h"

#include "common/solvable.h"

#include <math.h>
#include <stdio.h>

enum { VERSION = 1 };

typedef struct {
    Length len;
    int vocab;
} Cfg;

/* The map twice: as pairs in random order for the generator, and by key for the solver. */
typedef struct {
    int *key, *value, *value_of;
} Data;

static const Option options[] = {
    OPT_L(Cfg, len, "32", 2, 1 << 20, "tokens per example, even: key, mark, key, mark"),
    OPT_I(Cfg, vocab, "256", 5, 65536, "ids in all: keys, values and the mark"),
    OPT_END,
};

static int used_keys(const Cfg *c) { return (c->vocab - 1) / 2; }

static bool prepare(const void *cfg, uint64_t table_seed, Arena *a, void *data, Err *err)
{
    (void)err;
    const Cfg *c = cfg;
    Data *d = data;
    Rng rng = rng_named(table_seed, "memorization");
    int h = used_keys(c), values = c->vocab - 1 - h;
    d->key = ARENA_NEW(a, int, h);
    d->value = ARENA_NEW(a, int, values);
    d->value_of = ARENA_NEW(a, int, h);
    for (int i = 0; i < h; i++) d->key[i] = i;
    for (int i = 0; i < values; i++) d->value[i] = h + i;
    rng_shuffle(&rng, d->key, h);
    rng_shuffle(&rng, d->value, values);
    for (int i = 0; i < h; i++) d->value_of[d->key[i]] = d->value[i];
    return true;
}

static bool shape(const void *cfg, const void *data, TaskShape *out, Err *err)
{
    (void)data;
    const Cfg *c = cfg;
    bool odd = c->len.kind == LENGTH_UNIFORM;
    for (int i = 0; i < c->len.n; i++) odd |= c->len.v[i] % 2 != 0;
    if (odd) return err_set(err, EXIT_USAGE, "memorization: len must be even (a law over lengths: {set: [32, 64]})");
    *out = (TaskShape){
        .vocab_in = c->vocab,
        .vocab_out = c->vocab,
        .max_len = length_max(&c->len),
        .chance_uniform = 1.0 / used_keys(c),
        .chance_majority = 1.0 / used_keys(c),
        .ceiling = 1,
        .headline = "acc_token",
    };
    return true;
}

static void sample(const void *cfg, const void *data, Rng *rng, Example *e)
{
    const Cfg *c = cfg;
    const Data *d = data;
    for (int t = 0; t < c->len.now; t += 2) {
        int pair = (int)rng_below(rng, (uint32_t)used_keys(c));
        e->input[t] = d->key[pair];
        e->input[t + 1] = c->vocab - 1;
        e->target[t + 1] = d->value[pair];
    }
    e->len = c->len.now;
}

static double memory_bits(const void *cfg, const void *data)
{
    (void)data;
    return log2(used_keys(cfg));
}

/* Remember the last key and look it up. */
static void solve(const void *cfg, const void *data, const int *input, int len, int *prediction)
{
    const Data *d = data;
    int key = 0;
    for (int t = 0; t < len; t++) {
        if (input[t] < used_keys(cfg)) key = input[t];
        prediction[t] = d->value_of[key];
    }
}

static const char *symbol(const void *cfg, const void *data, int id, bool is_target, char *buf)
{
    (void)data, (void)is_target;
    const Cfg *c = cfg;
    int h = used_keys(c);
    if (id == c->vocab - 1) return "<ask>";
    snprintf(buf, 32, "%c%d", id < h ? 'k' : 'v', id < h ? id : id - h);
    return buf;
}

static Theory theory(const void *cfg, TheoryClass cls, int layers)
{
    (void)cfg;
    return solvable_row(SOLVABLE_MEMORISED, cls, layers);
}

TASK_WITH(memorization, "learn a fixed map from keys to values by heart", "arXiv:2403.17844", .prepare = prepare,
          .data_size = sizeof(Data), .symbol = symbol, .memory_bits = memory_bits)
