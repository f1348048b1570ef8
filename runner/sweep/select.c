/* SPDX-License-Identifier: Apache-2.0
 * select.c - the learning rate of every (case, mixer), chosen on validation.
 *
 * Rows that differ only in seed and in the axes of `select: {over: [train.lr]}` (the default) form a group; the others
 * axes, if any, distinguish groups. Among the learning rates of a group the one with the highest mean valid_headline
 * over its seeds is chosen; ties go to the lower rate, then to the earlier row. A diverged run counts 0; runs that
 * failed, timed out or have not ended do not count. Test numbers play no part in the choice: this file reads none.
 */
#include <math.h>
#include <string.h>

#include "sweep/collect.h"
#include "sweep/plan_parts.h"

bool select_check(const Value *select, Err *err)
{
    static const char *const names[] = { "over", NULL };
    char text[96];
    for (const Value *v = select ? select->first : NULL; v; v = v->next) {
        if (strcmp(v->key, "over") != 0)
            return fail_at(err, v, true, "select: unknown key '%s'%s", v->key, name_hint(v->key, names, text));
        if (v->kind != VALUE_LIST)
            return fail_at(err, v, false, "select: 'over' must be a list of paths such as [train.lr]");
        for (const Value *p = v->first; p; p = p->next) {
            if (p->kind != VALUE_SCALAR) return fail_at(err, p, false, "select: 'over' must be a list of paths");
            TRY(path_check(p->text, p, err));
        }
    }
    return true;
}

bool select_is_over(const Plan *plan, const char *path)
{
    const Value *over = value_get(plan->select, "over");
    if (!over) return strcmp(path, "train.lr") == 0;
    for (const Value *v = over->first; v; v = v->next)
        if (strcmp(v->text, path) == 0) return true;
    return false;
}

/* Same cells in the axes that are (over) or are not (!over) chosen over. */
static bool same_cells(const Plan *plan, const PlanRow *x, const PlanRow *y, bool over)
{
    for (int c = 0; c < plan->axes; c++)
        if (select_is_over(plan, plan->axis[c]) == over && strcmp(x->cell[c], y->cell[c]) != 0) return false;
    return true;
}

static bool same_group(const Plan *plan, const PlanRow *x, const PlanRow *y)
{
    return strcmp(x->case_label, y->case_label) == 0 && strcmp(x->mixer_label, y->mixer_label) == 0 &&
           same_cells(plan, x, y, false);
}

static bool same_candidate(const Plan *plan, const PlanRow *x, const PlanRow *y)
{
    return same_cells(plan, x, y, true) && (x->lr == y->lr || !select_is_over(plan, "train.lr"));
}

static double valid_of(const RowResult *r)
{
    double v = csv_num(&r->result, 0, "valid_headline");
    return r->state == RUN_DIVERGED || isnan(v) ? 0 : v;
}

/* Choose among the candidates of a group; each is tried at its first row. */
static void choose(const Plan *plan, Group *g)
{
    for (int i = 0; i < g->n; i++) {
        const PlanRow *at = g->row[i]->row;
        bool earlier = false;
        double sum = 0;
        int n = 0;
        for (int k = 0; k < i && !earlier; k++) earlier = same_candidate(plan, g->row[k]->row, at);
        for (int k = i; k < g->n && !earlier; k++) {
            if (!result_counts(g->row[k]) || !same_candidate(plan, g->row[k]->row, at)) continue;
            sum += valid_of(g->row[k]);
            n++;
        }
        if (n == 0) continue;
        g->candidates++;
        double mean = sum / n;
        if (g->chosen_n && (mean < g->valid || (mean == g->valid && at->lr >= g->lr))) continue;
        g->lr = at->lr;
        g->valid = mean;
        g->chosen_n = 0;
        for (int k = i; k < g->n; k++)
            if (result_counts(g->row[k]) && same_candidate(plan, g->row[k]->row, at))
                g->chosen[g->chosen_n++] = g->row[k];
    }
}

int select_groups(const Plan *plan, const RowResult *rows, Arena *a, Group **out)
{
    int n = 0;
    Group *g = ARENA_NEW(a, Group, plan->rows + 1);
    int *of = ARENA_NEW(a, int, plan->rows + 1);
    for (int i = 0; i < plan->rows; i++) {
        const PlanRow *row = rows[i].row;
        int k = 0;
        while (k < n && !same_group(plan, g[k].head->row, row)) k++;
        if (k == n)
            g[n++] = (Group){ .case_label = row->case_label, .mixer_label = row->mixer_label, .head = &rows[i] };
        of[i] = k;
        g[k].n++;
    }
    for (int k = 0; k < n; k++) {
        g[k].row = ARENA_NEW(a, const RowResult *, g[k].n);
        g[k].chosen = ARENA_NEW(a, const RowResult *, g[k].n);
        g[k].n = 0;
    }
    for (int i = 0; i < plan->rows; i++) g[of[i]].row[g[of[i]].n++] = &rows[i];
    for (int k = 0; k < n; k++) choose(plan, &g[k]);
    *out = g;
    return n;
}

static const char *cells_text(const Plan *plan, const PlanRow *row, bool over, const char *before, Arena *a)
{
    Buf b = buf_new(a);
    buf_puts(&b, before);
    for (int c = 0; c < plan->axes; c++)
        if (select_is_over(plan, plan->axis[c]) == over && row->cell[c][0])
            buf_printf(&b, "%s%s=%s", b.len ? " " : "", plan->axis[c], row->cell[c]);
    return b.s;
}

const char *group_name(const Plan *plan, const Group *g, Arena *a)
{
    return cells_text(plan, g->head->row, false, arena_printf(a, "%s/%s", g->case_label, g->mixer_label), a);
}

const char *group_choice(const Plan *plan, const Group *g, Arena *a)
{
    return g->chosen_n ? cells_text(plan, g->chosen[0]->row, true, "", a) : "";
}
