/* SPDX-License-Identifier: Apache-2.0
 * published.h - our numbers beside the literature's.
 *
 * results/reference/published/SOURCE.csv holds facts with their source; `published:` of a config says which of our
 * cells stands beside which of them and what differs in the setting.
 */
#ifndef SEQPROBE_PUBLISHED_H
#define SEQPROBE_PUBLISHED_H

#include "show/cells.h"

typedef enum { AGREES, DIFFERS, ORDER_ONLY, NO_VERDICT } ComparisonVerdict;

/* One row: ours | published | difference | verdict | what differs in the setting. */
typedef struct Comparison {
    const char *kase, *mixer, *slice;  /* our cell */
    const char *source, *place;        /* "Grazzi 2025 (2411.12537)", "Table 3" */
    const char *their_model, *their_setting;
    const char *metric;                /* ours, as compared: "acc_token", "scaled acc_token" */
    double ours, ours_lo, ours_hi;     /* NaN: not run */
    const char *published;             /* as printed: "0.971", "converges", ">=99 %" */
    double theirs, theirs_lo, theirs_hi;   /* in our unit; NaN if text or not given */
    double chance; const char *theory; /* "yes", ..., "" if unknown */
    ComparisonVerdict verdict; const char *why;
    const char *deviation;             /* footnote: what differs in the setting; may be NULL */
} Comparison;

/* Of the config's `published:`; n is 0 without one. */
bool comparisons_read(const Cells *cells, Arena *a, int *n, Comparison **out, Err *err);

#endif
