/* SPDX-License-Identifier: Apache-2.0
 * plan.c - expand a config into rows: loops over the axes, merging, exclusions, labels, and the check of every row.
 *
 *   for each variant in [none, changes item 1, 2, ...]          each change alone against the base
 *     for each group of `sweep:` in file order, last fastest    a group is one axis or the axes of a zip
 *       row = base <- case <- mixer <- other axes <- command line
 *
 * Rows that match an `exclude:` entry are dropped before they are checked. Rows with the same labels and the same run
 * id collapse into the first; rows with other labels but the same id stay and share the run. Row numbers count what
 * is left, so they do not depend on how the plan is executed.
 */
#include <stdio.h>
#include <string.h>

#include "sweep/counterparts.h"
#include "sweep/plan_parts.h"
#include "sweep/thresholds.h"

enum { ROWS_MAX = 20000, VALUES_MAX = 4000000 };

typedef struct Expand {
    Arena *a, *tmp; /* of the plan; of one row */
    const Value *base, *exclude;
    Axes sweep, changes;
    int *hits;            /* rows dropped by each exclusion */
    int rows_max, values; /* limit; nodes of all rows so far */
    int planned;          /* rows before exclusions */
    Plan *plan;
    Buf notes;
    Err *err;
} Expand;

/* What one row takes: an item of every sweep axis and at most one change. */
typedef struct Pick {
    const Axis *axis[AXES_MAX + 1];
    int item[AXES_MAX + 1], n;
} Pick;

static const char *pick_label(const Pick *p, const char *path)
{
    for (int i = p->n - 1; i >= 0; i--)
        if (strcmp(p->axis[i]->path, path) == 0) return p->axis[i]->item[p->item[i]].label;
    return NULL;
}

static bool merge_row(Expand *x, const Pick *p, Value **out)
{
    const Value *config = x->base;
    for (int rank = RANK_CASE; rank <= RANK_COMMAND; rank++)
        for (int i = 0; i < p->n; i++) {
            if ((int)p->axis[i]->rank != rank) continue;
            Value *merged;
            TRY(axis_apply(p->axis[i], p->item[i], x->tmp, config, &merged, x->err));
            config = merged;
        }
    return config_finish(x->tmp, config, out, x->err);
}

static const char *task_name(const Value *config)
{
    const Value *t = value_get(config, "task");
    return t && t->kind == VALUE_SCALAR ? t->text : value_text(t, "name", "");
}

static bool is_excluded(Expand *x, const PlanRow *row)
{
    int k = 0;
    for (const Value *e = x->exclude ? x->exclude->first : NULL; e; e = e->next, k++) {
        if (!where_matches(e, row, x->tmp)) continue;
        x->hits[k]++;
        return true;
    }
    return false;
}

static bool check_exclude(const Value *list, Err *err)
{
    for (const Value *e = list ? list->first : NULL; e; e = e->next) {
        if (e->kind != VALUE_MAP || e->count == 0)
            return fail_at(err, e, false, "an exclusion is a map such as {mixer: gla, task.len: 512}");
        for (const Value *v = e->first; v; v = v->next) TRY(path_check(v->key, v, err));
    }
    return true;
}

/* Text of every plan column of a row. */
static const char **read_cells(Expand *x, const Pick *p, const Value *config)
{
    const char **cell = ARENA_NEW(x->a, const char *, x->plan->axes + 1);
    for (int i = 0; i < x->plan->axes; i++) {
        const char *label = pick_label(p, x->plan->axis[i]);
        const Value *v = label ? NULL : value_at(config, x->plan->axis[i]);
        if (!label && v) label = v->kind == VALUE_SCALAR ? v->text : value_canonical(x->tmp, v);
        cell[i] = arena_strdup(x->a, label ? label : "");
    }
    return cell;
}

/* Rows with the same run: true if one has the same labels too. */
static bool is_duplicate(Expand *x, const PlanRow *row)
{
    for (int i = 0; i < x->plan->rows; i++) {
        const PlanRow *r = &x->plan->row[i];
        if (strcmp(r->id, row->id) != 0) continue;
        bool same = strcmp(r->case_label, row->case_label) == 0 && strcmp(r->mixer_label, row->mixer_label) == 0;
        if (same) return true;
        buf_printf(&x->notes, "note: row %d (%s, %s) and row %d (%s, %s) are the same run %s\n", i, r->case_label,
                   r->mixer_label, x->plan->rows, row->case_label, row->mixer_label, row->id);
        return false;
    }
    return false;
}

