/* SPDX-License-Identifier: Apache-2.0
 * config_load.c - a config file with its includes, its top-level keys checked, and how sections merge.
 *
 *   include: [a.yaml, b.yaml]     paths are relative to the file that includes; merged in order, the file itself last
 *   maps merge key by key, lists and scalars replace; `name` is never inherited; a cycle of includes is an error
 *
 * `task: parity` and `mixer: gla` are short for {name: parity}, {name: gla}. A section left empty counts as absent.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "sweep/plan_parts.h"

const char *const run_sections[] = { "task", "model", "mixer", "train", "eval", "data", "seed", "train_mixture", NULL };

#define SCALAR (1u << VALUE_SCALAR)
#define LIST   (1u << VALUE_LIST)
#define MAP    (1u << VALUE_MAP)

const ConfigKey config_keys[] = {
    { "name", SCALAR, "a word", "folder of the results, results/NAME; if absent, the file's name. Never inherited" },
    { "title", SCALAR, "a text", "heading of tables and reports" },
    { "question", SCALAR, "a text", "what the sweep asks; printed above its table" },
    { "include", SCALAR | LIST, "a list of files",
      "merged in order before this file; paths are relative to it. Maps merge key by key, lists and scalars replace" },
    { "task", SCALAR | MAP, "a name or a map of options with a name",
      "{name: TASK, option: value, ...}; options: seqprobe help task TASK. len: 40, [2, 40] (uniform) or {set: [64, "
      "128]}" },
    { "model", MAP, "a map of options", "the backbone around the mixers: seqprobe help model" },
    { "mixer", SCALAR | MAP, "a name or a map of options (several mixers: an axis under 'sweep:')",
      "{name: MIXER, option: value, ...}, or {layers: [MIXER or map, ...]}, repeated over the depth; options: seqprobe "
      "help mixer MIXER" },
    { "train", MAP, "a map of options", "the loop: seqprobe help train" },
    { "eval", MAP, "a map from slice names to task options",
      "further test and validation sets: {x4: {len: 160}} is the task with other options, named x4" },
    { "data", MAP, "a map of options", "sizes and seeds of the evaluation sets: seqprobe help data" },
    { "seed", SCALAR, "a number (several seeds: an axis under 'sweep:')",
      "of initialisation and training stream (default 0)" },
    { "train_mixture", LIST | MAP, "a list of maps with weights",
      "train on several laws of the task at once: [{weight: 1, len: 8}, {weight: 3, len: 40}]" },
    { "sweep", MAP, "a map from option paths to lists",
      "the axes; every combination is run, the last axis varies fastest. A path is task.len, train.lr, mixer, seed, "
      "case "
      "...; values are a list, {range: [0, 3]} (0 1 2) or {logspace: [1.0e-4, 1.0e-2, 5]}; an item of case, mixer or "
      "model may be a map with a label; zip: {path: list, ...} moves axes together" },
    { "changes", MAP, "a map from option paths to lists", "like sweep, but each value alone against the base" },
    { "exclude", LIST, "a list of maps", "combinations left out: [{mixer: lstm, task.len: 512}]" },
    { "thresholds", LIST, "a list of maps",
      "what `check` wants: {where: {case: C, mixer: M}, slice: S, metric: acc_token, min: 0.99} (or max, or near and "
      "within), with solved: 2, of: 3 for at least two of three seeds, over: median, best or all; {better: {mixer: A}, "
      "worse: {mixer: B}, by: 0.1}; note: a text" },
    { "select", MAP, "a map",
      "{over: [train.lr]}: the axes among which validation chooses (the default); test plays no part" },
    { "limits", MAP, "a map such as {run_hours: 2}",
      "{run_hours: H}: a run that trains longer ends as timeout; a sweep with a larger limit continues it" },
    { "published", LIST, "a list of maps",
      "cells that stand beside published numbers: {source: FILE of results/reference/published, place: Table 3, task: "
      "theirs, case: C, slice: S, deviation: what differs, rows: {THEIR MODEL: MIXER}}; measure, as, implies" },
    { "figures", LIST | MAP, "a list of maps", "what `plot` draws: [{kind: heatmap}, {kind: length, cases: [...]}]" },
    { NULL, 0, NULL, NULL },
};
enum { KEYS = sizeof config_keys / sizeof config_keys[0] - 1 };

bool fail_at(Err *err, const Value *v, bool of_key, const char *fmt, ...)
{
    char text[400], place[256];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    return err_set(err, EXIT_USAGE, "%s%s", value_place(v, of_key, place), text);
}

Value *value_without(Arena *a, const Value *map, const char *key)
{
    Value *out = value_copy(a, map), *before = NULL;
    for (Value *v = out->first; v; before = v, v = v->next) {
        if (strcmp(v->key, key) != 0) continue;
        if (before)
            before->next = v->next;
        else
            out->first = v->next;
        if (out->last == v) out->last = before;
        out->count--;
        break;
    }
    return out;
}

static bool is_number(const char *s, double *v)
{
    *v = strtod(s, NULL);
    return text_is_number(s);
}

bool value_same(Arena *a, const Value *x, const Value *y)
{
    double p, q;
    if (x->kind != y->kind) return false;
    if (x->kind == VALUE_SCALAR)
        return is_number(x->text, &p) && is_number(y->text, &q) ? p == q : strcmp(x->text, y->text) == 0;
    return strcmp(value_canonical(a, x), value_canonical(a, y)) == 0;
}

/* {name: text} at the place of a scalar; maps stay as they are. */
static Value *named_map(Arena *a, const Value *v)
{
    if (!v || v->kind != VALUE_SCALAR) return v ? value_copy(a, v) : value_map(a);
    Value *map = value_map(a), *name = value_copy(a, v);
    map->file = v->file;
    map->line = v->line;
    map->col = v->col;
    map->key_line = v->key_line;
    map->key_col = v->key_col;
    name->key_line = v->line;
    name->key_col = v->col;
    value_set(map, "name", name);
    return map;
}

