/* SPDX-License-Identifier: Apache-2.0
 * flip_flop - one bit of memory: write it, ignore distractors, read it back.
 *
 *   string   w 1 i 0 i 0 r 1 w 0 r 0           T = len = 12 tokens, pairs (instruction, bit)
 *   input    2 1 4 0 4 0 3 1 2 0 3             the string without its last token
 *   target   _ _ _ _ _ _ 1 _ _ _ 0            the bit, asked for at each r
 *
 * Ids: bits 0 and 1, w = 2, r = 3, i = 4, u = 5. The first instruction is w, the last r; those between are independent
 * with P(w) = p_write, P(r) = p_read, P(i) = p_ignore, P(u) = p_undo. The bit after w, i, u is fair, after r it is the
 * register: the bit of the last w. With p_undo > 0, u takes back the last write that still stands (never the first), so
 * the register is the top of a stack of writes. stress: true is one w, then only i with bits all opposite to the
 * register, then r (no instruction is drawn). Reads per example: (T/2 - 2) p_read + 1.
 *
 * score: reads trains on reads; all trains on every next token (instructions and free bits are random: their loss has a
 * floor) and still evaluates reads only. V_in = 5 (6 with p_undo), V_out = 2 (V_in for all). Any constant is right half
 * the time, exactly. Copying the previous bit is right for about 1 - p_ignore/2 of the reads: 0.60 at p_ignore 0.8, but
 * 0.95 at 0.1. Read error rate = 1 - acc_token. Slices: floor(log2(positions since the register last changed)).
 * Fails for odd len and probabilities that do not sum to 1.
 *
 * Memory, with P = len/2 pairs: log2 3 = 1.58 bits between the tokens of a pair (a write is pending, or the register
 * stays 0, or stays 1), 1 bit if there is no pair between the first and the last that may be w or i, or none of those
 * two ever is. With p_undo, after h = floor(P/2) writes, undos and a read reach each of them: h bits, and for odd P
 * h + log2(3/2), between the tokens of the pair in the middle.
 *
 * Source: Liu et al. 2023 (arXiv:2306.00946), data set synthseq/flipflop; published T = 512, trained at p_ignore 0.8,
 * tails 0.98 (sparse, 100000 strings) and 0.1 (dense, 3000): numbers from memory, UNVERIFIED. Stress:
 * Dankowiakowski and Ronca (metric automata, on robustness of state-space models). Undo: arXiv:2604.05923, from its
 * abstract; details ours, with p_undo 0.1 in mind. Deviation: T = 128 by default.
 */
#include "task.h"

#include <math.h>

enum { VERSION = 1 };

enum { W = 2, R, I, U };

enum { READS, ALL };

enum { LEN_MAX = 1 << 20 };

typedef struct {
    Length len;
    double p_ignore, p_write, p_read, p_undo;
    int score;
    bool stress;
} Cfg;

static const Option options[] = {
    OPT_L(Cfg, len, "128", 4, LEN_MAX, "tokens of the string, even; the model sees one less"),
    OPT_R(Cfg, p_ignore, "0.8", 0, 1, "probability of i"),
    OPT_R(Cfg, p_write, "-1", -1, 1, "probability of w; -1: what is left, shared with r if that is -1 too"),
    OPT_R(Cfg, p_read, "-1", -1, 1, "probability of r; -1: what is left, shared with w if that is -1 too"),
    OPT_R(Cfg, p_undo, "0", 0, 1, "probability of u, take back a write; 0: plain flip-flop"),
    OPT_E(Cfg, score, "reads", "reads|all", "train on reads, or on every next token; reads are evaluated"),
    OPT_B(Cfg, stress, "false", "one write, opposite bits to ignore, one read"),
    OPT_END,
};

static void rates(const Cfg *c, double *write, double *read)
{
    double left = 1 - c->p_ignore - c->p_undo;
    *write = c->p_write >= 0 ? c->p_write : c->p_read >= 0 ? left - c->p_read : left / 2;
    *read = c->p_read >= 0 ? c->p_read : left - *write;
}

