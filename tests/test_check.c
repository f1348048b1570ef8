/* SPDX-License-Identifier: Apache-2.0
 * test_check.c - verdicts in every format, comparison with a reference, `select` and `compare`, on run folders made by
 * hand: every number here follows from those of check_runs.
 */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/made.h"
#include "support/suite.h"
#include "sweep/verdicts.h"
#include "train/metrics.h"

static Plan plan;
static Err err;

/* lstm at its chosen rate 0.003 (test says 0.001): test 0.5 0.995 0.7, x2 0.25 0.5 0.75; mingru 0.6 throughout, of
 * which so many of six runs have finished. */
static void check_runs(int mingru)
{
    static const double valid[6] = { 0.9, 0.8, 0.7, 0.99, 0.99, 0.6 };
    static const double test[6] = { 1, 1, 1, 0.5, 0.995, 0.7 };
    err = (Err){ 0 };
    plan = made_plan(made_two_rates);
    for (int i = 0; i < 6; i++) made_run(&plan, i, "ok", valid[i], test[i], 0.25 * (i - 2));
    for (int i = 6; i < 6 + mingru; i++) made_run(&plan, i, "ok", 0.6, 0.6, 0.6);
}

/* Output of `check` on the config with these thresholds and flags (NULL-terminated, or NULL). */
static char *run_check(const char *thresholds, const char *const *flags, int *code)
{
    made_file(path_join(made_arena, made_folder, "s.yaml"),
              arena_printf(made_arena, "%sthresholds:\n%s", made_two_rates, thresholds));
    return made_command(&command_check, NULL, flags, code);
}

static char *item(const char *threshold) { return arena_printf(made_arena, "  - %s\n", threshold); }

/* ---- thresholds ------------------------------------------------------------------------------------------------- */

typedef struct Expect {
    const char *threshold;
    int code;
    const char *line;
} Expect;

