/* SPDX-License-Identifier: Apache-2.0
 * regular_language - what may follow each prefix of a word: the star-free suite and its neighbours.
 *
 *   input    w[0] w[1] ... w[n-1] (<end>)      a word of n = len letters; <end> where there is one, not scored
 *   target   y[0] y[1] ... y[n-1]              which symbols may follow w[0..t], as the number of that set
 *
 *   d_2, word a a b b: sets {a,b} {b} {a,b} {a}     input 0 0 1 1      target 1 2 1 0
 *
 *   language                                       star-free   letters      classes
 *   tomita_1  1*                                   yes         0 1          {1}
 *   tomita_2  (10)*                                yes         0 1          {1} {0}
 *   tomita_3  no odd run of 1s, odd run of 0s      no          0 1          {0,1} {0}
 *   tomita_4  no 000                               yes         0 1          {0,1} {1}
 *   tomita_5  even number of 0s and of 1s          no          0 1          member or not
 *   tomita_6  as many 0s as 1s, modulo 3           no          0 1          member or not
 *   tomita_7  0*1*0*1*                             yes         0 1          {0,1} {1}
 *   d_2 d_3 d_4 d_12  D_n = (a D_(n-1) b)*         yes         a b          {a} {a,b} {b}
 *   a_to_e    aa*bb*cc*dd*ee*                      yes         a-e <end>    {a} {a,b} {b,c} {c,d} {d,e} {e,<end>}
 *   ab_d_bc   {a,b}*d{b,c}*                        yes         a-d <end>    {a,b,d} {b,c,<end>}
 *   012_0_2   {0,1,2}*02*                          yes         0-2 <end>    {0,1,2} {0,1,2,<end>}
 *   parity    even number of 1s                    no          0 1          member or not
 *   aa  aaaa  abab   (aa)* (aaaa)* (abab)*         no          a b          member or not
 *
 * Ids: letters in order from 0, <end> last. Classes of sets are numbered by first occurrence in a breadth-first walk of
 * the minimal automaton; the last class, always there, is the empty set: `negatives` is the share of words with one
 * letter (uniform among the places that allow it) replaced by a symbol that may not stand there, after which nothing
 * may follow. Where the class is membership it is 1 for the prefixes in the language, and 0 after a wrong letter;
 * parity, tomita_5 and tomita_6 have no wrong letters. A word without a place for a wrong letter stays whole.
 *
 * len counts letters; a length that the language does not have (odd ones of (10)*) is rounded down, or up to the
 * shortest word. words: uniform draws every word of that length with equal probability (by counting words backwards,
 * nothing is rejected); walk draws each letter uniformly from those from which a word of that length can still be had
 * (tomita_4: fair bits that refuse a third 0).
 *
 * Chance is 1 / classes that occur. The majority share is exact without negatives and for shorter words, else measured.
 * tomita_1 asks for the same set always, so that it tests nothing but length without negatives.
 *
 * Memory: log2 of the states at one place of the longest words that some next letters, possible after each of two,
 * tell apart (D_n: only depths of one parity meet).
 *
 * Published: lengths 2..50, tested at the next 50; tomita_1 1..100; d_n 2..100; (aa)* 2..500. Deviations: sets are
 * classes, not several sigmoids; the sources draw D_n by nested budgets and the run lengths of tomita_7 and a_to_e as
 * shares of a budget (the details of which are UNVERIFIED), here both laws of words are exact ones.
 *
 * Source: Bhattamishra et al. 2020 (arXiv:2009.11264), repository Transformer-Formal-Languages; Sarrof et al. 2024
 * (arXiv:2405.17394), repository ssm_expressivity.
 */
#include "task.h"
#include "common/automaton.h"
#include "common/solvable.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { VERSION = 1 };

enum {
    TOMITA_1,
    TOMITA_2,
    TOMITA_3,
    TOMITA_4,
    TOMITA_5,
    TOMITA_6,
    TOMITA_7,
    D_2,
    D_3,
    D_4,
    D_12,
    A_TO_E,
    AB_D_BC,
    L012_0_2,
    PARITY,
    AA,
    AAAA,
    ABAB
};

