/* SPDX-License-Identifier: Apache-2.0
 * bounded_dyck - balanced words over k = types kinds of brackets, never more than m = depth of them open (Dyck-(k,m)):
 * of which type is the closer that comes next?
 *
 *   word ( [ ] ) ( )     input 0 1 3 2 0 2     score: closers    target       _ 1 0 _ 0 _
 *                                              score: all        trained on   1 3 2 0 2 4
 *
 * Ids: openers 0..k-1, closers k..2k-1, end 2k (a target of score: all only). Law of the next symbol by the number h of
 * open brackets: h = 0: end 1/2, any opener 1/2; 0 < h < m: the right closer 1/2, any opener 1/2; h = m: the closer.
 * Types are uniform. Before `shortest` symbols end is drawn again; words longer than `longest` are drawn again. The
 * sampler draws from exactly this law without a repeat: step by step, each choice weighted by the probability that the
 * word then ends in time.
 *
 * score: closers scores each position whose next symbol is a closer, by its type: V_out = k. all trains on every next
 * symbol and the end (2k+1 classes, ids as above; openers are random, so the loss has a floor) and still evaluates
 * closers only, as ids. V_in = 2k. A constant answer is right for 1/k, exactly. Guessing the type of the last opener is
 * right for 0.70 at the defaults. Slices: floor(log2(distance from an opener to its closer)).
 *
 * Fails unless an even length lies between shortest and longest.
 *
 * Memory: with h = min(m, longest/2), the h-1 types below the top: (h-1) log2 k bits.
 *
 * Source: Hewitt et al. 2020 (arXiv:2010.07515), the language and its law; Sarrof et al. 2024 (arXiv:2405.17394),
 * repository ssm_expressivity, bounded_dyck_expt: types 8, depth 10 and 5, words of 1..700 symbols (2 000 000 tokens),
 * test 701..1400. Deviations: small defaults; one word per example; accuracy is the share of closers whose type is the
 * likeliest, where the published measure asks for a share of the probability of all closers (0.8: UNVERIFIED).
 */
#include "task.h"
#include "common/solvable.h"

#include <math.h>
#include <stdio.h>

enum { VERSION = 1 };

enum { CLOSERS, ALL };

enum { TYPES_MAX = 1024, DEPTH_MAX = 62, LEN_MAX = 2048, ROW = DEPTH_MAX / 2 + 1 };

typedef struct {
    int shortest, longest, types, depth, score;
} Cfg;

static const Option options[] = {
    OPT_I(Cfg, shortest, "2", 1, LEN_MAX, "least symbols of a word, end not counted"),
    OPT_I(Cfg, longest, "64", 2, LEN_MAX, "most symbols of a word, end not counted"),
    OPT_I(Cfg, types, "4", 2, TYPES_MAX, "kinds of brackets, k"),
    OPT_I(Cfg, depth, "5", 1, DEPTH_MAX, "most brackets open at once, m"),
    OPT_E(Cfg, score, "closers", "closers|all", "train on closers, or on every next symbol; closers are evaluated"),
    OPT_END,
};

static bool shape(const void *cfg, const void *data, TaskShape *out, Err *err)
{
    (void)data;
    const Cfg *c = cfg;
    int longest = c->longest - c->longest % 2;
    if (c->shortest > longest)
        return err_set(err, EXIT_USAGE, "bounded_dyck: no even length between shortest: %d and longest: %d",
                       c->shortest, c->longest);
    *out = (TaskShape){
        .vocab_in = 2 * c->types,
        .vocab_out = c->score == ALL ? 2 * c->types + 1 : c->types,
        .max_len = longest,
        .chance_uniform = 1.0 / c->types,
        .chance_majority = 1.0 / c->types,
        .ceiling = 1,
        .headline = "acc_token",
        .slice_label = "log2_gap",
    };
    return true;
}

