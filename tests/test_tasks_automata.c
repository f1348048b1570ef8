/* SPDX-License-Identifier: Apache-2.0
 * test_tasks_automata.c - automata and regular languages against enumeration.
 *
 * Tables, monoids and laws of small automata are known or counted word by word; the languages are held against POSIX
 * regular expressions; the law of strings of a grammar against the sum over all its paths. Statistics use fixed seeds
 * and 4 standard errors.
 */
#include <check.h>
#include <math.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/automaton.h"
#include "support/suite.h"
#include "support/task_facts.h"

enum { DRAWS = 20000 };

/* Rows of the table as text, "120 001": by state, then by symbol. */
static Automaton automaton_of(const char *rows)
{
    Automaton m = { .symbols = (int)strcspn(rows, " ") };
    for (const char *s = rows; *s; s += m.symbols + (s[m.symbols] == ' '), m.states++)
        for (int a = 0; a < m.symbols; a++) m.next[m.states * m.symbols + a] = (uint8_t)(s[a] - '0');
    m.classes = m.states;
    for (int s = 0; s < m.states; s++) m.out[s] = (uint8_t)s;
    return m;
}

/* ---- what the maps generate -------------------------------------------------------------------------------------- */

typedef struct Known {
    const char *rows;
    int size;
    bool definite, permutations, aperiodic, exponent2, abelian, two_groups, solvable;
} Known;

static const Known known[] = {
    /* parity; counting modulo 3, 4, 6; Klein's four-group */
    { "01 10", 2, false, true, false, true, true, true, true },
    { "1 2 0", 3, false, true, false, false, true, false, true },
    { "1 2 3 0", 4, false, true, false, false, true, true, true },
    { "10 21 32 43 54 05", 6, false, true, false, false, true, false, true },
    { "12 03 30 21", 4, false, true, false, true, true, true, true },
    /* S3, A4, S4, A5, S5, A6 by their generators; the dihedral group of the square */
    { "11 20 02", 6, false, true, false, false, false, false, true },
    { "10 22 03 31", 12, false, true, false, false, false, false, true },
    { "11 20 32 03", 24, false, true, false, false, false, false, true },
    { "11 22 03 34 40", 60, false, true, false, false, false, false, false },
    { "11 20 32 43 04", 120, false, true, false, false, false, false, false },
    { "10 22 03 34 45 51", 360, false, true, false, false, false, false, false },
    { "10 23 32 01", 8, false, true, false, false, false, true, true },
    /* flip-flop with hold; all maps of three points; of five; resets alone; a window of two bits */
    { "010 011", 3, false, false, true, true, true, true, true },
    { "110 200 022", 27, false, false, false, false, false, false, true },
    { "110 200 322 433 044", 3125, false, false, false, false, false, false, false },
    { "01 01", 2, true, false, true, true, true, true, true },
    { "01 23 01 23", 6, true, false, true, true, true, true, true },
    /* order-preserving maps of three points but the identity; parity with a reset */
    { "0100 0112 2212", 9, false, false, true, true, true, true, true },
    { "010 100", 4, false, false, false, true, true, true, true },
};

START_TEST(monoids)
{
    const Known *k = &known[_i];
    Automaton m = automaton_of(k->rows);
    AutomatonFacts f = automaton_facts(&m);
    ck_assert_msg(f.size == k->size, "%s: %d maps", k->rows, f.size);
    ck_assert_msg(f.definite == k->definite && f.permutations == k->permutations, "%s: definite %d, permutations %d",
                  k->rows, f.definite, f.permutations);
    ck_assert_msg(f.aperiodic == k->aperiodic && f.solvable == k->solvable, "%s: aperiodic %d, solvable %d", k->rows,
                  f.aperiodic, f.solvable);
    ck_assert_msg(f.exponent2 == k->exponent2 && f.abelian == k->abelian && f.two_groups == k->two_groups,
                  "%s: exponent2 %d, abelian %d, two_groups %d", k->rows, f.exponent2, f.abelian, f.two_groups);
}
END_TEST

