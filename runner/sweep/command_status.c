/* SPDX-License-Identifier: Apache-2.0
 * command_status.c - `seqprobe status`: what has become of the runs of a sweep, also while it goes on.
 *
 * Only reads: results/NAME/plan.csv (for a NAME) or the config, and of every run its status, lock, curve, manifest and
 * result. A lock is looked at, and held for no longer than that takes. A run whose status says `running` while nobody
 * holds its lock is shown as interrupted: its process has died.
 *
 *   table       counts, the running ones, the failures
 *   csv, json   one row per run: run_id,case,mixer,seed, a column per swept axis, state,step,steps,loss,valid (of the
 *               last line of curve.csv),host,pid (of the process that holds the lock),cpu_s,left_s,message,log
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "sweep/pool.h"

/* What the folder of a run tells beyond its state. */
typedef struct RunView {
    bool running;
    LockOwner owner;
    int step, steps; /* 0: not known */
    double loss, valid, left;
    const char *message, *log;
} RunView;

typedef struct View {
    Plan plan;
    Pool pool;
    RunView *run;
    int count[RUN_INTERRUPTED + 1], running;
    double left; /* NaN: unknown */
    Arena *a;
} View;

/* ---- reading ---------------------------------------------------------------------------------------------------- */

/* The path that plan_column made a column of: train_lr is train.lr. */
static const char *axis_path(Arena *a, const char *column)
{
    static const char *const sections[] = { "task_", "model_", "mixer_", "train_", "data_", NULL };
    char *path = arena_strdup(a, column);
    for (int i = 0; sections[i]; i++)
        if (!strncmp(path, sections[i], strlen(sections[i]))) path[strlen(sections[i]) - 1] = '.';
    return path;
}

/* The plan of the latest sweep of this name, as plan.csv has it: labels and ids, no configurations. */
static bool read_plan_csv(const char *path, const char *name, Arena *a, Plan *out, Err *err)
{
    static const char *const fixed[] = { "row", "run_id", "case", "mixer", "seed" };
    Csv csv;
    TRY(csv_read(path, a, &csv, err));
    for (int c = 0; c < 5; c++)
        if (csv.cols <= c || strcmp(csv.head[c], fixed[c]) != 0)
            return err_set(err, EXIT_FAILED, "%s: column %d is not '%s'", path, c + 1, fixed[c]);
    *out = (Plan){ .name = name, .file = path, .rows = csv.rows, .axes = csv.cols - 5 };
    out->row = ARENA_NEW(a, PlanRow, csv.rows + 1);
    out->axis = ARENA_NEW(a, const char *, out->axes + 1);
    for (int c = 0; c < out->axes; c++) out->axis[c] = axis_path(a, csv.head[5 + c]);
    for (int i = 0; i < csv.rows; i++) {
        PlanRow *r = &out->row[i];
        *r = (PlanRow){ .row = i, .case_label = csv.cell[i][2], .mixer_label = csv.cell[i][3] };
        snprintf(r->id, sizeof r->id, "%s", csv.cell[i][1]);
        r->seed = strtoull(csv.cell[i][4], NULL, 10);
        r->cell = (const char **)csv.cell[i] + 5;
    }
    return true;
}

/* CONFIG is a file; NAME a sweep with results, else configs/NAME.yaml. */
static bool read_plan(const Cli *cli, const char *results, Arena *a, Plan *out, Err *err)
{
    const char *what = cli->args[0];
    const size_t n = strlen(what);
    if (strchr(what, '/') || (n > 5 && !strcmp(what + n - 5, ".yaml")))
        return plan_read(what, cli->n_sets, cli->sets, a, out, err);
    const char *plan = arena_printf(a, "%s/%s/plan.csv", results, what);
    const char *config = arena_printf(a, "configs/%s.yaml", what);
    if (file_exists(plan) && cli->n_sets == 0) return read_plan_csv(plan, what, a, out, err);
    if (file_exists(config)) return plan_read(config, cli->n_sets, cli->sets, a, out, err);
    if (cli->n_sets) return err_set(err, EXIT_USAGE, "status: settings need a config file; there is no %s", config);
    return err_set(err, EXIT_USAGE, "status: '%s' is no config file, and there is neither %s nor %s", what, plan,
                   config);
}

