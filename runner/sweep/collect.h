/* SPDX-License-Identifier: Apache-2.0
 * collect.h - what the runs of a plan left on disk, row by row, and the choice of a learning rate.
 */
#ifndef SEQPROBE_COLLECT_H
#define SEQPROBE_COLLECT_H

#include "sweep/pool.h"

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
bool select_write(const Plan *plan, const RowResult *rows, const char *results, Err *err);

#endif
