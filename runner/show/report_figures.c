/* SPDX-License-Identifier: Apache-2.0
 * report_figures.c - the figures of the sweep, embedded as they are.
 */
#include "show/report.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

static int by_name(const void *x, const void *y) { return strcmp(*(const char *const *)x, *(const char *const *)y); }

static int find_figures(const char *dir, Arena *a, const char ***out)
{
    enum { MAX = 256 };
    int n = 0;
    *out = ARENA_NEW(a, const char *, MAX);
    DIR *d = opendir(dir);
    if (!d) return 0;
    for (struct dirent *e; n < MAX && (e = readdir(d));) {
        size_t len = strlen(e->d_name);
        if (len > 4 && !strcmp(e->d_name + len - 4, ".svg"))
            (*out)[n++] = arena_printf(a, "%.*s", (int)len - 4, e->d_name);
    }
    closedir(d);
    qsort(*out, (size_t)n, sizeof **out, by_name);
    return n;
}

static void put_figure(Report *r, const char *stem, const char *name, const char *caption)
{
    Buf *b = &r->b;
    char *svg;
    size_t start;
    if (!file_read(arena_printf(r->a, "%s.svg", stem), 64u << 20, r->a, &svg, NULL, NULL)) return;
    buf_puts(b, "<figure>\n<div class=\"scroll card\" role=\"region\" tabindex=\"0\" ");
    buf_printf(b, "aria-label=\"Figure %s\">\n", html_text(r->a, name));
    start = b->len;
    if (!html_svg(b, svg, html_id(r->a, "fig-", name), caption)) {
        b->s[b->len = start] = 0;
        buf_puts(b, "<p>This figure is not an SVG that a page can hold.</p>\n");
    }
    buf_printf(b, "</div>\n<figcaption>%s", html_text(r->a, caption));
    if (r->linked) {
        const char *file = html_text(r->a, name);
        buf_printf(b, " Drawn from <a href=\"figures/%s.csv\">figures/%s.csv</a>.", file, file);
    }
    buf_puts(b, "</figcaption>\n</figure>\n");
}

void report_figures(Report *r)
{
    const char **name, *dir = path_join(r->a, r->cells.dir, "figures");
    int n = find_figures(dir, r->a, &name);
    html_section(&r->b, "figures", "Figures");
    for (int i = 0; i < n; i++) put_figure(r, path_join(r->a, dir, name[i]), name[i], name[i]);
    html_section_end(&r->b);
}
