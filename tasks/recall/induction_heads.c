/* SPDX-License-Identifier: Apache-2.0
 * induction_heads - what followed the trigger the last time it was seen?
 *
 *   input    data tokens, the trigger somewhere among them, and the trigger again at the end
 *   target   the tokens that followed the trigger, one after the other from its last showing on
 *
 *   vocab 6, len 7, trigger at position 2
 *   input    3 5 1 4 2 2 3 1
 *   target   _ _ _ _ _ _ _ 4
 *
 *   vocab 6, len 8, induction_len 2, num_triggers 2, at positions 0 and 4
 *   input    1 4 2 5 1 4 2 3 1 4
 *   target   _ _ _ _ _ _ _ _ 4 2
 *
 * V = vocab ids for input and output (V_in = V_out): 0 is never used (the source's noop), 1 the trigger, 2..V-1 data,
 * uniform. len data tokens and inner triggers come first, then the trigger, then all but the last of the m =
 * induction_len tokens to copy: L = len + m positions. Behind every inner trigger but the first stand the tokens that
 * follow the first. The K = num_triggers inner triggers lie at 0..len-m-2, further than m apart, all such placements
 * equally likely. The m copied tokens are scored. loss: answer trains on them; all trains on every next token, as the
 * source does: most of it is noise (some found models at chance, 1/(V-2), after long training).
 * compat: safari, for K > 1: with probability 1/2 only one trigger; else K positions with repetition, of which those
 * are kept that are further than m from the last one kept.
 *
 * Fails for len < K (m + 1) + 1, and for compat with one trigger. A constant is right for 1 of V-2, exactly. Slices:
 * floor(log2(distance from the last inner trigger to the final one)).
 *
 * Memory: m log2(V-2) bits at the end. With a single trigger (or compat) a solver must know as well whether, and how
 * far back, it is still reading what it must copy: log2 of (V-2)^m + (V-2)^(m-1) + ... + 1 states where len >= 2 m + 2,
 * the last 2 m + 2 - len terms less otherwise.
 *
 * Source: Olsson et al. 2022 (arXiv:2209.11895); Fu et al. 2023 (arXiv:2212.14052), repository safari, synthetics; Gu
 * and Dao 2023 (arXiv:2312.00752), section 4.1.2: vocab 16, train 256, test 64..1048576, two layers of width 64,
 * constant learning rate 1e-3 (their batch 8 and 25 x 8192 steps are UNVERIFIED). Deviations: len 64 by default;
 * answer-only loss by default; ids in plain order, not sorted as strings; all K triggers are used; equal examples are
 * not removed.
 */
#include "common/slots.h"
#include "common/solvable.h"
#include "task.h"

#include <math.h>
#include <stdio.h>

enum { VERSION = 1 };

enum { TRIGGER = 1, DATA = 2 };

enum { ANSWER, ALL };

enum { FIXED, SAFARI };

typedef struct {
    Length len;
    int vocab, num_triggers, induction_len, loss, compat;
} Cfg;

static const Option options[] = {
    OPT_L(Cfg, len, "64", 3, 1 << 20, "tokens before the final trigger"),
    OPT_I(Cfg, vocab, "16", 4, 65536, "ids in all; two less are data"),
    OPT_I(Cfg, num_triggers, "1", 1, PLACES_MAX, "inner triggers"),
    OPT_I(Cfg, induction_len, "1", 1, 1024, "tokens to copy"),
    OPT_E(Cfg, loss, "answer", "answer|all", "train on the copied tokens, or on every next token"),
    OPT_E(Cfg, compat, "none", "none|safari", "safari: often fewer triggers than num_triggers"),
    OPT_END,
};

static bool shape(const void *cfg, const void *data, TaskShape *out, Err *err)
{
    (void)data;
    const Cfg *c = cfg;
    long need = (long)c->num_triggers * (c->induction_len + 1) + 1;
    if (length_min(&c->len) < need)
        return err_set(err, EXIT_USAGE,
                       "induction_heads: num_triggers: %d with induction_len: %d needs len of %ld or more, not %d",
                       c->num_triggers, c->induction_len, need, length_min(&c->len));
    if (c->compat == SAFARI && c->num_triggers == 1)
        return err_set(err, EXIT_USAGE, "induction_heads: compat: safari needs num_triggers of 2 or more");
    *out = (TaskShape){
        .vocab_in = c->vocab,
        .vocab_out = c->vocab,
        .max_len = length_max(&c->len) + c->induction_len,
        .chance_uniform = 1.0 / (c->vocab - 2),
        .chance_majority = 1.0 / (c->vocab - 2),
        .ceiling = 1,
        .headline = "acc_token",
        .slice_label = "log2_gap",
    };
    return true;
}

