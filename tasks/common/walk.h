/* SPDX-License-Identifier: Apache-2.0
 * walk.h - words of brackets by a random walk of their depth, and lengths in steps.
 *
 * A word of even length: from depth 0 open; else open with probability p, but close when just enough symbols are left
 * to close all that is open. Every balanced word can be drawn; those of one length are not equally likely.
 */
#ifndef SEQPROBE_TASKS_WALK_H
#define SEQPROBE_TASKS_WALK_H

#include "base/option.h"

/* Words exist at multiples of `step` only: a single length must be one; a range must start at one and end just before
 * one, and then a length in between stands for the multiple below it, all equally likely ("[2, 51]": 2, 4, ... 50). */
bool walk_check_lengths(const char *task, const Length *len, int step, Err *err);
static inline int walk_length(int now, int step) { return now - now % step; }
/* How often the law gives length n (a multiple of step), up to a common factor. */
int walk_weight(const Length *len, int step, int n);

/* The next step at a depth, with `left` symbols to come: true opens. */
static inline bool walk_opens(Rng *rng, double p, int depth, int left)
{
    return depth == 0 || (depth < left && rng_uniform(rng) < p);
}
/* Share of the positions at which a word of one bracket pair is closed to depth 0, pooled over a law of lengths that
 * walk_check_lengths has passed; len is at most WALK_MAX. */
enum { WALK_MAX = 4096 };
double walk_share_empty(const Length *len, double p);

#endif
