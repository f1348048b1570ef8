/* SPDX-License-Identifier: Apache-2.0
 * select.c - the learning rate of every (case, mixer), chosen on validation, and what its seeds reached on test.
 *
 * Rows that differ only in seed and in the axes of `select: {over: [train.lr]}` (the default) form a group; the others
 * axes, if any, distinguish groups. Among the learning rates of a group the one with the highest mean valid_headline
 * over its seeds is chosen; ties go to the lower rate, then to the earlier row. A diverged run counts 0; runs that
 * failed, timed out or have not ended do not count. Test numbers play no part in the choice.
 *
 * selected.csv, one row per group and slice, groups in plan order, slices as evaluated:
 *   case, mixer, one column per axis that distinguishes groups (train_steps ...)
 *   lr            chosen
 *   valid         mean valid_headline of its seeds
 *   n_lr          learning rates with a finished run
 *   n_seeds       finished runs at the chosen rate (a diverged one has 0 everywhere)
 *   solved        those whose test headline on this slice reaches train.stop_at
 *   step_solved   median step at which validation was solved, over the seeds that were; empty if none
 *   slice, len, metric    slice of the test split; its length; the headline accuracy
 *   median, min, max      over the seeds
 *   mean, lo, hi, n       seeds pooled: mean, 95 % Wilson interval with n trials
 *   chance        of this slice
 *   params, state_reals, train_flops     of the first seed
 *   best_run      id of the seed with the highest test headline on this slice
 *   runs          ids of all seeds at the chosen rate, separated by blanks
 * A group without a finished run has one row with n_seeds 0 and nothing behind it.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sweep/collect.h"
#include "sweep/plan_parts.h"
#include "sweep/stats.h"
#include "train/metrics.h"

bool select_check(const Value *select, Err *err)
{
    static const char *const names[] = { "over", NULL };
    char text[96];
    for (const Value *v = select ? select->first : NULL; v; v = v->next) {
        if (strcmp(v->key, "over") != 0)
            return fail_at(err, v, true, "select: unknown key '%s'%s", v->key, hint(v->key, names, text));
        if (v->kind != VALUE_LIST)
            return fail_at(err, v, false, "select: 'over' must be a list of paths such as [train.lr]");
        for (const Value *p = v->first; p; p = p->next) {
            if (p->kind != VALUE_SCALAR) return fail_at(err, p, false, "select: 'over' must be a list of paths");
            TRY(path_check(p->text, p, err));
        }
    }
    return true;
}

bool select_is_over(const Plan *plan, const char *path)
{
    const Value *over = value_get(plan->select, "over");
    if (!over) return strcmp(path, "train.lr") == 0;
    for (const Value *v = over->first; v; v = v->next)
        if (strcmp(v->text, path) == 0) return true;
    return false;
}

/* Same cells in the axes that are (over) or are not (!over) chosen over. */
static bool same_cells(const Plan *plan, const PlanRow *x, const PlanRow *y, bool over)
{
    for (int c = 0; c < plan->axes; c++)
        if (select_is_over(plan, plan->axis[c]) == over && strcmp(x->cell[c], y->cell[c]) != 0) return false;
    return true;
}

static bool same_group(const Plan *plan, const PlanRow *x, const PlanRow *y)
{
    return strcmp(x->case_label, y->case_label) == 0 && strcmp(x->mixer_label, y->mixer_label) == 0 &&
           same_cells(plan, x, y, false);
}

static bool same_candidate(const Plan *plan, const PlanRow *x, const PlanRow *y)
{
    return same_cells(plan, x, y, true) && (x->lr == y->lr || !select_is_over(plan, "train.lr"));
}

static double valid_of(const RowResult *r)
{
    double v = csv_num(&r->result, 0, "valid_headline");
    return r->state == RUN_DIVERGED || isnan(v) ? 0 : v;
}

