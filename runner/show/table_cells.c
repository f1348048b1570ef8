/* SPDX-License-Identifier: Apache-2.0
 * table_cells.c - what every format of the main table shares: texts of cells, emphasis, the legend.
 *
 * Bold are the best of a case, at the training lengths and far beyond each on its own: the highest median and those
 * whose intervals meet its own, if every other mixer is apart from all of these. An interval reaches from the smallest
 * to the largest seed and at least as far as Wilson's (cells.h).
 */
#include "show/table.h"

#include <math.h>
#include <string.h>

void mark_best(int n, const double *x, const Interval *i, bool *best)
{
    int top = -1, count = 0, in = 0;
    bool clear = true;
    for (int k = 0; k < n; k++) {
        best[k] = false;
        count += !isnan(x[k]);
        if (!isnan(x[k]) && (top < 0 || x[k] > x[top])) top = k;
    }
    for (int k = 0; k < n && top >= 0; k++) in += best[k] = !isnan(x[k]) && !intervals_apart(i[k], i[top]);
    for (int k = 0; k < n; k++)
        for (int j = 0; j < n && best[k]; j++) clear = clear && (isnan(x[j]) || best[j] || intervals_apart(i[k], i[j]));
    for (int k = 0; k < n; k++) best[k] = best[k] && clear && in < count;
}

/* The number that a cell shows first (which 0) or far beyond training (which 1), or NULL. */
static const Point *shown(const Cells *s, int m, int k, int which)
{
    const Cell *c = cell_at(s, m, k);
    if (!c || !c->n_points) return NULL;
    return which ? cell_longest(c) : &c->point[0];
}

TableView table_view(const Cells *s, bool scaled, Arena *a)
{
    TableView v = { .s = s, .a = a, .scaled = scaled };
    double *x = ARENA_NEW(a, double, s->mixers);
    Interval *i = ARENA_NEW(a, Interval, s->mixers);
    bool *best = ARENA_NEW(a, bool, s->mixers);
    for (int which = 0; which < 2; which++) {
        v.best[which] = ARENA_NEW(a, bool, s->mixers * s->cases);
        for (int k = 0; k < s->cases; k++) {
            for (int m = 0; m < s->mixers; m++) {
                const Point *p = shown(s, m, k, which);
                x[m] = p ? p->acc : (double)NAN;
                if (p) i[m] = point_interval(p, cell_at(s, m, k)->n_seeds);
            }
            mark_best(s->mixers, x, i, best);
            for (int m = 0; m < s->mixers; m++) v.best[which][m * s->cases + k] = best[m];
        }
    }
    return v;
}

/* " +", or nothing where theory was not asked. */
static const char *mark_of(const Cell *c)
{
    static const char *const mark[] = {
        [THEORY_OPEN] = " ?", [THEORY_YES] = " +", [THEORY_NO] = " -", [THEORY_COND] = " c", [THEORY_APPROX] = " ~",
    };
    return c->has_theory ? mark[c->theory.verdict] : "";
}

/* Two digits, three near 1 and there cut off: rounding never hides that something was missed. */
const char *accuracy_text(Arena *a, double v)
{
    if (isnan(v)) return "";
    if (v >= 0.98 && v < 1) return arena_printf(a, "%.3f", floor(v * 1000 + 1e-9) / 1000);
    return arena_printf(a, "%.2f", fabs(v) < 0.005 ? 0 : v);
}

static const char *count(Arena *a, double v)
{
    if (isnan(v)) return "";
    if (v < 10000) return arena_printf(a, "%.0f", v);
    return v < 1e6 ? arena_printf(a, "%.0fk", v / 1e3) : arena_printf(a, "%.1fM", v / 1e6);
}

static const char *number(const TableView *v, int m, int k, int which)
{
    const Point *p = shown(v->s, m, k, which);
    const char *text = accuracy_text(v->a, v->scaled ? (p->acc - p->chance) / (1 - p->chance) : p->acc);
    return v->best[which][m * v->s->cases + k] ? arena_printf(v->a, BOLD_ON "%s" BOLD_OFF, text) : text;
}

const char *cell_first_line(const TableView *v, int m, int k)
{
    const Cell *c = cell_at(v->s, m, k);
    if (!c) return "";
    if (!c->n_seeds) return "not run";
    if (!c->n_points) return arena_printf(v->a, "diverged%s", mark_of(c));
    if (!cell_longest(c)) return arena_printf(v->a, "%s%s", number(v, m, k, 0), mark_of(c));
    return arena_printf(v->a, "%s → %s%s", number(v, m, k, 0), number(v, m, k, 1), mark_of(c));
}

const char *cell_second_line(const TableView *v, int m, int k)
{
    const Cell *c = cell_at(v->s, m, k);
    if (!c || !c->n_seeds || !c->n_points) return "";
    const char *step = isnan(c->step_solved) ? "" : arena_printf(v->a, " @%.0f", c->step_solved);
    return arena_printf(v->a, "%d/%d%s", c->point[0].solved, c->n_seeds, step);
}