enum { UNIFORM, WALK };

enum { LEN_MAX = 4096, LIVE_MAX = 16, SETS_MAX = 8 };

typedef struct {
    Length len;
    int language, words;
    double negatives;
} Cfg;

typedef struct {
    Automaton m;                       /* minimal, complete; <end> is its last symbol where there is one */
    int language, letters, sets, dead; /* dead: a state, -1 if every word can be continued */
    bool has_end, member;
    uint32_t set[SETS_MAX];    /* symbols of each class */
    double (*words)[LIVE_MAX]; /* [r][s]: words of r symbols from s to the end, up to a factor of each r */
    int fit[LEN_MAX + 1];      /* letters drawn for each len */
} Data;

static const Option options[] = {
    OPT_L(Cfg, len, "[2, 50]", 1, LEN_MAX, "letters per word; rounded to a length that the language has"),
    OPT_E(Cfg, language, "d_4",
          "tomita_1|tomita_2|tomita_3|tomita_4|tomita_5|tomita_6|tomita_7|d_2|d_3|d_4|d_12|a_to_e|ab_d_bc|012_0_2|"
          "parity|aa|aaaa|abab",
          "language"),
    OPT_E(Cfg, words, "uniform", "uniform|walk", "words of a length alike, or letters alike from left to right"),
    OPT_R(Cfg, negatives, "0", 0, 1, "share of words broken by one wrong letter"),
    OPT_END,
};

/* ---- languages --------------------------------------------------------------------------------------------------- */

/* A row per state: the next state after each symbol, '.' where none may follow, '+' if a word may end here. */
typedef struct Language {
    const char *letters, *row[7];
    bool has_end, member;
} Language;

static const Language languages[] = {
    [TOMITA_1] = { "01", { ".0+" }, false, false },
    [TOMITA_2] = { "01", { ".1+", "0." }, false, false },
    [TOMITA_3] = { "01", { "01+", "20+", "3.", "21+" }, false, false },
    [TOMITA_4] = { "01", { "10+", "20+", ".0+" }, false, false },
    [TOMITA_5] = { "01", { "12+", "03", "30", "21" }, false, true },
    [TOMITA_6] = { "01", { "12+", "20", "01" }, false, true },
    [TOMITA_7] = { "01", { "01+", "21+", "23+", ".3+" }, false, false },
    [D_2] = { "ab", { NULL }, false, false },
    [D_3] = { "ab", { NULL }, false, false },
    [D_4] = { "ab", { NULL }, false, false },
    [D_12] = { "ab", { NULL }, false, false },
    [A_TO_E] = { "abcde", { "1.....", "12....", ".23...", "..34..", "...45.", "....56", "......+" }, true, false },
    [AB_D_BC] = { "abcd", { "00.1.", ".11.2", ".....+" }, true, false },
    [L012_0_2] = { "012", { "100.", "1012", "....+" }, true, false },
    [PARITY] = { "01", { "01+", "10" }, false, true },
    [AA] = { "ab", { "1.+", "0." }, false, true },
    [AAAA] = { "ab", { "1.+", "2.", "3.", "0." }, false, true },
    [ABAB] = { "ab", { "1.+", ".2", "3.", ".0" }, false, true },
};

static int depth_max(int language)
{
    return language == D_2 ? 2 : language == D_3 ? 3 : language == D_4 ? 4 : language == D_12 ? 12 : 0;
}

/* Complete automaton: the states of the rows, or of the depths, and behind them the one that nothing leaves. */
static void automaton_build(int language, Automaton *minimal)
{
    const Language *l = &languages[language];
    Automaton m = { .symbols = (int)strlen(l->letters) + l->has_end, .classes = 2 };
    int deep = depth_max(language), n = deep ? deep + 1 : 0;
    while (!deep && n < 7 && l->row[n]) n++;
    m.states = n + 1;
    for (int s = 0; s <= n; s++)
        for (int a = 0; a < m.symbols; a++) {
            int to = n;
            if (s < n && deep) to = a == 0 ? (s < deep ? s + 1 : n) : s > 0 ? s - 1 : n;
            if (s < n && !deep && l->row[s][a] != '.') to = l->row[s][a] - '0';
            m.next[s * m.symbols + a] = (uint8_t)to;
        }
    for (int s = 0; s < n; s++) m.out[s] = deep ? s == 0 : l->row[s][m.symbols] == '+';
    automaton_minimise(&m, minimal);
}

