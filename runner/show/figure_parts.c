/* SPDX-License-Identifier: Apache-2.0
 * figure_parts.c - what the kinds of figures share: choosing what has numbers, panels and legends, words of captions.
 */
#include "show/figure_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- cells ---- */

void put_real(Buf *csv, double v)
{
    buf_puts(csv, ",");
    buf_real(csv, v);
}

/* gnuplot reads a CSV line by line, whatever the quotes. */
static const char *one_line(Arena *a, const char *label)
{
    char *text = arena_strdup(a, label);
    for (char *c = text; *c; c++)
        if (*c == '\n' || *c == '\r') *c = ' ';
    return text;
}

void put_labels(Buf *csv, const Cells *s, int kase, int mixer)
{
    buf_csv(csv, one_line(csv->a, s->kase[kase]));
    buf_puts(csv, ",");
    buf_csv(csv, one_line(csv->a, s->mixer[mixer]));
}

bool has_points(const Cell *c) { return c->n_points > 0; }

bool has_lengths(const Cell *c)
{
    for (int i = 1; i < c->n_points; i++)
        if (c->point[i].by_length && c->point[i].len != c->point[0].len) return true;
    return false;
}

void keep_drawn(const Cells *s, Figure *f, bool (*wanted)(const Cell *c))
{
    int cases = 0, mixers = 0;
    for (int k = 0; k < f->cases; k++) {
        bool any = false;
        for (int m = 0; m < f->mixers; m++) {
            const Cell *c = cell_at(s, f->mixer[m], f->kase[k]);
            any = any || (c && wanted(c));
        }
        if (any) f->kase[cases++] = f->kase[k];
    }
    for (int m = 0; m < f->mixers; m++) {
        bool any = false;
        for (int k = 0; k < cases; k++) {
            const Cell *c = cell_at(s, f->mixer[m], f->kase[k]);
            any = any || (c && wanted(c));
        }
        if (any) f->mixer[mixers++] = f->mixer[m];
    }
    f->cases = cases;
    f->mixers = mixers;
}

int widest_label(const Cells *s, const Figure *f)
{
    int width = 0;
    for (int m = 0; m < f->mixers; m++) {
        int w = text_width(s->mixer[f->mixer[m]]);
        if (w > width) width = w;
    }
    return width < LABEL_MAX ? width : LABEL_MAX;
}

/* ---- panels ---- */

enum { LABELS_MAX = 6, PANEL_TITLE = 34 };

static int by_height(const void *x, const void *y)
{
    double a = **(double *const *)x, b = **(double *const *)y;
    return (a > b) - (a < b);
}

/* Move heights apart by at least gap, within 1. */
static void spread_labels(double *y, int n, double gap)
{
    double *order[LABELS_MAX] = { NULL };
    for (int i = 0; i < n; i++) order[i] = &y[i];
    qsort(order, (size_t)n, sizeof *order, by_height);
    for (int i = 1; i < n; i++)
        if (*order[i] < *order[i - 1] + gap) *order[i] = *order[i - 1] + gap;
    for (int i = n - 1; i >= 0; i--) { /* what was pushed over the top comes down again */
        double roof = i == n - 1 ? 1 : *order[i + 1] - gap;
        if (*order[i] > roof) *order[i] = roof;
    }
}

const char *shortened(Arena *a, const char *text, int n)
{
    if (text_width(text) <= n) return text;
    size_t bytes = 0;
    for (int chars = 0; chars < n - 1; chars++) do
            bytes++;
        while (((unsigned char)text[bytes] & 0xc0) == 0x80);
    return arena_printf(a, "%.*s…", (int)bytes, text);
}

