/* SPDX-License-Identifier: Apache-2.0
 * automaton - the state of a finite automaton that is drawn at random, or read from a file.
 *
 *   input    <bos> x[0] x[1] ... x[n-1]        n = len symbols, independent and uniform
 *   target     _   s[0] s[1] ... s[n-1]        s[t] = next(s[t-1], x[t]), from state 0 (`start` of a file)
 *
 *   three states, two symbols, next(., 0) = 1 2 0, next(., 1) = 0 0 1, bos: false
 *     input 0 0 1 0                            target 1 2 1 2
 *
 * Ids: symbols 0..k-1, <bos> k. V_in = k (+1), V_out = states, or 2 with emission (file: as many as it names).
 *
 *   uniform       next(s, a) independent and uniform. A few symbols make such maps forget where they began (see below)
 *   permutation   every symbol a uniform permutation: nothing is forgotten; from five states on mostly A<n> or S<n>
 *   reset_mix     every symbol with probability rho a constant map (a reset), else a permutation
 *   aperiodic     every symbol a uniform order-preserving map: no group inside, star-free
 *   file          the table of a YAML file, `file` relative to the working directory:
 *                     table: [[1, 0], [2, 0], [0, 1]]    by state, then by symbol: 2..64 rows of 1..64 states
 *                     start: 0                           optional
 *                     emission: [0, 1, 0]                optional: the target is the class of the state
 *
 * One automaton per run, drawn from the table seed and the same for all slices; average over seeds, at least 5.
 * `show` and the meta.yaml of an export give table, start, emission as a file has them, and the coalescence: the mean
 * number of symbols until it no longer matters in which state one started (never, for permutations), over 1000 walks.
 * A table whose start leads to a single state that is never left is drawn again. emission: true asks for one of two
 * classes of the state, coloured at random but not all alike. score: final asks after the last symbol alone.
 *
 * Chance is 1/V_out. The majority share is exact: the law of the state by power iteration, over the positions scored;
 * for long examples it is the largest stationary probability (1/states for permutations that mix; far more for uniform:
 * 0.3 to 0.6 of five states is common). 0, and so measured, where that takes too long.
 *
 * Memory: log2 of the states that equally many symbols reach and later answers tell apart.
 *
 * Cases: random state machine of arXiv:2505.21749, kind uniform, states = symbols in {2, 3, 5, 10, 25, 50}, len
 * [2, 10], test len 500; automata of the size of those of arXiv:2509.22284, kind permutation, len [3, 40], test 40..256
 * (its four regular tasks are tasks of their own here).
 *
 * Source: ours, in the spirit of Terzic et al. 2025 (arXiv:2509.22284) and of the random state machine of Ebrahimi and
 * Memisevic 2025 (arXiv:2505.21749; details UNVERIFIED: known from public summaries). Theory: Liu et al. 2023
 * (arXiv:2210.10749) and tasks/common/solvable.c.
 */
#include "task.h"
#include "common/automaton.h"
#include "common/solvable.h"

#include <math.h>
#include <string.h>

enum { VERSION = 1 };

enum { UNIFORM, PERMUTATION, RESET_MIX, APERIODIC, FROM_FILE };

enum { EVERY, FINAL };

enum { STATES = 5, SYMBOLS = 5, DRAWS_MAX = 10000, WALKS = 1000 };

typedef struct {
    Length len;
    int kind, states, symbols;
    double rho;
    const char *file;
    bool emission;
    int score;
    bool bos;
} Cfg;

typedef struct {
    Automaton m;
    Cfg made; /* what it was made for */
} Data;

