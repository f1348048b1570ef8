/* SPDX-License-Identifier: Apache-2.0
 * collect.c - results/NAME/{runs,metrics,selected}.csv from the folders of the runs; also `seqprobe collect`.
 *
 *   runs.csv     one row per row of the plan, in its order:
 *                schema,run_id,sweep,row,case,mixer,status,task,task_version,model,model_version,seed
 *                b_* backbone, t_* task, m_* mixer, train_* loop options (empty where a row has no such option; layers
 *                that differ are joined with '+'), then the other columns of result.csv, then those of timing.csv
 *   metrics.csv  every line of every run's metrics.csv, with case,mixer,seed,row behind it
 *   selected.csv see select.c
 *
 * Missing is an empty cell. status is that of the run, `missing` if there is none. Numbers of runs that have not ended
 * are left out. Nothing here depends on how or when the runs were made, but for the last columns of runs.csv.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/collect.h"

enum { COLUMNS_MAX = 2048 };

typedef enum { COL_BACKBONE, COL_TASK, COL_MIXER, COL_TRAIN, COL_RESULT, COL_TIMING } ColumnKind;
typedef struct Column {
    ColumnKind kind;
    const char *name;
} Column;

typedef struct Collect {
    const Plan *plan;
    const char *results, *dir; /* folder of all; folder of this sweep */
    Arena *a, *tmp;
    RowResult *rows;
    int n;
    Column column[COLUMNS_MAX];
    Err *err;
} Collect;

bool result_counts(const RowResult *r) { return run_state_final(r->state) && r->result.rows == 1; }

static bool keeps_result(RunState s) { return s == RUN_OK || s == RUN_DIVERGED || s == RUN_TIMEOUT || s == RUN_FAILED; }

bool results_read(const Plan *plan, const char *results, Arena *a, RowResult **out, Err *err)
{
    *out = ARENA_NEW(a, RowResult, plan->rows + 1);
    for (int i = 0; i < plan->rows; i++) {
        RowResult *r = &(*out)[i];
        *r = (RowResult){ .row = &plan->row[i], .dir = run_dir(a, results, plan->row[i].id) };
        Err damage = { 0 };
        r->state = run_state_why(r->dir, &damage);
        const char *path = path_join(a, r->dir, "result.csv");
        bool whole = !keeps_result(r->state) || !file_exists(path) || csv_read(path, a, &r->result, &damage);
        if (!whole || r->result.rows > 1) r->result = (Csv){ 0 };
        if (damage.code == EXIT_MEMORY) return err_set(err, damage.code, "%s", damage.msg);
        if (damage.code) /* a damaged file is that run's trouble */
            fprintf(stderr, "seqprobe: warning: %s; a sweep runs it again\n", damage.msg);
    }
    return true;
}

bool metric_find(const Csv *m, const char *split, const char *slice, const char *metric, Metric *out)
{
    for (int i = 0; i < m->rows; i++) {
        if (strcmp(csv_get(m, i, "metric"), metric) != 0 || strcmp(csv_get(m, i, "slice"), slice) != 0 ||
            strcmp(csv_get(m, i, "split"), split) != 0)
            continue;
        *out = (Metric){ .len = atoi(csv_get(m, i, "len")),
                         .value = csv_num(m, i, "value"),
                         .lo = csv_num(m, i, "lo"),
                         .hi = csv_num(m, i, "hi"),
                         .n = atol(csv_get(m, i, "n")) };
        return true;
    }
    return false;
}

/* ---- columns ---------------------------------------------------------------------------------------------------- */

static bool add_column(Collect *c, ColumnKind kind, const char *name)
{
    for (int i = 0; i < c->n; i++)
        if (c->column[i].kind == kind && strcmp(c->column[i].name, name) == 0) return true;
    if (c->n == COLUMNS_MAX) return err_set(c->err, EXIT_FAILED, "runs.csv: more than %d columns", COLUMNS_MAX);
    c->column[c->n++] = (Column){ kind, arena_strdup(c->a, name) };
    return true;
}

