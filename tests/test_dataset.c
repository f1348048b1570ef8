/* SPDX-License-Identifier: Apache-2.0
 * test_dataset.c - examples from files: rows in their order, ids of runs, sizes of splits, every fault of the files,
 * and training on an exported task as on the task itself.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "support/made.h"
#include "support/suite.h"
#include "tape/tape.h"
#include "train/batch.h"
#include "train/evaluate.h"
#include "train/loop.h"

enum { N = 20, T = 5 };

static const char *at(const char *name) { return path_join(made_arena, made_folder, name); }

static void put(const char *name, int rank, const int *v, int rows, int cols)
{
    Err err = { 0 };
    const char *path = at(name);
    ck_assert(dir_make(path_dir(made_arena, path), &err));
    ck_assert_msg(npy_write(path, NPY_I4, rank, (int[]){ rows, cols }, v, &err), "%s", err.msg);
}

/* Row i begins with its number; the targets are its inputs. */
static void fill(int *input, int *target, int *len)
{
    for (int i = 0; i < N; i++) {
        len[i] = 2 + i % 4;
        for (int t = 0; t < T; t++) {
            input[i * T + t] = t == 0 ? i : (i + t) % 7;
            target[i * T + t] = t < len[i] && t % 2 == 0 ? input[i * T + t] : IGNORE;
        }
    }
}

static void put_set(const char *dir, int rows)
{
    int input[N * T], target[N * T], len[N];
    fill(input, target, len);
    put(arena_printf(made_arena, "%s/inputs.npy", dir), 2, input, rows, T);
    put(arena_printf(made_arena, "%s/targets.npy", dir), 2, target, rows, T);
    put(arena_printf(made_arena, "%s/lengths.npy", dir), 1, len, rows, 0);
}

/* A run on the data; `task` and `rest` in flow style. */
static bool resolve(const char *task, const char *rest, RunSpec *spec, Err *err)
{
    Value *config;
    const char *text = arena_printf(made_arena, "{task: {name: dataset, path: %s%s}, mixer: %s%s}", at("d"), task,
                                    all_mixers[0]->name, rest);
    *err = (Err){ 0 };
    ck_assert_msg(yaml_parse("test", text, made_arena, &config, err), "%s", err->msg);
    return run_resolve(config, made_arena, spec, err);
}

static RunSpec resolved(const char *task, const char *rest)
{
    RunSpec s;
    Err err;
    bool ok = resolve(task, rest, &s, &err);
    ck_assert_msg(ok, "%s %s: %s", task, rest, err.msg);
    return s;
}

static void refused(const char *task, const char *rest, const char *want)
{
    RunSpec s;
    Err err;
    ck_assert_msg(!resolve(task, rest, &s, &err), "%s %s: accepted", task, rest);
    ck_assert_msg(err.code == EXIT_USAGE && strstr(err.msg, want), "%s %s: code %d: %s, expected: %s", task, rest,
                  err.code, err.msg, want);
}

static bool absent(void) { return !task_find("dataset"); }

/* One set of 20 rows: 16, 2 and 2; an epoch has every training row once, the next one in another order. */
START_TEST(rows_and_epochs)
{
    int order[2][16];
    Batch b;
    if (absent()) return;
    put_set("d", N);
    RunSpec s = resolved("", ", train: {batch: 8}");
    ck_assert_int_eq(s.train.examples, 16);
    ck_assert_int_eq(s.data.valid, 2);
    ck_assert_int_eq(s.data.test, 2);
    ck_assert_int_eq(s.vocab_in, N);
    ck_assert_int_eq(s.vocab_out, N);
    batch_draw(&s, &s.slices[0], "valid", 0, 0, 2, EVAL_GROUP, false, made_arena, &b);
    ck_assert(b.input[0] == 16 && b.input[b.stride] == 17 && b.len[1] == 3);
    batch_draw(&s, &s.slices[0], "test", 0, 0, 2, EVAL_GROUP, false, made_arena, &b);
    ck_assert(b.input[0] == 18 && b.input[b.stride] == 19);
    for (int step = 0; step < 4; step++) {
        batch_train(&s, step, made_arena, &b);
        for (int i = 0; i < 8; i++) order[step / 2][step % 2 * 8 + i] = b.input[i * b.stride];
    }
    ck_assert(memcmp(order[0], order[1], sizeof order[0]) != 0);
    for (int e = 0; e < 2; e++)
        for (int row = 0; row < 16; row++) {
            int n = 0;
            for (int i = 0; i < 16; i++) n += order[e][i] == row;
            ck_assert_int_eq(n, 1);
        }
}
END_TEST

