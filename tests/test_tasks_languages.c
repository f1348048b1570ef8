/* SPDX-License-Identifier: Apache-2.0
 * test_tasks_languages.c - laws of the bracket, counting and counter languages: every word of a small case against its
 * exact probability, derived here from the rules in the tasks' heads.
 */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/suite.h"
#include "support/task_facts.h"

enum { WORDS_MAX = 1 << 16, DRAWS = 60000, LONGEST = 12 };

/* A word as one number: its symbols in base `symbols`, behind a leading 1, so that lengths differ too. */
static int word_number(const int *word, int n, int symbols)
{
    int number = 1;
    for (int t = 0; t < n; t++) number = number * symbols + word[t];
    return number;
}

/* Draw, count the words, and compare each with its probability; words of probability 0 must not occur. */
static void check_words(TaskCase *c, const double *p, int numbers, int symbols, const char *what)
{
    int *count = ARENA_NEW(facts_arena, int, numbers), kinds = 0;
    double sum = 0;
    for (uint64_t i = 0; i < DRAWS; i++) {
        task_draw(c, i);
        int number = word_number(c->e.input, c->e.len, symbols);
        ck_assert_msg(number < numbers && p[number] > 0, "%s: draws %d, which is no word", what, number);
        count[number]++;
    }
    for (int k = 0; k < numbers; k++) {
        sum += p[k];
        kinds += p[k] > 0;
        if (p[k] > 0) facts_share(count[k], DRAWS, p[k], what, k);
    }
    ck_assert_msg(fabs(sum - 1) < 1e-9 && kinds >= 2, "%s: probabilities of %d words sum to %.12f", what, kinds, sum);
}

/* Probability that a walk of n steps with this p makes exactly these steps (+1, -1); 0 if they are no word. */
static double walk_probability(const int *step, int n, double p)
{
    double all = 1;
    int depth = 0;
    for (int t = 0; t < n; t++) {
        bool must_open = depth == 0, must_close = depth == n - t;
        if ((must_open && step[t] < 0) || (must_close && step[t] > 0)) return 0;
        if (!must_open && !must_close) all *= step[t] > 0 ? p : 1 - p;
        depth += step[t];
    }
    return depth == 0 ? all : 0;
}

/* ---- Dyck-n ------------------------------------------------------------------------------------------------------ */

/* Type of the opener that closes at each closer, brackets matched by depth alone; at[] of openers. */
static void match(const int *word, int n, int types, int *opener)
{
    int stack[LONGEST * 8], depth = 0;
    for (int t = 0; t < n; t++) {
        opener[t] = -1;
        if (word[t] < types)
            stack[depth++] = t;
        else if (depth > 0)
            opener[t] = stack[--depth];
    }
}

START_TEST(dyck_words)
{
    static const char *const settings[] = { "{len: 6}", "{len: 6, p_open: 0.8}", "{len: 8, types: 1, p_open: 0.3}" };
    static const double p_open[] = { 0.5, 0.8, 0.3 };
    const int types = _i == 2 ? 1 : 2, n = _i == 2 ? 8 : 6, symbols = 2 * types;
    TaskCase c;
    if (!facts_open("dyck", settings[_i], &c)) return;
    double *p = ARENA_NEW(facts_arena, double, WORDS_MAX), empty = 0;
    int words = (int)pow(symbols, n);
    for (int k = 0; k < words; k++) {
        int word[LONGEST], step[LONGEST], opener[LONGEST], depth = 0, zeros = 0;
        for (int t = n - 1, rest = k; t >= 0; t--, rest /= symbols) word[t] = rest % symbols;
        for (int t = 0; t < n; t++) step[t] = word[t] < types ? 1 : -1;
        double q = walk_probability(step, n, p_open[_i]);
        if (q <= 0) continue;
        match(word, n, types, opener);
        for (int t = 0; t < n; t++) {
            if (opener[t] >= 0 && word[t] != types + word[opener[t]]) q = 0;
            zeros += (depth += step[t]) == 0;
        }
        p[word_number(word, n, symbols)] = q *= pow(types, -n / 2);
        empty += q * zeros / n;
    }
    check_words(&c, p, words * 2, symbols, "dyck");
    double best = fmax(empty, (1 - empty) / types);
    ck_assert_msg(fabs(c.shape.chance_majority - best) < 1e-12, "majority %.9f, exactly %.9f", c.shape.chance_majority,
                  best);
}
END_TEST