/* lstm at its chosen rate 0.003: test 0.5 0.995 0.7, x2 0.25 0.5 0.75; mingru at 0.001: test 0.6 thrice, no 0.003 */
static const Expect expect[] = {
    { "{where: {mixer: lstm}, min: 0.7}", 0,
      "ok    parity/lstm train acc_token: median 0.700, wanted >= 0.7 (3 seeds: 0.500 0.700 0.995; mean 0.732 [0.113, "
      "1.000])" },
    { "{where: {mixer: lstm}, min: 0.71}", 3,
      "FAIL  parity/lstm train acc_token: median 0.700, wanted >= 0.71 (3 seeds: 0.500 0.700 0.995; mean 0.732 [0.113, "
      "1.000])" },
    { "{where: {mixer: lstm}, max: 0.69}", 3,
      "FAIL  parity/lstm train acc_token: median 0.700, wanted <= 0.69 (3 seeds: 0.500 0.700 0.995; mean 0.732 [0.113, "
      "1.000])" },
    { "{where: {mixer: lstm}, over: best, min: 0.99, note: once}", 0,
      "ok    parity/lstm train acc_token: best 0.995, wanted >= 0.99 (3 seeds: 0.500 0.700 0.995; mean 0.732 [0.113, "
      "1.000])  # once" },
    { "{where: {mixer: lstm}, over: all, min: 0.5}", 0,
      "ok    parity/lstm train acc_token: 3 of 3 seeds, wanted all >= 0.5 (3 seeds: 0.500 0.700 0.995; mean 0.732 "
      "[0.113, 1.000])" },
    { "{where: {mixer: lstm}, over: all, min: 0.6}", 3,
      "FAIL  parity/lstm train acc_token: 2 of 3 seeds, wanted all >= 0.6 (3 seeds: 0.500 0.700 0.995; mean 0.732 "
      "[0.113, 1.000])" },
    { "{where: {mixer: lstm}, slice: x2, near: 0.45, within: 0.1}", 0,
      "ok    parity/lstm x2 acc_token: median 0.500, wanted 0.45 within 0.1 (3 seeds: 0.250 0.500 0.750; mean 0.500 "
      "[0.000, 1.000])" },
    { "{where: {mixer: lstm}, slice: x2, near: 0.45, within: 0.01}", 3,
      "FAIL  parity/lstm x2 acc_token: median 0.500, wanted 0.45 within 0.01 (3 seeds: 0.250 0.500 0.750; mean 0.500 "
      "[0.000, 1.000])" },
    { "{where: {mixer: lstm}, min: 0.7, solved: 2, of: 3}", 0,
      "ok    parity/lstm train acc_token: 2 of 3 seeds reach 0.7, wanted 2 of 3 (3 seeds: 0.500 0.700 0.995; mean "
      "0.732 [0.113, 1.000])" },
    { "{where: {mixer: lstm}, solved: 2}", 3,
      "FAIL  parity/lstm train acc_token: 1 of 3 seeds reach 0.99, wanted 2 (3 seeds: 0.500 0.700 0.995; mean 0.732 "
      "[0.113, 1.000])" },
    { "{where: {mixer: lstm}, min: 0.7, solved: 2, of: 4}", 3,
      "FAIL  parity/lstm train acc_token: 2 of 3 seeds reach 0.7, wanted 2 of 4 (3 seeds: 0.500 0.700 0.995; mean "
      "0.732 [0.113, 1.000])" },
    { "{where: {mixer: lstm}, metric: loss, slice: x2, over: best, max: 0.25}", 0,
      "ok    parity/lstm x2 loss: best 0.250, wanted <= 0.25 (3 seeds: 0.250 0.500 0.750; mean 0.500 [-0.121, "
      "1.121])" },
    { "{where: {mixer: mingru}, min: 0.5}", 3,
      "FAIL  parity/mingru train acc_token: median 0.600, wanted >= 0.5 (3 seeds: 0.600 0.600 0.600; mean 0.600 "
      "[0.600, 0.600]); 3 of 6 runs are "
      "missing or failed" },
    { "{better: {mixer: lstm}, worse: {mixer: mingru}}", 3,
      "FAIL  parity/lstm over parity/mingru train acc_token: median 0.700 against 0.600, wanted a lead of 0; over "
      "the same 3 seeds 0.132 [-0.487, 0.750]; 3 of 12 runs are missing or failed" },
    { "{where: {mixer: lstm}, cannot: 0.995}", 0,
      "ok    parity/lstm train acc_token: cannot: max over 3 seeds 0.995 <= 0.995 (3 seeds: 0.500 0.700 0.995; mean "
      "0.732 "
      "[0.113, 1.000])" },
    { "{where: {mixer: lstm}, cannot: 0.99, note: \"theory\"}", 3,
      "FAIL  parity/lstm train acc_token: cannot: max over 3 seeds 0.995 > 0.99 (3 seeds: 0.500 0.700 0.995; mean "
      "0.732 "
      "[0.113, 1.000])  # theory" },
    { "{where: {mixer: lstm}, can: 0.75, slice: x2, of: 3}", 0,
      "ok    parity/lstm x2 acc_token: can: best of 3 seeds 0.750 >= 0.75 (3 seeds: 0.250 0.500 0.750; mean 0.500 "
      "[0.000, 1.000])" },
    { "{where: {mixer: lstm}, can: 0.751, slice: x2}", 3,
      "FAIL  parity/lstm x2 acc_token: can: best of 3 seeds 0.750 < 0.751 (3 seeds: 0.250 0.500 0.750; mean 0.500 "
      "[0.000, 1.000])" },
    { "{where: {mixer: lstm}, cannot: 0.995, of: 4}", 3,
      "FAIL  parity/lstm train acc_token: cannot: max over 3 seeds (wanted 4) 0.995 <= 0.995 (3 seeds: 0.500 0.700 "
      "0.995; mean 0.732 [0.113, 1.000])" },
    { "{where: {mixer: mingru}, cannot: 0.65}", 3, /* three of its runs might still refute it */
      "FAIL  parity/mingru train acc_token: cannot: max over 3 seeds 0.600 <= 0.65 (3 seeds: 0.600 0.600 0.600; mean "
      "0.600 [0.600, 0.600]); 3 of 6 runs are missing or failed" },
};

