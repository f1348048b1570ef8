/* SPDX-License-Identifier: Apache-2.0
 * agreement - every closing slot agrees with its opener: nested pairs close in reverse order, crossed ones in the same.
 *
 *   input    f* o[0] f* o[1] ... f* o[n-1] f* _ f* _ ... f* _        n = len openers, then n slots
 *   target   the type of the opener that the slot closes, at every slot
 *
 *   nested    k 3, n 3, no filler       input 2 0 1 . . .      (types; . is a slot)      target _ _ _ 1 0 2
 *   crossed   k 3, n 3, no filler       input 2 0 1 . . .                                target _ _ _ 2 0 1
 *
 * Ids: slot 0, fillers 1..fillers, openers fillers+1..fillers+k. In front of every opener and slot stand 0..gap
 * fillers, the number and the fillers uniform. Opener types are independent and uniform. V_in = 1 + fillers + k, V_out
 * = k: class i is the type of opener fillers+1+i. With gap 0 there are no fillers and no id is spent on them. L <= 2n
 * (1 + gap). A constant is right for 1 of k, exactly. Slices: slot, its place among the n (bins from 31 on are pooled);
 * in nested pairs its opener is 2 slot + 1 tokens back, without fillers, in crossed ones n.
 *
 * Memory: n log2 k bits before the first slot, for all openers are still to be asked for.
 *
 * Fails for fillers without gap.
 *
 * Source: the agreement tasks of unitary recurrent networks (arXiv:2208.05719), nested and cross-serial dependencies;
 * their details are UNVERIFIED, this token version is ours. Set for training len [1, 10], for testing [11, 20].
 */
#include "task.h"
#include "common/solvable.h"

#include <math.h>
#include <stdio.h>

enum { VERSION = 1 };

enum { NESTED, CROSSED };

enum { LEN_MAX = 16384 };

typedef struct {
    Length len;
    int variant, k, gap, fillers;
} Cfg;

static const Option options[] = {
    OPT_L(Cfg, len, "[1, 10]", 1, LEN_MAX, "openers per example, and as many slots"),
    OPT_E(Cfg, variant, "nested", "nested|crossed", "slots close the last opener first, or the first"),
    OPT_I(Cfg, k, "4", 2, 1024, "types of openers"),
    OPT_I(Cfg, gap, "0", 0, 64, "most fillers in front of an opener or slot"),
    OPT_I(Cfg, fillers, "1", 1, 1024, "kinds of filler"),
    OPT_END,
};

static int id_opener(const Cfg *c) { return 1 + (c->gap ? c->fillers : 0); }

static bool shape(const void *cfg, const void *data, TaskShape *out, Err *err)
{
    (void)data;
    const Cfg *c = cfg;
    if (c->fillers > 1 && !c->gap)
        return err_set(err, EXIT_USAGE, "agreement: fillers: %d needs gap: 1 or more", c->fillers);
    *out = (TaskShape){
        .vocab_in = id_opener(c) + c->k,
        .vocab_out = c->k,
        .max_len = 2 * length_max(&c->len) * (1 + c->gap),
        .chance_uniform = 1.0 / c->k,
        .chance_majority = 1.0 / c->k,
        .ceiling = 1,
        .headline = "acc_token",
        .slice_label = "slot",
    };
    return true;
}

static void sample(const void *cfg, const void *data, Rng *rng, Example *e)
{
    (void)data;
    const Cfg *c = cfg;
    const int n = c->len.now;
    int type[LEN_MAX], t = 0;
    for (int i = 0; i < 2 * n; i++) {
        for (int f = c->gap ? (int)rng_below(rng, (uint32_t)c->gap + 1) : 0; f > 0; f--)
            e->input[t++] = 1 + (int)rng_below(rng, (uint32_t)c->fillers);
        if (i < n) {
            type[i] = (int)rng_below(rng, (uint32_t)c->k);
            e->input[t++] = id_opener(c) + type[i];
        } else {
            e->input[t] = 0;
            e->target[t] = type[c->variant == NESTED ? 2 * n - 1 - i : i - n];
            e->slice_of[t++] = i - n;
        }
    }
    e->len = t;
    e->has_slice = true;
}

/* A finger on the opener to close next: nested, it steps back and every opener read calls it there; crossed, it steps
 * forward. */
static void solve(const void *cfg, const void *data, const int *input, int len, int *prediction)
{
    (void)data;
    const Cfg *c = cfg;
    const bool nested = c->variant == NESTED;
    const int opener = id_opener(c);
    int finger = nested ? -1 : 0;
    for (int t = 0; t < len; t++) {
        prediction[t] = 0;
        if (nested && input[t] >= opener) finger = t;
        if (input[t] != 0) continue;
        while (finger >= 0 && finger < t && input[finger] < opener) finger += nested ? -1 : 1;
        if (finger < 0 || finger >= t) continue;
        prediction[t] = input[finger] - opener;
        finger += nested ? -1 : 1;
    }
}

static double memory_bits(const void *cfg, const void *data)
{
    (void)data;
    const Cfg *c = cfg;
    return length_max(&c->len) * log2(c->k);
}

static const char *symbol(const void *cfg, const void *data, int id, bool is_target, char *buf)
{
    (void)data;
    const Cfg *c = cfg;
    if (!is_target && id == 0) return "_";
    if (!is_target && id < id_opener(c) && c->fillers == 1) return "~";
    if (!is_target && id < id_opener(c))
        snprintf(buf, 32, "~%d", id - 1);
    else
        snprintf(buf, 32, "%d", is_target ? id : id - id_opener(c));
    return buf;
}

static Theory theory(const void *cfg, TheoryClass cls, int layers)
{
    return solvable_row(((const Cfg *)cfg)->variant == NESTED ? SOLVABLE_STACK : SOLVABLE_COPY, cls, layers);
}

TASK_WITH(agreement, "closing slots agree with their openers, nested or crossed", "arXiv:2208.05719", .symbol = symbol,
          .memory_bits = memory_bits)