static bool add_options(Collect *c, ColumnKind kind, const Option *table)
{
    for (; table->name; table++) TRY(add_column(c, kind, table->name));
    return true;
}

static const char *spec_name(const Value *v)
{
    if (!v) return "";
    return v->kind == VALUE_SCALAR ? v->text : value_text(v, "name", "");
}

static bool add_mixer(Collect *c, const Value *spec)
{
    const Value *layers = value_get(spec, "layers");
    if (layers) {
        for (const Value *v = layers->first; v; v = v->next) TRY(add_mixer(c, v));
        return true;
    }
    const Mixer *m = mixer_find(spec_name(spec));
    return !m || add_options(c, COL_MIXER, m->options);
}

/* Columns of a run's own CSV that the fixed ones do not hold already. */
static bool add_csv(Collect *c, ColumnKind kind, const Csv *csv)
{
    static const char *const fixed[] = { "schema", "run_id", "status",        "task", "task_version",
                                         "mixer",  "seed",   "mixer_version", NULL };
    for (int i = 0; i < csv->cols; i++) {
        bool skip = false;
        for (const char *const *f = fixed; *f; f++) skip |= strcmp(*f, csv->head[i]) == 0;
        if (!skip) TRY(add_column(c, kind, csv->head[i]));
    }
    return true;
}

static void read_timing(const RowResult *r, Arena *a, Csv *out)
{
    *out = (Csv){ 0 };
    const char *path = path_join(a, r->dir, "timing.csv");
    if (!result_counts(r) || !file_exists(path)) return;
    if (!csv_read(path, a, out, NULL) || out->rows != 1) *out = (Csv){ 0 }; /* times are no results */
}

static bool find_columns(Collect *c)
{
    const Plan *p = c->plan;
    TRY(add_options(c, COL_BACKBONE, model_options));
    for (int i = 0; i < p->rows; i++) {
        const Task *t = task_find(spec_name(value_get(p->row[i].config, "task")));
        if (t) TRY(add_options(c, COL_TASK, t->options));
    }
    for (int i = 0; i < p->rows; i++) TRY(add_mixer(c, value_get(p->row[i].config, "mixer")));
    TRY(add_options(c, COL_TRAIN, train_options));
    for (int i = 0; i < p->rows; i++) /* complete files first, so that a failure cannot change the order */
        if (result_counts(&c->rows[i])) TRY(add_csv(c, COL_RESULT, &c->rows[i].result));
    for (int i = 0; i < p->rows; i++) TRY(add_csv(c, COL_RESULT, &c->rows[i].result));
    for (int i = 0; i < p->rows; i++) {
        Csv timing;
        size_t mark = arena_mark(c->tmp);
        read_timing(&c->rows[i], c->tmp, &timing);
        TRY(add_csv(c, COL_TIMING, &timing));
        arena_reset(c->tmp, mark);
    }
    return true;
}

/* ---- runs.csv --------------------------------------------------------------------------------------------------- */

/* An option over the mixers of a run: one text, or those that differ joined with '+'. */
static const char *mixer_cell(const RunSpec *spec, const char *name, Arena *a)
{
    Buf b = buf_new(a);
    const char *one = NULL;
    bool differ = false;
    for (int i = 0; i < spec->n_mixers; i++) {
        MixerUse use;
        Err none = { 0 };
        if (!mixer_read(spec->mixers[i], a, &use, &none)) continue;
        const Option *o = option_find(use.mixer->options, name);
        const char *text = o ? option_text(o, use.cfg, a) : "";
        differ |= one && strcmp(one, text) != 0;
        if (!one) one = text;
        buf_printf(&b, "%s%s", i ? "+" : "", text);
    }
    return differ ? b.s : one ? one : "";
}

static const char *option_cell(const Option *table, const void *cfg, const char *name, Arena *a)
{
    const Option *o = option_find(table, name);
    return o ? option_text(o, cfg, a) : "";
}

