/* SPDX-License-Identifier: Apache-2.0
 * test_published.c - the folder of published numbers as it is committed, and the rules of comparison on cells made by
 * hand.
 */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/value.h"
#include "show/facts.h"
#include "show/table.h"
#include "support/suite.h"
#include "train/metrics.h"

static Arena *arena;
static Err err;

static void setup(void)
{
    arena = arena_new("test");
    err = (Err){ 0 };
}

static void teardown(void) { arena_free(arena); }

/* ---- results/reference/published -------------------------------------------------------------------------------- */

#define FOLDER "results/reference/published"

START_TEST(every_file_keeps_the_rules)
{
    const char **source = facts_sources(FOLDER, arena);
    char *readme;
    int files = 0, rows = 0;
    ck_assert_msg(file_read(FOLDER "/README.md", 1 << 20, arena, &readme, NULL, &err), "%s", err.msg);
    for (; source[files]; files++) {
        Facts f;
        ck_assert_msg(facts_read(FOLDER, source[files], arena, &f, &err), "%s", err.msg);
        ck_assert_msg(f.csv.rows > 0, "%s is empty", source[files]);
        ck_assert_msg(strstr(readme, arena_printf(arena, "\n| %s |", source[files])) != NULL, "README.md lacks %s",
                      source[files]);
        rows += f.csv.rows;
    }
    ck_assert_int_ge(files, 20);
    ck_assert_int_ge(rows, 600);
}
END_TEST

START_TEST(a_key_names_one_row)
{
    for (const char **source = facts_sources(FOLDER, arena); *source; source++) {
        Facts f;
        ck_assert(facts_read(FOLDER, *source, arena, &f, &err));
        for (int r = 0; r < f.csv.rows; r++)
            for (int q = 0; q < r; q++) {
                bool same = true;
                for (int i = 0; i < PICKS; i++)
                    same = same && !strcmp(csv_get(&f.csv, r, pick_names[i]), csv_get(&f.csv, q, pick_names[i]));
                ck_assert_msg(!same, "%s: rows %d and %d have one key", *source, q + 1, r + 1);
            }
    }
}
END_TEST

START_TEST(accuracies_are_in_range)
{
    for (const char **source = facts_sources(FOLDER, arena); *source; source++) {
        Facts f;
        ck_assert(facts_read(FOLDER, *source, arena, &f, &err));
        for (int r = 0; r < f.csv.rows; r++) {
            Fact fact = fact_at(&f, r, arena);
            ck_assert_msg(isnan(fact.value) || (fact.value >= 0 && fact.value <= 1), "%s: row %d is %g", *source, r + 1,
                          fact.value);
        }
    }
}
END_TEST

/* Numbers that anyone can look up. */
START_TEST(known_numbers)
{
    static const struct {
        const char *source, *place, *task, *model;
        double value;
        bool scaled, secondary;
    } known[] = {
        { "grazzi2025", "Table 3", "modarith_nobrackets", "DeltaNet[-1,1]", 0.971, true, false },
        { "mamba3_2026", "Table 5b", "modarith_brackets", "Mamba-3", 0.8775, true, false },
        { "pdssm2025", "Table 2", "cycle_nav", "PD-SSM", 0.995, false, false },
        { "mamba2023", "Table 1", "selective_copying", "Mamba block + S6 layer", 0.998, false, false },
        { "hax2025", "Table 1", "joint_recall", "Mamba2 +HAX (LSH+KS)", 0.743, false, false },
        { "xlstm2024", "Table 3 of Grazzi 2025 (2411.12537)", "modarith_brackets", "sLSTM", 0.57, true, true },
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        Facts f;
        Fact fact;
        Counterpart c = { .pick = { known[i].place, known[i].task, known[i].model } };
        ck_assert_msg(facts_read(FOLDER, known[i].source, arena, &f, &err), "%s", err.msg);
        ck_assert_msg(fact_find(&f, &c, arena, &fact, &err), "%s", err.msg);
        ck_assert_double_eq_tol(fact.value, known[i].value, 1e-12);
        ck_assert(fact.scaled == known[i].scaled && fact.secondary == known[i].secondary);
    }
}
END_TEST

