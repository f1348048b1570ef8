/* SPDX-License-Identifier: Apache-2.0
 * axes.c - what a sweep varies: lists of values for option paths, cases and mixers.
 *
 *   train.lr: [1.0e-3, 3.0e-3]            a list
 *   seed:     {range: [0, 3]}             0 1 2; {range: [a, b, step]} too
 *   train.lr: {logspace: [1e-4, 1e-2, 5]} n values from a to b, both included, evenly spaced in log
 *   case:     [{label: x, task: {...}, train: {...}}, ...]      sections merged over the base
 *   mixer:    [gla, {label: "delta ±", name: delta_net, eigenvalues: [-1, 1]}]
 *   model:    [{label: wide, d_model: 128}, ...]                maps merge, everything else replaces
 *   zip:      {task.len: [64, 128], task.kv: [4, 8]}            these move together; a list of such maps too
 *
 * A command-line setting replaces the axis of the same path, or pins it. On the axes `case` and `mixer` it picks items
 * by label, then by mixer name; a mixer that no item names is a new one.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/plan_parts.h"

/* `case` or a run section, perhaps with a path below it. */
bool path_check(const char *path, const Value *at, Err *err)
{
    static const char *const names[] = { "case", "mixer", "task", "model",         "train",
                                         "eval", "data",  "seed", "train_mixture", NULL };
    char head[64], text[96];
    size_t n = strcspn(path, ".");
    snprintf(head, sizeof head, "%.*s", (int)n, path);
    bool known = false;
    for (const char *const *s = names; *s; s++) known |= strcmp(*s, head) == 0;
    if (!known)
        return fail_at(err, at, true, "'%s' is no option path: '%s' is no section%s", path, head,
                       name_hint(head, names, text));
    bool leaf = strcmp(head, "case") == 0 || strcmp(head, "seed") == 0;
    if ((leaf && path[n]) || strstr(path, "..") || path[strlen(path) - 1] == '.')
        return fail_at(err, at, true, "'%s' is no option path (such as train.lr or task.len)", path);
    return true;
}

/* The table with the options of a section of this config and who owns them; NULL if the plug-in is unknown. */
static const Option *section_table(const Value *config, const char *section, const char **owner, Arena *a)
{
    const Value *v = value_get(config, section);
    const char *name = v && v->kind == VALUE_SCALAR ? v->text : value_text(v, "name", "");
    const Task *task = strcmp(section, "task") == 0 ? task_find(name) : NULL;
    const Mixer *mixer = strcmp(section, "mixer") == 0 ? mixer_find(name) : NULL;
    *owner = task || mixer ? arena_printf(a, "%s %s", section, name) : section;
    return task                            ? task->options
           : mixer                         ? mixer->options
           : strcmp(section, "model") == 0 ? model_options
           : strcmp(section, "train") == 0 ? train_options
           : strcmp(section, "data") == 0  ? data_options
                                           : NULL;
}

bool path_exists(const char *path, const Value *config, Arena *a, char *why)
{
    const char *dot = strchr(path, '.'), *owner, *names[256];
    char near[NAME_HINT];
    if (!dot || value_at(config, path)) return true;
    const Option *table = section_table(config, arena_printf(a, "%.*s", (int)(dot - path), path), &owner, a);
    if (!table || strchr(dot + 1, '.') || strcmp(dot + 1, "name") == 0 || option_find(table, dot + 1)) return true;
    int n = 0;
    for (; table[n].name && n < 255; n++) names[n] = table[n].name;
    names[n] = NULL;
    snprintf(why, PATH_WHY, "unknown option '%.80s' for %.80s%s", dot + 1, owner, name_hint(dot + 1, names, near));
    return false;
}

const Value *option_at(const Value *config, const char *path, Arena *a)
{
    const Value *v = value_at(config, path);
    const char *dot = strchr(path, '.'), *owner;
    if (v || !dot) return v;
    const Option *table = section_table(config, arena_printf(a, "%.*s", (int)(dot - path), path), &owner, a);
    const Option *o = table ? option_find(table, dot + 1) : NULL;
    return o ? value_parse(a, o->def ? o->def : "", NULL) : NULL;
}

