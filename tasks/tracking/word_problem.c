/* SPDX-License-Identifier: Apache-2.0
 * word_problem - running product in a finite group.
 *
 *   input    <bos> g[0] g[1] ... g[k-1]        k = len group elements
 *   target     _   g[0] g[0]og[1] ...          y[t] = g[0] o g[1] o ... o g[t]: the new element multiplies on the right
 *
 *   S3, bos: false      input 1 3 2 4          target 1 5 3 0
 *   S5, bos: false      input 24 7 119 1 50    target 24 31 91 90 13
 *
 * Ids: elements 0..|G|-1 as in common/group.h (0 = identity), then <pad> |G|, <bos> |G|+1, five more marks that never
 * occur, and with blank: true the blank |G|+7. V_in = |G|+7 (+1), V_out = |G|. Elements are independent and uniform on:
 *
 *   all          the whole group
 *   swaps        elements that move at most two points (S<n>): identity and transpositions
 *   limit        elements that move at most `limit` points (S<n>, A<n>)
 *   few          a small generating set. S<n>: the n-1 neighbour transpositions (S5: 4). A<n>: the 3-cycle 0->1->2->0
 *                and 0->1->...->n-1->0 (n odd) or 1->2->...->n-1->1 (n even) (A5: 2). Two of the others: Z<n> +1, -1;
 *                D<n> one turn, one reflection; Q8 i, j
 *   swaps_hard   swaps in blocks of four, given as product, 1, 1, 1; targets run three late (three steps to fold in),
 *                starting with identities; len a multiple of 4
 *   tokens       the whole group, each element given `repeat` times, or as repeat-1 blanks and then the element; it
 *                counts at its last copy, so the first repeat-1 targets are identities
 *
 * Memory: log2 of the number of products that the same number of elements can have: log2 |G|, but less for few where
 * they are one coset (S<n>: |G|/2, every generator is odd); swaps_hard: those after whole blocks, times those of one.
 *
 * Chance is 1/|G|; the majority share is exact, from the chain of products. Headline acc_token; the sources report
 * acc_exact (all prefixes right) and acc_prefix, which the runner always gives beside it. Fails for unknown groups and
 * for options that do not fit together. Deviations: the mark <bos> is not scored (the sources count it, which is free:
 * count_bos: true, then V_out = |G|+7 and the mark's target is itself); sequences are drawn independently, not made
 * distinct; the published number of generators in `few` is kept, the sets are ours.
 *
 * Source: Merrill et al. 2024 (arXiv:2404.08819), section 5, repository word-problem; swaps, limit, swaps_hard, tokens:
 * Siems et al. 2025 (arXiv:2502.10297), repository DeltaProduct. Published lengths: A5, A4_x_Z5, Z60 at len
 * {set: [2, k]}, k one of 3..20 (Merrill et al.); S3, S4, A5, S5 and its swaps at 128, tested to 512 (Siems et al.).
 * few: Terzic et al. 2025 (arXiv:2509.22284), Table 3.
 */
#include "task.h"
#include "common/group.h"
#include "common/lengths.h"

#include <math.h>
#include <string.h>

enum { VERSION = 1 };

enum { ALL, SWAPS, LIMIT, FEW, SWAPS_HARD, TOKENS };

enum { MARKS = 7, BLOCK = 4, LEN_MAX = 1 << 20 };

typedef struct {
    Length len;
    const char *group;
    int generators, limit, repeat;
    bool blank, bos, count_bos;
} Cfg;

typedef struct {
    Group group;
    uint16_t *by_moved;               /* elements ordered by the points they move, then by index */
    int moving[GROUP_POINTS_MAX + 1]; /* how many move at most m points */
    int few, few_id[GROUP_POINTS_MAX];
} Data;