START_TEST(thresholds)
{
    int code;
    check_runs(3);
    char *text = run_check(item(expect[_i].threshold), NULL, &code);
    text[strcspn(text, "\n")] = '\0';
    ck_assert_str_eq(text, expect[_i].line);
    ck_assert_int_eq(code, expect[_i].code);
}
END_TEST

START_TEST(orderings)
{
    static const char *const as_tap[] = { "--format=tap", NULL };
    int code;
    check_runs(6);
    ck_assert_str_eq(
        run_check(item("{better: {mixer: lstm}, worse: {mixer: mingru}, by: 0.1}"), NULL, &code),
        "ok    parity/lstm over parity/mingru train acc_token: median 0.700 against 0.600, wanted a lead of "
        "0.1; over the same 3 seeds 0.132 [-0.487, 0.750]\n"
        "s: 1 of 1 hold\n");
    ck_assert_int_eq(code, 0);
    run_check(item("{better: {mixer: lstm}, worse: {mixer: mingru}, by: 0.11}"), NULL, &code);
    ck_assert_int_eq(code, 3);
    run_check(item("{better: {mixer: mingru}, worse: {mixer: lstm}}"), NULL, &code);
    ck_assert_int_eq(code, 3);
    ck_assert_str_eq(
        run_check(item("{better: {mixer: mingru}, worse: {mixer: lstm}, slice: x2}"), as_tap, &code),
        "TAP version 13\n1..1\nok 1 - parity/mingru over parity/lstm x2 acc_token: median 0.600 against 0.500, "
        "wanted a lead of 0; over the same 3 seeds 0.100 [-0.521, 0.721]\n");
    ck_assert_int_eq(code, 0);
    /* lower is better */
    run_check(item("{better: {mixer: lstm}, worse: {mixer: mingru}, slice: x2, metric: loss}"), NULL, &code);
    ck_assert_int_eq(code, 3);
}
END_TEST

/* One holds, one falls, the first again with another bound, one is skipped; notes and names that need escaping. */
static const char four[] = "  - {where: {mixer: lstm}, min: 0.7, note: 'a \"b\" & <c> #1 \\ d'}\n"
                           "  - {where: {mixer: lstm}, slice: x2, cannot: 0.7}\n"
                           "  - {where: {mixer: lstm}, min: 0.6}\n"
                           "  - {where: {mixer: mingru}, max: 0.7}\n";
#define SEEDS  "(3 seeds: 0.500 0.700 0.995; mean 0.732 [0.113, 1.000])"
#define SEEDS2 "(3 seeds: 0.250 0.500 0.750; mean 0.500 [0.000, 1.000])"

START_TEST(as_text)
{
    static const char *const flags[] = { "mixer=lstm", NULL };
    int code;
    check_runs(0);
    ck_assert_str_eq(run_check(four, flags, &code),
                     "ok    parity/lstm train acc_token: median 0.700, wanted >= 0.7 " SEEDS
                     "  # a \"b\" & <c> #1 \\ d\n"
                     "FAIL  parity/lstm x2 acc_token: cannot: max over 3 seeds 0.750 > 0.7 " SEEDS2 "\n"
                     "ok    parity/lstm train acc_token: median 0.700, wanted >= 0.6 " SEEDS "\n"
                     "skip  {mixer: mingru}: not part of this plan\n");
    ck_assert_int_eq(code, EXIT_THRESHOLD);
}
END_TEST

START_TEST(as_tap)
{
    static const char *const flags[] = { "mixer=lstm", "--format=tap", NULL };
    int code;
    check_runs(0);
    ck_assert_str_eq(run_check(four, flags, &code),
                     "TAP version 13\n1..4\n"
                     "ok 1 - parity/lstm train acc_token: median 0.700, wanted >= 0.7 " SEEDS
                     " - a \"b\" & <c> \\#1 \\\\ d\n"
                     "not ok 2 - parity/lstm x2 acc_token: cannot: max over 3 seeds 0.750 > 0.7 " SEEDS2 "\n"
                     "ok 3 - parity/lstm train acc_token (2): median 0.700, wanted >= 0.6 " SEEDS "\n"
                     "ok 4 - {mixer: mingru} # SKIP not part of this plan\n");
    ck_assert_int_eq(code, EXIT_THRESHOLD);
}
END_TEST