START_TEST(monoid_too_large)
{
    Automaton m = automaton_of("110 200 322 433 544 055"); /* all 46656 maps of six points */
    AutomatonFacts f = automaton_facts(&m);
    ck_assert_int_eq(f.size, 0);
    ck_assert(!f.aperiodic && !f.solvable && !f.definite);
    ck_assert_int_eq(automaton_theory(&f, 6, (TheoryClass){ CLASS_ATTENTION, 1 }, 2).verdict, THEORY_OPEN);
    ck_assert_int_eq(automaton_theory(&f, 6, (TheoryClass){ CLASS_RNN, 1 }, 1).verdict, THEORY_YES);
}
END_TEST

/* ---- tables ------------------------------------------------------------------------------------------------------ */

START_TEST(minimises)
{
    Automaton m = automaton_of("10 21 32 03 44"), least; /* counts modulo 4, asked for modulo 2; 4 is never reached */
    const uint8_t out[] = { 0, 1, 0, 1, 1 }, next[] = { 1, 0, 0, 1 };
    m.classes = 2;
    memcpy(m.out, out, sizeof out);
    automaton_minimise(&m, &least);
    ck_assert_int_eq(least.states, 2);
    ck_assert_int_eq(least.start, 0);
    ck_assert(!memcmp(least.next, next, sizeof next));
    ck_assert(least.out[0] == 0 && least.out[1] == 1);
    Automaton z = automaton_of("120 201 012"), same; /* nothing to merge; breadth first from state 1 */
    z.start = 1;
    automaton_minimise(&z, &same);
    ck_assert_int_eq(same.states, 3);
    ck_assert(same.out[0] == 1 && same.out[1] == 2 && same.out[2] == 0);
    ck_assert(same.next[0] == 1 && same.next[1] == 2 && same.next[2] == 0);
}
END_TEST

START_TEST(reaches)
{
    Automaton m = automaton_of("1 2 3 4 2"); /* a tail of two states and a circle of three */
    for (int t = 0; t < 40; t++)
        ck_assert_uint_eq(automaton_reach(&m, t), (uint64_t)1 << (t < 2 ? t : 2 + (t - 2) % 3));
    ck_assert_uint_eq(automaton_reach(&m, 1000000), (uint64_t)1 << (2 + 999998 % 3));
    Automaton two = automaton_of("11 22 00"); /* both symbols turn alike */
    ck_assert_uint_eq(automaton_reach(&two, 1 << 20), (uint64_t)1 << ((1 << 20) % 3));
}
END_TEST

/* The share of the commonest class, counted over every word. */
static double count_majority(const Automaton *m, const int *lens, int n_lens, bool last_only)
{
    double share[AUTOMATON_STATES_MAX] = { 0 }, best = 0, total = 0;
    for (int k = 0; k < n_lens; k++) {
        int words = 1;
        for (int i = 0; i < lens[k]; i++) words *= m->symbols;
        for (int w = 0; w < words; w++)
            for (int i = 0, s = m->start, rest = w; i < lens[k]; i++, rest /= m->symbols) {
                s = m->next[s * m->symbols + rest % m->symbols];
                if (last_only && i < lens[k] - 1) continue;
                share[m->out[s]] += 1.0 / words, total += 1.0 / words;
            }
    }
    for (int c = 0; c < m->classes; c++) best = fmax(best, share[c]);
    return best / total;
}

START_TEST(majorities)
{
    static const char *const rows[] = { "120 001 212", "11 20 32 43 04", "01 22 12", "1 2 3 4 2", "01 02 02" };
    Automaton m = automaton_of(rows[_i]);
    for (int last = 0; last < 2; last++) {
        Length uniform = { LENGTH_UNIFORM, 2, { 3, 7 }, 0 }, set = { LENGTH_SET, 2, { 2, 6 }, 0 },
               fixed = { LENGTH_FIXED, 1, { 8 }, 0 };
        const int all[] = { 3, 4, 5, 6, 7 }, two[] = { 2, 6 }, one[] = { 8 };
        ck_assert_double_eq_tol(automaton_majority(&m, &uniform, last), count_majority(&m, all, 5, last), 1e-12);
        ck_assert_double_eq_tol(automaton_majority(&m, &set, last), count_majority(&m, two, 2, last), 1e-12);
        ck_assert_double_eq_tol(automaton_majority(&m, &fixed, last), count_majority(&m, one, 1, last), 1e-12);
    }
}
END_TEST

