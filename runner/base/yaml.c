/* SPDX-License-Identifier: Apache-2.0
 * yaml.c - one YAML document as a tree of Values, read from libyaml's events.
 *
 * Subset: one document, block or flow style, scalar keys; UTF-8 with or without a byte order mark, lines ended by \n or
 * \r\n. Anchors are expanded at each alias (copies), with at most NODES_MAX nodes in all (long texts count as several),
 * so that nested aliases cannot blow up. Errors, all with file:line:col (1-based, columns in characters): duplicate
 * keys, the merge key `<<`, tags, further documents, more than DEPTH_MAX nested lists and maps, more than KEYS_MAX keys
 * in one map, NUL and other control characters, blanks that only look like spaces, invalid UTF-8. Typing is left to the
 * option that reads a scalar; quoted and block scalars are strings.
 *
 * Source: YAML 1.1 as read by libyaml 0.2; libyaml itself reports no duplicate keys and expands no aliases.
 */
#include <stdio.h>
#include <string.h>
#include <yaml.h>

#include "base/file.h"
#include "base/yaml.h"

enum { DEPTH_MAX = 16, NODES_MAX = 50000, KEYS_MAX = 1000, KEY_LEN = 200, TEXT_LEN = 1 << 16, FILE_MAX = 1 << 20 };

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
    const char *text, *text_end;
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

/* Blanks and invisible characters that come along when text is copied: a name, or NULL. */
static const char *blank_name(const char *s)
{
    static const struct {
        const char *bytes, *name;
    } blanks[] = {
        { "\xc2\xa0", "U+00A0 (no-break space)" },
        { "\xc2\x85", "U+0085 (next line)" },
        { "\xc2\xad", "U+00AD (soft hyphen)" },
        { "\xe2\x80\x8b", "U+200B (zero-width space)" },
        { "\xe2\x80\x8e", "U+200E (left-to-right mark)" },
        { "\xe2\x80\x8f", "U+200F (right-to-left mark)" },
        { "\xe2\x80\xa8", "U+2028 (line separator)" },
        { "\xe2\x80\xa9", "U+2029 (paragraph separator)" },
        { "\xe2\x80\xaf", "U+202F (narrow space)" },
        { "\xe2\x81\xa0", "U+2060 (word joiner)" },
        { "\xe3\x80\x80", "U+3000 (wide space)" },
        { "\xef\xbc\x9a", "U+FF1A (wide colon)" },
        { "\xef\xbb\xbf", "U+FEFF (byte order mark)" },
    };
    for (size_t i = 0; i < sizeof blanks / sizeof *blanks; i++)
        if (!strncmp(s, blanks[i].bytes, strlen(blanks[i].bytes))) return blanks[i].name;
    return NULL;
}

static const char *find_blank(const char *s, const char *end)
{
    const char *name = NULL;
    for (; s < end && *s && !name; s++) name = (unsigned char)*s < 0x80 ? NULL : blank_name(s);
    return name;
}

/* Where a line (from 0) of the text starts, as libyaml counts them. */
static const char *line_start(const Reader *r, size_t line)
{
    const char *s = r->text;
    for (; line > 0 && s < r->text_end; line--) {
        s += strcspn(s, "\r\n");
        s += s + 1 < r->text_end && s[0] == '\r' && s[1] == '\n' ? 2 : 1;
    }
    return s < r->text_end ? s : r->text_end;
}

/* What to look at, for the faults that people make most: " (...)" or "". */
static const char *advice(const Reader *r, const yaml_parser_t *p, char *buf, size_t size)
{
    const char *line = line_start(r, p->problem_mark.line), *problem = p->problem ? p->problem : "";
    const char *end = line + strcspn(line, "\r\n"), *at = line;
    const char *from = line_start(r, p->context ? p->context_mark.line : p->problem_mark.line - !!p->problem_mark.line);
    const char *key = line_start(r, p->context_mark.line), *blank = find_blank(from, end);
    key += p->context_mark.column < strcspn(key, "\r\n") ? p->context_mark.column : 0;
    for (size_t i = 0; i < p->problem_mark.column && at < end; i++) do
            at++;
        while (at < end && ((unsigned char)*at & 0xc0) == 0x80);
    buf[0] = '\0';
    if (*at == '\t' || (at > line && at[-1] == '\t') || strstr(problem, "tab character"))
        snprintf(buf, size, " (a tab; indent with spaces)");
    else if (blank)
        snprintf(buf, size, " (the line has %s in place of a plain character)", blank);
    else if (strstr(problem, "cannot start any token"))
        snprintf(buf, size, " (put a text that starts with '%c' in quotes)", *at);
    else if (*at == '}' || *at == ']')
        snprintf(buf, size, " (is this '%c' the bracket that closes?)", *at);
    else if (strstr(problem, "expected ':'") && key[0] == '-' && !strchr("- \r\n", key[1]))
        snprintf(buf, size, " (a list item has a space after its '-')");
    else if (!strncmp(key, "<<<<<<<", 7) || !strncmp(key, "=======", 7) || !strncmp(key, ">>>>>>>", 7))
        snprintf(buf, size, " (a merge conflict that was not resolved)");
    else if (strstr(problem, "expected ':'"))
        snprintf(buf, size, " (a key has a ':' and a space after it)");
    else if (strstr(problem, "<document start>"))
        snprintf(buf, size, " (what stands before is complete already)");
    else if (strstr(problem, "did not find expected key") || strstr(problem, "expected '-' indicator"))
        snprintf(buf, size, " (is this line indented as its neighbours?)");
    else if (strstr(problem, "mapping values are not allowed"))
        snprintf(buf, size, " (is this line indented too far? a text with ': ' needs quotes)");
    return buf;
}