START_TEST(as_junit)
{
    static const char *const flags[] = { "mixer=lstm", "--format=junit", NULL };
    static const char *const flag2[] = { "mixer=lstm", NULL };
    const char *file = path_join(made_arena, made_folder, "check.xml");
    const char *const also[] = { "mixer=lstm", "--junit", file, NULL };
    int code;
    char *text, *copy;
    check_runs(0);
    text = run_check(four, flags, &code);
    ck_assert_str_eq(
        text,
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
        "  <testsuite name=\"s\" tests=\"4\" failures=\"1\" errors=\"0\" skipped=\"1\" time=\"0\">\n"
        "    <testcase classname=\"s\" name=\"parity/lstm train acc_token\" time=\"0\"><system-out>median 0.700, "
        "wanted "
        "&gt;= 0.7 " SEEDS "\na &quot;b&quot; &amp; &lt;c&gt; #1 \\ d</system-out></testcase>\n"
        "    <testcase classname=\"s\" name=\"parity/lstm x2 acc_token\" time=\"0\"><failure message=\"cannot: max "
        "over 3 "
        "seeds 0.750 &gt; 0.7 " SEEDS2 "\"/></testcase>\n"
        "    <testcase classname=\"s\" name=\"parity/lstm train acc_token (2)\" time=\"0\"><system-out>median 0.700, "
        "wanted &gt;= 0.6 " SEEDS "</system-out></testcase>\n"
        "    <testcase classname=\"s\" name=\"{mixer: mingru}\" time=\"0\"><skipped message=\"not part of this "
        "plan\"/></testcase>\n"
        "  </testsuite>\n</testsuites>\n");
    ck_assert_int_eq(code, EXIT_THRESHOLD);
    ck_assert_str_eq(run_check(four, also, &code), run_check(four, flag2, &code)); /* beside the text */
    ck_assert(file_read(file, 1 << 16, made_arena, &copy, NULL, &err));
    ck_assert_str_eq(copy, text);
}
END_TEST

START_TEST(as_rows)
{
    static const char *const csv[] = { "mixer=lstm", "--format=csv", NULL };
    static const char *const json[] = { "mixer=lstm", "--format", "json", NULL };
    Csv c;
    int code;
    check_runs(0);
    char *text = run_check(four, csv, &code);
    ck_assert_msg(csv_parse("check", text, made_arena, &c, &err), "%s", err.msg);
    ck_assert_int_eq(c.rows, 4);
    ck_assert_str_eq(csv_get(&c, 0, "verdict"), "holds");
    ck_assert_str_eq(csv_get(&c, 0, "note"), "a \"b\" & <c> #1 \\ d");
    ck_assert_str_eq(csv_get(&c, 0, "value"), "0.7");
    ck_assert_str_eq(csv_get(&c, 0, "least"), "0.7");
    ck_assert_str_eq(csv_get(&c, 0, "most"), "");
    ck_assert_str_eq(csv_get(&c, 1, "verdict"), "fell");
    ck_assert_str_eq(csv_get(&c, 1, "what"), "parity/lstm x2 acc_token");
    ck_assert_str_eq(csv_get(&c, 1, "value"), "0.75");
    ck_assert_str_eq(csv_get(&c, 1, "least"), "");
    ck_assert_str_eq(csv_get(&c, 1, "most"), "0.7");
    ck_assert_str_eq(csv_get(&c, 3, "verdict"), "skipped");
    ck_assert_str_eq(csv_get(&c, 3, "value"), "");
    text = run_check(four, json, &code);
    ck_assert_ptr_nonnull(strstr(text, "\"value\": 0.75, \"least\": null, \"most\": 0.7"));
    ck_assert_int_eq(code, EXIT_THRESHOLD);
}
END_TEST