static Value *mixer_merge(Arena *a, const Value *base, const Value *over)
{
    Value *b = named_map(a, base), *o = named_map(a, over);
    if (o->kind != VALUE_MAP || b->kind != VALUE_MAP) return o;
    if (value_get(o, "layers")) b = value_without(a, b, "name");
    if (value_get(o, "name")) b = value_without(a, b, "layers");
    return value_merge(a, b, o);
}

/* A value under a new key, with the place of that key. */
static void put(Value *map, const char *key, Value *v, const Value *key_from)
{
    v->key_line = key_from->key_line;
    v->key_col = key_from->key_col;
    value_set(map, key, v);
}

static bool is_section(const char *key)
{
    for (const char *const *s = run_sections; *s; s++)
        if (strcmp(*s, key) == 0) return true;
    return false;
}

Value *config_merge(Arena *a, const Value *base, const Value *over)
{
    Value *out = value_copy(a, base);
    for (const Value *v = over->first; v; v = v->next) {
        if (!is_section(v->key)) continue;
        const Value *old = value_get(out, v->key);
        Value *new;
        if (strcmp(v->key, "mixer") == 0)
            new = mixer_merge(a, old, v);
        else if (strcmp(v->key, "task") == 0)
            new = old ? value_merge(a, old, named_map(a, v)) : named_map(a, v);
        else
            new = old ? value_merge(a, old, v) : value_copy(a, v);
        put(out, v->key, new, v);
    }
    return out;
}

/* A label that no table would show. */
static bool no_label(const Value *mixer, Err *err)
{
    const Value *label = value_get(mixer, "label");
    return !label || fail_at(err, label, true, "'label' names an item of an axis: sweep: {mixer: [{label: ...}]}");
}