static const char *cell_of(Collect *c, const Column *col, const RunSpec *s, const RowResult *r, const Csv *timing)
{
    switch (col->kind) {
    case COL_BACKBONE: return option_cell(model_options, &s->model, col->name, c->tmp);
    case COL_TRAIN: return option_cell(train_options, &s->train, col->name, c->tmp);
    case COL_TASK: return option_cell(s->task->options, s->slices[0].cfg, col->name, c->tmp);
    case COL_MIXER: return mixer_cell(s, col->name, c->tmp);
    case COL_RESULT: return r->result.rows ? csv_get(&r->result, 0, col->name) : "";
    case COL_TIMING: return timing->rows ? csv_get(timing, 0, col->name) : "";
    }
    return "";
}

static void mixer_versions(const RunSpec *s, Buf *b)
{
    for (int i = 0; i < s->n_mixers; i++) {
        const Mixer *m = mixer_find(spec_name(s->mixers[i]));
        buf_printf(b, "%s%d", i ? "+" : "", m ? m->version : 0);
    }
}

static bool write_run(Collect *c, const RowResult *r, Buf *b)
{
    RunSpec s;
    Csv timing;
    TRY(run_resolve(r->row->config, c->tmp, &s, c->err));
    read_timing(r, c->tmp, &timing);
    buf_printf(b, "%d,%s,%s,%d,", CSV_SCHEMA, r->row->id, c->plan->name, r->row->row);
    buf_csv(b, r->row->case_label);
    buf_puts(b, ",");
    buf_csv(b, r->row->mixer_label);
    buf_printf(b, ",%s,%s,%d,", r->state == RUN_NEW ? "missing" : run_state_name(r->state), s.task->name,
               s.task->version);
    for (int i = 0; i < s.n_mixers; i++) buf_printf(b, "%s%s", i ? "+" : "", spec_name(s.mixers[i]));
    buf_puts(b, ",");
    mixer_versions(&s, b);
    buf_printf(b, ",%llu", (unsigned long long)s.seed);
    for (int i = 0; i < c->n; i++) {
        buf_puts(b, ",");
        buf_csv(b, cell_of(c, &c->column[i], &s, r, &timing));
    }
    buf_puts(b, "\n");
    return true;
}

static bool write_runs(Collect *c)
{
    static const char *const prefix[] = { "b_", "t_", "m_", "train_", "", "" };
    Buf b = buf_new(c->a);
    buf_puts(&b, "schema,run_id,sweep,row,case,mixer,status,task,task_version,model,model_version,seed");
    for (int i = 0; i < c->n; i++) buf_printf(&b, ",%s%s", prefix[c->column[i].kind], c->column[i].name);
    buf_puts(&b, "\n");
    for (int i = 0; i < c->plan->rows; i++) {
        size_t mark = arena_mark(c->tmp);
        TRY(write_run(c, &c->rows[i], &b));
        arena_reset(c->tmp, mark);
    }
    return file_write_atomic(path_join(c->a, c->dir, "runs.csv"), b.s, b.len, c->err);
}

/* ---- metrics.csv ------------------------------------------------------------------------------------------------ */

static bool add_metrics(Collect *c, const RowResult *r, Buf *b)
{
    static const char *const columns[] = { "schema", "run_id", "split", "slice", "len", "metric",
                                           "value",  "lo",     "hi",    "n",     NULL };
    Csv m;
    const char *path = path_join(c->tmp, r->dir, "metrics.csv");
    if (!result_counts(r) || !file_exists(path)) return true;
    TRY(csv_read(path, c->tmp, &m, c->err));
    int at[10];
    for (int k = 0; columns[k]; k++) at[k] = csv_col(&m, columns[k]);
    for (int i = 0; i < m.rows; i++) {
        for (int k = 0; columns[k]; k++) {
            if (k) buf_puts(b, ",");
            if (at[k] >= 0) buf_csv(b, m.cell[i][at[k]]);
        }
        buf_puts(b, ",");
        buf_csv(b, r->row->case_label);
        buf_puts(b, ",");
        buf_csv(b, r->row->mixer_label);
        buf_printf(b, ",%llu,%d\n", (unsigned long long)r->row->seed, r->row->row);
    }
    return true;
}

