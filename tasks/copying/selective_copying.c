/* SPDX-License-Identifier: Apache-2.0
 * selective_copying - find the data tokens among noise and write them out in order.
 *
 *   s4    M = m data tokens at random places among noise, then M markers; the tokens are asked for at the markers.
 *         Ids: noise 0, data 1..A-2, marker A-1. Body of len + M positions (M the largest m), L = len + M + m.
 *   mad   every data token behind its own run of blanks, then a copy mark and m blanks to answer at.
 *         Ids: data 0..A-3, blank A-2, copy mark A-1. L = len + 2m + 1.
 *   lag   no noise: len data tokens 1..A-2, each to be repeated m positions later. L = len.
 *
 *   s4,  A 6, len 6, m 3    input 0 4 0 0 2 2 0 0 0 5 5 5      target _ _ _ _ _ _ _ _ _ 4 2 2
 *   mad, A 6, len 4, m 3    input 4 0 4 4 2 4 2 5 4 4 4        target _ _ _ _ _ _ _ _ 0 2 2
 *   lag, A 6, len 5, m 2    input 3 1 4 4 2                    target _ _ 3 1 4
 *
 * V_in = V_out = A = alphabet; A-2 data tokens, uniform with repetition, so a constant is right for 1 of A-2, exactly.
 * s4: the M places are uniform among the body; variable: false puts the tokens first (plain copying); reverse: true
 * asks for the last token first. mad: the blanks before each data token are multinomial (len; 1/m, ..., 1/m), none
 * follows the last. m may be a law ([1, 16] is the published variable_length: body fixed, as many markers as tokens).
 * Nothing else is scored.
 *
 * Memory: m log2(A-2) bits before the first marker (of a law, the largest m); lag: the tokens read and still to be
 * written, at most min(m, len - m) of them.
 *
 * Fails for options that do not belong to the variant and for m >= len with lag.
 *
 * Source: s4, lag: repository state-spaces/s4, copying data set (variable: true), used for Gu and Dao 2023
 * (arXiv:2312.00752), section 4.1.1: len 4096, m 16, alphabet 16. mad: Poli et al. 2024 (arXiv:2403.17844), repository
 * mad-lab: alphabet 16, m 16, L 256 (len 223). Deviations: small defaults; the published reproduction takes its cross
 * entropy over positions, ours is over classes.
 */
#include "task.h"

#include <math.h>
#include <stdio.h>

enum { VERSION = 1 };

enum { S4, MAD, LAG };

enum { M_MAX = 4096 };

typedef struct {
    Length len, m;
    int variant, alphabet;
    bool variable, reverse;
} Cfg;

static const Option options[] = {
    OPT_L(Cfg, len, "112", 1, 1 << 20, "noise tokens among the data (lag: data tokens)"),
    OPT_L(Cfg, m, "8", 1, M_MAX, "data tokens (lag: positions of delay)"),
    OPT_E(Cfg, variant, "s4", "s4|mad|lag", "layout"),
    OPT_I(Cfg, alphabet, "10", 4, 65536, "ids in all; two less are data"),
    OPT_B(Cfg, variable, "true", "s4: data at random places; false: at the start"),
    OPT_B(Cfg, reverse, "false", "s4: ask for the last token first"),
    OPT_END,
};

static bool shape(const void *cfg, const void *data, TaskShape *out, Err *err)
{
    (void)data;
    const Cfg *c = cfg;
    int len = length_max(&c->len), m = length_max(&c->m);
    if (c->variant != S4 && (!c->variable || c->reverse))
        return err_set(err, EXIT_USAGE, "selective_copying: %s needs variant: s4", c->reverse ? "reverse" : "variable");
    if (c->variant == LAG && m >= length_min(&c->len))
        return err_set(err, EXIT_USAGE, "selective_copying: variant: lag needs m: %d below len: %d", m,
                       length_min(&c->len));
    *out = (TaskShape){
        .vocab_in = c->alphabet,
        .vocab_out = c->alphabet,
        .max_len = c->variant == LAG   ? len
                   : c->variant == MAD ? len + 2 * m + 1
                                       : len + 2 * m,
        .chance_uniform = 1.0 / (c->alphabet - 2),
        .chance_majority = 1.0 / (c->alphabet - 2),
        .ceiling = 1,
        .headline = "acc_token",
    };
    return true;
}

static int draw_token(const Cfg *c, Rng *rng) { return (int)rng_below(rng, (uint32_t)c->alphabet - 2); }

