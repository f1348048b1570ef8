/* SPDX-License-Identifier: Apache-2.0
 * odds_first - give a string back, first the symbols at odd places, then those at even places.
 *
 *   input    x[0] ... x[n-1]  ?  ?  ...  ?         n = len symbols, blanks * n blanks, n queries
 *   target     _  ...   _   x[1] x[3] ... x[0] x[2] ...
 *
 *   len 5                           input 1 0 0 0 1 2 2 2 2 2          target _ _ _ _ _ 0 0 1 0 1
 *   the same, docstring_order       input 1 0 0 0 1 2 2 2 2 2          target _ _ _ _ _ 1 0 1 0 0
 *
 * Places count from 0, as the source's code does; its text counts from 1 and shows the other order, which
 * docstring_order: true gives: x[0] x[2] ... first. Ids: symbols 0..alphabet-1, the blank if there are any, the query
 * (common/chomsky.h). V_out = alphabet. Symbols are independent and uniform, so a constant is right for 1 of alphabet,
 * exactly. L = n (2 + blanks). Slices: index, the place in the answer (bins from 31 on are pooled). Cannot fail.
 *
 * Memory: n log2(alphabet) bits after the last symbol.
 *
 * Source: Deletang et al. 2023 (arXiv:2207.02098), repository neural_networks_chomsky_hierarchy, odds_first: bits,
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
    bool docstring_order;
} Cfg;

static const Option options[] = {
    CHOMSKY_OPTIONS(Cfg, "[2, 20]", 1),
    OPT_I(Cfg, alphabet, "2", 2, 1024, "symbols"),
    OPT_B(Cfg, docstring_order, "false", "places 0, 2, ... first"),
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
    int y[CHOMSKY_LEN_MAX], n = c->len.now, out = 0;
    for (int i = 0; i < n; i++) e->input[i] = (int)rng_below(rng, (uint32_t)c->alphabet);
    for (int i = !c->docstring_order; i < n; i += 2) y[out++] = e->input[i];
    for (int i = c->docstring_order; i < n; i += 2) y[out++] = e->input[i];
    chomsky_write(&f, n, y, n, n, 0, e);
    e->has_slice = true;
}

/* Send every symbol to its place in the answer. */
static int answer(const void *cfg, const int *x, int n, int *y)
{
    const bool even_first = ((const Cfg *)cfg)->docstring_order;
    const int first = even_first ? (n + 1) / 2 : n / 2; /* how many symbols come first */
    for (int i = 0; i < n; i++) y[i / 2 + ((i % 2 == 0) == even_first ? 0 : first)] = x[i];
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
    return solvable_row(SOLVABLE_COPY, cls, layers);
}

TASK_WITH(odds_first, "a string, first its odd places, then its even ones", "arXiv:2207.02098", .symbol = symbol,
          .memory_bits = memory_bits)
