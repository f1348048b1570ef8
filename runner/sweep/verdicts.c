/* SPDX-License-Identifier: Apache-2.0
 * verdicts.c - the thresholds of a config, measured on its runs.
 *
 * A level is measured for every group (case, mixer, other axes) that it matches, over the seeds of the choice that
 * select.c made; an ordering for every pair of groups that agree in whatever neither of its patterns names. A group
 * with runs that have not finished falls: its choice is not final. A diverged run counts 0 (its loss: infinite).
 *
 * Texts: the number that decides, the bound, then the seeds from low to high, their mean and its 95 % interval
 * (stats.h; with one seed Wilson's over the test set). An ordering adds the mean difference over the seeds both have.
 */
#include "sweep/verdicts.h"

#include <math.h>
#include <string.h>

#include "sweep/plan_parts.h"

#define SLACK 1e-9 /* values are printed with nine digits */

typedef struct Judge {
    const Plan *plan;
    Arena *a, *tmp;
    int groups;
    Group *group;
    int n, cap;
    Verdict *verdict;
    Err *err;
} Judge;

/* A group measured for a threshold. */
typedef struct Level {
    Measure m;
    Summary s;
    int missing; /* runs without a number */
    double goal; /* of `solved` */
    double value;
} Level;

static void add_verdict(Judge *j, Verdict v)
{
    if (j->n == j->cap) {
        j->cap = j->cap ? 2 * j->cap : 32;
        Verdict *all = ARENA_NEW(j->a, Verdict, j->cap);
        if (j->n) memcpy(all, j->verdict, (size_t)j->n * sizeof *all);
        j->verdict = all;
    }
    j->verdict[j->n++] = v;
}

static void skip(Judge *j, const Threshold *t, const char *what)
{
    const double none = (double)NAN;
    add_verdict(j, (Verdict){ VERDICT_SKIPPED, what, "", t->note, none, none, none });
}

const char *value_digits(double v, Arena *a)
{
    if (isnan(v)) return "-";
    if (isinf(v)) return v < 0 ? "-inf" : "inf";
    if (fabs(v) >= 1000) return arena_printf(a, "%.6g", v);
    const bool fine = (v < 1 && v >= 0.9995) || (v != 0 && fabs(v) < 0.0005);
    return arena_printf(a, fine ? "%.6f" : "%.3f", v);
}

static const char *interval_digits(Interval i, Arena *a)
{
    return arena_printf(a, "[%s, %s]", value_digits(i.lo, a), value_digits(i.hi, a));
}

static bool measure(Judge *j, const Group *g, const Threshold *t, Level *l)
{
    Csv *metrics;
    *l = (Level){ .value = (double)NAN, .goal = (double)NAN };
    for (int i = 0; i < g->n; i++) l->missing += !result_counts(g->row[i]);
    TRY(group_metrics(g, j->tmp, &metrics, j->err));
    l->m = group_measure(g, metrics, t->slice, t->metric, j->tmp);
    l->missing += l->m.n - l->m.found;
    if (t->solved) l->goal = isnan(t->min) ? row_goal(g->head->row, j->tmp) : t->min;
    l->s = measure_summary(&l->m, t->solved ? l->goal - SLACK : 1, j->tmp);
    l->value = l->s.median;
    if (t->over == OVER_BEST) l->value = metric_low_is_good(l->m.metric) ? l->s.min : l->s.max;
    if (!*l->m.metric) l->m.metric = "headline"; /* nothing finished that could tell */
    return true;
}

/* "3 seeds: 0.573 0.998 1.000; mean 0.857 [0.252, 1.000]" */
static const char *seeds_text(const Level *l, Arena *a)
{
    const Summary *s = &l->s;
    if (s->n == 1) {
        const char *wilson = isnan(s->pooled.lo) ? "" : arena_printf(a, "; %s", interval_digits(s->pooled, a));
        return arena_printf(a, "1 seed%s", wilson);
    }
    Buf b = buf_new(a);
    double *x = ARENA_NEW(a, double, s->n + 1);
    for (int i = 0, n = 0; i < l->m.n; i++)
        if (!isnan(l->m.x[i])) x[n++] = l->m.x[i];
    median_of(x, s->n);
    buf_printf(&b, "%d seeds", s->n);
    for (int i = 0; i < s->n; i++) buf_printf(&b, "%s%s", i ? " " : ": ", value_digits(x[i], a));
    if (s->n && isfinite(s->mean))
        buf_printf(&b, "; mean %s %s", value_digits(s->mean, a), interval_digits(s->seeds, a));
    return b.s;
}

