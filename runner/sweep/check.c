/* SPDX-License-Identifier: Apache-2.0
 * check.c - `seqprobe check`: do the collected runs meet the thresholds of their config?
 *
 * A level is measured for every group (case, mixer, other axes) that it matches, over the seeds of the learning rate
 * that select.c chose; an ordering for every pair of groups that agree in whatever neither of its patterns names. A
 * group with runs that have not finished fails: its choice is not final. A diverged run counts 0 (its loss: infinite).
 * Exit code 0, or 3 naming what fell.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sweep/plan_parts.h"
#include "sweep/stats.h"
#include "sweep/thresholds.h"

#define SLACK 1e-9 /* values are printed with nine digits */

typedef struct Check {
    const Plan *plan;
    Arena *a;
    int groups;
    Group *group;
    bool tap, color;
    int n, failed, skipped;
    Buf fell;
    Err *err;
} Check;

/* Seeds of one group, measured. */
typedef struct Measure {
    int n, missing;
    double *x;
    double value;
    const char *metric;
    double goal;
} Measure;

static const char *group_name(Check *c, const Group *g)
{
    Buf b = buf_new(c->a);
    buf_printf(&b, "%s/%s", g->case_label, g->mixer_label);
    for (int i = 0; i < c->plan->axes; i++)
        if (!select_is_over(c->plan, c->plan->axis[i]) && g->head->row->cell[i][0])
            buf_printf(&b, " %s=%s", c->plan->axis[i], g->head->row->cell[i]);
    return b.s;
}

/* One line, and what fell for the end. */
static void verdict(Check *c, bool ok, const char *what, const char *measured, const char *note)
{
    c->n++;
    c->failed += !ok;
    if (!ok) buf_printf(&c->fell, "%s%s", c->fell.len ? "; " : "", what);
    if (c->tap) {
        printf("%s %d - %s: %s%s%s\n", ok ? "ok" : "not ok", c->n, what, measured, note ? " - " : "", note ? note : "");
        return;
    }
    const char *on = !c->color ? "" : ok ? "\033[32m" : "\033[1;31m", *off = c->color ? "\033[0m" : "";
    printf("%s%s%s  %s: %s%s%s\n", on, ok ? "ok  " : "FAIL", off, what, measured, note ? "  # " : "", note ? note : "");
}

static void skip(Check *c, const char *what)
{
    c->n++;
    c->skipped++;
    if (c->tap)
        printf("ok %d - %s # SKIP not part of this plan\n", c->n, what);
    else
        printf("skip  %s: not part of this plan\n", what);
}

static double stop_at(const PlanRow *row, Arena *a)
{
    RunSpec s;
    Err none = { 0 };
    return run_resolve(row->config, a, &s, &none) ? s.train.stop_at : 1;
}

/* Values of the chosen seeds of a group; x is sorted. */
static bool measure(Check *c, const Group *g, const Threshold *t, Measure *m)
{
    *m = (Measure){ .x = ARENA_NEW(c->a, double, g->chosen_n + 1), .metric = t->metric, .value = (double)NAN };
    for (int i = 0; i < g->n; i++) m->missing += !result_counts(g->row[i]);
    for (int i = 0; i < g->chosen_n; i++) {
        Csv csv = { 0 };
        Metric found = { .value = (double)NAN };
        const RowResult *r = g->chosen[i];
        const char *path = path_join(c->a, r->dir, "metrics.csv");
        const char *metric = t->metric ? t->metric : csv_get(&r->result, 0, "headline");
        if (file_exists(path)) TRY(csv_read(path, c->a, &csv, c->err));
        if (!m->metric && metric[0]) m->metric = metric;
        bool have = metric_find(&csv, "test", t->slice, metric, &found) && !isnan(found.value);
        if (!have && r->state == RUN_DIVERGED)
            found.value = strcmp(metric, "loss") == 0 ? (double)INFINITY : 0;
        else if (!have)
            m->missing++;
        if (!isnan(found.value)) m->x[m->n++] = found.value;
    }
    if (!m->metric) m->metric = "headline";
    double median = median_of(m->x, m->n);
    bool low_is_good = strcmp(m->metric, "loss") == 0;
    if (m->n) m->value = t->over == OVER_BEST ? m->x[low_is_good ? 0 : m->n - 1] : median;
    if (t->solved) m->goal = isnan(t->min) ? stop_at(g->head->row, c->a) : t->min;
    return true;
}