/* Half the words are spoilt, in the way that is said: closers uniform, their new types uniform. */
START_TEST(dyck_closers)
{
    TaskCase c;
    if (!facts_open("dyck", "{len: 8, types: 3, layout: balanced}", &c)) return;
    int place[4] = { 0 }, by[3] = { 0 }, spoilt = 0, n = 8, opener[8];
    for (uint64_t i = 0; i < DRAWS; i++) {
        task_draw(&c, i);
        match(c.e.input, n, 3, opener);
        int wrong = 0, where = 0, other = 0;
        for (int t = 0, k = 0; t < n; t++) {
            if (opener[t] < 0) continue;
            int shift = (c.e.input[t] - 3 - c.e.input[opener[t]] + 3) % 3;
            if (shift) wrong++, where = k, other = shift;
            k++;
        }
        ck_assert_int_eq(wrong, c.e.target[n] == 0);
        if (wrong) spoilt++, place[where]++, by[other]++;
    }
    facts_share(spoilt, DRAWS, 0.5, "spoilt words", 0);
    for (int k = 0; k < 4; k++) facts_share(place[k], spoilt, 0.25, "spoilt closer", k);
    for (int k = 1; k < 3; k++) facts_share(by[k], spoilt, 0.5, "type changed by", k);
}
END_TEST

/* Exactly two closers of different types are exchanged, every such pair of a word equally likely; one is changed where
 * all are of one type. */
START_TEST(dyck_swaps)
{
    TaskCase c;
    if (!facts_open("dyck", "{len: 10, layout: balanced, negatives: swap}", &c)) return;
    int spoilt = 0, alone = 0, n = 10, opener[10];
    double sum = 0, squares = 0;
    for (uint64_t i = 0; i < DRAWS; i++) {
        task_draw(&c, i);
        match(c.e.input, n, 2, opener);
        int type[5], wrong[5], k = 0, bad = 0, pairs = 0, rank = -1;
        for (int t = 0; t < n; t++)
            if (opener[t] >= 0)
                type[k] = c.e.input[opener[t]], wrong[k] = c.e.input[t] - 2 != type[k], bad += wrong[k++];
        for (int a = 0; a < 5; a++)
            for (int b = a + 1; b < 5; b++)
                if (type[a] != type[b]) rank = wrong[a] && wrong[b] ? pairs : rank, pairs++;
        ck_assert_int_eq(bad, c.e.target[n] ? 0 : pairs ? 2 : 1);
        if (!bad) continue;
        spoilt++;
        alone += !pairs;
        ck_assert_msg(!pairs || rank >= 0, "not an exchange of different types");
        double at = pairs ? (rank + 0.5) / pairs : 0.5;
        sum += at, squares += at * at;
    }
    facts_share(spoilt, DRAWS, 0.5, "spoilt words", 0);
    facts_share(alone, spoilt, pow(2, -4), "words of one type", 0);
    facts_mean(sum, squares, spoilt, 0.5, "place of the pair among all");
}
END_TEST