static bool shape(const void *cfg, const void *data, TaskShape *out, Err *err)
{
    (void)data;
    const Cfg *c = cfg;
    double write, read;
    bool odd = c->len.kind == LENGTH_UNIFORM;
    for (int i = 0; i < c->len.n; i++) odd |= c->len.v[i] % 2 != 0;
    if (odd) return err_set(err, EXIT_USAGE, "flip_flop: len must be even (a law over lengths: {set: [64, 128]})");
    rates(c, &write, &read);
    if ((c->p_write < 0 && c->p_write > -1) || (c->p_read < 0 && c->p_read > -1))
        return err_set(err, EXIT_USAGE, "flip_flop: p_write and p_read are probabilities or -1");
    if (write < -1e-9 || read < -1e-9 || fabs(c->p_ignore + c->p_undo + write + read - 1) > 1e-9)
        return err_set(err, EXIT_USAGE,
                       "flip_flop: p_ignore %g, p_undo %g, p_write %g, p_read %g do not sum to 1 (-1: what is left)",
                       c->p_ignore, c->p_undo, c->p_write, c->p_read);
    int vocab = c->p_undo > 0 ? 6 : 5;
    *out = (TaskShape){
        .vocab_in = vocab,
        .vocab_out = c->score == ALL ? vocab : 2,
        .max_len = length_max(&c->len) - 1,
        .chance_uniform = 0.5,
        .chance_majority = 0.5,
        .ceiling = 1,
        .headline = "acc_token",
        .slice_label = "log2_gap",
    };
    return true;
}

/* The writes that stand, one bit each; the register is the top. */
typedef struct {
    int depth;
    uint64_t bits[LEN_MAX / 128];
} Stack;

static int stack_top(const Stack *s) { return s->bits[(s->depth - 1) / 64] >> ((s->depth - 1) % 64) & 1u; }

static void stack_push(Stack *s, int bit)
{
    uint64_t *word = &s->bits[s->depth / 64], mask = (uint64_t)1 << (s->depth % 64);
    *word = bit ? *word | mask : *word & ~mask;
    s->depth++;
}

static int draw_instruction(const Cfg *c, double write, double read, int pair, int pairs, Rng *rng)
{
    if (pair == 0) return W;
    if (pair == pairs - 1) return R;
    if (c->stress) return I;
    double u = rng_uniform(rng);
    return u < c->p_ignore                                      ? I
           : u < c->p_ignore + write                            ? W
           : u < c->p_ignore + write + read || !(c->p_undo > 0) ? R
                                                                : U;
}

static void sample(const void *cfg, const void *data, Rng *rng, Example *e)
{
    (void)data;
    const Cfg *c = cfg;
    Stack stack;
    double write, read;
    int pairs = c->len.now / 2, len = c->len.now - 1, changed = 0;
    stack.depth = 0;
    rates(c, &write, &read);
    for (int j = 0; j < pairs; j++) {
        int t = 2 * j, instruction = draw_instruction(c, write, read, j, pairs, rng), bit;
        if (instruction == R)
            bit = stack_top(&stack);
        else if (c->stress && j > 0)
            bit = !stack_top(&stack);
        else
            bit = (int)rng_below(rng, 2);
        if (instruction == W) stack_push(&stack, bit), changed = t + 1;
        if (instruction == U && stack.depth > 1) stack.depth--, changed = t;
        e->input[t] = instruction;
        if (t + 1 < len) e->input[t + 1] = bit;
        if (instruction == R) {
            e->target[t] = bit;
            e->slice_of[t] = ilogb((double)(t - changed));
        }
        if (c->score == ALL) {
            e->train_target[t] = bit;
            if (j > 0) e->train_target[t - 1] = instruction;
        }
    }
    e->len = len;
    e->has_slice = true;
    e->has_train_target = c->score == ALL;
}