/* The source's triggers: `n` positions drawn independently, sorted, and thinned out. Returns how many are left. */
static int draw_safari(const Cfg *c, Rng *rng, int n, int *at)
{
    int k = c->num_triggers, kept = 1;
    if (rng_uniform(rng) < 0.5) k = 1;
    for (int have = 0; have < k; have++) {
        int p = (int)rng_below(rng, (uint32_t)n), i = have;
        for (; i > 0 && at[i - 1] > p; i--) at[i] = at[i - 1];
        at[i] = p;
    }
    for (int i = 1; i < k; i++)
        if (at[i] - at[kept - 1] > c->induction_len) at[kept++] = at[i];
    return kept;
}

static void sample(const void *cfg, const void *data, Rng *rng, Example *e)
{
    (void)data;
    const Cfg *c = cfg;
    int at[PLACES_MAX], k = c->num_triggers, m = c->induction_len, len = c->len.now, *x = e->input;
    for (int t = 0; t < len; t++) x[t] = DATA + (int)rng_below(rng, (uint32_t)c->vocab - 2);
    if (c->compat == SAFARI)
        k = draw_safari(c, rng, len - m - 1, at);
    else
        places_draw(rng, len - 1, k, m + 1, at);
    for (int i = 0; i < k; i++) {
        x[at[i]] = TRIGGER;
        for (int j = 1; j <= m; j++) x[at[i] + j] = x[at[0] + j];
    }
    x[len] = TRIGGER;
    for (int j = 0; j < m; j++) {
        int answer = x[at[0] + 1 + j];
        e->target[len + j] = answer;
        e->slice_of[len + j] = ilogb((double)(len - at[k - 1]));
        if (j + 1 < m) x[len + j + 1] = answer;
    }
    e->len = len + m;
    e->has_slice = true;
    e->has_train_target = c->loss == ALL;
    for (int t = 0; t < e->len && c->loss == ALL; t++) e->train_target[t] = t + 1 < e->len ? x[t + 1] : e->target[t];
}

/* Just after m + 1 positions: the trigger seen and its tokens known, or the trigger j positions back, j known. */
static double memory_bits(const void *cfg, const void *data)
{
    (void)data;
    const Cfg *c = cfg;
    int m = c->induction_len, from = 2 * m + 2 - length_max(&c->len);
    double v = c->vocab - 2, sum = 1;
    if (c->num_triggers > 1 && c->compat == FIXED) return m * log2(v);
    for (int j = m - 1; j >= (from > 0 ? from : 0); j--) sum += pow(v, j - m);
    return m * log2(v) + log2(sum);
}

/* Two fingers: one on the tokens behind the first trigger, one on those behind the latest. */
static void solve(const void *cfg, const void *data, const int *input, int len, int *prediction)
{
    (void)cfg, (void)data;
    int first = -1, latest = -1;
    for (int t = 0; t < len; t++) {
        if (input[t] == TRIGGER) latest = t;
        if (first < 0) first = latest;
        int from = first + 1 + t - latest;
        prediction[t] = latest > first && from < t ? input[from] : DATA;
    }
}

static const char *symbol(const void *cfg, const void *data, int id, bool is_target, char *buf)
{
    (void)cfg, (void)data, (void)is_target;
    if (id < DATA) return id == TRIGGER ? "=>" : ".";
    snprintf(buf, 32, "%d", id - DATA);
    return buf;
}

static Theory theory(const void *cfg, TheoryClass cls, int layers)
{
    (void)cfg;
    return solvable_row(SOLVABLE_INDUCTION, cls, layers);
}

TASK_WITH(induction_heads, "what followed the trigger before", "arXiv:2209.11895, 2212.14052, 2312.00752",
          .symbol = symbol, .memory_bits = memory_bits)
