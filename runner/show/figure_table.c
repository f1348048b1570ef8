/* SPDX-License-Identifier: Apache-2.0
 * figure_table.c - figures that are tables: mixers x cases.
 *
 *   heatmap   x, y, case, mixer, acc, scaled, text, ink, seeds     scaled = (acc - chance)/(1 - chance) within 0..1;
 *             text: acc as printed; ink: colour of the text, 0xrrggbb as a number; seeds: "solved/seeds"
 *
 *   solved    x, y, case, mixer, solved, seeds, share, lo, hi, text, left, right, from, to, full
 *             share = solved/seeds with its 95 % Wilson interval; behind text (as printed) the same on the drawing's
 *             axis: the bar, the interval, the end of a full bar
 *
 * A diverged cell has acc 0. `at: longest` takes the greatest length evaluated, for cases that have a length beyond the
 * training lengths.
 */
#include "show/figure_parts.h"

#include <math.h>
#include <string.h>

#include "train/metrics.h"

static double scaled(double acc, double chance)
{
    double v = isnan(chance) || chance >= 1 ? acc : (acc - chance) / (1 - chance);
    return fmin(fmax(v, 0), 1);
}

/* What is shown of a cell; NULL: nothing (diverged). */
static const Point *shown_point(const Figure *f, const Cell *c)
{
    const Point *far = f->choice ? cell_longest(c) : NULL;
    return far ? far : c->n_points ? &c->point[0] : NULL;
}

static bool has_seeds(const Cell *c) { return c->n_seeds > 0; }
static bool has_longest(const Cell *c) { return cell_longest(c) != NULL; }

bool fits_heatmap(const Cells *s, int choice)
{
    for (int i = 0; i < s->mixers * s->cases; i++)
        if (s->cell[i] && (choice ? has_longest(s->cell[i]) : has_seeds(s->cell[i]))) return true;
    return false;
}

/* Labels of an axis; gnuplot takes a tic label for a format, so a percent sign is doubled. */
static void set_tics(Buf *b, const char *name, const char *const *label, const int *index, int n, int longest)
{
    const char **word = ARENA_NEW(b->a, const char *, n + 1);
    for (int i = 0; i < n; i++) {
        Buf w = buf_new(b->a);
        buf_puts(&w, "");
        for (const char *c = shortened(b->a, label[index[i]], longest); *c; c++)
            buf_printf(&w, *c == '%' ? "%%%%" : "%c", *c);
        word[i] = w.s;
    }
    set_words(b, name, word, n);
}

static void put_cell(const Cells *s, const Figure *f, int x, int y, Buf *csv)
{
    const Cell *c = cell_at(s, f->mixer[y], f->kase[x]);
    const Point *p = shown_point(f, c);
    double acc = p ? p->acc : 0, v = p ? scaled(acc, p->chance) : 0;
    buf_printf(csv, "%d,%d,", x + 1, y + 1);
    put_labels(csv, s, f->kase[x], f->mixer[y]);
    put_real(csv, acc);
    put_real(csv, v);
    buf_printf(csv, ",%.2f,%d", acc >= 0.995 && acc < 1 ? 0.99 : acc, v > 0.6 ? 0xffffff : 0x222222);
    buf_printf(csv, ",%d/%d\n", p ? p->solved : 0, c->n_seeds);
}