/* A range gives its even lengths, equally often; slices are depth and distance. */
START_TEST(dyck_lengths_and_slices)
{
    TaskCase c, gap;
    if (!facts_open("dyck", "{len: [2, 51]}", &c) || !facts_open("dyck", "{len: 12, slice: gap}", &gap)) return;
    int count[52] = { 0 };
    for (uint64_t i = 0; i < DRAWS; i++) {
        task_draw(&c, i);
        count[c.e.len]++;
    }
    for (int n = 0; n < 52; n++) facts_share(count[n], DRAWS, n % 2 || !n ? 0 : 1 / 25.0, "words of length", n);
    for (uint64_t i = 0; i < 2000; i++) {
        task_draw(&gap, i);
        for (int t = 0; t < gap.e.len; t++) {
            int depth = 0, s = t; /* back to the opener of what is open, or of what was closed last */
            for (; s >= 0; s--)
                if ((depth += gap.e.input[s] < 2 ? 1 : -1) == (gap.e.target[t] != 0)) break;
            if (gap.e.target[t]) ck_assert_int_eq(gap.e.target[t], 1 + gap.e.input[s]);
            if (!gap.e.target[t] && t > 0) { /* the last word: from where all was closed */
                for (depth = 0, s = t; s >= 0; s--)
                    if ((depth += gap.e.input[s] < 2 ? 1 : -1) == 0) break;
            }
            ck_assert_int_eq(gap.e.slice_of[t], ilogb(1.0 + t - s));
        }
    }
}
END_TEST

/* ---- Shuffle-n --------------------------------------------------------------------------------------------------- */

static double binomial(int n, int k)
{
    double all = 1;
    for (int i = 1; i <= k; i++) all *= (double)(n - k + i) / i;
    return all;
}

START_TEST(shuffle_words)
{
    static const char *const settings[] = { "{len: 6}", "{len: 6, p_open: 0.2}", "{len: 6, compat: nested}" };
    const double p_open = _i == 1 ? 0.2 : 0.5;
    TaskCase c;
    if (!facts_open("shuffle_dyck", settings[_i], &c)) return;
    double *p = ARENA_NEW(facts_arena, double, WORDS_MAX);
    for (int k = 0; k < 4096; k++) {
        int word[6], step[3][6], size[3] = { 0 }, opener[6];
        for (int t = 5, rest = k; t >= 0; t--, rest /= 4) word[t] = rest % 4;
        for (int t = 0; t < 6; t++) {
            int up = word[t] < 2 ? 1 : -1, type = word[t] % 2;
            step[type][size[type]++] = up;
            step[2][size[2]++] = up; /* all types together */
        }
        double q;
        if (_i == 2) {
            q = walk_probability(step[2], 6, p_open) / 8;
            if (q > 0) match(word, 6, 2, opener);
            for (int t = 0; t < 6 && q > 0; t++)
                if (opener[t] >= 0 && word[t] != 2 + word[opener[t]]) q = 0;
        } else {
            q = walk_probability(step[0], size[0], p_open) * walk_probability(step[1], size[1], p_open) *
                binomial(3, size[0] / 2) / 8 / binomial(6, size[0]);
        }
        p[word_number(word, 6, 4)] = q;
    }
    check_words(&c, p, 8192, 4, "shuffle");
}
END_TEST

/* ---- bounded Dyck ------------------------------------------------------------------------------------------------ */

typedef struct Window {
    int shortest, longest, types, depth;
    double *p, sum;
} Window;

/* All words by the published law, types uniform: what is drawn again shares its probability among the rest. */
static void spread_words(Window *w, int *word, int n, const int *stack, int h, double q)
{
    bool may_end = h == 0 && n >= w->shortest, top = h == w->depth;
    if (may_end) {
        w->p[word_number(word, n, 2 * w->types)] = q / 2;
        w->sum += q / 2;
    }
    if (n == w->longest) return;
    double open = top ? 0 : h > 0 || may_end ? 0.5 : 1;
    int next[LONGEST];
    memcpy(next, stack, sizeof next);
    for (int type = 0; type < w->types && !top; type++) {
        next[h] = word[n] = type;
        spread_words(w, word, n + 1, next, h + 1, q * open / w->types);
    }
    if (h == 0) return;
    word[n] = w->types + stack[h - 1];
    spread_words(w, word, n + 1, stack, h - 1, q * (1 - open));
}

