/* SPDX-License-Identifier: Apache-2.0
 * parity - running parity of fair bits; the smallest language that is not star-free (word problem of Z2).
 *
 *   layout          input, n = len data bits                   target
 *   every           b[0] ... b[n-1]                            y[t] = b[0] ^ ... ^ b[t] at every bit
 *   final           b[0] ... b[n-1] 2                          parity of all bits, read at the query 2
 *                   (blanks: k > 0: then k n blanks, id 2, and the query 3)
 *   xlstm           1+b[0] ... 1+b[n-1]                        1 + parity, read at the last bit; id 0 is padding
 *   zoology_final   b[0] ... b[n-1] 2                          parity of all bits, read at the end mark 2
 *   slice           as xlstm                                   as xlstm: 1 even, 2 odd
 *   aussm           b[0] ... b[n-1]                            1 even, 0 odd (inverted), read at the last bit;
 *                                                              id 2 is padding
 *
 *   every, bits 1 0 1 1 0, bos: false      input 1 0 1 1 0     target 1 1 0 1 1
 *   xlstm, bits 1 0 1 1 0, bos: false      input 2 1 2 2 1     target _ _ _ _ 2
 *   aussm, bits 1 0 1, bos: false          input 1 0 1         target _ _ 1
 *
 * bos: true puts one id more, the last, in front of every sequence, never scored. V_in is 2 (3 for the layouts with a
 * mark or padding, 4 with blanks) plus 1 with bos; V_out is 2, 3 for xlstm, slice and aussm (the padding is never a
 * target). A constant answer is right half the time at every length. Fails for blanks in other layouts.
 *
 * Lengths always count data bits. The published ones differ: xLSTM and AUSSM sizes count bits and answer (size = len +
 * 1), zoology's input_seq_len counts bits and end mark (len + 1), its cumulative circuit has input_seq_len - 1 bits.
 * Published without bos. zoology_final and final give the same sequences, from two sources, and so do slice and xlstm.
 *
 * Memory: 1 bit, the parity so far (0 when the only bit is also the place of the answer).
 *
 * Source: Deletang et al. 2023 (arXiv:2207.02098), parity check (final); Beck et al. 2024 (arXiv:2405.04517), parity,
 * also used by Grazzi et al. 2025 (arXiv:2411.12537) (xlstm); Arora et al. 2023 (arXiv:2312.04927), repository zoology,
 * parity circuits (every, zoology_final); Walker et al. 2025 (arXiv:2505.17761), Terzic et al. 2025 (arXiv:2509.22284)
 * (slice: sizes 3..40); repository AUSSM (arXiv:2507.05238) (aussm: len 5..39, then to 255; its sweep runs a vocabulary
 * of 12: UNVERIFIED which one the paper used).
 */
#include "task.h"
#include "common/chomsky.h"

enum { VERSION = 1 };

enum { EVERY, FINAL, XLSTM, ZOOLOGY_FINAL, SLICE, AUSSM };

enum { LEN_MAX = 1 << 20 };

typedef struct {
    Length len;
    int layout, blanks;
    bool bos;
} Cfg;

static const Option options[] = {
    OPT_L(Cfg, len, "40", 1, LEN_MAX, "data bits per example"),
    OPT_E(Cfg, layout, "every", "every|final|xlstm|zoology_final|slice|aussm", "scored positions and ids"),
    OPT_I(Cfg, blanks, "0", 0, CHOMSKY_BLANKS_MAX, "layout: final: blank positions per bit before the query"),
    OPT_B(Cfg, bos, "true", "start every example with a begin mark"),
    OPT_END,
};

static bool has_mark(const Cfg *c) { return c->layout == FINAL || c->layout == ZOOLOGY_FINAL; }
static int id_bos(const Cfg *c) { return c->layout == EVERY ? 2 : 3 + (c->blanks > 0); }

/* Class of an odd number of ones. */
static int class_odd(const Cfg *c) { return c->layout == XLSTM || c->layout == SLICE ? 2 : c->layout != AUSSM; }
static int class_even(const Cfg *c) { return c->layout == XLSTM || c->layout == SLICE || c->layout == AUSSM; }

