/* SPDX-License-Identifier: Apache-2.0
 * metrics.h - the accuracies of design section 5, and their intervals.
 *
 *   acc_token   correct scored positions / scored positions, pooled over the set
 *   acc_mean    mean over examples of (correct / scored in that example)
 *   acc_exact   share of examples with every scored position right
 *   acc_final   share of examples whose last scored position is right
 *   acc_macro   mean over classes that occur of (correct / scored positions of that class)
 *   acc_prefix  share of examples with every scored position up to position t right (reported per t)
 */
#ifndef SEQPROBE_METRICS_H
#define SEQPROBE_METRICS_H

#include "base/base.h"

enum { SLICE_BINS = 32 };

typedef struct Score {
    int classes, max_len;
    long examples, scored, correct, exact, final;
    double mean_sum, nll;              /* sums over examples, over scored positions */
    long *class_n, *class_ok;          /* (classes) */
    long *prefix_n, *prefix_ok;        /* (max_len): examples with a scored position at t; of these, right up to t */
    long bin_n[SLICE_BINS], bin_ok[SLICE_BINS];
} Score;

Score score_new(int classes, int max_len, Arena *a);
/* Counts of one score into another of the same size. */
void  score_copy(Score *to, const Score *from);
/* One example: target, prediction (at scored positions) and slice_of per position; slice_of may be NULL. */
void  score_add(Score *s, const int *target, const int *pred, const int *slice_of, int len);
/* Value of a named accuracy in [0,1]; NaN for no examples. */
double score_value(const Score *s, const char *metric);
long   score_count(const Score *s, const char *metric);   /* what the Wilson interval takes as n */
double score_majority(const Score *s);                    /* accuracy of the best constant answer on this set */
/* Wilson 95 % interval of k = p n successes of n. */
void   wilson(double p, long n, double *lo, double *hi);

#endif
