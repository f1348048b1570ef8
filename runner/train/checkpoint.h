/* SPDX-License-Identifier: Apache-2.0
 * checkpoint.h - what a run keeps in its folder while it trains: curve.csv, and checkpoint.bin to go on from.
 *
 * Every random number is a function of the step, so a run is continued from: weights, moments, the TrainState of
 * loop.h, the finished test sets, and the rows of curve.csv. When a checkpoint is written depends on time; what is in
 * it, and every number after it, does not.
 */
#ifndef SEQPROBE_CHECKPOINT_H
#define SEQPROBE_CHECKPOINT_H

#include <stdio.h>

#include "base/file.h"
#include "train/loop.h"
#include "train/optim.h"

#define CURVE_HEADER "step,tokens,lr,train_loss,train_acc_token,grad_norm,valid_loss,valid_headline\n"

struct Checkpoint {
    TrainState state;
    int tested; Score *test;           /* the first `tested` test sets are measured; by slice of spec */
    double wall, cpu;                  /* seconds spent by earlier attempts */
    int resumed;                       /* times the run went on from a checkpoint */
    /* the rest belongs to checkpoint.c */
    const RunSpec *spec; const char *dir;
    size_t n;                          /* parameters */
    double every, began, began_cpu, saved;
    bool warned;
    const real *weights, *moments;     /* as read: n, and 2n or NULL; weights NULL: a fresh start */
    long adam_t; double adam_beta[2];
    Buf curve; FILE *file;
    Arena *arena;
};

/* Begin or continue the record of a run of n parameters in dir. A checkpoint of this run is taken up (with a note); one
 * that is not whole, or of another run or format, is renamed to checkpoint.bad with a warning and the run starts at
 * step 0. Fails only when curve.csv cannot be written. */
bool checkpoint_open(Checkpoint *c, const RunSpec *spec, size_t n, const char *dir, double every, Err *err);
/* A record that keeps nothing. */
void checkpoint_none(Checkpoint *c, const RunSpec *spec, size_t n);
/* Put weights and moments back if there are any; opt may be NULL. */
void checkpoint_restore(const Checkpoint *c, Params *p, AdamW *opt);
/* Append a row to curve.csv. A disk that refuses it costs a warning; the row is written with a later one. */
void checkpoint_row(Checkpoint *c, const char *row);
/* Is it time to write one? `at_least`: also when the last is only so many seconds old. */
bool checkpoint_due(const Checkpoint *c, double at_least);
/* Write checkpoint.bin (opt NULL: training is over). A disk that refuses it costs a warning, since the run can still
 * end well; false only when the folder is gone. */
bool checkpoint_save(Checkpoint *c, const Params *p, const AdamW *opt, Err *err);
/* Seconds spent on this run by all attempts. */
double checkpoint_wall(const Checkpoint *c);
double checkpoint_cpu(const Checkpoint *c);
/* Make curve.csv whole and durable; false with err set. Scores stay valid until checkpoint_free. */
bool checkpoint_close(Checkpoint *c, Err *err);
void checkpoint_free(Checkpoint *c);
void checkpoint_remove(const char *dir);

/* The bytes of a file, and back; decode leaves c alone unless it returns true. Between them nothing but memory. */
char *checkpoint_encode(const Checkpoint *c, const Params *p, const AdamW *opt, Arena *a, size_t *len);
bool  checkpoint_decode(Checkpoint *c, const char *data, size_t len, Err *err);

#endif
