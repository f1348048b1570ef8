/* SPDX-License-Identifier: Apache-2.0
 * thresholds.c - read the `thresholds:` of a config.
 *
 *   - {where: {case: parity, mixer: lstm}, slice: x4, metric: acc_token, min: 0.99}     level
 *   - {where: {mixer: gla}, max: 0.65}                     in every case; slice train and the headline by default
 *   - {where: {...}, near: 0.5, within: 0.15}
 *   - {where: {...}, min: 0.99, solved: 2, of: 3}          at least 2 of at least 3 seeds reach min (or train.stop_at)
 *   - {where: {...}, cannot: 0.65}                         every seed stays at or below (the same as max, over: all)
 *   - {where: {...}, can: 0.99, of: 3}                     the best of at least 3 seeds reaches (min, over: best)
 *   - {better: {mixer: delta_net}, worse: {mixer: gla}, by: 0.1, slice: x4}             ordering
 *
 * `over: median | best | all` says which of the seeds count (default median; best is the highest value). A pattern
 * names case and mixer by label or name, or a list of them, and options by path.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/plan_parts.h"
#include "sweep/thresholds.h"

const char *const over_names[] = { "median", "best", "all", NULL };

static const char *const keys[] = { "where", "better", "worse", "slice", "metric", "min", "max",    "near", "within",
                                    "by",    "solved", "of",    "over",  "note",   "can", "cannot", NULL };
const char *const metric_names[] = { "acc_token", "acc_mean",    "acc_exact", "acc_final",
                                     "acc_macro", "state_reals", "loss",      NULL };

static bool is_one_of(const char *s, const char *const *names)
{
    for (; *names; names++)
        if (strcmp(*names, s) == 0) return true;
    return false;
}

static bool read_number(const Value *map, const char *key, double *out, Err *err)
{
    const Value *v = value_get(map, key);
    *out = (double)NAN;
    if (!v) return true;
    if (v->kind == VALUE_SCALAR && !v->quoted && text_is_number(v->text)) *out = strtod(v->text, NULL);
    if (!isfinite(*out)) return fail_at(err, v, false, "threshold: '%s' must be a number", key);
    return true;
}

static bool read_count(const Value *map, const char *key, int *out, Err *err)
{
    double x;
    TRY(read_number(map, key, &x, err));
    *out = 0;
    if (isnan(x)) return true;
    if (x < 1 || x > 1000 || x != floor(x))
        return fail_at(err, value_get(map, key), false, "threshold: '%s' must be a count of seeds", key);
    *out = (int)x;
    return true;
}

static bool read_text(const Value *map, const char *key, const char **out, Err *err)
{
    const Value *v = value_get(map, key);
    if (!v) return true;
    if (v->kind != VALUE_SCALAR || !v->text[0]) return fail_at(err, v, false, "threshold: '%s' must be a text", key);
    *out = v->text;
    return true;
}

static bool label_matches(const Value *want, const char *label, const char *name)
{
    if (want->kind == VALUE_SCALAR) return strcmp(want->text, label) == 0 || (name && strcmp(want->text, name) == 0);
    for (const Value *v = want->first; v; v = v->next)
        if (v->kind == VALUE_SCALAR && label_matches(v, label, name)) return true;
    return false;
}

bool where_matches(const Value *where, const PlanRow *row, Arena *a)
{
    const Value *task = value_get(row->config, "task"), *mixer = value_get(row->config, "mixer");
    for (const Value *want = where ? where->first : NULL; want; want = want->next) {
        if (strcmp(want->key, "case") == 0) {
            if (!label_matches(want, row->case_label, value_text(task, "name", ""))) return false;
        } else if (strcmp(want->key, "mixer") == 0) {
            if (!label_matches(want, row->mixer_label, mixer ? mixer_spec_name(mixer, a) : NULL)) return false;
        } else {
            const Value *have = option_at(row->config, want->key, a);
            if (!have || !value_same(a, have, want)) return false;
        }
    }
    return true;
}

static bool slice_exists(const PlanRow *row, const char *slice)
{
    char name[128];
    size_t n = strcspn(slice, ":");
    if (strcmp(slice, "train") == 0) return true;
    if (n >= sizeof name) return false;
    memcpy(name, slice, n);
    name[n] = '\0';
    return strcmp(name, "train") == 0 || value_get(value_get(row->config, "eval"), name);
}

/* A pattern is well formed, matches rows, and these have the slice. */
static bool check_where(const Plan *plan, const Value *item, const char *key, const Threshold *t, Arena *a, Err *err)
{
    const Value *where = value_get(item, key);
    int found = 0;
    if (where && (where->kind != VALUE_MAP || where->count == 0))
        return fail_at(err, where, false, "threshold: '%s' must be a map such as {case: parity, mixer: lstm}", key);
    for (const Value *v = where ? where->first : NULL; v; v = v->next) {
        TRY(path_check(v->key, v, err));
        if (strcmp(v->key, "seed") == 0)
            return fail_at(err, v, true, "threshold: seeds are measured together; use 'over'");
    }
    size_t mark = arena_mark(a);
    for (int i = 0; i < plan->rows; i++) {
        if (!where_matches(where, &plan->row[i], a)) continue;
        found++;
        if (!slice_exists(&plan->row[i], t->slice))
            return fail_at(err, value_get(item, "slice"), false, "threshold: case '%s' has no slice '%s' under 'eval'",
                           plan->row[i].case_label, t->slice);
    }
    arena_reset(a, mark);
    if (!found && !plan->narrowed) return fail_at(err, where, false, "threshold: '%s' matches no row", key);
    return true;
}

