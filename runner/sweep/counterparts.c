/* SPDX-License-Identifier: Apache-2.0
 * counterparts.c - read the `published:` of a config: which of our cells stand beside which published numbers.
 *
 *   - source: grazzi2025                results/reference/published/grazzi2025.csv
 *     place: Table 3                    as the source names it; likewise task, setting, metric, over, state, eval_len:
 *     task: parity                      as many as it takes to choose one fact
 *     case: parity                      ours; slice: train by default
 *     slice: x4
 *     measure: acc_final                ours; the headline by default
 *     deviation: 1 layer instead of 2   what differs in the setting: there is no row without it
 *     rows: {LSTM: lstm, "DeltaNet[-1,1]": delta_net ±}      their model: our mixer
 *
 * A row may be a map with keys of its own, {"DeltaNet[-1,1]": {mixer: delta_net ±, slice: x2}}, and `rows` a list of
 * such maps with `model`; an item without rows is a row itself. `as: best | median | mean` overrides how the source
 * sums up its seeds; `implies: solved | unsolved` says what a published text means for this cell.
 */
#include <string.h>

#include "sweep/collect.h"
#include "sweep/counterparts.h"
#include "sweep/plan_parts.h"

const char *const pick_names[PICKS + 1] = { "place", "task",  "model",    "setting", "metric",
                                            "over",  "state", "eval_len", NULL };

static const char *const keys[] = { "source",  "place", "task",     "model",     "setting", "metric",
                                    "over",    "state", "eval_len", "case",      "mixer",   "slice",
                                    "measure", "as",    "implies",  "deviation", "rows",    NULL };
static const char *const measures[] = { "acc_token", "acc_mean", "acc_exact", "acc_final", "acc_macro", NULL };
static const char *const ways[] = { "best", "median", "mean", NULL };
static const char *const implied[] = { "unsolved", "solved", NULL };

static int index_in(const char *const *names, const char *text)
{
    for (int i = 0; names[i]; i++)
        if (!strcmp(names[i], text)) return i;
    return -1;
}

/* Known keys, each a text (rows apart). */
static bool check_keys(const Value *map, Err *err)
{
    char text[96];
    for (const Value *v = map->first; v; v = v->next) {
        if (index_in(keys, v->key) < 0)
            return fail_at(err, v, true, "published: unknown key '%s'%s", v->key, name_hint(v->key, keys, text));
        if (strcmp(v->key, "rows") != 0 && (v->kind != VALUE_SCALAR || !v->text[0]))
            return fail_at(err, v, false, "published: '%s' must be a text", v->key);
    }
    return true;
}

static bool read_choice(const Value *v, const char *const *names, const char **out, Err *err)
{
    char text[96], list[160] = "";
    if (!v) return true;
    for (int i = 0; names[i]; i++) {
        strcat(list, i ? ", " : "");
        strcat(list, names[i]);
    }
    if (index_in(names, v->text) < 0)
        return fail_at(err, v, false, "published: %s '%s' is not one of %s%s", v->key, v->text, list,
                       name_hint(v->text, names, text));
    *out = v->text;
    return true;
}

/* One row from a map that holds all its keys; `model` is a key of `rows` if it is not among them. */
static bool read_row(const Value *row, const Value *place, const Value *model, Counterpart *c, Err *err)
{
    static const char *const needed[] = { "source", "case", "mixer", "deviation", NULL };
    const char *implies = NULL;
    for (int i = 0; needed[i]; i++)
        if (!value_get(row, needed[i]))
            return fail_at(err, place, model != NULL, "published: '%s' is missing%s", needed[i],
                           i == 3 ? ": what differs from the published setting?" : "");
    for (int i = 0; i < PICKS; i++) {
        const Value *v = value_get(row, pick_names[i]);
        c->pick_at[i] = v;
        c->pick[i] = v ? v->text : NULL;
    }
    if (model && value_get(row, "model"))
        return fail_at(err, value_get(row, "model"), true, "published: 'model' is what 'rows' names");
    if (model) {
        c->pick[PICK_MODEL] = model->key;
        c->pick_at[PICK_MODEL] = model;
        c->pick_is_key[PICK_MODEL] = true;
    }
    if (!c->pick[PICK_MODEL]) return fail_at(err, place, false, "published: 'model' is missing");
    c->source_at = value_get(row, "source");
    c->source = c->source_at->text;
    c->case_at = value_get(row, "case");
    c->mixer_at = value_get(row, "mixer");
    c->slice_at = value_get(row, "slice");
    c->kase = c->case_at->text;
    c->mixer = c->mixer_at->text;
    c->slice = value_text(row, "slice", "train");
    c->deviation = value_text(row, "deviation", NULL);
    TRY(read_choice(value_get(row, "measure"), measures, &c->measure, err));
    TRY(read_choice(value_get(row, "as"), ways, &c->as, err));
    TRY(read_choice(value_get(row, "implies"), implied, &implies, err));
    if (implies) c->implies = strcmp(implies, "solved") == 0 ? IMPLIES_SOLVED : IMPLIES_UNSOLVED;
    return true;
}