/* 66.4 +- 8.8 over 5 seeds: t = 2.776, half 10.93 points. A median absolute deviation counts 1.4826 times. */
START_TEST(spread_becomes_an_interval)
{
    Facts f;
    Fact fact;
    Counterpart c = { .pick = { "Table 2", "modarith_nobrackets", "DeltaNet[-1,1]" } };
    ck_assert(facts_read(FOLDER, "pdssm2025", arena, &f, &err) && fact_find(&f, &c, arena, &fact, &err));
    ck_assert_double_eq_tol(fact.interval.lo, 0.664 - 2.7764451 * 0.088 / sqrt(5), 1e-6);
    ck_assert_double_eq_tol(fact.interval.hi, 0.664 + 2.7764451 * 0.088 / sqrt(5), 1e-6);
    Counterpart m = { .pick = { "Table 5", "modarith_nobrackets", "DeltaNet[-1,1]" } };
    ck_assert(facts_read(FOLDER, "grazzi2025", arena, &f, &err) && fact_find(&f, &m, arena, &fact, &err));
    ck_assert_double_eq_tol(fact.interval.lo, 0.826 - 4.3026527 * 1.4826 * 0.146 / sqrt(3), 1e-6);
    ck_assert_double_eq_tol(fact.interval.hi, 1, 1e-12);
}
END_TEST

/* ---- comparison ------------------------------------------------------------------------------------------------- */

/* One case of one slice; medians, smallest and largest of three seeds of 1000 each. */
typedef struct Row {
    const char *mixer;
    double median, min, max;
    int solved;
} Row;

static Cells cells_of(int n, const Row *row, double chance)
{
    static const char *kase[] = { "case" };
    Cells s = { .name = "test", .dir = "", .results = "", .mixers = n, .cases = 1, .kase = kase };
    s.mixer = ARENA_NEW(arena, const char *, n);
    s.cell = ARENA_NEW(arena, Cell *, n);
    for (int i = 0; i < n; i++) {
        Point *p = ARENA_NEW(arena, Point, 1);
        *p = (Point){ .slice = "train",
                      .len = 40,
                      .solved = row[i].solved,
                      .acc = row[i].median,
                      .lo = row[i].min,
                      .hi = row[i].max,
                      .chance = chance,
                      .n = 3000,
                      .mean = row[i].median };
        s.mixer[i] = row[i].mixer;
        s.cell[i] = ARENA_NEW(arena, Cell, 1);
        *s.cell[i] = (Cell){ .task = "t", .metric = "acc_token", .n_seeds = 3, .n_points = 1, .point = p };
    }
    return s;
}

/* A folder with one file of these rows: model,value,unit,over,seeds,spread,spread_kind */
static const char *folder_of(const char *const *rows)
{
    static char folder[] = "/tmp/test_published.XXXXXX";
    Buf b = buf_new(arena);
    strcpy(strrchr(folder, '.'), ".XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    buf_puts(&b,
             "source,arxiv,place,task,setting,model,metric,value,unit,over,seeds,spread,spread_kind,state,train_len,"
             "eval_len,secondary,notes\n");
    for (; *rows; rows++) {
        size_t model = strcspn(*rows, ",");
        buf_printf(&b, "A 1,,T,t,,%.*s,acc%s,,,,0,\n", (int)model, *rows, *rows + model);
    }
    ck_assert(file_write_atomic(path_join(arena, folder, "a.csv"), b.s, b.len, &err));
    return folder;
}

static Comparison *compare(Cells *s, const char *const *rows, const char *published, int *n)
{
    Comparison *c;
    s->published = value_parse(arena, published, &err);
    ck_assert_msg(s->published != NULL, "%s", err.msg);
    s->reference = folder_of(rows);
    bool ok = comparisons_read(s, arena, n, &c, &err);
    ck_assert_int_eq(system(arena_printf(arena, "rm -r '%s'", s->reference)), 0);
    ck_assert_msg(ok, "%s", err.msg);
    return c;
}

