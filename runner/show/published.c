/* SPDX-License-Identifier: Apache-2.0
 * published.c - compare the cells of a sweep with published numbers.
 *
 * ours      best, median or mean of our seeds, as the source sums up its own (median where it does not say); scaled,
 *           (acc - chance) / (1 - chance) with the majority baseline of our test set, where the source scales.
 *           Its interval: of the best, the 95 % Wilson interval of that seed; of the median, from the smallest to the
 *           largest seed and at least Wilson's; of the mean, Student's t over the seeds and at least Wilson's.
 * verdict   agrees      the values are within TOLERANCE, or the intervals meet and ours is not wider than WIDE (seeds
 *                       that scatter over half the scale meet every value and confirm none)
 *           same order  another value, but every row of the same table from which the published value differs by more
 *                       than two TOLERANCEs lies on the same side of ours, by one or with intervals apart
 *           differs     neither
 *           A text is compared with seeds solved: solved means more than half of ours, unsolved none of them.
 * TOLERANCE 0.05 is about twice 0.027, the median of the standard deviations over seeds that the published tables give
 *           where seeds differ at all.
 */
#include "show/published.h"

#include <math.h>
#include <string.h>

#include "show/facts.h"
#include "sweep/collect.h"
#include "sweep/plan_parts.h"
#include "train/metrics.h"

#define TOLERANCE 0.05
#define WIDE      (4 * TOLERANCE)

const char *comparison_verdict_name(ComparisonVerdict v)
{
    static const char *const names[] = {
        [AGREES] = "agrees", [DIFFERS] = "differs", [ORDER_ONLY] = "same order", [NO_VERDICT] = ""
    };
    return names[v];
}

/* ---- ours ------------------------------------------------------------------------------------------------------- */

/* What the seeds reached on one slice. */
typedef struct Seeds {
    int n, len;
    double x[64];
    Interval wilson[64]; /* of each */
} Seeds;

/* From the metrics of the runs; false if one of them has not this metric. */
static bool read_seeds(const Cells *s, const Cell *c, const char *slice, const char *metric, Arena *a, Seeds *out)
{
    out->n = 0;
    for (int i = 0; i < c->n_runs && i < 64; i++) {
        Csv csv;
        Metric m;
        Err none = { 0 };
        const char *path = arena_printf(a, "%s/runs/%s/metrics.csv", s->results, c->run[i]);
        if (!file_exists(path) || !csv_read(path, a, &csv, &none)) return false;
        if (!metric_find(&csv, "test", slice, metric, &m)) return false;
        out->len = m.len;
        out->x[out->n] = m.value;
        out->wilson[out->n++] = (Interval){ m.lo, m.hi };
    }
    return out->n > 0;
}

/* From selected.csv: all that median, smallest and largest can say. */
static void seeds_of_point(const Point *p, int n_seeds, Seeds *out)
{
    const double value[3] = { p->lo, p->acc, p->hi };
    const bool one = n_seeds < 2;
    out->len = p->len;
    out->n = one ? 1 : n_seeds == 2 ? 2 : 3;
    for (int i = 0; i < out->n; i++) {
        out->x[i] = one ? p->acc : value[out->n == 2 ? 2 * i : i];
        wilson(out->x[i], p->n / (one ? 1 : n_seeds), &out->wilson[i].lo, &out->wilson[i].hi);
    }
}

static Interval hull(Interval a, Interval b)
{
    return (Interval){ fmin(a.lo, b.lo), fmax(a.hi, b.hi) }; /* fmin and fmax pass NaN over */
}

static void sum_up(const Seeds *s, const Point *p, const char *over, Comparison *c)
{
    int best = 0;
    double sorted[64], spread_lo = s->x[0], spread_hi = s->x[0];
    Interval i;
    for (int k = 0; k < s->n; k++) {
        if (s->x[k] > s->x[best]) best = k;
        sorted[k] = s->x[k];
        spread_lo = fmin(spread_lo, s->x[k]);
        spread_hi = fmax(spread_hi, s->x[k]);
    }
    if (!strcmp(over, "best")) {
        c->ours = s->x[best];
        i = s->wilson[best];
    } else if (!strcmp(over, "mean")) {
        c->ours = s->n == c->seeds ? mean_of(s->x, s->n) : p->mean;
        i = s->n == c->seeds ? seed_interval(s->x, s->n) : (Interval){ spread_lo, spread_hi };
        wilson(c->ours, p->n, &c->ours_lo, &c->ours_hi);
        i = hull(i, (Interval){ c->ours_lo, c->ours_hi });
    } else {
        c->ours = median_of(sorted, s->n);
        wilson(c->ours, p->n / c->seeds, &c->ours_lo, &c->ours_hi);
        i = hull((Interval){ spread_lo, spread_hi }, (Interval){ c->ours_lo, c->ours_hi });
    }
    c->ours_lo = fmax(i.lo, 0);
    c->ours_hi = fmin(i.hi, 1);
}