static AxisRank rank_of(const char *path)
{
    return strcmp(path, "case") == 0 ? RANK_CASE : strcmp(path, "mixer") == 0 ? RANK_MIXER : RANK_OTHER;
}

/* Numbers of a {range: ...} or {logspace: ...} list into x; want_min..want_max of them. */
static bool read_numbers(const Value *list, const char *what, int want_min, int want_max, double *x, Err *err)
{
    if (list->kind != VALUE_LIST || list->count < want_min || list->count > want_max)
        return fail_at(err, list, false, "'%s' needs %s", what,
                       want_max == want_min ? "[first, last, count]" : "[first, end] or [first, end, step]");
    for (const Value *v = list->first; v; v = v->next, x++) {
        bool number = v->kind == VALUE_SCALAR && !v->quoted && text_is_number(v->text);
        if (number) *x = strtod(v->text, NULL);
        if (!number || !isfinite(*x)) return fail_at(err, v, false, "'%s' needs numbers", what);
    }
    return true;
}

static Value *number_at(Arena *a, const char *text, const Value *place)
{
    Value *v = value_scalar(a, text);
    v->file = place->file;
    v->line = place->line;
    v->col = place->col;
    return v;
}

static bool expand_range(const Value *spec, Arena *a, Value **out, Err *err)
{
    double x[3] = { 0, 0, 1 };
    TRY(read_numbers(spec, "range", 2, 3, x, err));
    for (int i = 0; i < 3; i++)
        if (x[i] != floor(x[i]) || fabs(x[i]) > 9e15) return fail_at(err, spec, false, "'range' needs integers");
    if (x[2] < 1 || x[1] <= x[0]) return fail_at(err, spec, false, "'range' is empty: the end is not part of it");
    if ((x[1] - x[0]) / x[2] > ITEMS_MAX) return fail_at(err, spec, false, "more than %d values", ITEMS_MAX);
    *out = value_list(a);
    for (double v = x[0]; v < x[1]; v += x[2]) value_append(*out, number_at(a, arena_printf(a, "%.0f", v), spec));
    return true;
}

static bool expand_logspace(const Value *spec, Arena *a, Value **out, Err *err)
{
    double x[3];
    TRY(read_numbers(spec, "logspace", 3, 3, x, err));
    if (x[0] <= 0 || x[1] <= 0) return fail_at(err, spec, false, "'logspace' needs positive ends");
    if (x[2] != floor(x[2]) || x[2] < 2 || x[2] > ITEMS_MAX)
        return fail_at(err, spec, false, "'logspace' needs a count of 2..%d", ITEMS_MAX);
    *out = value_list(a);
    for (int i = 0; i < (int)x[2]; i++) {
        double v = exp(log(x[0]) + (log(x[1]) - log(x[0])) * i / (x[2] - 1));
        value_append(*out, number_at(a, arena_printf(a, "%.9g", v), spec));
    }
    return true;
}

/* The list of values of an axis, however it is written. */
static bool expand_values(const Value *v, const char *path, Arena *a, const Value **out, Err *err)
{
    Value *list = NULL;
    if (v->kind == VALUE_MAP && v->count == 1) {
        if (strcmp(v->first->key, "range") == 0) TRY(expand_range(v->first, a, &list, err));
        if (strcmp(v->first->key, "logspace") == 0) TRY(expand_logspace(v->first, a, &list, err));
    }
    *out = list ? list : v;
    const AxisRank rank = rank_of(path);
    if ((*out)->kind != VALUE_LIST && rank == RANK_CASE)
        return fail_at(err, v, false, "axis 'case' must be a list of maps: [{label: a, task: {...}}, ...]");
    if ((*out)->kind != VALUE_LIST && rank == RANK_MIXER)
        return fail_at(err, v, false, "axis 'mixer' must be a list of names and maps: [gla, {name: lstm, ...}]");
    if ((*out)->kind != VALUE_LIST)
        return fail_at(err, v, false, "axis '%s' must be a list, {range: [a, b]} or {logspace: [a, b, n]}", path);
    if ((*out)->count == 0) return fail_at(err, v, false, "axis '%s' is empty", path);
    if ((*out)->count > ITEMS_MAX) return fail_at(err, v, false, "axis '%s' has more than %d values", path, ITEMS_MAX);
    return true;
}

