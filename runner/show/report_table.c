/* SPDX-License-Identifier: Apache-2.0
 * report_table.c - mixers x cases as an HTML table, every slice behind it, and what theory says with its reasons.
 *
 * Bold are those that `seqprobe table` makes bold (table_cells.c): the best, where no other interval reaches them. The
 * tint repeats the number, scaled from chance to 1.
 */
#include "show/report.h"
#include "show/table.h"

#include <math.h>
#include <string.h>

typedef struct Mark {
    const char *sign, *word;
} Mark;

static Mark mark_of(TheoryVerdict v)
{
    static const Mark mark[] = {
        [THEORY_OPEN] = { "?", "open" },
        [THEORY_YES] = { "✓", "can" },
        [THEORY_NO] = { "✗", "cannot" },
        [THEORY_COND] = { "c", "conditional" },
        [THEORY_APPROX] = { "~", "approximately" },
    };
    return mark[v];
}

/* 0 (chance) to 5 (solved). */
static int tint_of(const Point *p)
{
    double chance = isnan(p->chance) || p->chance >= 1 ? 0 : p->chance, v = (p->acc - chance) / (1 - chance);
    return v < 0.05 ? 0 : v < 0.3 ? 1 : v < 0.6 ? 2 : v < 0.9 ? 3 : v < 0.99 ? 4 : 5;
}

static const Point *point_named(const Cell *c, const char *slice)
{
    for (int i = 0; c && i < c->n_points; i++)
        if (!strcmp(c->point[i].slice, slice)) return &c->point[i];
    return NULL;
}

static void put_number(Report *r, const Point *p, bool bold)
{
    buf_printf(&r->b, "<span class=\"v v%d\">%s%s%s</span>", tint_of(p), bold ? "<strong>" : "",
               accuracy_text(r->a, p->acc), bold ? "</strong>" : "");
}

static void put_theory(Report *r, const Cell *c)
{
    if (!c->has_theory) return;
    Mark m = mark_of(c->theory.verdict);
    buf_printf(&r->b, "<span class=\"theory t-%s\" title=\"%s\">%s %s</span>", theory_verdict_name(c->theory.verdict),
               html_text(r->a, c->theory.why ? c->theory.why : ""), m.sign, m.word);
}

static void put_cell(Report *r, const TableView *v, int mixer, int kase)
{
    const Cell *c = cell_at(&r->cells, mixer, kase);
    int at = mixer * r->cells.cases + kase;
    Buf *b = &r->b;
    if (!c || !c->n_seeds) {
        buf_printf(b, "<td class=\"none\">%s</td>", c ? "not run" : "");
        return;
    }
    buf_puts(b, "<td>");
    if (!c->n_points) {
        buf_puts(b, "<span class=\"row\">✗ diverged</span>");
    } else {
        const Point *far = cell_longest(c);
        buf_puts(b, "<span class=\"row\">");
        put_number(r, &c->point[0], v->best[0][at]);
        if (far) {
            buf_puts(b, " → ");
            put_number(r, far, v->best[1][at]);
        }
        buf_printf(b, "</span><span class=\"solved\">%d/%d solved", c->point[0].solved, c->n_seeds);
        if (!isnan(c->step_solved)) buf_printf(b, " @%.0f", c->step_solved);
        buf_puts(b, "</span>");
    }
    put_theory(r, c);
    buf_puts(b, "</td>");
}

static const Cell *any_cell(const Cells *s, int k)
{
    for (int m = 0; m < s->mixers; m++)
        if (cell_has_points(s, m, k)) return cell_at(s, m, k);
    return NULL;
}

/* Heading of a case: its name, metric, chance and lengths. */
static void put_head(Report *r, int k)
{
    const Cell *c = any_cell(&r->cells, k);
    Buf *b = &r->b;
    buf_printf(b, "<th scope=\"col\"><span class=\"case\">%s</span>", html_text(r->a, r->cells.kase[k]));
    if (c) {
        const Point *far = cell_longest(c);
        buf_printf(b, "<span class=\"sub\">%s</span>", html_text(r->a, c->metric));
        if (!isnan(c->point[0].chance)) buf_printf(b, "<span class=\"sub\">chance %.3g</span>", c->point[0].chance);
        buf_printf(b, "<span class=\"sub\">length %d", c->point[0].len);
        if (far) buf_printf(b, " → %d", far->len);
        buf_puts(b, "</span>");
    }
    buf_puts(b, "</th>");
}

static void put_main(Report *r)
{
    TableView v = table_view(&r->cells, false, r->a);
    Buf *b = &r->b;
    html_table(b, "Test accuracy at the training lengths → at the greatest length evaluated (median over seeds)",
               "main", 0, NULL);
    buf_puts(b, "<thead>\n<tr><th scope=\"col\">Mixer</th>");
    for (int k = 0; k < r->cells.cases; k++) put_head(r, k);
    buf_puts(b, "</tr>\n</thead>\n<tbody>\n");
    for (int m = 0; m < r->cells.mixers; m++) {
        html_row_head(b, r->cells.mixer[m]);
        for (int k = 0; k < r->cells.cases; k++) put_cell(r, &v, m, k);
        buf_puts(b, "</tr>\n");
    }
    html_table_end(b);
    buf_puts(b,
             "<p class=\"legend\">Tint: from chance <span class=\"v v0\">0</span> <span class=\"v v1\">&lt; 0.3</span> "
             "<span class=\"v v2\">&lt; 0.6</span> <span class=\"v v3\">&lt; 0.9</span> <span class=\"v v4\">&lt; "
             "0.99</span> <span class=\"v v5\">1</span> to perfect, (accuracy − chance)/(1 − chance). "
             "<strong>Bold</strong>: the best of a case, where no other interval (all seeds, and Wilson&#39;s 95 %) "
             "reaches them. Then the seeds that solved it and, after @, the step at which validation was solved; then "
             "what theory says at every length: "
             "✓ can, ✗ cannot, c conditional, ~ approximately or up to some length, ? open.</p>\n");
}

