/* SPDX-License-Identifier: Apache-2.0
 * plan_csv.c - results/NAME/plan.csv: row,run_id,case,mixer,seed and one column per swept axis (train.lr is train_lr).
 */
#include "sweep/sweep.h"

char *plan_column(Arena *a, const char *path)
{
    char *name = arena_strdup(a, path);
    for (char *c = name; *c; c++)
        if (*c == '.') *c = '_';
    return name;
}

bool plan_write(const Plan *plan, const char *results, Err *err)
{
    Arena *a = arena_new("plan.csv");
    const char *dir = path_join(a, results, plan->name);
    Buf b = buf_new(a);
    buf_puts(&b, "row,run_id,case,mixer,seed");
    for (int c = 0; c < plan->axes; c++) buf_printf(&b, ",%s", plan_column(a, plan->axis[c]));
    buf_puts(&b, "\n");
    for (int i = 0; i < plan->rows; i++) {
        const PlanRow *r = &plan->row[i];
        buf_printf(&b, "%d,%s,", r->row, r->id);
        buf_csv(&b, r->case_label);
        buf_puts(&b, ",");
        buf_csv(&b, r->mixer_label);
        buf_printf(&b, ",%llu", (unsigned long long)r->seed);
        for (int c = 0; c < plan->axes; c++) {
            buf_puts(&b, ",");
            buf_csv(&b, r->cell[c]);
        }
        buf_puts(&b, "\n");
    }
    bool ok = dir_make(dir, err) && file_write_atomic(path_join(a, dir, "plan.csv"), b.s, b.len, err);
    arena_free(a);
    return ok;
}
