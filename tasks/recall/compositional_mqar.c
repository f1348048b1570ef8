/* SPDX-License-Identifier: Apache-2.0
 * compositional_mqar - multi-query associative recall with keys of two tokens, neither of which is enough alone.
 *
 *   input    a[i] b[j] v[ij] ... all n^2 pairs of n first and n second halves, in random order | slots of three
 *   target   the value of the pair that is asked, at its second half, nothing elsewhere
 *
 *   V=26, L=24, N=4, filler: none; halves 3 and 5, 9 and 12
 *   input    3 12 20  5 9 17  5 12 25  3 9 21 |  5 12 0  3 12 0  3 9 0  5 9 0
 *   target   _  _  _  _ _  _  _  _  _  _ _  _ |  _ 25 _  _ 20 _  _ 21 _  _ 17 _
 *
 * len = L positions in all, kv = N = n^2 pairs; C = 3 N positions of context, S = floor((L-C)/3) slots. One id space of
 * size V = vocab for input and output (V_in = V_out): 0 filler, first halves 1..floor(V/3)-1, second halves
 * floor(V/3)..floor(2V/3)-1, values floor(2V/3)..V-1. Halves and values are distinct. Slots as in mqar: slot g has
 * weight (g+1)^(power_a-1), the i-th slot drawn asks for the i-th pair of the context; every pair is asked once.
 * filler: what stands at all other positions after the context: `none` id 0; `any` an independent uniform id (the
 * published default); `disjoint` the same without the halves of the context. Two fillers can make a pair: a solver must
 * use the first occurrence.
 *
 * Fails where kv is no square or vocab or len are odd, vocab <= len, 6 N > len. Chance: 1 / (V - floor(2V/3)) for who
 * knows which third holds values (a constant answer, exactly), 1/N for who knows the values but not the bindings, 1/n
 * for who uses one half of the key. Slices: floor(log2(distance from the value to the query)).
 *
 * Memory: log2 h! / (h - N)! bits after the context, h values: for any N pairs, the ways to give them distinct values
 * are pairwise told apart by the queries.
 *
 * Source: repository zoology, compositional_mqar; after Arora et al. 2023 (arXiv:2312.04927). Published: vocab 8192,
 * train (len, kv) = (64,4) (128,9) (256,16) (256,25) (256,36), test (64,4) (64,9) (128,16) (256,36) (512,64) (1024,144)
 * (2048,256). Deviation: vocab 256 and kv 9 by default.
 */
#include "common/slots.h"
#include "common/solvable.h"
#include "task.h"

#include <math.h>
#include <stdio.h>

enum { VERSION = 1 };

enum { KV_MAX = 4096, SIDE_MAX = 64 };

typedef struct {
    Length len, kv;
    int vocab, filler;
    double power_a;
} Cfg;

static const Option options[] = {
    OPT_L(Cfg, len, "64", 6, SLOTS_LEN_MAX, "positions per example, even"),
    OPT_L(Cfg, kv, "9", 1, KV_MAX, "key-value pairs, a square: 1, 4, 9, 16, ..."),
    OPT_I(Cfg, vocab, "256", 8, SLOTS_VOCAB_MAX, "ids in all, even, more than len"),
    OPT_R(Cfg, power_a, "0.01", 0, 10, "queries: slot g has weight (g+1)^(power_a-1); 1 is uniform"),
    OPT_E(Cfg, filler, "any", FILLER_CHOICES, "unused positions: id 0, any id but a context half, any id"),
    OPT_END,
};

static int id_second(const Cfg *c) { return c->vocab / 3; }
static int id_value(const Cfg *c) { return 2 * c->vocab / 3; }
static int values(const Cfg *c) { return c->vocab - id_value(c); }

static int root(int n)
{
    int r = 0;
    while ((r + 1) * (r + 1) <= n) r++;
    return r;
}

