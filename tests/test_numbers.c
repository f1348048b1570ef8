/* SPDX-License-Identifier: Apache-2.0
 * test_numbers.c - every mixer trains 20 steps on one task; its weights afterwards are compared with a stored hash.
 *
 * tests/golden/numbers.hash has lines `machine <tab> mixer <tab> task <tab> hash`, machine being a hash of compiler,
 * flags and product library, since these move the last bits. A changed hash on a known machine means that numbers
 * changed: raise the mixer's or task's VERSION, or NUMBERS_EPOCH, and replace the line by the one printed. On an
 * unknown machine the lines to add are printed with SEQPROBE_PRINT_NUMBERS=1 and nothing is compared.
 *
 * A mixer's task is the one whose name hashes highest together with its own, so that a new task moves few mixers.
 * With the argument --all every pair of task and mixer is trained (make test-long).
 */
#include <check.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "support/suite.h"
#include "train/loop.h"

static const char STORED[] = "tests/golden/numbers.hash";
static Arena *arena;
static void setup(void) { arena = arena_new("test"); }
static void teardown(void) { arena_free(arena); }

static const char *machine(void)
{
#ifdef __clang__
    const char *text = arena_printf(arena, "clang %s %s %s", __clang_version__, SEQPROBE_BUILD_FLAGS, gemm_name());
#else
    const char *text = arena_printf(arena, "gcc %s %s %s", __VERSION__, SEQPROBE_BUILD_FLAGS, gemm_name());
#endif
    return arena_printf(arena, "%012" PRIx64, hash_bytes(text, strlen(text), 0) >> 16);
}

/* Does it run without a file? */
static bool opens(const Task *t)
{
    RunSpec s;
    Err none = { 0 };
    Value *v = value_map(arena);
    value_set(v, "task", value_scalar(arena, t->name));
    value_set(v, "mixer", value_scalar(arena, all_mixers[0]->name));
    return run_resolve(v, arena, &s, &none);
}

static const Task *task_of(const Mixer *m)
{
    const Task *best = NULL;
    uint64_t top = 0;
    for (int i = 0; all_tasks[i]; i++) {
        const char *pair = arena_printf(arena, "%s/%s", m->name, all_tasks[i]->name);
        uint64_t h = mix64(fnv1a64(pair));
        if ((best && h <= top) || !opens(all_tasks[i])) continue;
        best = all_tasks[i];
        top = h;
    }
    return best;
}

/* Train 20 steps; the hash of all weights. Fails the test when a loss or weight is not finite. */
static uint64_t train_pair(const Mixer *m, const Task *t)
{
    RunSpec s;
    Err err = { 0 };
    Value *v = value_map(arena);
    value_set(v, "task", value_scalar(arena, t->name));
    value_set(v, "mixer", value_scalar(arena, m->name));
    static const char *const set[][2] = { { "model.d_model", "16" },    { "train.steps", "20" },
                                          { "train.batch", "16" },      { "train.lr", "0.01" },
                                          { "train.eval_every", "20" }, { "data.valid", "8" } };
    for (size_t i = 0; i < sizeof set / sizeof *set; i++)
        ck_assert(value_put(arena, v, set[i][0], value_scalar(arena, set[i][1]), &err));
    ck_assert_msg(run_resolve(v, arena, &s, &err), "%s", err.msg);
    Model model;
    TrainOutcome o;
    ck_assert_msg(model_build(&model, &s, arena, &err), "%s", err.msg);
    Tape *tape = tape_new("eval", false);
    train_loop(&model, tape, NULL, 0, NULL, arena, &o);
    tape_free(tape);
    ck_assert_msg(!strcmp(o.status, "ok"), "%s on %s: %s %s", m->name, t->name, o.status, o.message);
    ck_assert_int_eq(o.skipped, 0);
    ck_assert_msg(isfinite(o.train_loss) && isfinite(o.valid_loss), "%s on %s: loss %g", m->name, t->name,
                  o.train_loss);
    const real *x = params_values(model.params);
    for (size_t i = 0; i < params_count(model.params); i++) ck_assert(isfinite(x[i]));
    return hash_bytes(x, params_count(model.params) * sizeof(real), 0);
}

/* The stored line of this machine and mixer, or NULL. */
static const char *stored(const char *text, const char *who, const char *mixer)
{
    const char *start = arena_printf(arena, "%s\t%s\t", who, mixer);
    for (const char *line = text; line && *line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL)
        if (!strncmp(line, start, strlen(start))) return line;
    return NULL;
}

START_TEST(numbers_are_those_stored)
{
    const Mixer *m = all_mixers[_i];
    char *text;
    Err err = { 0 };
    if (!file_read(STORED, 1 << 20, arena, &text, NULL, &err)) text = arena_strdup(arena, "");
    const char *line = stored(text, machine(), m->name);
    const Task *t = task_of(m);
    if (line) { /* the task of the line, whatever tasks have come since */
        const char *task = strchr(strchr(line, '\t') + 1, '\t') + 1;
        t = task_find(arena_printf(arena, "%.*s", (int)strcspn(task, "\t"), task));
    }
    if (!t) return; /* not built: nothing to compare */
    const char *now = arena_printf(arena, "%s\t%s\t%s\t%016" PRIx64, machine(), m->name, t->name, train_pair(m, t));
    if (getenv("SEQPROBE_PRINT_NUMBERS")) printf("%s\n", now);
    if (!line) return;
    size_t n = strcspn(line, "\n");
    ck_assert_msg(n == strlen(now) && !strncmp(line, now, n), "numbers changed: stored %.*s, now %s", (int)n, line,
                  now);
}
END_TEST

START_TEST(every_pair_trains)
{
    for (int i = 0; all_tasks[i]; i++)
        if (opens(all_tasks[i])) train_pair(all_mixers[_i], all_tasks[i]);
}
END_TEST

int main(int argc, char **argv)
{
    int mixers = 0;
    while (all_mixers[mixers]) mixers++;
    const bool all = argc > 1 && !strcmp(argv[1], "--all");
    gemm_setup();
    real_setup();
    Suite *s = suite_create("numbers");
    TCase *t = tcase_create("numbers");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_set_timeout(t, 600);
    if (all)
        tcase_add_loop_test(t, every_pair_trains, 0, mixers);
    else
        tcase_add_loop_test(t, numbers_are_those_stored, 0, mixers);
    suite_add_tcase(s, t);
    return suite_run(s);
}
