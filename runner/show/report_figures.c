/* SPDX-License-Identifier: Apache-2.0
 * report_figures.c - the figures of the sweep, drawn afresh and put into the page.
 *
 * Without gnuplot, or when it complains, the page says so in their place and the report goes on.
 */
#include "show/figures.h"
#include "show/report.h"

#include <stdio.h>
#include <string.h>

static void put_figure(Report *r, const Drawn *d)
{
    Buf *b = &r->b;
    char *svg;
    Err none = { 0 };
    const char *name = html_text(r->a, d->name), *path = arena_printf(r->a, "%s.svg", d->stem);
    buf_printf(b, "<figure id=\"%s\">\n", html_id(r->a, "figure-", d->name));
    buf_printf(b, "<div class=\"scroll card\" role=\"region\" tabindex=\"0\" aria-label=\"Figure %s\">\n", name);
    size_t start = b->len;
    bool read = file_read(path, 64u << 20, r->a, &svg, NULL, &none);
    if (!read || !html_svg(b, svg, html_id(r->a, "fig-", d->name), d->caption)) {
        if (b->len > start) b->s[b->len = start] = 0;
        buf_printf(b, "<p class=\"notice\">%s</p>\n",
                   html_text(r->a, read ? arena_printf(r->a, "%s: not an SVG for a page", path) : none.msg));
    }
    buf_printf(b, "</div>\n<figcaption>%s", html_text(r->a, d->caption));
    if (r->linked) buf_printf(b, " Numbers: <a href=\"figures/%s.csv\">figures/%s.csv</a>.", name, name);
    buf_puts(b, "</figcaption>\n</figure>\n");
}

void report_figures(Report *r)
{
    Drawn *drawn = NULL;
    Err err = { 0 };
    int n = 0;
    html_section(&r->b, "figures", "Figures");
    if (!r->finished) {
        buf_puts(&r->b, "<p>No finished run to draw.</p>\n");
    } else if (!figures_draw(&r->cells, DRAW_SVG, r->a, &n, &drawn, &err)) {
        fprintf(stderr, "seqprobe: warning: no figures in the report: %s\n", err.msg);
        buf_printf(&r->b, "<p class=\"notice\">The figures could not be drawn: %s</p>\n", html_text(r->a, err.msg));
        n = 0;
    }
    for (int i = 0; i < n; i++) put_figure(r, &drawn[i]);
    if (n == 0 && !err.code && r->finished) buf_puts(&r->b, "<p>This sweep has none.</p>\n");
    html_section_end(&r->b);
}
