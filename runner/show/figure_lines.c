/* SPDX-License-Identifier: Apache-2.0
 * figure_lines.c - figures that are lines: accuracy against length and against state.
 *
 *   length    case_no, mixer_no, case, mixer, len, acc, lo, hi, chance, train_len
 *   state     panel, mixer_no, case, mixer, state, acc, lo, hi, chance, memory_bits, memory_reals
 *
 * case_no, panel, mixer_no: from 1, into the labels of panels and mixers. acc: median over seeds; lo, hi: smallest and
 * largest seed, of one seed the 95 % Wilson interval. len: as the task counts it; train_len: longest of training.
 * state: reals per sequence; a panel has the cases of one task with the same options. memory_bits: what an exact causal
 * solver must hold at the worst moment (task.h); memory_reals: in float32 reals.
 */
#include "show/figure_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void put_point(Buf *csv, const Point *p)
{
    put_real(csv, p->acc);
    put_real(csv, p->lo);
    put_real(csv, p->hi);
    put_real(csv, p->chance);
}

/* ---- length ---- */

static int by_len(const void *x, const void *y) { return ((const Point *)x)->len - ((const Point *)y)->len; }

/* Lengths in rising order; a slice of exactly the greatest training length stands for it better than the training
 * law, which may draw shorter ones. Returns their number. */
static int lengths_of(const Cell *c, Point *out)
{
    int n = 0;
    for (int i = 0; i < c->n_points; i++) {
        int j = 0;
        if (!c->point[i].by_length) continue;
        while (j < n && out[j].len != c->point[i].len) j++;
        out[j] = c->point[i];
        n += j == n;
    }
    qsort(out, (size_t)n, sizeof *out, by_len);
    return n;
}

bool fits_length(const Cells *s, int choice)
{
    (void)choice;
    for (int i = 0; i < s->mixers * s->cases; i++)
        if (s->cell[i] && has_lengths(s->cell[i])) return true;
    return false;
}

/* The line of a mixer in a panel. */
static void put_length(const Cells *s, Figure *f, int k, int m, Buf *csv)
{
    const Cell *c = cell_at(s, f->mixer[m], f->kase[k]);
    Point *p = ARENA_NEW(csv->a, Point, c->n_points);
    int n = lengths_of(c, p);
    for (int i = 0; i < n; i++) {
        buf_printf(csv, "%d,%d,", k + 1, m + 1);
        put_labels(csv, s, f->kase[k], f->mixer[m]);
        buf_printf(csv, ",%d", p[i].len);
        put_point(csv, &p[i]);
        put_real(csv, c->point[0].len);
        buf_puts(csv, "\n");
    }
    f->points += n;
}

static double last_acc(const Cell *c, Arena *a)
{
    Point *p = ARENA_NEW(a, Point, c->n_points);
    return p[lengths_of(c, p) - 1].acc;
}

bool data_length(const Cells *s, Figure *f, Buf *csv, Err *err)
{
    Arena *a = csv->a;
    keep_drawn(s, f, has_lengths);
    const char **title = ARENA_NEW(a, const char *, f->cases + 1), **shown = ARENA_NEW(a, const char *, f->cases + 1);
    double *end = ARENA_NEW(a, double, f->mixers + 1); /* of the lines in the last panel */
    int longest = 0;
    buf_puts(csv, "case_no,mixer_no,case,mixer,len,acc,lo,hi,chance,train_len\n");
    for (int k = 0; k < f->cases; k++) {
        Buf mixers = buf_new(a);
        buf_puts(&mixers, "");
        title[k] = s->kase[f->kase[k]];
        for (int m = 0; m < f->mixers; m++) {
            const Cell *c = cell_at(s, f->mixer[m], f->kase[k]);
            if (!c || !has_lengths(c)) continue;
            buf_printf(&mixers, "%d ", m + 1);
            put_length(s, f, k, m, csv);
            end[m] = last_acc(c, a);
            if (cell_longest(c) && cell_longest(c)->len > longest) longest = cell_longest(c)->len;
        }
        shown[k] = mixers.s;
    }
    layout_panels(s, f, f->cases, title, end);
    TRY(set_chances(f, csv, "case_no", err));
    set_words(&f->variables, "SHOWN", shown, f->cases);
    buf_printf(&f->variables, "FAR=%d; ", longest >= 1 << 14);
    f->caption = arena_printf(a,
                              "Test accuracy (%s) against length: %s; %s. Dashed grey: chance, the best constant "
                              "answer. Dotted upright: the longest training length.",
                              metrics_text(s, f, a), seeds_text(s, f, a), bars_text(s, f));
    return true;
}

/* ---- state ---- */

typedef struct Sized {
    const Cell *cell;
    int kase;
} Sized;

static int by_state(const void *x, const void *y)
{
    double a = ((const Sized *)x)->cell->state, b = ((const Sized *)y)->cell->state;
    return (a > b) - (a < b);
}

static bool has_state(const Cell *c) { return c->n_points && c->state > 0; }

/* The task and its options of a case; its own label if no run tells. */
static const char *task_of(const Cells *s, const Figure *f, int kase)
{
    for (int m = 0; m < f->mixers; m++) {
        const Cell *c = cell_at(s, f->mixer[m], kase);
        if (c && *c->task_text) return c->task_text;
    }
    return s->kase[kase];
}