static int count_values(const Value *v)
{
    int n = 1;
    for (const Value *c = v->first; c; c = c->next) n += count_values(c);
    return n;
}

/* Merge, check and append the row of a pick. */
static bool add_row(Expand *x, const Pick *p, int *collapsed)
{
    Value *config;
    PlanRow row = { .row = x->plan->rows };
    TRY(merge_row(x, p, &config));
    const char *case_label = pick_label(p, "case"), *mixer_label = pick_label(p, "mixer");
    const Value *mixer = value_get(config, "mixer");
    row.case_label = case_label ? case_label : task_name(config);
    if (!mixer_label && mixer) mixer_label = mixer_spec_name(mixer, x->tmp);
    row.mixer_label = mixer_label ? mixer_label : "";
    row.config = config;
    if (is_excluded(x, &row)) return true;

    RunSpec spec;
    if (!run_resolve(config, x->tmp, &spec, x->err)) {
        size_t n = strlen(x->err->msg);
        if (x->sweep.n + x->changes.n > 0)
            snprintf(x->err->msg + n, sizeof x->err->msg - n, " [case %s, mixer %s]", row.case_label, row.mixer_label);
        return false;
    }
    memcpy(row.id, spec.id, sizeof row.id);
    row.seed = spec.seed;
    row.lr = spec.train.lr;
    if (is_duplicate(x, &row)) {
        ++*collapsed;
        return true;
    }
    if (x->plan->rows == x->rows_max)
        return err_set(x->err, EXIT_USAGE, "%s: more than %d rows", x->plan->file, x->rows_max);
    int values = count_values(config);
    x->values += values;
    if (x->values > VALUES_MAX || (x->plan->rows == 0 && (double)values * x->planned > VALUES_MAX))
        return err_set(x->err, EXIT_USAGE, "%s: %d rows of some %d values; at most %d values are allowed in all",
                       x->plan->file, x->planned, values, VALUES_MAX);
    row.config = value_copy(x->a, config);
    row.case_label = arena_strdup(x->a, row.case_label);
    row.mixer_label = arena_strdup(x->a, row.mixer_label);
    row.cell = read_cells(x, p, config);
    x->plan->row[x->plan->rows++] = row;
    return true;
}

/* All combinations of the sweep, with at most one change. */
static bool expand_product(Expand *x, const Axis *change, int change_item, int *collapsed)
{
    int index[AXES_MAX] = { 0 }, size[AXES_MAX] = { 0 };
    const Axes *s = &x->sweep;
    for (int i = 0; i < s->n; i++) size[s->axis[i].group] = s->axis[i].n;
    for (;;) {
        Pick p = { .n = 0 };
        for (int i = 0; i < s->n; i++) {
            p.axis[p.n] = &s->axis[i];
            p.item[p.n++] = index[s->axis[i].group];
        }
        if (change) {
            p.axis[p.n] = change;
            p.item[p.n++] = change_item;
        }
        size_t mark = arena_mark(x->tmp);
        TRY(add_row(x, &p, collapsed));
        arena_reset(x->tmp, mark);
        int g = s->groups - 1;
        while (g >= 0 && ++index[g] >= size[g]) index[g--] = 0;
        if (g < 0) return true;
    }
}

/* Rows there can be at most; a plan too large to be meant is refused before any work. */
static bool count_rows(Expand *x, int *rows)
{
    double n = 1;
    int variants = 1;
    for (int g = 0; g < x->sweep.groups; g++)
        for (int i = 0; i < x->sweep.n; i++)
            if (x->sweep.axis[i].group == g) {
                n *= x->sweep.axis[i].n;
                break;
            }
    for (int i = 0; i < x->changes.n; i++) variants += x->changes.axis[i].n;
    n *= variants;
    if (n > x->rows_max)
        return err_set(x->err, EXIT_USAGE, "%s: %.0f rows, at most %d are allowed", x->plan->file, n, x->rows_max);
    *rows = x->planned = (int)n;
    return true;
}