/* Long examples: the stationary law by hand, and a circle that never settles. */
START_TEST(majorities_of_long_examples)
{
    Automaton m = automaton_of("01 02 02"); /* a run of 1s, up to two: 1/2, 1/4, 1/4 */
    Length len = { LENGTH_FIXED, 1, { 1 << 20 }, 0 };
    ck_assert_double_eq_tol(automaton_majority(&m, &len, true), 0.5, 1e-12);
    ck_assert_double_eq_tol(automaton_majority(&m, &len, false), 0.5, 1e-6);
    Automaton circle = automaton_of("1 2 3 4 2");
    len.v[0] = 1000001; /* after two steps of the tail, 999999 = 3 * 333333 places, state 2 first */
    ck_assert_double_eq_tol(automaton_majority(&circle, &len, false), 333334.0 / 1000001, 1e-12);
    ck_assert_double_eq_tol(automaton_majority(&circle, &len, true), 1, 1e-12);
}
END_TEST

START_TEST(coalesces)
{
    Rng rng = rng_named(3, "coalesces");
    Automaton half = automaton_of("00 10"),
              turn = automaton_of("01 10"); /* hold or reset: geometric, mean and variance 2 */
    facts_mean(DRAWS * automaton_coalescence(&half, DRAWS, &rng), DRAWS * 6.0, DRAWS, 2, "geometric");
    ck_assert(isinf(automaton_coalescence(&turn, 1, &rng)));
}
END_TEST

/* ---- files ------------------------------------------------------------------------------------------------------- */

typedef struct Bad {
    const char *text, *message;
} Bad;

static const Bad bad[] = {
    { "[1]", ":1:1: expected a map with 'table: [[...], ...]'" },
    { "start: 1", ":1:1: no 'table: [[...], ...]', a list by state of lists by symbol" },
    { "tabel: [[1]]", ":1:1: unknown key 'tabel' (did you mean 'table'?); an automaton has table, start, emission" },
    { "table: 3", ":1:8: table: expected a list of 2..64 rows, one for each state" },
    { "table: [[0]]", ":1:8: table: expected a list of 2..64 rows, one for each state" },
    { "table: [0, 1]", ":1:9: table: row 0: expected a list, the next state after each symbol" },
    { "table:\n- [0, 1]\n- [0]\n", ":3:3: table: row 1 has 1 entries; expected 2, as row 0 has" },
    { "table: [[], []]", ":1:9: table: row 0 has 0 entries; expected 1..64, one for each symbol" },
    { "table: [[0, 2], [0, 1]]", ":1:13: table: row 0: expected an integer 0..1, found 2" },
    { "table: [[0, -1], [0, 1]]", ":1:13: table: row 0: expected an integer 0..1, found -1" },
    { "table: [[0, 1.0], [0, 1]]", ":1:13: table: row 0: expected an integer 0..1, found 1.0" },
    { "table: [[0, 99999999999999999999], [0, 1]]",
      ":1:13: table: row 0: expected an integer 0..1, found 99999999999999999999" },
    { "table: [[0, '1'], [0, 1]]", ":1:13: table: row 0: expected an integer 0..1, found text in quotes" },
    { "table: [[0, [1]], [0, 1]]", ":1:13: table: row 0: expected an integer 0..1, found a list" },
    { "table: [[0, 1], [0, 1]]\nstart: 2", ":2:8: start: expected an integer 0..1, found 2" },
    { "table: [[0, 1], [0, 1]]\nstart:", ":2:7: start: expected an integer 0..1, found nothing" },
    { "table: [[0, 1], [0, 1]]\nemission: [0]",
      ":2:11: emission: expected a list of 2 classes, one for each row of the table" },
    { "table: [[0, 1], [0, 1]]\nemission: [1, 1]",
      ":2:11: emission: the same class for every state leaves nothing to predict" },
    { "table: [[0, 1], [0, 1]]\nemission: [1, 64]", ":2:15: emission: expected an integer 0..63, found 64" },
    { "table: [[0, 1], [0, 1]]\ntable: []", ":2:1: duplicate key 'table' (first at 1:1)" },
};