/* ---- every slice ---- */

static void put_slice(Report *r, int mixer, int kase, const char *slice)
{
    const Point *p = point_named(cell_at(&r->cells, mixer, kase), slice);
    if (!p) {
        html_cell(&r->b, "–");
        return;
    }
    buf_puts(&r->b, "<td><span class=\"row\">");
    put_number(r, p, false);
    buf_printf(&r->b, "</span><span class=\"solved\">%.3f–%.3f</span></td>", p->lo, p->hi);
}

static void put_slices(Report *r, int k)
{
    const Cell *c = any_cell(&r->cells, k);
    Buf *b = &r->b;
    if (!c) return;
    html_table(b, arena_printf(r->a, "%s: %s on every slice (median; interval)", r->cells.kase[k], c->metric), "main",
               0, NULL);
    buf_puts(b, "<thead>\n<tr><th scope=\"col\">Mixer</th><th scope=\"col\">Rate</th><th scope=\"col\">Seeds</th>");
    for (int i = 0; i < c->n_points; i++) {
        const Point *p = &c->point[i];
        buf_printf(b, "<th scope=\"col\"><span class=\"case\">%s</span><span class=\"sub\">length %d</span>",
                   html_text(r->a, i ? p->slice : "as trained"), p->len);
        if (!isnan(p->chance)) buf_printf(b, "<span class=\"sub\">chance %.3g</span>", p->chance);
        buf_printf(b, "<span class=\"sub\">n %ld</span></th>", p->n / c->n_seeds);
    }
    buf_puts(b, "</tr>\n</thead>\n<tbody>\n");
    for (int m = 0; m < r->cells.mixers; m++) {
        const Cell *own = cell_at(&r->cells, m, k);
        if (!own || !own->n_seeds) continue;
        html_row_head(b, r->cells.mixer[m]);
        buf_printf(b, "<td class=\"n\">%g</td><td class=\"n\">%d</td>", own->lr, own->n_seeds);
        for (int i = 0; i < c->n_points; i++) put_slice(r, m, k, c->point[i].slice);
        buf_puts(b, "</tr>\n");
    }
    html_table_end(b);
}

/* ---- theory ---- */

static bool same_theory(const Cell *x, const Cell *y)
{
    return x->theory.verdict == y->theory.verdict &&
           !strcmp(x->theory.why ? x->theory.why : "", y->theory.why ? y->theory.why : "");
}

/* One line per verdict of a case, with the mixers it speaks of. */
static void put_reasons(Report *r, int k)
{
    const Cells *s = &r->cells;
    for (int m = 0; m < s->mixers; m++) {
        const Cell *c = cell_at(s, m, k);
        bool earlier = false;
        if (!c || !c->has_theory) continue;
        for (int i = 0; i < m && !earlier; i++) {
            const Cell *o = cell_at(s, i, k);
            earlier = o && o->has_theory && same_theory(o, c);
        }
        if (earlier) continue;
        Mark mark = mark_of(c->theory.verdict);
        html_row_head(&r->b, s->kase[k]);
        buf_printf(&r->b, "<td>%s %s</td><td class=\"text\">", mark.sign, mark.word);
        for (int i = m, n = 0; i < s->mixers; i++) {
            const Cell *o = cell_at(s, i, k);
            if (o && o->has_theory && same_theory(o, c))
                buf_printf(&r->b, "%s%s", n++ ? ", " : "", html_text(r->a, s->mixer[i]));
        }
        buf_printf(&r->b, "</td><td class=\"text\">%s</td></tr>\n",
                   html_text(r->a, c->theory.why ? c->theory.why : ""));
    }
}

void report_table(Report *r)
{
    static const char *const head[] = { "Case", "Theory", "Mixers", "Reason and source" };
    html_section(&r->b, "results", "Results");
    put_main(r);
    html_details(&r->b, "Every slice, with intervals");
    for (int k = 0; k < r->cells.cases; k++) put_slices(r, k);
    buf_puts(&r->b, "<p class=\"small\">The interval is the smallest and the largest seed; of one seed, Wilson's at 95 "
                    "%. n: what the accuracy of one seed is counted over.</p>\n");
    html_details_end(&r->b);
    html_details(&r->b, "What theory says, and why");
    html_table(&r->b, "Expressivity at every length, by case and class of mixer", "prose", 4, head);
    for (int k = 0; k < r->cells.cases; k++) put_reasons(r, k);
    html_table_end(&r->b);
    html_details_end(&r->b);
    html_section_end(&r->b);
}
