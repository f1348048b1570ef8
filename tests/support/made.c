/* SPDX-License-Identifier: Apache-2.0
 * made.c - run folders made by hand. */
#include "made.h"

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

Arena *made_arena;
char made_folder[] = "/tmp/seqprobe_made.XXXXXX";

const char made_two_rates[] = "task: {name: parity, len: 8}\neval: {x2: {len: 16}}\n"
                              "sweep:\n  mixer: [lstm, mingru]\n  train.lr: [1e-3, 3e-3]\n  seed: [1, 2, 3]\n";

void made_setup(void)
{
    made_arena = arena_new("test");
    strcpy(strrchr(made_folder, '.'), ".XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(made_folder));
}

void made_teardown(void)
{
    ck_assert_int_eq(system(arena_printf(made_arena, "rm -r '%s'", made_folder)), 0);
    arena_free(made_arena);
}

void made_file(const char *path, const char *text)
{
    Err e = { 0 };
    ck_assert_msg(file_write_atomic(path, text, strlen(text), &e), "%s", e.msg);
}

Plan made_plan(const char *text)
{
    char *path = path_join(made_arena, made_folder, "s.yaml");
    Err e = { 0 };
    Plan plan;
    made_file(path, text);
    ck_assert_msg(plan_read(path, 0, NULL, made_arena, &plan, &e), "%s", e.msg);
    return plan;
}

void made_run(const Plan *plan, int row, const char *status, double valid, double test, double x2)
{
    Arena *a = made_arena;
    Err e = { 0 };
    const PlanRow *r = &plan->row[row];
    const char *dir = run_dir(a, made_folder, r->id);
    ck_assert_msg(dir_make(dir, &e), "%s", e.msg);
    made_file(path_join(a, dir, "status"), arena_printf(a, "%s\n", status));
    Buf b = buf_new(a), m = buf_new(a);
    buf_printf(&b,
               "run_id,status,task,mixer,seed,lr,params,state_reals,train_flops,step_solved,headline,valid_headline,"
               "test_headline,message\n%s,%s,parity,lstm,%d,%g,100,20,5e6,%s,acc_token,",
               r->id, status, (int)r->seed, r->lr, test >= 0.99 ? "40" : "");
    buf_real(&b, valid);
    buf_puts(&b, ",");
    buf_real(&b, test);
    buf_puts(&b, ",\n");
    made_file(path_join(a, dir, "result.csv"), b.s);
    made_file(path_join(a, dir, "timing.csv"), "wall_s,cpu_s,host\n1.5,1.25,here\n");
    buf_puts(&m, "schema,run_id,split,slice,len,metric,value,lo,hi,n\n");
    buf_printf(&m, "1,%s,valid,train,8,acc_token,%g,0,1,100\n", r->id, valid);
    if (!isnan(test)) {
        buf_printf(&m, "1,%s,test,train,8,acc_token,%g,0,1,200\n", r->id, test);
        buf_printf(&m, "1,%s,test,train,8,chance,0.5,,,200\n", r->id);
        buf_printf(&m, "1,%s,test,train:gap=1,8,acc_token,0.1,0,1,200\n", r->id);
        buf_printf(&m, "1,%s,test,x2,16,acc_token,%g,0,1,400\n", r->id, x2);
        buf_printf(&m, "1,%s,test,x2,16,loss,%g,,,400\n", r->id, 1 - x2);
    }
    made_file(path_join(a, dir, "metrics.csv"), m.s);
}

char *made_command(const Command *c, const char *const *args, const char *const *flags, int *code)
{
    Arena *a = made_arena;
    char *out = path_join(a, made_folder, "stdout"), *text, **word = ARENA_NEW(a, char *, 64);
    int n = 0;
    word[n++] = path_join(a, made_folder, "s.yaml");
    for (; args && *args; args++) word[n++] = arena_strdup(a, *args);
    word[n++] = arena_printf(a, "--results=%s", made_folder);
    for (; flags && *flags; flags++) word[n++] = arena_strdup(a, *flags);
    Cli cli;
    Err e = { 0 };
    ck_assert_msg(cli_parse(c, n, word, a, &cli, &e), "%s", e.msg);
    fflush(stdout);
    int keep = dup(1);
    ck_assert_ptr_nonnull(freopen(out, "w", stdout));
    *code = c->run(&cli, &e);
    fflush(stdout);
    dup2(keep, 1);
    close(keep);
    if (e.code) *code = e.code;
    if (e.code) return arena_strdup(a, e.msg);
    ck_assert_msg(file_read(out, 1 << 20, a, &text, NULL, &e), "%s", e.msg);
    return text;
}