static double scale(double acc, double chance) { return (acc - chance) / (1 - chance); }

static int label_at(const char **label, int n, const char *text)
{
    for (int i = 0; i < n; i++)
        if (!strcmp(label[i], text)) return i;
    return -1;
}

/* Fill what is ours; `why` says what there is not. */
static void read_ours(const Cells *s, const Counterpart *p, const Fact *f, Arena *a, Comparison *c)
{
    int m = label_at(s->mixer, s->mixers, p->mixer), k = label_at(s->kase, s->cases, p->kase);
    const Cell *cell = m >= 0 && k >= 0 ? cell_at(s, m, k) : NULL;
    const Point *point = NULL;
    Seeds seeds;
    c->ours = c->ours_lo = c->ours_hi = c->chance = (double)NAN;
    c->why = "not run";
    c->metric = p->measure ? p->measure : "";
    if (!cell || !cell->n_seeds) return;
    c->theory = cell->has_theory ? theory_verdict_name(cell->theory.verdict) : "";
    c->metric = p->measure ? p->measure : cell->metric;
    c->why = "diverged";
    for (int i = 0; i < cell->n_points; i++)
        if (!strcmp(cell->point[i].slice, p->slice)) point = &cell->point[i];
    if (cell->n_points && !point) c->why = arena_printf(a, "slice '%s' was not evaluated", p->slice);
    if (!point) return;
    c->seeds = cell->n_seeds;
    c->solved = point->solved;
    c->chance = point->chance;
    if (!read_seeds(s, cell, p->slice, c->metric, a, &seeds)) {
        c->why = arena_printf(a, "no %s without the folders of the runs", c->metric);
        if (p->measure && strcmp(p->measure, cell->metric) != 0) return;
        seeds_of_point(point, cell->n_seeds, &seeds);
    }
    c->why = "";
    c->len = seeds.len;
    sum_up(&seeds, point, c->over, c);
    if (!f->scaled) return;
    c->ours = scale(c->ours, c->chance);
    c->ours_lo = scale(c->ours_lo, c->chance);
    c->ours_hi = scale(c->ours_hi, c->chance);
}

/* ---- verdicts --------------------------------------------------------------------------------------------------- */

static Interval ours_of(const Comparison *c) { return (Interval){ c->ours_lo, c->ours_hi }; }

static bool is_scaled(const Comparison *c) { return !strncmp(c->metric, "scaled ", 7); }

static bool is_numeric(const Comparison *c) { return !isnan(c->theirs) && !isnan(c->ours); }

static void judge_text(Arena *a, Comparison *c)
{
    bool holds = c->claim > 0 ? 2 * c->solved > c->seeds : c->solved == 0;
    if (!c->seeds) return;
    c->verdict = holds ? AGREES : DIFFERS;
    c->why = arena_printf(a, "%d of %d seeds solved", c->solved, c->seeds);
}

static bool judge_value(Comparison *c)
{
    const bool given = !isnan(c->theirs_lo);
    Interval theirs = { given ? c->theirs_lo : c->theirs, given ? c->theirs_hi : c->theirs };
    bool meet = fmax(theirs.lo - c->ours_hi, c->ours_lo - theirs.hi) <= 0;
    if (meet && c->ours_hi - c->ours_lo <= WIDE)
        c->why = given ? "the intervals meet" : "within our interval";
    else if (fabs(c->ours - c->theirs) <= TOLERANCE + 1e-12)
        c->why = "within 0.05";
    else
        return false;
    c->verdict = AGREES;
    return true;
}

/* Against the other rows of its table. */
static void judge_order(int n, const Comparison *all, Arena *a, Comparison *c)
{
    int rows = 0, kept = 0;
    for (int i = 0; i < n; i++) {
        const Comparison *o = &all[i];
        if (o == c || o->table != c->table || !is_numeric(o) || strcmp(o->metric, c->metric) != 0) continue;
        double theirs = c->theirs - o->theirs, ours = c->ours - o->ours;
        if (fabs(theirs) <= 2 * TOLERANCE) continue;
        rows++;
        kept += ours * theirs > 0 && (fabs(ours) > TOLERANCE || intervals_apart(ours_of(c), ours_of(o)));
    }
    c->verdict = rows && kept == rows ? ORDER_ONLY : DIFFERS;
    c->why = rows ? arena_printf(a, "order kept with %d of %d rows", kept, rows) : "no row far enough to order by";
}

/* Does another source say something else of the same cell? Numbers in scaled accuracies, for chance differs. */
static void find_conflict(int n, const Comparison *all, Arena *a, Comparison *c)
{
    double most = TOLERANCE;
    c->conflict = "";
    for (int i = 0; i < n; i++) {
        const Comparison *o = &all[i];
        if (!strcmp(o->source, c->source) || strcmp(o->kase, c->kase) || strcmp(o->mixer, c->mixer) ||
            strcmp(o->slice, c->slice))
            continue;
        if (c->claim * o->claim < 0) c->conflict = "sources contradict each other";
        if (isnan(c->theirs) || isnan(o->theirs) || isnan(c->chance)) continue;
        double x = is_scaled(c) ? c->theirs : scale(c->theirs, c->chance);
        double y = is_scaled(o) ? o->theirs : scale(o->theirs, c->chance);
        if (fabs(x - y) <= most) continue;
        most = fabs(x - y);
        c->conflict = arena_printf(a, "sources differ by %.2f", most);
    }
}

