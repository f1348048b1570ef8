/* SPDX-License-Identifier: Apache-2.0
 * selected.c - what the seeds of the chosen rate reached on test: selected.csv, and the measures of verdicts.
 *
 * selected.csv, one row per group of select.c and slice, groups in plan order, slices as evaluated:
 *   case, mixer, one column per axis that distinguishes groups (train_steps ...)
 *   lr            chosen
 *   valid         mean valid_headline of its seeds
 *   n_lr          candidates with a finished run
 *   n_seeds       finished runs of the choice (a diverged one has accuracy 0)
 *   solved        those whose test headline on this slice reaches train.stop_at
 *   step_solved   median step at which validation was solved, over the seeds that were; empty if none
 *   slice, len, metric    slice of the test split; its length; the headline accuracy
 *   median, min, max      over the seeds
 *   mean, lo, hi, n       seeds pooled: mean, 95 % Wilson interval with n trials
 *   chance        of this slice
 *   params, state_reals, train_flops     of the first seed
 *   best_run      id of the seed with the highest test headline on this slice: where to look, chosen for nothing else
 *   runs          ids of all seeds of the choice, separated by blanks
 *   sd            standard deviation over the seeds (n-1); empty for one seed, as are
 *   seed_lo, seed_hi      95 % interval of the mean over seeds (stats.h), within [0, 1]
 *   solved_lo, solved_hi  95 % Wilson interval of solved of n_seeds
 *   selected_by   the number that chose: valid_headline
 *   choice        the chosen values of all axes of `select: {over: [...]}`: "train.lr=0.003 train.weight_decay=0.1"
 * A group without a finished run has one row with n_seeds 0; one without a tested run has one row without a slice.
 * Only additions, at the end. Nothing here depends on when or where the runs were made.
 */
#include <math.h>
#include <string.h>

#include "sweep/collect.h"
#include "train/metrics.h"

static const char columns[] = "lr,valid,n_lr,n_seeds,solved,step_solved,slice,len,metric,median,min,max,mean,lo,hi,n,"
                              "chance,params,state_reals,train_flops,best_run,runs,sd,seed_lo,seed_hi,solved_lo,"
                              "solved_hi,selected_by,choice\n";
enum { SLICE_COLUMNS = 15 }; /* slice to best_run */

bool metric_is_accuracy(const char *metric) { return strncmp(metric, "acc_", 4) == 0; }

bool metric_low_is_good(const char *metric) { return !strcmp(metric, "loss") || !strcmp(metric, "state_reals"); }

double row_goal(const PlanRow *row, Arena *a)
{
    RunSpec s;
    Err none = { 0 };
    return run_resolve(row->config, a, &s, &none) ? s.train.stop_at : 1;
}

/* ---- measures --------------------------------------------------------------------------------------------------- */

bool group_metrics(const Group *g, Arena *a, Csv **out, Err *err)
{
    *out = ARENA_NEW(a, Csv, g->chosen_n + 1);
    for (int i = 0; i < g->chosen_n; i++) {
        const char *path = path_join(a, g->chosen[i]->dir, "metrics.csv");
        if (file_exists(path)) TRY(csv_read(path, a, &(*out)[i], err));
    }
    return true;
}

static double diverged_value(const char *metric)
{
    if (metric_is_accuracy(metric)) return 0;
    return strcmp(metric, "loss") == 0 ? (double)INFINITY : (double)NAN;
}

static const char *group_headline(const Group *g)
{
    const char *metric = "";
    for (int i = 0; i < g->chosen_n && !*metric; i++) metric = csv_get(&g->chosen[i]->result, 0, "headline");
    return metric;
}

Measure group_measure(const Group *g, const Csv *metrics, const char *slice, const char *metric, Arena *a)
{
    Measure m = { .slice = slice, .metric = metric ? metric : group_headline(g), .chance = (double)NAN };
    m.n = g->chosen_n;
    m.x = ARENA_NEW(a, double, m.n + 1);
    for (int i = 0; i < m.n; i++) {
        Metric found = { .value = (double)NAN }, chance;
        if (metric_find(&metrics[i], "test", slice, m.metric, &found)) m.len = found.len;
        if (isnan(found.value) && g->chosen[i]->state == RUN_DIVERGED) found.value = diverged_value(m.metric);
        m.x[i] = found.value;
        m.found += !isnan(found.value);
        m.trials += found.n;
        if (isnan(m.chance) && metric_find(&metrics[i], "test", slice, "chance", &chance)) m.chance = chance.value;
    }
    return m;
}

