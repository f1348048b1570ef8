/* SPDX-License-Identifier: Apache-2.0
 * test_export.c - exported sets are what runs see, and `score` counts predictions as evaluation does; for every task.
 */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/made.h"
#include "support/suite.h"
#include "support/task_case.h"
#include "train/batch.h"

enum { BATCH = 64, STEPS = 2, COUNT = BATCH * STEPS };

static const Command *const commands[] = { &command_export, &command_score, NULL };

/* Run a command line, words separated by blanks, '~' for a blank inside of one; what it prints. */
static char *run(const char *line, int *code)
{
    char *argv[64] = { "seqprobe" }, *out;
    int argc = 1, status;
    for (char *w = strtok(arena_strdup(made_arena, line), " "); w; w = strtok(NULL, " ")) argv[argc++] = w;
    for (int i = 1; i < argc; i++)
        for (char *c = argv[i]; (c = strchr(c, '~'));) *c = ' ';
    const char *path = path_join(made_arena, made_folder, "out.txt");
    pid_t pid = fork();
    ck_assert_int_ge(pid, 0);
    if (pid == 0) {
        if (!freopen(path, "w", stdout) || !freopen(path, "a", stderr)) _exit(99);
        const int end = cli_main(argc, argv, commands);
        fflush(stderr);
        _exit(end);
    }
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    Err err = { 0 };
    ck_assert_msg(file_read(path, 1 << 24, made_arena, &out, NULL, &err), "%s", err.msg);
    *code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return out;
}

static char *must(const char *line)
{
    int code;
    char *out = run(line, &code);
    ck_assert_msg(code == 0, "%s: exit code %d: %s", line, code, out);
    return out;
}

static const char *at(const char *name) { return path_join(made_arena, made_folder, name); }

/* An exported set in memory. */
typedef struct Set {
    int n, T, *input, *target, *train, *slice_of, *len;
} Set;

static int *read_ints(const char *dir, const char *name, int *n, int *T)
{
    NpyReader r;
    Err err = { 0 };
    const char *path = path_join(made_arena, dir, name);
    if (!file_exists(path)) return NULL;
    ck_assert_msg(npy_open(path, &r, &err), "%s", err.msg);
    int *v = ARENA_NEW(made_arena, int, r.is.count);
    ck_assert_msg(npy_ints(&r, r.is.count, v, &err), "%s", err.msg);
    *n = r.is.dim[0];
    if (r.is.rank == 2) *T = r.is.dim[1];
    npy_close(&r);
    return v;
}

static Set read_set(const char *dir)
{
    Set s;
    s.input = read_ints(dir, "inputs.npy", &s.n, &s.T);
    s.target = read_ints(dir, "targets.npy", &s.n, &s.T);
    s.train = read_ints(dir, "train_targets.npy", &s.n, &s.T);
    s.slice_of = read_ints(dir, "slices.npy", &s.n, &s.T);
    s.len = read_ints(dir, "lengths.npy", &s.n, &s.T);
    ck_assert(s.input && s.target && s.len);
    return s;
}

/* Rows from.. of the set against a batch; what lies behind an example is padding. */
static void same_rows(const Set *s, int from, const Batch *b, const int *targets, const char *what)
{
    for (int i = 0; i < b->n; i++) {
        const size_t mine = (size_t)(from + i) * (size_t)s->T, theirs = (size_t)i * (size_t)b->stride;
        ck_assert_msg(s->len[from + i] == b->len[i], "%s: example %d: length %d, not %d", what, from + i,
                      s->len[from + i], b->len[i]);
        for (int t = 0; t < s->T; t++) {
            const bool in = t < b->len[i];
            ck_assert_msg(s->input[mine + (size_t)t] == (in ? b->input[theirs + (size_t)t] : 0),
                          "%s: example %d: input %d", what, from + i, t);
            ck_assert_msg(targets[mine + (size_t)t] == (in ? b->target[theirs + (size_t)t] : IGNORE),
                          "%s: example %d: target %d", what, from + i, t);
            if (s->slice_of)
                ck_assert_msg(s->slice_of[mine + (size_t)t] == (in ? b->slice_of[theirs + (size_t)t] : IGNORE),
                              "%s: example %d: slice %d", what, from + i, t);
        }
    }
}

/* A run of a task, resolved; false where the task has no defaults (it reads a file). */
static bool resolve(const char *text, RunSpec *spec)
{
    Value *config;
    Err err = { 0 };
    const char *mixer = all_mixers[0]->name;
    text = arena_printf(made_arena, "{%s, mixer: %s, train: {batch: %d}, seed: 3, data: {eval_seed: 5}}", text, mixer,
                        BATCH);
    ck_assert_msg(yaml_parse("test", text, made_arena, &config, &err), "%s", err.msg);
    const bool ok = run_resolve(config, made_arena, spec, &err);
    ck_assert_msg(ok || err.code == EXIT_USAGE, "%s: %s", text, err.msg);
    return ok;
}