static const Option options[] = {
    OPT_L(Cfg, len, "[2, 32]", 1, LEN_MAX, "group elements per example"),
    OPT_S(Cfg, group, "S3", "Z<n>, D<n>, Q8, S2..S6, A3..A6, or a product such as A4_x_Z5"),
    OPT_E(Cfg, generators, "all", "all|swaps|limit|few|swaps_hard|tokens", "elements that are drawn"),
    OPT_I(Cfg, limit, "0", 0, GROUP_POINTS_MAX, "generators: limit: most points an element moves; else 0"),
    OPT_I(Cfg, repeat, "1", 1, 16, "generators: tokens: input positions per element; else 1"),
    OPT_B(Cfg, blank, "false", "generators: tokens: blanks in place of the first repeat-1 copies"),
    OPT_B(Cfg, bos, "true", "start every example with a begin mark"),
    OPT_B(Cfg, count_bos, "false", "score the begin mark as well, as published; its answer is itself"),
    OPT_END,
};

static int id_bos(int order) { return order + 1; }
static int id_blank(int order) { return order + MARKS; }

/* ---- tables ------------------------------------------------------------------------------------------------------ */

/* Index of the permutation that sends points[i] to points[i+1] in a circle. */
static int cycle_find(const Group *g, const int *points, int n)
{
    uint8_t want[GROUP_POINTS_MAX];
    for (int i = 0; i < g->points; i++) want[i] = (uint8_t)i;
    for (int i = 0; i < n; i++) want[points[i]] = (uint8_t)points[(i + 1) % n];
    int id = 0;
    while (memcmp(g->perm + id * g->points, want, (size_t)g->points) != 0) id++;
    return id;
}

static void few_build(Data *d)
{
    static const int points[] = { 0, 1, 2, 3, 4, 5 };
    GroupFactor f = d->group.facts.factor[0];
    int n = f.n, even = n % 2 == 0;
    if (d->group.facts.factors > 1 || f.order <= 2 || (f.letter == 'A' && n == 3)) return;
    if (f.letter == 'S') {
        for (int i = 0; i + 1 < n; i++) d->few_id[d->few++] = cycle_find(&d->group, points + i, 2);
        return;
    }
    d->few = 2;
    switch (f.letter) {
    case 'A':
        d->few_id[0] = cycle_find(&d->group, points, 3);
        d->few_id[1] = cycle_find(&d->group, points + even, n - even);
        break;
    case 'Z': d->few_id[0] = 1, d->few_id[1] = n - 1; break;
    case 'D': d->few_id[0] = 1, d->few_id[1] = n; break;
    default: d->few_id[0] = 2, d->few_id[1] = 4; break; /* i and j of Q8 */
    }
}

static bool prepare(const void *cfg, uint64_t table_seed, Arena *a, void *data, Err *err)
{
    (void)table_seed;
    const Cfg *c = cfg;
    Data *d = data;
    memset(d, 0, sizeof *d);
    if (!group_build(c->group, a, &d->group, err)) return err_prefix(err, "word_problem: option 'group'");
    few_build(d);
    if (!d->group.points) return true;
    d->by_moved = ARENA_NEW(a, uint16_t, d->group.order);
    for (int m = 0, n = 0; m <= GROUP_POINTS_MAX; m++) {
        for (int i = 0; i < d->group.order; i++)
            if (d->group.moved[i] == m) d->by_moved[n++] = (uint16_t)i;
        d->moving[m] = n;
    }
    return true;
}

/* How many elements are drawn from; alphabet_id gives the i-th of them. */
static int alphabet_size(const Cfg *c, const Data *d)
{
    switch (c->generators) {
    case SWAPS:
    case SWAPS_HARD: return d->moving[2];
    case LIMIT: return d->moving[c->limit];
    case FEW: return d->few;
    default: return d->group.order;
    }
}

static int alphabet_id(const Cfg *c, const Data *d, int i)
{
    if (c->generators == ALL || c->generators == TOKENS) return i;
    return c->generators == FEW ? d->few_id[i] : d->by_moved[i];
}

/* ---- shape ------------------------------------------------------------------------------------------------------- */

static int copies(const Cfg *c) { return c->generators == TOKENS ? c->repeat : 1; }

/* Number of drawn elements inside the target of position t (without the begin mark). */
static int elements_at(const Cfg *c, int t)
{
    if (c->generators == SWAPS_HARD) return (t + 1) / BLOCK * BLOCK;
    return (t + 1) / copies(c);
}