static int find_dead(const Automaton *m)
{
    for (int s = 0; s < m->states; s++) {
        bool stays = !m->out[s];
        for (int a = 0; a < m->symbols; a++) stays &= m->next[s * m->symbols + a] == s;
        if (stays) return s;
    }
    return -1;
}

static uint32_t legal_of(const Data *d, int s)
{
    uint32_t set = 0;
    for (int a = 0; a < d->m.symbols; a++)
        if (d->m.next[s * d->m.symbols + a] != d->dead) set |= 1u << a;
    return set;
}

/* Class of a set; `sets` if it is not (yet) there. */
static int class_of(const Data *d, uint32_t set)
{
    int k = 0;
    while (k < d->sets && d->set[k] != set) k++;
    return k;
}

/* How many words lead from each state to the end in r symbols; rows are scaled to a largest entry of 1. */
static void count_words(Data *d)
{
    const Automaton *m = &d->m;
    for (int s = 0; s < m->states; s++) d->words[0][s] = m->out[s];
    for (int r = 1; r <= LEN_MAX + 1; r++) {
        double most = 0;
        for (int s = 0; s < m->states; s++) {
            double sum = 0;
            for (int a = 0; a < m->symbols; a++) sum += d->words[r - 1][m->next[s * m->symbols + a]];
            d->words[r][s] = sum;
            most = fmax(most, sum);
        }
        for (int s = 0; s < m->states && most > 0; s++) d->words[r][s] /= most;
    }
    int shortest = 1;
    while (!(d->words[shortest + d->has_end][m->start] > 0)) shortest++;
    for (int n = 1, fits = shortest; n <= LEN_MAX; n++) {
        if (d->words[n + d->has_end][m->start] > 0) fits = n;
        d->fit[n] = fits;
    }
}

static bool prepare(const void *cfg, uint64_t table_seed, Arena *a, void *data, Err *err)
{
    (void)table_seed, (void)err;
    const Cfg *c = cfg;
    const Language *l = &languages[c->language];
    Data *d = data;
    *d = (Data){ .language = c->language, .letters = (int)strlen(l->letters) };
    d->has_end = l->has_end;
    d->member = l->member;
    automaton_build(c->language, &d->m);
    d->dead = find_dead(&d->m);
    for (int s = 0; s < d->m.states; s++) {
        uint32_t set = legal_of(d, s);
        if (set && class_of(d, set) == d->sets) d->set[d->sets++] = set;
    }
    d->words = arena_zalloc(a, LEN_MAX + 2, sizeof *d->words);
    count_words(d);
    return true;
}

/* ---- shape ------------------------------------------------------------------------------------------------------- */

static int target_of(const Data *d, int s) { return d->member ? d->m.out[s] : class_of(d, legal_of(d, s)); }

/* Probability of symbol a in state s with r symbols still to come, it included. */
static double share_of(const Cfg *c, const Data *d, int s, int r, int a)
{
    const Automaton *m = &d->m;
    const double *left = d->words[r - 1];
    double sum = 0, own = left[m->next[s * m->symbols + a]];
    for (int b = 0; b < m->symbols; b++) {
        double w = left[m->next[s * m->symbols + b]];
        sum += c->words == WALK ? w > 0 : w;
    }
    return (c->words == WALK ? own > 0 : own) / sum;
}

