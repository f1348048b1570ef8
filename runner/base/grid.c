/* SPDX-License-Identifier: Apache-2.0
 * grid.c - one table of text, written as aligned columns, CSV, JSON, Markdown or LaTeX (booktabs).
 */
#include "base/grid.h"
#include "base/json.h"

#include <stdio.h>
#include <string.h>

static const char *const format_names[] = { "table", "csv", "json", "markdown", "latex", NULL };

bool format_read(const char *flag, const char *text, Format *out, Err *err)
{
    for (int i = 0; format_names[i]; i++)
        if (!strcmp(text, format_names[i])) {
            *out = (Format)i;
            return true;
        }
    return err_set(err, EXIT_USAGE, "%s: '%s' is not one of table, csv, json, markdown, latex", flag, text);
}

static bool is_mark(char c) { return c == *BOLD_ON || c == *BOLD_OFF; }

const char *text_marked(Arena *a, const char *s, const char *on, const char *off)
{
    if (!s[strcspn(s, BOLD_ON BOLD_OFF)]) return s;
    Buf b = buf_new(a);
    buf_puts(&b, "");
    for (; *s; s++)
        if (is_mark(*s))
            buf_puts(&b, *s == *BOLD_ON ? on : off);
        else
            buf_printf(&b, "%c", *s);
    return b.s;
}

int text_width(const char *utf8)
{
    int n = 0;
    for (; *utf8; utf8++) n += ((unsigned char)*utf8 & 0xc0) != 0x80 && !is_mark(*utf8);
    return n;
}

void buf_pad(Buf *b, const char *utf8, int width, bool right)
{
    int pad = width - text_width(utf8);
    if (right && pad > 0) buf_printf(b, "%*s", pad, "");
    buf_puts(b, utf8);
    if (!right && pad > 0) buf_printf(b, "%*s", pad, "");
}

void buf_wrap(Buf *b, const char *text, int width)
{
    int used = 0;
    for (text += strspn(text, " \n"); *text; text += strspn(text, " \n")) {
        size_t n = strcspn(text, " \n");
        const char *word = arena_printf(b->a, "%.*s", (int)n, text);
        if (used) buf_puts(b, used + 1 + text_width(word) > width ? "\n" : " ");
        used = used && used + 1 + text_width(word) <= width ? used + 1 + text_width(word) : text_width(word);
        buf_puts(b, word);
        text += n;
    }
    if (used) buf_puts(b, "\n");
}

Grid grid_new(Arena *a, int cols, const char *const *head, const char *align)
{
    CHECK((int)strlen(align) == cols, "grid: %d columns, alignment '%s'", cols, align);
    Grid g = { .a = a, .cols = cols, .head = ARENA_NEW(a, const char *, cols), .align = align };
    for (int i = 0; i < cols; i++) g.head[i] = head[i];
    return g;
}

const char **grid_row(Grid *g)
{
    if (g->rows == g->cap) {
        int cap = g->cap ? 2 * g->cap : 16;
        const char ***cell = ARENA_NEW(g->a, const char **, cap);
        for (int i = 0; i < g->rows; i++) cell[i] = g->cell[i];
        g->cell = cell;
        g->cap = cap;
    }
    const char **row = ARENA_NEW(g->a, const char *, g->cols);
    for (int i = 0; i < g->cols; i++) row[i] = "";
    return g->cell[g->rows++] = row;
}

/* A line of padded cells without blanks at its end. */
static void write_line(const Grid *g, Buf *b, const char *const *cell, const int *width, int skip)
{
    size_t start = b->len;
    for (int i = 0, first = 1; i < g->cols; i++) {
        if (i == skip) continue;
        if (!first) buf_puts(b, "  ");
        first = 0;
        Buf padded = buf_new(g->a);
        buf_pad(&padded, cell[i], width[i], g->align[i] == 'r');
        buf_puts(b, text_marked(g->a, padded.s, g->color ? "\033[1m" : "", g->color ? "\033[0m" : ""));
    }
    while (b->len > start && b->s[b->len - 1] == ' ') b->s[--b->len] = 0;
    buf_puts(b, "\n");
}

static void write_table(const Grid *g, Buf *b, int group)
{
    int *width = ARENA_NEW(g->a, int, g->cols);
    for (int i = 0; i < g->cols; i++) {
        width[i] = text_width(g->head[i]);
        for (int r = 0; r < g->rows; r++)
            if (text_width(g->cell[r][i]) > width[i]) width[i] = text_width(g->cell[r][i]);
    }
    if (group >= 0) buf_puts(b, "  ");
    write_line(g, b, g->head, width, group);
    for (int r = 0; r < g->rows; r++) {
        if (group >= 0 && (r == 0 || strcmp(g->cell[r][group], g->cell[r - 1][group])))
            buf_printf(b, "\n%s\n", g->cell[r][group]);
        if (group >= 0) buf_puts(b, "  ");
        write_line(g, b, g->cell[r], width, group);
    }
}

static void write_csv(const Grid *g, Buf *b)
{
    for (int r = -1; r < g->rows; r++) {
        for (int i = 0; i < g->cols; i++) {
            if (i) buf_puts(b, ",");
            buf_csv(b, text_marked(g->a, r < 0 ? g->head[i] : g->cell[r][i], "", ""));
        }
        buf_puts(b, "\n");
    }
}

