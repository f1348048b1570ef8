/* SPDX-License-Identifier: Apache-2.0
 * value_parse.c - one line of flow YAML as a tree: the defaults of option tables and what value_canonical writes.
 *
 *   40    abc def    "a, b"    'it''s'    [-1, 1]    {set: [64, 128]}    {name: gla, heads: 4}
 *
 * Files are read by libyaml elsewhere; this reader has no block style, comments, anchors or tags.
 */
#include "base/file.h"
#include "base/value.h"

#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 16 };

typedef struct Reader {
    Arena *a;
    const char *text, *p;
    int depth;
    Err *err;
} Reader;

static Value *fail(Reader *r, const char *what)
{
    err_set(r->err, EXIT_USAGE, "%s at column %d of '%s'", what, (int)(r->p - r->text) + 1, r->text);
    return NULL;
}

static void skip_spaces(Reader *r)
{
    while (*r->p == ' ') r->p++;
}

/* The character of \x.. after the backslash; 0 if there is no such escape. */
static char unescape(Reader *r)
{
    static const char from[] = "\"\\nt", to[] = "\"\\\n\t";
    const char *at = *r->p ? strchr(from, *r->p) : NULL;
    if (at) {
        r->p++;
        return to[at - from];
    }
    if (*r->p != 'x' || strspn(r->p + 1, "0123456789abcdefABCDEF") < 2) return 0;
    char hex[3] = { r->p[1], r->p[2], 0 };
    r->p += 3;
    return (char)strtol(hex, NULL, 16);
}

/* A quoted scalar; r->p is at the opening quote. */
static char *read_quoted(Reader *r)
{
    char quote = *r->p++, *s = ARENA_RAW(r->a, char, strlen(r->p) + 1), *out = s;
    for (;;) {
        if (!*r->p) return (char *)fail(r, "unclosed quote");
        if (*r->p == quote) {
            r->p++;
            if (quote == '"' || *r->p != '\'') break;
            *out++ = *r->p++;
        } else if (*r->p == '\\' && quote == '"') {
            r->p++;
            char c = unescape(r);
            if (!c) return (char *)fail(r, "unknown escape");
            *out++ = c;
        } else {
            *out++ = *r->p++;
        }
    }
    *out = 0;
    return s;
}

/* A plain scalar: up to , ] } or ": " inside brackets, else to the end; without spaces at its ends. */
static char *read_plain(Reader *r, bool is_key)
{
    const char *from = r->p;
    while (*r->p) {
        if (r->depth && strchr(",[]{}", *r->p)) break;
        if (is_key && *r->p == ':' && (r->p[1] == 0 || strchr(" ,]}[{", r->p[1]))) break;
        r->p++;
    }
    const char *to = r->p;
    while (to > from && to[-1] == ' ') to--;
    return arena_printf(r->a, "%.*s", (int)(to - from), from);
}

static Value *read_value(Reader *r);

/* Children of a list or map; r->p is behind the opening bracket. */
static Value *read_children(Reader *r, Value *v)
{
    char close = v->kind == VALUE_MAP ? '}' : ']';
    for (;;) {
        skip_spaces(r);
        if (*r->p == close) break;
        char *key = NULL;
        if (v->kind == VALUE_MAP) {
            key = *r->p == '"' || *r->p == '\'' ? read_quoted(r) : read_plain(r, true);
            if (!key) return NULL;
            skip_spaces(r);
            if (!*key || *r->p != ':') return fail(r, "expected 'key: value'");
            if (value_get(v, key)) return fail(r, "key given twice");
            r->p++;
        }
        Value *child = read_value(r);
        if (!child) return NULL;
        if (key)
            value_set(v, key, child);
        else
            value_append(v, child);
        skip_spaces(r);
        if (*r->p == ',')
            r->p++;
        else if (*r->p != close)
            return fail(r, close == '}' ? "expected ',' or '}'" : "expected ',' or ']'");
    }
    r->p++;
    return v;
}

static Value *read_value(Reader *r)
{
    skip_spaces(r);
    if (*r->p == '[' || *r->p == '{') {
        if (r->depth == DEPTH_MAX) return fail(r, "nested too deeply");
        Value *v = *r->p++ == '{' ? value_map(r->a) : value_list(r->a);
        r->depth++;
        v = read_children(r, v);
        r->depth--;
        return v;
    }
    bool quoted = *r->p == '"' || *r->p == '\'';
    char *s = quoted ? read_quoted(r) : read_plain(r, false);
    if (!s) return NULL;
    if (!quoted && !*s && r->depth) return fail(r, "expected a value");
    Value *v = value_scalar(r->a, s);
    v->quoted = quoted;
    return v;
}

Value *value_parse(Arena *a, const char *text, Err *err)
{
    Reader r = { .a = a, .text = text, .p = text, .err = err };
    Value *v = read_value(&r);
    if (!v) return NULL;
    skip_spaces(&r);
    return *r.p ? fail(&r, "unexpected text") : v;
}
