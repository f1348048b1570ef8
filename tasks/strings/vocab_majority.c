/* SPDX-License-Identifier: Apache-2.0
 * vocab_majority - the most frequent token of a sequence, or how often it occurs: one counter per token.
 *
 *   layout    input, n = len tokens        ids of V = alphabet                 answer, read at the last position
 *   zoology   x[0] ... x[n-1] 0            end mark 0, tokens 1..V-1           the winner; it is never tied
 *   slice     x[0] ... x[n-1]              padding 0, tokens 1..V-1            of tied tokens, the first to appear
 *   aussm     x[0] ... x[n-1]              tokens 0..V-2, padding V-1          of tied tokens, the smallest
 *
 *   zoology, alphabet 5, len 5             input 2 1 3 3 4 0                   target _ _ _ _ _ 3
 *   slice, alphabet 5, len 4               input 3 1 1 3                       target _ _ _ 3
 *   aussm, alphabet 5, len 4               input 3 1 1 3                       target _ _ _ 1
 *   slice, the same, count: true           input 3 1 1 3                       target _ _ _ 2
 *
 * Tokens are independent and uniform. zoology: tied sequences are drawn again, up to 32 times; if all were tied (short
 * sequences of many tokens) a tied token drawn uniformly wins: it overwrites the first token of another kind. With
 * compat: zoology, as published, nothing is drawn again: the smallest tied id always wins in that way. V_in = V.
 * Classes are the ids of tokens: V_out = V (V-1 for aussm), 0 or the padding is never an answer.
 *
 * count: true asks for how often the winner occurs, counts above cap taken as cap; V_out = cap + 1; cap 0 is the
 * largest len. The published classes end at 63 (slice; its cap of 64 is a class that does not exist) and 62 (aussm,
 * where the answer is one of the tokens).
 *
 * By symmetry a constant is right for 1 of the V-1 tokens, exactly, in zoology and slice. Elsewhere small ids or counts
 * near the typical one are better, and the share is measured. Slices: lead, the winner's count less the runner-up's.
 *
 * Memory: all multisets of m = n / 4 tokens are told apart: for any two of them, a rest of 3m tokens makes one token
 * win after one and another after the other (count: m = (n - 1) / 2; a rest of one token alone gives two counts). A
 * floor; none with a cap below len.
 *
 * Fails for cap without count and for compat: zoology with another layout.
 *
 * Source: Arora et al. 2023 (arXiv:2312.04927), repository zoology, circuit vocab_majority (its input_seq_len counts
 * the end mark, len + 1); Walker et al. 2025 (arXiv:2505.17761), repository structured-linear-cdes, majority and
 * majority_count: V 64, len 3..40, then 40..256; Karuvally et al. 2025 (arXiv:2507.05238), repository AUSSM, majority
 * and majoritycount: V 64, its length counts the answer: len 5..39, then 40..255. Deviation: small defaults.
 */
#include "task.h"
#include "common/solvable.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { VERSION = 1 };

enum { ZOOLOGY, SLICE, AUSSM };

enum { ALPHABET_MAX = 4096, REDRAWS = 32, LEN_MAX = 1 << 20 };

typedef struct {
    Length len;
    int alphabet, layout, cap, compat;
    bool count;
} Cfg;

static const Option options[] = {
    OPT_L(Cfg, len, "[4, 32]", 1, LEN_MAX, "tokens per example"),
    OPT_I(Cfg, alphabet, "8", 4, ALPHABET_MAX, "ids in all; one less are tokens"),
    OPT_E(Cfg, layout, "zoology", "zoology|slice|aussm", "ids, end mark, and who wins a tie"),
    OPT_B(Cfg, count, "false", "ask how often the winner occurs"),
    OPT_I(Cfg, cap, "0", 0, LEN_MAX, "count: largest count that is a class; 0: the largest len"),
    OPT_E(Cfg, compat, "none", "none|zoology", "zoology: ties go to the smallest id, not drawn again"),
    OPT_END,
};

static int first_token(const Cfg *c) { return c->layout == AUSSM ? 0 : 1; }
static int count_cap(const Cfg *c) { return c->cap ? c->cap : length_max(&c->len); }

static bool shape(const void *cfg, const void *data, TaskShape *out, Err *err)
{
    (void)data;
    const Cfg *c = cfg;
    if (c->cap && !c->count) return err_set(err, EXIT_USAGE, "vocab_majority: cap needs count: true");
    if (c->compat && c->layout != ZOOLOGY)
        return err_set(err, EXIT_USAGE, "vocab_majority: compat: zoology needs layout: zoology");
    const double tokens = c->alphabet - 1;
    *out = (TaskShape){
        .vocab_in = c->alphabet,
        .vocab_out = c->count             ? count_cap(c) + 1
                     : c->layout == AUSSM ? c->alphabet - 1
                                          : c->alphabet,
        .max_len = length_max(&c->len) + (c->layout == ZOOLOGY),
        .chance_uniform = c->count ? 1.0 / (count_cap(c) + 1) : 1 / tokens,
        .chance_majority = c->count || c->layout == AUSSM || c->compat ? 0 : 1 / tokens,
        .ceiling = 1,
        .headline = "acc_token",
        .slice_label = "lead",
    };
    return true;
}

