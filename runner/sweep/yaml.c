/* SPDX-License-Identifier: Apache-2.0
 * yaml.c - one YAML document as a tree of Values, read from libyaml's events.
 *
 * Subset: one document, block or flow style, scalar keys. Anchors are expanded at each alias (copies), with at most
 * NODES_MAX nodes in all, so that nested aliases cannot blow up. Errors, all with file:line:col (1-based, columns in
 * characters): duplicate keys, the merge key `<<`, tags, further documents, more than DEPTH_MAX nested lists and maps,
 * NUL bytes, invalid UTF-8. Typing is left to the option that reads a scalar; quoted and block scalars are strings.
 *
 * Source: YAML 1.1 as read by libyaml 0.2; libyaml itself reports no duplicate keys and expands no aliases.
 */
#include <stdio.h>
#include <string.h>
#include <yaml.h>

#include "sweep/sweep.h"

enum { DEPTH_MAX = 16, NODES_MAX = 50000, FILE_MAX = 1 << 20 };

typedef struct Anchor Anchor;
struct Anchor {
    const char *name;
    Value *value;
    Anchor *next;
}; /* value NULL: not finished yet */

typedef struct Reader {
    yaml_parser_t parser;
    const char *file; /* in Values; NULL: the text comes from no file */
    const char *name; /* in messages */
    Arena *a;
    Anchor *anchors;
    int nodes;
    Err *err;
} Reader;

static bool fail_at(Reader *r, yaml_mark_t m, const char *fmt, ...) PRINTF_LIKE(3, 4);
static bool fail_at(Reader *r, yaml_mark_t m, const char *fmt, ...)
{
    char text[320];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    return err_set(r->err, EXIT_USAGE, "%s:%zu:%zu: %s", r->name, m.line + 1, m.column + 1, text);
}

/* Next event, or libyaml's own complaint with its place. */
static bool event_next(Reader *r, yaml_event_t *ev)
{
    if (yaml_parser_parse(&r->parser, ev)) return true;
    const yaml_parser_t *p = &r->parser;
    if (p->error == YAML_MEMORY_ERROR) return err_set(r->err, EXIT_MEMORY, "%s: out of memory", r->name);
    const char *problem = p->problem ? p->problem : "cannot be read";
    if (p->context)
        return fail_at(r, p->problem_mark, "%s %s that starts at %zu:%zu", problem, p->context,
                       p->context_mark.line + 1, p->context_mark.column + 1);
    return fail_at(r, p->problem_mark, "%s", problem);
}

static bool count_nodes(Reader *r, int n, yaml_mark_t at)
{
    r->nodes += n;
    return r->nodes <= NODES_MAX || fail_at(r, at, "more than %d values after expanding aliases", NODES_MAX);
}

static int tree_nodes(const Value *v)
{
    int n = 1;
    for (const Value *c = v->first; c; c = c->next) n += tree_nodes(c);
    return n;
}

static int tree_depth(const Value *v)
{
    int deepest = 0;
    for (const Value *c = v->first; c; c = c->next) {
        int d = tree_depth(c);
        if (d > deepest) deepest = d;
    }
    return deepest + (v->kind != VALUE_SCALAR);
}

static void place_set(const Reader *r, Value *v, yaml_mark_t m)
{
    v->file = r->file;
    v->line = (int)m.line + 1;
    v->col = (int)m.column + 1;
}

static Anchor *anchor_new(Reader *r, const yaml_char_t *name)
{
    if (!name) return NULL;
    Anchor *n = ARENA_NEW(r->a, Anchor, 1);
    *n = (Anchor){ arena_strdup(r->a, (const char *)name), NULL, r->anchors };
    return r->anchors = n;
}

