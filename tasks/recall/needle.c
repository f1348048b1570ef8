/* SPDX-License-Identifier: Apache-2.0
 * needle - keep one marked symbol, or a few, through long filler.
 *
 *   single     filler, MARK v somewhere among it, QUERY                        answer v
 *   passkey    MARK v[1] .. v[n], then QUERY v[1] .. v[n-1]                    answers v[1] .. v[n], one by one
 *   multi_key  K needles MARK key v with distinct keys, then QUERY key         answer v of that key
 *
 *   single, fillers 4, values 3, len 8         input  1 3 4 7 0 2 2 5      target  _ _ _ _ _ _ _ 7
 *   passkey, fillers 4, values 3, n 2, len 8   input  1 4 7 6 0 2 5 7      target  _ _ _ _ _ _ 7 6
 *   multi_key, fillers 4, values 3, key_ids 2, K 2, len 12
 *                                   input  1 4 10 7 4 9 6 0 3 0 5 9        target  _ _ _ _ _ _ _ _ _ _ _ 6
 *
 * len = L positions in all. One id space for input and output (V_in = V_out): filler 0..F-1 (F = fillers), MARK F,
 * QUERY F+1, then the values, then for multi_key the key_ids keys. Fillers, values and keys are uniform and independent
 * (keys of one example without repetition, values with). All placements of the needles are equally likely in which they
 * do not overlap and some filler stands between the last one and QUERY: a single one starts at 0..L-4. distractor: true
 * draws the filler among the values (and keys): F is 0 then, and only MARK tells. n = digits, K = needles.
 *
 * Only the answers are scored. A constant is right for 1/values, exactly. One binding over a long distance: this
 * measures retention, not capacity; a gate that closes on filler solves it at any length, decay does not. Who guesses
 * among the K values shown is right for about 1/K. Slices: decile of the depth, floor(10 start / starts) of the needle
 * asked for, 0 first.
 *
 * Fails for options of another variant, needles > key_ids, and len below 4 (single), 2 n + 2, 3 K + 3.
 *
 * Memory: n log2(values) bits (K for multi_key). With distractor a solver of single and passkey must know as well how
 * many digits it has still to read: log2 of values^n + values^(n-1) + ... + 1 states where len >= 3 n + 2, the last
 * 3 n + 2 - len terms less otherwise.
 *
 * Source: the token form is ours; "needle in a haystack" as in Hsieh et al. 2024 (arXiv:2404.06654), passkey as in
 * Mohtashami and Jaggi 2023 (arXiv:2305.16300), both with natural language; Kaczmarz Linear Attention
 * (arXiv:2605.08587), whose generator is UNVERIFIED. Train on len [16, 128], test at 128..4096.
 */
#include "common/slots.h"
#include "common/solvable.h"
#include "task.h"

#include <math.h>
#include <stdio.h>

enum { VERSION = 1 };

enum { SINGLE, PASSKEY, MULTI_KEY };

enum { KEYS_MAX = 4096 };

typedef struct {
    Length len;
    int variant, fillers, values, digits, needles, key_ids;
    bool distractor;
} Cfg;

static const Option options[] = {
    OPT_L(Cfg, len, "64", 4, 1 << 20, "positions per example"),
    OPT_E(Cfg, variant, "single", "single|passkey|multi_key", "what is hidden"),
    OPT_I(Cfg, fillers, "16", 1, 65536, "filler ids"),
    OPT_I(Cfg, values, "16", 2, 65536, "value ids"),
    OPT_B(Cfg, distractor, "false", "filler looks like what is hidden: only the mark tells"),
    OPT_I(Cfg, digits, "1", 1, 1024, "passkey: values behind the mark"),
    OPT_I(Cfg, needles, "1", 1, PLACES_MAX, "multi_key: needles in the filler"),
    OPT_I(Cfg, key_ids, "16", 1, KEYS_MAX, "multi_key: key ids"),
    OPT_END,
};

static int id_mark(const Cfg *c) { return c->distractor ? 0 : c->fillers; }
static int id_query(const Cfg *c) { return id_mark(c) + 1; }
static int id_value(const Cfg *c) { return id_mark(c) + 2; }
static int id_key(const Cfg *c) { return id_value(c) + c->values; }
static int width(const Cfg *c) { return c->variant == MULTI_KEY ? 3 : c->digits + 1; }
static int tail(const Cfg *c) { return c->variant == MULTI_KEY ? 2 : c->digits; }

static bool check_options(const Cfg *c, Err *err)
{
    if (c->variant != PASSKEY && c->digits != 1)
        return err_set(err, EXIT_USAGE, "needle: digits needs variant: passkey");
    if (c->variant != MULTI_KEY && c->needles != 1)
        return err_set(err, EXIT_USAGE, "needle: needles needs variant: multi_key");
    if (c->variant != MULTI_KEY && c->key_ids != 16)
        return err_set(err, EXIT_USAGE, "needle: key_ids needs variant: multi_key");
    if (c->distractor && c->fillers != 16)
        return err_set(err, EXIT_USAGE, "needle: fillers has no use with distractor: true");
    if (c->needles > c->key_ids)
        return err_set(err, EXIT_USAGE, "needle: needles: %d exceeds key_ids: %d", c->needles, c->key_ids);
    int need = c->needles * width(c) + 1 + tail(c), len = length_min(&c->len);
    if (len < need)
        return err_set(err, EXIT_USAGE, "needle: len: %d is below the %d that %s: %d needs", len, need,
                       c->variant == PASSKEY ? "digits" : "needles", c->variant == PASSKEY ? c->digits : c->needles);
    return true;
}

