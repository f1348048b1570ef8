/* SPDX-License-Identifier: Apache-2.0
 * missing_duplicate - a string is given twice with one symbol hidden: which?
 *
 *   input    w w with one of its 2h symbols, uniform, replaced by the hole, h = n / 2     and a filler if n is odd
 *   target   the hidden symbol, read at the one query behind it
 *
 *   len 6       input 1 0 2 1 0 1 4               target _ _ _ _ _ _ 1
 *   len 5       input 1 0 1 2 3 4                 target _ _ _ _ _ 0
 *   len 1       input 2 4                         target _ 1
 *
 * Ids: symbols 0..alphabet-1, the hole, the filler, the blank if there are any, the query (common/chomsky.h). V_out =
 * alphabet. Symbols are independent and uniform, so a constant is right for 1 of alphabet, exactly, but len 1 always
 * asks for 1. L = n (1 + blanks) + 1. Cannot fail.
 *
 * Worth knowing: what is visible shows every other symbol of w twice, so of bits the parity of the ones is the answer,
 * and this task, filed under context-sensitive, is parity_check (len 1 aside). With more symbols it is a signed sum
 * modulo alphabet, which takes to know where the middle is.
 *
 * Memory: log2(alphabet) bits, for strings that differ in one place, the hole being there in the second copy.
 *
 * Source: Deletang et al. 2023 (arXiv:2207.02098), repository neural_networks_chomsky_hierarchy,
 * missing_duplicate_string: bits, training len [1, 40], testing 41 to 500. Deviations: other alphabets; small defaults;
 * len 1 shows the hole (the source shows the symbol 1).
 */
#include "task.h"
#include "common/chomsky.h"
#include "common/lengths.h"
#include "common/solvable.h"

#include <math.h>
#include <stdio.h>

enum { VERSION = 1 };

typedef struct {
    Length len;
    int blanks, alphabet;
} Cfg;

static const Option options[] = {
    CHOMSKY_OPTIONS(Cfg, "[2, 20]", 1),
    OPT_I(Cfg, alphabet, "2", 2, 1024, "symbols"),
    OPT_END,
};

static Chomsky frame(const Cfg *c) { return (Chomsky){ .symbols = c->alphabet + 2, .blanks = c->blanks }; }
static int id_hole(const Cfg *c) { return c->alphabet; }
static int id_filler(const Cfg *c) { return c->alphabet + 1; }

static bool shape(const void *cfg, const void *data, TaskShape *out, Err *err)
{
    (void)data, (void)err;
    const Cfg *c = cfg;
    const Chomsky f = frame(c);
    const double one = length_share(&c->len, 1);
    *out = (TaskShape){
        .vocab_in = chomsky_vocab(&f),
        .vocab_out = c->alphabet,
        .max_len = chomsky_len(&f, length_max(&c->len), 1),
        .chance_uniform = 1.0 / c->alphabet,
        .chance_majority = one + (1 - one) / c->alphabet,
        .ceiling = 1,
        .headline = "acc_token",
    };
    return true;
}

static void sample(const void *cfg, const void *data, Rng *rng, Example *e)
{
    (void)data;
    const Cfg *c = cfg;
    const Chomsky f = frame(c);
    const int n = c->len.now, half = n / 2;
    int y = 1;
    if (n == 1) e->input[0] = id_hole(c);
    for (int i = 0; i < half; i++) e->input[i] = e->input[half + i] = (int)rng_below(rng, (uint32_t)c->alphabet);
    if (n > 1) {
        const int hole = (int)rng_below(rng, 2 * (uint32_t)half);
        y = e->input[hole];
        e->input[hole] = id_hole(c);
        if (n % 2) e->input[n - 1] = id_filler(c);
    }
    chomsky_write(&f, n, &y, 1, 1, 0, e);
}

/* Add up the first half and subtract the second: every twin cancels but the hole's. */
static int answer(const void *cfg, const int *x, int n, int *y)
{
    const Cfg *c = cfg;
    int sum = 0, side = 1;
    for (int i = 0; i < n / 2 * 2; i++) {
        const int sign = i < n / 2 ? 1 : -1;
        if (x[i] == id_hole(c)) side = -sign;
        if (x[i] < c->alphabet) sum += sign * x[i];
    }
    sum = side * sum % c->alphabet;
    y[0] = n == 1 ? 1 : sum < 0 ? sum + c->alphabet : sum;
    return 1;
}

CHOMSKY_SOLVE(frame, answer)

static double memory_bits(const void *cfg, const void *data)
{
    (void)data;
    const Cfg *c = cfg;
    return length_max(&c->len) > 1 ? log2(c->alphabet) : 0;
}

static const char *symbol(const void *cfg, const void *data, int id, bool is_target, char *buf)
{
    (void)data;
    const Cfg *c = cfg;
    const Chomsky f = frame(c);
    if (!is_target && chomsky_symbol(&f, id)) return chomsky_symbol(&f, id);
    if (!is_target && id >= c->alphabet) return id == id_hole(c) ? "_" : "~";
    snprintf(buf, 32, "%d", id);
    return buf;
}

static Theory theory(const void *cfg, TheoryClass cls, int layers)
{
    if (((const Cfg *)cfg)->alphabet == 2) return solvable_row(SOLVABLE_PARITY, cls, layers);
    if (cls.kind == CLASS_OTHER || cls.kind == CLASS_ATTENTION) return solvable_row(SOLVABLE_COPY, cls, layers);
    return (Theory){ THEORY_OPEN, "a sum modulo alphabet would do, but its sign turns in the middle" };
}

TASK_WITH(missing_duplicate, "the hidden symbol of a string given twice", "arXiv:2207.02098", .symbol = symbol,
          .memory_bits = memory_bits)
