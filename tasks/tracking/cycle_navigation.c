/* SPDX-License-Identifier: Apache-2.0
 * cycle_navigation - where is a walker on a ring of `cycle` places? Counting modulo `cycle` with steps -1, 0, +1.
 *
 *   layout   ids                                                       target
 *   every    -1 is 0, stay 1, +1 is 2                                  place 0..cycle-1 after every move
 *   final    the same, [blank 3,] query                                place, read at the query
 *   xlstm    padding 0, stay 1, +1 is 2, -1 is 3, places 4..           4 + place, read at the last move
 *   slice    as xlstm                                                  as xlstm
 *   aussm    places 0..cycle-1, then +1, -1, stay, padding             place, read at the last move
 *
 *   moves +1 +1 -1 0 +1, cycle 5, bos: false
 *   every    input 2 2 0 1 2        target 1 2 1 1 2
 *   final    input 2 2 0 1 2 3      target _ _ _ _ _ 2
 *   xlstm    input 2 2 3 1 2        target _ _ _ _ 6
 *   aussm    input 5 5 6 7 5        target _ _ _ _ 2
 *
 * The walker starts at place 0; moves are independent and uniform on the three. bos: true puts one id more, the last,
 * in front of every example, never scored. xlstm, slice and aussm keep one space of cycle + 4 ids for symbols and
 * answers (V_out, as their sources have it; the others are never a target), else V_out = cycle. blanks: that many empty
 * positions per move between the moves and the query (final only).
 *
 * Chance is 1/cycle. The best constant answer is the start (or one step from it), exact from the law of the walk: 0.333
 * after one move, 0.26 after 3, 0.218 after 5, 0.20 from 10 on (cycle 5); pooled over the lengths.
 *
 * Memory: log2 of the places that can be reached before the last scored position, at most log2 cycle. Cannot fail but
 * for blanks.
 *
 * Source: Deletang et al. 2023 (arXiv:2207.02098), repository neural_networks_chomsky_hierarchy (final: len 1..40, then
 * to 500); Beck et al. 2024 (arXiv:2405.04517), also Grazzi et al. 2025 (arXiv:2411.12537) (xlstm: sizes 3..40 and
 * 40..256 count the answer, so len 2..39 and 39..255); Walker et al. 2025 (arXiv:2505.17761) and Terzic et al. 2025
 * (arXiv:2509.22284) (slice: sizes 3..40); repository AUSSM (arXiv:2507.05238) (aussm: len 5..37, then to 253; its
 * sweep runs a vocabulary of 12, cycle 8: UNVERIFIED which one the paper used). Published without bos. every is ours.
 */
#include "task.h"
#include "common/chomsky.h"
#include "common/lengths.h"
#include "common/solvable.h"

#include <math.h>
#include <stdio.h>

enum { VERSION = 1 };

enum { EVERY, FINAL, XLSTM, SLICE, AUSSM };

enum { LEN_MAX = 1 << 20, CYCLE_MAX = 256, MOVES = 3, OTHERS = 4 };

typedef struct {
    Length len;
    int cycle, layout, blanks;
    bool bos;
} Cfg;

static const Option options[] = {
    OPT_L(Cfg, len, "[1, 40]", 1, LEN_MAX, "moves per example"),
    OPT_I(Cfg, cycle, "5", 2, CYCLE_MAX, "places on the ring"),
    OPT_E(Cfg, layout, "every", "every|final|xlstm|slice|aussm", "scored positions and ids"),
    OPT_I(Cfg, blanks, "0", 0, CHOMSKY_BLANKS_MAX, "layout: final: blank positions per move before the query"),
    OPT_B(Cfg, bos, "true", "start every example with a begin mark"),
    OPT_END,
};

static Chomsky frame(const Cfg *c) { return (Chomsky){ .symbols = MOVES, .blanks = c->blanks }; }

static int id_bos(const Cfg *c)
{
    Chomsky f = frame(c);
    return c->layout == EVERY ? MOVES : c->layout == FINAL ? chomsky_vocab(&f) : c->cycle + OTHERS;
}

/* Id of move -1, 0 or +1, and id of the answer `place`. */
static int id_move(const Cfg *c, int move)
{
    static const int xlstm[] = { 3, 1, 2 }, aussm[] = { 1, 2, 0 };
    if (c->layout == AUSSM) return c->cycle + aussm[move + 1];
    return c->layout == XLSTM || c->layout == SLICE ? xlstm[move + 1] : move + 1;
}

static int id_place(const Cfg *c, int place)
{
    return c->layout == XLSTM || c->layout == SLICE ? OTHERS + place : place;
}

