/* SPDX-License-Identifier: Apache-2.0
 * delayed_match - is this bit the same as the one n-1 positions ago? (n-delayed match to sample)
 *
 *   input    b[0] b[1] ... b[len-1]           fair bits
 *   target   y[t] = 1 if b[t-n+1] = b[t]      at every t >= n-1 (score: every), or at the last bit only (final)
 *
 *   n 3, every   input 1 0 1 1      target _ _ 1 0
 *   n 3, final   input 1 0 1 1      target _ _ _ 0
 *
 * Ids: the bits 0 and 1; V_in = V_out = 2, class 1 is a match. A constant is right half the time, exactly. The bits
 * that are compared lie n-1 apart, as in the source, so that n 1 would be no task and n starts at 2.
 *
 * Memory: the last n-1 bits, or len-n+1 of them if the example ends before the others are asked for. final: one bit, or
 * one for each of the possible lengths within n-1 positions.
 *
 * Fails for len below n (there is nothing to compare).
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
} Cfg;

static const Option options[] = {
    OPT_L(Cfg, len, "[6, 17]", 2, 1 << 20, "bits per example"),
    OPT_I(Cfg, n, "4", 2, N_MAX, "bits from the sample to the match, both counted"),
    OPT_E(Cfg, score, "every", "every|final", "ask at every bit with a sample, or at the last only"),
    OPT_END,
};

static bool shape(const void *cfg, const void *data, TaskShape *out, Err *err)
{
    (void)data;
    const Cfg *c = cfg;
    if (length_min(&c->len) < c->n)
        return err_set(err, EXIT_USAGE, "delayed_match: len: %d is shorter than n: %d", length_min(&c->len), c->n);
    *out = (TaskShape){
        .vocab_in = 2,
        .vocab_out = 2,
        .max_len = length_max(&c->len),
        .chance_uniform = 0.5,
        .chance_majority = 0.5,
        .ceiling = 1,
        .headline = "acc_token",
    };
    return true;
}

static void sample(const void *cfg, const void *data, Rng *rng, Example *e)
{
    (void)data;
    const Cfg *c = cfg;
    int len = c->len.now;
    for (int t = 0; t < len; t++) {
        e->input[t] = (int)rng_below(rng, 2);
        if (t >= c->n - 1 && (c->score == EVERY || t == len - 1))
            e->target[t] = e->input[t] == e->input[t - (c->n - 1)];
    }
    e->len = len;
}

/* A ring of the last n-1 bits; the oldest is replaced by the newest after it was compared. */
static void solve(const void *cfg, const void *data, const int *input, int len, int *prediction)
{
    (void)data;
    const Cfg *c = cfg;
    int ring[N_MAX] = { 0 }, at = 0;
    for (int t = 0; t < len; t++) {
        prediction[t] = 1 - (ring[at] ^ input[t]);
        ring[at] = input[t];
        at = at + 1 < c->n - 1 ? at + 1 : 0;
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
    if (is_target) return id ? "same" : "diff";
    return id ? "1" : "0";
}

static Theory theory(const void *cfg, TheoryClass cls, int layers)
{
    (void)cfg;
    return solvable_row(SOLVABLE_WINDOW, cls, layers);
}

TASK_WITH(delayed_match, "is this bit the one n-1 positions ago?", "Khajehabdollahi et al. 2024 (ICLR)",
          .symbol = symbol, .memory_bits = memory_bits)