/* Body with every place equally likely to be among the m chosen: selection sampling from left to right. */
static void sample_s4(const Cfg *c, Rng *rng, Example *e)
{
    int m = c->m.now, body = c->len.now + length_max(&c->m), k = 0;
    for (int t = 0; t < body; t++) {
        bool here = c->variable ? (int)rng_below(rng, (uint32_t)(body - t)) < m - k : t < m;
        e->input[t] = here ? 1 + draw_token(c, rng) : 0;
        if (here) e->target[body + (c->reverse ? m - 1 - k : k)] = e->input[t], k++;
    }
    for (int i = 0; i < m; i++) e->input[body + i] = c->alphabet - 1;
    e->len = body + m;
}

static void sample_mad(const Cfg *c, Rng *rng, Example *e)
{
    int m = c->m.now, body = c->len.now + m, blanks[M_MAX] = { 0 }, t = 0;
    for (int i = 0; i < c->len.now; i++) blanks[rng_below(rng, (uint32_t)m)]++;
    for (int k = 0; k < m; k++) {
        while (blanks[k]-- > 0) e->input[t++] = c->alphabet - 2;
        e->input[t] = e->target[body + 1 + k] = draw_token(c, rng);
        t++;
    }
    e->input[t++] = c->alphabet - 1;
    for (int k = 0; k < m; k++) e->input[t++] = c->alphabet - 2;
    e->len = t;
}

static void sample_lag(const Cfg *c, Rng *rng, Example *e)
{
    for (int t = 0; t < c->len.now; t++) {
        e->input[t] = 1 + draw_token(c, rng);
        if (t >= c->m.now) e->target[t] = e->input[t - c->m.now];
    }
    e->len = c->len.now;
}

static void sample(const void *cfg, const void *data, Rng *rng, Example *e)
{
    (void)data;
    const Cfg *c = cfg;
    switch (c->variant) {
    case S4: sample_s4(c, rng, e); break;
    case MAD: sample_mad(c, rng, e); break;
    default: sample_lag(c, rng, e); break;
    }
}

static double memory_bits(const void *cfg, const void *data)
{
    (void)data;
    const Cfg *c = cfg;
    int m = length_max(&c->m), rest = length_max(&c->len) - m;
    return (c->variant == LAG && rest < m ? rest : m) * log2(c->alphabet - 2);
}

/* A finger on the next token to write: it rests until the first marker, then walks over the noise. */
static void solve(const void *cfg, const void *data, const int *input, int len, int *prediction)
{
    (void)data;
    const Cfg *c = cfg;
    if (c->variant == LAG) {
        for (int t = 0; t < len; t++) prediction[t] = t < c->m.now ? 0 : input[t - c->m.now];
        return;
    }
    int mark = c->alphabet - 1, noise = c->variant == S4 ? 0 : c->alphabet - 2, end = -1, finger = 0;
    int step = c->reverse ? -1 : 1;
    for (int t = 0; t < len; t++) {
        prediction[t] = 0;
        if (end < 0 && input[t] == mark) {
            end = t;
            finger = c->reverse ? end - 1 : 0;
            if (c->variant == MAD) continue;
        }
        if (end < 0) continue;
        while (finger >= 0 && finger < end && input[finger] == noise) finger += step;
        if (finger >= 0 && finger < end) prediction[t] = input[finger];
        finger += step;
    }
}

static const char *symbol(const void *cfg, const void *data, int id, bool is_target, char *buf)
{
    (void)data, (void)is_target;
    const Cfg *c = cfg;
    bool mad = c->variant == MAD;
    if (id == c->alphabet - 1) return mad ? "<copy>" : "<mark>";
    if (id == (mad ? c->alphabet - 2 : 0)) return ".";
    snprintf(buf, 32, "%d", id);
    return buf;
}

static Theory theory(const void *cfg, TheoryClass cls, int layers)
{
    const Cfg *c = cfg;
    bool fixed_places = c->variant == LAG || !c->variable;
    switch (cls.kind) {
    case CLASS_LTI:
        return fixed_places ? (Theory){ THEORY_YES, "fixed delays: a convolution as long as the delay" }
                            : (Theory){ THEORY_NO, "time-invariant dynamics cannot skip noise (arXiv:2312.00752)" };
    case CLASS_ATTENTION:
        return layers >= 2 ? (Theory){ THEORY_YES, "two layers: count data tokens, then look them up" }
                           : (Theory){ THEORY_COND, "one layer cannot count data tokens before it looks them up" };
    case CLASS_OTHER: return (Theory){ THEORY_OPEN, "class not settled" };
    default: return (Theory){ THEORY_YES, "with a state of at least m log2(alphabet) bits (arXiv:2402.01032)" };
    }
}

TASK_WITH(selective_copying, "copy the data tokens and skip the noise", "arXiv:2312.00752, 2403.17844",
          .symbol = symbol, .memory_bits = memory_bits)
