/* SPDX-License-Identifier: Apache-2.0
 * fuzzy_recall - recall where keys and values are short tuples, so what belongs together must be found out first.
 *
 *   input    <pad> ... <pad> key value key value ... key value      without the last token; L = len positions
 *   target   the tokens of the value, each one position earlier, for every key that was shown before
 *
 *   vocab 8, len 13    input 7 7 7 7 7 2 0 5 1 3 4 2 0       target _ _ _ _ _ _ _ _ _ _ _ _ 5
 *
 * Key (2 0) means (5), key (1) means (3 4). Ids: keys 0..K-1, values K..vocab-2, <pad> vocab-1, K = floor((vocab-1)/2);
 * V_in = V_out = vocab. A key is key_min..key_max different tokens, a value value_min..value_max, sizes uniform and
 * then tuples uniform; a shorter tuple is another key than a longer one that begins with it. Only the two ranges of ids
 * tell where one ends. A probe (key and value) is drawn first. Pairs follow while the string is shorter than len less
 * probe less M = key_max + value_max; the probe is put in as soon as the length reaches a random number of 0..len - 2
 * probe - 1 (unless its key came up by itself), at the latest where one more pair could be the last. The probe ends the
 * string.
 *
 * score: all trains on every next token (pads, keys and new values included: their loss has a floor) and still
 * evaluates what is scored above; values trains on that alone. A constant is right for 1 of the values' ids, exactly.
 * Slices: floor(log2(distance from the last showing)). The headline of the source is acc_macro.
 *
 * Memory: n log2(number of values) bits, n pairs of the one shape that gives most, with different keys.
 *
 * Fails for sizes that are out of order, larger than there are ids, or too large for len > 2 M.
 *
 * Source: Poli et al. 2024 (arXiv:2403.17844), repository mad-lab: vocab 16 (32, 64, 128), len 128 (256, 512, 1024),
 * sizes 1..3 in training, keys of 3 in the test (a slice with key_min: 3), 12800 (6400, 3200, 1600, 800) examples.
 * Deviations: len 64 by default; the probe is always shown before it is asked for (there a random number beyond the
 * last pair leaves it out); the forms with a copy mark and with noise, in no published setting, are left out.
 */
#include "task.h"

#include "common/solvable.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { VERSION = 1 };

enum { ALL, VALUES };

enum { TUPLE_MAX = 4, LEN_MAX = 8192 };

typedef struct {
    Length len;
    int vocab, key_min, key_max, value_min, value_max, score;
} Cfg;

static const Option options[] = {
    OPT_L(Cfg, len, "64", 5, LEN_MAX, "positions per example"),
    OPT_I(Cfg, vocab, "16", 4, 65536, "ids in all: keys, values and the pad"),
    OPT_I(Cfg, key_min, "1", 1, TUPLE_MAX, "tokens of the shortest key"),
    OPT_I(Cfg, key_max, "3", 1, TUPLE_MAX, "tokens of the longest key"),
    OPT_I(Cfg, value_min, "1", 1, TUPLE_MAX, "tokens of the shortest value"),
    OPT_I(Cfg, value_max, "3", 1, TUPLE_MAX, "tokens of the longest value"),
    OPT_E(Cfg, score, "all", "all|values", "train on every next token, or on the scored values; values are evaluated"),
    OPT_END,
};

static int used_keys(const Cfg *c) { return (c->vocab - 1) / 2; }
static int used_values(const Cfg *c) { return c->vocab - 1 - used_keys(c); }

static bool check_sizes(const char *what, int min, int max, int ids, int vocab, Err *err)
{
    if (min > max) return err_set(err, EXIT_USAGE, "fuzzy_recall: %s_min: %d exceeds %s_max: %d", what, min, what, max);
    if (max > ids)
        return err_set(err, EXIT_USAGE, "fuzzy_recall: %s_max: %d exceeds the %d ids that vocab: %d leaves", what, max,
                       ids, vocab);
    return true;
}