START_TEST(bounded_words)
{
    static const char *const settings[] = { "{shortest: 2, longest: 6, types: 2, depth: 2}",
                                            "{shortest: 3, longest: 7, types: 2, depth: 3}",
                                            "{shortest: 6, longest: 6, types: 3, depth: 2}",
                                            "{shortest: 1, longest: 8, types: 2, depth: 1, score: all}" };
    static const int size[][4] = { { 2, 6, 2, 2 }, { 3, 7, 2, 3 }, { 6, 6, 3, 2 }, { 1, 8, 2, 1 } };
    TaskCase c;
    if (!facts_open("bounded_dyck", settings[_i], &c)) return;
    int word[LONGEST + 1] = { 0 }, stack[LONGEST] = { 0 }, numbers = 1 << 18;
    Window w = { size[_i][0], size[_i][1], size[_i][2], size[_i][3], ARENA_NEW(facts_arena, double, numbers), 0 };
    spread_words(&w, word, 0, stack, 0, 1);
    for (int k = 0; k < numbers; k++) w.p[k] /= w.sum;
    check_words(&c, w.p, numbers, 2 * w.types, "bounded");
}
END_TEST

/* Published sizes: never deeper, never outside the window; closers carry the distance to their opener. */
START_TEST(bounded_layout)
{
    TaskCase c;
    if (!facts_open("bounded_dyck", "{types: 8, depth: 10, shortest: 701, longest: 1400, score: all}", &c)) return;
    for (uint64_t i = 0; i < 300; i++) {
        int stack[10], depth = 0, deep = 0, wrong = 0, misplaced = 0;
        task_draw(&c, i);
        ck_assert(c.e.len >= 701 && c.e.len <= 1400);
        for (int t = 0; t < c.e.len; t++) {
            int id = c.e.input[t], next = t + 1 < c.e.len ? c.e.input[t + 1] : 16;
            bool closes = next >= 8 && next < 16;
            if (id < 8 && depth < 10)
                stack[depth++] = t;
            else if (id < 8)
                deep++;
            else
                wrong += depth == 0 || id != 8 + c.e.input[stack[--depth]];
            misplaced += c.e.train_target[t] != next || c.e.target[t] != (closes ? next : IGNORE);
            misplaced += c.e.slice_of[t] != (closes && depth > 0 ? ilogb(t + 1.0 - stack[depth - 1]) : IGNORE);
        }
        ck_assert_msg(!deep && !wrong && !misplaced && depth == 0, "%d too deep, %d unmatched, %d misplaced, %d open",
                      deep, wrong, misplaced, depth);
    }
}
END_TEST

/* ---- counting ---------------------------------------------------------------------------------------------------- */

enum { LIMIT = 10, STATES = 12 * 12 * 12 };

/* One statement: the law of (value + 1 or 0 for each of v variables), weights 1, 50, 7. */
static void step_values(const double *now, double *next, int v)
{
    static const int place[] = { 1, 12, 144 };
    memset(next, 0, STATES * sizeof *next);
    for (int s = 0; s < STATES; s++) {
        if (now[s] <= 0) continue;
        int set = 0, low = 0;
        for (int i = 0; i < v; i++)
            set += s / place[i] % 12 > 0, low += s / place[i] % 12 > 0 && s / place[i] % 12 <= LIMIT;
        double all = 51 + (set ? 7.0 * low / set : 0);
        next[s] += now[s] * 50 / all;
        for (int i = 0; i < v; i++) {
            int value = s / place[i] % 12;
            next[s + (1 - value) * place[i]] += now[s] / v / all;
            if (value > 0 && value <= LIMIT) next[s + place[i]] += now[s] * 7 / set / all;
        }
    }
}

/* Law of the answer after n statements, times the probability that something is set; returns that probability. */
static double add_answers(const double *now, int v, double *answer)
{
    static const int place[] = { 1, 12, 144 };
    for (int s = 1; s < STATES; s++) {
        int set = 0;
        for (int i = 0; i < v; i++) set += s / place[i] % 12 > 0;
        for (int i = 0; i < v; i++)
            if (s / place[i] % 12 > 0) answer[s / place[i] % 12 - 1] += now[s] / set;
    }
    return 1 - now[0];
}

static void check_answers(const char *settings, const double *answer, double all)
{
    TaskCase c;
    double count[LIMIT + 1] = { 0 };
    if (!facts_open("counting", settings, &c)) return;
    for (uint64_t i = 0; i < DRAWS; i++) {
        task_draw(&c, i);
        count[c.e.target[c.e.len - 1]]++;
    }
    for (int k = 0; k <= LIMIT; k++) facts_share(count[k], DRAWS, answer[k] / all, settings, k);
}