static bool shape(const void *cfg, const void *data, TaskShape *out, Err *err)
{
    (void)data;
    const Cfg *c = cfg;
    TRY(check_options(c, err));
    int vocab = id_key(c) + (c->variant == MULTI_KEY ? c->key_ids : 0);
    *out = (TaskShape){
        .vocab_in = vocab,
        .vocab_out = vocab,
        .max_len = length_max(&c->len),
        .chance_uniform = 1.0 / c->values,
        .chance_majority = 1.0 / c->values,
        .ceiling = 1,
        .headline = "acc_token",
        .slice_label = "depth_decile",
    };
    return true;
}

static int draw_value(const Cfg *c, Rng *rng) { return id_value(c) + (int)rng_below(rng, (uint32_t)c->values); }

static void sample(const void *cfg, const void *data, Rng *rng, Example *e)
{
    (void)data;
    const Cfg *c = cfg;
    int at[PLACES_MAX], key[PLACES_MAX], scratch[KEYS_MAX], k = c->needles, w = width(c), len = c->len.now,
                                                            body = len - tail(c), *x = e->input;
    int low = c->distractor ? id_value(c) : 0, n = c->distractor ? c->values : c->fillers;
    if (c->distractor && c->variant == MULTI_KEY) n += c->key_ids;
    for (int t = 0; t < body; t++) x[t] = low + (int)rng_below(rng, (uint32_t)n);
    places_draw(rng, body - 1, k, w, at);
    if (c->variant == MULTI_KEY) rng_choose(rng, c->key_ids, k, key, scratch);
    for (int i = 0; i < k; i++) {
        int *needle = x + at[i];
        *needle++ = id_mark(c);
        if (c->variant == MULTI_KEY) *needle++ = id_key(c) + key[i];
        for (int j = 0; j < c->digits; j++) *needle++ = draw_value(c, rng);
    }
    int asked = at[rng_below(rng, (uint32_t)k)], answers = c->digits;
    x[body] = id_query(c);
    if (c->variant == MULTI_KEY) x[body + 1] = x[asked + 1];
    for (int j = 0; j < answers; j++) {
        int t = len - answers + j, answer = x[asked + w - answers + j];
        e->target[t] = answer;
        e->slice_of[t] = (int)(10L * asked / (body - w));
        if (j + 1 < answers) x[t + 1] = answer;
    }
    e->len = len;
    e->has_slice = true;
}

/* With distractor, just after n + 1 positions: the needle read, or its mark read j positions back. */
static double memory_bits(const void *cfg, const void *data)
{
    (void)data;
    const Cfg *c = cfg;
    int n = c->digits, from = 3 * n + 2 - length_max(&c->len);
    double sum = 1;
    if (c->variant == MULTI_KEY) return c->needles * log2(c->values);
    for (int j = n - 1; c->distractor && j >= (from > 0 ? from : 0); j--) sum += pow(c->values, j - n);
    return n * log2(c->values) + log2(sum);
}

/* Write down what stands behind the first mark, or behind each key that follows a mark. */
static void solve(const void *cfg, const void *data, const int *input, int len, int *prediction)
{
    (void)data;
    const Cfg *c = cfg;
    int value[KEYS_MAX], mark = -1, query = -1, keys = id_key(c);
    for (int k = 0; k < c->key_ids; k++) value[k] = id_value(c);
    for (int t = 0; t < len; t++) {
        prediction[t] = id_value(c);
        if (input[t] == id_query(c)) query = t;
        if (c->variant == MULTI_KEY) {
            if (t >= 2 && input[t - 2] == id_mark(c) && input[t - 1] >= keys) value[input[t - 1] - keys] = input[t];
            if (query >= 0 && query == t - 1 && input[t] >= keys) prediction[t] = value[input[t] - keys];
        } else {
            if (input[t] == id_mark(c) && mark < 0) mark = t;
            int from = mark + 1 + t - query;
            if (mark >= 0 && query > mark && from <= t) prediction[t] = input[from];
        }
    }
}

static const char *symbol(const void *cfg, const void *data, int id, bool is_target, char *buf)
{
    (void)data, (void)is_target;
    const Cfg *c = cfg;
    if (id == id_mark(c)) return "<mark>";
    if (id == id_query(c)) return "<query>";
    if (id < id_mark(c)) snprintf(buf, 32, ".%d", id);
    if (id >= id_value(c)) snprintf(buf, 32, "v%d", id - id_value(c));
    if (id >= id_key(c)) snprintf(buf, 32, "k%d", id - id_key(c));
    return buf;
}

static Theory theory(const void *cfg, TheoryClass cls, int layers)
{
    const Cfg *c = cfg;
    bool recall = c->variant == MULTI_KEY && c->needles > 1;
    if (recall && cls.kind == CLASS_LTI) return solvable_row(SOLVABLE_NEEDLE, cls, layers);
    return solvable_row(recall ? SOLVABLE_RECALL : SOLVABLE_NEEDLE, cls, layers);
}

TASK_WITH(needle, "a marked symbol kept through long filler", "arXiv:2605.08587 (layout ours)", .symbol = symbol,
          .memory_bits = memory_bits)
