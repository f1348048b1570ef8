/* SPDX-License-Identifier: Apache-2.0
 * modular_addition - running sum of digits modulo m: the word problem of Z_m.
 *
 *   input           x[0] x[1] ... x[n-1]                n = len digits, independent and uniform in 0..m-1
 *   score: every    y[t] = (x[0] + ... + x[t]) mod m    at every digit
 *   score: final    the sum of all digits               at the last digit
 *
 *   m 5, digits 3 4 4, bos: false      every   target 3 2 1      final   target _ _ 1
 *
 * Ids: digits 0..m-1; bos: true puts the id m in front of every sequence, never scored. V_in is m plus 1 with bos,
 * V_out = m. The sum is uniform, so a constant is right for 1/m, exactly. m: 2 is parity. Cannot fail.
 *
 * Memory: log2 m bits, the sum so far (0 when the only digit is also the place of the answer).
 *
 * Source: Ebrahimi and Memisevic 2025 (arXiv:2505.21749): m 2, 3, 5, 10, 25, 50; training len [2, 10], testing 2..10
 * and 500. UNVERIFIED: the layout; there the model reads the sequence and then gives the answer once (final). Scoring
 * every digit and bos are ours.
 */
#include "task.h"
#include "common/solvable.h"

#include <math.h>
#include <stdio.h>

enum { VERSION = 1 };

enum { EVERY, FINAL };

typedef struct {
    Length len;
    int m, score;
    bool bos;
} Cfg;

static const Option options[] = {
    OPT_L(Cfg, len, "[2, 20]", 1, 1 << 20, "digits per example"),
    OPT_I(Cfg, m, "5", 2, 1024, "modulus: digits are 0..m-1"),
    OPT_E(Cfg, score, "every", "every|final", "ask at every digit, or at the last only"),
    OPT_B(Cfg, bos, "true", "start every example with a begin mark"),
    OPT_END,
};

static bool shape(const void *cfg, const void *data, TaskShape *out, Err *err)
{
    (void)data, (void)err;
    const Cfg *c = cfg;
    *out = (TaskShape){
        .vocab_in = c->m + c->bos,
        .vocab_out = c->m,
        .max_len = length_max(&c->len) + c->bos,
        .chance_uniform = 1.0 / c->m,
        .chance_majority = 1.0 / c->m,
        .ceiling = 1,
        .headline = "acc_token",
    };
    return true;
}

static void sample(const void *cfg, const void *data, Rng *rng, Example *e)
{
    (void)data;
    const Cfg *c = cfg;
    int sum = 0, t = 0;
    if (c->bos) e->input[t++] = c->m;
    for (int i = 0; i < c->len.now; i++, t++) {
        e->input[t] = (int)rng_below(rng, (uint32_t)c->m);
        sum = (sum + e->input[t]) % c->m;
        if (c->score == EVERY || i == c->len.now - 1) e->target[t] = sum;
    }
    e->len = t;
}

/* Add up in the integers and reduce each answer. */
static void solve(const void *cfg, const void *data, const int *input, int len, int *prediction)
{
    (void)data;
    const Cfg *c = cfg;
    long sum = 0;
    for (int t = 0; t < len; t++) {
        if (input[t] < c->m) sum += input[t];
        prediction[t] = (int)(sum - sum / c->m * c->m);
    }
}

static double memory_bits(const void *cfg, const void *data)
{
    (void)data;
    const Cfg *c = cfg;
    return length_max(&c->len) > 1 ? log2(c->m) : 0;
}

static const char *symbol(const void *cfg, const void *data, int id, bool is_target, char *buf)
{
    (void)data;
    const Cfg *c = cfg;
    if (id == c->m && !is_target) return "<bos>";
    snprintf(buf, 32, "%d", id);
    return buf;
}

static Theory theory(const void *cfg, TheoryClass cls, int layers)
{
    const Cfg *c = cfg;
    const SolvableRow row = c->m == 2                  ? SOLVABLE_PARITY
                            : (c->m & (c->m - 1)) == 0 ? SOLVABLE_CYCLIC_2
                                                       : SOLVABLE_CYCLIC;
    return solvable_row(row, cls, layers);
}

TASK_WITH(modular_addition, "running sum of digits modulo m", "arXiv:2505.21749", .symbol = symbol,
          .memory_bits = memory_bits)
