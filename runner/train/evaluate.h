/* SPDX-License-Identifier: Apache-2.0
 * evaluate.h - accuracy of a model on a slice.
 */
#ifndef SEQPROBE_EVALUATE_H
#define SEQPROBE_EVALUATE_H

#include "train/backbone.h"
#include "train/metrics.h"

/* An empty score of a slice. */
Score slice_score(const RunSpec *s, const Slice *slice, Arena *a);
/* Evaluate `count` examples of a split ("valid", "test") of a slice. Sequences longer than data.chunk go through in
 * chunks with carried state, in memory that does not depend on their length. `tape` records nothing; a is for the
 * score. stop (may be NULL) is polled between shards and chunks; returns false if it said so. */
bool evaluate(const Model *m, const Slice *slice, const char *split, int count, Tape *tape, Arena *a,
              const volatile int *stop, Score *out);

#endif