/* Choose among the candidates of a group; each is tried at its first row. */
static void choose(const Plan *plan, Group *g)
{
    for (int i = 0; i < g->n; i++) {
        const PlanRow *at = g->row[i]->row;
        bool earlier = false;
        double sum = 0;
        int n = 0;
        for (int k = 0; k < i && !earlier; k++) earlier = same_candidate(plan, g->row[k]->row, at);
        for (int k = i; k < g->n && !earlier; k++) {
            if (!result_counts(g->row[k]) || !same_candidate(plan, g->row[k]->row, at)) continue;
            sum += valid_of(g->row[k]);
            n++;
        }
        if (n == 0) continue;
        g->candidates++;
        double mean = sum / n;
        if (g->chosen_n && (mean < g->valid || (mean == g->valid && at->lr >= g->lr))) continue;
        g->lr = at->lr;
        g->valid = mean;
        g->chosen_n = 0;
        for (int k = i; k < g->n; k++)
            if (result_counts(g->row[k]) && same_candidate(plan, g->row[k]->row, at))
                g->chosen[g->chosen_n++] = g->row[k];
    }
}

int select_groups(const Plan *plan, const RowResult *rows, Arena *a, Group **out)
{
    int n = 0;
    Group *g = ARENA_NEW(a, Group, plan->rows + 1);
    int *of = ARENA_NEW(a, int, plan->rows + 1);
    for (int i = 0; i < plan->rows; i++) {
        const PlanRow *row = rows[i].row;
        int k = 0;
        while (k < n && !same_group(plan, g[k].head->row, row)) k++;
        if (k == n)
            g[n++] = (Group){ .case_label = row->case_label, .mixer_label = row->mixer_label, .head = &rows[i] };
        of[i] = k;
        g[k].n++;
    }
    for (int k = 0; k < n; k++) {
        g[k].row = ARENA_NEW(a, const RowResult *, g[k].n);
        g[k].chosen = ARENA_NEW(a, const RowResult *, g[k].n);
        g[k].n = 0;
    }
    for (int i = 0; i < plan->rows; i++) g[of[i]].row[g[of[i]].n++] = &rows[i];
    for (int k = 0; k < n; k++) choose(plan, &g[k]);
    *out = g;
    return n;
}

/* ---- selected.csv ----------------------------------------------------------------------------------------------- */

typedef struct Writer {
    const Plan *plan;
    Arena *tmp;
    Buf b;
    Err *err;
} Writer;

static void put_real(Buf *b, double v)
{
    buf_puts(b, ",");
    buf_real(b, v);
}

static void put_labels(Writer *w, const Group *g)
{
    buf_csv(&w->b, g->case_label);
    buf_puts(&w->b, ",");
    buf_csv(&w->b, g->mixer_label);
    for (int c = 0; c < w->plan->axes; c++) {
        if (select_is_over(w->plan, w->plan->axis[c])) continue;
        buf_puts(&w->b, ",");
        buf_csv(&w->b, g->head->row->cell[c]);
    }
}

/* The last column, and the end of the line. */
static void put_runs(Buf *b, const Group *g)
{
    for (int i = 0; i < g->chosen_n; i++) buf_printf(b, "%s%s", i ? " " : ",", g->chosen[i]->row->id);
    buf_puts(b, g->chosen_n ? "\n" : ",\n");
}

static double stop_at(const RowResult *r, Arena *a)
{
    RunSpec s;
    Err none = { 0 };
    return run_resolve(r->row->config, a, &s, &none) ? s.train.stop_at : 1;
}

/* Values of one slice over the seeds. */
static void put_slice(Writer *w, const Group *g, const Csv *metrics, const char *slice, const char *metric, double goal)
{
    double *x = ARENA_NEW(w->tmp, double, g->chosen_n), *steps = ARENA_NEW(w->tmp, double, g->chosen_n);
    double lo = 0, hi = 0, sum = 0, best = -1;
    int solved = 0, with_step = 0, len = 0;
    long n = 0;
    const char *best_run = "";
    Metric chance = { .value = (double)NAN };
    for (int i = 0; i < g->chosen_n; i++) {
        Metric m = { 0 };
        if (metric_find(&metrics[i], "test", slice, metric, &m)) len = m.len;
        x[i] = isnan(m.value) ? 0 : m.value;
        sum += x[i];
        n += m.n;
        solved += x[i] >= goal;
        if (x[i] > best) best_run = g->chosen[i]->row->id;
        if (x[i] > best) best = x[i];
        double step = csv_num(&g->chosen[i]->result, 0, "step_solved");
        if (step >= 0) steps[with_step++] = step;
        if (isnan(chance.value)) metric_find(&metrics[i], "test", slice, "chance", &chance);
    }
    double mean = sum / g->chosen_n, median = median_of(x, g->chosen_n);
    Buf *b = &w->b;
    wilson(mean, n, &lo, &hi);
    put_labels(w, g);
    put_real(b, g->lr);
    put_real(b, g->valid);
    buf_printf(b, ",%d,%d,%d", g->candidates, g->chosen_n, solved);
    put_real(b, median_of(steps, with_step));
    buf_puts(b, ",");
    buf_csv(b, slice);
    buf_printf(b, ",%d,%s", len, metric);
    put_real(b, median);
    put_real(b, x[0]);
    put_real(b, x[g->chosen_n - 1]);
    put_real(b, mean);
    put_real(b, lo);
    put_real(b, hi);
    buf_printf(b, ",%ld", n);
    put_real(b, chance.value);
    static const char *const copied[] = { "params", "state_reals", "train_flops", NULL };
    for (const char *const *c = copied; *c; c++) {
        buf_puts(b, ",");
        buf_csv(b, csv_get(&g->chosen[0]->result, 0, *c));
    }
    buf_printf(b, ",%s", best_run);
    put_runs(b, g);
}