START_TEST(folders_and_sets)
{
    Batch b;
    if (absent()) return;
    put_set("d/train", 12);
    put_set("d/valid", 5);
    put_set("d/test", 7);
    put_set("d/more", N);
    RunSpec s = resolved(", sets: more", ", eval: {more: {set: more}}");
    ck_assert_int_eq(s.train.examples, 12);
    ck_assert_int_eq(s.data.valid, 5);
    ck_assert_int_eq(s.data.test, 7); /* the least of the slices */
    batch_draw(&s, run_slice(&s, "more"), "test", 0, 0, 3, EVAL_GROUP, false, made_arena, &b);
    ck_assert(b.input[0] == 10 && b.input[2 * b.stride] == 12);
    refused(", sets: more", ", train_mixture: [{set: more}]", "task dataset has no training examples");
    refused("", ", eval: {x: {path: elsewhere}}", "slice x: path, sets: one for all slices");
    refused(", sets: more", ", eval: {x: {valid: 0.5}}", "slice x: valid, test: one share for all slices");
}
END_TEST

START_TEST(sizes)
{
    if (absent()) return;
    put_set("d", N);
    refused("", ", train: {examples: 17}", "train.examples: 17, but task dataset has only 16 training examples");
    refused("", ", data: {valid: 3}", "data.valid: 3, but task dataset has only 2 validation examples");
    refused("", ", data: {test: 1024}", "data.test: 1024, but task dataset has only 2 test examples");
    refused(", valid: 0", "", "task dataset has no validation examples");
    refused(", test: 0", "", "task dataset has no test examples");
    ck_assert_int_eq(resolved("", ", train: {examples: 4}, data: {test: 1}").train.examples, 4);
}
END_TEST

/* The id of a run follows every file, and only what is in them. */
START_TEST(ids)
{
    static const char *const files[] = { "inputs.npy", "targets.npy", "lengths.npy", "slices.npy",
                                         "train_targets.npy" };
    int input[N * T], target[N * T], len[N];
    if (absent()) return;
    fill(input, target, len);
    put_set("d", N);
    put("d/slices.npy", 2, input, N, T);
    put("d/train_targets.npy", 2, target, N, T);
    const char *first = arena_strdup(made_arena, resolved("", "").id);
    int *const array[] = { input, target, len, input, target };
    for (int i = 0; i < 5; i++) {
        const char *file = arena_printf(made_arena, "d/%s", files[i]);
        const int rank = i == 2 ? 1 : 2, keep = array[i][5];
        ck_assert_str_eq(resolved("", "").id, first);
        array[i][5] = i == 2 ? 4 : 3; /* row 1, its first position */
        put(file, rank, array[i], N, T);
        ck_assert_msg(strcmp(resolved("", "").id, first) != 0, "%s does not change the id", files[i]);
        array[i][5] = keep;
        put(file, rank, array[i], N, T);
    }
    ck_assert_str_eq(resolved("", "").id, first);
}
END_TEST

/* So does the table of an automaton, and one that is drawn has the id it always had. */
START_TEST(ids_of_tables)
{
    static const char *const tables[] = { "table: [[0, 1], [1, 0]]\n", "table: [[0, 1], [1, 1]]\n" };
    const char *id[3];
    if (!task_find("automaton")) return;
    for (int i = 0; i < 3; i++) {
        RunSpec s;
        Value *config;
        Err err = { 0 };
        made_file(at("a.yaml"), i == 2 ? "# the first one again\ntable: [[0, 1], [1, 0]]\n" : tables[i]);
        const char *text = arena_printf(made_arena, "{task: {name: automaton, kind: file, file: %s}, mixer: %s}",
                                        at("a.yaml"), all_mixers[0]->name);
        ck_assert(yaml_parse("test", text, made_arena, &config, &err));
        ck_assert_msg(run_resolve(config, made_arena, &s, &err), "%s", err.msg);
        id[i] = arena_strdup(made_arena, s.id);
    }
    ck_assert_str_ne(id[0], id[1]);
    ck_assert_str_eq(id[0], id[2]);
}
END_TEST

