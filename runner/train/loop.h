/* SPDX-License-Identifier: Apache-2.0
 * loop.h - the training loop.
 */
#ifndef SEQPROBE_LOOP_H
#define SEQPROBE_LOOP_H

#include <stdio.h>

#include "train/evaluate.h"

typedef struct TrainOutcome {
    const char *status;                /* "ok", "diverged", "timeout" or "interrupted" */
    char message[256];
    int steps_done;
    bool stopped_early;
    int step_090, step_solved;         /* first validation at >= 0.9 / >= stop_at; 0: never */
    long skipped;                      /* updates skipped for a non-finite gradient norm */
    double train_loss, valid_loss, valid, best_valid;
    double train_flops, tokens;        /* forward and backward (counted as three forwards); positions seen */
    size_t tape_bytes;                 /* high-water mark of the training tape */
    Score valid_score;                 /* of the last validation, on the stop slice; on arena a */
} TrainOutcome;

/* Train model until train.steps, success, divergence, the deadline (seconds of wall time, 0: none) or hooks->stop.
 * curve (may be NULL) gets one CSV row per validation, flushed. eval_tape must not record gradients. */
void train_loop(Model *model, Tape *eval_tape, FILE *curve, double max_seconds, const RunHooks *hooks, Arena *a,
                TrainOutcome *out);

#define CURVE_HEADER "step,tokens,lr,train_loss,train_acc_token,grad_norm,valid_loss,valid_headline\n"

double wall_seconds(void);             /* monotonic */
double cpu_seconds(void);              /* of this process */

#endif