static const char *write_file(const char *text, char *path)
{
    const char *tmp = getenv("TMPDIR");
    snprintf(path, 256, "%s/seqprobe-automaton-%d.yaml", tmp && *tmp ? tmp : "/tmp", (int)getpid());
    FILE *f = fopen(path, "w");
    ck_assert_ptr_ne(f, NULL);
    fputs(text, f);
    ck_assert_int_eq(fclose(f), 0);
    return path;
}

START_TEST(refuses_files)
{
    char path[256];
    Automaton m;
    Err err = { 0 };
    bool ok = automaton_read(write_file(bad[_i].text, path), facts_arena, &m, &err);
    unlink(path);
    ck_assert(!ok);
    ck_assert_int_eq(err.code, EXIT_USAGE);
    ck_assert_msg(!strncmp(err.msg, path, strlen(path)), "%s", err.msg);
    ck_assert_str_eq(err.msg + strlen(path), bad[_i].message);
}
END_TEST

START_TEST(reads_files)
{
    char path[256];
    Automaton m;
    Err err = { 0 };
    bool ok = automaton_read(write_file("emission: [0, 2, 1]\nstart: 2\ntable:\n- [1, 0]\n- [2, 0]\n- [0, 1]\n", path),
                             facts_arena, &m, &err);
    unlink(path);
    ck_assert_msg(ok, "%s", err.msg);
    ck_assert(m.states == 3 && m.symbols == 2 && m.start == 2 && m.classes == 3);
    ck_assert(m.out[0] == 0 && m.out[1] == 2 && m.out[2] == 1);
    const uint8_t want[] = { 1, 0, 2, 0, 0, 1 };
    ck_assert(!memcmp(m.next, want, sizeof want));
}
END_TEST

/* The tables that a task shows are those of a file that gives the same examples. */
START_TEST(shows_tables)
{
    const char *settings[] = { "{kind: permutation, emission: true, states: 7, symbols: 3, len: 50}",
                               "{states: 64, symbols: 64, len: 50}", "{kind: reset_mix, len: 50}" };
    char path[256];
    TaskCase c, again;
    Err err = { 0 };
    if (!facts_open("automaton", settings[_i], &c)) return;
    Value *made = c.task->tables(c.cfg, c.data, facts_arena), *file = value_map(facts_arena);
    for (const Value *v = made->first; v; v = v->next)
        if (strcmp(v->key, "coalescence") != 0) value_set(file, v->key, value_copy(facts_arena, v));
    ck_assert_int_eq(!strcmp(value_text(made, "coalescence", ""), "never"), _i == 0);
    write_file(value_yaml(facts_arena, file), path);
    bool ok = task_open(c.task, arena_printf(facts_arena, "{kind: file, file: %s, len: 50}", path), facts_arena, &again,
                        &err);
    unlink(path);
    ck_assert_msg(ok, "%s", err.msg);
    for (uint64_t i = 0; i < 20; i++) {
        task_draw(&c, i);
        task_draw(&again, i);
        ck_assert(task_hash(&c, 0) == task_hash(&again, 0));
    }
}
END_TEST

/* ---- tables of the task automaton -------------------------------------------------------------------------------- */