/* ---- faults ------------------------------------------------------------------------------------------------------ */

static const struct {
    const char *file;
    int at, value; /* one number of it changed */
    const char *want;
} faults[] = {
    { "inputs.npy", 3 * T + 2, -4, "inputs.npy: row 3, position 2: id -4, not in 0..1048575" },
    { "inputs.npy", 3 * T + 2, 1 << 20, "inputs.npy: row 3, position 2: id 1048576, not in 0..1048575" },
    { "targets.npy", 2 * T, -2, "targets.npy: row 2, position 0: no class (or -1): -2" },
    { "targets.npy", 0 * T + 3, 1, "targets.npy: row 0, position 3: a target behind length 2" },
    { "targets.npy", 0 * T + 0, IGNORE, "targets.npy: row 0: no position is scored" },
    { "lengths.npy", 4, 0, "lengths.npy: row 4: length 0 of 5 positions" },
    { "lengths.npy", 4, 6, "lengths.npy: row 4: length 6 of 5 positions" },
    { "slices.npy", 2 * T, -3, "slices.npy: row 2, position 0: scored, but its slice is -3" },
    { "train_targets.npy", 0, IGNORE, "train_targets.npy: row 0: no position is scored" },
};

START_TEST(bad_numbers)
{
    int input[N * T], target[N * T], len[N];
    if (absent()) return;
    fill(input, target, len);
    put_set("d", N);
    const char *file = faults[_i].file;
    int *v = !strcmp(file, "lengths.npy") ? len : strstr(file, "target") ? target : input;
    v[faults[_i].at] = faults[_i].value;
    put(arena_printf(made_arena, "d/%s", file), v == len ? 1 : 2, v, N, T);
    refused("", "", faults[_i].want);
}
END_TEST

START_TEST(bad_files)
{
    int input[N * T], target[N * T], len[N];
    float real_input[N * T] = { 0 };
    const int64_t wide[N] = { 2, (int64_t)1 << 40 };
    Err err = { 0 };
    if (absent()) return;
    fill(input, target, len);
    refused("", "", "path: there is no folder");
    put_set("d", N);
    put("d/targets.npy", 2, target, N, T - 1);
    refused("", "", "targets.npy: its shape is not that of inputs.npy, 20 examples x 5 positions");
    put("d/targets.npy", 2, target, N, T);
    put("d/lengths.npy", 1, len, N - 1, 0);
    refused("", "", "lengths.npy: its shape is not that of inputs.npy, 20 examples");
    ck_assert(npy_write(at("d/lengths.npy"), NPY_I8, 1, (int[]){ N }, wide, &err));
    refused("", "", "lengths.npy: element 1 is 1099511627776, more than 32 bits hold");
    put("d/lengths.npy", 1, len, N, 0);
    ck_assert(npy_write(at("d/inputs.npy"), NPY_F4, 2, (int[]){ N, T }, real_input, &err));
    refused("", "", "inputs.npy: its dtype is f4, integers are needed");
    put("d/inputs.npy", 1, input, N, 0);
    refused("", "", "inputs.npy: examples x positions are needed");
    made_file(at("d/inputs.npy"), "index,position\n");
    refused("", "", "inputs.npy: not an .npy file (wrong magic)");
    put("d/inputs.npy", 2, input, N, T);
    made_file(at("d/meta.yaml"), "vocab_in: 20\nvocab_out: 18\n");
    refused("", "", "targets.npy: row 18, position 0: no class (or -1): 18");
    made_file(at("d/meta.yaml"), "vocab_in: many\n");
    refused("", "", "vocab_in");
    made_file(at("d/meta.yaml"), "headline: accuracy\n");
    refused("", "", "meta.yaml: headline 'accuracy' is not acc_token");
    made_file(at("d/meta.yaml"), "vocab_in: 30\nvocab_out: 40\nheadline: acc_exact\nchance_uniform: 0.5\n");
    RunSpec s = resolved("", "");
    ck_assert(s.vocab_in == 30 && s.vocab_out == 40 && !strcmp(run_headline(&s), "acc_exact"));
}
END_TEST

