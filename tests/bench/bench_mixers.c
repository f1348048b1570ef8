/* SPDX-License-Identifier: Apache-2.0
 * bench_mixers.c - training steps per second of every mixer in the default backbone: width 64, 64 sequences of 256.
 *
 *   build/.../bench/mixers [rounds] [mixer or {name: mixer, option: value, ...}] ...     default 3 rounds, all mixers
 *
 * A step is what a run does: draw the batch, forward, backward, clip, update, on one core; CPU time of the process.
 * Every round trains every mixer once, 1 and 1 + STEPS updates, whose difference leaves out setting up; medians over
 * rounds. "times" is the time of a step over that of the fastest mixer of the same rounds. State: reals that one layer
 * keeps of a sequence after 256 positions. Timings vary on a shared host: compare lines of one run.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "train/backbone.h"
#include "train/loop.h"

enum { WIDTH = 64, BATCH = 64, LENGTH = 256, STEPS = 3, ROUNDS_MAX = 101, ROWS_MAX = 512 };

typedef struct Row {
    const char *spec;
    double s[ROUNDS_MAX]; /* seconds per step */
    double state, params; /* of one layer; of the model */
} Row;

/* A run of `steps` updates; false with a message if the mixer refuses it. */
static bool open_run(const char *mixer, int steps, Arena *a, RunSpec *out, Model *model, Err *err)
{
    const char *text = arena_printf(a,
                                    "{task: {name: majority, len: %d}, mixer: %s, model: {d_model: %d}, "
                                    "train: {batch: %d, steps: %d, eval_every: %d, stop_at: 2}, data: {valid: 1}}",
                                    LENGTH, mixer, WIDTH, BATCH, steps, steps);
    Value *config = value_parse(a, text, err);
    return config && run_resolve(config, a, out, err) && model_build(model, out, a, err);
}

/* CPU seconds of training for `steps` updates; negative if it is refused. */
static double train_seconds(Row *row, int steps, Err *err)
{
    Arena *a = arena_new("run");
    RunSpec spec;
    Model model;
    TrainOutcome outcome = { 0 };
    double s = -1;
    if (open_run(row->spec, steps, a, &spec, &model, err)) {
        Tape *eval = tape_new("eval", false);
        double start = cpu_seconds();
        train_loop(&model, eval, NULL, 0, NULL, a, &outcome);
        s = cpu_seconds() - start;
        row->state = (double)model_state_reals(&model, eval, LENGTH) / (spec.model.layers * spec.model.loops);
        row->params = (double)params_count(model.params);
        tape_free(eval);
    }
    arena_free(a);
    return s;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int by_median(const void *a, const void *b)
{
    const Row *x = a, *y = b;
    return by_value(x->s, y->s);
}

static bool measure(Row *rows, int n, int rounds)
{
    for (int round = 0; round < rounds; round++)
        for (int i = 0; i < n; i++) {
            Err err = { 0 };
            double one = train_seconds(&rows[i], 1, &err), more = train_seconds(&rows[i], 1 + STEPS, &err);
            if (one < 0 || more < 0) return fprintf(stderr, "%s: %s\n", rows[i].spec, err.msg), false;
            rows[i].s[round] = (more - one) / STEPS;
        }
    for (int i = 0; i < n; i++) {
        qsort(rows[i].s, (size_t)rounds, sizeof *rows[i].s, by_value);
        rows[i].s[0] = rows[i].s[rounds / 2];
    }
    qsort(rows, (size_t)n, sizeof *rows, by_median);
    return true;
}

/* The arguments: rounds, if the first is a number, and mixers, if any; returns how many rows, 0 if they are wrong. */
static int list_rows(Row *rows, int argc, char **argv, int *rounds)
{
    int n = 0, first = 1;
    *rounds = 3;
    if (argc > 1 && strspn(argv[1], "0123456789") == strlen(argv[1])) *rounds = atoi(argv[first++]);
    for (int i = first; i < argc && n < ROWS_MAX; i++) rows[n++].spec = argv[i];
    for (int i = 0; first == argc && all_mixers[i] && n < ROWS_MAX; i++) rows[n++].spec = all_mixers[i]->name;
    return *rounds >= 1 && *rounds <= ROUNDS_MAX ? n : 0;
}

int main(int argc, char **argv)
{
    static Row rows[ROWS_MAX];
    int rounds, n = list_rows(rows, argc, argv, &rounds);
    if (n == 0) return fprintf(stderr, "usage: mixers [rounds, 1 to %d] [mixer ...]\n", ROUNDS_MAX), EXIT_USAGE;
    real_setup();
    gemm_setup();
    if (!measure(rows, n, rounds)) return EXIT_USAGE;
    printf("d %d, B %d, L %d, %d-bit reals, medians of %d\n", WIDTH, BATCH, LENGTH, REAL_BITS, rounds);
    printf("%-36s %8s %8s %6s %8s %8s\n", "mixer", "steps/s", "ms/step", "times", "state", "params");
    for (int i = 0; i < n; i++)
        printf("%-36s %8.2f %8.1f %6.2f %8.0f %8.0f\n", rows[i].spec, 1 / rows[i].s[0], 1e3 * rows[i].s[0],
               rows[i].s[0] / rows[0].s[0], rows[i].state, rows[i].params);
    return EXIT_OK;
}