static bool shape(const void *cfg, const void *data, TaskShape *out, Err *err)
{
    (void)data;
    const Cfg *c = cfg;
    int most = c->key_max + c->value_max;
    TRY(check_sizes("key", c->key_min, c->key_max, used_keys(c), c->vocab, err));
    TRY(check_sizes("value", c->value_min, c->value_max, used_values(c), c->vocab, err));
    if (length_min(&c->len) <= 2 * most)
        return err_set(err, EXIT_USAGE, "fuzzy_recall: key_max: %d and value_max: %d need len above %d, not %d",
                       c->key_max, c->value_max, 2 * most, length_min(&c->len));
    *out = (TaskShape){
        .vocab_in = c->vocab,
        .vocab_out = c->vocab,
        .max_len = length_max(&c->len),
        .chance_uniform = 1.0 / used_values(c),
        .chance_majority = 1.0 / used_values(c),
        .ceiling = 1,
        .headline = "acc_token",
        .slice_label = "log2_gap",
    };
    return true;
}

typedef struct {
    int n, id[TUPLE_MAX];
} Tuple;

/* Uniform among all tuples of min..max (size first) different ids low..low+n-1. */
static Tuple draw_tuple(Rng *rng, int min, int max, int low, int n)
{
    Tuple x = { .n = min + (int)rng_below(rng, (uint32_t)(max - min + 1)) };
    int sorted[TUPLE_MAX];
    for (int i = 0; i < x.n; i++) {
        int id = low + (int)rng_below(rng, (uint32_t)(n - i)), j = i;
        for (int k = 0; k < i && id >= sorted[k]; k++) id++;
        for (; j > 0 && sorted[j - 1] > id; j--) sorted[j] = sorted[j - 1];
        x.id[i] = sorted[j] = id;
    }
    return x;
}

static Tuple draw_key(const Cfg *c, Rng *rng) { return draw_tuple(rng, c->key_min, c->key_max, 0, used_keys(c)); }

static Tuple draw_value(const Cfg *c, Rng *rng)
{
    return draw_tuple(rng, c->value_min, c->value_max, used_keys(c), used_values(c));
}

/* Keys shown so far, hashed: code of the key (0: free slot), where its value was last written, and its size. */
typedef struct {
    uint64_t code[LEN_MAX];
    int at[LEN_MAX], size[LEN_MAX];
    uint32_t mask;
} Bindings;

static int bindings_slot(const Bindings *b, const Tuple *key)
{
    uint64_t code = 0;
    for (int i = 0; i < key->n; i++) code = code << 16 | (uint64_t)(key->id[i] + 1);
    uint32_t slot = (uint32_t)mix64(code) & b->mask;
    while (b->code[slot] && b->code[slot] != code) slot = (slot + 1) & b->mask;
    return (int)slot;
}

/* Write a pair at t, its value from the bindings if the key was shown before; returns the next position. */
static int write_pair(Bindings *b, const Tuple *key, const Tuple *value, Example *e, int t)
{
    int slot = bindings_slot(b, key);
    bool known = b->code[slot] != 0;
    int size = known ? b->size[slot] : value->n, from = b->at[slot];
    uint64_t code = 0;
    for (int i = 0; i < key->n; i++) {
        e->input[t++] = key->id[i];
        code = code << 16 | (uint64_t)(key->id[i] + 1);
    }
    b->code[slot] = code;
    b->at[slot] = t;
    b->size[slot] = size;
    for (int i = 0; i < size; i++, t++) {
        e->input[t] = known ? e->input[from + i] : value->id[i];
        if (!known) continue;
        e->target[t - 1] = e->input[t];
        e->slice_of[t - 1] = ilogb((double)(t - 1 - from - i));
    }
    return t;
}

/* Move n positions to the right, behind pads, and cut off the last of them. */
static void pad_left(const Cfg *c, Example *e, int n)
{
    int len = c->len.now, pads = len + 1 - n, last = e->input[n - 1];
    size_t bytes = sizeof(int) * (size_t)(n - 1);
    memmove(e->input + pads, e->input, bytes);
    memmove(e->target + pads, e->target, bytes);
    memmove(e->slice_of + pads, e->slice_of, bytes);
    for (int t = 0; t < pads; t++) {
        e->input[t] = c->vocab - 1;
        e->target[t] = e->slice_of[t] = IGNORE;
    }
    e->len = len;
    for (int t = 0; t < len && e->has_train_target; t++) e->train_target[t] = t + 1 < len ? e->input[t + 1] : last;
}