/* A mixer's name, or "a+b" for layers. */
const char *mixer_spec_name(const Value *spec, Arena *a)
{
    if (spec->kind == VALUE_SCALAR) return spec->text;
    const Value *layers = value_get(spec, "layers");
    if (!layers || layers->kind != VALUE_LIST) return value_text(spec, "name", NULL);
    Buf b = buf_new(a);
    for (const Value *v = layers->first; v; v = v->next) {
        const char *name = v->kind == VALUE_LIST ? NULL : mixer_spec_name(v, a);
        buf_printf(&b, "%s%s", v == layers->first ? "" : "+", name ? name : "?");
    }
    return b.s;
}

static bool read_case(const Value *v, Err *err)
{
    char text[96];
    if (v->kind != VALUE_MAP || !value_text(v, "label", NULL))
        return fail_at(err, v, false, "a case is a map with a label: {label: parity, task: {...}}");
    for (const Value *c = v->first; c; c = c->next) {
        bool known = strcmp(c->key, "label") == 0;
        for (const char *const *s = run_sections; *s; s++) known |= strcmp(*s, c->key) == 0;
        if (!known)
            return fail_at(err, c, true, "a case has no section '%s'%s", c->key, name_hint(c->key, run_sections, text));
    }
    return true;
}

/* A cell of tables, figures and CSV files: one short line. */
static bool check_label(const Value *label, Err *err)
{
    if (label->kind != VALUE_SCALAR) return fail_at(err, label, false, "a label must be a text");
    if (!label->text[0]) return fail_at(err, label, false, "a label must not be empty");
    if (strpbrk(label->text, "\n\t") || strlen(label->text) > LABEL_MAX)
        return fail_at(err, label, false, "a label must be one line of at most %d bytes", LABEL_MAX);
    return true;
}

static bool read_item(const Axis *axis, const Value *v, Arena *a, AxisItem *out, Err *err)
{
    const Value *label = value_get(v, "label");
    if (label) TRY(check_label(label, err));
    if (axis->rank == RANK_CASE) TRY(read_case(v, err));
    if (v->kind == VALUE_SCALAR && !v->quoted && !v->text[0])
        return fail_at(err, v, false, "axis '%s' has an empty value", axis->path);
    *out = (AxisItem){ v, label ? label->text : NULL };
    if (axis->rank == RANK_MIXER) {
        if (v->kind == VALUE_LIST) return fail_at(err, v, false, "a mixer must be a name or a map with a name");
        if (!out->label) out->label = mixer_spec_name(v, a);
        if (!out->label) return fail_at(err, v, false, "a mixer needs a 'name', 'layers' or a 'label'");
    }
    if (!out->label) out->label = v->kind == VALUE_SCALAR ? v->text : value_canonical(a, v);
    return true;
}

/* An axis from its list; cases and mixers need labels of their own. */
static bool axis_read(const char *path, const Value *v, Arena *a, Axis *out, Err *err)
{
    const Value *list;
    TRY(expand_values(v, path, a, &list, err));
    *out = (Axis){ .path = path,
                   .rank = rank_of(path),
                   .item = ARENA_NEW(a, AxisItem, list->count),
                   .line = v->key_line,
                   .col = v->key_col };
    for (const Value *i = list->first; i; i = i->next, out->n++) {
        AxisItem *item = &out->item[out->n];
        TRY(read_item(out, i, a, item, err));
        for (int k = 0; k < out->n && (out->rank != RANK_OTHER || value_get(i, "label")); k++) {
            if (strcmp(out->item[k].label, item->label) != 0) continue;
            if (out->rank == RANK_OTHER)
                return fail_at(err, i, false, "axis '%s': two items are called '%.100s'", path, item->label);
            return fail_at(err, i, false, "two %ss are called '%.100s': give them labels", path, item->label);
        }
    }
    return true;
}

