/* SPDX-License-Identifier: Apache-2.0
 * forgetting_mqar - multi-query associative recall in which some keys are bound anew: the latest value counts.
 *
 *   input    k[0] v[0] ... k[N-1] v[N-1] | M of the keys again, with new values | query slots of two positions
 *   target   the latest value of the key that is asked, nothing elsewhere
 *
 *   V=16, L=10, N=2, M=1, filler: none
 *   input    3 11 7 14 | 3 12 |  7 0  3 0
 *   target   _  _ _  _ | _  _ | 14 _ 12 _
 *
 * len = L positions in all, kv = N pairs, updates = M of them bound anew; C = 2 (N + M) positions of context, S =
 * (L-C)/2 slots. One id space of size V = vocab for input and output (V_in = V_out): 0 filler, 1..V/2-1 keys, V/2..V-1
 * values. Keys are distinct, first values are distinct; the M keys are drawn without replacement, in random order, and
 * each gets a value uniform among all but its own first one (it may be another key's). Slots as in mqar: slot g has
 * weight (g+1)^(power_a-1), the i-th slot drawn asks for the i-th key of the first N; every key is asked once. filler:
 * what stands at all other positions after the context: `none` id 0; `any` an independent uniform id (the published
 * default: a context key may stand there, followed by any id, so only who knows where the context ends, which kv and
 * updates fix, can tell it from an update: prefer `disjoint` where kv or updates is a law); `disjoint` the same without
 * the keys of the context. compat: zoology draws the j-th new value different from the first value of the j-th key, not
 * of the key that gets it, as the published code does, so that an "update" may repeat the old value (with probability
 * about 2/V).
 *
 * Fails for odd vocab or len, vocab <= len, updates > kv, 4 N + 2 M > len, compat without updates. Chance: 2/V for who
 * knows which half holds values (a constant answer, exactly). Who ignores updates is right for 1 - M/N of the queries.
 * Slices: 0 for a key as first bound, 1 for a key bound anew.
 *
 * Memory after the context, for any N keys: log2 of the number of ways to give them values of which at most M repeat an
 * earlier one, for all of those are reached and the queries tell them apart (compat: of those all distinct).
 *
 * Source: repository zoology, forgetting_mqar; successor of Arora et al. 2023 (arXiv:2312.04927) and 2024
 * (arXiv:2402.18668). Published: vocab 8192, updates 4; train (len, kv) = (64,4) (128,9) (256,16) (256,25) (256,36),
 * test (64,4) (64,9) (128,16) (256,36) (512,64) (1024,144) (2048,256). Deviation: vocab 256 by default.
 */
#include "common/slots.h"
#include "common/solvable.h"
#include "task.h"

#include <math.h>

enum { VERSION = 1 };

enum { FIXED, ZOOLOGY };

typedef struct {
    Length len, kv, updates;
    int vocab, filler, compat;
    double power_a;
} Cfg;

static const Option options[] = {
    OPT_L(Cfg, len, "64", 4, SLOTS_LEN_MAX, "positions per example, even"),
    OPT_L(Cfg, kv, "8", 1, SLOTS_MAX, "key-value pairs"),
    OPT_L(Cfg, updates, "4", 0, SLOTS_MAX, "keys that get a new value"),
    OPT_I(Cfg, vocab, "256", 6, SLOTS_VOCAB_MAX, "ids in all, even, more than len"),
    OPT_R(Cfg, power_a, "0.01", 0, 10, "queries: slot g has weight (g+1)^(power_a-1); 1 is uniform"),
    OPT_E(Cfg, filler, "any", FILLER_CHOICES, "unused positions: id 0, any id but a context key, any id"),
    OPT_E(Cfg, compat, "none", "none|zoology", "zoology: a new value may repeat the old one"),
    OPT_END,
};

static bool shape(const void *cfg, const void *data, TaskShape *out, Err *err)
{
    (void)data;
    const Cfg *c = cfg;
    int longest = length_max(&c->len), shortest = length_min(&c->len), pairs = length_max(&c->kv);
    int updates = length_max(&c->updates), need = 4 * pairs + 2 * updates;
    if (!length_even(&c->len))
        return err_set(err, EXIT_USAGE, "forgetting_mqar: len must be even (a law over lengths: {set: [64, 128]})");
    if (c->vocab % 2) return err_set(err, EXIT_USAGE, "forgetting_mqar: vocab: %d must be even", c->vocab);
    if (c->vocab <= longest)
        return err_set(err, EXIT_USAGE, "forgetting_mqar: vocab: %d must be greater than len: %d", c->vocab, longest);
    if (updates > length_min(&c->kv))
        return err_set(err, EXIT_USAGE, "forgetting_mqar: updates: %d exceeds kv: %d", updates, length_min(&c->kv));
    if (need > shortest)
        return err_set(err, EXIT_USAGE, "forgetting_mqar: kv: %d with updates: %d needs len of %d or more, not %d",
                       pairs, updates, need, shortest);
    if (c->compat == ZOOLOGY && !updates)
        return err_set(err, EXIT_USAGE, "forgetting_mqar: compat: zoology needs updates");
    *out = (TaskShape){
        .vocab_in = c->vocab,
        .vocab_out = c->vocab,
        .max_len = longest,
        .chance_uniform = 2.0 / c->vocab,
        .chance_majority = 2.0 / c->vocab,
        .ceiling = 1,
        .headline = "acc_mean",
        .slice_label = "updated",
    };
    return true;
}

