/* SPDX-License-Identifier: Apache-2.0
 * published.h - our numbers beside the literature's.
 *
 * results/reference/published/SOURCE.csv holds facts with their source; `published:` of a config says which of our
 * cells stands beside which of them and what differs in the setting.
 */
#ifndef SEQPROBE_PUBLISHED_H
#define SEQPROBE_PUBLISHED_H

#include "show/cells.h"

/* AGREES: the value itself. ORDER_ONLY: another value, but the same order among the rows of its table. */
typedef enum { AGREES, DIFFERS, ORDER_ONLY, NO_VERDICT } ComparisonVerdict;

/* One row: ours | published | difference | verdict | what differs in the setting. */
typedef struct Comparison {
    int table;                         /* rows of one published table have one number, from 0 */
    const char *kase, *mixer, *slice; int len;   /* our cell, its length there */
    const char *source, *place;        /* "Grazzi 2025 (2411.12537)", "Table 3" */
    const char *their_model, *their_setting, *their_over, *their_train_len, *their_eval_len;   /* may be "" */
    bool secondary;                    /* read second-hand or off a figure */
    const char *metric;                /* ours, as compared: "acc_token", "scaled acc_token" */
    const char *over;                  /* what `ours` is of the seeds: "best", "median", "mean" */
    int seeds, solved;                 /* of our cell; seeds 0: not run */
    double ours, ours_lo, ours_hi;     /* NaN: not run */
    const char *published;             /* as printed: "0.971", "converges", ">=99 %" */
    double theirs, theirs_lo, theirs_hi;   /* in our unit; NaN if text or not given */
    int claim;                         /* of a text about this cell: 1 solved, -1 unsolved; 0: a number */
    double chance; const char *theory; /* "yes", ..., "" if unknown */
    ComparisonVerdict verdict; const char *why;
    const char *conflict;              /* "sources differ by 0.39" when another says otherwise of this cell; or "" */
    const char *deviation;             /* footnote: what differs in the setting */
} Comparison;

/* Of the config's `published:`; n is 0 without one. */
bool comparisons_read(const Cells *cells, Arena *a, int *n, Comparison **out, Err *err);
const char *comparison_verdict_name(ComparisonVerdict v);  /* "agrees", "same order", "differs", "" */
/* The distinct deviations in order of appearance, and the number (from 1) of the one of c[i] in note[i]. */
int comparison_footnotes(int n, const Comparison *c, Arena *a, const char ***text, int **note);

#endif
