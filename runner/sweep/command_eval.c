/* SPDX-License-Identifier: Apache-2.0
 * command_eval.c - `seqprobe eval`: measure the weights of a finished run on other task options, at any length.
 *
 * Columns: metric, value, lo, hi (Wilson's 95 % interval), n (what the proportion is of).
 */
#include <string.h>

#include "sweep/sweep.h"
#include "train/results.h"

/* %.9g; empty for what is no number. */
static const char *real_cell(Arena *a, double v)
{
    Buf b = buf_new(a);
    buf_real(&b, v);
    return b.len ? b.s : "";
}

static int run(Cli *cli, Err *err)
{
    Arena *a = cli->arena;
    Value *config;
    RunSpec spec;
    Model model;
    if (cli->n_args != 1) {
        err_set(err, EXIT_USAGE, "eval: one run folder expected");
        return EXIT_USAGE;
    }
    if (!yaml_read(path_join(a, cli->args[0], "config.yaml"), a, &config, err)) return EXIT_USAGE;
    Value *over = value_map(a), *eval = value_map(a);
    for (int i = 0; i < cli->n_sets; i++) { /* task options of the slice to measure */
        const char *eq = strchr(cli->sets[i], '=');
        char *key = arena_strdup(a, cli->sets[i]);
        key[eq - cli->sets[i]] = 0;
        Value *v;
        if (!yaml_parse("command line", eq + 1, a, &v, err)) return EXIT_USAGE;
        value_set(over, !strncmp(key, "task.", 5) ? key + 5 : key, v);
    }
    value_set(eval, "asked", over);
    Value *keep = value_get(config, "eval");
    value_set(config, "eval", keep ? value_merge(a, keep, eval) : eval);
    if (!value_put(a, config, "data.chunk", value_scalar(a, arena_printf(a, "%d", cli_int(cli, "chunk"))), err))
        return EXIT_USAGE;
    if (!run_resolve(config, a, &spec, err) || !model_build(&model, &spec, a, err)) return EXIT_USAGE;
    if (!weights_read(model.params, cli->args[0], a, err)) return EXIT_FAILED;
    Tape *tape = tape_new("evaluation", false);
    Score score;
    const Slice *slice = run_slice(&spec, "asked");
    const double began = cpu_seconds();
    params_bind(model.params, NULL);
    evaluate(&model, slice, "test", cli_int(cli, "number"), tape, a, NULL, &score);
    static const char *const metric[] = { "acc_token", "acc_mean", "acc_exact", "acc_final", "acc_macro" };
    static const char *const head[] = { "metric", "value", "lo", "hi", "n" };
    Grid g = grid_new(a, 5, head, "lrrrr");
    for (int i = 0; i < 5; i++) {
        double v = score_value(&score, metric[i]), lo, hi;
        wilson(v, score_count(&score, metric[i]), &lo, &hi);
        const char **row = grid_row(&g);
        row[0] = metric[i];
        row[1] = real_cell(a, v);
        row[2] = real_cell(a, lo);
        row[3] = real_cell(a, hi);
        row[4] = arena_printf(a, "%ld", score_count(&score, metric[i]));
    }
    grid_print(&g, cli_format(cli));
    fprintf(stderr, "%ld examples of up to %d positions, %ld scored; %.1f CPU s, tape at most %.1f MB\n",
            score.examples, slice->shape.max_len, score.scored, cpu_seconds() - began,
            (double)arena_peak(tape->arena) / 1e6);
    tape_free(tape);
    return EXIT_OK;
}

static const Flag flags[] = {
    { "number", 'n', FLAG_INT, "64", "N", "test examples" },
    { "chunk", 0, FLAG_INT, "2048", "T", "positions per chunk; state is carried from chunk to chunk" },
    FLAG_FORMAT,
    FLAG_END,
};

const Command command_eval = {
    .name = "eval",
    .synopsis = "RUN_DIR [key=value ...] [-n N] [--format csv]",
    .summary = "measure a finished run on other task options, at any length",
    .description =
        "examples:\n"
        "  seqprobe eval results/runs/r0123456789ab len=1000000 -n 1\n"
        "\n"
        "Reads RUN_DIR/weights.npy and evaluates the task with the given options on the test split, chunk by chunk\n"
        "through carried state.\n",
    .flags = flags,
    .run = run,
};