/* Numbers of the last whole line of curve.csv. */
static void read_curve(const char *dir, Arena *a, RunView *v)
{
    char *text, *end;
    size_t len;
    const char *path = path_join(a, dir, "curve.csv");
    if (!file_exists(path) || !file_read(path, 1 << 28, a, &text, &len, NULL)) return;
    if (!(end = strrchr(text, '\n'))) return;
    *end = '\0';
    const char *line = strrchr(text, '\n'), *header = "step,";
    Csv csv;
    if (!line || strncmp(text, header, strlen(header)) != 0) return; /* only the header */
    text[strcspn(text, "\n")] = '\0';
    if (!csv_parse(path, arena_printf(a, "%s\n%s\n", text, line + 1), a, &csv, NULL) || csv.rows != 1) return;
    v->step = atoi(csv_get(&csv, 0, "step"));
    v->loss = csv_num(&csv, 0, "train_loss");
    v->valid = csv_num(&csv, 0, "valid_headline");
}

static int read_steps(const char *dir, Arena *a)
{
    Value *config;
    const char *path = path_join(a, dir, "config.yaml");
    const Value *steps =
        file_exists(path) && yaml_read(path, a, &config, NULL) ? value_at(config, "train.steps") : NULL;
    return steps && steps->kind == VALUE_SCALAR ? atoi(steps->text) : 0;
}

/* Seconds since a file of the run was written; NaN if there is none. */
static double file_age(const char *dir, const char *name, Arena *a)
{
    struct stat st;
    if (stat(path_join(a, dir, name), &st) != 0) return (double)NAN;
    const double age = difftime(time(NULL), st.st_mtime);
    return age > 0 ? age : 0;
}

/* Were all steps made in this attempt? */
static bool first_attempt(const char *dir, Arena *a)
{
    char *text;
    const char *path = path_join(a, dir, "manifest.json");
    return file_exists(path) && file_read(path, 1 << 26, a, &text, NULL, NULL) && strstr(text, "\"resumed\": 0,");
}

/* What is left, by what runs like it took and by its own pace, whichever is more. An attempt begins with its status. */
static void read_running(View *s, const PoolRun *r, const char *dir, RunView *v)
{
    const double spent = file_age(dir, "status", s->a), stale = file_age(dir, "curve.csv", s->a);
    v->steps = read_steps(dir, s->a);
    read_curve(dir, s->a, v);
    v->left = cost_expected(&s->pool, r) * cost_factor(&s->pool) - (isnan(spent) ? 0 : spent);
    double own = (double)NAN;
    if (v->step > 0 && v->steps >= v->step && spent > stale && first_attempt(dir, s->a))
        own = (spent - stale) / v->step * (v->steps - v->step) - stale;
    if (!(v->left > own) && !isnan(own)) v->left = own;
    if (v->left < 0) v->left = 0;
}

/* The end of a run that went wrong. */
static void read_failure(const View *s, RunState state, const char *dir, RunView *v)
{
    Csv csv;
    const char *result = path_join(s->a, dir, "result.csv");
    const bool told = file_exists(result) && csv_read(result, s->a, &csv, NULL) && csv.rows == 1;
    if (told) v->message = csv_get(&csv, 0, "message");
    if (told && !*v->message && state == RUN_TIMEOUT) v->message = OUT_OF_TIME;
    if (!*v->message) v->message = run_log_message(s->a, dir);
    v->log = path_join(s->a, dir, "log.txt");
}

