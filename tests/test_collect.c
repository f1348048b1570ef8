/* SPDX-License-Identifier: Apache-2.0
 * test_collect.c - CSV files and the choice of a learning rate, on run folders made by hand.
 */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/made.h"
#include "support/suite.h"
#include "train/metrics.h"

static Plan plan;
static Err err;

static void read_plan(const char *text) { plan = made_plan(text); }

static void put_run(int row, const char *status, double valid, double test, double x2)
{
    made_run(&plan, row, status, valid, test, x2);
}

static void collect(Csv *runs, Csv *metrics, Csv *selected, int finished)
{
    int n;
    ck_assert_msg(collect_results(&plan, made_folder, &n, &err), "%s", err.msg);
    ck_assert_int_eq(n, finished);
    ck_assert(csv_read(arena_printf(made_arena, "%s/s/runs.csv", made_folder), made_arena, runs, &err));
    ck_assert(csv_read(arena_printf(made_arena, "%s/s/metrics.csv", made_folder), made_arena, metrics, &err));
    ck_assert(csv_read(arena_printf(made_arena, "%s/s/selected.csv", made_folder), made_arena, selected, &err));
}

START_TEST(selects)
{
    static const double valid[6] = { 0.9, 0.8, 0.7, 0.99, 0.99, 0.6 }; /* means 0.8 and 0.86 */
    static const double test[6] = { 1, 1, 1, 0.5, 0.995, 0.7 };
    Csv r, m, s;
    read_plan(made_two_rates);
    for (int i = 0; i < 6; i++) put_run(i, "ok", valid[i], test[i], 0.25 * (i - 2));
    collect(&r, &m, &s, 6);
    ck_assert_int_eq(s.rows, 3); /* two slices of lstm, one empty row of mingru */
    ck_assert_str_eq(csv_get(&s, 0, "mixer"), "lstm");
    ck_assert_str_eq(csv_get(&s, 0, "lr"), "0.003"); /* test numbers would say 0.001 */
    ck_assert_double_eq_tol(csv_num(&s, 0, "valid"), 0.86, 1e-9);
    ck_assert_str_eq(csv_get(&s, 0, "n_lr"), "2");
    ck_assert_str_eq(csv_get(&s, 0, "n_seeds"), "3");
    ck_assert_str_eq(csv_get(&s, 0, "solved"), "1");
    ck_assert_str_eq(csv_get(&s, 0, "step_solved"), "40");
    ck_assert_str_eq(csv_get(&s, 0, "slice"), "train");
    ck_assert_double_eq_tol(csv_num(&s, 0, "median"), 0.7, 1e-9);
    ck_assert_double_eq_tol(csv_num(&s, 0, "min"), 0.5, 1e-9);
    ck_assert_double_eq_tol(csv_num(&s, 0, "max"), 0.995, 1e-9);
    ck_assert_str_eq(csv_get(&s, 0, "n"), "600");
    ck_assert_str_eq(csv_get(&s, 0, "chance"), "0.5");
    ck_assert_str_eq(csv_get(&s, 0, "best_run"), plan.row[4].id);
    char runs[64];
    snprintf(runs, sizeof runs, "%s %s %s", plan.row[3].id, plan.row[4].id, plan.row[5].id);
    ck_assert_str_eq(csv_get(&s, 0, "runs"), runs);
    double lo, hi;
    wilson((0.5 + 0.995 + 0.7) / 3, 600, &lo, &hi);
    ck_assert_double_eq_tol(csv_num(&s, 0, "lo"), lo, 1e-8);
    ck_assert_double_eq_tol(csv_num(&s, 0, "hi"), hi, 1e-8);
    static const double x[] = { 0.5, 0.995, 0.7 };
    ck_assert_double_eq_tol(csv_num(&s, 0, "sd"), 0.249014725, 1e-8);
    ck_assert_double_eq_tol(csv_num(&s, 0, "seed_lo"), seed_interval(x, 3).lo, 1e-8);
    ck_assert_str_eq(csv_get(&s, 0, "seed_hi"), "1"); /* 1.35, clipped */
    wilson(1.0 / 3, 3, &lo, &hi);
    ck_assert_double_eq_tol(csv_num(&s, 0, "solved_lo"), lo, 1e-8);
    ck_assert_double_eq_tol(csv_num(&s, 0, "solved_hi"), hi, 1e-8);
    ck_assert_str_eq(csv_get(&s, 0, "selected_by"), "valid_headline");
    ck_assert_str_eq(csv_get(&s, 0, "choice"), "train.lr=3e-3");
    ck_assert_str_eq(csv_get(&s, 1, "slice"), "x2");
    ck_assert_str_eq(csv_get(&s, 1, "solved"), "0");
    ck_assert_str_eq(csv_get(&s, 1, "solved_lo"), "0");
    ck_assert_str_eq(csv_get(&s, 1, "len"), "16");
    ck_assert_double_eq_tol(csv_num(&s, 1, "median"), 0.5, 1e-9);
    ck_assert_str_eq(csv_get(&s, 1, "chance"), "");
    ck_assert_str_eq(csv_get(&s, 2, "mixer"), "mingru");
    ck_assert_str_eq(csv_get(&s, 2, "n_seeds"), "0");
    ck_assert_str_eq(csv_get(&s, 2, "lr"), "");
    ck_assert_str_eq(csv_get(&s, 2, "runs"), "");
}
END_TEST