static void sample(const void *cfg, const void *data, Rng *rng, Example *e)
{
    (void)data;
    const Cfg *c = cfg;
    Bindings b;
    b.mask = 1;
    while ((int)b.mask < c->len.now) b.mask *= 2;
    memset(b.code, 0, sizeof *b.code * b.mask--);
    Tuple key = draw_key(c, rng), value = draw_value(c, rng);
    int probe = key.n + value.n, most = c->key_max + c->value_max, end = c->len.now - probe - most;
    int from = (int)rng_below(rng, (uint32_t)(c->len.now - 2 * probe)), t = 0;
    while (t < end) {
        bool due = t >= from || t + most >= end;
        if (due && !b.code[bindings_slot(&b, &key)]) {
            t = write_pair(&b, &key, &value, e, t);
            continue;
        }
        Tuple k = draw_key(c, rng), v = draw_value(c, rng);
        bool asked = k.n == key.n && !memcmp(k.id, key.id, sizeof(int) * (size_t)k.n);
        t = write_pair(&b, &k, asked ? &value : &v, e, t);
    }
    t = write_pair(&b, &key, &value, e, t);
    e->has_slice = true;
    e->has_train_target = c->score == ALL;
    pad_left(c, e, t);
}

static double count_tuples(int ids, int size)
{
    double n = 1;
    for (int i = 0; i < size; i++) n *= ids - i;
    return n;
}

/* Pairs of one shape up to the last one that can be the probe. */
static double memory_bits(const void *cfg, const void *data)
{
    (void)data;
    const Cfg *c = cfg;
    int most = c->key_max + c->value_max;
    double best = 0;
    for (int a = c->key_min; a <= c->key_max; a++)
        for (int b = c->value_min; b <= c->value_max; b++) {
            int size = a + b, room = length_max(&c->len) - size - 2 * most;
            double pairs = room > 0 ? 1 + (room + size - 1) / size : 1, keys = count_tuples(used_keys(c), a);
            double bits = (keys < pairs ? keys : pairs) * log2(count_tuples(used_values(c), b));
            if (bits > best) best = bits;
        }
    return best;
}

/* One key, as a run of key ids with values behind it. */
typedef struct {
    int start, size, value;
} Run;

/* The latest of n runs with the same key as r, or NULL. */
static const Run *find_run(const Run *run, int n, const Run *r, const int *input)
{
    while (--n >= 0)
        if (run[n].size == r->size && !memcmp(input + run[n].start, input + r->start, sizeof(int) * (size_t)r->size))
            return &run[n];
    return NULL;
}

/* Cut the input into runs of key ids and of value ids; compare each key with all earlier ones. */
static void solve(const void *cfg, const void *data, const int *input, int len, int *prediction)
{
    (void)data;
    const Cfg *c = cfg;
    Run run[LEN_MAX], now = { 0 };
    const Run *same = NULL;
    int keys = used_keys(c), n = 0;
    for (int t = 0; t < len; t++) {
        bool is_key = input[t]<keys, after_key = t> 0 && input[t - 1] < keys;
        prediction[t] = keys;
        if (input[t] == c->vocab - 1) {
            same = NULL;
            continue;
        }
        if (is_key) {
            now = after_key ? (Run){ now.start, now.size + 1, 0 } : (Run){ t, 1, 0 };
            same = find_run(run, n, &now, input);
            if (same) prediction[t] = input[same->value];
            continue;
        }
        if (after_key) now.value = t, run[n++] = now;
        if (same) prediction[t] = input[same->value + t - now.value + 1];
    }
}

static const char *symbol(const void *cfg, const void *data, int id, bool is_target, char *buf)
{
    (void)data, (void)is_target;
    const Cfg *c = cfg;
    int keys = used_keys(c);
    if (id == c->vocab - 1) return "<pad>";
    snprintf(buf, 32, "%c%d", id < keys ? 'k' : 'v', id < keys ? id : id - keys);
    return buf;
}

static Theory theory(const void *cfg, TheoryClass cls, int layers)
{
    const Cfg *c = cfg;
    bool single = c->key_max == 1 && c->value_max == 1;
    if (cls.kind == CLASS_ATTENTION && layers == 2 && !single)
        return (Theory){ THEORY_COND, "one layer more, or a short convolution, to put tuples together first" };
    return solvable_row(SOLVABLE_RECALL, cls, layers);
}

TASK_WITH(fuzzy_recall, "recall where keys and values are tuples of tokens", "arXiv:2403.17844", .symbol = symbol,
          .memory_bits = memory_bits)