/* The table behind a case, by its examples: next[s][a], -1 where never seen. */
static int observe_table(const char *settings, uint64_t table_seed, int *next, int *n, int *k)
{
    TaskCase c;
    if (!facts_open("automaton", settings, &c)) return 0;
    Err err = { 0 };
    ck_assert(c.task->prepare(c.cfg, table_seed, facts_arena, c.data, &err));
    *n = c.shape.vocab_out, *k = c.shape.vocab_in;
    for (int i = 0; i < *n * *k; i++) next[i] = -1;
    for (uint64_t i = 0; i < 40; i++) {
        task_draw(&c, i);
        for (int t = 0, s = 0; t < c.e.len; t++) {
            int *to = &next[s * *k + c.e.input[t]];
            ck_assert_msg(*to < 0 || *to == c.e.target[t], "%s: state %d, symbol %d", settings, s, c.e.input[t]);
            s = *to = c.e.target[t];
        }
    }
    return 1;
}

/* Images of state 0 and 1 over many tables: each kind's law. */
START_TEST(table_laws)
{
    enum { TABLES = 300 };
    int next[64], n, k, count[9] = { 0 }, maps = 0, equal = 0;
    const char *settings[] = { "{kind: uniform, states: 3, symbols: 8, len: 60, bos: false}",
                               "{kind: permutation, states: 3, symbols: 8, len: 60, bos: false}",
                               "{kind: reset_mix, rho: 0.3, states: 3, symbols: 8, len: 60, bos: false}",
                               "{kind: aperiodic, states: 3, symbols: 8, len: 60, bos: false}" };
    for (uint64_t seed = 0; seed < TABLES; seed++) {
        if (!observe_table(settings[_i], seed, next, &n, &k)) return;
        for (int a = 0; a < k; a++) {
            int x = next[a], y = next[k + a], z = next[2 * k + a];
            if (x < 0 || y < 0 || z < 0) continue;
            maps++;
            count[3 * x + y]++;
            equal += x == y && y == z;
            if (_i == 1) ck_assert(x != y && y != z && x != z);
            if (_i == 3) ck_assert(x <= y && y <= z);
        }
    }
    ck_assert_int_gt(maps, TABLES * 7);
    for (int xy = 0; xy < 9; xy++) {
        bool same = xy / 3 == xy % 3;
        double p = 1.0 / 9; /* uniform */
        if (_i == 1) p = same ? 0 : 1.0 / 6;
        if (_i == 2) p = same ? 0.3 / 3 : 0.7 / 6;
        if (_i == 3) p = xy / 3 > xy % 3 ? 0 : (3 - xy % 3) / 10.0; /* 10 maps; z from y to 2 */
        facts_share(count[xy], maps, p, settings[_i], xy);
    }
    facts_share(equal, maps, (double[]){ 1.0 / 9, 0, 0.3, 0.3 }[_i], "resets", _i);
}
END_TEST

/* ---- languages --------------------------------------------------------------------------------------------------- */

typedef struct Pattern {
    const char *language, *letters, *regex, *forbidden; /* words that match regex and not forbidden */
    int longest;
} Pattern;

static const Pattern patterns[] = {
    { "tomita_1", "01", "^1*$", NULL, 10 },
    { "tomita_2", "01", "^(10)*$", NULL, 10 },
    { "tomita_3", "01", "^[01]*$", "(^|0)1(11)*0(00)*(1|$)", 10 },
    { "tomita_4", "01", "^[01]*$", "000", 10 },
    { "tomita_5", "01", "^(00|11|(01|10)(00|11)*(01|10))*$", NULL, 10 },
    { "tomita_6", "01", "^(10|(0|11)(01)*(1|00))*$", NULL, 10 },
    { "tomita_7", "01", "^0*1*0*1*$", NULL, 10 },
    { "d_2", "ab", "^(a(ab)*b)*$", NULL, 12 },
    { "d_3", "ab", "^(a(a(ab)*b)*b)*$", NULL, 12 },
    { "d_4", "ab", "^(a(a(a(ab)*b)*b)*b)*$", NULL, 12 },
    { "a_to_e", "abcdeT", "^aa*bb*cc*dd*ee*T$", NULL, 6 },
    { "ab_d_bc", "abcdT", "^[ab]*d[bc]*T$", NULL, 6 },
    { "012_0_2", "012T", "^[012]*02*T$", NULL, 6 },
    { "parity", "01", "^(0|10*1)*$", NULL, 10 },
    { "aa", "ab", "^(aa)*$", NULL, 10 },
    { "aaaa", "ab", "^(aaaa)*$", NULL, 10 },
    { "abab", "ab", "^(abab)*$", NULL, 10 },
};

