/* SPDX-License-Identifier: Apache-2.0
 * train.h - one run: a resolved configuration, its model, the training loop, evaluation, and the files it writes.
 */
#ifndef SEQPROBE_TRAIN_H
#define SEQPROBE_TRAIN_H

#include "mixer.h"
#include "task.h"

/* Raised with any change of op, loop or backbone that changes results. */
enum { NUMBERS_EPOCH = 1, CSV_SCHEMA = 1 };

typedef struct ModelCfg {              /* `model:` backbone (models-attention.md section 20) */
    int d_model, layers, loops;
    int norm, norm_place, channel_mixer, mlp_width, conv_first, pos;
    bool tie, unembed_bias, emb_scale;
    double emb_std, dropout_emb, dropout_resid, norm_eps;
    int init, residual_scale;
} ModelCfg;

typedef struct TrainCfg {              /* `train:` */
    int steps, batch, shard, warmup, eval_every, stop_patience;
    int schedule, decay_groups, loss_norm, examples;
    double lr, min_lr, beta1, beta2, eps, weight_decay, clip, stop_at;
    const char *stop_slice;
} TrainCfg;

typedef struct DataCfg { int valid, test; uint64_t eval_seed; } DataCfg;    /* `data:` sizes are examples per slice */

extern const Option model_options[], train_options[], data_options[];

/* A named set of task option overrides, resolved into its own cfg. Slice 0 is "train": the training law itself. */
typedef struct Slice { const char *name; void *cfg; TaskShape shape; const Value *overrides; double weight; } Slice;

typedef struct RunSpec {
    Arena *arena;
    const Value *config;               /* resolved: task, model, mixer, train, eval, data, seed */
    char id[16];                       /* r + 12 hex digits */
    uint64_t seed;
    const Task *task; void *task_data;
    ModelCfg model; TrainCfg train; DataCfg data;
    int n_slices; Slice *slices;       /* evaluated; [0] is "train" */
    int n_mixture; Slice *mixture;     /* trained on, with weights; one entry unless `train_mixture:` is given */
    int n_mixers; const Value **mixers;   /* specs, cycled over the depth */
    int max_train_len, max_len, vocab_in, vocab_out;
} RunSpec;

/* Check a resolved map completely (unknown keys, types, ranges, impossible combinations: file:line:col messages) and
 * compute its id. Nothing is written. Allowed top-level keys: task model mixer train eval data seed train_mixture. */
bool run_resolve(const Value *config, Arena *a, RunSpec *out, Err *err);

/* What a run reports while it goes on. */
typedef struct RunProgress { int step, steps; double loss, valid_acc, tokens_per_s, eta_s; } RunProgress;
typedef struct RunHooks { void (*progress)(void *self, const RunProgress *p); void *self; } RunHooks;

/* Train, evaluate and write config.yaml, curve.csv, metrics.csv, result.csv, timing.csv, manifest.json and status into
 * dir (created). status is "running" until the end, then ok | diverged | timeout | interrupted | failed. A diverged run
 * is a result: returns true. hooks may be NULL. */
bool run_execute(const RunSpec *spec, const char *dir, double max_seconds, const RunHooks *hooks, Err *err);

#endif
