/* SPDX-License-Identifier: Apache-2.0
 * palindrome - write a random string out backwards, token by token, each read before the next is asked for.
 *
 *   input    x[0] ... x[n-1] <sep> x[n-1] ... x[1]           n = len tokens, L = 2n positions
 *   target     _        _    x[n-1] x[n-2] ... x[0]
 *
 *   alphabet 4, len 3        input 2 0 3 4 3 0               target _ _ _ 3 0 2
 *
 * Ids: tokens 0..alphabet-1, <sep> alphabet; V_in = V_out = alphabet + 1. Tokens are uniform, so a constant is right
 * for 1 of alphabet, exactly. Answers are read back (reverse_string has the form without), so acc_exact, the headline,
 * is that of a greedy decoder. Slices: floor(log2(distance from the token asked for)).
 *
 * Memory: n log2(alphabet) bits at <sep>: all strings must differ there.
 *
 * Source: Kimi Linear, technical report (arXiv:2510.26692), synthetic tests, "palindrome": lengths 256 to 2048, 20000
 * steps; layout, lengths and steps UNVERIFIED, the alphabet is ours.
 */
#include "task.h"

#include "common/solvable.h"

#include <math.h>
#include <stdio.h>

enum { VERSION = 1 };

typedef struct {
    Length len;
    int alphabet;
} Cfg;

static const Option options[] = {
    OPT_L(Cfg, len, "20", 1, 1 << 19, "tokens of the string"),
    OPT_I(Cfg, alphabet, "16", 2, 65535, "different tokens"),
    OPT_END,
};

static bool shape(const void *cfg, const void *data, TaskShape *out, Err *err)
{
    (void)data, (void)err;
    const Cfg *c = cfg;
    *out = (TaskShape){
        .vocab_in = c->alphabet + 1,
        .vocab_out = c->alphabet + 1,
        .max_len = 2 * length_max(&c->len),
        .chance_uniform = 1.0 / c->alphabet,
        .chance_majority = 1.0 / c->alphabet,
        .ceiling = 1,
        .headline = "acc_exact",
        .slice_label = "log2_gap",
    };
    return true;
}

static void sample(const void *cfg, const void *data, Rng *rng, Example *e)
{
    (void)data;
    const Cfg *c = cfg;
    int n = c->len.now;
    for (int t = 0; t < n; t++) e->input[t] = (int)rng_below(rng, (uint32_t)c->alphabet);
    e->input[n] = c->alphabet;
    for (int t = n; t < 2 * n; t++) {
        int from = 2 * n - 1 - t;
        e->target[t] = e->input[from];
        e->slice_of[t] = ilogb((double)(t - from));
        if (t + 1 < 2 * n) e->input[t + 1] = e->target[t];
    }
    e->len = 2 * n;
    e->has_slice = true;
}

static double memory_bits(const void *cfg, const void *data)
{
    (void)data;
    const Cfg *c = cfg;
    return length_max(&c->len) * log2(c->alphabet);
}

/* What stands before the first <sep> is a stack; every position from there on takes one off. */
static void solve(const void *cfg, const void *data, const int *input, int len, int *prediction)
{
    (void)data;
    int height = 0;
    bool pops = false;
    for (int t = 0; t < len; t++) {
        if (input[t] == ((const Cfg *)cfg)->alphabet) pops = true;
        if (!pops) height++;
        prediction[t] = pops && height > 0 ? input[--height] : 0;
    }
}

static const char *symbol(const void *cfg, const void *data, int id, bool is_target, char *buf)
{
    (void)data, (void)is_target;
    if (id == ((const Cfg *)cfg)->alphabet) return "<sep>";
    snprintf(buf, 32, "%d", id);
    return buf;
}

static Theory theory(const void *cfg, TheoryClass cls, int layers)
{
    (void)cfg;
    return solvable_row(SOLVABLE_STACK, cls, layers);
}

TASK_WITH(palindrome, "write a random string out backwards, token by token", "arXiv:2510.26692", .symbol = symbol,
          .memory_bits = memory_bits)