static Axis *axis_find(Axes *axes, const char *path)
{
    for (int i = 0; i < axes->n; i++)
        if (strcmp(axes->axis[i].path, path) == 0) return &axes->axis[i];
    return NULL;
}

static bool axes_add(Axes *axes, const char *path, const Value *v, Arena *a, Err *err)
{
    TRY(path_check(path, v, err));
    if (axis_find(axes, path)) return fail_at(err, v, true, "axis '%s' stands twice", path);
    if (axes->n == AXES_MAX) return fail_at(err, v, true, "more than %d axes", AXES_MAX);
    Axis *axis = &axes->axis[axes->n];
    TRY(axis_read(path, v, a, axis, err));
    axis->group = axes->groups;
    axes->n++;
    return true;
}

static bool read_zip(const Value *zip, Arena *a, Axes *out, Err *err)
{
    if (zip->kind != VALUE_MAP || zip->count == 0)
        return fail_at(err, zip, false, "'zip' must be a map from option paths to lists of one length");
    int first = out->n;
    for (const Value *v = zip->first; v; v = v->next) {
        TRY(axes_add(out, v->key, v, a, err));
        const Axis *head = &out->axis[first], *last = &out->axis[out->n - 1];
        if (last->n != head->n)
            return fail_at(err, v, true, "zip: '%s' has %d values, '%s' has %d", last->path, last->n, head->path,
                           head->n);
    }
    out->groups++;
    return true;
}

bool axes_read(const Value *map, bool zip_allowed, Arena *a, Axes *out, Err *err)
{
    *out = (Axes){ 0 };
    for (const Value *v = map ? map->first : NULL; v; v = v->next) {
        if (zip_allowed && strcmp(v->key, "zip") == 0) {
            if (v->kind == VALUE_LIST)
                for (const Value *z = v->first; z; z = z->next) TRY(read_zip(z, a, out, err));
            else
                TRY(read_zip(v, a, out, err));
            continue;
        }
        TRY(axes_add(out, v->key, v, a, err));
        out->groups++;
    }
    return true;
}

/* ---- command line ----------------------------------------------------------------------------------------------- */

/* Split at commas outside brackets and quotes; every piece is a YAML value. */
static bool split_values(const char *text, Arena *a, Value *list, Err *err)
{
    int depth = 0;
    char quote = 0;
    const char *start = text;
    for (const char *p = text;; p++) {
        if (quote) {
            if (*p == quote) quote = 0;
        } else if (*p == '"' || *p == '\'') {
            quote = *p;
        } else if (*p == '[' || *p == '{') {
            depth++;
        } else if (*p == ']' || *p == '}') {
            depth--;
        }
        if (*p && (*p != ',' || depth > 0 || quote)) continue;
        Value *v;
        if (p == start) return err_set(err, EXIT_USAGE, "empty value");
        TRY(yaml_parse(NULL, arena_printf(a, "%.*s", (int)(p - start), start), a, &v, err));
        value_append(list, v);
        if (!*p) return true;
        start = p + 1;
    }
}

/* Items of an axis by label, else by mixer name; *n may stay 0. */
static void pick_items(const Axis *axis, const char *text, AxisItem *out, int *n, Arena *a)
{
    int before = *n;
    for (int i = 0; i < axis->n; i++)
        if (strcmp(axis->item[i].label, text) == 0) out[(*n)++] = axis->item[i];
    if (*n > before || axis->rank != RANK_MIXER) return;
    for (int i = 0; i < axis->n; i++) {
        const char *name = mixer_spec_name(axis->item[i].value, a);
        if (name && strcmp(name, text) == 0) out[(*n)++] = axis->item[i];
    }
}

