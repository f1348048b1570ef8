/* SPDX-License-Identifier: Apache-2.0
 * stack_manipulation - push and pop on a given stack, then read it from the top.
 *
 *   input    stack, bottom first, then actions; n = len symbols in all, blanks * n blanks, n + 1 queries
 *   target   the final stack, top first, then the terminator; what follows it (the tail, zeros) is not scored
 *
 *   len 6       input 0 1 1 4 2 2 5 5 5 5 5 5 5        target _ _ _ _ _ _ 1 0 2 _ _ _ _
 *
 * Ids: stack symbols 0..A-1, A = alphabet, POP A, PUSH i A+1+i, the blank if there are any, the query
 * (common/chomsky.h). V_out = A+1, the terminator is class A. The stack has s symbols, s uniform in 1..n-1 (1 for n 1),
 * independent and uniform; the n - s actions are uniform among POP and the A PUSH; POP on an empty stack does nothing.
 * L = n (2 + blanks) + 1.
 *
 * score_tail: true scores the zeros of the tail too; compat: chomsky trains on them and does not score them, as
 * published. Classes are not balanced: with E the mean height of the final stack the terminator is right for 1 / (1 +
 * E), each symbol for E / (A (1 + E)); the tail adds zeros. E follows from the chain of heights, so the majority share
 * is exact; it is measured for lengths above 1024. Slices: index, the place in the answer (bins from 31 on are pooled).
 * Fails for score_tail with compat.
 *
 * Memory: log2 of the stacks after n symbols, all of height 0..n but n-1, which no number of actions gives.
 *
 * Source: Deletang et al. 2023 (arXiv:2207.02098), repository neural_networks_chomsky_hierarchy, stack_manipulation:
 * alphabet 2, training len [1, 40], testing 41 to 500. Deviations: other alphabets; small defaults.
 */
#include "task.h"
#include "common/chomsky.h"
#include "common/lengths.h"
#include "common/solvable.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { VERSION = 1 };

enum { SHARE_LEN_MAX = 1024 };

typedef struct {
    Length len;
    int blanks, alphabet, compat;
    bool score_tail;
} Cfg;

static const Option options[] = {
    CHOMSKY_OPTIONS(Cfg, "[2, 20]", 1),
    OPT_I(Cfg, alphabet, "2", 2, 1024, "stack symbols"),
    OPT_B(Cfg, score_tail, "false", "score what follows the terminator: zeros"),
    OPT_E(Cfg, compat, "none", "none|chomsky", "chomsky: train on the tail, but do not score it"),
    OPT_END,
};

static Chomsky frame(const Cfg *c) { return (Chomsky){ .symbols = 2 * c->alphabet + 1, .blanks = c->blanks }; }
static int id_pop(const Cfg *c) { return c->alphabet; }

/* Accuracy of the best constant. at[h]: how likely height h is after n symbols, summed over all runs, of which one
 * starts its actions after each symbol. */
static double majority_share(const Cfg *c)
{
    const double pop = 1.0 / (c->alphabet + 1), push = 1 - pop;
    double at[SHARE_LEN_MAX + 2] = { 0 }, symbols = 0, tail = 0;
    if (length_max(&c->len) > SHARE_LEN_MAX) return 0;
    for (int n = 1; n <= length_max(&c->len); n++) {
        double next[SHARE_LEN_MAX + 1], sum = 0;
        next[0] = pop * (at[0] + at[1]);
        for (int h = 1; h <= n; h++) {
            next[h] = push * at[h - 1] + pop * at[h + 1];
            sum += h * next[h];
        }
        memcpy(at, next, sizeof *at * ((size_t)n + 1));
        at[n] += 1;
        const double height = n > 1 ? sum / (n - 1) : 1;
        symbols += length_share(&c->len, n) * height;
        tail += length_share(&c->len, n) * (c->score_tail ? n - height : 0);
    }
    return fmax(symbols / c->alphabet + tail, 1) / (symbols + 1 + tail);
}