static bool matches(const regex_t *yes, const regex_t *no, const char *word)
{
    return !regexec(yes, word, 0, NULL, 0) && (!no || regexec(no, word, 0, NULL, 0) != 0);
}

/* Word number w of n letters. */
static void spell(const Pattern *p, long w, int n, char *word)
{
    int k = (int)strlen(p->letters);
    for (int i = 0; i < n; i++, w /= k) word[i] = p->letters[w % k];
    word[n] = 0;
}

static long power(int k, int n)
{
    long x = 1;
    while (n-- > 0) x *= k;
    return x;
}

/* Every word of a length is drawn, no other, and all equally often. */
START_TEST(draws_the_language)
{
    const Pattern *p = &patterns[_i];
    regex_t yes, no;
    TaskCase c;
    ck_assert_int_eq(regcomp(&yes, p->regex, REG_EXTENDED | REG_NOSUB), 0);
    if (p->forbidden) ck_assert_int_eq(regcomp(&no, p->forbidden, REG_EXTENDED | REG_NOSUB), 0);
    bool end = strchr(p->letters, 'T') != NULL;
    int k = (int)strlen(p->letters);
    for (int n = 1; n <= p->longest; n++) {
        long words = power(k, n + end), in = 0;
        int *count = ARENA_NEW(facts_arena, int, words);
        char word[16];
        for (long w = 0; w < words; w++) {
            spell(p, w, n + end, word);
            if (matches(&yes, p->forbidden ? &no : NULL, word)) in++;
        }
        if (!in) continue; /* no word of this length: it is rounded */
        if (!facts_open("regular_language", arena_printf(facts_arena, "{language: %s, len: %d}", p->language, n), &c))
            break;
        for (uint64_t i = 0; i < DRAWS; i++) {
            long w = 0;
            task_draw(&c, i);
            ck_assert_int_eq(c.e.len, n + end);
            for (int t = c.e.len - 1; t >= 0; t--) w = w * k + c.e.input[t];
            count[w]++;
        }
        for (long w = 0; w < words; w++) {
            spell(p, w, n + end, word);
            bool is = matches(&yes, p->forbidden ? &no : NULL, word);
            ck_assert_msg(is || !count[w], "%s: draws %s", p->language, word);
            if (is && in <= 64) facts_share(count[w], DRAWS, 1.0 / (double)in, p->language, (int)w);
        }
    }
    regfree(&yes);
    if (p->forbidden) regfree(&no);
}
END_TEST

/* Letters that may follow: those that some further letters make a word; membership: the prefix matches. */
START_TEST(asks_for_legal_sets)
{
    const Pattern *p = &patterns[_i];
    regex_t yes, no;
    TaskCase c;
    if (!facts_open("regular_language", arena_printf(facts_arena, "{language: %s, len: [1, 8]}", p->language), &c))
        return;
    ck_assert_int_eq(regcomp(&yes, p->regex, REG_EXTENDED | REG_NOSUB), 0);
    if (p->forbidden) ck_assert_int_eq(regcomp(&no, p->forbidden, REG_EXTENDED | REG_NOSUB), 0);
    int k = (int)strlen(p->letters), deepest = 5;
    for (uint64_t i = 0; i < 60; i++) {
        char word[32], buf[32], want[64];
        task_draw(&c, i);
        for (int t = 0; t < c.e.len; t++) {
            word[t] = p->letters[c.e.input[t]];
            if (c.e.target[t] == IGNORE) continue;
            const char *said = c.task->symbol(c.cfg, c.data, c.e.target[t], true, buf);
            word[t + 1] = 0;
            if (!strcmp(said, "in") || !strcmp(said, "out")) {
                ck_assert_msg(!strcmp(said, "in") == matches(&yes, p->forbidden ? &no : NULL, word), "%s: %s is %s",
                              p->language, word, said);
                continue;
            }
            snprintf(want, sizeof want, "{");
            for (int a = 0; a < k; a++) {
                bool can = false;
                word[t + 1] = p->letters[a];
                for (int more = 0; more <= deepest && !can; more++)
                    for (long w = 0; w < power(k, more) && !can; w++) {
                        spell(p, w, more, word + t + 2);
                        can = matches(&yes, p->forbidden ? &no : NULL, word);
                    }
                if (!can) continue;
                if (strlen(want) > 1) strcat(want, ",");
                if (p->letters[a] == 'T')
                    strcat(want, "<end>");
                else
                    strncat(want, &p->letters[a], 1);
            }
            strcat(want, "}");
            word[t + 1] = 0;
            ck_assert_msg(!strcmp(said, want), "%s: after %s %s, want %s", p->language, word, said, want);
        }
    }
    regfree(&yes);
    if (p->forbidden) regfree(&no);
}
END_TEST

