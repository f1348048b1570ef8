/* SPDX-License-Identifier: Apache-2.0
 * binary.h - input strings of the tasks that take two binary numbers, least significant bit first: a 2 b, where a has
 * 1 to n-2 digits, b the rest, and neither is 0; a single number below 2^n - 1 where n < 3.
 *
 * Source: Deletang et al. 2023 (arXiv:2207.02098), repository neural_networks_chomsky_hierarchy.
 */
#ifndef SEQPROBE_TASKS_BINARY_H
#define SEQPROBE_TASKS_BINARY_H

#include "common/chomsky.h"

enum { BINARY_SEPARATOR = 2 };

/* The options of both tasks; answers end with the separator's id as terminator, then zeros (the tail). */
typedef struct BinaryCfg {
    Length len;
    int blanks, compat;
    bool score_tail;
} BinaryCfg;

#define BINARY_OPTIONS(T) \
    CHOMSKY_OPTIONS(T, "[3, 20]", 1), \
    OPT_B(T, score_tail, "false", "score what follows the terminator: zeros"), \
    OPT_E(T, compat, "none", "none|chomsky", "chomsky: train on the tail, but do not score it")

static inline Chomsky binary_frame(const BinaryCfg *c) { return (Chomsky){ .symbols = 3, .blanks = c->blanks }; }
/* For answers of n + more places to n symbols. Fails, naming `task`, for compat with score_tail. */
bool binary_shape(const BinaryCfg *c, const char *task, int more, TaskShape *out, Err *err);
/* Bits, the frame's marks, the terminator and `sign` for the separator. */
const char *binary_symbol(const BinaryCfg *c, const char *sign, int id, bool is_target);

/* n random bits into x, not all 0. */
static inline void binary_number(Rng *rng, int n, int *x)
{
    for (int some = n == 1; !some;)
        for (int i = 0; i < n; i++) some |= x[i] = (int)rng_below(rng, 2);
    if (n == 1) x[0] = 1;
}

/* n symbols into x; returns the digits of a (n itself for n < 3). */
static inline int binary_pair(Rng *rng, int n, int *x)
{
    if (n < 3) {
        const uint32_t v = rng_below(rng, (1u << n) - 1);
        for (int i = 0; i < n; i++) x[i] = (int)(v >> i & 1);
        return n;
    }
    const int a = 1 + (int)rng_below(rng, (uint32_t)n - 2);
    binary_number(rng, a, x);
    x[a] = BINARY_SEPARATOR;
    binary_number(rng, n - 1 - a, x + a + 1);
    return a;
}

/* End the digits y[0..n-1]: without leading zeros (one digit of 0 stays), a terminator, zeros up to `out`. Returns how
 * many places there are up to the terminator, at most `out`. */
static inline int binary_end(int *y, int n, int out)
{
    while (n > 1 && !y[n - 1]) n--;
    y[n++] = BINARY_SEPARATOR;
    for (int i = n; i < out; i++) y[i] = 0;
    return n;
}

#endif