static const Option options[] = {
    OPT_L(Cfg, len, "[2, 40]", 1, 1 << 20, "symbols per example"),
    OPT_E(Cfg, kind, "uniform", "uniform|permutation|reset_mix|aperiodic|file", "where the table comes from"),
    OPT_I(Cfg, states, "5", 2, AUTOMATON_STATES_MAX, "states (kind: file: leave it, the file tells)"),
    OPT_I(Cfg, symbols, "5", 2, AUTOMATON_SYMBOLS_MAX, "symbols (kind: file: leave it, the file tells)"),
    OPT_R(Cfg, rho, "0.5", 0, 1, "kind: reset_mix: probability that a symbol is a reset"),
    OPT_S(Cfg, file, NULL, "kind: file: YAML file with the table, from the working directory"),
    OPT_B(Cfg, emission, "false", "ask for a random class of the state, one of two (kind: file: the file tells)"),
    OPT_E(Cfg, score, "every", "every|final", "ask after every symbol, or after the last"),
    OPT_B(Cfg, bos, "true", "start every example with a begin mark"),
    OPT_END,
};

/* ---- tables ------------------------------------------------------------------------------------------------------ */

/* The image of each state under one symbol. */
static void draw_map(const Cfg *c, Rng *rng, int *to)
{
    int n = c->states, scratch[2 * AUTOMATON_STATES_MAX], pick[AUTOMATON_STATES_MAX], kind = c->kind;
    bool in[2 * AUTOMATON_STATES_MAX] = { false };
    if (kind == RESET_MIX) kind = rng_uniform(rng) < c->rho ? FROM_FILE : PERMUTATION;
    switch (kind) {
    case UNIFORM:
        for (int s = 0; s < n; s++) to[s] = (int)rng_below(rng, (uint32_t)n);
        break;
    case PERMUTATION:
        for (int s = 0; s < n; s++) to[s] = s;
        rng_shuffle(rng, to, n);
        break;
    case APERIODIC: /* n of 2 n - 1 places in order, less their rank: every order-preserving map equally likely */
        rng_choose(rng, 2 * n - 1, n, pick, scratch);
        for (int i = 0; i < n; i++) in[pick[i]] = true;
        for (int i = 0, s = 0; i < 2 * n - 1; i++)
            if (in[i]) to[s] = i - s, s++;
        break;
    default: /* a reset */
        to[0] = (int)rng_below(rng, (uint32_t)n);
        for (int s = 1; s < n; s++) to[s] = to[0];
    }
}

/* Not for ever in one state. */
static bool is_alive(const Automaton *m)
{
    uint64_t late = automaton_reach(m, 1 << 20);
    return (late & (late - 1)) != 0;
}

static bool two_classes(const Automaton *m)
{
    uint64_t late = automaton_reach(m, 1 << 20) | automaton_reach(m, (1 << 20) + 1), ones = 0;
    for (int s = 0; s < m->states; s++) ones |= (uint64_t)m->out[s] << s;
    return (late & ones) != 0 && (late & ~ones) != 0;
}

static void draw_automaton(const Cfg *c, Rng *rng, Automaton *m)
{
    int to[AUTOMATON_STATES_MAX], tries = 0;
    *m = (Automaton){ .states = c->states, .symbols = c->symbols, .classes = c->emission ? 2 : c->states };
    do {
        for (int a = 0; a < m->symbols; a++) {
            draw_map(c, rng, to);
            for (int s = 0; s < m->states; s++) m->next[s * m->symbols + a] = (uint8_t)to[s];
        }
        CHECK(++tries < DRAWS_MAX, "automaton: %d tables that end in one state", tries);
    } while (!is_alive(m));
    do {
        for (int s = 0; s < m->states; s++) m->out[s] = (uint8_t)(c->emission ? (int)rng_below(rng, 2) : s);
    } while (c->emission && !two_classes(m));
}

static bool prepare(const void *cfg, uint64_t table_seed, Arena *a, void *data, Err *err)
{
    const Cfg *c = cfg;
    Data *d = data;
    Rng rng = rng_named(table_seed, "automaton/table");
    d->made = *c;
    if (c->kind != FROM_FILE) {
        draw_automaton(c, &rng, &d->m);
        return true;
    }
    if (!c->file || !*c->file) return err_set(err, EXIT_USAGE, "automaton: kind: file needs file: PATH");
    return automaton_read(c->file, a, &d->m, err) || err_prefix(err, "automaton: option 'file'");
}

/* A table from a file makes part of a run's id; one that is drawn follows from options and table_seed. */
static Stored stored(const void *cfg, const void *data)
{
    const Cfg *c = cfg;
    const Data *d = data;
    return (Stored){ .content = c->kind == FROM_FILE ? hash_bytes(&d->m, sizeof d->m, 0) : 0 };
}