static bool put_group(Writer *w, const Group *g)
{
    enum { EMPTY_BEHIND = 16 }; /* and then the runs */
    int slices = 0;
    Csv *metrics = ARENA_NEW(w->tmp, Csv, g->chosen_n + 1);
    for (int i = 0; i < g->chosen_n; i++) {
        const char *path = path_join(w->tmp, g->chosen[i]->dir, "metrics.csv");
        if (file_exists(path)) TRY(csv_read(path, w->tmp, &metrics[i], w->err));
    }
    const char *metric = "";
    double goal = g->chosen_n ? stop_at(g->chosen[0], w->tmp) : 1;
    const Csv *from = NULL; /* a seed that was tested; diverged ones may not have been */
    for (int i = 0; i < g->chosen_n && !from; i++) {
        metric = csv_get(&g->chosen[i]->result, 0, "headline");
        for (int k = 0; k < metrics[i].rows && !from; k++)
            if (strcmp(csv_get(&metrics[i], k, "split"), "test") == 0) from = &metrics[i];
    }
    for (int k = 0; from && k < from->rows; k++) {
        const char *slice = csv_get(from, k, "slice");
        if (strcmp(csv_get(from, k, "split"), "test") != 0 || strcmp(csv_get(from, k, "metric"), metric) != 0 ||
            strchr(slice, ':'))
            continue;
        put_slice(w, g, metrics, slice, metric, goal);
        slices++;
    }
    if (slices) return true;
    put_labels(w, g);
    if (g->chosen_n) {
        put_real(&w->b, g->lr);
        put_real(&w->b, g->valid);
    } else {
        buf_puts(&w->b, ",,");
    }
    buf_printf(&w->b, ",%d,%d,0", g->candidates, g->chosen_n);
    for (int i = 0; i < EMPTY_BEHIND; i++) buf_puts(&w->b, ",");
    put_runs(&w->b, g);
    return true;
}

bool select_write(const Plan *plan, const RowResult *rows, const char *results, Err *err)
{
    Arena *a = arena_new("select");
    Writer w = { .plan = plan, .tmp = arena_new("select group"), .b = buf_new(a), .err = err };
    Group *g;
    int n = select_groups(plan, rows, a, &g);
    bool ok = true;
    buf_puts(&w.b, "case,mixer");
    for (int c = 0; c < plan->axes; c++)
        if (!select_is_over(plan, plan->axis[c])) buf_printf(&w.b, ",%s", plan_column(a, plan->axis[c]));
    buf_puts(&w.b,
             ",lr,valid,n_lr,n_seeds,solved,step_solved,slice,len,metric,median,min,max,mean,lo,hi,n,chance,params,"
             "state_reals,train_flops,best_run,runs\n");
    for (int k = 0; k < n && ok; k++) {
        size_t mark = arena_mark(w.tmp);
        ok = put_group(&w, &g[k]);
        arena_reset(w.tmp, mark);
    }
    if (ok) {
        const char *path = path_join(a, path_join(a, results, plan->name), "selected.csv");
        ok = file_write_atomic(path, w.b.s, w.b.len, err);
    }
    arena_free(w.tmp);
    arena_free(a);
    return ok;
}
