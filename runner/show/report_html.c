/* SPDX-License-Identifier: Apache-2.0
 * report_html.c - HTML that is also well-formed XML: escaping, tables, folded parts, SVG documents put into a page.
 *
 * gnuplot names its symbols and curves alike in every figure (gpDot, gnuplot_plot_1): in one page they must differ,
 * so every id="x", href="#x" and url(#x) of a figure gets the figure's prefix.
 */
#include "show/report.h"

#include <ctype.h>
#include <string.h>

/* Bytes of the UTF-8 sequence at s, 0 if it is none (overlong forms, surrogates and beyond U+10FFFF are none). */
static int utf8_length(const unsigned char *s)
{
    if (*s < 0x80) return 1;
    int n = *s >= 0xc2 && *s < 0xe0 ? 2 : (*s & 0xf0) == 0xe0 ? 3 : *s >= 0xf0 && *s < 0xf5 ? 4 : 0;
    for (int i = 1; i < n; i++)
        if ((s[i] & 0xc0) != 0x80) return 0;
    bool low = (*s == 0xe0 && s[1] < 0xa0) || (*s == 0xf0 && s[1] < 0x90);
    bool high = (*s == 0xed && s[1] >= 0xa0) || (*s == 0xf4 && s[1] >= 0x90);
    return low || high ? 0 : n;
}

char *html_text(Arena *a, const char *text)
{
    Buf b = buf_new(a);
    buf_puts(&b, "");
    for (const unsigned char *s = (const unsigned char *)text; *s;) {
        int n = utf8_length(s);
        if (n == 0 || (*s < 0x20 && *s != '\n' && *s != '\t') || *s == 0x7f)
            buf_puts(&b, "\xef\xbf\xbd");
        else if (*s == '&')
            buf_puts(&b, "&amp;");
        else if (*s == '<')
            buf_puts(&b, "&lt;");
        else if (*s == '>')
            buf_puts(&b, "&gt;");
        else if (*s == '"')
            buf_puts(&b, "&quot;");
        else if (*s == '\'')
            buf_puts(&b, "&#39;");
        else
            buf_printf(&b, "%.*s", n, (const char *)s);
        s += n ? n : 1;
    }
    return b.s;
}

char *html_id(Arena *a, const char *prefix, const char *s)
{
    Buf b = buf_new(a);
    buf_puts(&b, prefix);
    for (; *s; s++) buf_printf(&b, "%c", isalnum((unsigned char)*s) ? tolower((unsigned char)*s) : '-');
    return b.s;
}

/* ---- elements ---- */

void html_section(Buf *b, const char *id, const char *title)
{
    buf_printf(b, "<section id=\"%s\" aria-labelledby=\"%s-title\">\n<h2 id=\"%s-title\">%s</h2>\n", id, id, id,
               html_text(b->a, title));
}

void html_section_end(Buf *b) { buf_puts(b, "</section>\n"); }

void html_table(Buf *b, const char *caption, const char *class_name, int cols, const char *const *head)
{
    const char *said = html_text(b->a, caption);
    buf_printf(b, "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"%s\">\n<table class=\"%s\">\n",
               said, class_name);
    buf_printf(b, "<caption><span>%s</span></caption>\n", said);
    if (!cols) return;
    buf_puts(b, "<thead>\n<tr>");
    for (int i = 0; i < cols; i++) buf_printf(b, "<th scope=\"col\">%s</th>", html_text(b->a, head[i]));
    buf_puts(b, "</tr>\n</thead>\n<tbody>\n");
}

void html_table_end(Buf *b) { buf_puts(b, "</tbody>\n</table>\n</div>\n"); }

void html_row_head(Buf *b, const char *text)
{
    buf_puts(b, "<tr><th scope=\"row\">");
    for (const char *s = html_text(b->a, text); *s; s++) {
        if (*s == '[') buf_puts(b, "<wbr />"); /* long names may break here on a phone */
        buf_printf(b, "%c", *s);
        if (*s == '_') buf_puts(b, "<wbr />");
    }
    buf_puts(b, "</th>");
}

void html_cell(Buf *b, const char *text) { buf_printf(b, "<td>%s</td>", html_text(b->a, text)); }

void html_details(Buf *b, const char *summary)
{
    buf_printf(b, "<details>\n<summary>%s</summary>\n", html_text(b->a, summary));
}

void html_details_end(Buf *b) { buf_puts(b, "</details>\n"); }

/* ---- SVG ---- */