START_TEST(values_agree_within_intervals_or_tolerance)
{
    static const Row row[] = { { "a", 0.90, 0.85, 0.95, 3 }, { "b", 0.60, 0.59, 0.61, 0 }, { "c", 0.5, 0.4, 0.9, 0 } };
    static const char *const facts[] = { "A,0.94,share,median,,,",      "B,0.70,share,median,,,",
                                         "C,0.85,share,median,,,",      "D,64,percent,median,,,",
                                         "E,58,percent,median,5,5,std", NULL };
    int n;
    Cells s = cells_of(3, row, 0.25);
    Comparison *c = compare(&s, facts,
                            "[{source: a, case: case, deviation: none, rows: [{model: A, mixer: a}, {model: B, mixer: "
                            "b}, {model: C, mixer: c}, {model: D, mixer: b}, {model: E, mixer: b}]}]",
                            &n);
    ck_assert_int_eq(n, 5);
    ck_assert_int_eq(c[0].verdict, AGREES); /* 0.94 in 0.85..0.95 */
    ck_assert_str_eq(c[0].why, "within our interval");
    ck_assert_int_ne(c[1].verdict, AGREES); /* 0.70 against 0.59..0.61, and 0.1 away */
    ck_assert_int_ne(c[2].verdict, AGREES); /* 0.85 in 0.4..0.9, which confirms nothing */
    ck_assert_str_eq(c[3].why, "within 0.05");
    ck_assert_str_eq(c[4].why, "the intervals meet"); /* 0.58 +- 0.062 */
    ck_assert_double_eq_tol(c[4].theirs_lo, 0.58 - 2.7764451 * 0.05 / sqrt(5), 1e-6);
    ck_assert_str_eq(c[4].published, "58 %");
    ck_assert_double_eq(c[0].ours_lo, 0.85);
}
END_TEST

START_TEST(scaled_where_the_source_scales)
{
    static const Row row[] = { { "a", 0.70, 0.65, 0.85, 1 } };
    static const char *const facts[] = { "A,0.8,scaled,best,3,,", "B,60,scaled_percent,,,,", NULL };
    int n;
    Cells s = cells_of(1, row, 0.25);
    Comparison *c =
        compare(&s, facts, "[{source: a, case: case, mixer: a, deviation: none, rows: [{model: A}, {model: B}]}]", &n);
    ck_assert_str_eq(c[0].metric, "scaled acc_token");
    ck_assert_str_eq(c[0].over, "best");
    ck_assert_double_eq_tol(c[0].ours, 0.8, 1e-12); /* (0.85 - 0.25) / 0.75 */
    double lo, hi;
    wilson(0.85, 1000, &lo, &hi); /* of the best seed, and of no other */
    ck_assert_double_eq_tol(c[0].ours_lo, (lo - 0.25) / 0.75, 1e-9);
    ck_assert_double_eq_tol(c[0].ours_hi, (hi - 0.25) / 0.75, 1e-9);
    ck_assert_int_eq(c[0].verdict, AGREES);
    ck_assert_str_eq(c[1].over, "median"); /* the source does not say */
    ck_assert_double_eq_tol(c[1].ours, 0.6, 1e-12);
    ck_assert_double_eq_tol(c[1].theirs, 0.6, 1e-12);
    ck_assert_double_eq_tol(c[1].ours_lo, (0.65 - 0.25) / 0.75, 1e-12);
}
END_TEST

START_TEST(order_counts_where_values_do_not)
{
    static const Row row[] = { { "a", 0.70, 0.69, 0.71, 0 },
                               { "b", 0.40, 0.39, 0.41, 0 },
                               { "c", 0.80, 0.79, 0.81, 0 },
                               { "d", 0.42, 0.41, 0.43, 0 } };
    static const char *const facts[] = { "A,0.99,share,,,,", "B,0.60,share,,,,", "C,0.92,share,,,,", "D,0.20,share,,,,",
                                         NULL };
    int n;
    Cells s = cells_of(4, row, 0.1);
    Comparison *c = compare(&s, facts,
                            "[{source: a, case: case, deviation: none, rows: {A: a, B: b, C: c}}, {source: a, case: "
                            "case, deviation: none, rows: {B: b, D: d}}, {source: a, case: case, deviation: none, "
                            "rows: {D: d}}]",
                            &n);
    ck_assert_int_eq(n, 6);
    ck_assert_int_eq(c[0].verdict, ORDER_ONLY); /* above b, as published; c is too near to count */
    ck_assert_str_eq(c[0].why, "order kept with 1 of 1 rows");
    ck_assert_int_eq(c[1].verdict, ORDER_ONLY);
    ck_assert_str_eq(c[1].why, "order kept with 2 of 2 rows");
    ck_assert_int_eq(c[2].verdict, ORDER_ONLY);
    ck_assert_int_eq(c[3].verdict, DIFFERS); /* published above d, ours below */
    ck_assert_str_eq(c[3].why, "order kept with 0 of 1 rows");
    ck_assert_str_eq(c[5].why, "no row far enough to order by");
}
END_TEST