Summary measure_summary(const Measure *m, double goal, Arena *a)
{
    double *x = ARENA_NEW(a, double, m->n + 1), share;
    Summary s = { .min = (double)NAN, .max = (double)NAN };
    for (int i = 0; i < m->n; i++) {
        if (isnan(m->x[i])) continue;
        s.solved += m->x[i] >= goal;
        x[s.n++] = m->x[i];
    }
    s.mean = mean_of(x, s.n); /* in the order of the seeds: the last digit depends on it */
    s.sd = deviation_of(x, s.n);
    s.seeds = seed_interval(x, s.n);
    s.median = median_of(x, s.n);
    if (s.n) s.min = x[0];
    if (s.n) s.max = x[s.n - 1];
    const bool accuracy = metric_is_accuracy(m->metric);
    if (accuracy && s.seeds.lo < 0) s.seeds.lo = 0;
    if (accuracy && s.seeds.hi > 1) s.seeds.hi = 1;
    share = s.n ? (double)s.solved / s.n : (double)NAN;
    wilson(share, s.n, &s.solved_share.lo, &s.solved_share.hi);
    wilson(accuracy ? s.mean : (double)NAN, m->trials, &s.pooled.lo, &s.pooled.hi);
    return s;
}

int seeds_paired(const Group *g, const Measure *x, const Group *h, const Measure *y, double *px, double *py)
{
    int n = 0;
    for (int i = 0; i < x->n; i++)
        for (int k = 0; k < y->n; k++) {
            if (g->chosen[i]->row->seed != h->chosen[k]->row->seed || isnan(x->x[i]) || isnan(y->x[k])) continue;
            px[n] = x->x[i];
            py[n++] = y->x[k];
            break;
        }
    return n;
}

/* ---- selected.csv ----------------------------------------------------------------------------------------------- */

typedef struct Writer {
    const Plan *plan;
    Arena *tmp;
    Buf *b;
    Err *err;
} Writer;

static void put_real(Buf *b, double v)
{
    buf_puts(b, ",");
    buf_real(b, v);
}

static void put_text(Buf *b, const char *text)
{
    buf_puts(b, ",");
    buf_csv(b, text);
}

/* The columns up to n_seeds. */
static void put_choice(Writer *w, const Group *g, int n_seeds)
{
    buf_csv(w->b, g->case_label);
    put_text(w->b, g->mixer_label);
    for (int c = 0; c < w->plan->axes; c++)
        if (!select_is_over(w->plan, w->plan->axis[c])) put_text(w->b, g->head->row->cell[c]);
    put_real(w->b, g->chosen_n ? g->lr : (double)NAN);
    put_real(w->b, g->chosen_n ? g->valid : (double)NAN);
    buf_printf(w->b, ",%d,%d", g->candidates, n_seeds);
}

static void put_runs(Writer *w, const Group *g)
{
    for (int i = 0; i < g->chosen_n; i++) buf_printf(w->b, "%s%s", i ? " " : ",", g->chosen[i]->row->id);
    if (!g->chosen_n) buf_puts(w->b, ",");
}

static void put_end(Writer *w, const Group *g)
{
    put_text(w->b, g->chosen_n ? "valid_headline" : "");
    put_text(w->b, group_choice(w->plan, g, w->tmp));
    buf_puts(w->b, "\n");
}

static double median_step(const Group *g, Arena *a)
{
    double *steps = ARENA_NEW(a, double, g->chosen_n + 1);
    int n = 0;
    for (int i = 0; i < g->chosen_n; i++) {
        double step = csv_num(&g->chosen[i]->result, 0, "step_solved");
        if (step >= 0) steps[n++] = step;
    }
    return median_of(steps, n);
}

static const char *best_run(const Group *g, const Measure *m)
{
    int best = -1;
    for (int i = 0; i < m->n; i++)
        if (!isnan(m->x[i]) && (best < 0 || m->x[i] > m->x[best])) best = i;
    return best < 0 ? "" : g->chosen[best]->row->id;
}

