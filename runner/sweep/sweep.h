/* SPDX-License-Identifier: Apache-2.0
 * sweep.h - from YAML to a plan of resolved runs, the pool of workers, and the collected CSVs.
 */
#ifndef SEQPROBE_SWEEP_H
#define SEQPROBE_SWEEP_H

#include "base/file.h"
#include "base/yaml.h"
#include "cli.h"
#include "train/train.h"

/* One row of the plan. `label` texts come from axis items with a label ("case" and "mixer" mostly). */
typedef struct PlanRow {
    int row;                           /* from 0 */
    Value *config;                     /* sections as written, axes merged; run_resolve adds the defaults */
    const char *case_label, *mixer_label;   /* label, else the task's / mixer's name */
    const char **cell;                 /* by axis of the plan: label or text of the value, "" if not set */
    char id[16];
    uint64_t seed; double lr;
} PlanRow;

typedef struct Plan {
    const char *name, *file;
    int rows; PlanRow *row;
    int axes; const char **axis;       /* swept paths other than case, mixer and seed, in file order */
    const Value *thresholds, *figures, *select, *published;   /* as in the file; may be NULL */
    double run_seconds;                /* limits: {run_hours: H}, time limit of a run; 0: none */
    bool narrowed;                     /* by settings: thresholds may speak of rows that are not here */
    const char *title, *question;      /* may be NULL */
    const char *notes;                 /* lines for stderr: collapsed rows, exclusions that match nothing; or NULL */
} Plan;

/* Expand a config with command-line settings; every row is checked with run_resolve before this returns. */
bool plan_read(const char *path, int n_sets, const char *const *sets, Arena *a, Plan *out, Err *err);
/* The same from memory: such a config cannot include others, and has at most rows_max rows. */
bool plan_parse(const char *name, const char *text, size_t len, int rows_max, int n_sets, const char *const *sets,
                Arena *a, Plan *out, Err *err);

/* results/<name>/plan.csv; a swept path as a column name ("train_lr"). */
bool  plan_write(const Plan *plan, const char *results_dir, Err *err);
char *plan_column(Arena *a, const char *path);

/* results/<name>/{plan,runs,metrics,selected}.csv from results/runs/<id>/; returns the number of finished rows. */
bool collect_results(const Plan *plan, const char *results_dir, int *finished, Err *err);

#endif
