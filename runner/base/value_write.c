/* SPDX-License-Identifier: Apache-2.0
 * value_write.c - trees as text: one canonical line for hashing, and block YAML for files people read.
 *
 * One rule decides about quotes in both. A scalar is written plain unless that would change what it is for us or for a
 * YAML 1.1 reader: strings such as yes, off, null, 010, 12:30:45, 0x1f, 1_000, .inf, 2024-01-01 or "" are quoted, as is
 * anything with syntax in it. Numbers and true/false are plain when they were plain, and quoted when they were quoted.
 * Source: yaml.org 1.1 type repository (bool, int, float, null, timestamp, merge, value).
 */
#include "base/file.h"
#include "base/value.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { FLOW_WIDTH = 100 };

static bool digit(char c) { return c >= '0' && c <= '9'; }

static bool in_words(const char *s, const char *const *words)
{
    for (; *words; words++) {
        const char *w = *words, *p = s;
        while (*p && tolower((unsigned char)*p) == *w) p++, w++;
        if (!*p && !*w) return true;
    }
    return false;
}

/* Anything that starts like a number, a date or a time and consists of their characters: wider than the YAML 1.1
 * grammars, which only adds quotes. */
static bool like_number(const char *s)
{
    static const char *const special[] = { ".inf", "-.inf", "+.inf", ".nan", NULL };
    if (in_words(s, special)) return true;
    const char *p = s + (*s == '-' || *s == '+');
    if (*p == '.') p++;
    if (!digit(*p)) return false;
    if (p[0] == '0' && (p[1] == 'x' || p[1] == 'b' || p[1] == 'o')) return true;
    return p[strspn(p, "0123456789_.:+-eETtZ ")] == 0;
}

/* Would a YAML 1.1 reader make something else of this plain scalar than a string? */
static bool retyped(const char *s)
{
    static const char *const words[] = { "y",     "n",    "yes", "no", "on", "off", "true",
                                         "false", "null", "~",   "=",  "<<", NULL };
    return *s == 0 || in_words(s, words) || like_number(s);
}

/* What options take as a number: a decimal integer or real without leading zeros, "+", hexadecimal or infinities. */
bool text_is_number(const char *s)
{
    if (*s == '-') s++;
    if (s[0] == '0' && digit(s[1])) return false;
    int digits = 0;
    for (; digit(*s); s++) digits++;
    if (*s == '.')
        for (s++; digit(*s); s++) digits++;
    if (!digits) return false;
    if (*s == 'e' || *s == 'E') {
        s++;
        if (*s == '-' || *s == '+') s++;
        if (!digit(*s)) return false;
        while (digit(*s)) s++;
    }
    return *s == 0;
}

/* Would it break, or mean something else to the syntax, written plain in flow or block style? */
static bool has_syntax(const char *s)
{
    size_t n = strlen(s);
    if (n == 0 || strchr("?:,[]{}#&*!|>'\"%@`", s[0]) || s[0] == ' ' || s[n - 1] == ' ' || s[n - 1] == ':') return true;
    if (s[0] == '-' && (s[1] == 0 || s[1] == ' ' || s[1] == '-')) return true;
    if (!strncmp(s, "...", 3) || strpbrk(s, ",[]{}?") || strstr(s, ": ") || strstr(s, " #")) return true;
    for (; *s; s++)
        if ((unsigned char)*s < 32 || (unsigned char)*s >= 127) return true;
    return false;
}

/* Length of the valid UTF-8 sequence of printable text at s, 0 if it is none. */
static int utf8_len(const unsigned char *s)
{
    int n = s[0] >= 0xf0 && s[0] < 0xf5 ? 4 : s[0] >= 0xe0 && s[0] < 0xf0 ? 3 : s[0] >= 0xc2 && s[0] < 0xe0 ? 2 : 0;
    for (int i = 1; i < n; i++)
        if ((s[i] & 0xc0) != 0x80) return 0;
    if (n == 2 && s[0] == 0xc2 && s[1] < 0xa0) return 0; /* C1 controls */
    if (n == 3 && ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f))) return 0;
    if (n == 3 && ((s[0] == 0xef && (s[1] > 0xbe || (s[1] == 0xbb && s[2] == 0xbf))) ||
                   (s[0] == 0xe2 && s[1] == 0x80 && (s[2] == 0xa8 || s[2] == 0xa9))))
        return 0; /* BOM, LS, PS, ... */
    if (n == 4 && ((s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f))) return 0;
    return n;
}