/* Negatives: the share, one wrong letter at a place that is uniform among those that allow one. */
START_TEST(breaks_words)
{
    TaskCase c;
    if (!facts_open("regular_language", "{language: tomita_2, len: 8, negatives: 0.3}", &c)) return;
    int broken = 0, at[8] = { 0 };
    for (uint64_t i = 0; i < DRAWS; i++) {
        int first = -1, odd = 0;
        task_draw(&c, i);
        for (int t = 0; t < 8; t++)
            if (c.e.input[t] != (t % 2 == 0)) odd++, first = t;
        ck_assert_int_le(odd, 1);
        for (int t = 0; t < 8; t++) ck_assert_int_eq(c.e.target[t], odd && t >= first ? 2 : t % 2 == 0);
        broken += odd;
        if (odd) at[first]++;
    }
    facts_share(broken, DRAWS, 0.3, "broken", 0);
    for (int t = 0; t < 8; t++) facts_share(at[t], broken, 1.0 / 8, "place", t);
}
END_TEST

/* words: walk: fair bits that refuse a third 0, whatever the place. */
START_TEST(walks)
{
    TaskCase c;
    if (!facts_open("regular_language", "{language: tomita_4, len: 40, words: walk}", &c)) return;
    double ones[3] = { 0 }, n[3] = { 0 };
    for (uint64_t i = 0; i < DRAWS / 10; i++) {
        task_draw(&c, i);
        for (int t = 0, zeros = 0; t < 40; t++) {
            ones[zeros] += c.e.input[t], n[zeros]++;
            zeros = c.e.input[t] ? 0 : zeros + 1;
        }
    }
    facts_share(ones[0], n[0], 0.5, "after a 1", 0);
    facts_share(ones[1], n[1], 0.5, "after 10", 1);
    ck_assert(ones[2] >= n[2] && n[2] > 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("automata");
    TCase *t = tcase_create("all");
    tcase_add_checked_fixture(t, facts_setup, facts_teardown);
    tcase_set_timeout(t, 120);
    tcase_add_loop_test(t, monoids, 0, COUNT(known));
    tcase_add_test(t, monoid_too_large);
    tcase_add_test(t, minimises);
    tcase_add_test(t, reaches);
    tcase_add_loop_test(t, majorities, 0, 5);
    tcase_add_test(t, majorities_of_long_examples);
    tcase_add_test(t, coalesces);
    tcase_add_loop_test(t, refuses_files, 0, COUNT(bad));
    tcase_add_test(t, reads_files);
    tcase_add_loop_test(t, shows_tables, 0, 3);
    tcase_add_loop_test(t, table_laws, 0, 4);
    tcase_add_loop_test(t, draws_the_language, 0, COUNT(patterns));
    tcase_add_loop_test(t, asks_for_legal_sets, 0, COUNT(patterns));
    tcase_add_test(t, breaks_words);
    tcase_add_test(t, walks);
    suite_add_tcase(suite, t);
    return suite_run(suite);
}