static void list_axes(Expand *x)
{
    const Axes *both[2] = { &x->sweep, &x->changes };
    x->plan->axis = ARENA_NEW(x->a, const char *, 2 * AXES_MAX);
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < both[k]->n; i++) {
            const Axis *axis = &both[k]->axis[i];
            if (axis->rank <= RANK_MIXER || axis->hidden || strcmp(axis->path, "seed") == 0) continue;
            x->plan->axis[x->plan->axes++] = axis->path;
        }
}

static bool expand(Expand *x)
{
    int rows = 0, collapsed = 0, dropped = 0, k = 0;
    for (int i = 0; i < x->changes.n; i++)
        for (int j = 0; j < x->sweep.n; j++)
            if (strcmp(x->changes.axis[i].path, x->sweep.axis[j].path) == 0)
                return fail_at(x->err, value_get(value_get(x->base, "changes"), x->changes.axis[i].path), true,
                               "'%s' stands under both 'sweep' and 'changes'", x->changes.axis[i].path);
    TRY(count_rows(x, &rows));
    x->plan->row = ARENA_NEW(x->a, PlanRow, rows);
    list_axes(x);
    TRY(expand_product(x, NULL, 0, &collapsed));
    for (int i = 0; i < x->changes.n; i++)
        for (int j = 0; j < x->changes.axis[i].n; j++) TRY(expand_product(x, &x->changes.axis[i], j, &collapsed));
    if (collapsed) buf_printf(&x->notes, "note: %d rows repeat earlier ones and were left out\n", collapsed);
    for (const Value *e = x->exclude ? x->exclude->first : NULL; e; e = e->next, k++) {
        char place[256];
        dropped += x->hits[k];
        if (!x->hits[k]) buf_printf(&x->notes, "note: %sthis exclusion matches no row\n", value_place(e, false, place));
    }
    if (x->plan->rows == 0)
        return err_set(x->err, EXIT_USAGE, "%s: no rows left: all %d are excluded", x->plan->file, dropped);
    return true;
}

/* An option that no row has, in a pattern or a list of paths, is a misspelt one. */
static bool check_path(Expand *x, const char *path, const Value *at, bool of_key)
{
    char why[PATH_WHY];
    const size_t mark = arena_mark(x->tmp);
    bool found = x->plan->rows == 0;
    for (int i = 0; i < x->plan->rows && !found; i++) {
        found = path_exists(path, x->plan->row[i].config, x->tmp, why);
        arena_reset(x->tmp, mark);
    }
    return found || fail_at(x->err, at, of_key, "'%.100s': %s", path, why);
}

static bool check_pattern(Expand *x, const Value *map)
{
    for (const Value *v = map && map->kind == VALUE_MAP ? map->first : NULL; v; v = v->next)
        TRY(check_path(x, v->key, v, true));
    return true;
}

/* Paths outside `sweep:`, once there are rows to look them up in. Those that drop rows may speak of dropped ones. */
static bool check_paths(Expand *x)
{
    static const char *const patterns[] = { "where", "better", "worse" };
    int k = 0;
    for (const Value *e = x->exclude ? x->exclude->first : NULL; e; e = e->next, k++)
        if (!x->hits[k]) TRY(check_pattern(x, e));
    for (const Value *t = x->plan->thresholds ? x->plan->thresholds->first : NULL; t; t = t->next)
        for (int i = 0; i < 3; i++) TRY(check_pattern(x, value_get(t, patterns[i])));
    const Value *over = value_get(x->plan->select, "over");
    for (const Value *p = over && over->kind == VALUE_LIST ? over->first : NULL; p; p = p->next) {
        if (p->kind != VALUE_SCALAR) continue; /* select_check says so */
        TRY(path_check(p->text, p, x->err));
        if (!strchr(p->text, '.'))
            return fail_at(x->err, p, false, "select: 'over' lists options such as train.lr, not '%.80s'", p->text);
        TRY(check_path(x, p->text, p, false));
    }
    return true;
}

static bool check_name(const char *name, const Value *at, Err *err)
{
    size_t ok = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-");
    if (!name[0] || name[ok] || name[0] == '.' || name[0] == '-' || ok > 100)
        return fail_at(err, at, false, "name '%s': use letters, digits, '_', '-' and '.'", name);
    if (strcmp(name, "runs") == 0 || strcmp(name, "reference") == 0)
        return fail_at(err, at, false, "name '%s' is taken by a folder of its own under results/", name);
    return true;
}

