/* SPDX-License-Identifier: Apache-2.0
 * results.h - the files of a run.
 */
#ifndef SEQPROBE_RESULTS_H
#define SEQPROBE_RESULTS_H

#include "train/loop.h"

typedef struct RunResult {
    const RunSpec *spec;
    TrainOutcome outcome;
    size_t params, state_reals;        /* reals; of a sequence of the longest training length */
    int n_slices; Score *test;         /* by slice of spec; examples == 0: not evaluated */
    size_t *slice_state;               /* state reals of a sequence of the slice's longest length; 0: not measured */
} RunResult;

/* metrics.csv, result.csv: functions of the configuration alone; `cmp` holds between any two ways of running. */
bool results_write(const RunResult *r, const char *dir, Err *err);
/* timing.csv: where and when. */
bool timing_write(const RunResult *r, const char *dir, double wall, double cpu, size_t peak_bytes, const char *started,
                  Err *err);
/* config.yaml: the run with every option; left alone if it says so already. */
bool config_write(const RunSpec *spec, const char *dir, Err *err);
/* After everything else: a status that ends a run makes the folder durable first. */
bool status_write(const char *dir, const char *status, Err *err);
/* Values of every parameter in declared order as weights.npy, and back; fails if their number differs. */
bool weights_write(const Params *p, const char *dir, Err *err);
bool weights_read(Params *p, const char *dir, Arena *a, Err *err);

/* Accuracy of the best constant answer: the task's own number, else that of the measured set. */
double slice_chance(const Slice *slice, const Score *sc);
/* "name+name" of the mixers in use, and their versions. */
const char *mixer_names(const RunSpec *s, Arena *a);

#endif