/* p' = p times one drawn element; returns the largest change against `before`. */
static double chain_step(const Cfg *c, const Data *d, const double *p, const double *before, double *next)
{
    int order = d->group.order, letters = alphabet_size(c, d);
    memset(next, 0, sizeof(double) * (size_t)order);
    for (int i = 0; i < letters; i++) {
        int g = alphabet_id(c, d, i);
        for (int x = 0; x < order; x++) next[d->group.mul[x * order + g]] += p[x] / letters;
    }
    double change = 0;
    for (int x = 0; x < order; x++) {
        double e = next[x] - before[x];
        if (e < 0) e = -e;
        if (e > change) change = e;
    }
    return change;
}

/* Share of the commonest target: the law of the product after s elements, weighted by how often it is scored. The chain
 * settles into a law of period at most 2 (all generators odd); then only the weights are summed. */
static double majority(const Cfg *c, const Data *d)
{
    double law[3][GROUP_ORDER_MAX] = { { 1 } }, share[GROUP_ORDER_MAX] = { 0 }, total = 0, best = 0;
    double *p = law[0], *before = law[1], *next = law[2], tail[2] = { 0, 0 };
    int order = d->group.order, r = copies(c), end = length_max(&c->len) * r, s = 0;
    bool settled = false;
    for (int t = 0; t < end; t++) {
        double weight = length_over(&c->len, t / r);
        for (; s < elements_at(c, t) && !settled; s++) {
            settled = chain_step(c, d, p, before, next) < 1e-13;
            double *old = before;
            before = p, p = next, next = old;
        }
        total += weight;
        if (settled)
            tail[(elements_at(c, t) - s) & 1] += weight;
        else
            for (int x = 0; x < order; x++) share[x] += weight * p[x];
    }
    for (int x = 0; x < order; x++) {
        share[x] += tail[0] * p[x] + tail[1] * before[x];
        if (share[x] > best) best = share[x];
    }
    if (c->count_bos) total++; /* one more target, of another class; at most as common as the first element's */
    return (c->count_bos && best < 1 ? 1 : best) / total;
}

/* Replace the set of products by that of one element more; returns its size. */
static int reach(const Cfg *c, const Data *d, bool *in)
{
    bool next[GROUP_ORDER_MAX] = { false };
    int order = d->group.order, letters = alphabet_size(c, d), n = 0;
    for (int x = 0; x < order; x++)
        for (int i = 0; in[x] && i < letters; i++) next[d->group.mul[x * order + alphabet_id(c, d, i)]] = true;
    for (int x = 0; x < order; x++) n += in[x] = next[x];
    return n;
}

/* How many products exactly k elements can have. The number never falls with k, and has settled after |G| elements. */
static int reachable(const Cfg *c, const Data *d, int k)
{
    bool in[GROUP_ORDER_MAX] = { true };
    int n = 1;
    for (int i = 0; i < k && i < 2 * d->group.order && n < d->group.order; i++) n = reach(c, d, in);
    return n;
}

static double memory_bits(const void *cfg, const void *data)
{
    const Cfg *c = cfg;
    const Data *d = data;
    int len = length_max(&c->len);
    if (c->generators == SWAPS_HARD) return log2(reachable(c, d, len - BLOCK)) + log2(reachable(c, d, BLOCK));
    return log2(reachable(c, d, len - 1));
}

static bool check_generators(const Cfg *c, const Data *d, Err *err)
{
    if (c->generators == LIMIT && c->limit < 2)
        return err_set(err, EXIT_USAGE, "word_problem: generators: limit needs limit: 2 or more");
    if (c->generators != LIMIT && c->limit)
        return err_set(err, EXIT_USAGE, "word_problem: limit: %d needs generators: limit", c->limit);
    if (c->generators == TOKENS && c->repeat < 2)
        return err_set(err, EXIT_USAGE, "word_problem: generators: tokens needs repeat: 2 or more");
    if (c->generators != TOKENS && (c->repeat > 1 || c->blank))
        return err_set(err, EXIT_USAGE, "word_problem: %s needs generators: tokens", c->blank ? "blank" : "repeat");
    if (alphabet_size(c, d) < 2)
        return err_set(err, EXIT_USAGE, "word_problem: group: %s has no such generators (%s)", c->group,
                       c->generators == FEW     ? "few needs a single factor, not S2, A3 or Z2"
                       : c->generators == LIMIT ? "limit needs a single S<n> or A<n>"
                                                : "swaps needs a single S<n>");
    if (c->count_bos && !c->bos) return err_set(err, EXIT_USAGE, "word_problem: count_bos needs bos: true");
    if ((long)length_max(&c->len) * copies(c) > LEN_MAX)
        return err_set(err, EXIT_USAGE, "word_problem: repeat: %d times len: %d is more than %d positions", c->repeat,
                       length_max(&c->len), LEN_MAX);
    if (c->generators == SWAPS_HARD) {
        bool spread = c->len.kind == LENGTH_UNIFORM && length_min(&c->len) != length_max(&c->len);
        for (int i = 0; i < c->len.n || i < 1; i++)
            if (spread || c->len.v[i] % BLOCK)
                return err_set(err, EXIT_USAGE, "word_problem: generators: swaps_hard needs every len a multiple of %d",
                               BLOCK);
    }
    return true;
}