/* ---- reading ---------------------------------------------------------------------------------------------------- */

static bool find_facts(const Cells *s, const Counterpart *p, Facts *open, int *n_open, Arena *a, const Facts **out,
                       Err *err)
{
    char text[96];
    for (int i = 0; i < *n_open; i++)
        if (!strcmp(open[i].id, p->source)) {
            *out = &open[i];
            return true;
        }
    const char **known = facts_sources(s->reference, a);
    if (!known[0]) return err_set(err, EXIT_USAGE, "no published numbers in %s: give --reference DIR", s->reference);
    int sources = 0;
    while (known[sources]) sources++;
    if (label_at(known, sources, p->source) < 0)
        return fail_at(err, p->source_at, false, "published: no source '%s' in %s%s", p->source, s->reference,
                       name_hint(p->source, known, text));
    TRY(facts_read(s->reference, p->source, a, &open[*n_open], err));
    *out = &open[(*n_open)++];
    return true;
}

static Implied implied_by(const Counterpart *p, const Fact *f)
{
    if (p->implies != IMPLIES_NOTHING || !isnan(f->value)) return p->implies;
    if (!strcmp(f->printed, "converges")) return IMPLIES_SOLVED;
    return !strcmp(f->printed, "does not converge") ? IMPLIES_UNSOLVED : IMPLIES_NOTHING;
}

static bool compare_one(const Cells *s, const Counterpart *p, const Fact *f, Arena *a, Comparison *c, Err *err)
{
    Implied implies = implied_by(p, f);
    *c = (Comparison){ .table = p->table,
                       .kase = p->kase,
                       .mixer = p->mixer,
                       .slice = p->slice,
                       .source = f->source,
                       .place = f->place,
                       .their_model = f->model,
                       .their_setting = f->setting,
                       .their_over = f->over,
                       .their_train_len = f->train_len,
                       .their_eval_len = f->eval_len,
                       .secondary = f->secondary,
                       .published = f->printed,
                       .theirs = f->value,
                       .theirs_lo = f->interval.lo,
                       .theirs_hi = f->interval.hi,
                       .theory = "",
                       .verdict = NO_VERDICT,
                       .deviation = p->deviation,
                       .over = p->as      ? p->as
                               : *f->over ? f->over
                                          : "median" };
    if (isnan(f->value) && implies == IMPLIES_NOTHING)
        return fail_at(err, p->pick_at[PICK_MODEL], p->pick_is_key[PICK_MODEL],
                       "published: '%s' is not a number to compare with; what does it say of this cell "
                       "(implies: solved or unsolved)?",
                       f->printed);
    if (!isnan(f->value) && implies != IMPLIES_NOTHING)
        return fail_at(err, p->pick_at[PICK_MODEL], p->pick_is_key[PICK_MODEL],
                       "published: '%s' is a number; 'implies' is for texts and counts", f->printed);
    read_ours(s, p, f, a, c);
    if (f->scaled) c->metric = arena_printf(a, "scaled %s", c->metric);
    if (isnan(f->value)) {
        c->claim = implies == IMPLIES_SOLVED ? 1 : -1;
        judge_text(a, c);
    }
    return true;
}

bool comparisons_read(const Cells *cells, Arena *a, int *n, Comparison **out, Err *err)
{
    Counterpart *p;
    int n_open = 0;
    TRY(counterparts_read(cells->published, a, n, &p, err));
    Comparison *c = *out = ARENA_NEW(a, Comparison, *n + 1);
    Facts *open = ARENA_NEW(a, Facts, *n + 1);
    for (int i = 0; i < *n; i++) {
        const Facts *facts = NULL;
        Fact f;
        TRY(find_facts(cells, &p[i], open, &n_open, a, &facts, err) && fact_find(facts, &p[i], a, &f, err));
        TRY(compare_one(cells, &p[i], &f, a, &c[i], err));
    }
    for (int i = 0; i < *n; i++) {
        if (is_numeric(&c[i]) && !judge_value(&c[i])) judge_order(*n, c, a, &c[i]);
        find_conflict(*n, c, a, &c[i]);
    }
    return true;
}

int comparison_footnotes(int n, const Comparison *c, Arena *a, const char ***text, int **note)
{
    int texts = 0;
    *text = ARENA_NEW(a, const char *, n + 1);
    *note = ARENA_NEW(a, int, n + 1);
    for (int i = 0; i < n; i++) {
        int at = label_at(*text, texts, c[i].deviation);
        if (at < 0) (*text)[at = texts++] = c[i].deviation;
        (*note)[i] = at + 1;
    }
    return texts;
}