static bool shape(const void *cfg, const void *data, TaskShape *out, Err *err)
{
    (void)data;
    const Cfg *c = cfg;
    const Chomsky f = frame(c);
    const int n = length_max(&c->len);
    if (c->score_tail && c->compat)
        return err_set(err, EXIT_USAGE, "stack_manipulation: compat: chomsky needs score_tail: false");
    *out = (TaskShape){
        .vocab_in = chomsky_vocab(&f),
        .vocab_out = c->alphabet + 1,
        .max_len = chomsky_len(&f, n, n + 1),
        .chance_uniform = 1.0 / (c->alphabet + 1),
        .chance_majority = majority_share(c),
        .ceiling = 1,
        .headline = "acc_token",
        .slice_label = "index",
    };
    return true;
}

static void sample(const void *cfg, const void *data, Rng *rng, Example *e)
{
    (void)data;
    const Cfg *c = cfg;
    const Chomsky f = frame(c);
    const int n = c->len.now, start = n > 1 ? 1 + (int)rng_below(rng, (uint32_t)n - 1) : 1;
    int stack[CHOMSKY_LEN_MAX], y[CHOMSKY_LEN_MAX + 1] = { 0 }, height = 0, out = 0;
    for (int t = 0; t < n; t++) {
        const int action = t < start ? -1 : (int)rng_below(rng, (uint32_t)c->alphabet + 1);
        const int item = t < start ? (int)rng_below(rng, (uint32_t)c->alphabet) : action - 1;
        e->input[t] = t < start ? item : id_pop(c) + action;
        if (action != 0)
            stack[height++] = item;
        else if (height > 0)
            height--;
    }
    while (height > 0) y[out++] = stack[--height];
    y[out++] = c->alphabet;
    chomsky_write(&f, n, y, n + 1, c->score_tail ? n + 1 : out, c->compat ? n + 1 : 0, e);
    e->has_slice = true;
}

/* From the back, without a stack: a symbol is on it unless a later POP takes it, and the nearest one is the top. */
static int answer(const void *cfg, const int *x, int n, int *y)
{
    const Cfg *c = cfg;
    int pops = 0, out = 0;
    for (int i = n - 1; i >= 0; i--) {
        if (x[i] == id_pop(c))
            pops++;
        else if (pops > 0)
            pops--;
        else
            y[out++] = x[i] < id_pop(c) ? x[i] : x[i] - id_pop(c) - 1;
    }
    y[out++] = c->alphabet;
    while (out < n + 1) y[out++] = 0;
    return n + 1;
}

CHOMSKY_SOLVE(frame, answer)

static double memory_bits(const void *cfg, const void *data)
{
    (void)data;
    const Cfg *c = cfg;
    const int n = length_max(&c->len);
    double stacks = 1, a = c->alphabet; /* per a^n; those of height n */
    for (int h = 0; h < n - 1; h++) stacks += pow(a, h - n);
    return n * log2(a) + log2(stacks);
}

static const char *symbol(const void *cfg, const void *data, int id, bool is_target, char *buf)
{
    (void)data;
    const Cfg *c = cfg;
    const Chomsky f = frame(c);
    if (is_target && id == c->alphabet) return "<end>";
    if (!is_target && id == id_pop(c)) return "pop";
    if (!is_target && chomsky_symbol(&f, id)) return chomsky_symbol(&f, id);
    if (id > c->alphabet)
        snprintf(buf, 32, "+%d", id - id_pop(c) - 1);
    else
        snprintf(buf, 32, "%d", id);
    return buf;
}

static Theory theory(const void *cfg, TheoryClass cls, int layers)
{
    (void)cfg;
    return solvable_row(SOLVABLE_STACK, cls, layers);
}

TASK_WITH(stack_manipulation, "push and pop on a stack, then read it", "arXiv:2207.02098", .symbol = symbol,
          .memory_bits = memory_bits)
