/* SPDX-License-Identifier: Apache-2.0
 * value.c - building, finding, merging and copying configuration trees, and the nearest name to a misspelt one.
 *
 * A container owns its children through their `next` links, so a Value belongs to one container at most: pass
 * value_copy() of what is already part of a tree. Maps are linked lists searched in order; configurations have tens of
 * keys, not thousands.
 */
#include "base/value.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static Value *value_new(Arena *a, ValueKind kind)
{
    Value *v = ARENA_NEW(a, Value, 1);
    v->kind = kind;
    return v;
}

Value *value_scalar(Arena *a, const char *text)
{
    Value *v = value_new(a, VALUE_SCALAR);
    v->text = arena_strdup(a, text);
    return v;
}

Value *value_list(Arena *a) { return value_new(a, VALUE_LIST); }

Value *value_map(Arena *a) { return value_new(a, VALUE_MAP); }

static void push(Value *parent, Value *child)
{
    child->next = NULL;
    if (parent->last)
        parent->last->next = child;
    else
        parent->first = child;
    parent->last = child;
    parent->count++;
}

void value_append(Value *list, Value *item)
{
    CHECK(list->kind == VALUE_LIST, "appending to a value that is no list");
    push(list, item);
}

void value_set(Value *map, const char *key, Value *v)
{
    CHECK(map->kind == VALUE_MAP, "setting '%s' in a value that is no map", key);
    v->key = key;
    for (Value **at = &map->first; *at; at = &(*at)->next) {
        if (strcmp((*at)->key, key) != 0) continue;
        if (*at == v) return;
        v->next = (*at)->next;
        if (map->last == *at) map->last = v;
        *at = v;
        return;
    }
    push(map, v);
}

static Value *get_n(const Value *map, const char *key, size_t n)
{
    if (!map || map->kind != VALUE_MAP) return NULL;
    for (Value *v = map->first; v; v = v->next)
        if (!strncmp(v->key, key, n) && v->key[n] == 0) return v;
    return NULL;
}

Value *value_get(const Value *map, const char *key) { return get_n(map, key, strlen(key)); }

Value *value_at(const Value *map, const char *path)
{
    for (;;) {
        size_t n = strcspn(path, ".");
        Value *v = get_n(map, path, n);
        if (!v || path[n] == 0) return v;
        map = v;
        path += n + 1;
    }
}

bool value_put(Arena *a, Value *map, const char *path, Value *v, Err *err)
{
    CHECK(map->kind == VALUE_MAP, "'%s' put into a value that is no map", path);
    for (const char *at = path;;) {
        size_t n = strcspn(at, ".");
        if (n == 0) return err_set(err, EXIT_USAGE, "'%s' is not a path of keys such as train.lr", path);
        if (at[n] == 0) {
            value_set(map, arena_strdup(a, at), v);
            return true;
        }
        Value *step = get_n(map, at, n);
        if (!step) {
            step = value_map(a);
            value_set(map, arena_printf(a, "%.*s", (int)n, at), step);
        } else if (step->kind != VALUE_MAP) {
            char place[256];
            return err_set(err, EXIT_USAGE, "%scannot set '%s': '%.*s' is not a map", value_place(step, true, place),
                           path, (int)(at + n - path), path);
        }
        map = step;
        at += n + 1;
    }
}

/* The node itself, without its children and its link. */
static Value *copy_node(Arena *a, const Value *v)
{
    Value *c = ARENA_RAW(a, Value, 1);
    *c = *v;
    c->first = c->last = c->next = NULL;
    c->count = 0;
    if (v->text) c->text = arena_strdup(a, v->text);
    if (v->file) c->file = arena_strdup(a, v->file);
    if (v->key) c->key = arena_strdup(a, v->key);
    return c;
}

Value *value_copy(Arena *a, const Value *v)
{
    if (!v) return NULL;
    Value *c = copy_node(a, v);
    for (const Value *child = v->first; child; child = child->next) push(c, value_copy(a, child));
    return c;
}

Value *value_merge(Arena *a, const Value *base, const Value *over)
{
    if (!base || !over) return value_copy(a, base ? base : over);
    if (base->kind != VALUE_MAP || over->kind != VALUE_MAP) return value_copy(a, over);
    Value *m = copy_node(a, over);
    for (const Value *b = base->first; b; b = b->next) push(m, value_merge(a, b, value_get(over, b->key)));
    for (const Value *o = over->first; o; o = o->next)
        if (!value_get(base, o->key)) push(m, value_copy(a, o));
    return m;
}

