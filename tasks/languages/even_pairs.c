/* SPDX-License-Identifier: Apache-2.0
 * even_pairs - is the number of unequal neighbours even? The same as: is the last symbol the first one?
 *
 *   layout   input, n = len data symbols                  target
 *   final    b[0] ... b[n-1] [blanks] query               0 even, 1 odd, read at the query
 *   every    b[0] ... b[n-1]                              the same of b[0..t], at every symbol
 *   xlstm    1+b[0] ... 1+b[n-1]                          1 even, 2 odd, read at the last symbol; id 0 is padding
 *   slice    as xlstm                                     as xlstm
 *
 *   final, bits 0 1 1 0 1, bos: false      input 0 1 1 0 1 2      target _ _ _ _ _ 1
 *   xlstm, bits 0 1 1 0 1, bos: false      input 1 2 2 1 2        target _ _ _ _ 2
 *
 * Ids: bits 0 and 1, then (final) the blank, if there are blanks, and the query; with bos: true one id more, which is
 * in front of every example and never scored. V_out is 2, 3 for xlstm and slice (class 0 is never a target). Bits are
 * fair. blanks: that many empty positions per symbol in front of the query (final only).
 *
 * A constant is right half the time from two symbols on; one symbol alone has no unequal pair: the answer is "even",
 * and the exact majority counts it (every: so is the first answer of each example).
 *
 * Memory: 1 bit, the first symbol; 2 bits (first and last) where either the query or more symbols may
 * follow. Star-free: no counting is needed. Fails for blanks in other layouts, and for len 1 alone.
 *
 * Source: Deletang et al. 2023 (arXiv:2207.02098), repository neural_networks_chomsky_hierarchy (final: len 1..40, then
 * to 500); the xLSTM family of generators, Beck et al. 2024 (arXiv:2405.04517) (xlstm: sizes 3..40 and 40..256 count
 * the answer, so len 2..39 and 39..255); Walker et al. 2025 (arXiv:2505.17761), Terzic et al. 2025 (arXiv:2509.22284)
 * (slice: sizes 3..40). Published without bos. every is ours.
 */
#include "task.h"
#include "common/chomsky.h"
#include "common/lengths.h"
#include "common/solvable.h"

enum { VERSION = 1 };

enum { FINAL, EVERY, XLSTM, SLICE };

enum { LEN_MAX = 1 << 20 };

typedef struct {
    Length len;
    int layout, blanks;
    bool bos;
} Cfg;

static const Option options[] = {
    OPT_L(Cfg, len, "[1, 40]", 1, LEN_MAX, "data symbols per example"),
    OPT_E(Cfg, layout, "final", "final|every|xlstm|slice", "scored positions and ids"),
    OPT_I(Cfg, blanks, "0", 0, CHOMSKY_BLANKS_MAX, "layout: final: blank positions per symbol before the query"),
    OPT_B(Cfg, bos, "true", "start every example with a begin mark"),
    OPT_END,
};

static Chomsky frame(const Cfg *c) { return (Chomsky){ .symbols = 2, .blanks = c->blanks }; }

static int id_bos(const Cfg *c)
{
    Chomsky f = frame(c);
    return c->layout == FINAL ? chomsky_vocab(&f) : c->layout == EVERY ? 2 : 3;
}

static int offset(const Cfg *c) { return c->layout == XLSTM || c->layout == SLICE; }

static double majority(const Cfg *c)
{
    double mean = 0;
    if (c->layout != EVERY) return (1 + length_share(&c->len, 1)) / 2;
    for (int n = 0; n < length_max(&c->len); n++) mean += length_over(&c->len, n);
    return (1 + 1 / mean) / 2;
}

static bool shape(const void *cfg, const void *data, TaskShape *out, Err *err)
{
    (void)data;
    const Cfg *c = cfg;
    Chomsky f = frame(c);
    int max = length_max(&c->len);
    if (c->blanks && c->layout != FINAL)
        return err_set(err, EXIT_USAGE, "even_pairs: blanks: %d needs layout: final", c->blanks);
    if ((long)max * (1 + c->blanks) > LEN_MAX)
        return err_set(err, EXIT_USAGE, "even_pairs: len: %d with blanks: %d is more than %d positions", max, c->blanks,
                       LEN_MAX);
    if (max == 1)
        return err_set(err, EXIT_USAGE, "even_pairs: len: 1 asks for nothing; at least some examples need two symbols");
    *out = (TaskShape){
        .vocab_in = id_bos(c) + c->bos,
        .vocab_out = 2 + offset(c),
        .max_len = c->bos + (c->layout == FINAL ? chomsky_len(&f, max, 1) : max),
        .chance_uniform = 0.5,
        .chance_majority = majority(c),
        .ceiling = 1,
        .headline = "acc_token",
    };
    return true;
}

static void sample(const void *cfg, const void *data, Rng *rng, Example *e)
{
    (void)data;
    const Cfg *c = cfg;
    int first = 0, y = 0, t = 0;
    if (c->bos) e->input[t++] = id_bos(c);
    for (int i = 0; i < c->len.now; i++, t++) {
        int bit = (int)rng_below(rng, 2);
        if (i == 0) first = bit;
        y = first != bit;
        e->input[t] = bit + offset(c);
        if (c->layout == EVERY) e->target[t] = y;
    }
    e->len = t;
    if (c->layout == FINAL) {
        Chomsky f = frame(c);
        Example behind = *e; /* the frame knows no begin mark */
        behind.input += c->bos, behind.target += c->bos, behind.slice_of += c->bos;
        chomsky_write(&f, c->len.now, &y, 1, 1, 0, &behind);
        e->len = behind.len + c->bos;
    } else if (c->layout != EVERY) {
        e->target[t - 1] = y + offset(c);
    }
}

/* Count the unequal neighbours. */
static void solve(const void *cfg, const void *data, const int *input, int len, int *prediction)
{
    (void)data;
    const Cfg *c = cfg;
    int zero = offset(c), unequal = 0, before = -1;
    for (int t = 0; t < len; t++) {
        bool is_bit = input[t] == zero || input[t] == zero + 1;
        if (is_bit && before >= 0) unequal += input[t] != before;
        if (is_bit) before = input[t];
        prediction[t] = zero + unequal % 2;
    }
}

static double memory_bits(const void *cfg, const void *data)
{
    (void)data;
    const Cfg *c = cfg;
    return 1 + (c->layout == FINAL && length_count(&c->len, 2, length_max(&c->len) - 1) > 0);
}

static const char *symbol(const void *cfg, const void *data, int id, bool is_target, char *buf)
{
    (void)data, (void)buf;
    const Cfg *c = cfg;
    Chomsky f = frame(c);
    int bit = id - offset(c);
    if (is_target) return bit < 0 ? "<pad>" : bit ? "odd" : "even";
    if (id == id_bos(c)) return "<bos>";
    if (c->layout == FINAL && chomsky_symbol(&f, id)) return chomsky_symbol(&f, id);
    return bit < 0 ? "<pad>" : bit ? "1" : "0";
}

static Theory theory(const void *cfg, TheoryClass cls, int layers)
{
    (void)cfg;
    return solvable_row(SOLVABLE_ENDS, cls, layers);
}

TASK_WITH(even_pairs, "is the last symbol the first one?", "arXiv:2207.02098, 2405.04517, 2505.17761", .symbol = symbol,
          .memory_bits = memory_bits)