START_TEST(texts_are_compared_with_seeds_solved)
{
    static const Row row[] = { { "none", 0.5, 0.4, 0.6, 0 }, { "one", 0.5, 0.4, 1, 1 }, { "two", 1, 0.5, 1, 2 } };
    static const char *const facts[] = { "Yes,converges,text,,,,", "No,does not converge,text,,,,", "Two,2,factors,,,,",
                                         ">,>=99,percent,,,,", NULL };
    static const ComparisonVerdict want[] = { DIFFERS, DIFFERS, AGREES, AGREES, DIFFERS, DIFFERS, AGREES };
    int n;
    Cells s = cells_of(3, row, 0.25);
    Comparison *c = compare(&s, facts,
                            "[{source: a, case: case, deviation: none, rows: [{model: Yes, mixer: none}, {model: Yes, "
                            "mixer: one}, {model: Yes, mixer: two}, {model: No, mixer: none}, {model: No, mixer: one}, "
                            "{model: Two, mixer: one, implies: unsolved}, {model: Two, mixer: two, implies: solved}, "
                            "{model: \">\", mixer: two}]}]",
                            &n);
    for (int i = 0; i < 7; i++) ck_assert_msg(c[i].verdict == want[i], "row %d: %s", i, c[i].why);
    ck_assert_str_eq(c[1].why, "1 of 3 seeds solved");
    ck_assert_str_eq(c[6].published, "2 factors");
    ck_assert(isnan(c[6].theirs));
    ck_assert_str_eq(c[7].published, ">=99 %");
    ck_assert_double_eq_tol(c[7].theirs_hi, 1, 1e-12);
    ck_assert_int_eq(c[7].verdict, AGREES);
}
END_TEST

START_TEST(a_cell_that_is_not_there_has_no_verdict)
{
    static const Row row[] = { { "a", 0.7, 0.7, 0.7, 0 }, { "b", 0.7, 0.7, 0.7, 0 } };
    static const char *const facts[] = { "A,0.7,share,,,,", "B,converges,text,,,,", NULL };
    int n;
    Cells s = cells_of(2, row, 0.25);
    s.cell[0]->n_seeds = 0;
    s.cell[1]->n_points = 0;
    Comparison *c = compare(&s, facts,
                            "[{source: a, case: case, deviation: none, rows: [{model: A, mixer: a}, {model: B, mixer: "
                            "b}, {model: A, mixer: elsewhere}]}]",
                            &n);
    ck_assert_str_eq(c[0].why, "not run");
    ck_assert_str_eq(c[1].why, "diverged");
    ck_assert_str_eq(c[2].why, "not run");
    for (int i = 0; i < 3; i++) ck_assert(c[i].verdict == NO_VERDICT && isnan(c[i].ours));
}
END_TEST

/* ---- emphasis --------------------------------------------------------------------------------------------------- */

START_TEST(bold_is_what_stands_apart)
{
    static const struct {
        int n;
        double x[4];
        Interval i[4];
        bool best[4];
    } cases[] = {
        { 3, { 0.9, 0.5, 0.6 }, { { 0.8, 1 }, { 0.4, 0.6 }, { 0.5, 0.7 } }, { true, false, false } },
        { 3, { 0.9, 0.5, 0.85 }, { { 0.8, 1 }, { 0.4, 0.6 }, { 0.75, 0.9 } }, { true, false, true } },
        /* The middle one meets both: nothing stands apart. */
        { 3, { 0.9, 0.5, 0.7 }, { { 0.8, 1 }, { 0.4, 0.6 }, { 0.5, 0.85 } }, { false, false, false } },
        { 2, { 0.9, 0.88 }, { { 0.8, 1 }, { 0.8, 0.9 } }, { false, false } },
        { 1, { 0.9 }, { { 0.8, 1 } }, { false } },
        { 3, { NAN, 0.5, 0.9 }, { { 0, 0 }, { 0.4, 0.6 }, { 0.8, 1 } }, { false, false, true } },
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        bool best[4];
        mark_best(cases[k].n, cases[k].x, cases[k].i, best);
        for (int i = 0; i < cases[k].n; i++) ck_assert_msg(best[i] == cases[k].best[i], "case %zu, value %d", k, i);
    }
}
END_TEST

