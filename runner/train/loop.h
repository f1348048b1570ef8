/* SPDX-License-Identifier: Apache-2.0
 * loop.h - the training loop.
 */
#ifndef SEQPROBE_LOOP_H
#define SEQPROBE_LOOP_H

#include "train/evaluate.h"

typedef struct TrainOutcome {
    const char *status;                /* "ok", "diverged", "timeout", "interrupted"; "failed": message says why */
    char message[256];
    int steps_done;
    bool stopped_early;
    int step_090, step_solved;         /* first validation at >= 0.9 / >= stop_at; 0: never */
    long skipped;                      /* updates skipped for a non-finite gradient norm */
    double train_loss, valid_loss, valid, best_valid;
    double train_flops, tokens;        /* forward and backward (counted as three forwards); positions seen */
    size_t tape_bytes;                 /* high-water mark of the training tape */
    Score valid_score;                 /* of the last validation, on the stop slice */
} TrainOutcome;

/* Sums since the last validation, for the curve. */
typedef struct Window { double nll, norm, lr; long scored, correct; int steps; } Window;

/* Where training stands after out.steps_done updates: with weights and moments, all there is to go on from. */
typedef struct TrainState {
    TrainOutcome out;
    Window window;
    int wins;                          /* validations in a row at >= stop_at */
    bool over;                         /* no more updates */
    double flops;                      /* forward, as the training tape counts them */
} TrainState;

typedef struct Checkpoint Checkpoint;  /* checkpoint.h */

/* Train model until train.steps, success, divergence, the deadline (seconds of wall time over all attempts, 0: none) or
 * hooks->stop, from where keep stands. keep gets a row of curve.csv per validation and checkpoints; NULL keeps nothing.
 * eval_tape must not record gradients. */
void train_loop(Model *model, Tape *eval_tape, Checkpoint *keep, double max_seconds, const RunHooks *hooks, Arena *a,
                TrainOutcome *out);

double wall_seconds(void);             /* monotonic */
double cpu_seconds(void);              /* of this process */

#endif