static const char *seeds_text(Check *c, const Measure *m)
{
    Buf b = buf_new(c->a);
    buf_printf(&b, "%d seed%s", m->n, m->n == 1 ? "" : "s");
    for (int i = 0; i < m->n && m->n > 1; i++) buf_printf(&b, "%s%.3f", i ? " " : ": ", m->x[i]);
    return b.s;
}

static bool within_bounds(const Threshold *t, double v)
{
    if (!isnan(t->near)) return fabs(v - t->near) <= t->within + SLACK;
    return !(v < t->min - SLACK) && !(v > t->max + SLACK);
}

static const char *bounds_text(Check *c, const Threshold *t)
{
    if (!isnan(t->near)) return arena_printf(c->a, "%g within %g", t->near, t->within);
    if (!isnan(t->min) && !isnan(t->max)) return arena_printf(c->a, "%g..%g", t->min, t->max);
    return isnan(t->min) ? arena_printf(c->a, "<= %g", t->max) : arena_printf(c->a, ">= %g", t->min);
}

/* Compare with a word for what was wanted: "median 0.712, wanted >= 0.99 (3 seeds: ...)". */
static bool check_level(Check *c, const Threshold *t, const Group *g)
{
    Measure m;
    TRY(measure(c, g, t, &m));
    const char *what = arena_printf(c->a, "%s %s %s", group_name(c, g), t->slice, m.metric), *measured;
    int good = 0;
    bool ok;
    if (t->solved) {
        for (int i = 0; i < m.n; i++) good += m.x[i] >= m.goal - SLACK;
        ok = good >= t->solved && m.n >= t->of;
        measured = arena_printf(c->a, "%d of %d seeds reach %g, wanted %d%s (%s)", good, m.n, m.goal, t->solved,
                                t->of ? arena_printf(c->a, " of %d", t->of) : "", seeds_text(c, &m));
    } else if (t->over == OVER_ALL) {
        for (int i = 0; i < m.n; i++) good += within_bounds(t, m.x[i]);
        ok = m.n > 0 && good == m.n;
        measured =
            arena_printf(c->a, "%d of %d seeds, wanted all %s (%s)", good, m.n, bounds_text(c, t), seeds_text(c, &m));
    } else {
        ok = m.n > 0 && within_bounds(t, m.value);
        measured = arena_printf(c->a, "%s %.3f, wanted %s (%s)", over_names[t->over], m.value, bounds_text(c, t),
                                seeds_text(c, &m));
    }
    if (m.n == 0) measured = arena_printf(c->a, "no result, wanted %s", t->solved ? "solved seeds" : bounds_text(c, t));
    if (m.missing) measured = arena_printf(c->a, "%s; %d of %d runs are missing or failed", measured, m.missing, g->n);
    verdict(c, ok && !m.missing, what, measured, t->note);
    return true;
}

static bool check_levels(Check *c, const Threshold *t)
{
    int found = 0;
    for (int k = 0; k < c->groups; k++) {
        if (!where_matches(t->where, c->group[k].head->row, c->a)) continue;
        TRY(check_level(c, t, &c->group[k]));
        found++;
    }
    if (!found) skip(c, value_canonical(c->a, t->where));
    return true;
}

/* Do two groups agree in case, mixer and axes, but for what a pattern of the ordering names? */
static bool is_pair(const Plan *plan, const Threshold *t, const Group *b, const Group *w)
{
    bool named = value_get(t->better, "case") || value_get(t->worse, "case");
    if (b == w || (!named && strcmp(b->case_label, w->case_label) != 0)) return false;
    named = value_get(t->better, "mixer") || value_get(t->worse, "mixer");
    if (!named && strcmp(b->mixer_label, w->mixer_label) != 0) return false;
    for (int i = 0; i < plan->axes; i++) {
        named = value_get(t->better, plan->axis[i]) || value_get(t->worse, plan->axis[i]) ||
                select_is_over(plan, plan->axis[i]);
        if (!named && strcmp(b->head->row->cell[i], w->head->row->cell[i]) != 0) return false;
    }
    return true;
}