/* The axes: words for the script, sizes, and on a terminal numbers in place of cases that have no room there. */
static void set_axes(const Cells *s, Figure *f, int cell_width, int cell_height, int right)
{
    enum { TERMINAL = 79 };
    Arena *a = f->variables.a;
    int below = 0, widest = widest_label(s, f), widest_dumb = widest;
    Buf note = buf_new(a);
    buf_puts(&note, "Columns:");
    for (int x = 0; x < f->cases; x++) {
        int w = text_width(s->kase[f->kase[x]]);
        if (w > below) below = w;
        buf_printf(&note, "%s %d %s", x ? "," : "", x + 1, s->kase[f->kase[x]]);
    }
    if (below > CASE_MAX) below = CASE_MAX;
    if (widest > LABEL_DUMB) widest_dumb = LABEL_DUMB;
    bool numbered = f->cases * (below + 1) > TERMINAL - widest_dumb;
    set_tics(&f->variables, "CASES", s->kase, f->kase, f->cases, CASE_MAX);
    set_tics(&f->variables, "LINES", s->mixer, f->mixer, f->mixers, LABEL_MAX);
    set_tics(&f->variables, "LINES_DUMB", s->mixer, f->mixer, f->mixers, LABEL_DUMB);
    buf_printf(&f->variables, "NUMBERED=%d; ", numbered);
    if (numbered) f->note = note.s;
    int left = 9 * widest + 16, turned = 6 * below + 8 - cell_width / 2, bottom = 5 * below + 24;
    if (turned > left) left = turned; /* labels of cases are turned and may reach further */
    /* gnuplot warns of labels that are long for the width of the picture, and the colour bar needs some height. */
    int wide = 17 * below - left - right, high = 130;
    if (cell_width * f->cases < wide) cell_width = wide / f->cases;
    if (f->mixers && cell_height * f->mixers < high) cell_height = high / f->mixers;
    f->width = left + cell_width * f->cases + right;
    f->height = cell_height * f->mixers + bottom + 8;
    buf_printf(&f->variables, "LEFT=%d; RIGHT=%d; BELOW=%d; ", left, right, bottom);
    f->rows = 2 * f->mixers + 4;
}

bool data_heatmap(const Cells *s, Figure *f, Buf *csv, Err *err)
{
    (void)err;
    keep_drawn(s, f, f->choice ? has_longest : has_seeds);
    buf_puts(csv, "x,y,case,mixer,acc,scaled,text,ink,seeds\n");
    for (int y = 0; y < f->mixers; y++)
        for (int x = 0; x < f->cases; x++) {
            const Cell *c = cell_at(s, f->mixer[y], f->kase[x]);
            if (!c || !c->n_seeds) continue;
            put_cell(s, f, x, y, csv);
            f->points++;
        }
    set_axes(s, f, 60, 38, 125);
    f->caption = arena_printf(
        csv->a,
        "Test accuracy (%s) %s: %s; below it, how many of the seeds solved the case. Colour: (accuracy - chance)/(1 - "
        "chance), chance being the best constant answer.",
        metrics_text(s, f, csv->a), f->choice ? "at the greatest length evaluated" : "at the training lengths",
        seeds_text(s, f, csv->a));
    return true;
}

/* ---- seeds solved ---- */

bool fits_solved(const Cells *s, int choice)
{
    for (int i = 0; i < s->mixers * s->cases && !choice; i++)
        if (s->cell[i] && s->cell[i]->n_seeds > 1) return true;
    return false;
}

bool data_solved(const Cells *s, Figure *f, Buf *csv, Err *err)
{
    static const double margin = 0.07, length = 0.58; /* of the unit that a case has */
    (void)err;
    keep_drawn(s, f, f->choice ? has_longest : has_seeds);
    buf_puts(csv, "x,y,case,mixer,solved,seeds,share,lo,hi,text,left,right,from,to,full\n");
    for (int y = 0; y < f->mixers; y++)
        for (int x = 0; x < f->cases; x++) {
            const Cell *c = cell_at(s, f->mixer[y], f->kase[x]);
            if (!c || !c->n_seeds) continue;
            const Point *p = shown_point(f, c);
            int solved = p ? p->solved : 0;
            double share = (double)solved / c->n_seeds, lo, hi, left = x + margin;
            wilson(share, c->n_seeds, &lo, &hi);
            buf_printf(csv, "%d,%d,", x + 1, y + 1);
            put_labels(csv, s, f->kase[x], f->mixer[y]);
            buf_printf(csv, ",%d,%d", solved, c->n_seeds);
            put_real(csv, share);
            put_real(csv, lo);
            put_real(csv, hi);
            buf_printf(csv, ",%d/%d", solved, c->n_seeds);
            const double drawn[] = { 0, share, lo, hi, 1 };
            put_real(csv, left);
            for (int i = 1; i < 5; i++) put_real(csv, left + length * drawn[i]);
            buf_puts(csv, "\n");
            f->points++;
        }
    set_axes(s, f, 80, 24, 12);
    f->caption =
        arena_printf(csv->a,
                     "Seeds that solved each case (accuracy of at least train.stop_at on the test split, %s), of "
                     "all seeds at the chosen learning rate; bars run from none to all, whiskers: 95 %% Wilson "
                     "interval of the share.",
                     f->choice ? "at the greatest length evaluated" : "at the training lengths");
    return true;
}
