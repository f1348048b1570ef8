/* SPDX-License-Identifier: Apache-2.0
 * copy_memory - a few symbols, a long silence, a sign, then the symbols again.
 *
 *   standard   m symbols, len-1 blanks, sign, m blanks          L = len + 2m
 *   wrnn       m symbols, blanks, sign at len-1, m blanks       L = len + m
 *   target     the symbols in order, at the last m positions
 *
 *   standard, m 3, symbols 4, len 3    input 2 4 1 0 0 5 0 0 0    target _ _ _ _ _ _ 2 4 1
 *   wrnn,     m 3, symbols 4, len 5    input 2 4 1 0 5 0 0 0      target _ _ _ _ _ 2 4 1
 *   ..., compat: wrnn, len 3           input 2 4 5 0 0 0          target _ _ _ 2 4 5
 *
 * Ids: blank 0, symbols 1..symbols, sign symbols+1; V_in = V_out = symbols + 2. Symbols are uniform with repetition.
 * score: mask trains on the last m positions; all trains on every position (blank everywhere else) and still evaluates
 * the last m only, where a constant is right for 1 of symbols, exactly. Who knows the layout but no symbol has a
 * training loss of m ln(symbols) / L under all. Slices: none (all waits of an example are equally long).
 *
 * Memory: m log2(symbols) bits during the silence.
 *
 * wrnn fails for len <= m, where the sign would overwrite a symbol. compat: wrnn allows len = m, as published (m 10,
 * len 10): the last symbol is lost, and the sign is asked for in its place (a constant is then right for the larger of
 * (m-1) / (m symbols) and 1/m).
 *
 * Source: standard: Arjovsky et al. 2016 (arXiv:1511.06464), section 5.1: m 10, symbols 8, len 100, 200, 300, 500 (the
 * lengths UNVERIFIED). wrnn: Keller et al. 2023 (arXiv:2309.08045; the number UNVERIFIED), repository Wave_RNNs: m 10,
 * symbols 8, len 10, 20, 50, 100, 500, trained and scored at all positions. Deviations: len 30 by default; blanks are
 * never evaluated.
 */
#include "task.h"

#include "common/lengths.h"
#include "common/solvable.h"

#include <math.h>
#include <stdio.h>

enum { VERSION = 1 };

enum { STANDARD, WRNN };

enum { MASK, ALL };

typedef struct {
    Length len;
    int layout, m, symbols, score, compat;
} Cfg;

static const Option options[] = {
    OPT_L(Cfg, len, "30", 1, 1 << 20, "the delay T: blanks and sign (wrnn: symbols, too)"),
    OPT_E(Cfg, layout, "standard", "standard|wrnn", "delay counted from the last symbol, or from the first"),
    OPT_I(Cfg, m, "10", 1, 1024, "symbols to remember"),
    OPT_I(Cfg, symbols, "8", 2, 4096, "different symbols"),
    OPT_E(Cfg, score, "mask", "mask|all", "train on the last m positions, or on all; the last m are evaluated"),
    OPT_E(Cfg, compat, "none", "none|wrnn", "wrnn: let the sign overwrite the last symbol where len is m"),
    OPT_END,
};

static bool shape(const void *cfg, const void *data, TaskShape *out, Err *err)
{
    (void)data;
    const Cfg *c = cfg;
    int shortest = length_min(&c->len), least = c->m + !c->compat;
    if (c->layout == STANDARD && c->compat)
        return err_set(err, EXIT_USAGE, "copy_memory: compat: wrnn needs layout: wrnn");
    if (c->layout == WRNN && (shortest < least || shortest < 2))
        return err_set(err, EXIT_USAGE, "copy_memory: layout: wrnn with m: %d needs len of %d or more, not %d", c->m,
                       least < 2 ? 2 : least, shortest);
    double lost = c->layout == WRNN ? length_share(&c->len, c->m) / c->m : 0;
    *out = (TaskShape){
        .vocab_in = c->symbols + 2,
        .vocab_out = c->symbols + 2,
        .max_len = length_max(&c->len) + (c->layout == STANDARD ? 2 : 1) * c->m,
        .chance_uniform = 1.0 / c->symbols,
        .chance_majority = fmax(lost, (1 - lost) / c->symbols),
        .ceiling = 1,
        .headline = "acc_token",
    };
    return true;
}

static void sample(const void *cfg, const void *data, Rng *rng, Example *e)
{
    (void)data;
    const Cfg *c = cfg;
    int len = c->len.now + (c->layout == STANDARD ? 2 : 1) * c->m, answer = len - c->m;
    for (int t = 0; t < len; t++) e->input[t] = t < c->m ? 1 + (int)rng_below(rng, (uint32_t)c->symbols) : 0;
    e->input[answer - 1] = c->symbols + 1;
    for (int i = 0; i < c->m; i++) e->target[answer + i] = e->input[i];
    e->len = len;
    e->has_train_target = c->score == ALL;
    for (int t = 0; t < len && e->has_train_target; t++) e->train_target[t] = t < answer ? 0 : e->target[t];
}

static double memory_bits(const void *cfg, const void *data)
{
    (void)data;
    const Cfg *c = cfg;
    bool lost = c->layout == WRNN && length_max(&c->len) == c->m;
    return (c->m - lost) * log2(c->symbols);
}

/* A finger that walks from the start once the sign has come. */
static void solve(const void *cfg, const void *data, const int *input, int len, int *prediction)
{
    (void)data;
    const Cfg *c = cfg;
    int finger = -1;
    for (int t = 0; t < len; t++) {
        prediction[t] = finger < 0 ? 0 : input[finger++];
        if (finger < 0 && input[t] == c->symbols + 1) finger = 0;
    }
}

static const char *symbol(const void *cfg, const void *data, int id, bool is_target, char *buf)
{
    (void)data, (void)is_target;
    if (id == 0) return ".";
    if (id == ((const Cfg *)cfg)->symbols + 1) return "<sign>";
    snprintf(buf, 32, "%d", id);
    return buf;
}

static Theory theory(const void *cfg, TheoryClass cls, int layers)
{
    const Cfg *c = cfg;
    bool one_delay = length_min(&c->len) == length_max(&c->len);
    if (cls.kind == CLASS_LTI)
        return one_delay ? (Theory){ THEORY_YES, "one delay: a convolution as long as it" }
                         : (Theory){ THEORY_COND, "several delays: a convolution for each, and a choice between them" };
    if (cls.kind == CLASS_ATTENTION && one_delay)
        return (Theory){ THEORY_YES, "one delay: attends that far back, by positions" };
    return solvable_row(SOLVABLE_SELECT, cls, layers);
}

TASK_WITH(copy_memory, "a few symbols, a long silence, then the symbols again", "arXiv:1511.06464", .symbol = symbol,
          .memory_bits = memory_bits)