/* The published law for 3 variables (lengths with nothing set drawn again) within the error of the simulation it is
 * known from; then fixed lengths for 1, 2 and 3 variables. */
START_TEST(counting_answers)
{
    static const double page[] = { 0.140, 0.121, 0.104, 0.094, 0.080, 0.064, 0.054, 0.047, 0.042, 0.037, 0.217 };
    static double law[2][STATES];
    double answer[LIMIT + 1] = { 0 }, all = 0;
    memset(law, 0, sizeof law);
    law[0][0] = 1;
    for (int n = 1; n <= 512; n++) {
        step_values(law[(n - 1) % 2], law[n % 2], 3);
        if (n >= 3) all += add_answers(law[n % 2], 3, answer);
    }
    for (int k = 0; k <= LIMIT; k++)
        ck_assert_msg(fabs(answer[k] / all - page[k]) < 4 * 0.004, "answer %d: exactly %.4f", k, answer[k] / all);
    check_answers("{len: [3, 512], variables: 3, tokens: words, compat: cope}", answer, all);
}
END_TEST

START_TEST(counting_fixed_lengths)
{
    static const char *const settings[] = { "{len: 100}", "{len: 30, variables: 2}", "{len: 60, variables: 3}" };
    static const int length[] = { 100, 30, 60 };
    static double law[2][STATES];
    TaskCase c;
    double answer[LIMIT + 1] = { 0 }, best = 0;
    memset(law, 0, sizeof law);
    law[0][0] = 1;
    for (int n = 1; n <= length[_i]; n++) step_values(law[(n - 1) % 2], law[n % 2], _i + 1);
    double all = add_answers(law[length[_i] % 2], _i + 1, answer);
    check_answers(settings[_i], answer, all);
    for (int k = 0; k <= LIMIT; k++) best = fmax(best, answer[k] / all);
    if (_i == 0 && facts_open("counting", settings[0], &c))
        ck_assert_msg(fabs(c.shape.chance_majority - best) < 1e-12, "majority %.9f, exactly %.9f",
                      c.shape.chance_majority, best);
}
END_TEST

/* Words of whole programs run by an interpreter; of cut ones the end is left, of 511 tokens. */
START_TEST(counting_programs)
{
    TaskCase c;
    int cut = 0, pass = 0, statements = 0;
    if (!facts_open("counting", "{len: [3, 512], variables: 3, tokens: words, compat: cope}", &c)) return;
    for (uint64_t i = 0; i < 20000; i++) {
        int value[3] = { -1, -1, -1 }, n;
        task_draw(&c, i);
        const int *x = c.e.input;
        n = c.e.len;
        cut += n == 511;
        ck_assert(n <= 511 && x[n - 2] == 3 && x[n - 1] >= 7 && x[n - 1] < 10);
        int scored = 0, unset = 0, wrong = 0;
        for (int t = 0; t < n; t++) scored += c.e.target[t] != IGNORE;
        ck_assert_int_eq(scored, 1);
        if (n == 511) continue;
        for (int t = 0; t < n - 2; statements++) {
            if (x[t] == 2) {
                pass++;
                t++;
            } else if (x[t + 1] == 6) {
                unset += value[x[t] - 7]++ < 0;
                t += 2;
            } else {
                wrong += x[t] < 7 || x[t] > 9 || x[t + 1] != 4 || x[t + 2] != 10 || x[t + 3] != 5;
                value[(x[t] - 7) % 3] = 0;
                t += 4;
            }
        }
        ck_assert_msg(!unset && !wrong, "%d increments of nothing, %d odd statements", unset, wrong);
        ck_assert_int_eq(c.e.target[n - 1], value[x[n - 1] - 7]);
    }
    ck_assert_msg(cut > 0.135 * 20000 - 4 * 50 && cut < 0.145 * 20000 + 4 * 50, "%d cut", cut); /* s.e. 50 */
    ck_assert_msg(pass > 0.8 * statements, "%d of %d idle", pass, statements);
}
END_TEST

