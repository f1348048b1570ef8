/* SPDX-License-Identifier: Apache-2.0
 * collect.h - what the runs of a plan left on disk, row by row, and the choice of a learning rate.
 */
#ifndef SEQPROBE_COLLECT_H
#define SEQPROBE_COLLECT_H

#include "sweep/pool.h"
#include "sweep/stats.h"

/* A row of the plan with its result.csv; without one (or while it is not final) result.rows is 0. */
typedef struct RowResult {
    const PlanRow *row;
    const char *dir;
    RunState state;
    Csv result;
} RowResult;

/* All rows, in plan order. */
bool results_read(const Plan *plan, const char *results, Arena *a, RowResult **out, Err *err);
/* Is this a number to compare: ok or diverged. */
bool result_counts(const RowResult *r);

typedef struct Metric { int len; double value, lo, hi; long n; } Metric;
/* A line of a run's parsed metrics.csv; false if there is none. */
bool metric_find(const Csv *metrics, const char *split, const char *slice, const char *metric, Metric *out);

/* Rows of one (case, mixer, other axes) with the learning rate that select.c chose among them. */
typedef struct Group {
    const char *case_label, *mixer_label;
    const RowResult *head;             /* its first row: the cells of its axes */
    int n; const RowResult **row;      /* of every learning rate, in plan order */
    int chosen_n; const RowResult **chosen;   /* of the chosen one; 0: nothing finished */
    double lr, valid;                  /* chosen; mean validation headline over its seeds */
    int candidates;                    /* learning rates with at least one finished run */
} Group;

/* Axes chosen over, besides seed: `select: {over: [train.lr, ...]}`, by default train.lr. */
bool select_check(const Value *select, Err *err);
bool select_is_over(const Plan *plan, const char *path);
int  select_groups(const Plan *plan, const RowResult *rows, Arena *a, Group **out);
/* "train.lr=0.003 train.weight_decay=0.1": the choice in every axis chosen over; "" without one. */
const char *group_choice(const Plan *plan, const Group *g, Arena *a);
/* "parity/lstm model.d_model=32": case, mixer and what else distinguishes the group. */
const char *group_name(const Plan *plan, const Group *g, Arena *a);

/* ---- selected.c: what the seeds of the choice reached on test --------------------------------------------------- */

/* One slice and metric. x[i] belongs to chosen[i]: NaN without a value; a diverged run has accuracy 0. */
typedef struct Measure {
    const char *slice, *metric;
    int n, found; double *x;           /* seeds; those with a value */
    int len; long trials; double chance;   /* of the slice; summed over the seeds; NaN if unknown */
} Measure;
/* metrics.csv of each of chosen[], parsed; without rows where there is none. */
bool group_metrics(const Group *g, Arena *a, Csv **out, Err *err);
/* metric NULL: the headline of the task. */
Measure group_measure(const Group *g, const Csv *metrics, const char *slice, const char *metric, Arena *a);
/* train.stop_at of a row: the accuracy that counts as solved. */
double row_goal(const PlanRow *row, Arena *a);
bool metric_is_accuracy(const char *metric);
bool metric_low_is_good(const char *metric);               /* loss, state_reals */

typedef struct Summary {
    int n, solved;                     /* seeds with a value; of these, those that reach the goal */
    double median, min, max, mean, sd;
    Interval seeds;                    /* of the mean over seeds; accuracies: within [0, 1] */
    Interval solved_share;             /* Wilson, solved of n */
    Interval pooled;                   /* Wilson, trials of all seeds together */
} Summary;
Summary measure_summary(const Measure *m, double goal, Arena *a);

/* Values of the seeds that both groups have, in the order of g; their number. */
int seeds_paired(const Group *g, const Measure *x, const Group *h, const Measure *y, double *px, double *py);

/* The text of selected.csv, and the file itself. */
bool selected_text(const Plan *plan, const RowResult *rows, Buf *out, Err *err);
bool select_write(const Plan *plan, const RowResult *rows, const char *results, Err *err);

#endif