/* ---- against a reference ---------------------------------------------------------------------------------------- */

static void put_reference(const char *rows)
{
    const char *dir = path_join(made_arena, made_folder, "kept/s");
    ck_assert(dir_make(dir, &err));
    made_file(path_join(made_arena, dir, "selected.csv"),
              arena_printf(made_arena, "case,mixer,lr,n_seeds,slice,metric,mean,lo,hi,sd\n%s", rows));
}

/* The rows of `check --reference` as CSV, by name of the flag. */
static char *run_reference(const char *flag, const char *set, int *code)
{
    const char *const flags[] = { arena_printf(made_arena, "--reference=%s/kept", made_folder), flag, set, NULL };
    return made_command(&command_check, NULL, flags, code);
}

static void read_table(Csv *c)
{
    ck_assert_msg(csv_read(arena_printf(made_arena, "%s/s/reference.csv", made_folder), made_arena, c, &err), "%s",
                  err.msg);
}

/* mingru: every seed 0.6, so only the error of the test set is left: w of 600 trials on either side. */
START_TEST(reference_tolerance)
{
    const double sd = 0.249014725, mean = 2.195 / 3;
    int code;
    Csv c;
    check_runs(6);
    put_reference(arena_printf(made_arena,
                               "parity,lstm,0.003,3,train,acc_token,%.9g,0.695,0.766,%.9g\n"
                               "parity,lstm,0.003,3,x2,acc_token,0.5,0.47,0.53,0.25\n"
                               "parity,mingru,0.001,3,train,acc_token,0.62,0.56,0.64,0\n"
                               "parity,mingru,0.001,3,x2,acc_token,0.9,0.6,0.9,0\n",
                               mean + 0.6, sd));
    char *text = run_reference(NULL, NULL, &code);
    ck_assert_int_eq(code, EXIT_THRESHOLD);
    ck_assert_str_eq(text, arena_printf(made_arena,
                                        "FAIL  parity/mingru x2 acc_token: mean 0.600, reference 0.900, difference "
                                        "-0.3, tolerance 0.23 (3 and 3 seeds)\n"
                                        "s: 3 of 4 rows within tolerance; all in %s/s/reference.csv\n",
                                        made_folder));
    read_table(&c);
    ck_assert_int_eq(c.rows, 4);
    ck_assert_double_eq_tol(csv_num(&c, 0, "tolerance"), 3 * sqrt(2 * sd * sd / 3), 1e-7); /* 0.61 */
    ck_assert_double_eq_tol(csv_num(&c, 0, "difference"), -0.6, 1e-7);
    ck_assert_str_eq(csv_get(&c, 0, "verdict"), "holds");
    double lo, hi, kept = 0.08 / (2 * 1.959963985);
    wilson(0.6, 600, &lo, &hi);
    double own = (hi - lo) / (2 * 1.959963985);
    ck_assert_double_eq_tol(csv_num(&c, 2, "tolerance"), 3 * sqrt(own * own + kept * kept), 1e-7);
    ck_assert_str_eq(csv_get(&c, 3, "verdict"), "fell");
    /* Exactly: 1e-9, whatever the seeds. */
    put_reference("parity,lstm,0.003,3,train,acc_token,0.731666667,0,1,0.2\n"
                  "parity,lstm,0.003,3,x2,acc_token,0.500000002,0,1,0.2\n"
                  "parity,mingru,0.001,3,train,acc_token,0.6,0,1,0.2\n"
                  "parity,mingru,0.001,3,x2,acc_token,0.6,0,1,0.2\n");
    ck_assert_ptr_nonnull(strstr(run_reference("--exact", NULL, &code), "FAIL  parity/lstm x2 acc_token: mean 0.500"));
    ck_assert_int_eq(code, EXIT_THRESHOLD);
    read_table(&c);
    ck_assert_str_eq(csv_get(&c, 0, "verdict"), "holds");
    ck_assert_str_eq(csv_get(&c, 1, "verdict"), "fell");
    ck_assert_double_eq(csv_num(&c, 1, "tolerance"), 1e-9);
    run_reference("--format=tap", NULL, &code); /* with seeds, all hold */
    ck_assert_int_eq(code, EXIT_OK);
}
END_TEST