/* The counts of all tokens, the largest of them into *top, the next into *second (equal: a tie). Returns a winner. */
static int count_tokens(const Cfg *c, const int *input, int len, int *count, int *top, int *second)
{
    int winner = first_token(c);
    memset(count, 0, sizeof *count * (size_t)c->alphabet);
    for (int t = 0; t < len; t++) count[input[t]]++;
    *top = *second = 0;
    for (int id = 0; id < c->alphabet; id++) {
        if (count[id] > *top)
            *second = *top, *top = count[id], winner = id;
        else if (count[id] > *second)
            *second = count[id];
    }
    return winner;
}

static int draw_tied(const int *count, int ids, int top, Rng *rng)
{
    int seen = 0, winner = 0;
    for (int id = 0; id < ids; id++)
        if (count[id] == top && rng_below(rng, (uint32_t)++seen) == 0) winner = id;
    return winner;
}

static void sample(const void *cfg, const void *data, Rng *rng, Example *e)
{
    (void)data;
    const Cfg *c = cfg;
    int count[ALPHABET_MAX], top, second, winner, n = c->len.now, tries = 0, t = 0;
    do {
        for (int i = 0; i < n; i++) e->input[i] = first_token(c) + (int)rng_below(rng, (uint32_t)c->alphabet - 1);
        winner = count_tokens(c, e->input, n, count, &top, &second); /* the smallest id if tied */
    } while (c->layout == ZOOLOGY && !c->compat && second == top && ++tries < REDRAWS);
    if (c->layout == ZOOLOGY && second == top) {
        if (!c->compat) winner = draw_tied(count, c->alphabet, top, rng);
        while (e->input[t] == winner) t++;
        e->input[t] = winner;
        count_tokens(c, e->input, n, count, &top, &second);
    }
    for (t = 0; c->layout == SLICE && count[e->input[t]] < top;) t++;
    if (c->layout == SLICE) winner = e->input[t];
    if (c->layout == ZOOLOGY) e->input[n++] = 0;
    e->len = n;
    e->target[n - 1] = !c->count ? winner : top < count_cap(c) ? top : count_cap(c);
    e->slice_of[n - 1] = top - second;
    e->has_slice = true;
}

/* Keep the leader while reading: who catches up with it takes over if the layout prefers it. */
static void solve(const void *cfg, const void *data, const int *input, int len, int *prediction)
{
    (void)data;
    const Cfg *c = cfg;
    int count[ALPHABET_MAX] = { 0 }, since[ALPHABET_MAX], leader = first_token(c), most = 0;
    for (int t = 0; t < len; t++) {
        const int x = input[t];
        if (x != (c->layout == AUSSM ? c->alphabet - 1 : 0)) {
            if (count[x]++ == 0) since[x] = t;
            const bool preferred = c->layout == SLICE ? since[x] < since[leader] : x < leader;
            if (count[x] > most || (count[x] == most && preferred)) leader = x;
            if (count[x] > most) most = count[x];
        }
        prediction[t] = !c->count ? leader : most < count_cap(c) ? most : count_cap(c);
    }
}

static double memory_bits(const void *cfg, const void *data)
{
    (void)data;
    const Cfg *c = cfg;
    const int n = length_max(&c->len), m = c->count ? (n - 1) / 2 : n / 4;
    double bits = 0;
    if (c->count && count_cap(c) < n) return 0;
    for (int i = 1; i < c->alphabet - 1; i++) bits += log2((double)(m + i) / i);
    return bits;
}

static const char *symbol(const void *cfg, const void *data, int id, bool is_target, char *buf)
{
    (void)data;
    const Cfg *c = cfg;
    if (!is_target || !c->count) {
        if (c->layout == AUSSM ? id == c->alphabet - 1 : id == 0) return c->layout == ZOOLOGY ? "<end>" : "<pad>";
    }
    snprintf(buf, 32, "%d", id);
    return buf;
}

static Theory theory(const void *cfg, TheoryClass cls, int layers)
{
    (void)cfg;
    return solvable_row(SOLVABLE_COUNTERS, cls, layers);
}

TASK_WITH(vocab_majority, "the most frequent token, or its count", "arXiv:2312.04927, 2505.17761, 2507.05238",
          .symbol = symbol, .memory_bits = memory_bits)
