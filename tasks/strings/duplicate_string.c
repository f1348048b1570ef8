/* SPDX-License-Identifier: Apache-2.0
 * duplicate_string - write a string out again: twice at queries, or once more while it is shown.
 *
 *   layout    input                                                  target
 *   chomsky   x[0] ... x[n-1] ? ... ?         2n queries             x[0] ... x[n-1] x[0] ... x[n-1]
 *   aussm     x[0] ... x[n-1] ? x[0] ... x[n-2]                      x[0] ... x[n-1] from the ? on
 *
 *   chomsky, len 3      input 1 0 0 2 2 2 2 2 2        target _ _ _ 1 0 0 1 0 0
 *   aussm, len 3        input 1 0 0 2 1 0              target _ _ _ 1 0 0
 *
 * Ids: symbols 0..alphabet-1, then for chomsky the blank if there are any and the query (common/chomsky.h), for aussm
 * the mark ? (ACT) and a padding that never occurs. V_out = alphabet. Symbols are independent and uniform, so a
 * constant is right for 1 of alphabet, exactly. In aussm nothing but the first answers is hard to know where symbols
 * are many: what was shown so far finds its place in the string. Slices: index, the place in the answer (bins from 31
 * on are pooled). Fails for blanks with aussm.
 *
 * Memory: n log2(alphabet) bits after the last symbol.
 *
 * Source: Deletang et al. 2023 (arXiv:2207.02098), repository neural_networks_chomsky_hierarchy, duplicate_string:
 * bits, training len [1, 40], testing 41 to 500. Karuvally et al. 2025 (arXiv:2507.05238), repository AUSSM,
 * repetition: alphabet 10, its length l counts string, mark and answer, len = l / 2 - 1 rounded down: [2, 19], then
 * [19, 127]. Deviations: other alphabets; small defaults; aussm draws len uniformly, not l (there the
 * ends are half as likely).
 */
#include "task.h"
#include "common/chomsky.h"
#include "common/solvable.h"

#include <math.h>

enum { VERSION = 1 };

enum { CHOMSKY, AUSSM };

typedef struct {
    Length len;
    int blanks, alphabet, layout;
} Cfg;

static const Option options[] = {
    CHOMSKY_OPTIONS(Cfg, "[2, 20]", 1),
    OPT_I(Cfg, alphabet, "2", 2, 1024, "symbols"),
    OPT_E(Cfg, layout, "chomsky", "chomsky|aussm", "twice at queries, or once with the answer shown"),
    OPT_END,
};

static Chomsky frame(const Cfg *c)
{
    return (Chomsky){ .symbols = c->alphabet, .blanks = c->blanks, .fed = c->layout == AUSSM };
}

static int answer_len(const Cfg *c, int n) { return c->layout == AUSSM ? n : 2 * n; }

static bool shape(const void *cfg, const void *data, TaskShape *out, Err *err)
{
    (void)data;
    const Cfg *c = cfg;
    const Chomsky f = frame(c);
    const int n = length_max(&c->len);
    if (c->blanks && c->layout == AUSSM)
        return err_set(err, EXIT_USAGE, "duplicate_string: blanks: %d needs layout: chomsky", c->blanks);
    *out = (TaskShape){
        .vocab_in = chomsky_vocab(&f) + (c->layout == AUSSM),
        .vocab_out = c->alphabet,
        .max_len = chomsky_len(&f, n, answer_len(c, n)),
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
    int y[CHOMSKY_OUT_MAX], n = c->len.now, out = answer_len(c, n);
    for (int i = 0; i < n; i++) e->input[i] = y[i] = (int)rng_below(rng, (uint32_t)c->alphabet);
    for (int i = n; i < out; i++) y[i] = y[i - n];
    chomsky_write(&f, n, y, out, out, 0, e);
    e->has_slice = true;
}

/* A finger that starts again when it reaches the end. */
static int answer(const void *cfg, const int *x, int n, int *y)
{
    const int out = answer_len(cfg, n);
    for (int q = 0, finger = 0; q < out; q++) {
        y[q] = x[finger++];
        if (finger == n) finger = 0;
    }
    return out;
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

TASK_WITH(duplicate_string, "a string again: twice at queries, or once as it is shown", "arXiv:2207.02098, 2507.05238",
          .symbol = symbol, .memory_bits = memory_bits)