/* Double quotes; a byte that is not printable UTF-8 becomes \xNN. */
static void write_quoted(Buf *b, const char *s)
{
    buf_puts(b, "\"");
    for (const unsigned char *p = (const unsigned char *)s; *p;) {
        int n = *p < 127 && *p >= 32 ? 1 : utf8_len(p);
        if (*p == '"' || *p == '\\')
            buf_printf(b, "\\%c", *p), n = 1;
        else if (*p == '\n')
            buf_puts(b, "\\n"), n = 1;
        else if (*p == '\t')
            buf_puts(b, "\\t"), n = 1;
        else if (n == 0)
            buf_printf(b, "\\x%02X", *p), n = 1;
        else
            buf_printf(b, "%.*s", n, (const char *)p);
        p += n;
    }
    buf_puts(b, "\"");
}

static void write_scalar(Buf *b, const char *s, bool quoted)
{
    bool typed = !quoted && (text_is_number(s) || !strcmp(s, "true") || !strcmp(s, "false"));
    bool quotes = has_syntax(s) || (!typed && (retyped(s) || text_is_number(s)));
    if (quotes)
        write_quoted(b, s);
    else
        buf_puts(b, s);
}

static int by_key(const void *x, const void *y)
{
    const Value *const *a = x, *const *b = y;
    return strcmp((*a)->key, (*b)->key);
}

static void write_flow(Buf *b, const Value *v, bool sorted)
{
    if (v->kind == VALUE_SCALAR) {
        write_scalar(b, v->text, v->quoted);
        return;
    }
    bool map = v->kind == VALUE_MAP;
    const Value **child = ARENA_RAW(b->a, const Value *, v->count + 1);
    int n = 0;
    for (const Value *c = v->first; c; c = c->next) child[n++] = c;
    if (map && sorted) qsort(child, (size_t)n, sizeof *child, by_key);
    buf_puts(b, map ? "{" : "[");
    for (int i = 0; i < n; i++) {
        if (i) buf_puts(b, ", ");
        if (map) {
            write_scalar(b, child[i]->key, true);
            buf_puts(b, ": ");
        }
        write_flow(b, child[i], sorted);
    }
    buf_puts(b, map ? "}" : "]");
}

char *value_canonical(Arena *a, const Value *v)
{
    Buf b = buf_new(a);
    if (v) write_flow(&b, v, true);
    return b.s;
}

static bool only_scalars(const Value *list)
{
    for (const Value *c = list->first; c; c = c->next)
        if (c->kind != VALUE_SCALAR) return false;
    return true;
}

static void indent_by(Buf *b, int indent) { buf_printf(b, "%*s", indent, ""); }

/* Scalars, empty containers and short lists of scalars go on the line of their key. */
static bool write_inline(Buf *b, const Value *v)
{
    if (v->kind != VALUE_SCALAR && v->count && (v->kind == VALUE_MAP || !only_scalars(v))) return false;
    Buf flow = buf_new(b->a);
    write_flow(&flow, v, false);
    if (v->kind != VALUE_SCALAR && flow.len > FLOW_WIDTH) return false;
    buf_puts(b, flow.s);
    return true;
}

/* The lines of a non-empty container; the first one continues the current line if `inside` a list item. */
static void write_block(Buf *b, const Value *v, int indent, bool inside)
{
    for (const Value *c = v->first; c; c = c->next) {
        if (c != v->first || !inside) indent_by(b, indent);
        if (v->kind == VALUE_LIST) {
            buf_puts(b, "- ");
            if (write_inline(b, c))
                buf_puts(b, "\n");
            else
                write_block(b, c, indent + 2, true);
            continue;
        }
        write_scalar(b, c->key, true);
        buf_puts(b, ":");
        size_t mark = b->len;
        buf_puts(b, " ");
        if (write_inline(b, c)) {
            buf_puts(b, "\n");
            continue;
        }
        b->s[b->len = mark] = 0;
        buf_puts(b, "\n");
        write_block(b, c, indent + 2, false);
    }
}

char *value_yaml(Arena *a, const Value *v)
{
    Buf b = buf_new(a);
    if (!v) return b.s;
    if (write_inline(&b, v))
        buf_puts(&b, "\n");
    else
        write_block(&b, v, 0, false);
    return b.s;
}