/* Adds the expected number of each target in a word of n letters. */
static void expect_targets(const Cfg *c, const Data *d, int n, double weight, double *count)
{
    double p[LIVE_MAX] = { 0 }, next[LIVE_MAX];
    int k = d->m.symbols;
    p[d->m.start] = 1;
    for (int t = 0; t < n; t++) {
        memset(next, 0, sizeof next);
        for (int s = 0; s < d->m.states; s++)
            for (int a = 0; p[s] > 0 && a < k; a++)
                next[d->m.next[s * k + a]] += p[s] * share_of(c, d, s, n + d->has_end - t, a);
        memcpy(p, next, sizeof p);
        for (int s = 0; s < d->m.states; s++)
            if (p[s] > 0) count[target_of(d, s)] += weight * p[s];
    }
}

static double majority(const Cfg *c, const Data *d)
{
    double count[SETS_MAX + 1] = { 0 }, best = 0, total = 0;
    const Length *l = &c->len;
    int lo = length_min(l), hi = length_max(l);
    if (c->negatives > 0 || (l->kind == LENGTH_UNIFORM ? hi - lo + 1.0 : l->n) * hi > 1e6) return 0;
    if (l->kind == LENGTH_UNIFORM)
        for (int n = lo; n <= hi; n++) expect_targets(c, d, d->fit[n], 1, count);
    else
        for (int i = 0; i < (l->kind == LENGTH_SET ? l->n : 1); i++) expect_targets(c, d, d->fit[l->v[i]], 1, count);
    for (int k = 0; k <= SETS_MAX; k++) best = fmax(best, count[k]), total += count[k];
    return best < total * (1 - 1e-12) ? best / total : 0;
}