static bool shape(const void *cfg, const void *data, TaskShape *out, Err *err)
{
    const Cfg *c = cfg;
    const Data *d = data;
    if (strcmp(c->group, d->group.name) != 0)
        return err_set(err, EXIT_USAGE, "word_problem: group: %s in a slice of a run on %s; one run has one group",
                       c->group, d->group.name);
    TRY(check_generators(c, d, err));
    int order = d->group.order;
    *out = (TaskShape){
        .vocab_in = order + MARKS + c->blank,
        .vocab_out = c->count_bos ? order + MARKS : order,
        .max_len = length_max(&c->len) * copies(c) + c->bos,
        .chance_uniform = 1.0 / (order + c->count_bos),
        .chance_majority = majority(c, d),
        .ceiling = 1,
        .headline = "acc_token",
    };
    return true;
}

/* ---- examples ---------------------------------------------------------------------------------------------------- */

static int draw(const Cfg *c, const Data *d, Rng *rng)
{
    return alphabet_id(c, d, (int)rng_below(rng, (uint32_t)alphabet_size(c, d)));
}

static void sample(const void *cfg, const void *data, Rng *rng, Example *e)
{
    const Cfg *c = cfg;
    const Data *d = data;
    const uint16_t *mul = d->group.mul;
    int order = d->group.order, r = copies(c), acc = 0, t = 0;
    if (c->bos) {
        if (c->count_bos) e->target[t] = id_bos(order);
        e->input[t++] = id_bos(order);
    }
    if (c->generators == SWAPS_HARD) {
        for (int b = 0; b < c->len.now / BLOCK; b++) {
            int product = 0;
            for (int i = 0; i < BLOCK; i++) product = mul[product * order + draw(c, d, rng)];
            for (int i = 0; i < BLOCK; i++, t++) {
                if (i == BLOCK - 1) acc = mul[acc * order + product];
                e->input[t] = i ? 0 : product;
                e->target[t] = acc;
            }
        }
    } else {
        for (int i = 0; i < c->len.now; i++) {
            int g = draw(c, d, rng);
            for (int j = 0; j < r; j++, t++) {
                bool last = j == r - 1;
                if (last) acc = mul[acc * order + g];
                e->input[t] = last || !c->blank ? g : id_blank(order);
                e->target[t] = acc;
            }
        }
    }
    e->len = t;
}

/* ---- solver: no table; each factor multiplies in its own arithmetic ---------------------------------------------- */

/* Permutation number id by its digits in the factorial system; of A<n>, the even one of 2 id and 2 id + 1. */
static void perm_decode(GroupFactor f, int id, int *p)
{
    int left[GROUP_POINTS_MAX], base = 1, odd = 0, x = f.letter == 'A' ? 2 * id : id;
    for (int i = 0; i < f.n; i++) left[i] = i;
    for (int i = 2; i < f.n; i++) base *= i;
    for (int i = 0; i < f.n; i++) {
        int digit = x / base;
        x %= base;
        odd ^= digit & 1;
        p[i] = left[digit];
        for (int j = digit; j + 1 < f.n - i; j++) left[j] = left[j + 1];
        if (i < f.n - 1) base /= f.n - 1 - i;
    }
    if (f.letter == 'A' && odd) {
        int last = p[f.n - 1];
        p[f.n - 1] = p[f.n - 2], p[f.n - 2] = last;
    }
}