START_TEST(reference_rows)
{
    int code;
    check_runs(6);
    put_reference("parity,lstm,0.003,3,train,acc_token,0.731,0.6,0.8,0.2\n"
                  "parity,lstm,0.003,3,x2,acc_exact,0.5,0.4,0.6,0.2\n"
                  "parity,mingru,0.001,1,train,acc_token,0.6,0.5,0.7,\n"
                  "parity,gone,0.001,3,train,acc_token,0.6,0.5,0.7,0.1\n"
                  "parity,never,,0,,,,,,\n");
    ck_assert_str_eq(run_reference("--format=tap", NULL, &code),
                     "TAP version 13\n1..5\n"
                     "ok 1 - parity/lstm train acc_token: mean 0.732, reference 0.731, difference +0.00067, tolerance "
                     "0.55 (3 and 3 seeds)\n"
                     "not ok 2 - parity/lstm x2 acc_token: measured by acc_token, the reference by acc_exact\n"
                     "ok 3 - parity/mingru train acc_token: mean 0.600, reference 0.600, difference +0, tolerance 0.16 "
                     "(3 and 1 seeds)\n"
                     "ok 4 - parity/mingru x2 # SKIP not in the reference\n"
                     "not ok 5 - parity/gone train: in the reference, not in the results\n");
    ck_assert_int_eq(code, EXIT_THRESHOLD);
    run_reference("--format=tap", "mixer=mingru", &code); /* the rest is not part of the plan */
    ck_assert_int_eq(code, EXIT_OK);
    put_reference("parity,gone,0.001,3,train,acc_token,0.6,0.5,0.7,0.1\n");
    ck_assert_ptr_nonnull(strstr(run_reference(NULL, NULL, &code), "s: no finished row in common with "));
    ck_assert_int_eq(code, EXIT_FAILED);
    ck_assert_int_eq(remove(path_join(made_arena, made_folder, "kept/s/selected.csv")), 0);
    ck_assert_ptr_nonnull(strstr(run_reference(NULL, NULL, &code), "there is no reference for s"));
    ck_assert_int_eq(code, EXIT_USAGE);
    ck_assert_str_eq(made_command(&command_check, NULL, (const char *const[]){ "--exact", NULL }, &code),
                     "--exact belongs to --reference");
    ck_assert_int_eq(code, EXIT_USAGE);
}
END_TEST

/* ---- select and compare ----------------------------------------------------------------------------------------- */

START_TEST(selects)
{
    static const char *const csv[] = { "--format=csv", NULL };
    static const char *const loss[] = { "--format=csv", "--metric=loss", "--slice=x2", "mixer=lstm", NULL };
    int code;
    Csv c, own;
    check_runs(3);
    char *text = made_command(&command_select, NULL, csv, &code);
    ck_assert_int_eq(code, EXIT_OK);
    ck_assert_msg(csv_parse("select", text, made_arena, &c, &err), "%s", err.msg);
    const char *path = arena_printf(made_arena, "%s/s/selected.csv", made_folder);
    ck_assert(csv_read(path, made_arena, &own, &err)); /* written */
    ck_assert_int_eq(c.rows, 2);
    for (int k = 0; k < c.cols; k++) { /* the same numbers there */
        ck_assert_str_eq(c.cell[0][k], csv_get(&own, 0, c.head[k]));
        ck_assert_str_eq(c.cell[1][k], csv_get(&own, 2, c.head[k]));
    }
    ck_assert_str_eq(csv_get(&c, 0, "lr"), "0.003");
    ck_assert_str_eq(csv_get(&c, 0, "n_lr"), "2");
    ck_assert_str_eq(csv_get(&c, 0, "solved"), "1");
    ck_assert_int_eq(remove(path), 0);
    ck_assert(csv_parse("select", made_command(&command_select, NULL, loss, &code), made_arena, &c, &err));
    ck_assert(!file_exists(path)); /* of the whole sweep only */
    ck_assert_int_eq(c.rows, 1);
    ck_assert_str_eq(csv_get(&c, 0, "metric"), "loss");
    ck_assert_str_eq(csv_get(&c, 0, "median"), "0.5");
    ck_assert_str_eq(csv_get(&c, 0, "solved"), "");
    ck_assert_double_eq_tol(csv_num(&c, 0, "seed_hi"), 0.5 + 4.302652730 * 0.25 / sqrt(3),
                            1e-8); /* 1.12, not clipped */
}
END_TEST

