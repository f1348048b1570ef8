/* SPDX-License-Identifier: Apache-2.0
 * parity - running parity of fair bits; the smallest language that is not star-free (word problem of Z2).
 *
 *   layout          input, n = len data bits                   target
 *   every           b[0] ... b[n-1]                            y[t] = b[0] ^ ... ^ b[t] at every bit
 *   final           b[0] ... b[n-1] 2                          parity of all bits, read at the query 2
 *   xlstm           1+b[0] ... 1+b[n-1]                        1 + parity, read at the last bit; id 0 is padding
 *   zoology_final   b[0] ... b[n-1] 2                          parity of all bits, read at the end mark 2
 *
 *   every, bits 1 0 1 1 0, bos: false      input 1 0 1 1 0     target 1 1 0 1 1
 *   xlstm, bits 1 0 1 1 0, bos: false      input 2 1 2 2 1     target _ _ _ _ 2
 *
 * bos: true puts one id more (2, 3 for the layouts with an id 2) in front of every sequence, never scored. V_in is 2
 * (3 for the layouts with a mark or padding) plus 1 with bos; V_out is 2, 3 for xlstm (class 0 is never a target).
 * A constant answer is right half the time at every length. Cannot fail.
 *
 * Lengths always count data bits. The published ones differ: xLSTM sizes count bits and answer (size = len + 1),
 * zoology's input_seq_len counts bits and end mark (len + 1), its cumulative circuit has input_seq_len - 1 bits.
 * Published without bos. zoology_final and final give the same sequences, from two sources.
 *
 * Memory: 1 bit, the parity so far (0 when the only bit is also the place of the answer).
 *
 * Source: Deletang et al. 2023 (arXiv:2207.02098), parity check (final); Beck et al. 2024 (arXiv:2405.04517), parity,
 * also used by Grazzi et al. 2025 (arXiv:2411.12537) (xlstm); Arora et al. 2023 (arXiv:2312.04927), repository zoology,
 * parity circuits (every, zoology_final).
 */
#include "task.h"

enum { VERSION = 1 };

enum { EVERY, FINAL, XLSTM, ZOOLOGY_FINAL };

typedef struct {
    Length len;
    int layout;
    bool bos;
} Cfg;

static const Option options[] = {
    OPT_L(Cfg, len, "40", 1, 1 << 20, "data bits per example"),
    OPT_E(Cfg, layout, "every", "every|final|xlstm|zoology_final", "scored positions and ids"),
    OPT_B(Cfg, bos, "true", "start every example with a begin mark"),
    OPT_END,
};

static bool has_mark(const Cfg *c) { return c->layout == FINAL || c->layout == ZOOLOGY_FINAL; }
static int id_bos(const Cfg *c) { return c->layout == EVERY ? 2 : 3; }

static bool shape(const void *cfg, const void *data, TaskShape *out, Err *err)
{
    (void)data, (void)err;
    const Cfg *c = cfg;
    *out = (TaskShape){
        .vocab_in = id_bos(c) + c->bos,
        .vocab_out = c->layout == XLSTM ? 3 : 2,
        .max_len = length_max(&c->len) + c->bos + has_mark(c),
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
    int offset = c->layout == XLSTM, y = 0, t = 0;
    if (c->bos) e->input[t++] = id_bos(c);
    for (int i = 0; i < c->len.now; i++, t++) {
        int bit = (int)rng_below(rng, 2);
        y ^= bit;
        e->input[t] = bit + offset;
        if (c->layout == EVERY) e->target[t] = y;
    }
    if (has_mark(c)) e->input[t++] = 2;
    if (c->layout != EVERY) e->target[t - 1] = y + offset;
    e->len = t;
}

/* Count the ones and halve. */
static void solve(const void *cfg, const void *data, const int *input, int len, int *prediction)
{
    (void)data;
    const Cfg *c = cfg;
    int one = c->layout == XLSTM ? 2 : 1, even = c->layout == XLSTM ? 1 : 0, ones = 0;
    for (int t = 0; t < len; t++) {
        if (input[t] == one) ones++;
        prediction[t] = even + ones % 2;
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
    if (is_target && c->layout != XLSTM) return id ? "odd" : "even";
    if (c->layout == XLSTM && id < 3)
        return id == 0 ? "<pad>" : is_target ? (id == 2 ? "odd" : "even") : (id == 2 ? "1" : "0");
    return id == id_bos(c) ? "<bos>" : id == 2 ? "?" : id ? "1" : "0";
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