static int perm_encode(GroupFactor f, const int *p)
{
    int id = 0;
    for (int i = 0; i < f.n; i++) {
        int smaller = 0;
        for (int j = i + 1; j < f.n; j++) smaller += p[j] < p[i];
        id = id * (f.n - i) + smaller;
    }
    return f.letter == 'A' ? id / 2 : id;
}

static int multiply_perm(GroupFactor f, int a, int b)
{
    int p[GROUP_POINTS_MAX], q[GROUP_POINTS_MAX], pq[GROUP_POINTS_MAX];
    perm_decode(f, a, p);
    perm_decode(f, b, q);
    for (int i = 0; i < f.n; i++) pq[i] = p[q[i]];
    return perm_encode(f, pq);
}

/* Hamilton's product of two units. */
static int multiply_quaternion(int a, int b)
{
    int x[4] = { 0 }, y[4] = { 0 };
    x[a / 2] = a % 2 ? -1 : 1;
    y[b / 2] = b % 2 ? -1 : 1;
    int z[4] = { x[0] * y[0] - x[1] * y[1] - x[2] * y[2] - x[3] * y[3],
                 x[0] * y[1] + x[1] * y[0] + x[2] * y[3] - x[3] * y[2],
                 x[0] * y[2] - x[1] * y[3] + x[2] * y[0] + x[3] * y[1],
                 x[0] * y[3] + x[1] * y[2] - x[2] * y[1] + x[3] * y[0] };
    int unit = 0;
    while (!z[unit]) unit++;
    return 2 * unit + (z[unit] < 0);
}

/* (k, flip) is x -> k + x or k - x. */
static int multiply_dihedral(int n, int a, int b)
{
    int ka = a % n, kb = b % n, flip = (a >= n) ^ (b >= n);
    return flip * n + (a < n ? ka + kb : ka - kb + n) % n;
}

static int multiply(const GroupFacts *facts, int a, int b)
{
    int product = 0, scale = 1;
    for (int i = facts->factors - 1; i >= 0; i--) {
        GroupFactor f = facts->factor[i];
        int x = a % f.order, y = b % f.order, z;
        switch (f.letter) {
        case 'Z': z = x + y < f.n ? x + y : x + y - f.n; break;
        case 'D': z = multiply_dihedral(f.n, x, y); break;
        case 'Q': z = multiply_quaternion(x, y); break;
        default: z = multiply_perm(f, x, y);
        }
        product += scale * z;
        scale *= f.order;
        a /= f.order, b /= f.order;
    }
    return product;
}

static void solve(const void *cfg, const void *data, const int *input, int len, int *prediction)
{
    const Cfg *c = cfg;
    const GroupFacts *facts = &((const Data *)data)->group.facts;
    int acc = 0, waiting = 0;
    for (int t = 0; t < len; t++) {
        int i = t - c->bos, id = input[t];
        if (id < facts->order && i >= 0) {
            bool takes = c->generators != TOKENS || i % c->repeat == c->repeat - 1;
            if (c->generators == SWAPS_HARD) {
                if (i % BLOCK == 0) waiting = id;
                if (i % BLOCK == BLOCK - 1) acc = multiply(facts, acc, waiting);
            } else if (takes) {
                acc = multiply(facts, acc, id);
            }
        }
        prediction[t] = c->count_bos && i < 0 ? id_bos(facts->order) : acc;
    }
}

static const char *symbol(const void *cfg, const void *data, int id, bool is_target, char *buf)
{
    (void)cfg, (void)is_target;
    static const char *const mark[] = { "<pad>", "<bos>", "<unk>", "<eos>", "<sep>", "<cls>", "<mask>", "<blank>" };
    const GroupFacts *facts = &((const Data *)data)->group.facts;
    if (id >= facts->order) return mark[id - facts->order];
    return group_symbol(facts, id, buf, 32);
}

/* ---- theory ------------------------------------------------------------------------------------------------------ */