static bool read_alias(Reader *r, const yaml_event_t *ev, int depth, Value **out)
{
    const char *name = (const char *)ev->data.alias.anchor;
    const Anchor *n = r->anchors;
    while (n && strcmp(n->name, name) != 0) n = n->next;
    if (!n) return fail_at(r, ev->start_mark, "alias '*%s' has no anchor '&%s' before it", name, name);
    if (!n->value) return fail_at(r, ev->start_mark, "alias '*%s' stands inside its own anchor", name);
    TRY(count_nodes(r, tree_nodes(n->value), ev->start_mark));
    if (depth + tree_depth(n->value) > DEPTH_MAX)
        return fail_at(r, ev->start_mark, "nested deeper than %d levels", DEPTH_MAX);
    *out = value_copy(r->a, n->value);
    return true;
}

static bool read_scalar(Reader *r, const yaml_event_t *ev, Value **out)
{
    const char *text = (const char *)ev->data.scalar.value;
    if (strlen(text) != ev->data.scalar.length) return fail_at(r, ev->start_mark, "NUL character in a string");
    if (ev->data.scalar.tag) return fail_at(r, ev->start_mark, "tag '%s' is not supported", ev->data.scalar.tag);
    *out = value_scalar(r->a, arena_strdup(r->a, text));
    (*out)->quoted = ev->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
    place_set(r, *out, ev->start_mark);
    Anchor *n = anchor_new(r, ev->data.scalar.anchor);
    if (n) n->value = *out;
    return true;
}

static bool read_node(Reader *r, const yaml_event_t *ev, int depth, Value **out);

/* The key of a map entry into *key; its place is the event's. */
static bool read_key(Reader *r, const yaml_event_t *ev, const Value *map, const char **key)
{
    if (ev->type != YAML_SCALAR_EVENT) return fail_at(r, ev->start_mark, "a key must be plain text");
    Value *v;
    TRY(read_scalar(r, ev, &v));
    if (!v->text[0]) return fail_at(r, ev->start_mark, "empty key");
    if (!v->quoted && strcmp(v->text, "<<") == 0)
        return fail_at(r, ev->start_mark, "merge key '<<' is not supported (use 'include: [FILE]' to share settings)");
    const Value *before = value_get(map, v->text);
    if (before)
        return fail_at(r, ev->start_mark, "duplicate key '%s' (first at %d:%d)", v->text, before->key_line,
                       before->key_col);
    *key = v->text;
    return true;
}

/* Items until the closing event; the opening one has been read. */
static bool read_items(Reader *r, Value *into, int depth)
{
    bool is_map = into->kind == VALUE_MAP;
    yaml_event_type_t end = is_map ? YAML_MAPPING_END_EVENT : YAML_SEQUENCE_END_EVENT;
    for (;;) {
        yaml_event_t ev;
        TRY(event_next(r, &ev));
        if (ev.type == end) break;
        const char *key = NULL;
        yaml_mark_t at = ev.start_mark;
        bool ok = true;
        if (is_map) {
            ok = read_key(r, &ev, into, &key);
            yaml_event_delete(&ev);
            TRY(ok);
            TRY(event_next(r, &ev));
        }
        Value *v = NULL;
        ok = read_node(r, &ev, depth, &v);
        yaml_event_delete(&ev);
        TRY(ok);
        if (is_map) {
            v->key_line = (int)at.line + 1;
            v->key_col = (int)at.column + 1;
            value_set(into, key, v);
        } else {
            value_append(into, v);
        }
    }
    return true;
}

/* The node that ev opens. depth counts the lists and maps around it. */
static bool read_node(Reader *r, const yaml_event_t *ev, int depth, Value **out)
{
    if (ev->type == YAML_ALIAS_EVENT) return read_alias(r, ev, depth, out);
    TRY(count_nodes(r, 1, ev->start_mark));
    if (ev->type == YAML_SCALAR_EVENT) return read_scalar(r, ev, out);

    bool is_map = ev->type == YAML_MAPPING_START_EVENT;
    CHECK(is_map || ev->type == YAML_SEQUENCE_START_EVENT, "yaml: event %d where a value starts", (int)ev->type);
    if (depth >= DEPTH_MAX) return fail_at(r, ev->start_mark, "nested deeper than %d levels", DEPTH_MAX);
    const yaml_char_t *tag = is_map ? ev->data.mapping_start.tag : ev->data.sequence_start.tag;
    if (tag) return fail_at(r, ev->start_mark, "tag '%s' is not supported", tag);
    *out = is_map ? value_map(r->a) : value_list(r->a);
    place_set(r, *out, ev->start_mark);
    Anchor *n = anchor_new(r, is_map ? ev->data.mapping_start.anchor : ev->data.sequence_start.anchor);
    TRY(read_items(r, *out, depth + 1));
    if (n) n->value = *out;
    return true;
}