static bool is_space(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

/* The value of an attribute of a start tag (text from '<' to '>'), or NULL. */
static const char *svg_attribute(Arena *a, const char *tag, size_t n, const char *name)
{
    size_t len = strlen(name);
    for (size_t i = 1; i + len < n; i++) {
        if (!is_space(tag[i - 1]) || strncmp(tag + i, name, len) != 0) continue;
        size_t k = i + len;
        while (k < n && (is_space(tag[k]) || tag[k] == '=')) k++;
        if (k >= n || (tag[k] != '"' && tag[k] != '\'')) continue;
        const char *end = memchr(tag + k + 1, tag[k], n - k - 1);
        return end ? arena_printf(a, "%.*s", (int)(end - tag - (long)k - 1), tag + k + 1) : NULL;
    }
    return NULL;
}

/* An attribute's value with the prefix wherever it names or refers to an id. */
static void put_value(Buf *b, const char *name, size_t name_n, const char *value, size_t n, const char *prefix)
{
    bool id = name_n == 2 && !strncmp(name, "id", 2);
    bool link = (name_n == 4 && !strncmp(name, "href", 4)) || (name_n == 10 && !strncmp(name, "xlink:href", 10));
    if (id) buf_puts(b, prefix);
    for (size_t i = 0; i < n; i++) {
        buf_printf(b, "%c", value[i]);
        if (value[i] != '#') continue;
        if ((link && i == 0) || (i >= 4 && !strncmp(value + i - 4, "url(", 4)) ||
            (i >= 5 && !strncmp(value + i - 5, "url(", 4)))
            buf_puts(b, prefix);
    }
}

/* One tag, from '<' to '>'. */
static void put_tag(Buf *b, const char *tag, size_t n, const char *prefix)
{
    for (size_t i = 0; i < n;) {
        char quote = tag[i];
        if (quote != '"' && quote != '\'') {
            buf_printf(b, "%c", tag[i++]);
            continue;
        }
        size_t end = i + 1, name_end = i, name;
        while (end < n && tag[end] != quote) end++;
        while (name_end > 0 && (is_space(tag[name_end - 1]) || tag[name_end - 1] == '=')) name_end--;
        for (name = name_end; name > 0 && !is_space(tag[name - 1]);) name--;
        buf_printf(b, "%c", quote);
        put_value(b, tag + name, name_end - name, tag + i + 1, end - i - 1, prefix);
        if (end < n) buf_printf(b, "%c", quote);
        i = end + 1;
    }
}

/* The root: only its viewBox is kept. Returns what follows it, NULL if this is no SVG that a page can take. */
static const char *put_root(Buf *b, const char *svg, const char *label)
{
    const char *root = strstr(svg, "<svg");
    const char *end = root ? strchr(root, '>') : NULL;
    const char *box = end ? svg_attribute(b->a, root, (size_t)(end - root), "viewBox") : NULL;
    double size[4];
    if (!box || sscanf(box, "%lf %lf %lf %lf", &size[0], &size[1], &size[2], &size[3]) != 4) return NULL;
    if (strstr(svg, "<script") || strstr(svg, "<image") || strstr(svg, "<foreignObject")) return NULL;
    buf_printf(b,
               "<svg xmlns=\"http://www.w3.org/2000/svg\" xmlns:xlink=\"http://www.w3.org/1999/xlink\" role=\"img\" "
               "viewBox=\"%s\" style=\"max-width:%.0fpx;min-width:%.0fpx\" aria-label=\"%s\">",
               html_text(b->a, box), 1.15 * size[2], size[2] < 640 ? 0.8 * size[2] : 0.7 * size[2],
               html_text(b->a, label));
    return end + 1;
}

bool html_svg(Buf *b, const char *svg, const char *prefix, const char *label)
{
    const char *s = put_root(b, svg, label);
    const char *own = arena_printf(b->a, "%s-", prefix);
    if (!s) return false;
    for (bool first = true; *s;) {
        size_t n = strcspn(s, "<");
        buf_printf(b, "%.*s", (int)n, s);
        s += n;
        if (!*s) break;
        const char *skip = !strncmp(s, "<!--", 4)              ? "-->"
                           : first && !strncmp(s, "<title", 6) ? "</title>"
                           : first && !strncmp(s, "<desc", 5)  ? "</desc>"
                                                               : NULL;
        const char *end = strstr(s, skip ? skip : ">");
        if (!end) return false;
        n = (size_t)(end - s) + strlen(skip ? skip : ">");
        if (!skip) {
            put_tag(b, s, n, own);
            first = false;
        }
        s += n;
    }
    return true;
}
