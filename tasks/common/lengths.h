/* SPDX-License-Identifier: Apache-2.0
 * lengths.h - what a law of lengths says of the examples drawn under it, for exact shares and memory floors.
 */
#ifndef SEQPROBE_TASKS_LENGTHS_H
#define SEQPROBE_TASKS_LENGTHS_H

#include "base/option.h"

/* Probability that the length is n, and that it is more than n. */
double length_share(const Length *l, int n);
double length_over(const Length *l, int n);
/* How many different lengths lo..hi can be drawn. */
int length_count(const Length *l, int lo, int hi);
/* Memory floor, in bits, of answers that depend on the last n bits of the input and on the oldest of them always, asked
 * for at every bit that has n-1 before it (every) or at the last bit only. Between two positions the bits read so far
 * are tied together by as many independent answers as are still to come and reach back: n-1 in the middle of a long
 * example; at the last bit only, one for each of the possible lengths within n-1 positions. */
double length_window_bits(const Length *l, int n, bool every);

#endif
