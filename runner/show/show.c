/* SPDX-License-Identifier: Apache-2.0
 * show.c - `seqprobe show TASK`: a few examples one can read; `seqprobe sample TASK`: the same numbers as data.
 *
 * Both draw through train/batch.h, so example i is exactly the one a run with this seed, split and slice sees.
 */
#include "show/show.h"
#include "base/value.h"
#include "train/batch.h"

#include <string.h>

typedef struct Draw {
    TaskUse use;
    Batch batch;
    int first;
} Draw;

/* Read the common flags, open the task, draw the examples asked for. */
static bool draw_examples(const Cli *c, int n, Draw *out, Err *err)
{
    const char *split = cli_string(c, "split"), *slice_name = cli_string(c, "slice");
    int seed = cli_int(c, "seed"), table_seed = cli_int(c, "table-seed"), index = cli_int(c, "index");
    if (c->n_args != 1)
        return err_set(err, EXIT_USAGE, "usage: seqprobe %s %s", c->command->name, c->command->synopsis);
    if (seed < 0 || index < 0 || table_seed < 0)
        return err_set(err, EXIT_USAGE, "--seed, --table-seed and --index start at 0");
    if (n < 1 || n > 1000000) return err_set(err, EXIT_USAGE, "-n: %d is not in 1..1000000", n);
    TRY(task_open(c->args[0], c->n_sets, c->sets, (uint64_t)table_seed, c->arena, &out->use, err));
    TaskUse *use = &out->use;
    RunSpec spec = { .task = use->task, .task_data = use->data };
    Slice slice = { .name = slice_name, .cfg = use->cfg, .shape = use->shape };
    TrainCfg train;
    TRY(options_read(train_options, NULL, "train", NULL, &train, c->arena, err));
    int group = !strcmp(split, "train") ? train.batch : EVAL_GROUP;
    out->first = index;
    batch_draw(&spec, &slice, split, (uint64_t)seed, (uint64_t)index, n, group, false, c->arena, &out->batch);
    return true;
}

/* ---- show ---- */

static const char *symbol_of(Arena *a, const TaskUse *use, int id, bool is_target)
{
    char buf[32];
    if (id == IGNORE) return ".";
    const char *s = use->task->symbol ? use->task->symbol(use->cfg, use->data, id, is_target, buf) : NULL;
    return s ? arena_strdup(a, s) : arena_printf(a, "%d", id);
}

static void print_example(const Draw *d, int i, Arena *a)
{
    const Batch *b = &d->batch;
    const size_t at = (size_t)i * (size_t)b->stride;
    const int len = b->len[i], *row[3] = { b->input + at, b->target + at, b->slice_of + at };
    const char *const start = term_color(1) ? "\033[1;32m" : "", *const stop = term_color(1) ? "\033[0m" : "";
    const char *label[3] = { "input", "target", d->use.shape.slice_label };
    int width = 1, label_width = 6, rows = label[2] ? 3 : 2;
    const char **text[3];
    for (int r = 0; r < rows; r++) {
        text[r] = ARENA_NEW(a, const char *, len);
        if (text_width(label[r]) > label_width) label_width = text_width(label[r]);
        for (int t = 0; t < len; t++) {
            text[r][t] = r < 2 || row[r][t] == IGNORE ? symbol_of(a, &d->use, row[r][t], r == 1)
                                                      : arena_printf(a, "%d", row[r][t]);
            if (text_width(text[r][t]) > width) width = text_width(text[r][t]);
        }
    }
    int per_line = (term_width(1) - label_width - 3) / (width + 1);
    if (per_line < 1) per_line = 1;
    printf("\nexample %d (%d positions)\n", d->first + i, len);
    for (int from = 0; from < len; from += per_line) {
        if (from) fputs("\n", stdout);
        for (int r = 0; r < rows; r++) {
            Buf line = buf_new(a);
            buf_puts(&line, "  ");
            buf_pad(&line, label[r], label_width, false);
            for (int t = from; t < len && t < from + per_line; t++) {
                bool scored = r == 1 && row[1][t] != IGNORE;
                buf_puts(&line, " ");
                if (scored) buf_puts(&line, start);
                buf_pad(&line, text[r][t], width, true);
                if (scored) buf_puts(&line, stop);
            }
            printf("%s\n", line.s);
        }
    }
}

/* One row per position; a target that is not scored is empty. */
static void print_positions(const Draw *d, int n, Format format, Arena *a)
{
    static const char *const head[] = { "index", "position", "input", "target", "slice" };
    const Batch *b = &d->batch;
    const bool sliced = d->use.shape.slice_label != NULL;
    Grid g = grid_new(a, sliced ? 5 : 4, head, sliced ? "rrllr" : "rrll");
    for (int i = 0; i < n; i++) {
        const size_t at = (size_t)i * (size_t)b->stride;
        for (int t = 0; t < b->len[i]; t++) {
            const size_t p = at + (size_t)t;
            const char **row = grid_row(&g);
            row[0] = arena_printf(a, "%d", d->first + i);
            row[1] = arena_printf(a, "%d", t);
            row[2] = symbol_of(a, &d->use, b->input[p], false);
            if (b->target[p] != IGNORE) row[3] = symbol_of(a, &d->use, b->target[p], true);
            if (sliced && b->slice_of[p] != IGNORE) row[4] = arena_printf(a, "%d", b->slice_of[p]);
        }
    }
    grid_print(&g, format);
}