/* Keep only the cases or mixers that are named; mixers may be new. */
static bool pick(Axis *axis, const Value *list, Arena *a, Err *err)
{
    AxisItem *items = ARENA_NEW(a, AxisItem, list->count * (axis->n + 1));
    int n = 0;
    for (const Value *v = list->first; v; v = v->next) {
        int before = n;
        if (v->kind == VALUE_SCALAR) pick_items(axis, v->text, items, &n, a);
        if (n > before) continue;
        if (axis->rank == RANK_CASE) {
            const char **names = ARENA_NEW(a, const char *, axis->n + 1);
            char text[96];
            for (int i = 0; i < axis->n; i++) names[i] = axis->item[i].label;
            const char *want = v->kind == VALUE_SCALAR ? v->text : "?";
            return err_set(err, EXIT_USAGE, "no case '%s'%s", want, name_hint(want, names, text));
        }
        TRY(read_item(axis, v, a, &items[n], err));
        n++;
    }
    for (int i = 0; i < n; i++)
        for (int k = 0; k < i; k++)
            if (strcmp(items[k].label, items[i].label) == 0)
                return err_set(err, EXIT_USAGE, "'%s' is named twice", items[i].label);
    axis->item = items;
    axis->n = n;
    return true;
}

/* Take an axis out of its zip; it becomes a loop of its own just after. */
static void axis_detach(Axes *axes, Axis *axis)
{
    int members = 0;
    for (int i = 0; i < axes->n; i++) members += axes->axis[i].group == axis->group;
    if (members == 1) return;
    int own = axis->group + 1;
    for (int i = 0; i < axes->n; i++)
        if (axes->axis[i].group >= own) axes->axis[i].group++;
    axis->group = own;
    axes->groups++;
}

static bool command(Axes *axes, const char *path, const char *text, Arena *a, Err *err)
{
    Value *list = value_list(a), *v;
    TRY(split_values(text, a, list, err));
    TRY(path_check(path, list, err));
    v = list->first;
    bool spec = list->count == 1 && v->kind == VALUE_MAP && v->count == 1 &&
                (strcmp(v->first->key, "range") == 0 || strcmp(v->first->key, "logspace") == 0);
    Axis *old = axis_find(axes, path), new;
    if (old && old->rank <= RANK_MIXER) {
        axis_detach(axes, old);
        return pick(old, list, a, err);
    }
    if (!old && strcmp(path, "case") == 0) return err_set(err, EXIT_USAGE, "the config has no axis 'case'");
    TRY(axis_read(path, spec ? v : list, a, &new, err));
    if (new.rank == RANK_OTHER) new.rank = RANK_COMMAND;
    if (old) {
        axis_detach(axes, old);
        new.group = old->group;
        *old = new;
        return true;
    }
    if (axes->n == AXES_MAX) return err_set(err, EXIT_USAGE, "more than %d axes", AXES_MAX);
    new.hidden = new.n == 1;
    new.group = axes->groups++;
    axes->axis[axes->n++] = new;
    return true;
}

bool axes_command(Axes *axes, const char *setting, Arena *a, Err *err)
{
    const char *eq = strchr(setting, '=');
    if (!eq || eq == setting) return err_set(err, EXIT_USAGE, "'%s': expected key=value", setting);
    if (command(axes, arena_printf(a, "%.*s", (int)(eq - setting), setting), eq + 1, a, err)) return true;
    return err_prefix(err, "'%s'", setting);
}

/* ---- merging ---------------------------------------------------------------------------------------------------- */

bool axis_apply(const Axis *axis, int item, Arena *a, const Value *config, Value **out, Err *err)
{
    const Value *v = axis->item[item].value;
    if (v->kind == VALUE_MAP && value_get(v, "label")) v = value_without(a, v, "label");
    if (axis->rank == RANK_CASE) {
        *out = config_merge(a, config, v);
        return true;
    }
    Value *copy = value_copy(a, v);
    copy->key_line = axis->line ? axis->line : copy->line;
    copy->key_col = axis->line ? axis->col : copy->col;
    if (!strchr(axis->path, '.')) {
        Value *over = value_map(a);
        value_set(over, axis->path, copy);
        *out = config_merge(a, config, over);
        return true;
    }
    const Value *old = value_at(config, axis->path);
    *out = value_copy(a, config);
    if (old && old->kind == VALUE_MAP && copy->kind == VALUE_MAP) copy = value_merge(a, old, copy);
    return value_put(a, *out, axis->path, copy, err);
}
