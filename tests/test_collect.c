/* SPDX-License-Identifier: Apache-2.0
 * test_collect.c - CSV files, the choice of a learning rate, and thresholds, on run folders made by hand.
 */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sweep/thresholds.h"
#include "train/metrics.h"

static Arena *arena;
static char folder[] = "/tmp/test_collect.XXXXXX";
static Plan plan;
static Err err;

static void setup(void)
{
    arena = arena_new("test");
    strcpy(strrchr(folder, '.'), ".XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
}

static void teardown(void)
{
    ck_assert_int_eq(system(arena_printf(arena, "rm -r '%s'", folder)), 0);
    arena_free(arena);
}

static void put_file(const char *path, const char *text)
{
    Err e = { 0 };
    ck_assert_msg(file_write_atomic(path, text, strlen(text), &e), "%s", e.msg);
}

static void read_plan(const char *text)
{
    char *path = path_join(arena, folder, "s.yaml");
    err = (Err){ 0 };
    put_file(path, text);
    ck_assert_msg(plan_read(path, 0, NULL, arena, &plan, &err), "%s", err.msg);
}

/* A run folder for a row: status, validation and test headlines, and the test value of slice x2. */
static void put_run(int row, const char *status, double valid, double test, double x2)
{
    const char *dir = run_dir(arena, folder, plan.row[row].id);
    ck_assert(dir_make(dir, &err));
    put_file(path_join(arena, dir, "status"), arena_printf(arena, "%s\n", status));
    Buf b = buf_new(arena), m = buf_new(arena);
    buf_printf(&b,
               "run_id,status,task,mixer,seed,lr,params,state_reals,train_flops,step_solved,headline,valid_headline,"
               "test_headline,message\n%s,%s,parity,lstm,%d,%g,100,20,5e6,%s,acc_token,",
               plan.row[row].id, status, (int)plan.row[row].seed, plan.row[row].lr, test >= 0.99 ? "40" : "");
    buf_real(&b, valid);
    buf_puts(&b, ",");
    buf_real(&b, test);
    buf_puts(&b, ",\n");
    put_file(path_join(arena, dir, "result.csv"), b.s);
    put_file(path_join(arena, dir, "timing.csv"), "wall_s,cpu_s,host\n1.5,1.25,here\n");
    buf_puts(&m, "schema,run_id,split,slice,len,metric,value,lo,hi,n\n");
    buf_printf(&m, "1,%s,valid,train,8,acc_token,%g,0,1,100\n", plan.row[row].id, valid);
    if (!isnan(test)) {
        buf_printf(&m, "1,%s,test,train,8,acc_token,%g,0,1,200\n", plan.row[row].id, test);
        buf_printf(&m, "1,%s,test,train,8,chance,0.5,,,200\n", plan.row[row].id);
        buf_printf(&m, "1,%s,test,train:gap=1,8,acc_token,0.1,0,1,200\n", plan.row[row].id);
        buf_printf(&m, "1,%s,test,x2,16,acc_token,%g,0,1,400\n", plan.row[row].id, x2);
        buf_printf(&m, "1,%s,test,x2,16,loss,%g,,,400\n", plan.row[row].id, 1 - x2);
    }
    put_file(path_join(arena, dir, "metrics.csv"), m.s);
}

static void collect(Csv *runs, Csv *metrics, Csv *selected, int finished)
{
    int n;
    ck_assert_msg(collect_results(&plan, folder, &n, &err), "%s", err.msg);
    ck_assert_int_eq(n, finished);
    ck_assert(csv_read(arena_printf(arena, "%s/s/runs.csv", folder), arena, runs, &err));
    ck_assert(csv_read(arena_printf(arena, "%s/s/metrics.csv", folder), arena, metrics, &err));
    ck_assert(csv_read(arena_printf(arena, "%s/s/selected.csv", folder), arena, selected, &err));
}

static const char two_rates[] = "task: {name: parity, len: 8}\neval: {x2: {len: 16}}\n"
                                "sweep:\n  mixer: [lstm, mingru]\n  train.lr: [1e-3, 3e-3]\n  seed: [1, 2, 3]\n";

START_TEST(selects)
{
    static const double valid[6] = { 0.9, 0.8, 0.7, 0.99, 0.99, 0.6 }; /* means 0.8 and 0.86 */
    static const double test[6] = { 1, 1, 1, 0.5, 0.995, 0.7 };
    Csv r, m, s;
    read_plan(two_rates);
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
    ck_assert_int_eq(remove(path_join(arena, run_dir(arena, folder, plan.row[0].id), "metrics.csv")), 0);
    collect(&r, &m, &s, 2);
    ck_assert_str_eq(csv_get(&s, 0, "lr"), "0.001");
    ck_assert_str_eq(csv_get(&s, 0, "slice"), "");
    ck_assert_str_eq(csv_get(&s, 0, "median"), "");
}
END_TEST

START_TEST(diverged_counts_zero)
{
    Csv r, m, s;
    read_plan(two_rates);
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
    read_plan(two_rates);
    put_run(1, "ok", 0.6, 0.6, 0.6);
    put_run(2, "interrupted", 0.6, 0.6, 0.6);
    ck_assert(dir_make(run_dir(arena, folder, plan.row[3].id), &err));
    ck_assert(run_fail(run_dir(arena, folder, plan.row[3].id), plan.row[3].id, "it broke, \"badly\"", &err));
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
    put_file(path_join(arena, run_dir(arena, folder, plan.row[1].id), "result.csv"), "a,b\n1,2\n3,4\n");
    int n;
    ck_assert(!collect_results(&plan, folder, &n, &err));
    ck_assert_ptr_nonnull(strstr(err.msg, "result.csv: 2 rows, expected 1"));
}
END_TEST

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

/* Output of `check` on a config with one threshold. */
static char *run_check(const char *threshold, const char *format, int *code)
{
    const char *flags[5] = { folder, format }, *args[1] = { path_join(arena, folder, "s.yaml") };
    char *out = path_join(arena, folder, "out"), *text;
    put_file(args[0], arena_printf(arena, "%sthresholds:\n  - %s\n", two_rates, threshold));
    Cli cli = { .command = &command_check, .arena = arena, .n_args = 1, .args = args, .flag_text = flags };
    fflush(stdout);
    int keep = dup(1);
    ck_assert_ptr_nonnull(freopen(out, "w", stdout));
    err = (Err){ 0 };
    *code = command_check.run(&cli, &err);
    fflush(stdout);
    dup2(keep, 1);
    close(keep);
    ck_assert_msg(err.code == 0, "%s", err.msg);
    ck_assert(file_read(out, 1 << 16, arena, &text, NULL, &err));
    return text;
}

static void put_check_runs(int mingru)
{
    static const double valid[6] = { 0.9, 0.8, 0.7, 0.99, 0.99, 0.6 };
    static const double test[6] = { 1, 1, 1, 0.5, 0.995, 0.7 };
    read_plan(two_rates);
    for (int i = 0; i < 6; i++) put_run(i, "ok", valid[i], test[i], 0.25 * (i - 2));
    for (int i = 6; i < 6 + mingru; i++) put_run(i, "ok", 0.6, 0.6, 0.6);
}

START_TEST(thresholds)
{
    int code;
    put_check_runs(3);
    char *text = run_check(expect[_i].threshold, "text", &code);
    text[strcspn(text, "\n")] = '\0';
    ck_assert_str_eq(text, expect[_i].line);
    ck_assert_int_eq(code, expect[_i].code);
}
END_TEST

START_TEST(orderings)
{
    int code;
    put_check_runs(6);
    ck_assert_str_eq(
        run_check("{better: {mixer: lstm}, worse: {mixer: mingru}, by: 0.1}", "text", &code),
        "ok    parity/lstm over parity/mingru train acc_token: median 0.700 against 0.600, wanted a lead of "
        "0.1; over the same 3 seeds 0.132 [-0.487, 0.750]\n"
        "s: 1 of 1 hold\n");
    ck_assert_int_eq(code, 0);
    run_check("{better: {mixer: lstm}, worse: {mixer: mingru}, by: 0.11}", "text", &code);
    ck_assert_int_eq(code, 3);
    run_check("{better: {mixer: mingru}, worse: {mixer: lstm}}", "text", &code);
    ck_assert_int_eq(code, 3);
    ck_assert_str_eq(
        run_check("{better: {mixer: mingru}, worse: {mixer: lstm}, slice: x2}", "tap", &code),
        "TAP version 13\n1..1\nok 1 - parity/mingru over parity/lstm x2 acc_token: median 0.600 against 0.500, "
        "wanted a lead of 0; over the same 3 seeds 0.100 [-0.521, 0.721]\n");
    ck_assert_int_eq(code, 0);
    /* lower is better */
    run_check("{better: {mixer: lstm}, worse: {mixer: mingru}, slice: x2, metric: loss}", "text", &code);
    ck_assert_int_eq(code, 3);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("collect");
    TCase *c = tcase_create("collect");
    tcase_set_timeout(c, 30);
    tcase_add_checked_fixture(c, setup, teardown);
    if (task_find("parity") && mixer_find("lstm") && mixer_find("mingru")) {
        tcase_add_test(c, selects);
        tcase_add_test(c, ties_go_low);
        tcase_add_test(c, test_has_no_say);
        tcase_add_test(c, one_seed_has_no_spread);
        tcase_add_test(c, diverged_counts_zero);
        tcase_add_test(c, other_axes_are_groups);
        tcase_add_test(c, runs_csv);
        tcase_add_loop_test(c, thresholds, 0, sizeof expect / sizeof expect[0]);
        tcase_add_test(c, orderings);
    } else {
        puts("skipped: the collect tests use parity, lstm and mingru; not built");
    }
    suite_add_tcase(s, c);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_ENV);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
