/* SPDX-License-Identifier: Apache-2.0
 * associative_recall - keys and values of a random map, many of them more than once, then one key to answer.
 *
 *   input    key val key val ... | => key
 *   target   the key's value, at the last position
 *
 *   vocab 10, len 8
 *   input    3 8 2 6 3 8 4 6 | 1 2
 *   target   _ _ _ _ _ _ _ _ | _ 6
 *
 * V = vocab ids for input and output (V_in = V_out): 0 "." (not shown: noop), 1 "=>", keys 2.. (the first
 * floor((V-2)/2) of the data ids), then values. Every example has its own map from all keys to values, uniform, values
 * may collide. len/2 pairs, keys uniform with repetition, then "=>" and the key: L = len + 2 positions. allow_dot:
 * false asks for a key that was shown, all of those equally likely; true for any key, and the answer is "." if it was
 * not shown. loss: answer trains on the last position; all on every next token, as the source does (keys and new values
 * are noise).
 *
 * Fails for odd len. Chance: 1/values. A constant is right for 1/values, exactly; with allow_dot it is "." that is
 * right for (1 - 1/keys)^(len/2), where that is more than a value's share of the rest. With many more pairs than keys
 * every binding is shown many times: lookup with refresh. Slices: floor(log2(distance from the value's last showing)),
 * at least 1; 0 for a key not shown.
 *
 * Memory, with d = min(len/2, keys): d log2(values) bits after the pairs; with allow_dot log2 of the number of maps of
 * 1 to d keys, for a key that is not bound is told apart too.
 *
 * Source: Ba et al. 2016 (arXiv:1610.06258); Fu et al. 2023 (arXiv:2212.14052), repository safari, synthetics:
 * vocab 10, 20, 30 and len 20 to 131072; 400 epochs, batch 32, two layers of width 32. Deviations: one token per key
 * (num_keys 1); ids in plain order, not sorted as strings; answer-only loss by default; equal examples are not removed.
 */
#include "common/solvable.h"
#include "task.h"

#include <math.h>
#include <stdio.h>

enum { VERSION = 1 };

enum { DOT, MARK, KEYS };

enum { ANSWER, ALL };

enum { VOCAB_MAX = 8192 };

typedef struct {
    Length len;
    int vocab, loss;
    bool allow_dot;
} Cfg;

static const Option options[] = {
    OPT_L(Cfg, len, "20", 2, 1 << 20, "tokens of the pairs, even"),
    OPT_I(Cfg, vocab, "20", 5, VOCAB_MAX, "ids in all; two less are keys and values, half and half"),
    OPT_B(Cfg, allow_dot, "false", "also ask for keys that were not shown: the answer is a dot"),
    OPT_E(Cfg, loss, "answer", "answer|all", "train on the answer, or on every next token"),
    OPT_END,
};

static int keys(const Cfg *c) { return (c->vocab - 2) / 2; }
static int values(const Cfg *c) { return c->vocab - 2 - keys(c); }

/* How often the key asked for was not shown, over the law of len. */
static double share_of_dots(const Cfg *c)
{
    double sum = 0;
    for (int i = 0; i < c->len.n; i++) sum += pow(1 - 1.0 / keys(c), c->len.v[i] / 2);
    return c->allow_dot ? sum / c->len.n : 0;
}

static bool shape(const void *cfg, const void *data, TaskShape *out, Err *err)
{
    (void)data;
    const Cfg *c = cfg;
    bool odd = c->len.kind == LENGTH_UNIFORM;
    for (int i = 0; i < c->len.n; i++) odd |= c->len.v[i] % 2 != 0;
    if (odd) return err_set(err, EXIT_USAGE, "associative_recall: len must be even (a law: {set: [20, 40]})");
    double dots = share_of_dots(c);
    *out = (TaskShape){
        .vocab_in = c->vocab,
        .vocab_out = c->vocab,
        .max_len = length_max(&c->len) + 2,
        .chance_uniform = 1.0 / (values(c) + c->allow_dot),
        .chance_majority = fmax(dots, (1 - dots) / values(c)),
        .ceiling = 1,
        .headline = "acc_final",
        .slice_label = "log2_gap",
    };
    return true;
}

static void sample(const void *cfg, const void *data, Rng *rng, Example *e)
{
    (void)data;
    const Cfg *c = cfg;
    int value[VOCAB_MAX / 2] = { 0 }, last[VOCAB_MAX / 2], shown[VOCAB_MAX / 2] = { 0 };
    int n = keys(c), seen = 0, len = c->len.now, *x = e->input;
    for (int k = 0; k < n; k++) value[k] = KEYS + n + (int)rng_below(rng, (uint32_t)values(c)), last[k] = -1;
    for (int t = 0; t < len; t += 2) {
        int k = (int)rng_below(rng, (uint32_t)n);
        x[t] = KEYS + k;
        x[t + 1] = value[k];
        if (last[k] < 0) shown[seen++] = k;
        last[k] = t + 1;
    }
    int ask = c->allow_dot ? (int)rng_below(rng, (uint32_t)n) : shown[rng_below(rng, (uint32_t)seen)];
    x[len] = MARK;
    x[len + 1] = KEYS + ask;
    e->target[len + 1] = last[ask] < 0 ? DOT : value[ask];
    e->slice_of[len + 1] = last[ask] < 0 ? 0 : ilogb((double)(len + 1 - last[ask]));
    e->len = len + 2;
    e->has_slice = true;
    e->has_train_target = c->loss == ALL;
    for (int t = 0; t < e->len && c->loss == ALL; t++) e->train_target[t] = t + 1 < e->len ? x[t + 1] : e->target[t];
}

static double memory_bits(const void *cfg, const void *data)
{
    (void)data;
    const Cfg *c = cfg;
    int n = keys(c), pairs = length_max(&c->len) / 2, most = pairs < n ? pairs : n;
    if (!c->allow_dot) return most * log2(values(c));
    double log_term = log((double)n * values(c)), log_sum = log_term;
    for (int d = 2; d <= most; d++) {
        log_term += log((double)(n - d + 1) / d * values(c));
        double high = fmax(log_term, log_sum);
        log_sum = high + log(exp(log_term - high) + exp(log_sum - high));
    }
    return log_sum / log(2);
}

/* Search backwards for the key; what follows it is its value. */
static void solve(const void *cfg, const void *data, const int *input, int len, int *prediction)
{
    (void)cfg, (void)data;
    for (int t = 0; t < len; t++) {
        prediction[t] = DOT;
        if (t < 1 || input[t - 1] != MARK) continue;
        int s = t - 2;
        while (s >= 0 && input[s] != input[t]) s--;
        if (s >= 0) prediction[t] = input[s + 1];
    }
}

static const char *symbol(const void *cfg, const void *data, int id, bool is_target, char *buf)
{
    (void)data, (void)is_target;
    int n = keys(cfg);
    if (id < KEYS) return id == MARK ? "=>" : ".";
    snprintf(buf, 32, "%c%d", id < KEYS + n ? 'k' : 'v', id - KEYS - (id < KEYS + n ? 0 : n));
    return buf;
}

static Theory theory(const void *cfg, TheoryClass cls, int layers)
{
    (void)cfg;
    return solvable_row(SOLVABLE_RECALL, cls, layers);
}

TASK_WITH(associative_recall, "one lookup among pairs of a random map", "arXiv:1610.06258, 2212.14052",
          .symbol = symbol, .memory_bits = memory_bits)
