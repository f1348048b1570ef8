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
} Verdict;

/* In the order of the config. n is 0 for a config without thresholds. */
bool verdicts_measure(const Plan *plan, const char *results, Arena *a, int *n, Verdict **out, Err *err);

#endif
