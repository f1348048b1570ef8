/* SPDX-License-Identifier: Apache-2.0
 * table_text.c - the main table on a terminal: two lines a mixer, as many cases a block as fit the width; or, of many
 * cases and few mixers, a line per case.
 */
#include "show/table.h"

/* Solved green, nothing learnt dim. */
static const char *color_of(const Cell *c)
{
    if (!c || !c->n_points) return "\033[2m";
    const Point *p = &c->point[0];
    if (2 * p->solved > c->n_seeds) return "\033[32m";
    return p->acc <= p->chance + 0.05 * (1 - p->chance) ? "\033[2m" : "";
}

static void end_line(Buf *b)
{
    while (b->len && b->s[b->len - 1] == ' ') b->s[--b->len] = 0;
    buf_puts(b, "\n");
}

/* Widths: of the labels, of the state column, of each case. */
typedef struct Layout {
    int label, state, *width;
    bool color;
} Layout;

static void write_cell(Buf *b, const char *text, int width, const char *color, const Layout *l)
{
    Buf padded = buf_new(b->a);
    buf_pad(&padded, text, width, false);
    if (l->color) buf_puts(b, color);
    buf_puts(b, text_marked(b->a, padded.s, l->color ? "\033[1m" : "", l->color ? "\033[22m" : ""));
    if (l->color) buf_puts(b, "\033[0m");
}

/* Mixers x the cases from..to-1. */
static void write_block(const TableView *v, int from, int to, const Layout *l, Buf *b)
{
    const Cells *s = v->s;
    buf_pad(b, "", l->label, false);
    buf_pad(b, "state", l->state + 2, true);
    for (int k = from; k < to; k++) {
        buf_puts(b, "  ");
        buf_pad(b, s->kase[k], l->width[k], false);
    }
    end_line(b);
    if (!v->scaled) {
        buf_pad(b, "chance", l->label + l->state + 2, false);
        for (int k = from; k < to; k++) {
            buf_puts(b, "  ");
            write_cell(b, chance_text(v, k), l->width[k], "\033[2m", l);
        }
        end_line(b);
    }
    for (int m = 0; m < s->mixers; m++)
        for (int line = 0; line < 2; line++) {
            buf_pad(b, line ? "" : s->mixer[m], l->label, false);
            buf_pad(b, line ? "" : state_text(v, m), l->state + 2, true);
            for (int k = from; k < to; k++) {
                buf_puts(b, "  ");
                if (line)
                    write_cell(b, cell_second_line(v, m, k), l->width[k], "\033[2m", l);
                else
                    write_cell(b, cell_first_line(v, m, k), l->width[k], color_of(cell_at(s, m, k)), l);
            }
            end_line(b);
        }
}

static void widen(int *width, const char *text)
{
    if (text_width(text) > *width) *width = text_width(text);
}

char *table_text(const TableView *v, int columns, bool color)
{
    const Cells *s = v->s;
    Arena *a = v->a;
    Buf b = buf_new(a);
    Layout l = { .label = 6, .state = 5, .width = ARENA_NEW(a, int, s->cases), .color = color };
    for (int k = 0; k < s->cases; k++) {
        widen(&l.width[k], s->kase[k]);
        widen(&l.width[k], chance_text(v, k));
    }
    for (int m = 0; m < s->mixers; m++) {
        widen(&l.label, s->mixer[m]);
        widen(&l.state, state_text(v, m));
        for (int k = 0; k < s->cases; k++) {
            widen(&l.width[k], cell_first_line(v, m, k));
            widen(&l.width[k], cell_second_line(v, m, k));
        }
    }
    buf_printf(&b, "%s\n", s->title ? s->title : s->name);
    buf_wrap(&b, s->question ? s->question : "", columns < 116 ? columns : 116);
    if (table_is_tall(v)) {
        Grid tall = table_main(v);
        tall.color = color;
        buf_printf(&b, "\n%s", grid_text(&tall, FORMAT_TABLE, -1));
    }
    for (int from = 0, to; from < s->cases && !table_is_tall(v); from = to) {
        int used = l.label + l.state + 2;
        for (to = from; to < s->cases && (to == from || used + 2 + l.width[to] <= columns); to++)
            used += 2 + l.width[to];
        buf_puts(&b, "\n");
        write_block(v, from, to, &l, &b);
    }
    Grid g = table_legend(v);
    buf_printf(&b, "\n%s\n", grid_text(&g, FORMAT_TABLE, -1));
    buf_puts(&b, "state: reals of recurrent state per sequence, at the training lengths\n");
    buf_puts(&b, table_reading(v));
    return b.s;
}
