/* SPDX-License-Identifier: Apache-2.0
 * value.h - a configuration as a tree of scalars, lists and maps, with the place each part came from.
 *
 * Typing is by the option that reads a scalar, never by the text; `quoted` scalars are strings only.
 * Values live in an arena and are treated as immutable once built, except through value_set.
 */
#ifndef SEQPROBE_VALUE_H
#define SEQPROBE_VALUE_H

#include "base/base.h"

typedef enum { VALUE_SCALAR, VALUE_LIST, VALUE_MAP } ValueKind;

typedef struct Value Value;
struct Value {
    ValueKind kind;
    bool quoted;                       /* scalar written in quotes */
    const char *text;                  /* scalar: its text */
    const char *file; int line, col;   /* 1-based; file NULL: not from a file (command line, default) */
    const char *key;                   /* inside a map: its key */
    int key_line, key_col;
    Value *first, *last, *next;        /* children in order; sibling */
    int count;
};

Value *value_scalar(Arena *a, const char *text);
Value *value_list(Arena *a);
Value *value_map(Arena *a);
void   value_append(Value *list, Value *item);                       /* list: at the end */
/* Map: replace the value of key in place or append. The key string is kept, not copied. A value belongs to one
 * container: put a value_copy() of what is part of another tree already. */
void   value_set(Value *map, const char *key, Value *v);
Value *value_get(const Value *map, const char *key);                 /* NULL if absent or map is NULL / no map */
/* Dotted path "train.lr"; NULL if absent. */
Value *value_at(const Value *map, const char *path);
/* Set by dotted path, creating maps on the way; fails when a step is not a map. */
bool   value_put(Arena *a, Value *map, const char *path, Value *v, Err *err);
Value *value_copy(Arena *a, const Value *v);                         /* deep; places are kept */
/* Deep merge of over onto base into a new tree: maps merge key by key, everything else is replaced. */
Value *value_merge(Arena *a, const Value *base, const Value *over);
const char *value_text(const Value *map, const char *key, const char *fallback);   /* scalar child or fallback */
/* "file:line:col: " of v (or of its key), "" when it came from no file. buf holds 256. */
const char *value_place(const Value *v, bool of_key, char *buf);
/* Canonical text: keys sorted, flow style, one line; equal trees give equal text. */
char  *value_canonical(Arena *a, const Value *v);
/* Block-style YAML that a YAML 1.1 reader takes with the right types (strings it would retype are quoted). */
char  *value_yaml(Arena *a, const Value *v);

/* Read what value_canonical writes: one line of flow YAML. Text without brackets or quotes is one plain scalar. */
Value *value_parse(Arena *a, const char *text, Err *err);            /* NULL and err on a syntax error */
/* A decimal number as options take it: 40, -0.5, .5, 1e-3; not 010, +1, 0x1f, 1_000, inf, nan. */
bool   text_is_number(const char *s);

/* Nearest of the NULL-terminated names within an edit distance worth suggesting, or NULL. */
const char *nearest_name(const char *name, const char *const *names);
/* " (did you mean 'x'?)", with a word on letters that only look Latin, or "". buf holds NAME_HINT. */
enum { NAME_HINT = 96 };
const char *name_hint(const char *name, const char *const *names, char *buf);

#endif