/* Options beside `layers` go under every layer's own. */
static bool finish_layers(Arena *a, const Value *mixer, Value **out, Err *err)
{
    const Value *layers = value_get(mixer, "layers");
    if (value_get(mixer, "name")) return fail_at(err, layers, true, "mixer: give 'name' or 'layers', not both");
    if (layers->kind != VALUE_LIST || layers->count == 0)
        return fail_at(err, layers, false,
                       "mixer: 'layers' must be a list of mixers, one per layer, repeated over the depth");
    Value *options = value_without(a, mixer, "layers"), *list = value_list(a);
    list->file = layers->file;
    list->line = layers->line;
    list->col = layers->col;
    for (const Value *v = layers->first; v; v = v->next) {
        if (v->kind == VALUE_LIST) return fail_at(err, v, false, "mixer: a layer must be a name or a map, not a list");
        Value *layer = value_merge(a, options, named_map(a, v));
        layer->file = v->file;
        layer->line = v->line;
        layer->col = v->col;
        TRY(no_label(layer, err));
        value_append(list, layer);
    }
    *out = value_map(a);
    (*out)->file = mixer->file;
    (*out)->line = mixer->line;
    (*out)->col = mixer->col;
    put(*out, "layers", list, layers);
    return true;
}

bool config_finish(Arena *a, const Value *config, Value **out, Err *err)
{
    *out = value_map(a);
    (*out)->file = config->file;
    (*out)->line = config->line;
    (*out)->col = config->col;
    for (const char *const *s = run_sections; *s; s++) {
        const Value *v = value_get(config, *s);
        if (!v) continue;
        Value *copy = value_copy(a, v);
        if (strcmp(*s, "mixer") == 0) TRY(no_label(v, err));
        if (strcmp(*s, "mixer") == 0 && v->kind == VALUE_MAP && value_get(v, "layers"))
            TRY(finish_layers(a, v, &copy, err));
        put(*out, *s, copy, v);
    }
    return true;
}

/* ---- loading ---------------------------------------------------------------------------------------------------- */

/* What other programs call it. */
static bool is_axes_key(const char *key)
{
    return strcmp(key, "parameters") == 0 || strcmp(key, "method") == 0 || strcmp(key, "grid") == 0;
}

/* The section with an option of this name, NULL if there is none. */
static const char *section_of(const char *key)
{
    return option_find(train_options, key)   ? "train"
           : option_find(model_options, key) ? "model"
           : option_find(data_options, key)  ? "data"
                                             : NULL;
}

static bool check_keys(const Value *root, Err *err)
{
    const char *names[KEYS + 1] = { NULL };
    for (int i = 0; i < KEYS; i++) names[i] = config_keys[i].name;
    for (const Value *v = root->first; v; v = v->next) {
        const ConfigKey *k = NULL;
        char text[96];
        for (int i = 0; i < KEYS && !k; i++)
            if (strcmp(config_keys[i].name, v->key) == 0) k = &config_keys[i];
        if (!k && is_axes_key(v->key))
            return fail_at(err, v, true, "unknown key '%s': axes stand under 'sweep'", v->key);
        const char *section = k ? NULL : section_of(v->key);
        if (section)
            return fail_at(err, v, true, "unknown key '%s': it belongs under '%s', as {%s: {%s: ...}}", v->key, section,
                           section, v->key);
        if (!k) return fail_at(err, v, true, "unknown key '%s'%s", v->key, name_hint(v->key, names, text));
        if (!(k->kinds & (1u << v->kind))) return fail_at(err, v, false, "'%s' must be %s", v->key, k->want);
    }
    return true;
}

/* Drop keys without a value, such as a section whose lines are all commented out. */
static Value *drop_empty(Arena *a, const Value *root)
{
    Value *out = value_copy(a, root);
    for (const Value *v = root->first; v; v = v->next)
        if (v->kind == VALUE_SCALAR && !v->quoted && !v->text[0]) out = value_without(a, out, v->key);
    return out;
}

/* Everything that is no section: maps merge, the rest replaces; then the sections. */
static Value *merge_files(Arena *a, const Value *base, const Value *over)
{
    Value *out = value_copy(a, base);
    for (const Value *v = over->first; v; v = v->next) {
        if (is_section(v->key)) continue;
        const Value *old = value_get(out, v->key);
        put(out, v->key, old ? value_merge(a, old, v) : value_copy(a, v), v);
    }
    return config_merge(a, out, over);
}