START_TEST(compares)
{
    static const char *const pair[] = { "lstm", "mingru", NULL }, *const csv[] = { "--format=csv", NULL };
    static const char *const loss[] = { "--format=csv", "--metric=loss", "--slice=x2", NULL };
    static const char *const one[] = { "--format=csv", "seed=2", NULL };
    int code;
    Csv c;
    check_runs(6);
    char *text = made_command(&command_compare, pair, csv, &code);
    ck_assert_int_eq(code, EXIT_OK);
    ck_assert_msg(csv_parse("compare", text, made_arena, &c, &err), "%s", err.msg);
    ck_assert_int_eq(c.rows, 1); /* differences -0.1 0.395 0.1 */
    static const char *const want[][2] = { { "case", "parity" }, { "a", "lstm" },
                                           { "b", "mingru" },    { "slice", "train" },
                                           { "n", "3" },         { "wins", "2" },
                                           { "losses", "1" },    { "ties", "0" },
                                           { "p", "0.75" },      { "difference", "0.131666667" },
                                           { "mean_b", "0.6" },  { "verdict", "no difference shown" } };
    for (size_t i = 0; i < sizeof want / sizeof want[0]; i++) ck_assert_str_eq(csv_get(&c, 0, want[i][0]), want[i][1]);
    /* Losses 0.75 0.5 0.25 against 0.4: 0.35 0.1 -0.15; lower is better. */
    ck_assert(csv_parse("compare", made_command(&command_compare, pair, loss, &code), made_arena, &c, &err));
    ck_assert_str_eq(csv_get(&c, 0, "wins"), "1");
    ck_assert_str_eq(csv_get(&c, 0, "losses"), "2");
    ck_assert_str_eq(csv_get(&c, 0, "difference"), "0.1");
    ck_assert(csv_parse("compare", made_command(&command_compare, pair, one, &code), made_arena, &c, &err));
    ck_assert_str_eq(csv_get(&c, 0, "n"), "1");
    ck_assert_str_eq(csv_get(&c, 0, "difference"), "0.395");
    ck_assert_str_eq(csv_get(&c, 0, "lo"), "");
    ck_assert_str_eq(csv_get(&c, 0, "verdict"), "one seed");
    for (int i = 3; i < 6; i++) made_run(&plan, i, "ok", 0.99, 0.8 + 0.001 * i, 0.8 + 0.001 * i); /* 0.203 to 0.205 */
    ck_assert(csv_parse("compare", made_command(&command_compare, pair, csv, &code), made_arena, &c, &err));
    ck_assert_str_eq(csv_get(&c, 0, "verdict"), "better");
    ck_assert_double_eq_tol(csv_num(&c, 0, "lo"), 0.204 - 4.302652730 * 0.001 / sqrt(3), 1e-8);
    ck_assert(csv_parse("compare", made_command(&command_compare, pair, loss, &code), made_arena, &c, &err));
    ck_assert_str_eq(csv_get(&c, 0, "verdict"), "better"); /* by less loss */
    ck_assert_str_eq(csv_get(&c, 0, "wins"), "3");
    static const char *const other[] = { "mingru", "lstm", NULL };
    ck_assert(csv_parse("compare", made_command(&command_compare, other, csv, &code), made_arena, &c, &err));
    ck_assert_str_eq(csv_get(&c, 0, "verdict"), "worse");
}
END_TEST