static void check_run(const char *yaml, const char *line)
{
    RunSpec spec;
    Batch b;
    if (!resolve(yaml, &spec)) return;
    must(arena_printf(made_arena, "export %s --count %d --seed 3 --batch %d --out %s --force", line, COUNT, BATCH,
                      at("a")));
    must(arena_printf(made_arena, "export %s --count %d --seed 5 --split test --out %s --force", line, COUNT, at("b")));
    Set train = read_set(at("a")), test = read_set(at("b"));
    ck_assert_int_eq(train.n, COUNT);
    for (int step = 0; step < STEPS; step++) {
        batch_train(&spec, step, made_arena, &b);
        same_rows(&train, step * BATCH, &b, train.train ? train.train : train.target, line);
    }
    batch_draw(&spec, &spec.slices[0], "test", spec.data.eval_seed, 0, COUNT, EVAL_GROUP, false, made_arena, &b);
    same_rows(&test, 0, &b, test.target, line);
    int longest = 0;
    for (int i = 0; i < test.n; i++)
        if (test.len[i] > longest) longest = test.len[i];
    ck_assert_int_eq(test.T, longest);
}

START_TEST(is_what_runs_see)
{
    const char *name = all_tasks[_i]->name;
    check_run(arena_printf(made_arena, "task: %s", name), name);
}
END_TEST

/* Lengths that differ from batch to batch, and training that asks for something else. */
START_TEST(laws_and_training_targets)
{
    if (task_find("parity")) check_run("task: {name: parity, len: [2, 40]}", "parity len=[2,40]");
    if (task_find("flip_flop"))
        check_run("task: {name: flip_flop, len: {set: [8, 64]}, score: all}", "flip_flop len={set:~[8,64]} score=all");
}
END_TEST

/* Any piece of a set is the same examples. */
START_TEST(pieces)
{
    if (!task_find("parity")) return;
    must(arena_printf(made_arena, "export parity len=[2,40] --count 300 --width 41 --out %s", at("a")));
    must(arena_printf(made_arena, "export parity len=[2,40] --count 50 --index 90 --width 41 --out %s", at("b")));
    Set a = read_set(at("a")), b = read_set(at("b"));
    ck_assert_int_eq(a.T, 41);
    ck_assert_mem_eq(a.input + 90 * 41, b.input, 50 * 41 * sizeof(int));
    ck_assert_mem_eq(a.target + 90 * 41, b.target, 50 * 41 * sizeof(int));
    ck_assert_mem_eq(a.len + 90, b.len, 50 * sizeof(int));
}
END_TEST

/* ---- score ------------------------------------------------------------------------------------------------------ */

static void write_ids(const char *name, const Set *s, const int *pred, bool wide)
{
    Err err = { 0 };
    const size_t cells = (size_t)s->n * (size_t)s->T;
    int64_t *v = ARENA_NEW(made_arena, int64_t, cells);
    for (size_t i = 0; i < cells; i++) v[i] = pred[i];
    ck_assert_msg(npy_write(at(name), wide ? NPY_I8 : NPY_I4, 2, (int[]){ s->n, s->T },
                            wide ? (const void *)v : (const void *)pred, &err),
                  "%s", err.msg);
}

/* The accuracies of a table of `score --format csv`. */
static void check_table(const char *csv, const double *want, const char *what)
{
    static const char *const metric[] = { "acc_token", "acc_mean", "acc_exact", "acc_final", "acc_macro" };
    Csv c;
    Err err = { 0 };
    ck_assert_msg(csv_parse("score", csv, made_arena, &c, &err), "%s: %s", err.msg, csv);
    for (int i = 0; i < 5; i++) {
        ck_assert_str_eq(csv_get(&c, i, "metric"), metric[i]);
        const double value = csv_num(&c, i, "value");
        ck_assert_msg(fabs(value - want[i]) < 1e-8, "%s: %s %.10g, expected %.10g", what, metric[i], value, want[i]);
    }
}

