/* SPDX-License-Identifier: Apache-2.0
 * compression - squeeze a random string into the state, then read all of it back.
 *
 *   input    x[0] x[1] ... x[n-1] <end>  <ask> ... <ask>       n = len-1 random tokens, the mark, n questions
 *   target     _    _        _      _     x[0] ... x[n-1]
 *
 *   vocab 4, len 4               input 2 0 1 3 4 4 4           target _ _ _ _ 2 0 1
 *   ..., query: position         input 2 0 1 3 6 4 5           target _ _ _ _ 1 2 0
 *
 * Ids: data 0..vocab-2, mark vocab-1, then the questions: one id, vocab, for query: next (the next token of the
 * string), or n ids, vocab+i, for query: position (token i; each is asked once, in random order, so no order of reading
 * helps). V_in = V_out = all of these, with n from the longest len. L = 2 len - 1 positions, n of them scored. Tokens
 * are uniform, so a constant is right for 1 of vocab-1, exactly. Slices (query: position): quarter of the string asked
 * for.
 *
 * Memory: n log2(vocab-1) bits at the mark: all strings must differ there.
 *
 * Source: Poli et al. 2024 (arXiv:2403.17844), repository mad-lab: len 32 (64, 128, 256), vocab 16 (32, 64, 128).
 * Deviation, so not comparable with published numbers: there an autoencoder decodes the last state at every position at
 * once, by a feed-forward network that is given the position (and the mark is a target too). This is the causal
 * surrogate, whose questions go through the layers: next measures copying, position is nearer to that decoder.
 */
#include "task.h"

#include "common/solvable.h"

#include <math.h>
#include <stdio.h>

enum { VERSION = 1 };

enum { NEXT, POSITION };

enum { LEN_MAX = 32768 };

typedef struct {
    Length len;
    int vocab, query;
} Cfg;

static const Option options[] = {
    OPT_L(Cfg, len, "32", 2, LEN_MAX, "tokens of the string and the mark"),
    OPT_I(Cfg, vocab, "16", 3, 65536, "ids of data and mark"),
    OPT_E(Cfg, query, "next", "next|position", "questions ask for the next token, or for a position of the string"),
    OPT_END,
};

static bool shape(const void *cfg, const void *data, TaskShape *out, Err *err)
{
    (void)data, (void)err;
    const Cfg *c = cfg;
    int len = length_max(&c->len), vocab = c->vocab + (c->query == POSITION ? len - 1 : 1);
    *out = (TaskShape){
        .vocab_in = vocab,
        .vocab_out = vocab,
        .max_len = 2 * len - 1,
        .chance_uniform = 1.0 / (c->vocab - 1),
        .chance_majority = 1.0 / (c->vocab - 1),
        .ceiling = 1,
        .headline = "acc_token",
        .slice_label = c->query == POSITION ? "quarter" : NULL,
    };
    return true;
}

static void sample(const void *cfg, const void *data, Rng *rng, Example *e)
{
    (void)data;
    const Cfg *c = cfg;
    int n = c->len.now - 1, order[LEN_MAX];
    for (int t = 0; t < n; t++) {
        e->input[t] = (int)rng_below(rng, (uint32_t)c->vocab - 1);
        order[t] = t;
    }
    e->input[n] = c->vocab - 1;
    if (c->query == POSITION) rng_shuffle(rng, order, n);
    for (int i = 0, t = n + 1; i < n; i++, t++) {
        e->input[t] = c->vocab + (c->query == POSITION ? order[i] : 0);
        e->target[t] = e->input[order[i]];
        if (c->query == POSITION) e->slice_of[t] = 4 * order[i] / n;
    }
    e->len = 2 * n + 1;
    e->has_slice = c->query == POSITION;
}

static double memory_bits(const void *cfg, const void *data)
{
    (void)data;
    const Cfg *c = cfg;
    return (length_max(&c->len) - 1) * log2(c->vocab - 1);
}

/* Count the questions since the mark, or read the position off the question. */
static void solve(const void *cfg, const void *data, const int *input, int len, int *prediction)
{
    (void)data;
    const Cfg *c = cfg;
    int asked = 0;
    for (int t = 0; t < len; t++) {
        int at = 0;
        if (input[t] >= c->vocab) at = c->query == POSITION ? input[t] - c->vocab : asked++;
        prediction[t] = at <= t && input[at] < c->vocab - 1 ? input[at] : 0;
    }
}

static const char *symbol(const void *cfg, const void *data, int id, bool is_target, char *buf)
{
    (void)data, (void)is_target;
    const Cfg *c = cfg;
    if (id == c->vocab - 1) return "<end>";
    if (id >= c->vocab && c->query == NEXT) return "?";
    snprintf(buf, 32, id >= c->vocab ? "?%d" : "%d", id >= c->vocab ? id - c->vocab : id);
    return buf;
}

static Theory theory(const void *cfg, TheoryClass cls, int layers)
{
    (void)cfg;
    return solvable_row(SOLVABLE_COPY, cls, layers);
}

TASK_WITH(compression, "squeeze a random string into the state and read it back", "arXiv:2403.17844", .symbol = symbol,
          .memory_bits = memory_bits)