const char *state_text(const TableView *v, int m)
{
    double lo = (double)INFINITY, hi = -(double)INFINITY;
    for (int k = 0; k < v->s->cases; k++) {
        const Cell *c = cell_at(v->s, m, k);
        if (!c || !c->n_seeds || isnan(c->state)) continue;
        lo = fmin(lo, c->state);
        hi = fmax(hi, c->state);
    }
    if (lo > hi) return "";
    return lo == hi ? count(v->a, lo) : arena_printf(v->a, "%s-%s", count(v->a, lo), count(v->a, hi));
}

/* Any finished cell of a case: what the case has in common. */
static const Cell *any_cell(const Cells *s, int k)
{
    for (int m = 0; m < s->mixers; m++)
        if (cell_has_points(s, m, k)) return cell_at(s, m, k);
    return NULL;
}

const char *chance_text(const TableView *v, int k)
{
    const Cell *c = any_cell(v->s, k);
    const Point *far = c ? cell_longest(c) : NULL;
    if (!c || v->scaled || isnan(c->point[0].chance)) return "";
    const char *first = accuracy_text(v->a, c->point[0].chance);
    return far ? arena_printf(v->a, "%s → %s", first, accuracy_text(v->a, far->chance)) : first;
}

/* "3", or "2-3" between the mixers of a case. */
static const char *seeds_text(const TableView *v, int k)
{
    int lo = 0, hi = 0;
    for (int m = 0; m < v->s->mixers; m++) {
        const Cell *c = cell_at(v->s, m, k);
        if (!c || !c->n_seeds) continue;
        if (!lo || c->n_seeds < lo) lo = c->n_seeds;
        if (c->n_seeds > hi) hi = c->n_seeds;
    }
    return lo == hi ? arena_printf(v->a, "%d", lo) : arena_printf(v->a, "%d-%d", lo, hi);
}

Grid table_legend(const TableView *v)
{
    static const char *const head[] = { "case", "task", "metric", "chance", "seeds", "n", "lengths", "solved at" };
    const Cells *s = v->s;
    Grid g = grid_new(v->a, 8, head, "lllrrrlr");
    for (int k = 0; k < s->cases; k++) {
        const Cell *c = any_cell(s, k);
        const char **row = grid_row(&g);
        row[0] = s->kase[k];
        if (!c) continue;
        const Point *far = cell_longest(c);
        row[1] = c->task;
        row[2] = v->scaled ? arena_printf(v->a, "scaled %s", c->metric) : c->metric;
        row[3] = isnan(c->point[0].chance) ? "" : arena_printf(v->a, "%.3f", c->point[0].chance);
        row[4] = seeds_text(v, k);
        row[5] = arena_printf(v->a, "%ld", c->point[0].n / c->n_seeds);
        row[6] =
            far ? arena_printf(v->a, "%d → %d", c->point[0].len, far->len) : arena_printf(v->a, "%d", c->point[0].len);
        if (!isnan(c->stop_at)) row[7] = arena_printf(v->a, "%g", c->stop_at);
    }
    return g;
}

static bool uses(const TableView *v, const char *metric)
{
    for (int k = 0; k < v->s->cases; k++)
        if (any_cell(v->s, k) && !strcmp(any_cell(v->s, k)->metric, metric)) return true;
    return false;
}

const char *table_reading(const TableView *v)
{
    static const struct {
        const char *metric, *meaning;
    } metrics[] = {
        { "acc_token", "correct scored positions / scored positions" },
        { "acc_mean", "mean over examples of correct / scored positions" },
        { "acc_exact", "share of examples with every scored position right" },
        { "acc_final", "share of examples whose last scored position is right" },
        { "acc_macro", "mean over classes of correct / scored positions of the class" },
    };
    static const char *const theory =
        "The mark is what theory says of this class of model on this task at every length: + can, - cannot, c can "
        "under a condition, ~ only approximately or up to some length, ? open (seqprobe help task NAME says why). Then "
        "seeds that solved the task at the training lengths, and after @ the step at which validation was solved "
        "(median). A high first number beside '-' is a task learnt at one length, not the rule behind it: look at the "
        "second.";
    Buf b = buf_new(v->a);
    buf_wrap(&b,
             arena_printf(v->a,
                          "A cell is the %s metric of its case on the test split: the median over seeds (learning rate "
                          "chosen on validation), at the training lengths and, after the arrow, at the greatest length "
                          "evaluated. chance: always giving the most frequent answer%s. n: scored by the metric, per "
                          "seed.",
                          v->scaled ? "scaled" : "headline",
                          v->scaled ? "; scaled: (acc - chance) / (1 - chance)" : ""),
             116);
    buf_wrap(&b, theory, 116);
    buf_wrap(&b,
             "Bold: the best of a case, where the intervals of the others (all seeds, and Wilson's 95 %) do not "
             "reach them.",
             116);
    for (size_t i = 0; i < sizeof metrics / sizeof metrics[0]; i++)
        if (uses(v, metrics[i].metric)) buf_printf(&b, "%s: %s.\n", metrics[i].metric, metrics[i].meaning);
    return b.s;
}