/* The accuracies of predictions, counted here, and of the commonest class. */
static void count(const Set *s, const int *pred, int classes, double *acc)
{
    double *n = ARENA_NEW(made_arena, double, classes), *ok = ARENA_NEW(made_arena, double, classes);
    double scored = 0, hits = 0, seen = 0;
    memset(acc, 0, 5 * sizeof *acc);
    for (int i = 0; i < s->n; i++) {
        double row = 0, right = 0, last = 0;
        for (int t = 0; t < s->len[i]; t++) {
            const int y = s->target[i * s->T + t];
            if (y < 0) continue;
            last = pred[i * s->T + t] == y;
            row++, right += last, n[y]++, ok[y] += last;
        }
        scored += row, hits += right;
        acc[1] += right / row / s->n;
        acc[2] += (right == row) / (double)s->n;
        acc[3] += last / s->n;
    }
    acc[0] = hits / scored;
    for (int k = 0; k < classes; k++)
        if (n[k] > 0) acc[4] += ok[k] / n[k], seen++;
    acc[4] /= seen;
}

static const double all_right[5] = { 1, 1, 1, 1, 1 };

START_TEST(counts_as_evaluation)
{
    const Task *task = all_tasks[_i];
    TaskCase c;
    Err err = { 0 };
    double want[5];
    if (!task_open(task, NULL, made_arena, &c, &err)) return;
    must(arena_printf(made_arena, "export %s --count %d --split test --out %s", task->name, COUNT, at("a")));
    Set s = read_set(at("a"));
    int *pred = ARENA_NEW(made_arena, int, s.n *s.T);
    const char *line = arena_printf(made_arena, "score --data %s --predictions %s --format csv", at("a"), at("p.npy"));
    for (int i = 0; i < s.n; i++) task->solve(c.cfg, c.data, s.input + i * s.T, s.len[i], pred + i * s.T);
    write_ids("p.npy", &s, pred, true);
    if (c.shape.ceiling >= 1) check_table(must(line), all_right, task->name);
    Rng rng = rng_named(1, task->name); /* some of them wrong, in rows with several targets and in rows with one */
    int wrong = 0;
    for (int i = 0; i < s.n * s.T; i++)
        if (s.target[i] != IGNORE && rng_below(&rng, 5) == 0) {
            pred[i] = (s.target[i] + 1 + (int)rng_below(&rng, (uint32_t)c.shape.vocab_out - 1)) % c.shape.vocab_out;
            wrong++;
        } else if (s.target[i] == IGNORE)
            pred[i] = -7; /* nobody looks */
    ck_assert_int_gt(wrong, 0);
    write_ids("p.npy", &s, pred, false);
    count(&s, pred, c.shape.vocab_out, want);
    ck_assert(want[0] < 1 && want[0] > 0);
    check_table(must(line), want, task->name);
}
END_TEST

/* Logits: the first of the greatest. In both precisions. */
START_TEST(logits)
{
    enum { V = 2 };
    Err err = { 0 };
    double want[5];
    if (!task_find("parity")) return;
    must(arena_printf(made_arena, "export parity len=[2,9] --count 40 --out %s", at("a")));
    Set s = read_set(at("a"));
    const int cells = s.n * s.T;
    int *pred = ARENA_NEW(made_arena, int, cells);
    float *f4 = ARENA_NEW(made_arena, float, cells *V);
    double *f8 = ARENA_NEW(made_arena, double, cells *V);
    Rng rng = rng_named(1, "logits");
    for (int i = 0; i < cells; i++) {
        for (int k = 0; k < V; k++)
            f8[i * V + k] = (double)rng_below(&rng, 4) - 2, f4[i * V + k] = (float)f8[i * V + k];
        pred[i] = f8[i * V + 1] > f8[i * V];
    }
    count(&s, pred, V, want);
    const char *line = arena_printf(made_arena, "score parity --data %s -p %s -f csv", at("a"), at("p.npy"));
    ck_assert(npy_write(at("p.npy"), NPY_F4, 3, (int[]){ s.n, s.T, V }, f4, &err));
    check_table(must(line), want, "float");
    ck_assert(npy_write(at("p.npy"), NPY_F8, 3, (int[]){ s.n, s.T, V }, f8, &err));
    check_table(must(line), want, "double");
}
END_TEST

int main(void)
{
    int tasks = 0;
    while (all_tasks[tasks]) tasks++;
    Suite *suite = suite_create("export");
    TCase *c = tcase_create("export");
    tcase_set_timeout(c, 120);
    tcase_add_checked_fixture(c, made_setup, made_teardown);
    tcase_add_loop_test(c, is_what_runs_see, 0, tasks);
    tcase_add_test(c, laws_and_training_targets);
    tcase_add_test(c, pieces);
    tcase_add_loop_test(c, counts_as_evaluation, 0, tasks);
    tcase_add_test(c, logits);
    suite_add_tcase(suite, c);
    return suite_run(suite);
}
