/* SPDX-License-Identifier: Apache-2.0
 * bucket_sort - give the symbols of a string back in ascending order: one counter per symbol.
 *
 *   layout    input                                                  target
 *   chomsky   x[0] ... x[n-1] ? ... ?         n queries              sort(x), at the queries
 *   aussm     x[0] ... x[n-1] ? y[0] ... y[n-2]                      y = sort(x), from the ? on
 *
 *   chomsky, len 4      input 3 0 3 1 5 5 5 5          target _ _ _ _ 0 1 3 3
 *   aussm, len 4        input 3 0 3 1 5 0 1 3          target _ _ _ _ 0 1 3 3
 *
 * Ids: symbols 0..alphabet-1, then for chomsky the blank if there are any and the query (common/chomsky.h), for aussm
 * the mark ? (ACT) and a padding that never occurs. V_out = alphabet. Symbols are independent and uniform, so a
 * constant is right for 1 of alphabet, exactly.
 *
 * Worth knowing: the class floor(alphabet t / n) at place t of n, a guess that does not read the string, is right for
 * 0.502, 0.598, 0.694, 0.801, 0.858, 0.937 of the places at n = 5, 10, 20, 50, 100, 500 and 5 symbols, exactly; in
 * aussm, repeating the answer shown is right but where a new class begins. So acc_token above 0.9 shows no sorting, and
 * the headline is acc_exact. Slices: index, the place in the answer (bins from 31 on are pooled). Fails for blanks with
 * aussm.
 *
 * Memory: log2 of the multisets, C(n + alphabet - 1, n), after the last symbol.
 *
 * Source: Deletang et al. 2023 (arXiv:2207.02098), repository neural_networks_chomsky_hierarchy, bucket_sort: alphabet
 * 5, training len [1, 40], testing 41 to 500. Karuvally et al. 2025 (arXiv:2507.05238), repository AUSSM, bucketsort:
 * alphabet 9, its length l counts string, mark and answer, len = l / 2 - 1 rounded down: [2, 19], then [19, 127].
 * Deviations: small defaults; aussm draws len uniformly, not l (there the ends are half as likely).
 */
#include "task.h"
#include "common/chomsky.h"
#include "common/solvable.h"

#include <math.h>
#include <string.h>

enum { VERSION = 1 };

enum { CHOMSKY, AUSSM };

enum { ALPHABET_MAX = 1024 };

typedef struct {
    Length len;
    int blanks, alphabet, layout;
} Cfg;

static const Option options[] = {
    CHOMSKY_OPTIONS(Cfg, "[2, 20]", 1),
    OPT_I(Cfg, alphabet, "5", 2, ALPHABET_MAX, "symbols"),
    OPT_E(Cfg, layout, "chomsky", "chomsky|aussm", "answer at queries, or with the answer shown"),
    OPT_END,
};

static Chomsky frame(const Cfg *c)
{
    return (Chomsky){ .symbols = c->alphabet, .blanks = c->blanks, .fed = c->layout == AUSSM };
}

static bool shape(const void *cfg, const void *data, TaskShape *out, Err *err)
{
    (void)data;
    const Cfg *c = cfg;
    const Chomsky f = frame(c);
    const int n = length_max(&c->len);
    if (c->blanks && c->layout == AUSSM)
        return err_set(err, EXIT_USAGE, "bucket_sort: blanks: %d needs layout: chomsky", c->blanks);
    *out = (TaskShape){
        .vocab_in = chomsky_vocab(&f) + (c->layout == AUSSM),
        .vocab_out = c->alphabet,
        .max_len = chomsky_len(&f, n, n),
        .chance_uniform = 1.0 / c->alphabet,
        .chance_majority = 1.0 / c->alphabet,
        .ceiling = 1,
        .headline = "acc_exact",
        .slice_label = "index",
    };
    return true;
}

static void sample(const void *cfg, const void *data, Rng *rng, Example *e)
{
    (void)data;
    const Cfg *c = cfg;
    const Chomsky f = frame(c);
    int y[CHOMSKY_LEN_MAX], count[ALPHABET_MAX] = { 0 }, n = c->len.now, out = 0;
    for (int i = 0; i < n; i++) count[e->input[i] = (int)rng_below(rng, (uint32_t)c->alphabet)]++;
    for (int k = 0; k < c->alphabet; k++)
        while (count[k]-- > 0) y[out++] = k;
    chomsky_write(&f, n, y, out, out, 0, e);
    e->has_slice = true;
}

/* Merge sort from the bottom, runs of 1, 2, 4, ... symbols. */
static int answer(const void *cfg, const int *x, int n, int *y)
{
    (void)cfg;
    int spare[CHOMSKY_LEN_MAX];
    memcpy(y, x, (size_t)n * sizeof *y);
    for (int run = 1; run < n; run *= 2) {
        memcpy(spare, y, (size_t)n * sizeof *y);
        for (int from = 0; from < n; from += 2 * run) {
            int a = from, mid = from + run < n ? from + run : n, b = mid, end = mid + run < n ? mid + run : n;
            for (int i = from; i < end; i++)
                y[i] = b == end || (a < mid && spare[a] <= spare[b]) ? spare[a++] : spare[b++];
        }
    }
    return n;
}

CHOMSKY_SOLVE(frame, answer)

static double memory_bits(const void *cfg, const void *data)
{
    (void)data;
    const Cfg *c = cfg;
    double bits = 0;
    for (int i = 1; i < c->alphabet; i++) bits += log2((double)(length_max(&c->len) + i) / i);
    return bits;
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
    if (cls.kind == CLASS_ATTENTION)
        return (Theory){ THEORY_YES, "counts and compares with the place; learned in arXiv:2207.02098" };
    return solvable_row(SOLVABLE_COUNTERS, cls, layers);
}

TASK_WITH(bucket_sort, "the symbols of a string in ascending order", "arXiv:2207.02098, 2507.05238", .symbol = symbol,
          .memory_bits = memory_bits)
