/* SPDX-License-Identifier: Apache-2.0
 * stats.h - what a handful of seeds allows one to say.
 */
#ifndef SEQPROBE_STATS_H
#define SEQPROBE_STATS_H

#include "base/base.h"

typedef struct Interval { double lo, hi; } Interval;

/* 95 % interval of the mean over seeds: Student's t with n-1 degrees of freedom, not clipped; NaN, NaN for n < 2. */
Interval seed_interval(const double *x, int n);
double   mean_of(const double *x, int n);                  /* NaN for n = 0 */
double   deviation_of(const double *x, int n);             /* sample standard deviation (n-1); NaN for n < 2 */
double   median_of(double *x, int n);                      /* sorts x; NaN for n = 0 */
double   student_t95(int degrees);                         /* two-sided 95 % quantile; degrees >= 1 */
bool     intervals_apart(Interval a, Interval b);          /* neither is NaN and they do not overlap */

/* Two mixers on the same seeds (and so the same test sets): x[i] - y[i]. `p` is that of the exact two-sided
 * permutation of signs (n <= 20, else of 2^16 fixed random ones). */
typedef struct Paired { int n, wins, losses, ties; double mean, p; Interval interval; } Paired;
Paired paired_compare(const double *x, const double *y, int n, Arena *a);

#endif
