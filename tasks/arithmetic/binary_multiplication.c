/* SPDX-License-Identifier: Apache-2.0
 * binary_multiplication - product of two binary numbers, least significant bit first.
 *
 *   input    a, the separator 2, b: n = len symbols; blanks * n blanks, n queries
 *   target   a * b without leading zeros, then the terminator 2; what follows it (the tail, zeros) is not scored
 *
 *   5 * 3, len 6      input 1 0 1 2 1 1 3 3 3 3 3 3      target _ _ _ _ _ _ 1 1 1 1 2 _
 *
 * Ids: bits 0 and 1, the separator 2, the blank if there are any, the query (common/chomsky.h); V_out = 3. a has 1 to
 * n-2 digits, uniform, b the other n-1, both uniform from 1 on, zeros in front (behind, as written here) included. n 1
 * and 2 show a single number below 2^n - 1, and the answer is n-1 zeros. L = n (2 + blanks).
 *
 * score_tail: true scores the zeros of the tail too; compat: chomsky trains on them and does not score them, as
 * published. A constant is right for about half: measured. Slices: index, the place in the answer (bins from 31 on are
 * pooled). Fails for score_tail with compat.
 *
 * Memory: at the first query 2^(n-2) - 1 different products, those with b = 1, may be asked for, and more (none differ
 * for n below 3).
 *
 * Source: Deletang et al. 2023 (arXiv:2207.02098), repository neural_networks_chomsky_hierarchy, binary_multiplication:
 * training len [1, 40], testing 41 to 500. Deviations: small defaults.
 */
#include "task.h"
#include "common/binary.h"
#include "common/limbs.h"
#include "common/solvable.h"

#include <math.h>

enum { VERSION = 1 };

enum { LIMBS_MAX = CHOMSKY_LEN_MAX / 32 + 1 };

typedef BinaryCfg Cfg;

static const Option options[] = { BINARY_OPTIONS(Cfg), OPT_END };

static bool shape(const void *cfg, const void *data, TaskShape *out, Err *err)
{
    (void)data;
    return binary_shape(cfg, "binary_multiplication", 0, out, err);
}

static void sample(const void *cfg, const void *data, Rng *rng, Example *e)
{
    (void)data;
    const Cfg *c = cfg;
    const Chomsky f = binary_frame(c);
    uint32_t a[LIMBS_MAX] = { 0 }, b[LIMBS_MAX] = { 0 }, product[2 * LIMBS_MAX];
    int y[CHOMSKY_LEN_MAX + 1], *x = e->input;
    const int n = c->len.now, na = binary_pair(rng, n, x), nb = n - 1 - na;
    for (int i = 0; i < na; i++)
        if (n > 2 && x[i]) limbs_set(a, i);
    for (int i = 0; i < nb; i++)
        if (x[na + 1 + i]) limbs_set(b, i);
    limbs_multiply(product, a, limbs_of(na), b, limbs_of(n));
    for (int i = 0; i < n - 1; i++) y[i] = limbs_bit(product, i);
    const int end = n > 2 ? binary_end(y, n - 1, n) : n;
    y[end - 1] = BINARY_SEPARATOR;
    chomsky_write(&f, n, y, n, c->score_tail ? n : end, c->compat ? n : 0, e);
    e->has_slice = true;
}

/* Digit by digit: the ones of all products of digits that fall into a place, and the carry. */
static int answer(const void *cfg, const int *x, int n, int *y)
{
    (void)cfg;
    int a = 0, end = 0, carry = 0;
    while (a < n && x[a] != BINARY_SEPARATOR) a++;
    for (int k = 0; k < n; k++) {
        for (int i = 0; i <= k && i < a; i++)
            if (x[i] == 1 && a + 1 + k - i < n) carry += x[a + 1 + k - i] == 1;
        y[k] = carry & 1;
        carry >>= 1;
        if (y[k]) end = k + 1;
    }
    if (end == 0 || n < 3) end = n > 0 ? n - 1 : 0;
    for (int k = end; k < n; k++) y[k] = k == end ? BINARY_SEPARATOR : 0;
    return n;
}

CHOMSKY_SOLVE(binary_frame, answer)

static double memory_bits(const void *cfg, const void *data)
{
    (void)data;
    const Cfg *c = cfg;
    const int n = length_max(&c->len);
    if (n < 3) return 0;
    return n > 60 ? n - 2 : log2(ldexp(1, n - 2) - 1);
}

static const char *symbol(const void *cfg, const void *data, int id, bool is_target, char *buf)
{
    (void)data, (void)buf;
    return binary_symbol(cfg, "*", id, is_target);
}

static Theory theory(const void *cfg, TheoryClass cls, int layers)
{
    (void)cfg;
    return solvable_row(SOLVABLE_MULTIPLY, cls, layers);
}

TASK_WITH(binary_multiplication, "product of two binary numbers", "arXiv:2207.02098", .symbol = symbol,
          .memory_bits = memory_bits)