static bool write_metrics(Collect *c)
{
    Buf b = buf_new(c->a);
    buf_puts(&b, "schema,run_id,split,slice,len,metric,value,lo,hi,n,case,mixer,seed,row\n");
    for (int i = 0; i < c->plan->rows; i++) {
        size_t mark = arena_mark(c->tmp);
        TRY(add_metrics(c, &c->rows[i], &b));
        arena_reset(c->tmp, mark);
    }
    return file_write_atomic(path_join(c->a, c->dir, "metrics.csv"), b.s, b.len, c->err);
}

static bool collect(Collect *c, int *finished)
{
    *finished = 0;
    c->dir = path_join(c->a, c->results, c->plan->name);
    TRY(dir_make(c->dir, c->err));
    TRY(results_read(c->plan, c->results, c->a, &c->rows, c->err));
    for (int i = 0; i < c->plan->rows; i++) *finished += result_counts(&c->rows[i]);
    TRY(find_columns(c));
    return write_runs(c) && write_metrics(c) && select_write(c->plan, c->rows, c->results, c->err);
}

bool collect_results(const Plan *plan, const char *results_dir, int *finished, Err *err)
{
    Arena *a = arena_new("collect");
    Collect *c = ARENA_NEW(a, Collect, 1);
    *c = (Collect){ .plan = plan, .results = results_dir, .a = a, .tmp = arena_new("collect row"), .err = err };
    bool ok = collect(c, finished);
    arena_free(c->tmp);
    arena_free(a);
    return ok;
}

static int collect_command(Cli *cli, Err *err)
{
    Plan plan;
    int finished;
    const char *results = cli_string(cli, "results");
    if (cli->n_args != 1) {
        err_set(err, EXIT_USAGE, "collect: one config expected");
        return EXIT_USAGE;
    }
    if (!plan_read(cli->args[0], cli->n_sets, cli->sets, cli->arena, &plan, err)) return EXIT_USAGE;
    if (plan.notes) fputs(plan.notes, stderr);
    if (!plan_write(&plan, results, err) || !collect_results(&plan, results, &finished, err)) return EXIT_FAILED;
    if (cli_format(cli) != FORMAT_TABLE) {
        Csv runs;
        const char *path = arena_printf(cli->arena, "%s/%s/runs.csv", results, plan.name);
        if (!csv_read(path, cli->arena, &runs, err)) return EXIT_FAILED;
        Grid g = grid_of_csv(cli->arena, &runs);
        grid_print(&g, cli_format(cli));
        return EXIT_OK;
    }
    printf("%s: %d of %d rows finished\n%s/%s/{plan,runs,metrics,selected}.csv\n", plan.name, finished, plan.rows,
           results, plan.name);
    return EXIT_OK;
}

static const Flag collect_flags[] = {
    { "results", 0, FLAG_STRING, "results", "DIR", "where runs/ and the sweep's folder are" },
    { "format", 'f', FLAG_STRING, "table", "table|csv|json", "table: a summary; csv and json: the runs" },
    FLAG_END
};

const Command command_collect = {
    .name = "collect",
    .synopsis = "CONFIG [key=value...]",
    .summary = "gather the runs of a config into CSV files, finished or not",
    .description =
        "examples:\n"
        "  seqprobe collect configs/quick.yaml\n"
        "  seqprobe collect configs/quick.yaml --format json     the runs as data\n"
        "\n"
        "Writes DIR/NAME/{plan,runs,metrics,selected}.csv from DIR/runs/ID/. A sweep does this by itself at its end;\n"
        "this is for looking into one that is still running.\n",
    .flags = collect_flags,
    .run = collect_command,
};
