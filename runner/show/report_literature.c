/* SPDX-License-Identifier: Apache-2.0
 * report_literature.c - our numbers beside the published ones, with what differs in the setting as footnotes.
 */
#include "show/report.h"
#include "show/table.h"

#include <string.h>

/* Text with the grid's marks of emphasis as elements. */
static void put_marked(Buf *b, const char *text)
{
    const size_t on = strlen(BOLD_ON), off = strlen(BOLD_OFF);
    for (const char *open; (open = strstr(text, BOLD_ON)) != NULL;) {
        const char *close = strstr(open, BOLD_OFF);
        if (!close) break;
        buf_printf(b, "%s<strong>", html_text(b->a, arena_printf(b->a, "%.*s", (int)(open - text), text)));
        open += on;
        buf_printf(b, "%s</strong>", html_text(b->a, arena_printf(b->a, "%.*s", (int)(close - open), open)));
        text = close + off;
    }
    buf_puts(b, html_text(b->a, text));
}

static void put_part(Buf *b, const PublishedPart *p, const Comparison *c, const int *note)
{
    static const char *const class_name[] = { "ok", "fell", "order", "none" };
    static const char *const sign[] = { "✓ ", "✗ ", "≈ ", "" };
    const Grid *g = &p->rows;
    buf_printf(b, "<tbody>\n<tr class=\"part\"><th scope=\"rowgroup\" colspan=\"%d\"><span>%s", g->cols,
               html_text(b->a, p->ours));
    buf_printf(b, "<span class=\"sub\">%s</span></span></th></tr>\n", html_text(b->a, p->theirs));
    for (int r = 0; r < g->rows; r++) {
        const Comparison *own = &c[p->from + r];
        html_row_head(b, g->cell[r][0]);
        for (int k = 1; k < g->cols - 1; k++) {
            if (!strcmp(g->head[k], "verdict"))
                buf_printf(b, "<td class=\"%s\">%s", class_name[own->verdict], sign[own->verdict]);
            else
                buf_puts(b, g->align[k] == 'r' ? "<td class=\"n\">"
                            : k == g->cols - 2 ? "<td class=\"text\">"
                                               : "<td>");
            put_marked(b, g->cell[r][k]);
            buf_puts(b, "</td>");
        }
        buf_printf(b, "<td><a href=\"#note-%d\">[%d]</a></td></tr>\n", note[p->from + r], note[p->from + r]);
    }
    buf_puts(b, "</tbody>\n");
}

bool report_read_literature(Report *r, Err *err)
{
    return comparisons_read(&r->cells, r->a, &r->comparisons, &r->comparison, err);
}

void report_literature(Report *r)
{
    Buf *b = &r->b;
    PublishedPart *part;
    const char **text;
    const Comparison *c = r->comparison;
    int n = r->comparisons, *note;
    html_section(b, "literature", "Ours and the literature's");
    if (!n) {
        buf_puts(b, "<p>The config compares nothing with published numbers.</p>\n");
        html_section_end(b);
        return;
    }
    int texts = comparison_footnotes(n, c, r->a, &text, &note);
    int parts = published_parts(n, c, note, r->a, &part);
    buf_printf(b, "<p>%s</p>\n", html_text(r->a, published_summary(n, c, r->a)));
    html_table(b, "Ours beside the published numbers, one part per table of the literature", "published", 0, NULL);
    buf_puts(b, "<thead>\n<tr>");
    for (int k = 0; k < part[0].rows.cols; k++)
        buf_printf(b, "<th scope=\"col\"%s>%s</th>", part[0].rows.align[k] == 'r' ? " class=\"n\"" : "",
                   part[0].rows.head[k]);
    buf_puts(b, "</tr>\n</thead>\n");
    for (int i = 0; i < parts; i++) put_part(b, &part[i], c, note);
    buf_puts(b, "</table>\n</div>\n");
    buf_puts(b, "<h3>What differs in the setting</h3>\n<ol class=\"notes\">\n");
    for (int i = 0; i < texts; i++) buf_printf(b, "<li id=\"note-%d\">%s</li>\n", i + 1, html_text(r->a, text[i]));
    buf_printf(b, "</ol>\n<p class=\"legend\">%s</p>\n", html_text(r->a, published_reading(n, c, r->a)));
    html_section_end(b);
}