/* Next event, or libyaml's own complaint with its place. */
static bool event_next(Reader *r, yaml_event_t *ev)
{
    char hint[96];
    if (yaml_parser_parse(&r->parser, ev)) return true;
    const yaml_parser_t *p = &r->parser;
    if (p->error == YAML_MEMORY_ERROR) out_of_memory("yaml", 0, 0);
    const char *problem = p->problem ? p->problem : "cannot be read";
    advice(r, p, hint, sizeof hint);
    if (p->context && p->context_mark.index != p->problem_mark.index)
        return fail_at(r, p->problem_mark, "%s %s that starts at %zu:%zu%s", problem, p->context,
                       p->context_mark.line + 1, p->context_mark.column + 1, hint);
    return fail_at(r, p->problem_mark, "%s%s", problem, hint);
}

static bool count_nodes(Reader *r, int n, yaml_mark_t at)
{
    r->nodes += n;
    return r->nodes <= NODES_MAX || fail_at(r, at, "more than %d values after expanding aliases", NODES_MAX);
}

/* A text counts once more for every KEY_LEN bytes. */
static int tree_nodes(const Value *v)
{
    int n = 1 + (v->text ? (int)(strlen(v->text) / KEY_LEN) : 0);
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
    if (!n) return fail_at(r, ev->start_mark, "alias '*%.80s' has no anchor '&%.80s' before it", name, name);
    if (!n->value) return fail_at(r, ev->start_mark, "alias '*%.80s' stands inside its own anchor", name);
    TRY(count_nodes(r, tree_nodes(n->value), ev->start_mark));
    if (depth + tree_depth(n->value) > DEPTH_MAX)
        return fail_at(r, ev->start_mark, "nested deeper than %d levels", DEPTH_MAX);
    *out = value_copy(r->a, n->value);
    return true;
}

static bool refuse_tag(Reader *r, yaml_mark_t at, const char *tag)
{
    static const char core[] = "tag:yaml.org,2002:";
    bool is_core = strncmp(tag, core, sizeof core - 1) == 0;
    return fail_at(r, at, "tag '%s%.80s': tags are not supported; the option knows its type", is_core ? "!!" : "",
                   is_core ? tag + sizeof core - 1 : tag);
}

static bool read_scalar(Reader *r, const yaml_event_t *ev, Value **out)
{
    const char *text = (const char *)ev->data.scalar.value;
    const size_t len = ev->data.scalar.length;
    if (strlen(text) != len) return fail_at(r, ev->start_mark, "NUL character in a string");
    if (ev->data.scalar.tag) return refuse_tag(r, ev->start_mark, (const char *)ev->data.scalar.tag);
    if (len > TEXT_LEN) return fail_at(r, ev->start_mark, "a text of %zu bytes; at most %d are read", len, TEXT_LEN);
    for (const char *c = text; *c; c++)
        if (((unsigned char)*c < 0x20 && *c != '\n' && *c != '\t') || *c == 0x7f)
            return fail_at(r, ev->start_mark, "control character 0x%02x in a string", (unsigned char)*c);
    const char *blank = ev->data.scalar.style == YAML_PLAIN_SCALAR_STYLE ? find_blank(text, text + len) : NULL;
    if (blank && !strstr(blank, "colon"))
        return fail_at(r, ev->start_mark, "'%.80s' holds %s; use a plain space, or quotes", text, blank);
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
    if (ev->data.scalar.length > KEY_LEN)
        return fail_at(r, ev->start_mark, "a key of %zu bytes; at most %d are read", ev->data.scalar.length, KEY_LEN);
    Value *v;
    TRY(read_scalar(r, ev, &v));
    if (!v->text[0]) return fail_at(r, ev->start_mark, "empty key");
    if (!v->quoted && strcmp(v->text, "<<") == 0)
        return fail_at(r, ev->start_mark, "merge key '<<' is not supported (use 'include: [FILE]' to share settings)");
    if (map->count == KEYS_MAX) return fail_at(r, ev->start_mark, "more than %d keys in one map", KEYS_MAX);
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
    if (tag) return refuse_tag(r, ev->start_mark, (const char *)tag);
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
        if (n == 0 && at.line == 0 && at.column == 0 && (c == 0xff || c == 0xfe))
            return fail_at(r, at, "UTF-16 text; save the file as UTF-8");
        if (n == 0) return fail_at(r, at, "invalid UTF-8 (byte 0x%02x); save the file as UTF-8", c);
        if ((c < 0x20 && c != '\t' && c != '\n' && c != '\r') || c == 0x7f)
            return fail_at(r, at, "control character 0x%02x", c);
        at.column++;
        if (c == '\n' || (c == '\r' && (i + 1 == len || text[i + 1] != '\n'))) at = (yaml_mark_t){ 0, at.line + 1, 0 };
        i += n;
    }
    return true;
}

static bool parse(const char *file, const char *text, size_t len, Arena *a, Value **out, Err *err)
{
    if (len >= 3 && !memcmp(text, "\xef\xbb\xbf", 3)) text += 3, len -= 3; /* Windows editors write it */
    Reader r = { .file = file, .name = file ? file : "command line", .a = a, .err = err };
    r.text = text;
    r.text_end = text + len;
    TRY(check_bytes(&r, text, len));
    if (!yaml_parser_initialize(&r.parser)) out_of_memory("yaml", sizeof r.parser, 0);
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
    if (!file_read(path, FILE_MAX, a, &text, &len, err)) {
        if (err && err->code == EXIT_FAILED) err->code = EXIT_USAGE; /* what was named is not a config */
        return false;
    }
    return parse(arena_strdup(a, path), text, len, a, out, err);
}
