/* SPDX-License-Identifier: Apache-2.0
 * reverse_string - give a string back in reverse order: what a stack is for.
 *
 *   input    x[0] ... x[n-1]  ?  ?  ...  ?         n = len symbols, blanks * n blanks, n queries
 *   target     _  ...   _   x[n-1]  ...  x[0]
 *
 *   len 4       input 1 0 1 1 2 2 2 2              target _ _ _ _ 1 1 0 1
 *
 * Ids: symbols 0..alphabet-1, the blank if there are any, the query (common/chomsky.h). V_out = alphabet. Symbols are
 * independent and uniform, so a constant is right for 1 of alphabet, exactly. L = n (2 + blanks). Slices: index, the
 * place in the answer (bins from 31 on are pooled): the symbol asked for lies 2 index + 1 positions back, without
 * blanks. Cannot fail.
 *
 * Memory: n log2(alphabet) bits after the last symbol.
 *
 * Source: Deletang et al. 2023 (arXiv:2207.02098), repository neural_networks_chomsky_hierarchy, reverse_string: bits,
 * training len [1, 40], testing 41 to 500. Deviations: other alphabets; small defaults.
 */
#include "task.h"
#include "common/chomsky.h"
#include "common/solvable.h"

#include <math.h>

enum { VERSION = 1 };

typedef struct {
    Length len;
    int blanks, alphabet;
} Cfg;

static const Option options[] = {
    CHOMSKY_OPTIONS(Cfg, "[2, 20]", 1),
    OPT_I(Cfg, alphabet, "2", 2, 1024, "symbols"),
    OPT_END,
};

static Chomsky frame(const Cfg *c) { return (Chomsky){ .symbols = c->alphabet, .blanks = c->blanks }; }

static bool shape(const void *cfg, const void *data, TaskShape *out, Err *err)
{
    (void)data, (void)err;
    const Cfg *c = cfg;
    const Chomsky f = frame(c);
    *out = (TaskShape){
        .vocab_in = chomsky_vocab(&f),
        .vocab_out = c->alphabet,
        .max_len = chomsky_len(&f, length_max(&c->len), length_max(&c->len)),
        .chance_uniform = 1.0 / c->alphabet,
        .chance_majority = 1.0 / c->alphabet,
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
    const Chomsky f = frame(c);
    int y[CHOMSKY_LEN_MAX], n = c->len.now;
    for (int i = 0; i < n; i++) y[n - 1 - i] = e->input[i] = (int)rng_below(rng, (uint32_t)c->alphabet);
    chomsky_write(&f, n, y, n, n, 0, e);
    e->has_slice = true;
}

/* A finger walks back from the last symbol, one step a query. */
static int answer(const void *cfg, const int *x, int n, int *y)
{
    (void)cfg;
    for (const int *finger = x + n; finger > x;) *y++ = *--finger;
    return n;
}

CHOMSKY_SOLVE(frame, answer)

static double memory_bits(const void *cfg, const void *data)
{
    (void)data;
    const Cfg *c = cfg;
    return length_max(&c->len) * log2(c->alphabet);
}

static const char *symbol(const void *cfg, const void *data, int id, bool is_target, char *buf)
{
    (void)data;
    const Chomsky f = frame(cfg);
    return chomsky_number(&f, id, is_target, buf);
}

static Theory theory(const void *cfg, TheoryClass cls, int layers)
{
    (void)cfg;
    return solvable_row(SOLVABLE_STACK, cls, layers);
}

TASK_WITH(reverse_string, "a string backwards", "arXiv:2207.02098", .symbol = symbol, .memory_bits = memory_bits)
