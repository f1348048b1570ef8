/* SPDX-License-Identifier: Apache-2.0
 * arrays.h - examples in a folder of .npy arrays, as `seqprobe export` writes them, read and checked.
 */
#ifndef SEQPROBE_TASKS_ARRAYS_H
#define SEQPROBE_TASKS_ARRAYS_H

#include "task.h"

/* One folder: rows of T positions, right-padded. train and slice_of are NULL where there is no such file. */
typedef struct Arrays {
    const char *name;                  /* of the folder within the data, "" for itself */
    int n, T;
    int *input, *target, *train, *slice_of, *len;
    long ids;                          /* n T */
} Arrays;

/* What meta.yaml says; 0 and NULL where it says nothing. */
typedef struct ArraysMeta {
    int vocab_in, vocab_out, n_symbols_in, n_symbols_out;
    double chance_uniform, ceiling;
    const char *headline, *slice_label, **symbols_in, **symbols_out;
} ArraysMeta;

enum { ARRAYS_VOCAB_MAX = 1 << 20, ARRAYS_IDS_MAX = 1 << 28 };

bool arrays_exist(Arena *a, const char *dir);             /* is there an inputs.npy? */
/* Ids below the vocabularies of meta (0: below ARRAYS_VOCAB_MAX), targets inside of the lengths, something scored in
 * every row, shapes and dtypes that fit. Every fault names file, row and position. */
bool arrays_read(const char *dir, const ArraysMeta *meta, Arena *a, Arrays *out, Err *err);
bool arrays_meta(const char *dir, Arena *a, ArraysMeta *out, Err *err);
uint64_t arrays_hash(const Arrays *x, uint64_t seed);

#endif