/* ---- counter languages ------------------------------------------------------------------------------------------- */

/* Every expression of n symbols in proportion to (1/4)^values (1/(2 most))^operators: values are fair bits. */
START_TEST(boolean_words)
{
    static const char *const settings[] = { "{language: boolean3, len: 5}", "{language: boolean5, len: 6}",
                                            "{language: boolean3, len: 2}" };
    static const int length[] = { 5, 6, 2 };
    const int n = length[_i], most = _i == 1 ? 5 : 3, symbols = most + 2;
    TaskCase c;
    if (!facts_open("counter_language", settings[_i], &c)) return;
    int words = (int)(pow(symbols, n) + 0.5), numbers = 2 * words;
    double *p = ARENA_NEW(facts_arena, double, numbers), sum = 0;
    for (int k = 0; k < words; k++) {
        int word[LONGEST], owed = 1;
        double q = 1;
        for (int t = n - 1, rest = k; t >= 0; t--, rest /= symbols) word[t] = rest % symbols;
        for (int t = 0; t < n; t++) {
            if (owed == 0) q = 0;
            owed += word[t] < 2 ? -1 : word[t] - 2;
            q *= word[t] < 2 ? 0.25 : 0.5 / most;
        }
        if (owed == 0) p[word_number(word, n, symbols)] = q, sum += q;
    }
    for (int k = 0; k < numbers; k++) p[k] /= sum;
    check_words(&c, p, numbers, symbols, settings[_i]);
}
END_TEST

/* n is uniform; with negatives one symbol of some words is another, places and symbols uniform. */
START_TEST(counter_words)
{
    TaskCase c, bad;
    if (!facts_open("counter_language", "{language: anbncn, len: [3, 14]}", &c) ||
        !facts_open("counter_language", "{language: anbncn, len: 6, negatives: 0.6}", &bad))
        return;
    double *p = ARENA_NEW(facts_arena, double, 2 * 729), whole[15] = { 0 };
    for (uint64_t i = 0; i < DRAWS; i++) {
        task_draw(&c, i);
        whole[c.e.len]++;
        int wrong = 0;
        for (int t = 0; t < c.e.len; t++) wrong += c.e.input[t] != 3 * t / c.e.len;
        ck_assert_int_eq(wrong, 0);
    }
    for (int n = 0; n < 15; n++) facts_share(whole[n], DRAWS, n && n % 3 == 0 ? 0.25 : 0, "words of length", n);
    int word[] = { 0, 0, 1, 1, 2, 2 };
    p[word_number(word, 6, 3)] = 0.4;
    for (int t = 0; t < 6; t++)
        for (int shift = 1; shift < 3; shift++) {
            int was = word[t];
            word[t] = (was + shift) % 3;
            p[word_number(word, 6, 3)] = 0.6 / 12;
            word[t] = was;
        }
    check_words(&bad, p, 2 * 729, 3, "negatives");
}
END_TEST

int main(void)
{
    Suite *s = suite_create("tasks_languages");
    TCase *c = tcase_create("tasks_languages");
    tcase_set_timeout(c, 60);
    tcase_add_checked_fixture(c, facts_setup, facts_teardown);
    tcase_add_loop_test(c, dyck_words, 0, 3);
    tcase_add_test(c, dyck_closers);
    tcase_add_test(c, dyck_swaps);
    tcase_add_test(c, dyck_lengths_and_slices);
    tcase_add_loop_test(c, shuffle_words, 0, 3);
    tcase_add_loop_test(c, bounded_words, 0, 4);
    tcase_add_test(c, bounded_layout);
    tcase_add_test(c, counting_answers);
    tcase_add_loop_test(c, counting_fixed_lengths, 0, 3);
    tcase_add_test(c, counting_programs);
    tcase_add_loop_test(c, boolean_words, 0, 3);
    tcase_add_test(c, counter_words);
    suite_add_tcase(s, c);
    return suite_run(s);
}