/* ---- shape ------------------------------------------------------------------------------------------------------- */

static bool same_text(const char *a, const char *b) { return !strcmp(a ? a : "", b ? b : ""); }

/* The options that make the table; slices share one. */
static bool check_options(const Cfg *c, const Cfg *made, Err *err)
{
    if (c->kind != RESET_MIX && (c->rho < 0.5 || c->rho > 0.5))
        return err_set(err, EXIT_USAGE, "automaton: rho: %g needs kind: reset_mix", c->rho);
    if (c->kind != FROM_FILE && c->file && *c->file)
        return err_set(err, EXIT_USAGE, "automaton: file: %s needs kind: file", c->file);
    if (c->kind == FROM_FILE && (c->states != STATES || c->symbols != SYMBOLS || c->emission))
        return err_set(err, EXIT_USAGE, "automaton: %s with kind: file; the file tells",
                       c->emission           ? "emission: true"
                       : c->states != STATES ? "states"
                                             : "symbols");
    const char *other = c->kind != made->kind                      ? "kind"
                        : c->states != made->states                ? "states"
                        : c->symbols != made->symbols              ? "symbols"
                        : c->rho < made->rho || c->rho > made->rho ? "rho"
                        : !same_text(c->file, made->file)          ? "file"
                        : c->emission != made->emission            ? "emission"
                                                                   : NULL;
    return !other || err_set(err, EXIT_USAGE,
                             "automaton: %s of a slice differs from that of the run; one run has one "
                             "automaton",
                             other);
}

static bool shape(const void *cfg, const void *data, TaskShape *out, Err *err)
{
    const Cfg *c = cfg;
    const Data *d = data;
    TRY(check_options(c, &d->made, err));
    if (d->m.symbols + c->bos < 2)
        return err_set(err, EXIT_USAGE, "automaton: file: one symbol needs bos: true, or there is one input only");
    double majority = automaton_majority(&d->m, &c->len, c->score == FINAL);
    *out = (TaskShape){
        .vocab_in = d->m.symbols + c->bos,
        .vocab_out = d->m.classes,
        .max_len = length_max(&c->len) + c->bos,
        .chance_uniform = 1.0 / d->m.classes,
        .chance_majority = majority < 1 ? majority : 0,
        .ceiling = 1,
        .headline = "acc_token",
    };
    return true;
}

static double memory_bits(const void *cfg, const void *data)
{
    const Cfg *c = cfg;
    return log2(automaton_memory(&((const Data *)data)->m, length_max(&c->len), c->score == FINAL));
}

/* ---- examples ---------------------------------------------------------------------------------------------------- */

static void sample(const void *cfg, const void *data, Rng *rng, Example *e)
{
    const Cfg *c = cfg;
    const Automaton *m = &((const Data *)data)->m;
    int s = m->start, t = 0;
    if (c->bos) e->input[t++] = m->symbols;
    for (int i = 0; i < c->len.now; i++, t++) {
        e->input[t] = (int)rng_below(rng, (uint32_t)m->symbols);
        s = m->next[s * m->symbols + e->input[t]];
        if (c->score == EVERY || i == c->len.now - 1) e->target[t] = m->out[s];
    }
    e->len = t;
}

/* All starts at once: for each state the set of those that lead there; the answer is the state that the start is in. */
static void solve(const void *cfg, const void *data, const int *input, int len, int *prediction)
{
    (void)cfg;
    const Automaton *m = &((const Data *)data)->m;
    uint64_t from[AUTOMATON_STATES_MAX];
    for (int s = 0; s < m->states; s++) from[s] = (uint64_t)1 << s;
    for (int t = 0; t < len; t++) {
        if (input[t] < m->symbols) {
            uint64_t to[AUTOMATON_STATES_MAX] = { 0 };
            for (int s = 0; s < m->states; s++) to[m->next[s * m->symbols + input[t]]] |= from[s];
            memcpy(from, to, sizeof from);
        }
        for (int s = 0; s < m->states; s++)
            if (from[s] >> m->start & 1u) prediction[t] = m->out[s];
    }
}