static void put_slice(Writer *w, const Group *g, const Measure *m, double goal)
{
    static const char *const copied[] = { "params", "state_reals", "train_flops", NULL };
    const Summary s = measure_summary(m, goal, w->tmp);
    Buf *b = w->b;
    put_choice(w, g, s.n);
    buf_printf(b, ",%d", s.solved);
    put_real(b, median_step(g, w->tmp));
    put_text(b, m->slice);
    buf_printf(b, ",%d,%s", m->len, m->metric);
    const double values[] = { s.median, s.min, s.max, s.mean, s.pooled.lo, s.pooled.hi };
    for (int i = 0; i < 6; i++) put_real(b, values[i]);
    buf_printf(b, ",%ld", m->trials);
    put_real(b, m->chance);
    for (const char *const *c = copied; *c; c++) put_text(b, csv_get(&g->chosen[0]->result, 0, *c));
    put_text(b, best_run(g, m));
    put_runs(w, g);
    const double seeds[] = { s.sd, s.seeds.lo, s.seeds.hi, s.solved_share.lo, s.solved_share.hi };
    for (int i = 0; i < 5; i++) put_real(b, seeds[i]);
    put_end(w, g);
}

static void put_untested(Writer *w, const Group *g)
{
    double lo, hi;
    put_choice(w, g, g->chosen_n);
    buf_puts(w->b, ",0,"); /* solved; no step */
    for (int i = 0; i < SLICE_COLUMNS; i++) buf_puts(w->b, ",");
    put_runs(w, g);
    buf_puts(w->b, ",,,");
    wilson(0, g->chosen_n, &lo, &hi);
    put_real(w->b, lo);
    put_real(w->b, hi);
    put_end(w, g);
}

static bool put_group(Writer *w, const Group *g)
{
    Csv *metrics;
    const Csv *from = NULL; /* a seed that was tested; diverged ones were not */
    int slices = 0;
    TRY(group_metrics(g, w->tmp, &metrics, w->err));
    for (int i = 0; i < g->chosen_n && !from; i++)
        for (int k = 0; k < metrics[i].rows && !from; k++)
            if (strcmp(csv_get(&metrics[i], k, "split"), "test") == 0) from = &metrics[i];
    const double goal = from ? row_goal(g->chosen[0]->row, w->tmp) : 1;
    const char *metric = group_headline(g);
    for (int k = 0; from && k < from->rows; k++) {
        const char *slice = csv_get(from, k, "slice");
        if (strcmp(csv_get(from, k, "split"), "test") != 0 || strcmp(csv_get(from, k, "metric"), metric) != 0 ||
            strchr(slice, ':'))
            continue;
        const Measure m = group_measure(g, metrics, slice, metric, w->tmp);
        put_slice(w, g, &m, goal);
        slices++;
    }
    if (!slices) put_untested(w, g);
    return true;
}

bool selected_text(const Plan *plan, const RowResult *rows, Buf *out, Err *err)
{
    Writer w = { .plan = plan, .tmp = arena_new("selected"), .b = out, .err = err };
    Group *g;
    int n = select_groups(plan, rows, out->a, &g);
    bool ok = true;
    buf_puts(out, "case,mixer,");
    for (int c = 0; c < plan->axes; c++)
        if (!select_is_over(plan, plan->axis[c])) buf_printf(out, "%s,", plan_column(out->a, plan->axis[c]));
    buf_puts(out, columns);
    for (int k = 0; k < n && ok; k++) {
        size_t mark = arena_mark(w.tmp);
        ok = put_group(&w, &g[k]);
        arena_reset(w.tmp, mark);
    }
    arena_free(w.tmp);
    return ok;
}

bool select_write(const Plan *plan, const RowResult *rows, const char *results, Err *err)
{
    Arena *a = arena_new("selected.csv");
    Buf b = buf_new(a);
    const char *path = path_join(a, path_join(a, results, plan->name), "selected.csv");
    bool ok = selected_text(plan, rows, &b, err) && file_write_atomic(path, b.s, b.len, err);
    arena_free(a);
    return ok;
}