/* `can` and `cannot` in terms of min, max and over. */
static bool read_claim(const Value *item, Threshold *t, Err *err)
{
    static const char *const others[] = { "min", "max", "near", "within", "solved", "over", "better", "worse", NULL };
    double can, cannot;
    TRY(read_number(item, "can", &can, err) && read_number(item, "cannot", &cannot, err));
    if (isnan(can) && isnan(cannot)) return true;
    const char *key = isnan(can) ? "cannot" : "can";
    const Value *v = value_get(item, key);
    if (!isnan(can) && !isnan(cannot))
        return fail_at(err, v, true, "threshold: 'can' and 'cannot' are two claims, one each");
    for (const char *const *o = others; *o; o++)
        if (value_get(item, *o)) return fail_at(err, v, true, "threshold: '%s' does not go with '%s'", key, *o);
    const double bound = isnan(can) ? cannot : can;
    if (bound < 0 || bound > 1 || (t->metric && strncmp(t->metric, "acc_", 4) != 0))
        return fail_at(err, v, false, "threshold: '%s' is a claim about an accuracy, a number from 0 to 1", key);
    t->claim = isnan(can) ? CLAIM_CANNOT : CLAIM_CAN;
    t->over = isnan(can) ? OVER_ALL : OVER_BEST;
    *(isnan(can) ? &t->max : &t->min) = bound;
    return true;
}

/* Which keys may stand together. */
static bool check_shape(const Value *item, const Threshold *t, Err *err)
{
    int bounds = !isnan(t->min) + !isnan(t->max) + !isnan(t->near);
    if (!t->better != !t->worse) return fail_at(err, item, false, "threshold: 'better' and 'worse' go together");
    if (t->better) {
        if (t->where || bounds || t->solved || !isnan(t->within))
            return fail_at(err, item, false,
                           "threshold: an ordering takes 'by', 'slice', 'metric', 'over' and 'note' only");
        if (t->over == OVER_ALL)
            return fail_at(err, item, false, "threshold: an ordering compares medians or bests, not all");
        return true;
    }
    if (!isnan(t->by)) return fail_at(err, item, false, "threshold: 'by' belongs to an ordering (better, worse)");
    if (bounds == 0 && !t->solved)
        return fail_at(
            err, item, false,
            "threshold: needs one of 'min', 'max', 'near', 'solved', 'can' and 'cannot', or 'better' and 'worse'");
    if (!isnan(t->near) && (bounds > 1 || isnan(t->within)))
        return fail_at(err, item, false, "threshold: 'near' needs 'within' and excludes 'min' and 'max'");
    if (isnan(t->near) && !isnan(t->within)) return fail_at(err, item, false, "threshold: 'within' belongs to 'near'");
    if (t->min > t->max) return fail_at(err, item, false, "threshold: 'min' is above 'max'");
    if (t->of && !t->solved && !t->claim)
        return fail_at(err, item, false, "threshold: 'of' belongs to 'solved', 'can' or 'cannot'");
    if (t->solved && t->of && t->of < t->solved) return fail_at(err, item, false, "threshold: 'solved' is above 'of'");
    if (t->solved && (!isnan(t->max) || !isnan(t->near) || value_get(item, "over")))
        return fail_at(err, item, false,
                       "threshold: 'solved' counts the seeds that reach 'min'; no other bound goes with it");
    return true;
}

static bool read_item(const Plan *plan, const Value *item, Arena *a, Threshold *t, Err *err)
{
    char text[96];
    const char *over = "median";
    if (item->kind != VALUE_MAP)
        return fail_at(err, item, false, "a threshold is a map such as {where: {...}, min: 0.99}");
    for (const Value *v = item->first; v; v = v->next)
        if (!is_one_of(v->key, keys))
            return fail_at(err, v, true, "threshold: unknown key '%s'%s", v->key, name_hint(v->key, keys, text));
    *t = (Threshold){ .place = item,
                      .slice = "train",
                      .where = value_get(item, "where"),
                      .better = value_get(item, "better"),
                      .worse = value_get(item, "worse") };
    TRY(read_number(item, "min", &t->min, err));
    TRY(read_number(item, "max", &t->max, err));
    TRY(read_number(item, "near", &t->near, err));
    TRY(read_number(item, "within", &t->within, err));
    TRY(read_number(item, "by", &t->by, err));
    TRY(read_count(item, "solved", &t->solved, err));
    TRY(read_count(item, "of", &t->of, err));
    TRY(read_text(item, "slice", &t->slice, err));
    TRY(read_text(item, "metric", &t->metric, err));
    TRY(read_text(item, "note", &t->note, err));
    TRY(read_text(item, "over", &over, err));
    if (t->metric && !is_one_of(t->metric, metric_names))
        return fail_at(err, value_get(item, "metric"), false, "threshold: unknown metric '%s'%s", t->metric,
                       name_hint(t->metric, metric_names, text));
    if (!is_one_of(over, over_names))
        return fail_at(err, value_get(item, "over"), false, "threshold: 'over' must be median, best or all, not '%s'",
                       over);
    while (strcmp(over_names[t->over], over) != 0) t->over++;
    TRY(read_claim(item, t, err) && check_shape(item, t, err));
    if (!t->better) return check_where(plan, item, "where", t, a, err);
    return check_where(plan, item, "better", t, a, err) && check_where(plan, item, "worse", t, a, err);
}

bool thresholds_read(const Plan *plan, Arena *a, int *n, Threshold **out, Err *err)
{
    const Value *list = plan->thresholds;
    *n = 0;
    *out = ARENA_NEW(a, Threshold, list ? list->count + 1 : 1);
    for (const Value *v = list ? list->first : NULL; v; v = v->next) TRY(read_item(plan, v, a, &(*out)[(*n)++], err));
    return true;
}