/* -100 is nothing to score, as in PyTorch; behind an example anything may stand in the inputs. */
START_TEST(other_conventions)
{
    int input[N * T], target[N * T], len[N];
    Batch b;
    if (absent()) return;
    fill(input, target, len);
    for (int i = 0; i < N * T; i++) {
        if (target[i] == IGNORE) target[i] = -100;
        if (i % T >= len[i / T]) input[i] = -1;
    }
    put_set("d", N);
    put("d/inputs.npy", 2, input, N, T);
    put("d/targets.npy", 2, target, N, T);
    RunSpec s = resolved("", "");
    batch_draw(&s, &s.slices[0], "test", 0, 0, 1, EVAL_GROUP, false, made_arena, &b); /* row 18, of 4 positions */
    const int want[] = { 18, IGNORE, 6, IGNORE }, in[] = { 18, 5, 6, 0 };
    ck_assert_int_eq(b.len[0], 4);
    ck_assert_mem_eq(b.target, want, sizeof want);
    ck_assert_mem_eq(b.input, in, sizeof in);
}
END_TEST

/* ---- exported and trained on ------------------------------------------------------------------------------------- */

static void export_split(const char *split, const char *seed, const char *count)
{
    static const Command *const commands[] = { &command_export, NULL };
    char *argv[] = { "seqprobe", "export",
                     "parity",   "len=8",
                     "--split",  arena_strdup(made_arena, split),
                     "--seed",   arena_strdup(made_arena, seed),
                     "--count",  arena_strdup(made_arena, count),
                     "--out",    arena_strdup(made_arena, at(arena_printf(made_arena, "d/%s", split))),
                     NULL };
    fflush(stdout);
    ck_assert_ptr_nonnull(freopen(at("out.txt"), "w", stdout));
    ck_assert_int_eq(cli_main(12, argv, commands), 0);
}

static uint64_t train_and_score(const RunSpec *s, Score *score)
{
    Model model;
    TrainOutcome o;
    Err err = { 0 };
    ck_assert_msg(model_build(&model, s, made_arena, &err), "%s", err.msg);
    Tape *tape = tape_new("test", false);
    train_loop(&model, tape, NULL, 0, NULL, made_arena, &o);
    ck_assert(evaluate(&model, &s->slices[0], "test", s->data.test, tape, made_arena, NULL, score));
    tape_free(tape);
    return hash_bytes(params_values(model.params), params_count(model.params) * sizeof(real), 0);
}

START_TEST(trains_as_the_task)
{
    static const char rest[] = "model: {d_model: 16}, train: {steps: 12, batch: 8, examples: 32, eval_every: 6}, "
                               "data: {valid: 16, test: 24}, seed: 3";
    RunSpec ours;
    Value *config;
    Err err = { 0 };
    Score a, b;
    if (absent() || !task_find("parity")) return;
    gemm_setup();
    real_setup();
    export_split("train", "3", "32");
    export_split("valid", "0", "16");
    export_split("test", "0", "24");
    const char *text =
        arena_printf(made_arena, "{task: {name: parity, len: 8}, mixer: %s, %s}", all_mixers[0]->name, rest);
    ck_assert(yaml_parse("test", text, made_arena, &config, &err) && run_resolve(config, made_arena, &ours, &err));
    RunSpec theirs = resolved("", arena_printf(made_arena, ", %s", rest));
    ck_assert(train_and_score(&ours, &a) == train_and_score(&theirs, &b));
    ck_assert(a.scored == 24 * 8 && a.scored == b.scored && a.correct == b.correct && a.exact == b.exact);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("dataset");
    TCase *c = tcase_create("dataset");
    tcase_set_timeout(c, 60);
    tcase_add_checked_fixture(c, made_setup, made_teardown);
    tcase_add_test(c, rows_and_epochs);
    tcase_add_test(c, folders_and_sets);
    tcase_add_test(c, sizes);
    tcase_add_test(c, ids);
    tcase_add_test(c, ids_of_tables);
    tcase_add_loop_test(c, bad_numbers, 0, (int)(sizeof faults / sizeof *faults));
    tcase_add_test(c, bad_files);
    tcase_add_test(c, other_conventions);
    tcase_add_test(c, trains_as_the_task);
    suite_add_tcase(suite, c);
    return suite_run(suite);
}