START_TEST(ties_go_low)
{
    Csv r, m, s;
    read_plan("task: {name: parity, len: 8}\nmixer: lstm\neval: {x2: {len: 16}}\nsweep: {train.lr: [3e-3, 1e-3], seed: "
              "[1, 2]}\n");
    for (int i = 0; i < 4; i++) put_run(i, "ok", 0.5, 0.5, 0.5);
    collect(&r, &m, &s, 4);
    ck_assert_str_eq(csv_get(&s, 0, "lr"), "0.001");
    ck_assert_str_eq(csv_get(&s, 0, "best_run"), plan.row[2].id); /* the first of equals */
}
END_TEST

/* The better on test is the worse on validation, in every slice and by any margin. */
START_TEST(test_has_no_say)
{
    Csv r, m, s;
    read_plan("task: {name: parity, len: 8}\nmixer: lstm\neval: {x2: {len: 16}}\nsweep: {train.lr: [1e-3, 3e-3], seed: "
              "[1, 2]}\n");
    for (int i = 0; i < 2; i++) put_run(i, "ok", 0.501, 0.1, 0.1);
    for (int i = 2; i < 4; i++) put_run(i, "ok", 0.5, 1, 1);
    collect(&r, &m, &s, 4);
    for (int i = 0; i < 2; i++) {
        ck_assert_str_eq(csv_get(&s, i, "lr"), "0.001");
        ck_assert_str_eq(csv_get(&s, i, "max"), "0.1");
        ck_assert_str_eq(csv_get(&s, i, "best_run"), plan.row[0].id); /* among the seeds of the choice */
    }
    for (int i = 0; i < 2; i++) put_run(i, "ok", 0.5, 0.1, 0.1);
    collect(&r, &m, &s, 4);
    ck_assert_str_eq(csv_get(&s, 0, "lr"), "0.001"); /* nor in a tie */
}
END_TEST

START_TEST(one_seed_has_no_spread)
{
    Csv r, m, s;
    read_plan("task: {name: parity, len: 8}\nmixer: lstm\neval: {x2: {len: 16}}\nsweep: {train.lr: [1e-3, 3e-3]}\n");
    put_run(0, "ok", 0.9, 0.992, 0.9);
    put_run(1, "failed", 1, 1, 1);
    collect(&r, &m, &s, 1);
    ck_assert_str_eq(csv_get(&s, 0, "n_lr"), "1");
    ck_assert_str_eq(csv_get(&s, 0, "n_seeds"), "1");
    ck_assert_str_eq(csv_get(&s, 0, "sd"), "");
    ck_assert_str_eq(csv_get(&s, 0, "seed_lo"), "");
    ck_assert_str_eq(csv_get(&s, 0, "seed_hi"), "");
    ck_assert_str_eq(csv_get(&s, 0, "solved"), "1");
    ck_assert_double_eq_tol(csv_num(&s, 0, "solved_lo"), 0.206549314, 1e-8); /* 1 / (1 + 1.96^2) */
    ck_assert_str_eq(csv_get(&s, 0, "solved_hi"), "1");
    ck_assert_double_eq_tol(csv_num(&s, 0, "mean"), 0.992, 1e-9);
    /* A finished run that lost its metrics is no seed, and no accuracy of 0. */
    put_run(1, "ok", 0.9, 0.992, 0.9);
    ck_assert_int_eq(remove(path_join(made_arena, run_dir(made_arena, made_folder, plan.row[0].id), "metrics.csv")), 0);
    collect(&r, &m, &s, 2);
    ck_assert_str_eq(csv_get(&s, 0, "lr"), "0.001");
    ck_assert_str_eq(csv_get(&s, 0, "slice"), "");
    ck_assert_str_eq(csv_get(&s, 0, "median"), "");
}
END_TEST