void layout_panels(const Cells *s, Figure *f, int n, const char *const *title, const double *end)
{
    Arena *a = f->variables.a;
    f->panels = n;
    bool labels = end && n == 1 && f->mixers <= LABELS_MAX;
    int columns = n <= 3 ? n : n == 4 ? 2 : n <= 9 ? 3 : 4, rows = (n + columns - 1) / columns;
    int widest = widest_label(s, f), panel = n == 1 ? 380 : 265;
    if (widest < 13 && !labels) widest = 13; /* "trained up to" */
    int legend = 10 * widest + (labels ? 30 : 60), listed = 18 * (f->mixers + 3) + 20;
    f->width = 80 + panel * columns + legend;
    f->height = 40 + (n == 1 ? 280 : 210) * rows + (labels ? 34 : 0);
    if (!labels && f->height < listed) f->height = listed;
    if (f->rows < f->mixers + 6) f->rows = f->mixers + 6;
    const char **words = ARENA_NEW(a, const char *, n + 1);
    for (int i = 0; i < n; i++) words[i] = shortened(a, title[i], n == 1 ? 2 * PANEL_TITLE : PANEL_TITLE);
    set_words(&f->variables, "PANELS", words, n);
    buf_printf(&f->variables, "ROWS=%d; COLS=%d; LEGEND=%d; ", rows, columns, legend);
    Buf heights = buf_new(a);
    buf_puts(&heights, "");
    double y[LABELS_MAX];
    for (int m = 0; labels && m < f->mixers; m++) y[m] = end[m];
    if (labels) spread_labels(y, f->mixers, 0.065);
    for (int m = 0; labels && m < f->mixers; m++) buf_printf(&heights, "%.3f ", y[m]);
    set_text(&f->variables, "LABEL_Y", heights.s);
}

bool set_chances(Figure *f, const Buf *csv, const char *panel, Err *err)
{
    Csv drawn;
    bool any = false;
    Buf chances = buf_new(csv->a);
    TRY(csv_parse("figure", csv->s, csv->a, &drawn, err));
    buf_puts(&chances, "");
    for (int p = 1; p <= f->panels; p++) {
        bool here = false;
        for (int r = 0; r < drawn.rows && !here; r++)
            here = (int)csv_num(&drawn, r, panel) == p && !isnan(csv_num(&drawn, r, "chance"));
        buf_printf(&chances, "%d ", here);
        any = any || here;
    }
    buf_printf(&f->variables, "CHANCE=%d; ", any);
    set_text(&f->variables, "CHANCES", chances.s);
    return true;
}

/* ---- captions ---- */

const char *seeds_text(const Cells *s, const Figure *f, Arena *a)
{
    int least = 0, most = 0;
    for (int m = 0; m < f->mixers; m++)
        for (int k = 0; k < f->cases; k++) {
            const Cell *c = cell_at(s, f->mixer[m], f->kase[k]);
            if (!c || !c->n_seeds) continue;
            if (c->n_seeds > most) most = c->n_seeds;
            if (!least || c->n_seeds < least) least = c->n_seeds;
        }
    if (most <= 1) return "one seed";
    if (least == most) return arena_printf(a, "median over %d seeds", most);
    return arena_printf(a, "median over %d to %d seeds", least, most);
}

const char *bars_text(const Cells *s, const Figure *f)
{
    bool one = false, several = false;
    for (int m = 0; m < f->mixers; m++)
        for (int k = 0; k < f->cases; k++) {
            const Cell *c = cell_at(s, f->mixer[m], f->kase[k]);
            one = one || (c && c->n_seeds == 1);
            several = several || (c && c->n_seeds > 1);
        }
    if (!several) return "bars: 95 % Wilson interval";
    return one ? "bars: smallest and largest seed, of a single seed the 95 % Wilson interval"
               : "bars: smallest and largest seed";
}

const char *metrics_text(const Cells *s, const Figure *f, Arena *a)
{
    Buf b = buf_new(a);
    const char *known[8];
    int n = 0;
    buf_puts(&b, "");
    for (int k = 0; k < f->cases; k++)
        for (int m = 0; m < f->mixers; m++) {
            const Cell *c = cell_at(s, f->mixer[m], f->kase[k]);
            int i = 0;
            if (!c || !c->n_points) continue;
            while (i < n && strcmp(known[i], c->metric)) i++;
            if (i < n || n == 8) continue;
            buf_printf(&b, "%s%s", n ? ", " : "", c->metric);
            known[n++] = c->metric;
        }
    return b.s;
}