/* JSON's grammar of a number, narrower than strtod's: -12, 0.5, 1.0e-3. */
static bool is_number(const char *s)
{
    static const char digits[] = "0123456789";
    size_t n;
    s += *s == '-';
    n = strspn(s, digits);
    if (n == 0 || (n > 1 && *s == '0')) return false;
    s += n;
    if (*s == '.') {
        if (!(n = strspn(++s, digits))) return false;
        s += n;
    }
    if (*s == 'e' || *s == 'E') {
        s += s[1] == '-' || s[1] == '+' ? 2 : 1;
        if (!(n = strspn(s, digits))) return false;
        s += n;
    }
    return !*s;
}

Grid grid_of_csv(Arena *a, const Csv *csv)
{
    char *align = ARENA_NEW(a, char, csv->cols + 1);
    for (int i = 0; i < csv->cols; i++) {
        align[i] = 'r';
        for (int r = 0; r < csv->rows; r++)
            if (csv->cell[r][i][0] && !is_number(csv->cell[r][i])) align[i] = 'l';
    }
    Grid g = grid_new(a, csv->cols, (const char *const *)csv->head, align);
    for (int r = 0; r < csv->rows; r++) {
        const char **row = grid_row(&g);
        for (int i = 0; i < csv->cols; i++) row[i] = csv->cell[r][i];
    }
    return g;
}

static void write_json(const Grid *g, Buf *b)
{
    buf_puts(b, "[");
    for (int r = 0; r < g->rows; r++) {
        buf_puts(b, r ? ",\n  {" : "\n  {");
        for (int i = 0; i < g->cols; i++) {
            const char *s = text_marked(g->a, g->cell[r][i], "", "");
            if (i) buf_puts(b, ", ");
            json_text(b, g->head[i]);
            buf_puts(b, ": ");
            if (!*s)
                buf_puts(b, "null");
            else if (g->align[i] == 'r' && is_number(s))
                buf_puts(b, s);
            else
                json_text(b, s);
        }
        buf_puts(b, "}");
    }
    buf_puts(b, "\n]\n");
}

const char *bytes_markdown(Arena *a, const char *s)
{
    if (!strchr(s, '|')) return s;
    Buf b = buf_new(a);
    for (; *s; s++) buf_printf(&b, *s == '|' ? "\\%c" : "%c", *s);
    return b.s;
}

static void write_markdown(const Grid *g, Buf *b)
{
    for (int i = 0; i < g->cols; i++) buf_printf(b, "| %s ", bytes_markdown(g->a, g->head[i]));
    buf_puts(b, "|\n");
    for (int i = 0; i < g->cols; i++) buf_puts(b, g->align[i] == 'r' ? "|---:" : "|---");
    buf_puts(b, "|\n");
    for (int r = 0; r < g->rows; r++) {
        for (int i = 0; i < g->cols; i++)
            buf_printf(b, "| %s ", bytes_markdown(g->a, text_marked(g->a, g->cell[r][i], "**", "**")));
        buf_puts(b, "|\n");
    }
}

static const char *latex_of(const char *s, size_t *used)
{
    static const struct {
        const char *text, *latex;
    } table[] = {
        { "\\", "\\textbackslash{}" },
        { "&", "\\&" },
        { "%", "\\%" },
        { "$", "\\$" },
        { "#", "\\#" },
        { "_", "\\_" },
        { "{", "\\{" },
        { "}", "\\}" },
        { "~", "\\textasciitilde{}" },
        { "^", "\\textasciicircum{}" },
        { "<", "\\textless{}" },
        { ">", "\\textgreater{}" },
        { BOLD_ON, "\\textbf{" },
        { BOLD_OFF, "}" },
        { "±", "$\\pm$" },
        { "→", "$\\rightarrow$" },
        { "≥", "$\\geq$" },
        { "≤", "$\\leq$" },
        { "×", "$\\times$" },
        { "−", "$-$" },
        { "†", "$\\dagger$" },
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        *used = strlen(table[i].text);
        if (!strncmp(s, table[i].text, *used)) return table[i].latex;
    }
    return NULL;
}

void buf_latex(Buf *b, const char *utf8)
{
    for (size_t n; *utf8; utf8 += n) {
        const char *latex = latex_of(utf8, &n);
        if (!latex) n = 1;
        buf_printf(b, "%.*s", latex ? (int)strlen(latex) : 1, latex ? latex : utf8);
    }
}

void grid_latex_rows(const Grid *g, Buf *b)
{
    for (int r = 0; r < g->rows; r++)
        for (int i = 0; i < g->cols; i++) {
            if (i == 0 && *g->cell[r][i] == '[') buf_puts(b, "{}"); /* \\ would take it for a length */
            buf_latex(b, g->cell[r][i]);
            buf_puts(b, i < g->cols - 1 ? " & " : " \\\\\n");
        }
}

static void write_latex(const Grid *g, Buf *b)
{
    buf_printf(b, "\\begin{tabular}{%s}\n\\toprule\n", g->align);
    for (int i = 0; i < g->cols; i++) {
        buf_latex(b, g->head[i]);
        buf_puts(b, i < g->cols - 1 ? " & " : " \\\\\n\\midrule\n");
    }
    grid_latex_rows(g, b);
    buf_puts(b, "\\bottomrule\n\\end{tabular}\n");
}

char *grid_text(const Grid *g, Format format, int group)
{
    Buf b = buf_new(g->a);
    buf_puts(&b, "");
    if (format == FORMAT_TABLE)
        write_table(g, &b, group);
    else if (format == FORMAT_CSV)
        write_csv(g, &b);
    else if (format == FORMAT_JSON)
        write_json(g, &b);
    else if (format == FORMAT_LATEX)
        write_latex(g, &b);
    else
        write_markdown(g, &b);
    return b.s;
}

void grid_print(const Grid *g, Format format) { fputs(grid_text(g, format, -1), stdout); }