/* `name:`, else the file's own without .yaml. */
static bool read_name(const char *path, const Value *root, Arena *a, const char **out, Err *err)
{
    const Value *v = value_get(root, "name");
    const char *slash = strrchr(path, '/'), *file = slash ? slash + 1 : path, *dot = strrchr(file, '.');
    *out = v ? v->text : arena_printf(a, "%.*s", dot ? (int)(dot - file) : (int)strlen(file), file);
    return check_name(*out, v, err);
}

/* Settings from the command line: `name=` renames the sweep, the rest goes to the axes. */
static bool read_settings(Expand *x, int n_sets, const char *const *sets)
{
    for (int i = 0; i < n_sets; i++) {
        if (strncmp(sets[i], "name=", 5) == 0) {
            x->plan->name = arena_strdup(x->a, sets[i] + 5);
            TRY(check_name(x->plan->name, NULL, x->err));
        } else {
            TRY(axes_command(&x->sweep, sets[i], x->a, x->err));
        }
    }
    return true;
}

/* `limits: {run_hours: H}` */
static bool read_limits(const Value *map, Arena *a, Plan *plan, Err *err)
{
    typedef struct Limits {
        double run_hours;
    } Limits;
    static const Option options[] = {
        OPT_R(Limits, run_hours, "0", 0, 1e5, "training time of a run, hours; 0: no limit"), OPT_END
    };
    Limits limits;
    TRY(options_read(options, map, "limits", NULL, &limits, a, err));
    plan->run_seconds = 3600 * limits.run_hours;
    return true;
}

static bool read_all(Expand *x, const Value *root, int n_sets, const char *const *sets)
{
    Arena *a = x->a;
    Err *err = x->err;
    TRY(read_name(x->plan->file, root, a, &x->plan->name, err));
    x->base = root;
    x->exclude = value_get(root, "exclude");
    x->plan->thresholds = value_get(root, "thresholds");
    x->plan->figures = value_get(root, "figures");
    x->plan->select = value_get(root, "select");
    x->plan->published = value_get(root, "published");
    x->plan->title = value_text(root, "title", NULL);
    x->plan->question = value_text(root, "question", NULL);
    TRY(read_limits(value_get(root, "limits"), a, x->plan, err));
    TRY(check_exclude(x->exclude, err));
    x->hits = ARENA_NEW(a, int, x->exclude ? x->exclude->count + 1 : 1);
    TRY(axes_read(value_get(root, "sweep"), true, a, &x->sweep, err));
    TRY(axes_read(value_get(root, "changes"), false, a, &x->changes, err));
    TRY(read_settings(x, n_sets, sets));
    return expand(x) && check_paths(x);
}

/* text NULL: file names a file. */
static bool read_plan(const char *file, const char *text, size_t len, int rows_max, int n_sets, const char *const *sets,
                      Arena *a, Plan *out, Err *err)
{
    *out = (Plan){ .file = arena_strdup(a, file), .narrowed = n_sets > 0 };
    Expand x = { .a = a, .tmp = arena_new("plan"), .plan = out, .notes = buf_new(a), .rows_max = rows_max, .err = err };
    Value *root;
    int n;
    Threshold *t;
    bool ok = text ? config_parse(file, text, len, a, &root, err) : config_load(file, a, &root, err);
    ok = ok && read_all(&x, root, n_sets, sets) && select_check(out->select, err) &&
         thresholds_read(out, x.tmp, &n, &t, err) && counterparts_check(out, x.tmp, err);
    arena_free(x.tmp);
    out->notes = x.notes.len ? x.notes.s : NULL;
    return ok;
}

bool plan_read(const char *path, int n_sets, const char *const *sets, Arena *a, Plan *out, Err *err)
{
    return read_plan(path, NULL, 0, ROWS_MAX, n_sets, sets, a, out, err);
}

bool plan_parse(const char *name, const char *text, size_t len, int rows_max, int n_sets, const char *const *sets,
                Arena *a, Plan *out, Err *err)
{
    return read_plan(name, text, len, rows_max, n_sets, sets, a, out, err);
}
