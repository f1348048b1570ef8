/* SPDX-License-Identifier: Apache-2.0
 * adding - add the two marked numbers of a long sequence.
 *
 *   input    x[0] ... x[n-1], n = len levels 0..levels-1, one marked in each half (the first half is the shorter one)
 *   target   the sum of the two marked levels, at the last position
 *
 *   len 5, levels 4, marked 3 and 2      input 2 7 0 6 1      target _ _ _ _ 5
 *
 * Ids: level l is l, marked levels + l; V_in = 2 levels, V_out = 2 levels - 1. Levels are independent and uniform, the
 * places of the marks uniform in 0..n/2-1 and n/2..n-1 (n/2 rounded down). Sums follow the triangular law: a constant
 * (levels - 1) is right for 1/levels, exactly; the first marked level alone says no more. Slices: log2_gap,
 * floor(log2(1 + positions from the first mark to the end)). Cannot fail.
 *
 * Memory: the sum, log2(2 levels - 1) bits, where a position may follow both marks; len 2: log2 levels.
 *
 * Source: Hochreiter and Schmidhuber 1997; Arjovsky et al. 2016 (arXiv:1511.06464); here as in the repositories LEM
 * (len 2000, 5000, 10000), Wave_RNNs (len 100 to 1000) and s4. Deviations: levels, 16 of them, instead of real numbers
 * (there: one channel for the number, one for the mark, and the squared error, 1/6 for a constant).
 */
#include "task.h"

#include <math.h>
#include <stdio.h>

enum { VERSION = 1 };

typedef struct {
    Length len;
    int levels;
} Cfg;

static const Option options[] = {
    OPT_L(Cfg, len, "40", 2, 1 << 20, "levels per example"),
    OPT_I(Cfg, levels, "16", 2, 1024, "different levels"),
    OPT_END,
};

static bool shape(const void *cfg, const void *data, TaskShape *out, Err *err)
{
    (void)data, (void)err;
    const Cfg *c = cfg;
    *out = (TaskShape){
        .vocab_in = 2 * c->levels,
        .vocab_out = 2 * c->levels - 1,
        .max_len = length_max(&c->len),
        .chance_uniform = 1.0 / (2 * c->levels - 1),
        .chance_majority = 1.0 / c->levels,
        .ceiling = 1,
        .headline = "acc_token",
        .slice_label = "log2_gap",
    };
    return true;
}

static void sample(const void *cfg, const void *data, Rng *rng, Example *e)
{
    (void)data;
    const Cfg *c = cfg;
    const int n = c->len.now, half = n / 2, last = n - 1;
    const int first = (int)rng_below(rng, (uint32_t)half), second = half + (int)rng_below(rng, (uint32_t)(n - half));
    for (int t = 0; t < n; t++) e->input[t] = (int)rng_below(rng, (uint32_t)c->levels);
    e->target[last] = e->input[first] + e->input[second];
    e->input[first] += c->levels;
    e->input[second] += c->levels;
    e->slice_of[last] = 0;
    for (int gap = 1 + last - first; gap > 1; gap /= 2) e->slice_of[last]++;
    e->has_slice = true;
    e->len = n;
}

/* From each position, look back for the last two marks. */
static void solve(const void *cfg, const void *data, const int *input, int len, int *prediction)
{
    (void)data;
    const Cfg *c = cfg;
    int mark[2] = { -1, -1 };
    for (int t = 0; t < len; t++) {
        if (input[t] >= c->levels) mark[0] = mark[1], mark[1] = t;
        prediction[t] = 0;
        for (int i = 0; i < 2; i++)
            if (mark[i] >= 0) prediction[t] += input[mark[i]] - c->levels;
    }
}

static double memory_bits(const void *cfg, const void *data)
{
    (void)data;
    const Cfg *c = cfg;
    return log2(length_max(&c->len) > 2 ? 2 * c->levels - 1 : c->levels);
}

static const char *symbol(const void *cfg, const void *data, int id, bool is_target, char *buf)
{
    (void)data;
    const Cfg *c = cfg;
    const bool marked = !is_target && id >= c->levels;
    snprintf(buf, 32, "%d%s", marked ? id - c->levels : id, marked ? "*" : "");
    return buf;
}

static Theory theory(const void *cfg, TheoryClass cls, int layers)
{
    (void)cfg, (void)layers;
    switch (cls.kind) {
    case CLASS_ATTENTION: return (Theory){ THEORY_YES, "attends to the two marks and reads their mean" };
    case CLASS_OTHER: return (Theory){ THEORY_OPEN, "class not settled" };
    case CLASS_RNN: return (Theory){ THEORY_YES, "an automaton that holds the sum so far" };
    default: return (Theory){ THEORY_YES, "a mode that does not decay adds up what only marked levels write" };
    }
}

TASK_WITH(adding, "sum of two marked levels", "arXiv:1511.06464, 2110.04744", .symbol = symbol,
          .memory_bits = memory_bits)