static bool within_bounds(const Threshold *t, double v)
{
    if (!isnan(t->near)) return fabs(v - t->near) <= t->within + SLACK;
    return !(v < t->min - SLACK) && !(v > t->max + SLACK);
}

static const char *bounds_text(const Threshold *t, Arena *a)
{
    if (!isnan(t->near)) return arena_printf(a, "%g within %g", t->near, t->within);
    if (!isnan(t->min) && !isnan(t->max)) return arena_printf(a, "%g..%g", t->min, t->max);
    return isnan(t->min) ? arena_printf(a, "<= %g", t->max) : arena_printf(a, ">= %g", t->min);
}

static void set_bounds(const Threshold *t, Verdict *v)
{
    v->least = isnan(t->near) ? t->min : t->near - t->within;
    v->most = isnan(t->near) ? t->max : t->near + t->within;
}

static bool judge_solved(const Threshold *t, const Level *l, Verdict *v, Arena *a)
{
    v->value = l->s.solved;
    v->least = t->solved;
    v->most = (double)NAN;
    v->measured = arena_printf(a, "%d of %d seeds reach %g, wanted %d%s (%s)", l->s.solved, l->s.n, l->goal, t->solved,
                               t->of ? arena_printf(a, " of %d", t->of) : "", seeds_text(l, a));
    return l->s.solved >= t->solved && l->s.n >= t->of;
}

/* "cannot: max over 3 seeds 0.573 <= 0.65 (...)" */
static bool judge_claim(const Threshold *t, const Level *l, Verdict *v, Arena *a)
{
    const bool can = t->claim == CLAIM_CAN, ok = within_bounds(t, l->s.max);
    v->value = l->s.max;
    const char *seeds = arena_printf(a, "%d seed%s", l->s.n, l->s.n == 1 ? "" : "s");
    if (l->s.n < t->of) seeds = arena_printf(a, "%s (wanted %d)", seeds, t->of);
    v->measured = arena_printf(a, "%s %s %s %s %g (%s)", can ? "can: best of" : "cannot: max over", seeds,
                               value_digits(v->value, a), can == ok ? (can ? ">=" : ">") : (can ? "<" : "<="),
                               can ? t->min : t->max, seeds_text(l, a));
    return ok && l->s.n >= t->of;
}

static bool judge_all(const Threshold *t, const Level *l, Verdict *v, Arena *a)
{
    int good = 0;
    for (int i = 0; i < l->m.n; i++) good += !isnan(l->m.x[i]) && within_bounds(t, l->m.x[i]);
    v->value = within_bounds(t, l->s.min) ? l->s.max : l->s.min; /* one that falls, if any does */
    v->measured =
        arena_printf(a, "%d of %d seeds, wanted all %s (%s)", good, l->s.n, bounds_text(t, a), seeds_text(l, a));
    return good == l->s.n;
}

static bool judge_level(Judge *j, const Threshold *t, const Group *g)
{
    Level l;
    Arena *a = j->a;
    bool ok = false;
    TRY(measure(j, g, t, &l));
    Verdict v = { .note = t->note, .value = l.value };
    v.what = arena_printf(a, "%s %s %s", group_name(j->plan, g, a), t->slice, l.m.metric);
    set_bounds(t, &v);
    if (l.s.n == 0) {
        v.measured = arena_printf(a, "no result, wanted %s", t->solved ? "solved seeds" : bounds_text(t, a));
    } else if (t->solved) {
        ok = judge_solved(t, &l, &v, a);
    } else if (t->claim) {
        ok = judge_claim(t, &l, &v, a);
    } else if (t->over == OVER_ALL) {
        ok = judge_all(t, &l, &v, a);
    } else {
        ok = within_bounds(t, l.value);
        v.measured = arena_printf(a, "%s %s, wanted %s (%s)", over_names[t->over], value_digits(l.value, a),
                                  bounds_text(t, a), seeds_text(&l, a));
    }
    if (l.missing) v.measured = arena_printf(a, "%s; %d of %d runs are missing or failed", v.measured, l.missing, g->n);
    v.kind = ok && !l.missing ? VERDICT_HOLDS : VERDICT_FELL;
    add_verdict(j, v);
    return true;
}

