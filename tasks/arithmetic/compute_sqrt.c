/* SPDX-License-Identifier: Apache-2.0
 * compute_sqrt - square root of a binary number, rounded down, most significant bit first.
 *
 *   input    x: n = len bits; blanks * n blanks, (n + 1)/2 queries, rounded down
 *   target   the root of x in as many bits
 *
 *   root of 26, len 5      input 1 1 0 1 0 2 2 2      target _ _ _ _ _ 1 0 1
 *
 * Ids: bits 0 and 1, the blank if there are any, the query (common/chomsky.h); V_out = 2. x is uniform in 1..2^n - 1.
 * L = n (1 + blanks) + (n + 1)/2. The bit of the root at place j is 1 with probability (1/2 + 2^(j-k-1)) / (1 - 4^-k)
 * for n = 2k: 3/4 for the first; a constant is right for the mean of these (or the rest), exactly. Slices: index, the
 * place in the answer (bins from 31 on are pooled). Cannot fail.
 *
 * Memory: at the first query all roots of n bits may be asked for.
 *
 * Source: Deletang et al. 2023 (arXiv:2207.02098), repository neural_networks_chomsky_hierarchy, compute_sqrt: training
 * len [1, 40], testing 41 to 500. Deviations: small defaults.
 */
#include "task.h"
#include "common/binary.h"
#include "common/chomsky.h"
#include "common/lengths.h"
#include "common/limbs.h"
#include "common/solvable.h"

#include <math.h>
#include <string.h>

enum { VERSION = 1 };

enum { LIMBS_MAX = CHOMSKY_LEN_MAX / 32 + 2 };

typedef struct {
    Length len;
    int blanks;
} Cfg;

static const Option options[] = {
    CHOMSKY_OPTIONS(Cfg, "[2, 20]", 1),
    OPT_END,
};

static Chomsky frame(const Cfg *c) { return (Chomsky){ .symbols = 2, .blanks = c->blanks }; }

/* Probability that bit j of the root of n bits is 1: numbers come in blocks of roots without and with that bit. Of the
 * latter, c = 0, 1, ..., each has ((2c+2) h)^2 - ((2c+1) h)^2 numbers, h = 2^j, but the last may be cut off at 2^n.
 * All in units of h^2 = 2^n / all. */
static double bit_share(int n, int j)
{
    if (n - 2 * j > 60) return 0.5;
    const double all = ldexp(1, n - 2 * j), blocks = floor(sqrt(all) / 2), odd = 2 * blocks + 1;
    const double ones = 2 * blocks * blocks + blocks + fmax(0, all - odd * odd);
    return ones / (all - ldexp(1, -2 * j));
}

static double majority_share(const Cfg *c)
{
    double ones = 0, bits = 0;
    for (int n = length_min(&c->len); n <= length_max(&c->len); n++) {
        const double weight = length_share(&c->len, n);
        if (weight <= 0) continue;
        bits += weight * ((n + 1) / 2);
        for (int j = 0; j < (n + 1) / 2; j++) ones += weight * bit_share(n, j);
    }
    return fmin(fmax(ones, bits - ones) / bits, 1 - 1e-9);
}

static bool shape(const void *cfg, const void *data, TaskShape *out, Err *err)
{
    (void)data, (void)err;
    const Cfg *c = cfg;
    const Chomsky f = frame(c);
    const int n = length_max(&c->len);
    *out = (TaskShape){
        .vocab_in = chomsky_vocab(&f),
        .vocab_out = 2,
        .max_len = chomsky_len(&f, n, (n + 1) / 2),
        .chance_uniform = 0.5,
        .chance_majority = majority_share(c),
        .ceiling = 1,
        .headline = "acc_token",
        .slice_label = "index",
    };
    return true;
}

