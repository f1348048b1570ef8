/* SPDX-License-Identifier: Apache-2.0
 * bench_tasks.c - speed of every task's generator and solver at the defaults, and what data cost beside training.
 *
 *   build/.../bench/tasks [CPU milliseconds per line] [task [{options}]]      default 200; make bench runs all
 *
 * One core, CPU time of the process. "batch" is the time to draw a training batch as the trainer does (64 examples),
 * as a share of a whole training step on it with the cheapest mixer in the default backbone, both measured here, one
 * after the other; 2 % is the most it should be, and lines above are marked. The cheapest mixer is found first, by
 * training each for some steps. Timings vary on a shared host: compare lines of one run.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../support/task_case.h"
#include "train/backbone.h"
#include "train/batch.h"
#include "train/loop.h"

static const double SHARE = 0.02;

static double cpu_ms(void) { return 1e3 * cpu_seconds(); }

/* A run of `steps` updates of a task with a mixer, all else at its default. False with a message if it is refused. */
static bool open_run(const char *task, const char *settings, const char *mixer, int steps, Arena *a, RunSpec *out,
                     Err *err)
{
    Value *config;
    const char *more = settings && strspn(settings, "{ }") < strlen(settings) ? strchr(settings, '{') + 1 : "}";
    char *text = arena_printf(a,
                              "{task: {name: %s, %s, mixer: %s, train: {steps: %d, eval_every: %d, stop_at: 2}, "
                              "data: {valid: 1, test: 1}}",
                              task, more, mixer, steps, steps);
    return (config = value_parse(a, text, err)) && run_resolve(config, a, out, err);
}

/* CPU milliseconds of one training step, batch included; negative if the run is refused. */
static double time_step(const char *task, const char *settings, const char *mixer, int steps, Err *err)
{
    Arena *a = arena_new("run");
    RunSpec spec;
    Model model;
    TrainOutcome outcome = { 0 };
    double ms = -1;
    if (open_run(task, settings, mixer, steps, a, &spec, err) && model_build(&model, &spec, a, err)) {
        Tape *eval = tape_new("eval", false);
        double start = cpu_ms();
        train_loop(&model, eval, NULL, 0, NULL, a, &outcome);
        ms = (cpu_ms() - start) / outcome.steps_done;
        tape_free(eval);
    }
    arena_free(a);
    return ms;
}

/* As often as fits into about `ms`, after one to warm up. */
static double time_steps(const char *task, const char *settings, const char *mixer, double ms, Err *err)
{
    double once = time_step(task, settings, mixer, 1, err);
    if (once < 0) return once;
    int steps = (int)(ms / once);
    return time_step(task, settings, mixer, steps < 2 ? 2 : steps, err);
}

/* CPU milliseconds of one training batch of the same run. */
static double time_batch(const char *task, const char *settings, const char *mixer, double ms, Err *err)
{
    Arena *a = arena_new("run"), *batch = arena_new("batch");
    RunSpec spec;
    Batch b;
    double start = 0, spent = -1;
    int n = 0;
    if (open_run(task, settings, mixer, 1, a, &spec, err)) {
        batch_train(&spec, n, batch, &b); /* memory is touched for the first time */
        start = cpu_ms();
        do {
            arena_reset(batch, 0);
            batch_train(&spec, n++, batch, &b);
            spent = cpu_ms() - start;
        } while (spent < ms);
        spent /= n;
    }
    arena_free(batch);
    arena_free(a);
    return spent;
}

static const char *find_cheapest(double ms)
{
    const char *best = NULL;
    double least = 0;
    for (int i = 0; all_mixers[i]; i++) {
        Err err = { 0 };
        double step = time_steps(all_tasks[0]->name, NULL, all_mixers[i]->name, ms, &err);
        if (step < 0 || (best && step >= least)) continue;
        best = all_mixers[i]->name;
        least = step;
    }
    return best;
}

/* Not a task that needs a file. */
static bool opens(const Task *task)
{
    Arena *a = arena_new("bench");
    TaskCase c;
    Err none = { 0 };
    const bool ok = task_open(task, NULL, a, &c, &none);
    arena_free(a);
    return ok;
}

/* The clock is read every 64 examples only. */
static bool bench(const Task *task, const char *settings, const char *mixer, double ms)
{
    Arena *a = arena_new("bench");
    TaskCase c;
    Err err = { 0 };
    double start, drawn = 0, spent = 0, share = -1;
    long n = 0, positions = 0, solved = 0;
    bool ok = task_open(task, settings, a, &c, &err);
    for (start = cpu_ms(); ok && drawn < ms; drawn = cpu_ms() - start)
        for (int i = 0; i < 64; i++, n++) task_draw(&c, (uint64_t)n), positions += c.e.len;
    for (start = cpu_ms(); ok && spent < ms / 4; spent = cpu_ms() - start)
        for (int i = 0, wrong; i < 64; i++, solved++) task_solve(&c, &wrong);
    if (ok) {
        double step = time_steps(task->name, settings, mixer, 2 * ms, &err);
        share = step < 0 ? -1 : time_batch(task->name, settings, mixer, ms / 2, &err) / step;
        ok = step >= 0;
    }
    if (ok)
        printf("%-20s %8d %12.0f %12.2f %12.0f %10.2f %%%s\n", task->name, c.shape.max_len, 1e3 * (double)n / drawn,
               1e-3 * (double)positions / drawn, 1e3 * (double)solved / spent, 100 * share, share > SHARE ? "  *" : "");
    else
        fprintf(stderr, "%s\n", err.msg);
    fflush(stdout);
    arena_free(a);
    return ok;
}

int main(int argc, char **argv)
{
    double ms = argc > 1 ? atof(argv[1]) : 200;
    const Task *only = argc > 2 ? task_find(argv[2]) : NULL;
    bool ok = true;
    if (argc > 2 && !only) {
        fprintf(stderr, "no task '%s'\n", argv[2]);
        return EXIT_FAILURE;
    }
    const char *mixer = all_tasks[0] ? find_cheapest(ms) : NULL;
    if (!mixer) {
        fprintf(stderr, "nothing to train: no task or no mixer is built\n");
        return EXIT_FAILURE;
    }
    printf("cheapest mixer: %s, default backbone\n%-20s %8s %12s %12s %12s %12s\n", mixer, "task", "max_len",
           "examples/s", "Mpositions/s", "solved/s", "batch/step");
    if (only) return bench(only, argc > 3 ? argv[3] : NULL, mixer, ms) ? EXIT_SUCCESS : EXIT_FAILURE;
    for (int i = 0; all_tasks[i]; i++)
        if (opens(all_tasks[i])) ok &= bench(all_tasks[i], NULL, mixer, ms);
    printf("* more than %g %% of a step\n", 100 * SHARE);
    return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