static bool judge_levels(Judge *j, const Threshold *t)
{
    int found = 0;
    for (int k = 0; k < j->groups; k++) {
        if (!where_matches(t->where, j->group[k].head->row, j->tmp)) continue;
        const size_t mark = arena_mark(j->tmp);
        TRY(judge_level(j, t, &j->group[k]));
        arena_reset(j->tmp, mark);
        found++;
    }
    if (!found) skip(j, t, value_canonical(j->a, t->where));
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

/* "; over the same 3 seeds 0.824 [0.810, 0.838]", or nothing for less than two. */
static const char *paired_text(Judge *j, const Group *b, const Level *x, const Group *w, const Level *y)
{
    double *px = ARENA_NEW(j->tmp, double, x->m.n + 1), *py = ARENA_NEW(j->tmp, double, x->m.n + 1);
    int n = seeds_paired(b, &x->m, w, &y->m, px, py);
    Paired p = metric_low_is_good(x->m.metric) ? paired_compare(py, px, n, j->tmp) : paired_compare(px, py, n, j->tmp);
    if (n < 2 || !isfinite(p.mean)) return "";
    return arena_printf(j->a, "; over the same %d seeds %s %s", n, value_digits(p.mean, j->a),
                        interval_digits(p.interval, j->a));
}

static bool judge_pair(Judge *j, const Threshold *t, const Group *b, const Group *w)
{
    Level x, y;
    Arena *a = j->a;
    TRY(measure(j, b, t, &x) && measure(j, w, t, &y));
    const double by = isnan(t->by) ? 0 : t->by;
    const double lead = metric_low_is_good(x.m.metric) ? y.value - x.value : x.value - y.value;
    const bool ok = x.s.n > 0 && y.s.n > 0 && lead >= by - SLACK && (by > 0 || lead > 0);
    const int missing = x.missing + y.missing;
    Verdict v = { .note = t->note, .value = lead, .least = by, .most = (double)NAN };
    v.what =
        arena_printf(a, "%s over %s %s %s", group_name(j->plan, b, a), group_name(j->plan, w, a), t->slice, x.m.metric);
    v.measured = arena_printf(a, "%s %s against %s, wanted a lead of %g%s", over_names[t->over],
                              value_digits(x.value, a), value_digits(y.value, a), by, paired_text(j, b, &x, w, &y));
    if (missing)
        v.measured = arena_printf(a, "%s; %d of %d runs are missing or failed", v.measured, missing, b->n + w->n);
    v.kind = ok && !missing ? VERDICT_HOLDS : VERDICT_FELL;
    add_verdict(j, v);
    return true;
}

static bool judge_ordering(Judge *j, const Threshold *t)
{
    int found = 0;
    for (int i = 0; i < j->groups; i++) {
        if (!where_matches(t->better, j->group[i].head->row, j->tmp)) continue;
        for (int k = 0; k < j->groups; k++) {
            if (!where_matches(t->worse, j->group[k].head->row, j->tmp)) continue;
            if (!is_pair(j->plan, t, &j->group[i], &j->group[k])) continue;
            const size_t mark = arena_mark(j->tmp);
            TRY(judge_pair(j, t, &j->group[i], &j->group[k]));
            arena_reset(j->tmp, mark);
            found++;
        }
    }
    if (found) return true;
    const char *what =
        arena_printf(j->a, "%s over %s", value_canonical(j->a, t->better), value_canonical(j->a, t->worse));
    if (!j->plan->narrowed)
        return fail_at(j->err, t->place, false, "threshold: 'better' and 'worse' share no case to compare in");
    skip(j, t, what);
    return true;
}

static bool judge_all_thresholds(Judge *j, const char *results)
{
    int n;
    Threshold *t;
    RowResult *rows;
    TRY(thresholds_read(j->plan, j->a, &n, &t, j->err));
    if (n == 0) return true;
    TRY(results_read(j->plan, results, j->a, &rows, j->err));
    j->groups = select_groups(j->plan, rows, j->a, &j->group);
    for (int i = 0; i < n; i++) TRY(t[i].better ? judge_ordering(j, &t[i]) : judge_levels(j, &t[i]));
    return true;
}

bool verdicts_measure(const Plan *plan, const char *results, Arena *a, int *n, Verdict **out, Err *err)
{
    Judge j = { .plan = plan, .a = a, .tmp = arena_new("verdicts"), .err = err };
    bool ok = judge_all_thresholds(&j, results);
    arena_free(j.tmp);
    *n = j.n;
    *out = j.verdict;
    return ok;
}