static int run_show(Cli *c, Err *err)
{
    Draw d;
    int n = cli_int(c, "number");
    if (!draw_examples(c, n, &d, err)) return EXIT_USAGE;
    if (cli_format(c) != FORMAT_TABLE) {
        print_positions(&d, n, cli_format(c), c->arena);
        return EXIT_OK;
    }
    const TaskShape *s = &d.use.shape;
    printf("%s - %s\n", d.use.task->name, d.use.task->summary);
    printf("  %d input symbols, %d classes, at most %d positions; headline %s; ", s->vocab_in, s->vocab_out, s->max_len,
           s->headline);
    if (s->chance_majority > 0)
        printf("chance %.3g (best constant answer)\n", s->chance_majority);
    else
        printf("chance %.3g (uniform guess)\n", s->chance_uniform);
    fputs("  target: the class asked for after reading this position; a dot is not scored\n", stdout);
    for (int i = 0; i < n; i++) print_example(&d, i, c->arena);
    return EXIT_OK;
}

/* ---- sample ---- */

static void print_ints(const int *v, int n)
{
    for (int t = 0; t < n; t++) printf(t ? ",%d" : "%d", v[t]);
}

static void print_json(const Batch *b, int i, int index)
{
    const size_t at = (size_t)i * (size_t)b->stride;
    printf("{\"index\":%d,\"input\":[", index);
    print_ints(b->input + at, b->len[i]);
    fputs("],\"target\":[", stdout);
    print_ints(b->target + at, b->len[i]);
    fputs("]}", stdout);
}

static void print_lines(const Batch *b, int i)
{
    const size_t at = (size_t)i * (size_t)b->stride;
    fputs("input ", stdout);
    for (int t = 0; t < b->len[i]; t++) printf(" %d", b->input[at + (size_t)t]);
    fputs("\ntarget", stdout);
    for (int t = 0; t < b->len[i]; t++) printf(" %d", b->target[at + (size_t)t]);
    fputs("\n", stdout);
}

static void print_rows(const Batch *b, int i, int index)
{
    const size_t at = (size_t)i * (size_t)b->stride;
    for (int t = 0; t < b->len[i]; t++)
        printf("%d,%d,%d,%d\n", index, t, b->input[at + (size_t)t], b->target[at + (size_t)t]);
}

static int run_sample(Cli *c, Err *err)
{
    Draw d;
    int n = cli_int(c, "number");
    const char *format = cli_string(c, "format");
    const bool csv = !strcmp(format, "csv"), json = !strcmp(format, "json"), jsonl = !strcmp(format, "jsonl");
    if (!draw_examples(c, n, &d, err)) return EXIT_USAGE;
    if (csv) fputs("index,position,input,target\n", stdout);
    if (json) fputs("[\n", stdout);
    for (int i = 0; i < n; i++) {
        if (csv)
            print_rows(&d.batch, i, d.first + i);
        else if (json || jsonl)
            print_json(&d.batch, i, d.first + i);
        else
            print_lines(&d.batch, i);
        if (json || jsonl) fputs(json && i < n - 1 ? ",\n" : "\n", stdout);
    }
    if (json) fputs("]\n", stdout);
    return EXIT_OK;
}

#define DRAW_FLAGS                                                                                                     \
    { "split", 0, FLAG_STRING, "train", "train|valid|test", "split they are drawn from" },                             \
        { "slice", 0, FLAG_STRING, "train", "NAME", "name of the slice; give its options as key=value" },              \
        { "seed", 0, FLAG_INT, "0", "N", "the run's seed (train) or data.eval_seed (valid, test)" },                   \
        { "table-seed", 0, FLAG_INT, "0", "N", "data.table_seed: random automata, grammars, groups" },                 \
    {                                                                                                                  \
        "index", 0, FLAG_INT, "0", "N", "number of the first example"                                                  \
    }

static const Flag show_flags[] = {
    { "number", 'n', FLAG_INT, "3", "N", "examples" },
    { "format", 'f', FLAG_STRING, "table", "table|csv|json", "csv and json: one row per position" },
    DRAW_FLAGS,
    FLAG_END,
};

static const Flag sample_flags[] = {
    { "number", 'n', FLAG_INT, "1", "N", "examples" },
    { "format", 'f', FLAG_STRING, "table", "table|csv|json|jsonl",
      "table: two lines of ids; jsonl: one object a line" },
    DRAW_FLAGS,
    FLAG_END,
};

const Command command_show = {
    .name = "show",
    .synopsis = "TASK [key=value ...] [-n N] [--format csv]",
    .summary = "a few examples of a task, readable",
    .description = "examples:\n"
                   "  seqprobe show parity len=12\n"
                   "  seqprobe show parity len=[4,10] -n 5 --split test\n",
    .flags = show_flags,
    .run = run_show,
};

const Command command_sample = {
    .name = "sample",
    .synopsis = "TASK [key=value ...] [-n N] [--format csv]",
    .summary = "examples of a task as numbers",
    .description =
        "examples:\n"
        "  seqprobe sample parity len=12 --index 1234\n"
        "  seqprobe sample parity -n 1000 --split test --format jsonl > parity.jsonl\n"
        "\n"
        "Example i depends on the task, its options, seed, split, slice and i alone. A target of -1 is not scored\n"
        "(PyTorch's loss wants -100).\n",
    .flags = sample_flags,
    .run = run_sample,
};