static Value *number(Arena *a, int x) { return value_scalar(a, arena_printf(a, "%d", x)); }

/* As in a file, and how many symbols it takes on average until the start is forgotten. */
static Value *tables(const void *cfg, const void *data, Arena *a)
{
    (void)cfg;
    const Automaton *m = &((const Data *)data)->m;
    Value *map = value_map(a), *rows = value_list(a), *classes = value_list(a);
    Rng rng = rng_named(0, "automaton/coalescence");
    double steps = automaton_coalescence(m, WALKS, &rng);
    bool plain = true;
    for (int s = 0; s < m->states; s++) {
        Value *row = value_list(a);
        for (int k = 0; k < m->symbols; k++) value_append(row, number(a, m->next[s * m->symbols + k]));
        value_append(rows, row);
        value_append(classes, number(a, m->out[s]));
        plain &= m->out[s] == s;
    }
    value_set(map, "table", rows);
    value_set(map, "start", number(a, m->start));
    if (!plain) value_set(map, "emission", classes);
    value_set(map, "coalescence", value_scalar(a, isinf(steps) ? "never" : arena_printf(a, "%.3g", steps)));
    return map;
}

static const char *symbol(const void *cfg, const void *data, int id, bool is_target, char *buf)
{
    const Data *d = data;
    bool classes = d->made.emission || (d->made.kind == FROM_FILE && d->m.classes != d->m.states);
    (void)cfg;
    if (is_target)
        snprintf(buf, 32, classes ? "%d" : "s%d", id);
    else if (id == d->m.symbols)
        return "<bos>";
    else if (d->m.symbols <= 26)
        snprintf(buf, 32, "%c", 'a' + id);
    else
        snprintf(buf, 32, "%d", id);
    return buf;
}

/* ---- theory ------------------------------------------------------------------------------------------------------ */

static Theory theory_file(const Cfg *c, TheoryClass cls, int layers)
{
    Arena *a = arena_new("automaton theory");
    Automaton m, least;
    Theory th = { THEORY_OPEN, "the file cannot be read" };
    if (c->file && automaton_read(c->file, a, &m, NULL)) {
        automaton_minimise(&m, &least);
        AutomatonFacts facts = automaton_facts(&least);
        th = automaton_theory(&facts, least.states, cls, layers);
    }
    arena_free(a);
    return th;
}

static Theory theory(const void *cfg, TheoryClass cls, int layers)
{
    const Cfg *c = cfg;
    static const Theory settles = { THEORY_APPROX, "the last few symbols fix the state with high probability" };
    SolvableRow group = c->states == 2 ? SOLVABLE_PARITY : c->states <= 4 ? SOLVABLE_SOLVABLE : SOLVABLE_UNSOLVABLE;
    if (cls.kind == CLASS_OTHER || cls.kind == CLASS_DENSE || cls.kind == CLASS_RNN)
        return solvable_row(SOLVABLE_UNSOLVABLE, cls, layers);
    switch (c->kind) {
    case FROM_FILE: return theory_file(c, cls, layers);
    case APERIODIC: return solvable_row(SOLVABLE_STAR_FREE, cls, layers);
    case UNIFORM: return settles;
    case RESET_MIX:
        if (c->rho >= 1) return solvable_row(SOLVABLE_MEMORISED, cls, layers);
        if (c->rho > 0) return solvable_row(group == SOLVABLE_PARITY ? SOLVABLE_SOLVABLE : group, cls, layers);
        break;
    default: break;
    }
    if (cls.kind == CLASS_DPLR_H && cls.n_h >= c->states - 1)
        return (Theory){ THEORY_YES, "a permutation of n states is a product of n-1 reflections (arXiv:2502.10297)" };
    return solvable_row(group, cls, layers);
}

TASK_WITH(automaton, "state of a finite automaton, drawn at random or read from a file", "arXiv:2509.22284, 2505.21749",
          .prepare = prepare, .data_size = sizeof(Data), .symbol = symbol, .memory_bits = memory_bits, .stored = stored,
          .tables = tables)
