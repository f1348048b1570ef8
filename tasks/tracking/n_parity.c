/* SPDX-License-Identifier: Apache-2.0
 * n_parity - parity of the last n bits: a window, not a running parity.
 *
 *   input    b[0] b[1] ... b[len-1]
 *   target   y[t] = b[t-n+1] ^ ... ^ b[t]     at every t >= n-1 (score: every), or at the last bit only (final)
 *
 *   n 3, every   input 1 0 1 1      target _ _ 0 0
 *   n 3, final   input 1 0 1 1      target _ _ _ 0
 *
 * Ids: the bits 0 and 1; V_in = V_out = 2. Bits are biased as published: a sequence draws q uniform in [0,1), its bits
 * are then 1 with probability q, independently. So odd parity has probability 1/2 for odd n, but (1 - 1/(n+1))/2 for
 * even n, and always answering "even" is right for (1 + 1/(n+1))/2: 0.667 at n 2, 0.545 at n 10 (exact).
 * balanced: true draws fair bits, and a constant is right half the time at every n.
 *
 * Memory: the last n-1 bits, each of which some coming window begins with: n-1 bits, or len-n+1 if the example ends
 * before that. final: one bit, or one for each of the possible lengths within n-1 positions. A convolution of width n
 * with a parity read-out does it: this is not the word problem of Z2.
 *
 * Fails for len below n (there is no whole window).
 *
 * Source: Khajehabdollahi et al. 2024 (ICLR), repository rnn_timescale_public: n grows by 1 whenever the accuracy
 * exceeds 0.98, beginning at 2; len uniform in n+2 .. 4n+1, one per batch; read at the last bit (final). Deviations:
 * one n per run (there: one head per n), bits are tokens (there: one real channel).
 */
#include "task.h"
#include "common/lengths.h"
#include "common/solvable.h"

enum { VERSION = 1 };

enum { EVERY, FINAL };

enum { N_MAX = 256 };

typedef struct {
    Length len;
    int n, score;
    bool balanced;
} Cfg;

static const Option options[] = {
    OPT_L(Cfg, len, "[6, 17]", 1, 1 << 20, "bits per example"),
    OPT_I(Cfg, n, "4", 1, N_MAX, "bits of the window"),
    OPT_E(Cfg, score, "every", "every|final", "ask at every whole window, or at the last only"),
    OPT_B(Cfg, balanced, "false", "fair bits; false: a bias drawn per sequence, as published"),
    OPT_END,
};

static bool shape(const void *cfg, const void *data, TaskShape *out, Err *err)
{
    (void)data;
    const Cfg *c = cfg;
    if (length_min(&c->len) < c->n)
        return err_set(err, EXIT_USAGE, "n_parity: len: %d is shorter than the window n: %d", length_min(&c->len),
                       c->n);
    *out = (TaskShape){
        .vocab_in = 2,
        .vocab_out = 2,
        .max_len = length_max(&c->len),
        .chance_uniform = 0.5,
        .chance_majority = c->balanced || c->n % 2 ? 0.5 : (1 + 1.0 / (c->n + 1)) / 2,
        .ceiling = 1,
        .headline = "acc_token",
    };
    return true;
}

static void sample(const void *cfg, const void *data, Rng *rng, Example *e)
{
    (void)data;
    const Cfg *c = cfg;
    double q = c->balanced ? 0.5 : rng_uniform(rng);
    int len = c->len.now, y = 0;
    for (int t = 0; t < len; t++) {
        e->input[t] = rng_uniform(rng) < q;
        y ^= e->input[t];
        if (t >= c->n) y ^= e->input[t - c->n];
        if (t >= c->n - 1 && (c->score == EVERY || t == len - 1)) e->target[t] = y;
    }
    e->len = len;
}

/* Count the ones of each window anew. */
static void solve(const void *cfg, const void *data, const int *input, int len, int *prediction)
{
    (void)data;
    const Cfg *c = cfg;
    for (int t = 0; t < len; t++) {
        int ones = 0;
        for (int i = t; i >= 0 && i > t - c->n; i--) ones += input[i];
        prediction[t] = ones % 2;
    }
}

static double memory_bits(const void *cfg, const void *data)
{
    (void)data;
    const Cfg *c = cfg;
    return length_window_bits(&c->len, c->n, c->score == EVERY);
}

static const char *symbol(const void *cfg, const void *data, int id, bool is_target, char *buf)
{
    (void)cfg, (void)data, (void)buf;
    if (is_target) return id ? "odd" : "even";
    return id ? "1" : "0";
}

static Theory theory(const void *cfg, TheoryClass cls, int layers)
{
    (void)cfg;
    return solvable_row(SOLVABLE_WINDOW, cls, layers);
}

TASK_WITH(n_parity, "parity of the last n bits", "Khajehabdollahi et al. 2024 (ICLR)", .symbol = symbol,
          .memory_bits = memory_bits)