/* Cases of one task under one number; returns how many there are, and their titles. */
static int find_panels(const Cells *s, const Figure *f, Arena *a, int *panel, const char **title)
{
    int n = 0;
    for (int k = 0; k < f->cases; k++) {
        int i = 0;
        while (i < k && strcmp(task_of(s, f, f->kase[i]), task_of(s, f, f->kase[k]))) i++;
        panel[k] = i < k ? panel[i] : n;
        const char *label = s->kase[f->kase[k]];
        title[panel[k]] = i < k ? arena_printf(a, "%s, %s", title[panel[k]], label) : label;
        n += i == k;
    }
    return n;
}

/* Is there a task on which some mixer was trained with several sizes of state? */
bool fits_state(const Cells *s, int choice)
{
    (void)choice;
    for (int m = 0; m < s->mixers; m++)
        for (int k = 0; k < s->cases; k++)
            for (int i = 0; i < k; i++) {
                const Cell *x = cell_at(s, m, i), *y = cell_at(s, m, k);
                if (x && y && has_state(x) && has_state(y) && x->state != y->state && *x->task_text &&
                    !strcmp(x->task_text, y->task_text))
                    return true;
            }
    return false;
}

enum { REAL = 32 }; /* bits */

typedef struct StateFigure {
    const Cells *s;
    Figure *f;
    Buf *csv;
    const int *panel;
    double least, most, floor; /* of all panels; of this one */
    Sized *one;
} StateFigure;

/* The line of a mixer in a panel; false if it has none. */
static bool put_state(StateFigure *w, int panel, int m)
{
    int n = 0;
    for (int k = 0; k < w->f->cases; k++) {
        const Cell *c = cell_at(w->s, w->f->mixer[m], w->f->kase[k]);
        if (w->panel[k] == panel && c && has_state(c)) w->one[n++] = (Sized){ c, w->f->kase[k] };
    }
    qsort(w->one, (size_t)n, sizeof *w->one, by_state);
    for (int i = 0; i < n; i++) {
        const Cell *c = w->one[i].cell;
        double bits = c->point[0].memory_bits, reals = bits / REAL;
        if (reals > 0) w->floor = reals;
        w->least = fmin(w->least, reals > 0 ? fmin(reals, c->state) : c->state);
        w->most = fmax(w->most, fmax(reals > 0 ? reals : 0, c->state));
        buf_printf(w->csv, "%d,%d,", panel + 1, m + 1);
        put_labels(w->csv, w->s, w->one[i].kase, w->f->mixer[m]);
        put_real(w->csv, c->state);
        put_point(w->csv, &c->point[0]);
        put_real(w->csv, bits);
        put_real(w->csv, reals);
        buf_puts(w->csv, "\n");
    }
    w->f->points += n;
    return n > 0;
}

bool data_state(const Cells *s, Figure *f, Buf *csv, Err *err)
{
    Arena *a = csv->a;
    keep_drawn(s, f, has_state);
    int *panel = ARENA_NEW(a, int, f->cases + 1);
    const char **title = ARENA_NEW(a, const char *, f->cases + 1), **shown = ARENA_NEW(a, const char *, f->cases + 1);
    const char **text = ARENA_NEW(a, const char *, f->cases + 1);
    int panels = find_panels(s, f, a, panel, title);
    StateFigure w = { s, f, csv, panel, (double)INFINITY, 0, 0, ARENA_NEW(a, Sized, f->cases + 1) };
    buf_puts(csv, "panel,mixer_no,case,mixer,state,acc,lo,hi,chance,memory_bits,memory_reals\n");
    Buf floors = buf_new(a);
    bool known = false;
    for (int p = 0; p < panels; p++) {
        Buf mixers = buf_new(a);
        w.floor = 0;
        buf_puts(&mixers, "");
        for (int m = 0; m < f->mixers; m++)
            if (put_state(&w, p, m)) buf_printf(&mixers, "%d ", m + 1);
        shown[p] = mixers.s;
        buf_printf(&floors, "%.9g ", w.floor);
        text[p] = arena_printf(a, "%.3g bits", w.floor * REAL);
        known = known || w.floor > 0;
    }
    buf_printf(&f->variables, "FLOORED=%d; ", known);
    set_words(&f->variables, "FLOOR_TEXT", text, panels);
    set_text(&f->variables, "FLOORS", panels ? floors.s : "");
    layout_panels(s, f, panels, title, NULL);
    TRY(set_chances(f, csv, "panel", err));
    set_words(&f->variables, "SHOWN", shown, panels);
    buf_printf(&f->variables, "XMIN=%.9g; XMAX=%.9g; ", w.least / 1.3, w.most * 1.3);
    f->caption = arena_printf(a,
                              "Test accuracy (%s) at the training lengths against the recurrent state that a sequence "
                              "carries: %s; %s. Dashed "
                              "grey: chance. The shaded part ends at the memory floor: an exact solver of this task "
                              "must hold that many bits, "
                              "at 32 bits a real.",
                              metrics_text(s, f, a), seeds_text(s, f, a), bars_text(s, f));
    return true;
}
