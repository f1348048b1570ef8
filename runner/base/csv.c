/* SPDX-License-Identifier: Apache-2.0
 * csv.c - comma-separated tables with a header line (RFC 4180; \n or \r\n; UTF-8, a byte order mark is skipped).
 *
 * A cell is quoted as a whole or not at all; "" inside quotes is one quote, and quoted cells may span lines. Rows with
 * more or fewer cells than the header are refused with file:line. Blank lines are skipped, except in tables of one
 * column, where they are an empty cell.
 */
#include "base/file.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FILE_MAX = 1 << 30 };

typedef struct Reader {
    const char *name;
    char *p;
    int line;
    bool end;
    Err *err;
} Reader;

/* A quoted cell, unescaped in place; r->p is behind the opening quote. Leaves r->p on the separator. */
static bool read_quoted(Reader *r, char **cell)
{
    int line = r->line;
    char *out = *cell = r->p;
    for (;; r->p++) {
        if (!*r->p) return err_set(r->err, EXIT_FAILED, "%s:%d: unclosed quote", r->name, line);
        if (*r->p == '"' && *++r->p != '"') break;
        r->line += *r->p == '\n';
        *out++ = *r->p;
    }
    if (*r->p && *r->p != ',' && *r->p != '\n' && !(r->p[0] == '\r' && r->p[1] == '\n'))
        return err_set(r->err, EXIT_FAILED, "%s:%d: text after a closing quote", r->name, r->line);
    *out = 0; /* at the closing quote or before it */
    return true;
}

static bool read_bare(Reader *r, char **cell)
{
    *cell = r->p;
    r->p += strcspn(r->p, ",\"\n");
    if (*r->p == '"')
        return err_set(r->err, EXIT_FAILED, "%s:%d: a quote inside a cell that does not start with one", r->name,
                       r->line);
    return true;
}

/* One line into cell[0..max-1]; *n counts all its cells, also those beyond max. */
static bool read_row(Reader *r, char **cell, int max, int *n)
{
    for (*n = 0;;) {
        char *c;
        bool quoted = *r->p == '"';
        if (quoted) r->p++;
        TRY(quoted ? read_quoted(r, &c) : read_bare(r, &c));
        char sep = *r->p;
        if (!quoted && sep != ',' && r->p > c && r->p[-1] == '\r') r->p[-1] = 0;
        if (sep == '\r') r->p++, sep = '\n'; /* after a quoted cell */
        if (!quoted) *r->p = 0;
        if (*n < max) cell[*n] = c;
        ++*n;
        if (sep) r->p++;
        if (sep == ',') continue;
        r->line++;
        r->end = sep == 0 || *r->p == 0;
        return true;
    }
}

static int count_lines(const char *s)
{
    int n = 1;
    for (; (s = strchr(s, '\n')) && n < INT_MAX; s++) n++;
    return n;
}

static bool read_head(Reader *r, Arena *a, Csv *out)
{
    int max = 1;
    for (const char *s = r->p; *s; s++) max += *s == ','; /* at least as many as the header has */
    if (max > 4096) max = 4096;
    out->head = ARENA_NEW(a, char *, max);
    TRY(read_row(r, out->head, max, &out->cols));
    if (out->cols > max) return err_set(r->err, EXIT_FAILED, "%s:1: more than %d columns", r->name, max);
    for (int i = 0; i < out->cols; i++)
        for (int j = 0; j < i; j++)
            if (!strcmp(out->head[i], out->head[j]))
                return err_set(r->err, EXIT_FAILED, "%s:1: two columns are named '%.80s'", r->name, out->head[i]);
    return true;
}

bool csv_parse(const char *name, const char *text, Arena *a, Csv *out, Err *err)
{
    Reader r = { .name = name, .p = arena_strdup(a, text), .line = 1, .err = err };
    *out = (Csv){ 0 };
    if (!strncmp(r.p, "\xef\xbb\xbf", 3)) r.p += 3;
    if (!*r.p) return err_set(err, EXIT_FAILED, "%s: no header line", name);
    int max_rows = count_lines(r.p);
    TRY(read_head(&r, a, out));
    out->cell = ARENA_RAW(a, char **, max_rows);
    size_t block = 0, per = (size_t)out->cols;
    char **cells = NULL; /* of many rows: an allocation takes at least 64 bytes */
    while (!r.end) {
        int line = r.line, n;
        if (block == 0) cells = ARENA_RAW(a, char *, (block = 64) * per);
        TRY(read_row(&r, cells, out->cols, &n));
        if (n == 1 && !*cells[0] && out->cols > 1) continue;
        if (n != out->cols)
            return err_set(err, EXIT_FAILED, "%s:%d: %d cells, but the header has %d", name, line, n, out->cols);
        out->cell[out->rows++] = cells;
        cells += per;
        block--;
    }
    return true;
}

bool csv_read(const char *path, Arena *a, Csv *out, Err *err)
{
    char *text;
    size_t len;
    TRY(file_read(path, FILE_MAX, a, &text, &len, err));
    if (strlen(text) != len) return err_set(err, EXIT_FAILED, "%s: holds a NUL byte, not a text file", path);
    return csv_parse(path, text, a, out, err);
}

int csv_col(const Csv *c, const char *name)
{
    for (int i = 0; i < c->cols; i++)
        if (!strcmp(c->head[i], name)) return i;
    return -1;
}

const char *csv_get(const Csv *c, int row, const char *name)
{
    CHECK(row >= 0 && row < c->rows, "row %d of %d", row, c->rows);
    int col = csv_col(c, name);
    return col < 0 ? "" : c->cell[row][col];
}

double csv_num(const Csv *c, int row, const char *name)
{
    const char *s = csv_get(c, row, name);
    char *end;
    double v = strtod(s, &end);
    return end == s || *end ? (double)NAN : v;
}