static void read_runs(View *s, double lock_timeout)
{
    double *rest = ARENA_NEW(s->a, double, s->pool.n + 1);
    s->run = ARENA_NEW(s->a, RunView, s->pool.n + 1);
    for (int k = 0; k < s->pool.n; k++) {
        PoolRun *r = &s->pool.run[k];
        RunView *v = &s->run[k];
        const char *dir = run_dir(s->a, s->pool.results, r->row->id);
        *v = (RunView){ .loss = (double)NAN, .valid = (double)NAN, .left = (double)NAN, .message = "", .log = "" };
        if (!r->ended) v->running = run_lock_held(dir, lock_timeout, &v->owner);
        if (v->running) {
            r->state = RUN_RUNNING;
            r->active = true;
            read_running(s, r, dir, v);
            rest[s->running++] = v->left;
            continue;
        }
        if (r->state == RUN_RUNNING) r->state = RUN_INTERRUPTED;
        if (r->state == RUN_FAILED || r->state == RUN_TIMEOUT) {
            read_failure(s, r->state, dir, v);
            r->ended = true; /* for the forecast: this sweep has had it */
        }
        s->count[r->state]++;
    }
    const double nan = (double)NAN;
    if (s->running)
        s->left = pool_forecast(&s->pool, s->running, rest, s->running, cost_factor(&s->pool), nan, 0, s->a).seconds;
}

/* ---- writing ---------------------------------------------------------------------------------------------------- */

static const char *integer_cell(Arena *a, long v) { return v > 0 ? arena_printf(a, "%ld", v) : ""; }

static const char *real_cell(Arena *a, double v) { return isfinite(v) ? arena_printf(a, "%.9g", v) : ""; }

static const char *const before_axes[] = { "run_id", "case", "mixer", "seed" };
static const char *const after_axes[] = { "state", "step",  "steps",  "loss",    "valid", "host",
                                          "pid",   "cpu_s", "left_s", "message", "log" };
enum { BEFORE = sizeof before_axes / sizeof *before_axes, AFTER = sizeof after_axes / sizeof *after_axes };

static Grid open_grid(const View *s)
{
    const int axes = s->plan.axes, cols = BEFORE + axes + AFTER;
    const char **head = ARENA_NEW(s->a, const char *, cols);
    for (int c = 0; c < BEFORE; c++) head[c] = before_axes[c];
    for (int c = 0; c < axes; c++) head[BEFORE + c] = plan_column(s->a, s->plan.axis[c]);
    for (int c = 0; c < AFTER; c++) head[BEFORE + axes + c] = after_axes[c];
    Buf align = buf_new(s->a);
    buf_puts(&align, "lllr");
    for (int c = 0; c < axes; c++) buf_puts(&align, "r");
    buf_puts(&align, "lrrrrlrrrll");
    return grid_new(s->a, cols, head, align.s);
}

static Grid every_run(const View *s)
{
    Arena *a = s->a;
    Grid g = open_grid(s);
    for (int k = 0; k < s->pool.n; k++) {
        const PoolRun *r = &s->pool.run[k];
        const RunView *v = &s->run[k];
        const char **cell = grid_row(&g);
        *cell++ = r->row->id;
        *cell++ = r->row->case_label;
        *cell++ = r->row->mixer_label;
        *cell++ = arena_printf(a, "%llu", (unsigned long long)r->row->seed);
        for (int c = 0; c < s->plan.axes; c++) *cell++ = r->row->cell[c];
        *cell++ = r->state == RUN_NEW ? "waiting" : run_state_name(r->state);
        *cell++ = integer_cell(a, v->step);
        *cell++ = integer_cell(a, v->steps);
        *cell++ = real_cell(a, v->loss);
        *cell++ = real_cell(a, v->valid);
        *cell++ = v->owner.host;
        *cell++ = integer_cell(a, v->owner.pid);
        *cell++ = real_cell(a, r->seconds);
        *cell++ = real_cell(a, v->left);
        *cell++ = v->message;
        *cell++ = v->log;
    }
    return g;
}

static void print_counts(const View *s)
{
    char left[32];
    const char *separator = ": ";
    printf("%s: %d run%s", s->plan.name, s->pool.n, s->pool.n == 1 ? "" : "s");
    for (int state = RUN_OK; state <= RUN_INTERRUPTED; state++) {
        if (!s->count[state]) continue;
        printf("%s%d %s", separator, s->count[state], run_state_name((RunState)state));
        separator = ", ";
    }
    if (s->running) printf("%s%d running", separator, s->running);
    if (s->running) separator = ", ";
    if (s->count[RUN_NEW]) printf("%s%d waiting", separator, s->count[RUN_NEW]);
    if (s->running && !isnan(s->left)) printf("; about %s left", duration_text(s->left, left));
    printf("\n");
}