const char *value_text(const Value *map, const char *key, const char *fallback)
{
    const Value *v = value_get(map, key);
    return v && v->kind == VALUE_SCALAR ? v->text : fallback;
}

const char *value_place(const Value *v, bool of_key, char *buf)
{
    enum { ROOM = 256, PATH = 220 };
    buf[0] = 0;
    if (!v || !v->file) return buf;
    size_t n = strlen(v->file), drop = n > PATH ? n - PATH : 0; /* the end of a long path says more */
    bool key = of_key && v->key_line > 0;
    snprintf(buf, ROOM, "%s%s:%d:%d: ", drop ? "..." : "", v->file + drop, key ? v->key_line : v->line,
             key ? v->key_col : v->col);
    return buf;
}

/* ---- nearest name ---- */

enum { NAME_MAX_LEN = 63 };

/* Characters of s, at most NAME_MAX_LEN of them; -1 if there are more. Letter case and - against _ cost nothing. */
static int characters(const char *s, int *out)
{
    int n = 0;
    while (*s) {
        const unsigned char c = (unsigned char)*s++;
        if (n == NAME_MAX_LEN) return -1;
        out[n] = c == '-' ? '_' : tolower(c);
        for (; ((unsigned char)*s & 0xc0) == 0x80; s++) out[n] = (out[n] & 0xffffff) * 64 + ((unsigned char)*s & 0x3f);
        n++;
    }
    return n;
}

static int min_int(int a, int b) { return a < b ? a : b; }

/* Edits (insert, delete, replace, swap neighbours) from a to b. */
static int edit_distance(const int *a, int n, const int *b, int m)
{
    int row[3][NAME_MAX_LEN + 1];
    for (int j = 0; j <= m; j++) row[0][j] = j;
    for (int i = 1; i <= n; i++) {
        int *cur = row[i % 3], *up = row[(i + 2) % 3], *up2 = row[(i + 1) % 3];
        cur[0] = i;
        for (int j = 1; j <= m; j++) {
            cur[j] = min_int(min_int(up[j], cur[j - 1]) + 1, up[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                cur[j] = min_int(cur[j], up2[j - 2] + 1);
        }
    }
    return row[n % 3][m];
}

static bool is_prefix(const int *a, int n, const int *b, int m)
{
    int k = min_int(n, m);
    for (int i = 0; i < k; i++)
        if (a[i] != b[i]) return false;
    return k >= 2;
}

const char *nearest_name(const char *name, const char *const *names)
{
    const char *best = NULL;
    int best_d = 0, a[NAME_MAX_LEN], b[NAME_MAX_LEN], n = characters(name, a);
    if (n <= 0) return NULL;
    for (; *names; names++) {
        int m = characters(*names, b);
        if (m <= 0) continue;
        int longer = n > m ? n : m, d = edit_distance(a, n, b, m);
        bool near = d < longer && d <= (longer < 6 ? 1 : longer / 3);
        if (!near && !is_prefix(a, n, b, m)) continue; /* lenght, len */
        if (best && d >= best_d) continue;
        best = *names;
        best_d = d;
    }
    return best;
}

/* The first character of s beyond ASCII as a code point, and its bytes; 0 if there is none. */
static unsigned foreign(const char *s, char *bytes)
{
    while (*s && (unsigned char)*s < 0x80) s++;
    size_t n = 0;
    unsigned c = (unsigned char)*s;
    if (c) c &= c >= 0xf0 ? 0x07 : c >= 0xe0 ? 0x0f : 0x1f;
    for (bytes[n++] = *s; n < 4 && *s && ((unsigned char)s[n] & 0xc0) == 0x80; n++)
        c = c * 64 + ((unsigned char)s[n] & 0x3f), bytes[n] = s[n];
    bytes[n] = 0;
    return c;
}

const char *name_hint(const char *name, const char *const *names, char *buf)
{
    char odd[8];
    const char *near = nearest_name(name, names);
    const unsigned c = foreign(name, odd);
    buf[0] = 0;
    if (near && c)
        snprintf(buf, NAME_HINT, " (did you mean '%.40s'? the '%s' is U+%04X)", near, odd, c);
    else if (near)
        snprintf(buf, NAME_HINT, " (did you mean '%.40s'?)", near);
    else if (c)
        snprintf(buf, NAME_HINT, " (the '%s' is U+%04X)", odd, c);
    return buf;
}