START_TEST(diverged_counts_zero)
{
    Csv r, m, s;
    read_plan(made_two_rates);
    for (int i = 0; i < 3; i++) put_run(i, "ok", 0.6, 0.6, 0.6);
    put_run(3, "ok", 0.8, 0.8, 0.8);
    put_run(4, "ok", 0.8, 0.8, 0.8);
    put_run(5, "diverged", 0.9, (double)NAN, 0); /* (0.8 + 0.8 + 0) / 3 < 0.6 */
    put_run(6, "timeout", 0.9, 0.9, 0.9);        /* never compared */
    put_run(9, "diverged", 0.9, (double)NAN, 0);
    collect(&r, &m, &s, 7);
    ck_assert_str_eq(csv_get(&s, 0, "lr"), "0.001");
    ck_assert_str_eq(csv_get(&s, 2, "mixer"), "mingru");
    ck_assert_str_eq(csv_get(&s, 2, "lr"), "0.003");
    ck_assert_str_eq(csv_get(&s, 2, "valid"), "0");
    ck_assert_str_eq(csv_get(&s, 2, "n_seeds"), "1");
    ck_assert_str_eq(csv_get(&s, 2, "slice"), "");
    ck_assert_str_eq(csv_get(&s, 2, "median"), "");
    ck_assert_str_eq(csv_get(&s, 2, "runs"), plan.row[9].id);
    ck_assert_str_eq(csv_get(&s, 2, "sd"), "");
    ck_assert_str_eq(csv_get(&s, 2, "solved_lo"), "0");
    ck_assert_str_eq(csv_get(&s, 2, "choice"), "train.lr=3e-3");
    /* without the diverged one the higher rate wins, over two seeds */
    put_run(5, "running", 0.9, 0.9, 0.9);
    collect(&r, &m, &s, 6);
    ck_assert_str_eq(csv_get(&s, 0, "lr"), "0.003");
    ck_assert_str_eq(csv_get(&s, 0, "n_seeds"), "2");
    ck_assert_double_eq_tol(csv_num(&s, 0, "median"), 0.8, 1e-9);
}
END_TEST

START_TEST(other_axes_are_groups)
{
    Csv r, m, s;
    read_plan(
        "task: {name: parity}\nmixer: lstm\neval: {x2: {len: 80}}\nselect: {over: [train.lr, train.weight_decay]}\n"
        "sweep: {model.d_model: [16, 32], train.weight_decay: [0, 0.1]}\n");
    put_run(0, "ok", 0.5, 0.5, 0.5);
    put_run(1, "ok", 0.6, 0.55, 0.5);
    put_run(2, "ok", 0.7, 0.65, 0.5);
    put_run(3, "ok", 0.6, 0.75, 0.5);
    collect(&r, &m, &s, 4);
    ck_assert_int_eq(s.rows, 4);
    ck_assert_int_eq(csv_col(&s, "train_weight_decay"), -1);
    ck_assert_str_eq(csv_get(&s, 0, "model_d_model"), "16");
    ck_assert_str_eq(csv_get(&s, 0, "median"), "0.55");
    ck_assert_str_eq(csv_get(&s, 0, "choice"), "train.weight_decay=0.1");
    ck_assert_str_eq(csv_get(&s, 0, "n_lr"), "2");
    ck_assert_str_eq(csv_get(&s, 2, "model_d_model"), "32");
    ck_assert_str_eq(csv_get(&s, 2, "median"), "0.65");
}
END_TEST

START_TEST(runs_csv)
{
    Csv r, m, s;
    read_plan(made_two_rates);
    put_run(1, "ok", 0.6, 0.6, 0.6);
    put_run(2, "interrupted", 0.6, 0.6, 0.6);
    ck_assert(dir_make(run_dir(made_arena, made_folder, plan.row[3].id), &err));
    ck_assert(run_fail(run_dir(made_arena, made_folder, plan.row[3].id), plan.row[3].id, RUN_FAILED,
                       "it broke, \"badly\"", &err));
    collect(&r, &m, &s, 1);
    ck_assert_int_eq(r.rows, 12);
    static const char *const status[] = { "missing", "ok", "interrupted", "failed", "missing" };
    for (int i = 0; i < 5; i++) ck_assert_str_eq(csv_get(&r, i, "status"), status[i]);
    for (int i = 0; i < 12; i++) {
        ck_assert_str_eq(csv_get(&r, i, "run_id"), plan.row[i].id);
        ck_assert_int_eq(atoi(csv_get(&r, i, "row")), i);
        ck_assert_str_eq(csv_get(&r, i, "t_len"), "8");
        ck_assert_str_eq(csv_get(&r, i, "b_d_model"), "64");
        ck_assert_int_eq(csv_get(&r, i, "m_forget_bias")[0] != 0, i < 6); /* an option of lstm alone */
        ck_assert_double_eq(csv_num(&r, i, "train_lr"), plan.row[i].lr);
        ck_assert_str_eq(csv_get(&r, i, "test_headline"), i == 1 ? "0.6" : "");
        ck_assert_str_eq(csv_get(&r, i, "cpu_s"), i == 1 ? "1.25" : "");
    }
    ck_assert_str_eq(csv_get(&r, 3, "message"), "it broke, \"badly\"");
    ck_assert_str_eq(csv_get(&r, 7, "model"), "mingru");
    ck_assert_str_eq(csv_get(&r, 7, "seed"), "2");
    ck_assert_str_eq(r.head[r.cols - 1], "host"); /* timing is last */
    ck_assert_str_eq(r.head[0], "schema");
    ck_assert_int_eq(m.rows, 6);
    ck_assert_str_eq(csv_get(&m, 5, "row"), "1");
    ck_assert_str_eq(csv_get(&m, 5, "mixer"), "lstm");
    ck_assert_str_eq(csv_get(&m, 5, "lo"), "");
}
END_TEST