static bool shape(const void *cfg, const void *data, TaskShape *out, Err *err)
{
    (void)data;
    const Cfg *c = cfg;
    int max = length_max(&c->len);
    if (c->blanks && c->layout != FINAL)
        return err_set(err, EXIT_USAGE, "parity: blanks: %d needs layout: final", c->blanks);
    if ((long)max * (1 + c->blanks) > LEN_MAX)
        return err_set(err, EXIT_USAGE, "parity: len: %d with blanks: %d is more than %d positions", max, c->blanks,
                       LEN_MAX);
    *out = (TaskShape){
        .vocab_in = id_bos(c) + c->bos,
        .vocab_out = class_even(c) ? 3 : 2,
        .max_len = max * (1 + c->blanks) + c->bos + has_mark(c),
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
    int offset = c->layout == XLSTM || c->layout == SLICE, y = 0, t = 0;
    if (c->bos) e->input[t++] = id_bos(c);
    for (int i = 0; i < c->len.now; i++, t++) {
        int bit = (int)rng_below(rng, 2);
        y ^= bit;
        e->input[t] = bit + offset;
        if (c->layout == EVERY) e->target[t] = y;
    }
    for (int i = 0; i < c->len.now * c->blanks; i++) e->input[t++] = 2;
    if (has_mark(c)) e->input[t++] = 2 + (c->blanks > 0);
    if (c->layout != EVERY) e->target[t - 1] = y ? class_odd(c) : class_even(c);
    e->len = t;
}

/* Count the ones and halve. */
static void solve(const void *cfg, const void *data, const int *input, int len, int *prediction)
{
    (void)data;
    const Cfg *c = cfg;
    int one = class_odd(c) == 2 ? 2 : 1, ones = 0;
    for (int t = 0; t < len; t++) {
        if (input[t] == one) ones++;
        prediction[t] = ones % 2 ? class_odd(c) : class_even(c);
    }
}

static double memory_bits(const void *cfg, const void *data)
{
    (void)data;
    const Cfg *c = cfg;
    return has_mark(c) || length_max(&c->len) > 1;
}

static const char *symbol(const void *cfg, const void *data, int id, bool is_target, char *buf)
{
    (void)data, (void)buf;
    const Cfg *c = cfg;
    if (is_target) return id == class_odd(c) ? "odd" : id == class_even(c) ? "even" : "<pad>";
    if (id == id_bos(c)) return "<bos>";
    if (class_odd(c) == 2) return id == 0 ? "<pad>" : id == 2 ? "1" : "0";
    if (id < 2) return id ? "1" : "0";
    return !has_mark(c) ? "<pad>" : id == 2 && c->blanks ? "." : "?";
}

static Theory theory(const void *cfg, TheoryClass cls, int layers)
{
    (void)cfg, (void)layers;
    static const Theory by_class[] = {
        [CLASS_LTI] = { THEORY_NO, "time-invariant dynamics at finite precision (arXiv:2405.17394)" },
        [CLASS_DIAG_POS] = { THEORY_NO, "positive eigenvalues at finite precision (arXiv:2411.12537, 2405.17394)" },
        [CLASS_DIAG_REAL] = { THEORY_YES, "eigenvalue -1 on a one (arXiv:2411.12537)" },
        [CLASS_DIAG_COMPLEX] = { THEORY_YES, "rotation by pi on a one (arXiv:2507.05238)" },
        [CLASS_DPLR1] = { THEORY_NO, "beta in [0,1] keeps the eigenvalues in [0,1] (arXiv:2411.12537)" },
        [CLASS_DPLR1_NEG] = { THEORY_YES, "a reflection on a one (arXiv:2411.12537)" },
        [CLASS_DPLR_H] = { THEORY_YES, "a reflection on a one (arXiv:2411.12537)" },
        [CLASS_DENSE] = { THEORY_YES, "any finite automaton in one layer (arXiv:2404.08819)" },
        [CLASS_RNN] = { THEORY_YES, "a two-state automaton" },
        [CLASS_ATTENTION] = { THEORY_APPROX, "precision must grow with length (arXiv:2202.12172; limits: 1906.06755)" },
        [CLASS_OTHER] = { THEORY_OPEN, "class not settled" },
    };
    return by_class[cls.kind];
}

TASK_WITH(parity, "running parity of fair bits", "arXiv:2207.02098, 2405.04517, 2312.04927", .symbol = symbol,
          .memory_bits = memory_bits)
