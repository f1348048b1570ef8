/* SPDX-License-Identifier: Apache-2.0
 * figure_table.c - figures that are tables: mixers x cases.
 *
 *   heatmap   x, y, case, mixer, acc, scaled, text, ink, seeds     scaled = (acc - chance)/(1 - chance) within 0..1;
 *             text: acc as printed; ink: colour of the text, 0xrrggbb as a number; seeds: "solved/seeds"
 *
 * A diverged cell has acc 0. `at: longest` takes the greatest length evaluated, for cases that have a length beyond the
 * training lengths.
 */
#include "show/figure_parts.h"

#include <math.h>
#include <string.h>

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
static void set_tics(Buf *b, const char *name, const char *const *label, const int *index, int n)
{
    const char **word = ARENA_NEW(b->a, const char *, n + 1);
    for (int i = 0; i < n; i++) {
        Buf w = buf_new(b->a);
        buf_puts(&w, "");
        for (const char *c = label[index[i]]; *c; c++) buf_printf(&w, *c == '%' ? "%%%%" : "%c", *c);
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

bool data_heatmap(const Cells *s, Figure *f, Buf *csv, Err *err)
{
    (void)err;
    Arena *a = csv->a;
    int below = 0;
    keep_drawn(s, f, f->choice ? has_longest : has_seeds);
    buf_puts(csv, "x,y,case,mixer,acc,scaled,text,ink,seeds\n");
    for (int y = 0; y < f->mixers; y++)
        for (int x = 0; x < f->cases; x++) {
            const Cell *c = cell_at(s, f->mixer[y], f->kase[x]);
            if (!c || !c->n_seeds) continue;
            put_cell(s, f, x, y, csv);
            f->points++;
        }
    for (int x = 0; x < f->cases; x++) {
        int w = text_width(s->kase[f->kase[x]]);
        if (w > below) below = w;
    }
    set_tics(&f->variables, "CASES", s->kase, f->kase, f->cases);
    set_tics(&f->variables, "LINES", s->mixer, f->mixer, f->mixers);
    f->width = 8 * widest_label(s, f) + 64 * f->cases + 110;
    f->height = 38 * f->mixers + 6 * below + 40;
    if (f->height < 250) f->height = 250;
    f->rows = 2 * f->mixers + 4;
    f->caption = arena_printf(
        a,
        "Test accuracy (%s) %s: %s; below it, how many of the seeds solved the case. Colour: (accuracy - chance)/(1 - "
        "chance), chance being the best constant answer.",
        metrics_text(s, f, a), f->choice ? "at the greatest length evaluated" : "at the training lengths",
        seeds_text(s, f, a));
    return true;
}