/* Files that are not whole are the trouble of one run: the others are collected, and a sweep runs it again. */
START_TEST(damage_stays_where_it_is)
{
    static const char *const damage[][2] = { { "result.csv", "a,b\n1,2\n3,4\n" },
                                             { "result.csv", "run_id,status\nr" },
                                             { "result.csv", "" },
                                             { "metrics.csv", "schema,run_id\n1" },
                                             { "status", "o" },
                                             { "status", "" } };
    for (size_t i = 0; i < sizeof damage / sizeof *damage; i++) {
        Csv r, m, s;
        read_plan(made_two_rates);
        put_run(1, "ok", 0.6, 0.6, 0.6);
        put_run(2, "ok", 0.7, 0.7, 0.7);
        const char *dir = run_dir(made_arena, made_folder, plan.row[1].id);
        made_file(path_join(made_arena, dir, damage[i][0]), damage[i][1]);
        Err why = { 0 };
        ck_assert(!run_state_final(run_state_why(dir, &why)));
        ck_assert_msg(strstr(why.msg, path_join(made_arena, dir, damage[i][0])) != NULL, "%s", why.msg);
        collect(&r, &m, &s, 1);
        ck_assert_str_eq(csv_get(&r, 1, "status"), i < 4 ? "interrupted" : "failed");
        ck_assert_str_eq(csv_get(&r, 2, "test_headline"), "0.7");
    }
    Csv r, m, s; /* times are no results */
    read_plan(made_two_rates);
    put_run(1, "ok", 0.6, 0.6, 0.6);
    put_run(2, "ok", 0.6, 0.6, 0.6);
    made_file(path_join(made_arena, run_dir(made_arena, made_folder, plan.row[1].id), "timing.csv"), "wall_s,cpu");
    collect(&r, &m, &s, 2);
    ck_assert_str_eq(csv_get(&r, 1, "test_headline"), "0.6");
    ck_assert_str_eq(csv_get(&r, 1, "cpu_s"), "");
    ck_assert_str_eq(csv_get(&r, 2, "cpu_s"), "1.25");
}
END_TEST

START_TEST(metrics_by_name)
{
    ck_assert(metric_is_accuracy("acc_token") && metric_is_accuracy("acc_macro"));
    ck_assert(!metric_is_accuracy("loss") && !metric_is_accuracy("state_reals") && !metric_is_accuracy(""));
    ck_assert(metric_low_is_good("loss") && metric_low_is_good("state_reals") && !metric_low_is_good("acc_exact"));
}
END_TEST

int main(void)
{
    Suite *s = suite_create("collect");
    TCase *c = tcase_create("collect");
    tcase_set_timeout(c, 30);
    tcase_add_checked_fixture(c, made_setup, made_teardown);
    tcase_add_test(c, metrics_by_name);
    if (task_find("parity") && mixer_find("lstm") && mixer_find("mingru")) {
        tcase_add_test(c, selects);
        tcase_add_test(c, ties_go_low);
        tcase_add_test(c, test_has_no_say);
        tcase_add_test(c, one_seed_has_no_spread);
        tcase_add_test(c, diverged_counts_zero);
        tcase_add_test(c, other_axes_are_groups);
        tcase_add_test(c, runs_csv);
        tcase_add_test(c, damage_stays_where_it_is);
    } else {
        puts("skipped: the collect tests use parity, lstm and mingru; not built");
    }
    suite_add_tcase(s, c);
    return suite_run(s);
}
