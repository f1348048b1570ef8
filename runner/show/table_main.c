/* SPDX-License-Identifier: Apache-2.0
 * table_main.c - the main table as Markdown, LaTeX (booktabs) and rows for CSV and JSON.
 */
#include "show/table.h"

#include <math.h>
#include <string.h>

static const char *cell_text(const TableView *v, int m, int k)
{
    const char *first = cell_first_line(v, m, k), *second = cell_second_line(v, m, k);
    return *second ? arena_printf(v->a, "%s (%s)", first, second) : first;
}

/* Mixers x cases with a row of chances above. */
static Grid mixers_by_cases(const TableView *v)
{
    const Cells *s = v->s;
    const char **head = ARENA_NEW(v->a, const char *, s->cases + 2);
    char *align = ARENA_NEW(v->a, char, s->cases + 3);
    head[0] = "mixer";
    head[1] = "state";
    memset(align, 'l', (size_t)s->cases + 2);
    align[1] = 'r';
    for (int k = 0; k < s->cases; k++) head[2 + k] = s->kase[k];
    Grid g = grid_new(v->a, s->cases + 2, head, align);
    if (!v->scaled) {
        const char **row = grid_row(&g);
        row[0] = "chance";
        for (int k = 0; k < s->cases; k++) row[2 + k] = chance_text(v, k);
    }
    for (int m = 0; m < s->mixers; m++) {
        const char **row = grid_row(&g);
        row[0] = s->mixer[m];
        row[1] = state_text(v, m);
        for (int k = 0; k < s->cases; k++) row[2 + k] = cell_text(v, m, k);
    }
    return g;
}

/* The same, a row per case: for many cases and few mixers, where a column each would not be readable. */
static Grid cases_by_mixers(const TableView *v)
{
    const Cells *s = v->s;
    const char **head = ARENA_NEW(v->a, const char *, s->mixers + 2);
    char *align = ARENA_NEW(v->a, char, s->mixers + 3);
    memset(align, 'l', (size_t)s->mixers + 2);
    head[0] = "case";
    head[1] = "chance";
    for (int m = 0; m < s->mixers; m++)
        head[2 + m] = arena_printf(v->a, "%s (state %s)", s->mixer[m], state_text(v, m));
    Grid g = grid_new(v->a, s->mixers + 2, head, align);
    for (int k = 0; k < s->cases; k++) {
        const char **row = grid_row(&g);
        row[0] = s->kase[k];
        row[1] = v->scaled ? "" : chance_text(v, k);
        for (int m = 0; m < s->mixers; m++) row[2 + m] = cell_text(v, m, k);
    }
    return g;
}

bool table_is_tall(const TableView *v) { return v->s->cases > 12 && v->s->cases > 2 * v->s->mixers; }

Grid table_main(const TableView *v) { return table_is_tall(v) ? cases_by_mixers(v) : mixers_by_cases(v); }

char *table_markdown(const TableView *v)
{
    const char *question = v->s->question;
    Buf b = buf_new(v->a);
    Grid g = table_main(v), cases = table_legend(v);
    buf_wrap(&b, question ? question : "", 120);
    buf_puts(&b, question ? "\n" : "");
    buf_printf(&b, "%s\n%s\n", grid_text(&g, FORMAT_MARKDOWN, -1), grid_text(&cases, FORMAT_MARKDOWN, -1));
    buf_puts(&b, "State: reals of recurrent state per sequence, at the training lengths.\n\n");
    buf_puts(&b, table_reading(v));
    return b.s;
}

char *table_latex(const TableView *v)
{
    const Cells *s = v->s;
    Buf b = buf_new(v->a);
    Grid g = table_main(v), cases = table_legend(v);
    buf_puts(&b, "% needs \\usepackage{booktabs}\n\\begin{table}\n\\centering\\small\n\\caption{");
    buf_latex(&b, s->title ? s->title : s->name);
    buf_printf(&b, "}\n%s\n\\medskip\n%s", grid_text(&g, FORMAT_LATEX, -1), grid_text(&cases, FORMAT_LATEX, -1));
    buf_puts(&b, "\\par\\medskip\\footnotesize\n");
    buf_latex(&b, table_reading(v));
    buf_puts(&b, "\\end{table}\n");
    return b.s;
}

static const char *real_text(Arena *a, double v)
{
    Buf b = buf_new(a);
    buf_puts(&b, "");
    buf_real(&b, v);
    return b.s;
}

Grid table_grid(const TableView *v)
{
    static const char *const head[] = { "mixer",       "case",   "task",   "metric", "n_seeds", "lr", "step_solved",
                                        "state_reals", "params", "slice",  "len",    "acc",     "lo", "hi",
                                        "n",           "chance", "solved", "theory", "why" };
    static const char *const scaled_head[] = { "scaled", "scaled_lo", "scaled_hi" };
    const Cells *s = v->s;
    Grid g = grid_new(v->a, 19, head, "llllrrrrrlrrrrrrrll");
    for (int i = 0; i < 3 && v->scaled; i++) g.head[11 + i] = scaled_head[i];
    for (int m = 0; m < s->mixers; m++)
        for (int k = 0; k < s->cases; k++) {
            const Cell *c = cell_at(s, m, k);
            for (int i = 0; c && i < c->n_points; i++) {
                const Point *p = &c->point[i];
                const char **row = grid_row(&g), *text[] = { s->mixer[m], s->kase[k], c->task, c->metric };
                const double number[] = { c->n_seeds, c->lr, c->step_solved, c->state, c->params };
                double tail[] = { p->len, p->acc, p->lo, p->hi, (double)p->n, p->chance, p->solved };
                for (int j = 1; j < 4 && v->scaled; j++) tail[j] = (tail[j] - p->chance) / (1 - p->chance);
                for (int j = 0; j < 4; j++) row[j] = text[j];
                for (int j = 0; j < 5; j++) row[4 + j] = real_text(v->a, number[j]);
                row[9] = p->slice;
                for (int j = 0; j < 7; j++) row[10 + j] = real_text(v->a, tail[j]);
                row[17] = c->has_theory ? theory_verdict_name(c->theory.verdict) : "";
                row[18] = c->has_theory && c->theory.why ? c->theory.why : "";
            }
        }
    return g;
}
