/* SPDX-License-Identifier: Apache-2.0
 * distinct - the distinct tokens of a sequence, in the order of their first appearance: a set that remembers order.
 *
 *   input    x[0] ... x[n-1] <sep> 0 0 ...      n = len tokens; then a separator and blanks, D positions in all
 *   target     _  ...   _     d[0] d[1] ...     the D distinct tokens of x, the first at the separator
 *
 *   alphabet 6, len 5       input 3 1 3 4 1 5 0 0       target _ _ _ _ _ 3 1 4
 *
 * Ids: blank 0, K = alphabet - 2 tokens 1..K, separator K+1. V_in = V_out = alphabet; an answer is the id of a token.
 * Tokens are independent and uniform. L = n + D; a causal model does not see where it ends. A constant is right for 1
 * of the K tokens, exactly. Copying (the i-th token for the i-th answer) is right until the first repetition, so keep
 * len well above sqrt(K). Slices: index, the place in the answer (bins from 31 on are pooled). Cannot fail.
 *
 * Memory: log2 of the larger of: the sequences of min(n, K) distinct tokens, K! / (K - n)!, at the separator; those of
 * 1 to min(n - 1, K - 1) tokens, one token before it, which that token tells apart.
 *
 * Source: Walker et al. 2025 (arXiv:2505.17761), repository structured-linear-cdes, set: alphabet 128, sizes 3..40,
 * then 40..256 with len half the size rounded up: len [2, 20], then [20, 128].
 */
#include "task.h"
#include "common/solvable.h"

#include <math.h>
#include <stdio.h>

enum { VERSION = 1 };

enum { ALPHABET_MAX = 4096 };

typedef struct {
    Length len;
    int alphabet;
} Cfg;

static const Option options[] = {
    OPT_L(Cfg, len, "[2, 16]", 1, 1 << 20, "tokens per example, before the separator"),
    OPT_I(Cfg, alphabet, "18", 4, ALPHABET_MAX, "ids in all; two less are tokens"),
    OPT_END,
};

static int most_distinct(const Cfg *c)
{
    return length_max(&c->len) < c->alphabet - 2 ? length_max(&c->len) : c->alphabet - 2;
}

static bool shape(const void *cfg, const void *data, TaskShape *out, Err *err)
{
    (void)data, (void)err;
    const Cfg *c = cfg;
    *out = (TaskShape){
        .vocab_in = c->alphabet,
        .vocab_out = c->alphabet,
        .max_len = length_max(&c->len) + most_distinct(c),
        .chance_uniform = 1.0 / (c->alphabet - 2),
        .chance_majority = 1.0 / (c->alphabet - 2),
        .ceiling = 1,
        .headline = "acc_token",
        .slice_label = "index",
    };
    return true;
}

static void sample(const void *cfg, const void *data, Rng *rng, Example *e)
{
    (void)data;
    const Cfg *c = cfg;
    const int n = c->len.now;
    bool seen[ALPHABET_MAX] = { false };
    int found = 0;
    for (int t = 0; t < n; t++) {
        const int x = 1 + (int)rng_below(rng, (uint32_t)c->alphabet - 2);
        e->input[t] = x;
        if (seen[x]) continue;
        seen[x] = true;
        e->target[n + found] = x;
        e->slice_of[n + found] = found;
        found++;
    }
    for (int i = 0; i < found; i++) e->input[n + i] = i ? 0 : c->alphabet - 1;
    e->len = n + found;
    e->has_slice = true;
}

/* From the separator on a finger walks over the tokens and stops at those that do not occur before it. */
static void solve(const void *cfg, const void *data, const int *input, int len, int *prediction)
{
    (void)data;
    const int ids = ((const Cfg *)cfg)->alphabet;
    int first[ALPHABET_MAX], finger = 0, end = -1;
    for (int id = 0; id < ids; id++) first[id] = -1;
    for (int t = 0; t < len; t++) {
        prediction[t] = 0;
        if (end < 0 && first[input[t]] < 0) first[input[t]] = t;
        if (end < 0 && input[t] == ids - 1) end = t;
        if (end < 0) continue;
        while (finger < end && first[input[finger]] != finger) finger++;
        if (finger < end) prediction[t] = input[finger++];
    }
}

/* K! / (K - depth)! sequences of `depth` distinct tokens, and those of 1..below tokens. */
static double memory_bits(const void *cfg, const void *data)
{
    (void)data;
    const Cfg *c = cfg;
    const int tokens = c->alphabet - 2, depth = most_distinct(c), n = length_max(&c->len);
    const int below = n - 1 < tokens - 1 ? n - 1 : tokens - 1;
    double at_end = 0, before = 0, shorter = 0;
    for (int d = 0; d < depth; d++) at_end += log2(tokens - d);
    for (int d = 0; d < below; d++) {
        before += log2(tokens - d);
        if (d > 0) shorter = (1 + shorter) / (tokens - d); /* sequences of 1..d tokens per sequence of d + 1 */
    }
    return fmax(at_end, before + log2(1 + shorter));
}

static const char *symbol(const void *cfg, const void *data, int id, bool is_target, char *buf)
{
    (void)data, (void)is_target;
    if (id == 0) return "_";
    if (id == ((const Cfg *)cfg)->alphabet - 1) return "<sep>";
    snprintf(buf, 32, "%d", id);
    return buf;
}

static Theory theory(const void *cfg, TheoryClass cls, int layers)
{
    (void)cfg;
    return solvable_row(SOLVABLE_RECALL, cls, layers);
}

TASK_WITH(distinct, "the distinct tokens in order of first appearance", "arXiv:2505.17761", .symbol = symbol,
          .memory_bits = memory_bits)
