/* SPDX-License-Identifier: Apache-2.0
 * verdicts.h - the thresholds of a config measured on its runs: what `check` prints and the report shows.
 */
#ifndef SEQPROBE_VERDICTS_H
#define SEQPROBE_VERDICTS_H

#include "sweep/thresholds.h"

typedef enum { VERDICT_HOLDS, VERDICT_FELL, VERDICT_SKIPPED } VerdictKind;
typedef struct Verdict {
    VerdictKind kind;
    const char *what;                  /* "parity/lstm x1 acc_token" */
    const char *measured;              /* "median 1.000, wanted >= 0.99 (3 seeds: ...)"; "" if skipped */
    const char *note;                  /* of the config; may be NULL */
    double value, least, most;         /* what was measured and the bounds it had to keep; NaN: none */
} Verdict;

/* In the order of the config. n is 0 for a config without thresholds. */
bool verdicts_measure(const Plan *plan, const char *results, Arena *a, int *n, Verdict **out, Err *err);
/* reference.c: the same for every row of DIR/<sweep>/selected.csv, against fresh runs; every comparison is kept in
 * results/<sweep>/reference.csv (*table). exact: within 1e-9 instead of a tolerance derived from seeds. */
bool reference_measure(const Plan *plan, const char *results, const char *dir, bool exact, Arena *a, int *n,
                       Verdict **out, const char **table, Err *err);

/* "0.573"; more digits where three would round to 0 or 1. */
const char *value_digits(double v, Arena *a);

#endif