/* Stream start, one document, stream end. */
static bool read_stream(Reader *r, Value **out)
{
    yaml_event_t ev;
    TRY(event_next(r, &ev));
    yaml_event_delete(&ev);
    TRY(event_next(r, &ev));
    yaml_event_type_t type = ev.type;
    yaml_event_delete(&ev);
    if (type == YAML_STREAM_END_EVENT) return err_set(r->err, EXIT_USAGE, "%s:1:1: the file is empty", r->name);

    TRY(event_next(r, &ev));
    bool ok = read_node(r, &ev, 0, out);
    yaml_event_delete(&ev);
    TRY(ok);
    TRY(event_next(r, &ev)); /* document end */
    yaml_event_delete(&ev);
    TRY(event_next(r, &ev));
    ok = ev.type == YAML_STREAM_END_EVENT || fail_at(r, ev.start_mark, "a second document starts here; one is allowed");
    yaml_event_delete(&ev);
    return ok;
}

/* Length of the UTF-8 sequence at s of n bytes, 0 if it is not one (overlong forms and surrogates included). */
static size_t utf8_len(const unsigned char *s, size_t n)
{
    if (s[0] < 0x80) return 1;
    size_t len = s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : 2;
    if (s[0] < 0xc2 || s[0] > 0xf4 || len > n) return 0;
    for (size_t i = 1; i < len; i++)
        if ((s[i] & 0xc0) != 0x80) return 0;
    if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f)) return 0;
    if ((s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f)) return 0;
    return len;
}

/* libyaml gives no line for these faults, so they are looked for first. */
static bool check_bytes(Reader *r, const char *text, size_t len)
{
    yaml_mark_t at = { 0, 0, 0 };
    for (size_t i = 0; i < len;) {
        unsigned char c = (unsigned char)text[i];
        size_t n = utf8_len((const unsigned char *)text + i, len - i);
        if (c == 0) return fail_at(r, at, "NUL byte (is this a YAML file?)");
        if (n == 0) return fail_at(r, at, "invalid UTF-8 (byte 0x%02x)", c);
        if ((c < 0x20 && c != '\t' && c != '\n' && c != '\r') || c == 0x7f)
            return fail_at(r, at, "control character 0x%02x", c);
        at.column++;
        if (c == '\n') at = (yaml_mark_t){ 0, at.line + 1, 0 };
        i += n;
    }
    return true;
}

static bool parse(const char *file, const char *text, size_t len, Arena *a, Value **out, Err *err)
{
    Reader r = { .file = file, .name = file ? file : "command line", .a = a, .err = err };
    TRY(check_bytes(&r, text, len));
    if (!yaml_parser_initialize(&r.parser)) return err_set(err, EXIT_MEMORY, "%s: out of memory", r.name);
    yaml_parser_set_encoding(&r.parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&r.parser, (const unsigned char *)text, len);
    bool ok = read_stream(&r, out);
    yaml_parser_delete(&r.parser);
    return ok;
}

bool yaml_parse(const char *name, const char *text, Arena *a, Value **out, Err *err)
{
    return parse(name, text, strlen(text), a, out, err);
}

bool yaml_parse_bytes(const char *name, const char *text, size_t len, Arena *a, Value **out, Err *err)
{
    return parse(name, text, len, a, out, err);
}

bool yaml_read(const char *path, Arena *a, Value **out, Err *err)
{
    char *text;
    size_t len;
    TRY(file_read(path, FILE_MAX, a, &text, &len, err));
    return parse(arena_strdup(a, path), text, len, a, out, err);
}