static void print_running(const View *s)
{
    static const char *const head[] = { "running", "step", "steps", "%", "loss", "valid", "left", "host", "process" };
    Grid g = grid_new(s->a, 9, head, "lrrrrrrlr");
    char left[32];
    for (int k = 0; k < s->pool.n; k++) {
        const RunView *v = &s->run[k];
        if (!v->running) continue;
        const char **cell = grid_row(&g);
        cell[0] = s->pool.run[k].label;
        cell[1] = arena_printf(s->a, "%d", v->step);
        cell[2] = integer_cell(s->a, v->steps);
        if (v->steps > 0) cell[3] = arena_printf(s->a, "%.0f", 100.0 * v->step / v->steps);
        if (isfinite(v->loss)) cell[4] = arena_printf(s->a, "%.3f", v->loss);
        if (isfinite(v->valid)) cell[5] = arena_printf(s->a, "%.3f", v->valid);
        if (isfinite(v->left)) cell[6] = arena_strdup(s->a, duration_text(v->left, left));
        cell[7] = v->owner.host;
        cell[8] = integer_cell(s->a, v->owner.pid);
    }
    printf("\n%s", grid_text(&g, FORMAT_TABLE, -1));
}

static void print_table(const View *s)
{
    bool first = true;
    print_counts(s);
    if (s->running) print_running(s);
    for (int k = 0; k < s->pool.n; k++) {
        const PoolRun *r = &s->pool.run[k];
        if (r->state != RUN_FAILED && r->state != RUN_TIMEOUT) continue;
        printf("%s  %s  %s  %s: %s (%s)\n", first ? "\n" : "", run_state_name(r->state), r->label, r->row->id,
               s->run[k].message, s->run[k].log);
        first = false;
    }
}

static int status_command(Cli *cli, Err *err)
{
    if (cli->n_args != 1) {
        err_set(err, EXIT_USAGE, "status: one config or name of a sweep expected");
        return EXIT_USAGE;
    }
    View s = { .a = cli->arena, .pool = { .results = cli_string(cli, "results") } };
    if (!read_plan(cli, s.pool.results, s.a, &s.plan, err)) return EXIT_USAGE;
    if (s.plan.notes) fputs(s.plan.notes, stderr);
    pool_open(&s.pool, &s.plan, s.a);
    read_runs(&s, cli_real(cli, "lock-timeout"));
    const Format format = cli_format(cli);
    if (format == FORMAT_TABLE) {
        print_table(&s);
    } else {
        const Grid g = every_run(&s);
        grid_print(&g, format);
    }
    return s.count[RUN_FAILED] + s.count[RUN_TIMEOUT] ? EXIT_SOME_FAILED : EXIT_OK;
}

static const Flag status_flags[] = { { "results", 0, FLAG_STRING, "results", "DIR",
                                       "where runs/ and the sweep's folder are" },
                                     { "lock-timeout", 0, FLAG_REAL, "600", "S",
                                       "another host's lock counts as left behind if not touched for S seconds" },
                                     FLAG_FORMAT,
                                     FLAG_END };

const Command command_status = {
    .name = "status",
    .synopsis = "CONFIG|NAME [key=value...]",
    .summary = "what is done, running, failed and waiting of a sweep, on this machine or another",
    .description =
        "  seqprobe status quick                        the latest sweep of that name, as results/quick/plan.csv has "
        "it\n"
        "  seqprobe status configs/quick.yaml seed=7    the rows of a config with settings\n"
        "  seqprobe status quick --format csv           one row per run\n"
        "\n"
        "Reads only, also while the sweep goes on. Steps and accuracy are those of the last validation. A run that "
        "was\n"
        "being worked on by a process that is gone is shown as interrupted; the sweep's command continues it.\n"
        "Exit code: 0; 4 runs failed or ran out of time.\n",
    .flags = status_flags,
    .run = status_command,
};