/* Seeds of one mixer alone are left out; which rate was chosen does not matter. */
START_TEST(pairs_are_seeds)
{
    static const char *const pair[] = { "mingru", "lstm", NULL }, *const csv[] = { "--format=csv", NULL };
    int code;
    Csv c;
    check_runs(0);
    made_run(&plan, 7, "ok", 0.9, 0.9, 0.9);             /* seed 2 */
    made_run(&plan, 8, "diverged", 0.9, (double)NAN, 0); /* seed 3: accuracy 0 */
    ck_assert(csv_parse("compare", made_command(&command_compare, pair, csv, &code), made_arena, &c, &err));
    ck_assert_str_eq(csv_get(&c, 0, "n"), "2");
    ck_assert_str_eq(csv_get(&c, 0, "mean_a"), "0.45");
    ck_assert_str_eq(csv_get(&c, 0, "mean_b"), "0.8475"); /* 0.995 and 0.7 */
    ck_assert_str_eq(csv_get(&c, 0, "losses"), "2");
    made_run(&plan, 7, "failed", 0.9, 0.9, 0.9);
    made_run(&plan, 8, "failed", 0.9, 0.9, 0.9);
    ck_assert_str_eq(made_command(&command_compare, pair, csv, &code),
                     "'mingru' and 'lstm' have no finished seed in common");
    ck_assert_int_eq(code, EXIT_FAILED);
}
END_TEST

typedef struct Wrong {
    const char *arg[4], *message;
    int code;
} Wrong;
static const Wrong wrong[] = {
    { { "lstm", "mingro" }, "unknown mixer 'mingro' (did you mean 'mingru'?)", 2 },
    { { "lstm", "xyzzyplugh" }, "unknown mixer 'xyzzyplugh'; known: lstm, mingru", 2 },
    { { "lstm", "lstm" }, "compare: 'lstm' with itself", 2 },
    { { "lstm" }, "compare: a config and two mixers expected", 2 },
    { { "lstm", "mingru", "--slice=x3" }, "unknown slice 'x3' (did you mean 'x2'?)", 2 },
    { { "lstm", "mingru", "--case=party" }, "unknown case 'party' (did you mean 'parity'?)", 2 },
    { { "lstm", "mingru", "--metric=acc" }, "unknown metric 'acc' (did you mean 'acc_mean'?)", 2 },
};

START_TEST(refuses)
{
    int code;
    check_runs(6);
    ck_assert_str_eq(made_command(&command_compare, wrong[_i].arg, NULL, &code), wrong[_i].message);
    ck_assert_int_eq(code, wrong[_i].code);
}
END_TEST

START_TEST(digits)
{
    static const struct {
        double v;
        const char *text;
    } cases[] = {
        { 1, "1.000" },     { 0.99951, "0.999510" }, { 0.9994, "0.999" },
        { 0, "0.000" },     { -0.25, "-0.250" },     { 0.0004, "0.000400" },
        { 51200, "51200" }, { (double)NAN, "-" },    { (double)INFINITY, "inf" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        ck_assert_str_eq(value_digits(cases[i].v, made_arena), cases[i].text);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("check");
    TCase *c = tcase_create("check");
    tcase_set_timeout(c, 30);
    tcase_add_checked_fixture(c, made_setup, made_teardown);
    tcase_add_test(c, digits);
    if (task_find("parity") && mixer_find("lstm") && mixer_find("mingru")) {
        tcase_add_loop_test(c, thresholds, 0, sizeof expect / sizeof expect[0]);
        tcase_add_test(c, orderings);
        tcase_add_test(c, as_text);
        tcase_add_test(c, as_tap);
        tcase_add_test(c, as_junit);
        tcase_add_test(c, as_rows);
        tcase_add_test(c, reference_tolerance);
        tcase_add_test(c, reference_rows);
        tcase_add_test(c, selects);
        tcase_add_test(c, compares);
        tcase_add_test(c, pairs_are_seeds);
        tcase_add_loop_test(c, refuses, 0, sizeof wrong / sizeof wrong[0]);
    } else {
        puts("skipped: most checks use parity, lstm and mingru; not built");
    }
    suite_add_tcase(s, c);
    return suite_run(s);
}