static bool shape(const void *cfg, const void *data, TaskShape *out, Err *err)
{
    const Cfg *c = cfg;
    const Data *d = data;
    if (c->language != d->language)
        return err_set(err, EXIT_USAGE,
                       "regular_language: language of a slice differs from that of the run; one run "
                       "has one language");
    if (c->negatives > 0 && d->dead < 0)
        return err_set(err, EXIT_USAGE,
                       "regular_language: negatives: %g with a language in which no letter is ever "
                       "wrong (parity, tomita_5, tomita_6)",
                       c->negatives);
    int classes = d->member ? 2 : d->sets + 1, occur = d->member ? 2 : d->sets + (c->negatives > 0);
    *out = (TaskShape){
        .vocab_in = d->m.symbols,
        .vocab_out = classes,
        .max_len = d->fit[length_max(&c->len)] + d->has_end,
        .chance_uniform = 1.0 / (occur > 1 ? occur : 2),
        .chance_majority = majority(c, d),
        .ceiling = 1,
        .headline = "acc_token",
    };
    return true;
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

/* With r letters left: which states some next letters, possible after both, tell apart by an answer on the way; bit q
 * of apart[s], from those with a letter less left. */
static void apart_step(const Data *d, int r, uint32_t *apart)
{
    const Automaton *m = &d->m;
    const double *left = d->words[r - 1 + d->has_end];
    uint32_t next[LIVE_MAX] = { 0 };
    for (int s = 0; s < m->states; s++)
        for (int q = 0; q < m->states; q++)
            for (int a = 0; a < d->letters; a++) {
                int x = m->next[s * m->symbols + a], y = m->next[q * m->symbols + a];
                bool possible = left[x] > 0 && left[y] > 0;
                if (possible && (target_of(d, x) != target_of(d, y) || (apart[x] >> y & 1u))) next[s] |= 1u << q;
            }
    memcpy(apart, next, sizeof next);
}

/* The largest subset of `among` that is told apart pairwise. */
static int largest_apart(const uint32_t *apart, uint32_t among)
{
    int best = 0;
    for (int s = 0; s < LIVE_MAX; s++) {
        if (!(among >> s & 1u)) continue;
        among &= ~(1u << s);
        int n = 1 + largest_apart(apart, among & apart[s]);
        if (n > best) best = n;
    }
    return best;
}

/* States after t letters of words with r to come. */
static uint32_t reach_words(const Data *d, int t, int r)
{
    uint32_t set = (uint32_t)automaton_reach(&d->m, t);
    for (int s = 0; s < d->m.states; s++)
        if (!(d->words[r + d->has_end][s] > 0)) set &= ~(1u << s);
    return set;
}

/* Words of the longest length alone, at every place; broken ones only add to what must be told apart. */
static double memory_bits(const void *cfg, const void *data)
{
    const Cfg *c = cfg;
    const Data *d = data;
    uint32_t apart[LIVE_MAX] = { 0 };
    int n = d->fit[length_max(&c->len)], best = 1;
    for (int r = 1; r < n; r++) {
        apart_step(d, r, apart);
        int found = largest_apart(apart, reach_words(d, n - r, r));
        if (found > best) best = found;
    }
    return log2(best);
}

/* ---- examples ---------------------------------------------------------------------------------------------------- */

static int draw_symbol(const Cfg *c, const Data *d, int s, int r, Rng *rng)
{
    const uint8_t *next = d->m.next + s * d->m.symbols;
    const double *left = d->words[r - 1];
    double sum = 0, at = 0, u = rng_uniform(rng);
    int last = 0;
    for (int a = 0; a < d->m.symbols; a++) sum += c->words == WALK ? left[next[a]] > 0 : left[next[a]];
    for (int a = 0; a < d->m.symbols; a++) {
        double w = c->words == WALK ? left[next[a]] > 0 : left[next[a]];
        if (!(w > 0)) continue;
        last = a;
        if (u * sum < (at += w)) break;
    }
    return last;
}

/* One letter of the first n, uniform among the places where some symbol is wrong, becomes a wrong one. */
static void break_word(const Data *d, Rng *rng, Example *e, int n)
{
    uint32_t all = (1u << d->m.symbols) - 1, wrong = 0;
    int places = 0, s = d->m.start, at = -1;
    for (int t = 0; t < n; t++) {
        uint32_t w = all & ~legal_of(d, s);
        if (w && rng_below(rng, (uint32_t)++places) == 0) at = t, wrong = w;
        s = d->m.next[s * d->m.symbols + e->input[t]];
    }
    if (at < 0) return;
    int count = 0, id = 0;
    for (uint32_t w = wrong; w; w &= w - 1) count++;
    for (int skip = (int)rng_below(rng, (uint32_t)count); !(wrong >> id & 1u) || skip-- > 0; id++) {}
    e->input[at] = id;
    for (int t = at; t < n; t++) e->target[t] = d->member ? 0 : d->sets;
}

static void sample(const void *cfg, const void *data, Rng *rng, Example *e)
{
    const Cfg *c = cfg;
    const Data *d = data;
    int n = d->fit[c->len.now], s = d->m.start;
    e->len = n + d->has_end;
    for (int t = 0; t < e->len; t++) {
        e->input[t] = draw_symbol(c, d, s, e->len - t, rng);
        s = d->m.next[s * d->m.symbols + e->input[t]];
        if (t < n) e->target[t] = target_of(d, s);
    }
    if (c->negatives > 0 && rng_uniform(rng) < c->negatives) break_word(d, rng, e, n);
}

/* ---- solver: each language by what it says, without its automaton ------------------------------------------------ */

typedef struct Look {
    int read, last, run, before; /* symbols read; the last, how many of it in a row, how many of another before those */
    int count[2], depth, top;    /* of symbols 0 and 1; opened and not closed; largest letter */
    int switches, anchor;        /* changes between 0 and 1, from 0; the last symbol that was not 2 */
    bool wrong, after_d;
} Look;

static void look_at(Look *l, int a)
{
    l->before = l->read && a != l->last ? l->run : l->before;
    l->run = l->read && a == l->last ? l->run + 1 : 1;
    l->switches += a != (l->read ? l->last : 0);
    if (a < 2) l->count[a]++;
    l->depth += a == 0 ? 1 : -1;
    if (a != 2) l->anchor = a;
    if (a == 3) l->after_d = true;
    l->top = a;
    l->last = a;
    l->read++;
}

/* Symbols that may follow, as a mask. */
static uint32_t legal_next(int language, const Look *l)
{
    int deep = depth_max(language);
    if (deep) return (l->depth < deep ? 1u : 0u) | (l->depth > 0 ? 2u : 0u);
    switch (language) {
    case TOMITA_1: return 2;
    case TOMITA_2: return l->read % 2 ? 1 : 2;
    case TOMITA_3: return l->read && l->last == 0 && l->run % 2 && l->before % 2 ? 1 : 3;
    case TOMITA_4: return l->read && l->last == 0 && l->run >= 2 ? 2 : 3;
    case TOMITA_7: return l->switches >= 3 ? 2 : 3;
    case A_TO_E: return l->read ? 3u << l->top : 1;
    case AB_D_BC: return l->after_d ? 2u | 4u | 16u : 1u | 2u | 8u;
    case L012_0_2: return l->read && l->anchor == 0 ? 15 : 7;
    case AA:
    case AAAA: return 1;
    case ABAB: return l->read % 2 ? 2 : 1;
    default: return 3;
    }
}

static bool is_member(int language, const Look *l)
{
    switch (language) {
    case TOMITA_5: return l->count[0] % 2 == 0 && l->count[1] % 2 == 0;
    case TOMITA_6: return (l->count[0] + 2 * l->count[1]) % 3 == 0;
    case PARITY: return l->count[1] % 2 == 0;
    case AA: return !l->wrong && l->read % 2 == 0;
    default: return !l->wrong && l->read % 4 == 0;
    }
}

static void solve(const void *cfg, const void *data, const int *input, int len, int *prediction)
{
    const Data *d = data;
    int language = ((const Cfg *)cfg)->language;
    Look l = { .anchor = 1 };
    for (int t = 0; t < len; t++) {
        if (!(legal_next(language, &l) >> input[t] & 1u) || (d->has_end && input[t] == d->letters)) l.wrong = true;
        look_at(&l, input[t]);
        prediction[t] = d->member ? is_member(language, &l) : l.wrong ? d->sets : class_of(d, legal_next(language, &l));
    }
}

static const char *symbol(const void *cfg, const void *data, int id, bool is_target, char *buf)
{
    const Data *d = data;
    const char *letters = languages[((const Cfg *)cfg)->language].letters;
    if (!is_target) {
        snprintf(buf, 32, "%.1s", letters + id);
        return d->has_end && id == d->letters ? "<end>" : buf;
    }
    if (d->member) return id ? "in" : "out";
    if (id == d->sets) return "{}";
    int n = snprintf(buf, 32, "{");
    for (int a = 0; a < d->m.symbols; a++)
        if (d->set[id] >> a & 1u)
            n += snprintf(buf + n, (size_t)(32 - n), "%s%.*s", n > 1 ? "," : "", a == d->letters ? 5 : 1,
                          a == d->letters ? "<end>" : letters + a);
    snprintf(buf + n, (size_t)(32 - n), "}");
    return buf;
}

static Theory theory(const void *cfg, TheoryClass cls, int layers)
{
    const Cfg *c = cfg;
    bool clock = c->language == AA || c->language == AAAA || c->language == ABAB;
    if (c->language == TOMITA_1 && !(c->negatives > 0)) return solvable_row(SOLVABLE_MEMORISED, cls, layers);
    if (clock && cls.kind == CLASS_LTI && !(c->negatives > 0))
        return (Theory){ THEORY_YES, "a clock: every symbol turns the same rotation" };
    if (clock && !(c->negatives > 0))
        return solvable_row(c->language == AA ? SOLVABLE_PARITY : SOLVABLE_CYCLIC_2, cls, layers);
    Automaton m;
    automaton_build(c->language, &m);
    AutomatonFacts facts = automaton_facts(&m);
    return automaton_theory(&facts, m.states, cls, layers);
}

TASK_WITH(regular_language, "what may follow each prefix: star-free and other regular languages",
          "arXiv:2009.11264, 2405.17394", .prepare = prepare, .data_size = sizeof(Data), .symbol = symbol,
          .memory_bits = memory_bits)