START_TEST(emphasis_in_every_format)
{
    static const char *const head[] = { "a|b", "n" };
    Grid g = grid_new(arena, 2, head, "lr");
    const char **row = grid_row(&g);
    row[0] = "[x_1] ±";
    row[1] = BOLD_ON "0.50" BOLD_OFF;
    ck_assert_str_eq(grid_text(&g, FORMAT_TABLE, -1), "a|b         n\n[x_1] ±  0.50\n");
    g.color = true;
    ck_assert_str_eq(grid_text(&g, FORMAT_TABLE, -1), "a|b         n\n[x_1] ±  \033[1m0.50\033[0m\n");
    ck_assert_str_eq(grid_text(&g, FORMAT_CSV, -1), "a|b,n\n[x_1] ±,0.50\n");
    ck_assert_str_eq(grid_text(&g, FORMAT_JSON, -1), "[\n  {\"a|b\": \"[x_1] ±\", \"n\": 0.50}\n]\n");
    ck_assert_str_eq(grid_text(&g, FORMAT_MARKDOWN, -1), "| a\\|b | n |\n|---|---:|\n| [x_1] ± | **0.50** |\n");
    ck_assert_str_eq(
        grid_text(&g, FORMAT_LATEX, -1),
        "\\begin{tabular}{lr}\n\\toprule\na|b & n \\\\\n\\midrule\n{}[x\\_1] $\\pm$ & \\textbf{0.50} \\\\\n"
        "\\bottomrule\n\\end{tabular}\n");
}
END_TEST

START_TEST(two_lines_a_row_where_the_table_is_too_wide)
{
    Comparison c = { .kase = "case",
                     .mixer = "net",
                     .slice = "x4",
                     .len = 160,
                     .source = "A 1",
                     .place = "T",
                     .their_model = "Net",
                     .their_over = "best",
                     .their_train_len = "40",
                     .their_eval_len = "",
                     .metric = "acc_token",
                     .over = "best",
                     .seeds = 3,
                     .ours = 0.9996,
                     .ours_lo = 0.9,
                     .ours_hi = 1,
                     .published = "0.8",
                     .theirs = 0.8,
                     .chance = 0.5,
                     .theory = "yes",
                     .verdict = DIFFERS,
                     .why = "because",
                     .conflict = "",
                     .deviation = "all" };
    ck_assert_ptr_nonnull(
        strstr(published_text("s", 1, &c, FORMAT_TABLE, 200, false, arena),
               "  Net     net   yes     0.999 [0.900, 1.000]        0.8      +0.200  differs  because  "
               "[1]\n"));
    ck_assert_ptr_nonnull(strstr(published_text("s", 1, &c, FORMAT_TABLE, 60, false, arena),
                                 "\ncase, slice x4 (length 160): acc_token, best of 3 seeds; chance 0.500\n"
                                 "A 1, T: best over seeds; trained at 40\n"
                                 "  net (theirs: Net; theory: yes) [1]\n"
                                 "    0.999 [0.900, 1.000], published 0.8, difference +0.200; differs: because\n\n"
                                 "Of 1 numbers: 0 agree,"));
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        every_file_keeps_the_rules,
        a_key_names_one_row,
        accuracies_are_in_range,
        known_numbers,
        spread_becomes_an_interval,
        values_agree_within_intervals_or_tolerance,
        scaled_where_the_source_scales,
        order_counts_where_values_do_not,
        texts_are_compared_with_seeds_solved,
        a_cell_that_is_not_there_has_no_verdict,
        bold_is_what_stands_apart,
        emphasis_in_every_format,
        two_lines_a_row_where_the_table_is_too_wide,
    };
    Suite *s = suite_create("published");
    TCase *t = tcase_create("published");
    tcase_add_checked_fixture(t, setup, teardown);
    for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++) tcase_add_test(t, tests[i]);
    suite_add_tcase(s, t);
    return suite_run(s);
}