/* r -= d, limbs; or, if r < d, leave r and return false. */
static bool subtract(uint32_t *r, const uint32_t *d, int limbs)
{
    int i = limbs - 1;
    while (i > 0 && r[i] == d[i]) i--;
    if (r[i] < d[i]) return false;
    uint64_t borrow = 0;
    for (i = 0; i < limbs; i++) {
        borrow = (uint64_t)r[i] - d[i] - borrow;
        r[i] = (uint32_t)borrow;
        borrow = borrow >> 63;
    }
    return true;
}

/* x = x << by | low, by 1 or 2 bits. */
static void shift(uint32_t *x, int limbs, int by, uint32_t low)
{
    for (int i = 0; i < limbs; i++) {
        const uint32_t out = x[i] >> (32 - by);
        x[i] = x[i] << by | low;
        low = out;
    }
}

/* By hand: two digits come down, one digit of the root comes out if 4 root + 1 can be taken off the rest. */
static void sample(const void *cfg, const void *data, Rng *rng, Example *e)
{
    (void)data;
    const Cfg *c = cfg;
    const Chomsky f = frame(c);
    uint32_t rest[LIMBS_MAX] = { 0 }, root4[LIMBS_MAX] = { 0 };
    int y[CHOMSKY_LEN_MAX], *x = e->input;
    const int n = c->len.now, out = (n + 1) / 2;
    binary_number(rng, n, x);
    for (int i = 0; i < out; i++) {
        const int t = 2 * i - (n & 1), limbs = limbs_of(i + 3);
        shift(rest, limbs, 2, (uint32_t)((t < 0 ? 0 : 2 * x[t]) + x[t + 1]));
        root4[0] |= 1;
        y[i] = subtract(rest, root4, limbs);
        root4[0] = (root4[0] & ~1u) + (y[i] ? 2 : 0);
        shift(root4, limbs, 1, 0);
    }
    chomsky_write(&f, n, y, out, out, 0, e);
    e->has_slice = true;
}

static bool exceeds(const uint32_t *a, const uint32_t *b, int limbs)
{
    int i = limbs - 1;
    while (i > 0 && a[i] == b[i]) i--;
    return a[i] > b[i];
}

/* Bit by bit from above, kept if the square does not exceed x. */
static int answer(const void *cfg, const int *x, int n, int *y)
{
    (void)cfg;
    uint32_t number[LIMBS_MAX] = { 0 }, root[LIMBS_MAX] = { 0 }, square[2 * LIMBS_MAX] = { 0 };
    const int out = (n + 1) / 2, limbs = limbs_of(out);
    for (int i = 0; i < n; i++)
        if (x[i] == 1) limbs_set(number, n - 1 - i);
    for (int j = out - 1; j >= 0; j--) {
        limbs_set(root, j);
        limbs_multiply(square, root, limbs, root, limbs);
        y[out - 1 - j] = !exceeds(square, number, 2 * limbs);
        if (!y[out - 1 - j]) root[j / 32] ^= (uint32_t)1 << (j % 32);
    }
    return out;
}

CHOMSKY_SOLVE(frame, answer)

static double memory_bits(const void *cfg, const void *data)
{
    (void)data;
    const Cfg *c = cfg;
    const int n = length_max(&c->len);
    return n > 50 ? n / 2.0 : log2(floor(sqrt(ldexp(1, n) - 1)));
}

static const char *symbol(const void *cfg, const void *data, int id, bool is_target, char *buf)
{
    (void)data, (void)buf;
    const Chomsky f = frame(cfg);
    if (!is_target && chomsky_symbol(&f, id)) return chomsky_symbol(&f, id);
    return id ? "1" : "0";
}

static Theory theory(const void *cfg, TheoryClass cls, int layers)
{
    (void)cfg;
    return solvable_row(SOLVABLE_MULTIPLY, cls, layers);
}

TASK_WITH(compute_sqrt, "square root of a binary number", "arXiv:2207.02098", .symbol = symbol,
          .memory_bits = memory_bits)
