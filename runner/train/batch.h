/* SPDX-License-Identifier: Apache-2.0
 * batch.h - batches of examples, drawn so that example i depends on (seed, task, split, slice, i) alone.
 */
#ifndef SEQPROBE_BATCH_H
#define SEQPROBE_BATCH_H

#include "train/train.h"

enum { EVAL_GROUP = 64 };              /* evaluation examples that share one draw of the length laws */

typedef struct Batch {
    int n, stride;                     /* sequences; row length of the arrays (the longest example) */
    int *len;                          /* (n) */
    int *input, *target, *slice_of;    /* (n,stride), right-padded with 0, IGNORE, IGNORE */
    long scored;                       /* positions with a target, over the whole batch */
    bool has_train;                    /* some example has targets for training of its own */
} Batch;

/* Examples first .. first+n-1. `group` consecutive examples share one draw of the length laws. For training pass
 * train = true (targets come from train_target where the task has one). */
void batch_draw(const RunSpec *spec, const Slice *slice, const char *split, uint64_t seed, uint64_t first, int n,
                int group, bool train, Arena *a, Batch *out);
Split split_of(const char *name);      /* "train", "valid", "test" */
/* Training batch of a step: picks the mixture entry, replays a static set if train.examples is given. */
void batch_train(const RunSpec *spec, int step, Arena *a, Batch *out);

/* Sequences from..from+n-1 of a batch as one shard: ids (n,T) with T the longest of them, and its scored rows. */
typedef struct Shard { int B, T, n; int *id, *row, *target; } Shard;
void shard_cut(const Batch *b, int from, int n, Arena *a, Shard *out);

#endif