/* Reflections one drawn element needs; -1: several tokens share one element, so a single layer is not enough. */
static int reflections(const Cfg *c, const GroupFacts *facts)
{
    bool symmetric = facts->factors == 1 && facts->factor[0].letter == 'S';
    switch (c->generators) {
    case SWAPS: return 1;
    case FEW: return symmetric ? 1 : facts->reflections;
    case LIMIT: return c->limit - 1 < facts->reflections ? c->limit - 1 : facts->reflections;
    case ALL: return facts->reflections;
    default: return -1;
    }
}

static Theory theory_diagonal(const GroupFacts *facts, bool real_only)
{
    if (!facts->solvable)
        return (Theory){ THEORY_NO, "NC1-complete; diagonal is in TC0, unless TC0 = NC1 (arXiv:2404.08819)" };
    if (!real_only)
        return facts->abelian
                   ? (Theory){ THEORY_YES, "one rotation per cyclic factor (arXiv:2507.05238)" }
                   : (Theory){ THEORY_COND, "solvable: needs depth, layers that read earlier ones (arXiv:2507.05238)" };
    if (!facts->two_group)
        return (Theory){ THEORY_NO,
                         "counting modulo an odd prime needs eigenvalues that are not real (arXiv:2411.12537)" };
    return facts->exponent2 ? (Theory){ THEORY_YES, "signs: one parity per factor (arXiv:2411.12537)" }
                            : (Theory){ THEORY_COND, "needs depth: a cascade of parities" };
}

static Theory theory_householder(const Cfg *c, const GroupFacts *facts, int n_h, int layers)
{
    int need = reflections(c, facts);
    if (need > 0 && n_h >= need)
        return (Theory){ THEORY_YES, "each element is a product of n_h reflections, one layer (arXiv:2502.10297)" };
    if (need < 0) return (Theory){ THEORY_COND, "an element is spread over several tokens: needs depth" };
    if (facts->abelian && layers < 2)
        return (Theory){ THEORY_NO,
                         "one layer: a constant input repeats a matrix with real eigenvalues (arXiv:2411.12537)" };
    if (facts->abelian) return (Theory){ THEORY_YES, "two layers: two reflections make a rotation (arXiv:2411.12537)" };
    if (facts->factors == 1 && layers >= 4)
        return (Theory){ THEORY_YES, "four layers by a lookup of products (arXiv:2502.10297)" };
    return (Theory){ THEORY_COND, "needs more reflections per token or more layers (arXiv:2502.10297)" };
}

static Theory theory(const void *cfg, TheoryClass cls, int layers)
{
    const Cfg *c = cfg;
    GroupFacts facts;
    if (!group_facts(c->group, &facts, NULL)) return (Theory){ THEORY_OPEN, "unknown group" };
    switch (cls.kind) {
    case CLASS_LTI: return (Theory){ THEORY_NO, "time-invariant dynamics at finite precision (arXiv:2405.17394)" };
    case CLASS_DIAG_POS: return (Theory){ THEORY_NO, "positive eigenvalues at finite precision (arXiv:2411.12537)" };
    case CLASS_DIAG_REAL: return theory_diagonal(&facts, true);
    case CLASS_DIAG_COMPLEX: return theory_diagonal(&facts, false);
    case CLASS_DPLR1: return (Theory){ THEORY_NO, "beta in [0,1] keeps the eigenvalues in [0,1] (arXiv:2411.12537)" };
    case CLASS_DPLR1_NEG: return theory_householder(c, &facts, 1, layers);
    case CLASS_DPLR_H: return theory_householder(c, &facts, cls.n_h, layers);
    case CLASS_DENSE:
        return (Theory){ THEORY_YES, "one input-dependent matrix per element, one layer (arXiv:2404.08819)" };
    case CLASS_RNN: return (Theory){ THEORY_YES, "a finite automaton" };
    case CLASS_ATTENTION:
        return facts.solvable
                   ? (Theory){ THEORY_APPROX, "solvable: shortcuts that depend on the length (arXiv:2210.10749)" }
                   : (Theory){ THEORY_NO, "NC1-complete; fixed depth is in TC0, unless TC0 = NC1 (arXiv:2404.08819)" };
    default: return (Theory){ THEORY_OPEN, "class not settled" };
    }
}

TASK_WITH(word_problem, "running product in a finite group", "arXiv:2404.08819, 2502.10297", .prepare = prepare,
          .data_size = sizeof(Data), .symbol = symbol, .memory_bits = memory_bits)