/* Probability that the word ends in time, from n symbols with h open: in_time[n * ROW + h / 2]. h has n's parity. */
static void find_in_time(const Cfg *c, float *in_time)
{
    int longest = c->longest - c->longest % 2, m = c->depth;
    for (int j = 0; j < ROW; j++) in_time[(longest + 1) * ROW + j] = 0;
    for (int n = longest; n >= 0; n--) {
        float *now = in_time + n * ROW;
        const float *next = now + ROW;
        for (int j = 0, h = n % 2; h <= m; j++, h += 2) {
            float up = h < m ? next[n % 2 + j] : 0, down = h > 0 ? next[n % 2 + j - 1] : n >= c->shortest;
            bool forced = h == m || (h == 0 && n < c->shortest);
            now[j] = forced ? up + down : 0.5F * (up + down);
        }
    }
}

static void sample(const void *cfg, const void *data, Rng *rng, Example *e)
{
    (void)data;
    const Cfg *c = cfg;
    float in_time[(LEN_MAX + 2) * ROW];
    int opened[DEPTH_MAX + 1], h = 0, n = 0;
    find_in_time(c, in_time);
    for (;; n++) {
        const float *next = in_time + (n + 1) * ROW;
        float up = h < c->depth ? next[(h + 1) / 2] : 0, down = h > 0 ? next[(h - 1) / 2] : n >= c->shortest;
        bool opens = up > 0 && (!(down > 0) || rng_uniform(rng) * (double)(up + down) < (double)up);
        if (!opens && h == 0) break;
        if (opens) {
            e->input[n] = (int)rng_below(rng, (uint32_t)c->types);
            opened[h++] = n;
        } else {
            int from = opened[--h], type = e->input[from];
            e->input[n] = c->types + type;
            e->target[n - 1] = c->score == ALL ? e->input[n] : type;
            e->slice_of[n - 1] = ilogb((double)(n - from));
        }
        if (c->score == ALL && n > 0) e->train_target[n - 1] = e->input[n];
    }
    if (c->score == ALL) e->train_target[n - 1] = 2 * c->types;
    e->len = n;
    e->has_slice = true;
    e->has_train_target = c->score == ALL;
}

static double memory_bits(const void *cfg, const void *data)
{
    (void)data;
    const Cfg *c = cfg;
    return (fmin(c->depth, c->longest / 2) - 1) * log2(c->types);
}

/* top[t]: where the innermost bracket open after t was opened (-1: none). A closer closes top[t-1], so what is open
 * then is what was open before that one. */
static void solve(const void *cfg, const void *data, const int *input, int len, int *prediction)
{
    (void)data;
    const Cfg *c = cfg;
    int link[LEN_MAX + 1], *top = link + 1;
    top[-1] = -1;
    for (int t = 0; t < len; t++) {
        int last = top[t - 1];
        top[t] = input[t] < c->types ? t : last < 0 ? -1 : top[last - 1];
        prediction[t] = top[t] < 0 ? 0 : input[top[t]] + (c->score == ALL ? c->types : 0);
    }
}

static const char *symbol(const void *cfg, const void *data, int id, bool is_target, char *buf)
{
    (void)data;
    const Cfg *c = cfg;
    static const char brackets[2][5] = { "([{<", ")]}>" };
    if (id == 2 * c->types) return "<end>";
    int closer = id >= c->types || (is_target && c->score == CLOSERS), type = id % c->types;
    if (c->types <= 4)
        snprintf(buf, 32, "%c", brackets[closer][type]);
    else
        snprintf(buf, 32, closer ? "%d)" : "(%d", type);
    return buf;
}

static Theory theory(const void *cfg, TheoryClass cls, int layers)
{
    (void)cfg;
    return solvable_row(SOLVABLE_BOUNDED_STACK, cls, layers);
}

TASK_WITH(bounded_dyck, "brackets of several types to a bounded depth: which closer comes",
          "arXiv:2010.07515, 2405.17394", .symbol = symbol, .memory_bits = memory_bits)