enum { FILES_MAX = 64 }; /* files that include the next one twice double with every step */

typedef struct Chain Chain;
struct Chain {
    dev_t dev;
    ino_t ino;
    const Chain *up;
    int *files; /* read so far, by all */
};

static bool load(const char *path, const Chain *up, Arena *a, Value **out, Err *err);

/* Who asked for the file that the message is about. */
static bool included_at(const Value *item, Err *err)
{
    char place[256];
    const size_t n = strlen(err->msg);
    value_place(item, false, place);
    if (place[0]) place[strlen(place) - 2] = '\0';
    if (place[0] && !strstr(err->msg, "(included at "))
        snprintf(err->msg + n, sizeof err->msg - n, " (included at %s)", place);
    return false;
}

static bool load_include(const char *path, const Value *item, const Chain *chain, Arena *a, Value **base, Err *err)
{
    if (item->kind != VALUE_SCALAR) return fail_at(err, item, false, "'include' must be a list of files");
    struct stat st;
    const char *full = strchr(path, '/') ? path_join(a, path_dir(a, path), item->text) : item->text;
    if (stat(full, &st) != 0) return fail_at(err, item, false, "cannot include '%.300s': %s", full, strerror(errno));
    if (S_ISDIR(st.st_mode)) return fail_at(err, item, false, "cannot include '%.300s': it is a folder", full);
    if (*chain->files >= FILES_MAX) return fail_at(err, item, false, "more than %d included files", FILES_MAX);
    for (const Chain *c = chain; c; c = c->up)
        if (c->dev == st.st_dev && c->ino == st.st_ino)
            return fail_at(err, item, false, "'%s' includes itself", item->text);
    Value *more = NULL;
    if (!load(full, chain, a, &more, err)) return included_at(item, err);
    *base = merge_files(a, *base, value_without(a, more, "name"));
    return true;
}

/* Kinds of the top level; sections without a value are dropped. */
static bool check_root(Arena *a, Value **root, Err *err)
{
    if ((*root)->kind != VALUE_MAP)
        return fail_at(err, *root, false, "a config is a map of keys such as 'task:' and 'sweep:', not a %s",
                       (*root)->kind == VALUE_LIST ? "list" : "text");
    *root = drop_empty(a, *root);
    return check_keys(*root, err);
}

/* The sections of root, which no longer includes anything, over those of the included files. */
static Value *merge_root(Arena *a, const Value *base, const Value *root)
{
    Value *out = merge_files(a, base, value_without(a, root, "include"));
    out->file = root->file;
    out->line = root->line;
    out->col = root->col;
    return out;
}

static bool load(const char *path, const Chain *up, Arena *a, Value **out, Err *err)
{
    Value *root;
    struct stat st;
    TRY(yaml_read(path, a, &root, err));
    TRY(check_root(a, &root, err));
    if (stat(path, &st) != 0) return err_set(err, EXIT_FAILED, "%s: cannot be read", path);
    int files = 0;
    Chain here = { st.st_dev, st.st_ino, up, up ? up->files : &files };
    ++*here.files;
    Value *base = value_map(a);
    const Value *include = value_get(root, "include");
    if (include && include->kind == VALUE_SCALAR)
        TRY(load_include(path, include, &here, a, &base, err));
    else
        for (const Value *v = include ? include->first : NULL; v; v = v->next)
            TRY(load_include(path, v, &here, a, &base, err));
    *out = merge_root(a, base, root);
    return true;
}

bool config_load(const char *path, Arena *a, Value **out, Err *err) { return load(path, NULL, a, out, err); }

bool config_parse(const char *name, const char *text, size_t len, Arena *a, Value **out, Err *err)
{
    Value *root;
    TRY(yaml_parse_bytes(name, text, len, a, &root, err));
    TRY(check_root(a, &root, err));
    const Value *include = value_get(root, "include");
    if (include) return fail_at(err, include, true, "a config that comes from no file cannot include files");
    *out = merge_root(a, value_map(a), root);
    return true;
}