static bool shape(const void *cfg, const void *data, TaskShape *out, Err *err)
{
    (void)data;
    const Cfg *c = cfg;
    int longest = length_max(&c->len), shortest = length_min(&c->len), pairs = length_max(&c->kv);
    if (!length_even(&c->len))
        return err_set(err, EXIT_USAGE, "compositional_mqar: len must be even (a law over lengths: {set: [64, 128]})");
    for (int i = 0; i < c->kv.n; i++)
        if (c->kv.kind == LENGTH_UNIFORM || root(c->kv.v[i]) * root(c->kv.v[i]) != c->kv.v[i])
            return err_set(err, EXIT_USAGE, "compositional_mqar: kv must be a square (a law over kv: {set: [4, 9]})");
    if (c->vocab % 2) return err_set(err, EXIT_USAGE, "compositional_mqar: vocab: %d must be even", c->vocab);
    if (c->vocab <= longest)
        return err_set(err, EXIT_USAGE, "compositional_mqar: vocab: %d must be greater than len: %d", c->vocab,
                       longest);
    if (6 * pairs > shortest)
        return err_set(err, EXIT_USAGE, "compositional_mqar: kv: %d needs len of %d or more, not %d", pairs, 6 * pairs,
                       shortest);
    *out = (TaskShape){
        .vocab_in = c->vocab,
        .vocab_out = c->vocab,
        .max_len = longest,
        .chance_uniform = 1.0 / values(c),
        .chance_majority = 1.0 / values(c),
        .ceiling = 1,
        .headline = "acc_mean",
        .slice_label = "log2_gap",
    };
    return true;
}

static void sample(const void *cfg, const void *data, Rng *rng, Example *e)
{
    (void)data;
    const Cfg *c = cfg;
    Ids used;
    int order[KV_MAX], slot[SLOTS_MAX], first[SIDE_MAX] = { 0 }, second[SIDE_MAX] = { 0 }, len = c->len.now;
    int n = c->kv.now, side = root(n), context = 3 * n, *x = e->input;
    ids_clear(&used, c->vocab);
    for (int i = 0; i < side; i++) first[i] = ids_draw_new(&used, rng, 1, id_second(c) - 1);
    for (int i = 0; i < side; i++) second[i] = ids_draw_new(&used, rng, id_second(c), id_value(c) - id_second(c));
    for (int i = 0; i < n; i++) order[i] = i;
    rng_shuffle(rng, order, n);
    for (int i = 0; i < n; i++) {
        x[3 * i] = first[order[i] / side];
        x[3 * i + 1] = second[order[i] % side];
        x[3 * i + 2] = ids_draw_new(&used, rng, id_value(c), values(c));
    }
    slots_draw(rng, (len - context) / 3, n, c->power_a, slot);
    for (int t = context; t < len; t++) x[t] = 0;
    for (int i = 0; i < n; i++) {
        int t = context + 3 * slot[i];
        x[t] = x[3 * i];
        x[t + 1] = x[3 * i + 1];
        e->target[t + 1] = x[3 * i + 2];
        e->slice_of[t + 1] = ilogb((double)(t + 1 - (3 * i + 2)));
    }
    filler_write(rng, c->filler, &used, c->vocab, id_value(c), x, context, len);
    e->len = len;
    e->has_slice = true;
}

static double memory_bits(const void *cfg, const void *data)
{
    (void)data;
    const Cfg *c = cfg;
    return log2_distinct(values(c), length_max(&c->kv));
}

/* The value follows the first place where these two halves stand side by side. */
static void solve(const void *cfg, const void *data, const int *input, int len, int *prediction)
{
    (void)data;
    const Cfg *c = cfg;
    int two = id_second(c), three = id_value(c);
    for (int t = 0; t < len; t++) {
        prediction[t] = three;
        if (t < 1 || input[t - 1] >= two || input[t] < two || input[t] >= three) continue;
        for (int s = 1; s < t; s++)
            if (input[s] == input[t] && input[s - 1] == input[t - 1]) {
                prediction[t] = input[s + 1];
                break;
            }
    }
}

static const char *symbol(const void *cfg, const void *data, int id, bool is_target, char *buf)
{
    (void)data, (void)is_target;
    const Cfg *c = cfg;
    int two = id_second(c), three = id_value(c);
    if (!id) return ".";
    if (id < two) snprintf(buf, 32, "a%d", id);
    if (id >= two) snprintf(buf, 32, "b%d", id - two);
    if (id >= three) snprintf(buf, 32, "v%d", id - three);
    return buf;
}

static Theory theory(const void *cfg, TheoryClass cls, int layers)
{
    (void)cfg;
    if (cls.kind == CLASS_ATTENTION && layers >= 2)
        return (Theory){ THEORY_YES,
                         "first layer joins the halves to their value, second looks up (arXiv:2312.04927)" };
    return solvable_row(SOLVABLE_RECALL, cls, layers);
}

TASK_WITH(compositional_mqar, "recall by keys of two tokens", "repository zoology, arXiv:2312.04927", .symbol = symbol,
          .memory_bits = memory_bits)