/* Of P pairs, h written and the rest left: stacks of h bits, each reached by undos and a read. Inside a pair, j of them
 * before it, the instruction counts too: i on a stack shown to depth P-j-1, or a write pending on one read less. */
static double memory_bits(const void *cfg, const void *data)
{
    (void)data;
    const Cfg *c = cfg;
    double write, read;
    int pairs = length_max(&c->len) / 2, h = pairs / 2;
    rates(c, &write, &read);
    bool both = !c->stress && pairs > 2 && write > 0 && c->p_ignore > 0;
    if (c->stress || !(c->p_undo > 0) || !(write > 0)) return both ? log2(3) : 1;
    return pairs % 2 && both ? h + log2(1.5) : h;
}

/* Look back from the read: every u skips one write; the first write is always left. */
static int look_back(const int *input, int t)
{
    int skip = 0, at = t - t % 2;
    for (; at > 0; at -= 2) {
        if (input[at] == U) skip++;
        if (input[at] == W && skip-- == 0) break;
    }
    return at + 1 <= t && input[at + 1] == 1;
}

static void solve(const void *cfg, const void *data, const int *input, int len, int *prediction)
{
    (void)data;
    bool undo = ((const Cfg *)cfg)->p_undo > 0;
    int last = 0;
    for (int t = 0; t < len; t++) {
        if (t % 2 == 1 && input[t - 1] == W) last = input[t] == 1;
        prediction[t] = undo && input[t] == R ? look_back(input, t) : last;
    }
}

static const char *symbol(const void *cfg, const void *data, int id, bool is_target, char *buf)
{
    (void)cfg, (void)data, (void)is_target, (void)buf;
    static const char *const name[] = { "0", "1", "w", "r", "i", "u" };
    return name[id];
}

static Theory theory(const void *cfg, TheoryClass cls, int layers)
{
    if (((const Cfg *)cfg)->p_undo > 0)
        return cls.kind == CLASS_ATTENTION ? (Theory){ THEORY_APPROX, "a stack of writes: up to a depth" }
               : cls.kind == CLASS_OTHER
                   ? (Theory){ THEORY_OPEN, "class not settled" }
                   : (Theory){ THEORY_NO, "an unbounded stack of writes is not a regular language" };
    static const Theory one_layer = { THEORY_COND,
                                      "instruction and bit are two tokens: two layers or a short convolution" };
    static const Theory by_class[] = {
        [CLASS_LTI] = { THEORY_NO, "time-invariant dynamics cannot skip what is ignored (arXiv:2405.17394)" },
        [CLASS_DIAG_POS] = { THEORY_YES, "two layers, exact (arXiv:2405.17394); not robust to long ignore runs" },
        [CLASS_DIAG_REAL] = { THEORY_YES, "as with positive eigenvalues (arXiv:2405.17394)" },
        [CLASS_DIAG_COMPLEX] = { THEORY_YES, "as with positive eigenvalues (arXiv:2405.17394)" },
        [CLASS_DPLR1] = { THEORY_YES, "overwrite one key (arXiv:2411.12537)" },
        [CLASS_DPLR1_NEG] = { THEORY_YES, "overwrite one key (arXiv:2411.12537)" },
        [CLASS_DPLR_H] = { THEORY_YES, "overwrite one key (arXiv:2411.12537)" },
        [CLASS_DENSE] = { THEORY_YES, "any finite automaton (arXiv:2404.08819)" },
        [CLASS_RNN] = { THEORY_YES, "a finite automaton, robustly" },
        [CLASS_ATTENTION] = { THEORY_APPROX, "attends to the last write; sporadic errors (arXiv:2306.00946)" },
        [CLASS_OTHER] = { THEORY_OPEN, "class not settled" },
    };
    bool linear = cls.kind >= CLASS_DIAG_POS && cls.kind <= CLASS_DENSE;
    return linear && layers < 2 ? one_layer : by_class[cls.kind];
}

TASK_WITH(flip_flop, "one bit of memory among distractors", "arXiv:2306.00946", .symbol = symbol,
          .memory_bits = memory_bits)