static bool check_pair(Check *c, const Threshold *t, const Group *b, const Group *w)
{
    Measure x, y;
    TRY(measure(c, b, t, &x));
    TRY(measure(c, w, t, &y));
    const double by = isnan(t->by) ? 0 : t->by;
    const bool low_is_good = strcmp(x.metric, "loss") == 0 || strcmp(x.metric, "state_reals") == 0;
    const double lead = low_is_good ? y.value - x.value : x.value - y.value;
    const char *what = arena_printf(c->a, "%s over %s %s %s", group_name(c, b), group_name(c, w), t->slice, x.metric);
    const char *measured =
        arena_printf(c->a, "%s %.3f against %.3f, wanted a lead of %g", over_names[t->over], x.value, y.value, by);
    bool ok = x.n > 0 && y.n > 0 && lead >= by - SLACK && (by > 0 || lead > 0);
    int missing = x.missing + y.missing;
    if (missing)
        measured = arena_printf(c->a, "%s; %d of %d runs are missing or failed", measured, missing, b->n + w->n);
    verdict(c, ok && !missing, what, measured, t->note);
    return true;
}

static bool check_ordering(Check *c, const Threshold *t)
{
    int found = 0;
    for (int i = 0; i < c->groups; i++) {
        if (!where_matches(t->better, c->group[i].head->row, c->a)) continue;
        for (int k = 0; k < c->groups; k++) {
            if (!where_matches(t->worse, c->group[k].head->row, c->a)) continue;
            if (!is_pair(c->plan, t, &c->group[i], &c->group[k])) continue;
            TRY(check_pair(c, t, &c->group[i], &c->group[k]));
            found++;
        }
    }
    if (found) return true;
    const char *what =
        arena_printf(c->a, "%s over %s", value_canonical(c->a, t->better), value_canonical(c->a, t->worse));
    if (!c->plan->narrowed)
        return fail_at(c->err, t->place, false, "threshold: 'better' and 'worse' share no case to compare in");
    skip(c, what);
    return true;
}

static bool check_all(Check *c, const char *results)
{
    int n;
    Threshold *t;
    RowResult *rows;
    TRY(thresholds_read(c->plan, c->a, &n, &t, c->err));
    if (n == 0) return err_set(c->err, EXIT_USAGE, "%s has no thresholds to check", c->plan->file);
    TRY(results_read(c->plan, results, c->a, &rows, c->err));
    c->groups = select_groups(c->plan, rows, c->a, &c->group);
    for (int i = 0; i < n; i++) TRY(t[i].better ? check_ordering(c, &t[i]) : check_levels(c, &t[i]));
    return true;
}

static int check_command(Cli *cli, Err *err)
{
    Plan plan;
    const char *format = cli_string(cli, "format");
    if (cli->n_args != 1) {
        err_set(err, EXIT_USAGE, "check: one config expected");
        return EXIT_USAGE;
    }
    if (strcmp(format, "text") != 0 && strcmp(format, "tap") != 0) {
        err_set(err, EXIT_USAGE, "--format: text or tap, not '%s'", format);
        return EXIT_USAGE;
    }
    if (!plan_read(cli->args[0], cli->n_sets, cli->sets, cli->arena, &plan, err)) return EXIT_USAGE;
    Check c = { .plan = &plan,
                .a = cli->arena,
                .tap = strcmp(format, "tap") == 0,
                .color = term_color(1),
                .fell = buf_new(cli->arena),
                .err = err };
    if (!check_all(&c, cli_string(cli, "results"))) return err->code ? err->code : EXIT_FAILED;
    if (c.tap) printf("1..%d\n", c.n);
    fflush(stdout);
    int n = c.n - c.skipped;
    if (c.failed)
        fprintf(stderr, "%s: %d of %d fell: %s\n", plan.name, c.failed, n, c.fell.s);
    else if (!c.tap)
        printf("%s: %d of %d hold\n", plan.name, n, n);
    return c.failed ? EXIT_THRESHOLD : EXIT_OK;
}

static const Flag check_flags[] = { { "results", 0, FLAG_STRING, "results", "DIR", "where runs/ is" },
                                    { "format", 'f', FLAG_STRING, "text", "FORMAT", "text or tap" },
                                    FLAG_END };

const Command command_check = {
    .name = "check",
    .synopsis = "CONFIG [key=value...] [--format tap]",
    .summary = "compare finished runs with the thresholds of their config",
    .description =
        "  seqprobe check configs/quick.yaml\n"
        "\n"
        "Prints a line per threshold with the measured values. Runs that are missing or failed are failures; with\n"
        "settings (mixer=gla) thresholds about rows left out are skipped. Exit code: 0 all hold, 2 the config is\n"
        "wrong, 3 some fell.\n",
    .flags = check_flags,
    .run = check_command,
};
