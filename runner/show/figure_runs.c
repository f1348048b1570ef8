/* SPDX-License-Identifier: Apache-2.0
 * figure_runs.c - figures of the runs themselves, at the chosen learning rate: learning curves and cost.
 *
 *   curves    case_no, mixer_no, case, mixer, step, seeds, acc, acc_lo, acc_hi, loss, loss_lo, loss_hi, chance
 *   cost      case_no, mixer_no, case, mixer, cpu_s, cpu_lo, cpu_hi, flops, flops_lo, flops_hi, acc, lo, hi, chance,
 *             seeds, reached_090, step_090
 *
 * curves: headline accuracy and loss on the valid split: median, smallest and largest over the seeds that were measured
 * by that step. A seed that stopped early, or diverged, keeps its last value up to the last step of the others.
 * cost: cpu_s, flops: of a whole run, training and evaluation (cpu_s) or training alone (flops): median, smallest and
 * largest seed; acc, lo, hi: as in `length`, at the training lengths; step_090: median step at which validation was
 * first at 0.9 or more, over the reached_090 seeds of which it ever was.
 * Numbers come from curve.csv, result.csv and timing.csv of the runs; cpu_s is not the same from machine to machine.
 */
#include "show/figure_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/collect.h"

typedef struct Spread {
    double median, lo, hi;
    int n;
} Spread;

/* Of the numbers among x[0..n-1]; sorts them. */
static Spread spread_of(double *x, int n)
{
    int numbers = 0;
    for (int i = 0; i < n; i++)
        if (isfinite(x[i])) x[numbers++] = x[i];
    Spread s = { .median = median_of(x, numbers), .lo = (double)NAN, .hi = (double)NAN, .n = numbers };
    if (numbers) s.lo = x[0], s.hi = x[numbers - 1];
    return s;
}

static void put_spread(Buf *csv, Spread s)
{
    put_real(csv, s.median);
    put_real(csv, s.lo);
    put_real(csv, s.hi);
}

static const char *run_file(const Cells *s, const Cell *c, int i, const char *name, Arena *a)
{
    return arena_printf(a, "%s/runs/%s/%s", s->results, c->run[i], name);
}

static bool any_file(const Cells *s, const char *name)
{
    Arena *a = arena_new("figure files");
    bool found = false;
    for (int i = 0; i < s->mixers * s->cases && !found; i++) {
        const Cell *c = s->cell[i];
        for (int k = 0; c && c->n_points && k < c->n_runs && !found; k++)
            found = file_exists(run_file(s, c, k, name, a));
    }
    arena_free(a);
    return found;
}

bool fits_curves(const Cells *s, int choice) { return !choice && any_file(s, "curve.csv"); }
bool fits_cost(const Cells *s, int choice) { return any_file(s, choice ? "result.csv" : "timing.csv"); }

static bool has_runs(const Cell *c) { return c->n_points && c->n_runs; }

/* Panels of cases, each with the mixers that put_line wrote something for. */
typedef bool PutLine(const Cells *s, Figure *f, int k, int m, Buf *csv, Err *err);

static bool put_panels(const Cells *s, Figure *f, PutLine *put_line, Buf *csv, Err *err)
{
    Arena *a = csv->a;
    const char **title = ARENA_NEW(a, const char *, f->cases + 1), **shown = ARENA_NEW(a, const char *, f->cases + 1);
    for (int k = 0; k < f->cases; k++) {
        Buf mixers = buf_new(a);
        buf_puts(&mixers, "");
        for (int m = 0; m < f->mixers; m++) {
            const Cell *c = cell_at(s, f->mixer[m], f->kase[k]);
            int before = f->points;
            if (!c || !has_runs(c)) continue;
            TRY(put_line(s, f, k, m, csv, err));
            if (f->points > before) buf_printf(&mixers, "%d ", m + 1);
        }
        if (!mixers.len) continue;
        title[f->panels] = s->kase[f->kase[k]];
        shown[f->panels++] = mixers.s;
    }
    layout_panels(s, f, f->panels, title, NULL);
    set_words(&f->variables, "SHOWN", shown, f->panels);
    return set_chances(f, csv, "case_no", err);
}

/* ---- learning curves ---- */

typedef struct Curve {
    int n;
    double *step, *acc, *loss;
} Curve;

static bool read_curve(const Cells *s, const Cell *c, int i, Arena *a, Curve *out, Err *err)
{
    Csv csv;
    const char *path = run_file(s, c, i, "curve.csv", a);
    *out = (Curve){ 0 };
    if (!file_exists(path)) return true;
    TRY(csv_read(path, a, &csv, err));
    out->step = ARENA_NEW(a, double, csv.rows + 1);
    out->acc = ARENA_NEW(a, double, csv.rows + 1);
    out->loss = ARENA_NEW(a, double, csv.rows + 1);
    for (int r = 0; r < csv.rows; r++) {
        double acc = csv_num(&csv, r, "valid_headline");
        if (isnan(acc)) continue;
        out->step[out->n] = csv_num(&csv, r, "step");
        out->acc[out->n] = acc;
        out->loss[out->n++] = csv_num(&csv, r, "valid_loss");
    }
    return true;
}

