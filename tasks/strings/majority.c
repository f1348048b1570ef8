/* SPDX-License-Identifier: Apache-2.0
 * majority - are there more ones than zeros? One counter, read once or all the time.
 *
 *   layout       input, n = len fair bits          target
 *   cumulative   b[0] ... b[n-1]                   y[t] = 1 if b[0..t] has at least as many ones as zeros
 *   final        b[0] ... b[n-1] 2                 1 if there are more ones than zeros, read at the end mark 2
 *
 *   cumulative   input 0 1 1 0 0                   target 0 1 1 1 0
 *   final        input 0 1 1 0 2                   target _ _ _ _ 0
 *
 * A tie counts as 1 in cumulative and as 0 in final, as in the source. V_in = 2 (3 with the end mark), V_out = 2. The
 * tie makes one constant better than the other, exactly: with c(m) = C(m, m/2) / 2^m for even m and 0 for odd m, final
 * answers 0 with probability (1 + c(n)) / 2, cumulative 1 after m bits with (1 + c(m)) / 2; at n = 32: 0.570 and 0.557.
 * Repeating the last answer is right at all steps but those between sums 0 and -1, so read cumulative beside acc_exact.
 * Slices: margin, the distance |ones - zeros|. Cannot fail.
 *
 * Memory: log2 of the counts that still matter, the answer cut off where it is decided: after m bits, r = n - m to
 * come, those from which the rest can decide either way, and the two sides that are settled.
 *
 * Source: Arora et al. 2023 (arXiv:2312.04927), repository zoology, circuits majority (final; its input_seq_len counts
 * bits and end mark, len + 1) and cumulative_majority (its input_seq_len is len), lengths 4, 16, 32, 64, 128.
 */
#include "task.h"
#include "common/lengths.h"
#include "common/solvable.h"

#include <math.h>

enum { VERSION = 1 };

enum { CUMULATIVE, FINAL };

typedef struct {
    Length len;
    int layout;
} Cfg;

static const Option options[] = {
    OPT_L(Cfg, len, "32", 1, 1 << 20, "data bits per example"),
    OPT_E(Cfg, layout, "cumulative", "cumulative|final", "answer after every bit, or once at an end mark"),
    OPT_END,
};

/* Accuracy of the constant that ties favour, over all lengths of the law. */
static double majority_share(const Cfg *c)
{
    double hits = 0, scored = 0, so_far = 0, tie = 1;
    for (int m = 1; m <= length_max(&c->len); m++) {
        if (m % 2 == 0) tie *= (m - 1.0) / m;
        double share = m % 2 ? 0.5 : 0.5 + tie / 2;
        so_far += share;
        hits += length_share(&c->len, m) * (c->layout == FINAL ? share : so_far);
        scored += length_share(&c->len, m) * (c->layout == FINAL ? 1.0 : m);
    }
    return hits / scored;
}

static bool shape(const void *cfg, const void *data, TaskShape *out, Err *err)
{
    (void)data, (void)err;
    const Cfg *c = cfg;
    *out = (TaskShape){
        .vocab_in = c->layout == FINAL ? 3 : 2,
        .vocab_out = 2,
        .max_len = length_max(&c->len) + (c->layout == FINAL),
        .chance_uniform = 0.5,
        .chance_majority = majority_share(c),
        .ceiling = 1,
        .headline = "acc_token",
        .slice_label = "margin",
    };
    return true;
}

static void sample(const void *cfg, const void *data, Rng *rng, Example *e)
{
    (void)data;
    const Cfg *c = cfg;
    int sum = 0, t = 0;
    for (; t < c->len.now; t++) {
        e->input[t] = (int)rng_below(rng, 2);
        sum += e->input[t] ? 1 : -1;
        if (c->layout == FINAL) continue;
        e->target[t] = sum >= 0;
        e->slice_of[t] = sum < 0 ? -sum : sum;
    }
    if (c->layout == FINAL) {
        e->input[t] = 2;
        e->target[t] = sum > 0;
        e->slice_of[t++] = sum < 0 ? -sum : sum;
    }
    e->len = t;
    e->has_slice = true;
}

/* Count the ones alone and compare with the number of bits. */
static void solve(const void *cfg, const void *data, const int *input, int len, int *prediction)
{
    (void)data;
    const bool final = ((const Cfg *)cfg)->layout == FINAL;
    for (int t = 0, ones = 0; t < len; t++) {
        ones += input[t] == 1;
        prediction[t] = final ? 2 * ones > t : 2 * ones >= t + 1;
    }
}

/* Sums s and s + 2 after m bits differ if one of the r bits to come can set them apart: final needs a last sum of -s-1
 * or -s-2, cumulative passes it on the way. */
static double memory_bits(const void *cfg, const void *data)
{
    (void)data;
    const Cfg *c = cfg;
    const int n = length_max(&c->len);
    int best = 1;
    for (int m = n / 2 > 2 ? n / 2 - 2 : 1; m <= n / 2 + 3 && m <= n; m++) {
        const int r = n - m, need = n / 2 + 1, low = -m > -r - 2 ? -m : -r - 2, high = m - 2 < r - 1 ? m - 2 : r - 1;
        int states = 1;
        if (c->layout == FINAL)
            states += (need < r + 1 ? need : r + 1) - (need > m ? need - m : 0);
        else
            for (int s = low; s <= high; s++) states += r > 0 && (s + m) % 2 == 0;
        if (states > best) best = states;
    }
    return log2(best);
}

static const char *symbol(const void *cfg, const void *data, int id, bool is_target, char *buf)
{
    (void)cfg, (void)data, (void)is_target, (void)buf;
    static const char *const name[] = { "0", "1", "?" };
    return name[id];
}

static Theory theory(const void *cfg, TheoryClass cls, int layers)
{
    (void)cfg;
    return solvable_row(SOLVABLE_COUNTERS, cls, layers);
}

TASK_WITH(majority, "more ones than zeros", "arXiv:2312.04927", .symbol = symbol, .memory_bits = memory_bits)