/* Share of the commonest place: the walk's law is a sum of powers of the eigenvalues of one step on the ring. */
static double majority(const Cfg *c)
{
    double sum[CYCLE_MAX] = { 0 }, best = 0;
    int m = c->cycle, max = length_max(&c->len);
    for (int j = 0; j < m; j++) {
        double eigenvalue = (1 + 2 * cos(2 * M_PI * j / m)) / 3, power = 1;
        for (int n = 1; n <= max && fabs(power) > 1e-18; n++) {
            power *= eigenvalue;
            sum[j] += power * (c->layout == EVERY ? length_over(&c->len, n - 1) : length_share(&c->len, n));
        }
    }
    for (int place = 0; place < m; place++) {
        double share = 0;
        for (int j = 0; j < m; j++) share += sum[j] * cos(2 * M_PI * (j * place % m) / m);
        if (share > best) best = share;
    }
    return best / m / sum[0];
}

static bool shape(const void *cfg, const void *data, TaskShape *out, Err *err)
{
    (void)data;
    const Cfg *c = cfg;
    Chomsky f = frame(c);
    int max = length_max(&c->len);
    if (c->blanks && c->layout != FINAL)
        return err_set(err, EXIT_USAGE, "cycle_navigation: blanks: %d needs layout: final", c->blanks);
    if ((long)max * (1 + c->blanks) > LEN_MAX)
        return err_set(err, EXIT_USAGE, "cycle_navigation: len: %d with blanks: %d is more than %d positions", max,
                       c->blanks, LEN_MAX);
    *out = (TaskShape){
        .vocab_in = id_bos(c) + c->bos,
        .vocab_out = c->layout == EVERY || c->layout == FINAL ? c->cycle : c->cycle + OTHERS,
        .max_len = c->bos + (c->layout == FINAL ? chomsky_len(&f, max, 1) : max),
        .chance_uniform = 1.0 / c->cycle,
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
    int place = 0, t = 0;
    if (c->bos) e->input[t++] = id_bos(c);
    for (int i = 0; i < c->len.now; i++, t++) {
        int move = (int)rng_below(rng, MOVES) - 1;
        place += move;
        if (place < 0) place = c->cycle - 1;
        if (place == c->cycle) place = 0;
        e->input[t] = id_move(c, move);
        if (c->layout == EVERY) e->target[t] = place;
    }
    e->len = t;
    if (c->layout == FINAL) {
        Chomsky f = frame(c);
        Example behind = *e; /* the frame knows no begin mark */
        behind.input += c->bos, behind.target += c->bos, behind.slice_of += c->bos;
        chomsky_write(&f, c->len.now, &place, 1, 1, 0, &behind);
        e->len = behind.len + c->bos;
    } else if (c->layout != EVERY) {
        e->target[t - 1] = id_place(c, place);
    }
}

/* Steps forward less steps back, divided by the length of the ring at the end. */
static void solve(const void *cfg, const void *data, const int *input, int len, int *prediction)
{
    (void)data;
    const Cfg *c = cfg;
    int forward = id_move(c, 1), back = id_move(c, -1);
    long sum = 0;
    for (int t = 0; t < len; t++) {
        sum += (input[t] == forward) - (input[t] == back);
        prediction[t] = id_place(c, (int)((sum % c->cycle + c->cycle) % c->cycle));
    }
}

static double memory_bits(const void *cfg, const void *data)
{
    (void)data;
    const Cfg *c = cfg;
    int moves = length_max(&c->len) - (c->layout != FINAL);
    return log2(2 * moves + 1 < c->cycle ? 2 * moves + 1 : c->cycle);
}

static const char *symbol(const void *cfg, const void *data, int id, bool is_target, char *buf)
{
    (void)data;
    const Cfg *c = cfg;
    Chomsky f = frame(c);
    int place = c->layout == XLSTM || c->layout == SLICE ? id - OTHERS : id;
    bool shared = c->layout != EVERY && c->layout != FINAL;
    if (id == id_bos(c) && !is_target) return "<bos>";
    for (int move = -1; move <= 1 && (shared || !is_target); move++)
        if (id == id_move(c, move)) return move < 0 ? "-1" : move ? "+1" : "stay";
    if (!is_target && c->layout == FINAL) return chomsky_symbol(&f, id);
    if (place < 0 || place >= c->cycle) return "<pad>";
    snprintf(buf, 32, "@%d", place);
    return buf;
}

static Theory theory(const void *cfg, TheoryClass cls, int layers)
{
    const Cfg *c = cfg;
    bool power = (c->cycle & (c->cycle - 1)) == 0;
    return solvable_row(c->cycle == 2 ? SOLVABLE_PARITY : power ? SOLVABLE_CYCLIC_2 : SOLVABLE_CYCLIC, cls, layers);
}

TASK_WITH(cycle_navigation, "place of a walker on a ring", "arXiv:2207.02098, 2405.04517, 2505.17761, 2507.05238",
          .symbol = symbol, .memory_bits = memory_bits)
