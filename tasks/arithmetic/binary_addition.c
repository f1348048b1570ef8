/* SPDX-License-Identifier: Apache-2.0
 * binary_addition - sum of two binary numbers, least significant bit first.
 *
 *   input    a, the separator 2, b: n = len symbols; blanks * n blanks, n + 1 queries
 *   target   a + b without leading zeros, then the terminator 2; what follows it (the tail, zeros) is not scored
 *
 *   5 + 3, len 6      input 1 0 1 2 1 1 3 3 3 3 3 3 3      target _ _ _ _ _ _ 0 0 0 1 2 _ _
 *
 * Ids: bits 0 and 1, the separator 2, the blank if there are any, the query (common/chomsky.h); V_out = 3. a has 1 to
 * n-2 digits, uniform, b the other n-1, both uniform from 1 on, zeros in front (behind, as written here) included. n 1
 * and 2 show a single number below 2^n - 1, which is the answer too (0 has one digit). L = n (2 + blanks) + 1.
 *
 * score_tail: true scores the zeros of the tail too; compat: chomsky trains on them and does not score them, as
 * published. A constant is right for about half: measured. Slices: index, the place in the answer (bins from 31 on are
 * pooled). Fails for score_tail with compat.
 *
 * Memory: at the first query 2^(n-2) - 1 different sums may be asked for (n 2: 3, n 1: 1).
 *
 * Source: Deletang et al. 2023 (arXiv:2207.02098), repository neural_networks_chomsky_hierarchy, binary_addition:
 * training len [1, 40], testing 41 to 500. UNVERIFIED: that 0 has one digit there. Deviations: small defaults.
 */
#include "task.h"
#include "common/binary.h"
#include "common/solvable.h"

#include <math.h>

enum { VERSION = 1 };

typedef BinaryCfg Cfg;

static const Option options[] = { BINARY_OPTIONS(Cfg), OPT_END };

static bool shape(const void *cfg, const void *data, TaskShape *out, Err *err)
{
    (void)data;
    return binary_shape(cfg, "binary_addition", 1, out, err);
}

static void sample(const void *cfg, const void *data, Rng *rng, Example *e)
{
    (void)data;
    const Cfg *c = cfg;
    const Chomsky f = binary_frame(c);
    int y[CHOMSKY_LEN_MAX + 2], *x = e->input, carry = 0, i = 0;
    const int n = c->len.now, a = binary_pair(rng, n, x), b = n - 1 - a;
    for (; i < a || i < b; i++) {
        carry += (i < a ? x[i] : 0) + (i < b ? x[a + 1 + i] : 0);
        y[i] = carry & 1;
        carry >>= 1;
    }
    y[i++] = carry;
    const int end = binary_end(y, i, n + 1);
    chomsky_write(&f, n, y, n + 1, c->score_tail ? n + 1 : end, c->compat ? n + 1 : 0, e);
    e->has_slice = true;
}

/* Without a chain of carries: the carry into a place is 1 if the last place before it whose bits agree has two ones. */
static int answer(const void *cfg, const int *x, int n, int *y)
{
    (void)cfg;
    int a = 0, end = 0;
    y[0] = 0;
    while (a < n && x[a] != BINARY_SEPARATOR) a++;
    for (int i = 0, agreed = 0; i < n; i++) {
        const int p = i < a && x[i] == 1, q = a + 1 + i < n && x[a + 1 + i] == 1;
        y[i] = (p != q) != agreed;
        if (p == q) agreed = p;
        if (y[i]) end = i;
    }
    for (int i = end + 1; i <= n; i++) y[i] = 0;
    y[end + 1] = BINARY_SEPARATOR;
    return n + 1;
}

CHOMSKY_SOLVE(binary_frame, answer)

/* 2 up to 2^(n-2), with b = 1 next to all a of n-2 digits. */
static double memory_bits(const void *cfg, const void *data)
{
    (void)data;
    const Cfg *c = cfg;
    const int n = length_max(&c->len);
    if (n < 3) return n == 2 ? log2(3) : 0;
    return n > 60 ? n - 2 : log2(ldexp(1, n - 2) - 1);
}

static const char *symbol(const void *cfg, const void *data, int id, bool is_target, char *buf)
{
    (void)data, (void)buf;
    return binary_symbol(cfg, "+", id, is_target);
}

static Theory theory(const void *cfg, TheoryClass cls, int layers)
{
    (void)cfg;
    if (cls.kind == CLASS_ATTENTION)
        return (Theory){ THEORY_APPROX, "carries are found by looking ahead (AC0); precision must grow with length" };
    return solvable_row(SOLVABLE_COPY, cls, layers);
}

TASK_WITH(binary_addition, "sum of two binary numbers", "arXiv:2207.02098", .symbol = symbol,
          .memory_bits = memory_bits)