/* A row of `rows` on top of its item. */
static bool read_sub_row(const Value *item, const Value *sub, bool is_map, Arena *a, Counterpart *c, Err *err)
{
    Value *row = value_without(a, item, "rows");
    if (is_map && sub->kind == VALUE_SCALAR) {
        if (!sub->text[0]) return fail_at(err, sub, true, "published: which mixer stands beside '%s'?", sub->key);
        Value *mixer = value_copy(a, sub);
        value_set(row, "mixer", mixer);
    } else if (sub->kind == VALUE_MAP) {
        TRY(check_keys(sub, err));
        if (value_get(sub, "rows")) return fail_at(err, sub, false, "published: 'rows' inside 'rows'");
        row = value_merge(a, row, sub);
    } else {
        return fail_at(err, sub, false, "published: a row is %s", is_map ? "a mixer or a map" : "a map with 'model'");
    }
    return read_row(row, sub, is_map ? sub : NULL, c, err);
}

static bool read_item(const Value *item, int table, Arena *a, int *n, Counterpart *out, Err *err)
{
    if (item->kind != VALUE_MAP)
        return fail_at(err, item, false, "published: an item is a map with source, case, deviation and rows");
    TRY(check_keys(item, err));
    const Value *rows = value_get(item, "rows");
    if (!rows) {
        out[*n].table = table;
        return read_row(item, item, NULL, &out[(*n)++], err);
    }
    if (rows->kind == VALUE_SCALAR || !rows->count)
        return fail_at(err, rows, false, "published: 'rows' must be a map from models to mixers, or a list of maps");
    for (const Value *sub = rows->first; sub; sub = sub->next) {
        out[*n].table = table;
        TRY(read_sub_row(item, sub, rows->kind == VALUE_MAP, a, &out[(*n)++], err));
    }
    return true;
}

bool counterparts_read(const Value *list, Arena *a, int *n, Counterpart **out, Err *err)
{
    int max = 0, table = 0;
    *n = 0;
    for (const Value *item = list ? list->first : NULL; item; item = item->next) {
        const Value *rows = value_get(item, "rows");
        max += rows && rows->count ? rows->count : 1;
    }
    *out = ARENA_NEW(a, Counterpart, max + 1);
    for (const Value *item = list ? list->first : NULL; item; item = item->next)
        TRY(read_item(item, table++, a, n, *out, err));
    return true;
}

/* ---- against the plan ------------------------------------------------------------------------------------------- */

/* As in the tables: the mixer, and the cells of the axes that distinguish rows. */
static const char *row_label(const Plan *plan, const PlanRow *row, Arena *a)
{
    const char *label = row->mixer_label;
    for (int i = 0; i < plan->axes; i++)
        if (!select_is_over(plan, plan->axis[i]) && *row->cell[i])
            label = arena_printf(a, "%s, %s %s", label, plan_column(a, plan->axis[i]), row->cell[i]);
    return label;
}

static bool fail_label(Err *err, const Value *at, const char *what, const char *text, const char *const *names)
{
    char buf[96];
    return fail_at(err, at, false, "published: no %s '%s' in this sweep%s", what, text, name_hint(text, names, buf));
}

static bool check_one(const Plan *plan, const char *const *cases, const char *const *mixers, const Counterpart *c,
                      Err *err)
{
    bool pair = false;
    if (index_in(cases, c->kase) < 0) return fail_label(err, c->case_at, "case", c->kase, cases);
    if (index_in(mixers, c->mixer) < 0) return fail_label(err, c->mixer_at, "mixer", c->mixer, mixers);
    for (int i = 0; i < plan->rows; i++) {
        const PlanRow *row = &plan->row[i];
        if (strcmp(row->case_label, c->kase) != 0) continue;
        pair |= strcmp(mixers[i], c->mixer) == 0;
        if (strcmp(c->slice, "train") != 0 && !value_get(value_get(row->config, "eval"), c->slice))
            return fail_at(err, c->slice_at, false, "published: case '%s' has no slice '%s' under 'eval'", c->kase,
                           c->slice);
    }
    if (!pair)
        return fail_at(err, c->mixer_at, false, "published: no row of case '%s' has mixer '%s'", c->kase, c->mixer);
    return true;
}

bool counterparts_check(const Plan *plan, Arena *a, Err *err)
{
    int n;
    Counterpart *c;
    TRY(counterparts_read(plan->published, a, &n, &c, err));
    if (plan->narrowed || !n) return true;
    const char **cases = ARENA_NEW(a, const char *, plan->rows + 1);
    const char **mixers = ARENA_NEW(a, const char *, plan->rows + 1);
    for (int i = 0; i < plan->rows; i++) {
        cases[i] = plan->row[i].case_label;
        mixers[i] = row_label(plan, &plan->row[i], a);
    }
    for (int i = 0; i < n; i++) TRY(check_one(plan, cases, mixers, &c[i], err));
    return true;
}
