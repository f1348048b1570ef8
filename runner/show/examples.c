/* SPDX-License-Identifier: Apache-2.0
 * examples.c - examples of a task as a run draws them, and as text.
 *
 * All draw through train/batch.h. A law on lengths is drawn once for `group` consecutive examples: the batches of a
 * training run (--batch, train.batch), or EVAL_GROUP examples of a validation or test set.
 */
#include "show/examples.h"

#include <limits.h>
#include <string.h>

bool examples_open(const Cli *c, const char *task, int n, Examples *out, Err *err)
{
    const int seed = cli_int(c, "seed"), table_seed = cli_int(c, "table-seed"), batch = cli_int(c, "batch");
    *out = (Examples){ .split = cli_string(c, "split"), .first = cli_int(c, "index") };
    const bool train = !strcmp(out->split, "train");
    if (seed < 0 || out->first < 0 || table_seed < 0)
        return err_set(err, EXIT_USAGE, "--seed, --table-seed and --index start at 0");
    if (n > INT_MAX - out->first)
        return err_set(err, EXIT_USAGE, "--index: %d and %d examples are more than %d", out->first, n, INT_MAX);
    if (batch < 1 || batch > 65536) return err_set(err, EXIT_USAGE, "--batch: %d is not in 1..65536", batch);
    if (!train && cli_given(c, "batch"))
        return err_set(err, EXIT_USAGE, "--batch: batches are of --split train; %s has groups of %d", out->split,
                       EVAL_GROUP);
    out->seed = (uint64_t)seed;
    out->table_seed = (uint64_t)table_seed;
    out->group = train ? batch : EVAL_GROUP;
    TRY(task_use_open(task, c->n_sets, c->sets, out->table_seed, c->arena, &out->use, err));
    if (out->use.task->stored) {
        const Stored is = out->use.task->stored(out->use.cfg, out->use.data);
        const int have = is.n[split_of(out->split)];
        if (is.n[SPLIT_TRAIN] + is.n[SPLIT_VALID] + is.n[SPLIT_TEST] && out->first + n > have)
            return err_set(err, EXIT_USAGE, "examples %d to %d are asked for, but split %s of %s has %d", out->first,
                           out->first + n - 1, out->split, task, have);
    }
    out->spec = (RunSpec){ .task = out->use.task, .task_data = out->use.data };
    out->slice = (Slice){ .name = cli_string(c, "slice"), .cfg = out->use.cfg, .shape = out->use.shape };
    return true;
}

void examples_draw(const Examples *x, int first, int n, bool train, Arena *a, Batch *out)
{
    batch_draw(&x->spec, &x->slice, x->split, x->seed, (uint64_t)first, n, x->group, train, a, out);
}

int examples_chunk(const Examples *x)
{
    const int fit = (1 << 18) / x->use.shape.max_len;
    return fit < 1 ? 1 : fit > 256 ? 256 : fit;
}

const char *symbol_text(Arena *a, const TaskUse *use, int id, bool is_target)
{
    char buf[32];
    if (id == IGNORE) return ".";
    const char *s = use->task->symbol ? use->task->symbol(use->cfg, use->data, id, is_target, buf) : NULL;
    return s ? arena_strdup(a, s) : arena_printf(a, "%d", id);
}

/* ---- as text ---- */

void examples_text_head(const Examples *x, TextForm form, bool train, FILE *f)
{
    if (form == TEXT_CSV)
        fprintf(f, "index,position,input,target%s%s\n", train ? ",train_target" : "",
                x->use.shape.slice_label ? ",slice" : "");
    if (form == TEXT_JSON) fputs("[\n", f);
}

static void put_ints(const char *between, const int *v, int n, FILE *f)
{
    for (int t = 0; t < n; t++) fprintf(f, "%s%d", t ? between : "", v[t]);
}

/* The rows of one example that there are. */
typedef struct Rows {
    int n;
    const char *name[4];
    const int *v[4];
} Rows;

static Rows rows_of(const Examples *x, const Batch *b, const Batch *train, int i)
{
    const size_t at = (size_t)i * (size_t)b->stride;
    Rows r = { 2, { "input", "target" }, { b->input + at, b->target + at } };
    if (train) r.name[r.n] = "train_target", r.v[r.n++] = train->target + at;
    if (x->use.shape.slice_label) r.name[r.n] = "slice", r.v[r.n++] = b->slice_of + at;
    return r;
}

void examples_text(const Examples *x, TextForm form, int first, const Batch *b, const Batch *train, FILE *f)
{
    for (int i = 0; i < b->n; i++) {
        const Rows r = rows_of(x, b, train, i);
        const int len = b->len[i];
        for (int t = 0; form == TEXT_CSV && t < len; t++) {
            fprintf(f, "%d,%d", first + i, t);
            for (int k = 0; k < r.n; k++) fprintf(f, ",%d", r.v[k][t]);
            fputs("\n", f);
        }
        for (int k = 0; form == TEXT_LINES && k < r.n; k++) {
            fprintf(f, "%-*s ", r.n > 2 && train ? 12 : 6, r.name[k]);
            put_ints(" ", r.v[k], len, f);
            fputs("\n", f);
        }
        if (form != TEXT_JSONL && form != TEXT_JSON) continue;
        if (form == TEXT_JSON && first + i > x->first) fputs(",\n", f);
        fprintf(f, "{\"index\":%d", first + i);
        for (int k = 0; k < r.n; k++) {
            fprintf(f, ",\"%s\":[", r.name[k]);
            put_ints(",", r.v[k], len, f);
            fputs("]", f);
        }
        fputs(form == TEXT_JSONL ? "}\n" : "}", f);
    }
}

void examples_text_end(TextForm form, FILE *f)
{
    if (form == TEXT_JSON) fputs("\n]\n", f);
}

void examples_print(const Examples *x, TextForm form, int n, Arena *a)
{
    const int chunk = examples_chunk(x);
    const size_t mark = arena_mark(a);
    bool has_train = false;
    for (int done = 0; done < n; done += chunk) {
        const int first = x->first + done, m = n - done < chunk ? n - done : chunk;
        Batch b, train;
        examples_draw(x, first, m, false, a, &b);
        if (!done) examples_text_head(x, form, has_train = b.has_train, stdout);
        if (has_train) examples_draw(x, first, m, true, a, &train);
        examples_text(x, form, first, &b, has_train ? &train : NULL, stdout);
        arena_reset(a, mark);
    }
    examples_text_end(form, stdout);
}