static int compare(const void *x, const void *y)
{
    double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

/* The steps of all seeds, in order and without repetition. */
static int all_steps(const Curve *curve, int seeds, Arena *a, double **out)
{
    int n = 0, kept = 0;
    for (int i = 0; i < seeds; i++) n += curve[i].n;
    *out = ARENA_NEW(a, double, n + 1);
    n = 0;
    for (int i = 0; i < seeds; i++)
        for (int k = 0; k < curve[i].n; k++) (*out)[n++] = curve[i].step[k];
    qsort(*out, (size_t)n, sizeof **out, compare);
    for (int i = 0; i < n; i++)
        if (!i || (*out)[i] != (*out)[kept - 1]) (*out)[kept++] = (*out)[i];
    return kept;
}

/* The last value of y measured by this step; NaN before the first. */
static double value_by(const Curve *c, const double *y, double step)
{
    double v = (double)NAN;
    for (int i = 0; i < c->n && c->step[i] <= step; i++) v = y[i];
    return v;
}

static bool put_curve(const Cells *s, Figure *f, int k, int m, Buf *csv, Err *err)
{
    const Cell *c = cell_at(s, f->mixer[m], f->kase[k]);
    Arena *a = arena_new("figure curve");
    Curve *curve = ARENA_NEW(a, Curve, c->n_runs);
    double *x = ARENA_NEW(a, double, c->n_runs), *step;
    bool ok = true;
    for (int i = 0; i < c->n_runs && ok; i++) ok = read_curve(s, c, i, a, &curve[i], err);
    int n = ok ? all_steps(curve, c->n_runs, a, &step) : 0;
    for (int t = 0; t < n; t++) {
        for (int i = 0; i < c->n_runs; i++) x[i] = value_by(&curve[i], curve[i].acc, step[t]);
        Spread acc = spread_of(x, c->n_runs);
        for (int i = 0; i < c->n_runs; i++) x[i] = value_by(&curve[i], curve[i].loss, step[t]);
        Spread loss = spread_of(x, c->n_runs);
        if (!acc.n || !loss.n) continue;
        buf_printf(csv, "%d,%d,", f->panels + 1, m + 1);
        put_labels(csv, s, f->kase[k], f->mixer[m]);
        put_real(csv, step[t]);
        buf_printf(csv, ",%d", acc.n);
        put_spread(csv, acc);
        put_spread(csv, loss);
        put_real(csv, c->point[0].chance);
        buf_puts(csv, "\n");
        f->points++;
    }
    arena_free(a);
    return ok;
}

/* By panel, a round distance of at most four tics up to the last step. */
static void set_steps(Figure *f, const Csv *csv)
{
    Buf b = buf_new(f->variables.a);
    for (int k = 0; k < f->panels; k++) {
        double last = 1, unit = 1;
        for (int r = 0; r < csv->rows; r++)
            if ((int)csv_num(csv, r, "case_no") == k + 1) last = fmax(last, csv_num(csv, r, "step"));
        while (unit * 10 < last) unit *= 10;
        buf_printf(&b, "%g ", last > 4 * unit ? 2 * unit : last > 2 * unit ? unit : fmax(unit / 2, 1));
    }
    set_text(&f->variables, "STEPS", f->panels ? b.s : "");
}

bool data_curves(const Cells *s, Figure *f, Buf *csv, Err *err)
{
    bool loss = f->choice == 1;
    keep_drawn(s, f, has_runs);
    buf_puts(csv, "case_no,mixer_no,case,mixer,step,seeds,acc,acc_lo,acc_hi,loss,loss_lo,loss_hi,chance\n");
    TRY(put_panels(s, f, put_curve, csv, err));
    set_text(&f->variables, "Y", loss ? "loss" : "acc");
    Csv drawn;
    TRY(csv_parse("curves", csv->s, csv->a, &drawn, err));
    set_steps(f, &drawn);
    buf_printf(&f->variables, "EVERY=%d; ", f->points / (6 * f->panels * f->mixers + 1) + 1);
    f->caption =
        arena_printf(csv->a,
                     "%s on the validation split against training steps, at the chosen learning rate: %s; band: "
                     "smallest and largest seed. A seed that stopped early keeps its last value.%s",
                     loss ? "Loss" : arena_printf(csv->a, "Accuracy (%s)", metrics_text(s, f, csv->a)),
                     seeds_text(s, f, csv->a), loss ? "" : " Dashed grey: chance.");
    return true;
}

/* ---- cost ---- */

/* A column of a file of every seed. */
static bool read_column(const Cells *s, const Cell *c, const char *file, const char *column, Arena *a, double *x,
                        Err *err)
{
    for (int i = 0; i < c->n_runs; i++) {
        Csv csv;
        const char *path = run_file(s, c, i, file, a);
        x[i] = (double)NAN;
        if (!file_exists(path)) continue;
        TRY(csv_read(path, a, &csv, err));
        if (csv.rows) x[i] = csv_num(&csv, 0, column);
    }
    return true;
}

typedef struct Cost {
    Spread cpu, flops, reached;
} Cost;

static bool read_cost(const Cells *s, const Cell *c, Arena *a, Cost *out, Err *err)
{
    static const char *const file[] = { "timing.csv", "result.csv", "result.csv" }, *const column[] = { "cpu_s",
                                                                                                        "train_flops",
                                                                                                        "step_090" };
    Spread *const to[] = { &out->cpu, &out->flops, &out->reached };
    double *x = ARENA_NEW(a, double, c->n_runs);
    for (int i = 0; i < 3; i++) {
        TRY(read_column(s, c, file[i], column[i], a, x, err));
        *to[i] = spread_of(x, c->n_runs);
    }
    return true;
}

static bool put_cost(const Cells *s, Figure *f, int k, int m, Buf *csv, Err *err)
{
    const Cell *c = cell_at(s, f->mixer[m], f->kase[k]);
    const Point *p = &c->point[0];
    Arena *a = arena_new("figure cost");
    Cost cost = { 0 };
    bool ok = read_cost(s, c, a, &cost, err);
    arena_free(a);
    const Spread *x = f->choice ? &cost.flops : &cost.cpu;
    if (!ok || !x->n || !(x->lo > 0)) return ok;
    buf_printf(csv, "%d,%d,", f->panels + 1, m + 1);
    put_labels(csv, s, f->kase[k], f->mixer[m]);
    put_spread(csv, cost.cpu);
    put_spread(csv, cost.flops);
    const double v[] = { p->acc, p->lo, p->hi, p->chance };
    for (int i = 0; i < 4; i++) put_real(csv, v[i]);
    buf_printf(csv, ",%d,%d", c->n_runs, cost.reached.n);
    put_real(csv, cost.reached.median);
    buf_puts(csv, "\n");
    f->x_min = f->points ? fmin(f->x_min, x->lo) : x->lo;
    f->x_max = f->points ? fmax(f->x_max, x->hi) : x->hi;
    f->points++;
    return true;
}

/* A logarithmic axis: decades, and 2 and 5 between them if there are few (as powers, those without a number). */
static void set_axis(Buf *b, double from, double to, bool powers)
{
    int low = (int)floor(log10(from)), high = (int)ceil(log10(to)), n = 0;
    bool fine = high - low <= 3;
    Buf tics = buf_new(b->a);
    for (int e = low; e <= high; e++)
        for (int d = 1; d < 10; d = d == 1 ? 2 : d == 2 ? 5 : 10) {
            double v = d * pow(10, e);
            if ((d > 1 && !fine) || v < from || v > to) continue;
            if (powers && d > 1)
                buf_printf(&tics, "%s'' %.9g 1", n++ ? ", " : "", v);
            else if (powers)
                buf_printf(&tics, "%s'10^{%d}' %.9g", n++ ? ", " : "", e, v);
            else
                buf_printf(&tics, "%s'%.9g' %.9g", n++ ? ", " : "", v, v);
        }
    buf_printf(b, "XMIN=%.9g; XMAX=%.9g; ", from, to);
    set_text(b, "TICS", n ? tics.s : "");
}

bool data_cost(const Cells *s, Figure *f, Buf *csv, Err *err)
{
    keep_drawn(s, f, has_runs);
    buf_puts(csv, "case_no,mixer_no,case,mixer,cpu_s,cpu_lo,cpu_hi,flops,flops_lo,flops_hi,acc,lo,hi,chance,seeds,"
                  "reached_090,step_090\n");
    TRY(put_panels(s, f, put_cost, csv, err));
    set_text(&f->variables, "X", f->choice ? "flops" : "cpu");
    set_text(&f->variables, "XCOLUMN", f->choice ? "flops" : "cpu_s");
    set_text(&f->variables, "XLABEL", f->choice ? "training FLOPs" : "CPU seconds");
    set_axis(&f->variables, f->points ? f->x_min / 1.3 : 1, f->points ? f->x_max * 1.3 : 10, f->choice);
    f->caption = arena_printf(csv->a,
                              "Test accuracy (%s) at the training lengths against %s: %s; bars: smallest and largest "
                              "seed. Runs that solve their case stop early. Dashed grey: chance.",
                              metrics_text(s, f, csv->a),
                              f->choice ? "the floating-point operations of training"
                                        : "the CPU seconds of a run, training and evaluation",
                              seeds_text(s, f, csv->a));
    return true;
}