/* A value of low..low+n-1 other than `old`. */
static int draw_other(Rng *rng, int low, int n, int old)
{
    int v = low + (int)rng_below(rng, (uint32_t)n - 1);
    return v + (v >= old);
}

static void sample(const void *cfg, const void *data, Rng *rng, Example *e)
{
    (void)data;
    const Cfg *c = cfg;
    Ids used;
    int order[SLOTS_MAX], slot[SLOTS_MAX], latest[SLOTS_MAX], half = c->vocab / 2, len = c->len.now;
    int n = c->kv.now, m = c->updates.now, context = 2 * (n + m), *x = e->input;
    ids_clear(&used, c->vocab);
    for (int i = 0; i < n; i++) x[2 * i] = ids_draw_new(&used, rng, 1, half - 1);
    for (int i = 0; i < n; i++) latest[i] = x[2 * i + 1] = ids_draw_new(&used, rng, half, half), order[i] = i;
    for (int j = 0; j < m; j++) {
        int swap = j + (int)rng_below(rng, (uint32_t)(n - j)), i = order[swap];
        order[swap] = order[j], order[j] = i;
        latest[i] = draw_other(rng, half, half, x[2 * (c->compat == ZOOLOGY ? j : i) + 1]);
        x[2 * (n + j)] = x[2 * i];
        x[2 * (n + j) + 1] = latest[i];
    }
    slots_draw(rng, (len - context) / 2, n, c->power_a, slot);
    for (int t = context; t < len; t++) x[t] = 0;
    for (int i = 0; i < n; i++) {
        int t = context + 2 * slot[i];
        x[t] = x[2 * i];
        e->target[t] = latest[i];
        e->slice_of[t] = 0;
    }
    for (int j = 0; j < m; j++) e->slice_of[context + 2 * slot[order[j]]] = 1;
    filler_write(rng, c->filler, &used, c->vocab, half, x, context, len);
    e->len = len;
    e->has_slice = true;
}

/* r repeats among n values have weight P(r); the weights are rescaled on the way, lest they vanish. */
static double memory_bits(const void *cfg, const void *data)
{
    (void)data;
    const Cfg *c = cfg;
    int n = length_max(&c->kv), m = length_max(&c->updates), half = c->vocab / 2;
    if (c->compat == ZOOLOGY) return log2_distinct(half, n);
    double p[SLOTS_MAX + 1] = { 1 }, bits = 0;
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int r = m < i + 1 ? m : i + 1; r >= 0; r--) {
            p[r] = p[r] * (half - (i - r)) + (r ? p[r - 1] * (i - r + 1) : 0);
            sum += p[r];
        }
        for (int r = 0; r <= m; r++) p[r] /= sum;
        bits += log2(sum);
    }
    return bits;
}

/* Write down what is bound, over and over, until the context ends. */
static void solve(const void *cfg, const void *data, const int *input, int len, int *prediction)
{
    (void)data;
    const Cfg *c = cfg;
    int value[SLOTS_VOCAB_MAX], context = 2 * (c->kv.now + c->updates.now);
    for (int id = 0; id < c->vocab; id++) value[id] = 0;
    for (int t = 0; t < len; t++) {
        if (t < context && t % 2) value[input[t - 1]] = input[t];
        prediction[t] = value[input[t]];
    }
}

static const char *symbol(const void *cfg, const void *data, int id, bool is_target, char *buf)
{
    (void)data, (void)is_target;
    return pair_symbol(id, ((const Cfg *)cfg)->vocab / 2, buf);
}

static Theory theory(const void *cfg, TheoryClass cls, int layers)
{
    (void)cfg;
    switch (cls.kind) {
    case CLASS_DPLR1:
    case CLASS_DPLR1_NEG:
    case CLASS_DPLR_H:
        return (Theory){ THEORY_COND, "delta rule overwrites: exact for kv <= key width (arXiv:2406.06484)" };
    case CLASS_ATTENTION:
        if (layers < 2) break;
        return (Theory){ THEORY_APPROX, "must prefer the later of two bindings; sporadic errors (arXiv:2306.00946)" };
    default: break;
    }
    return solvable_row(SOLVABLE_RECALL, cls, layers);
}

TASK_WITH(forgetting_mqar, "recall of keys whose values change", "repository zoology, arXiv:2312.04927",
          .symbol = symbol, .memory_bits = memory_bits)
