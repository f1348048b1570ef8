/* SPDX-License-Identifier: Apache-2.0
 * thresholds.h - the `thresholds:` of a config, read and checked; verdicts.c measures them.
 */
#ifndef SEQPROBE_THRESHOLDS_H
#define SEQPROBE_THRESHOLDS_H

#include "sweep/collect.h"

typedef enum { OVER_MEDIAN, OVER_BEST, OVER_ALL } Over;

typedef struct Threshold {
    const Value *place;                /* of the item */
    const Value *where;                /* level: which groups (NULL: all); ordering: NULL */
    const Value *better, *worse;       /* ordering: both; level: NULL */
    const char *slice, *metric;        /* metric NULL: the headline of the task */
    const char *note;                  /* may be NULL */
    double min, max, near, within, by; /* NaN: not given (within, by: default) */
    Over over;
    enum { CLAIM_NONE, CLAIM_CAN, CLAIM_CANNOT } claim;   /* then min (best seed) or max (all seeds) is set */
    int solved, of;                    /* 0: not given */
} Threshold;

/* The list as structs; every fault has its place. Patterns must match rows of the plan and slices must exist there,
 * unless the plan was narrowed by settings. */
bool thresholds_read(const Plan *plan, Arena *a, int *n, Threshold **out, Err *err);
/* Does a row match {case: ..., mixer: ..., path: ...}? NULL matches all. */
bool where_matches(const Value *where, const PlanRow *row, Arena *a);
extern const char *const over_names[], *const metric_names[];

#endif
