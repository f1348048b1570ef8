/* SPDX-License-Identifier: Apache-2.0
 * train.h - one run: a resolved configuration, its model, the training loop, evaluation, and the files it writes.
 */
#ifndef SEQPROBE_TRAIN_H
#define SEQPROBE_TRAIN_H

#include "mixer.h"
#include "task.h"

/* Raised with any change of op, loop or backbone that changes results. */
enum { NUMBERS_EPOCH = 1, CSV_SCHEMA = 1 };

/* `model:` the backbone (models-attention section 20; the other choices replay published suites, section 19). */
typedef enum { NORM_RMS, NORM_LAYER } NormKind;
typedef enum { NORM_PRE, NORM_POST } NormPlace;
typedef enum { CHANNEL_SWIGLU, CHANNEL_NONE, CHANNEL_NORM_SKIP, CHANNEL_GELU, CHANNEL_RELU } ChannelMixer;
typedef enum { POS_NONE, POS_LEARNED, POS_SINUSOIDAL } BackbonePos;
typedef enum { RESIDUAL_SQRT_2L, RESIDUAL_SQRT_L, RESIDUAL_NONE } ResidualScale;
typedef struct ModelCfg {
    int d_model, layers, loops;
    int norm, norm_place, channel_mixer, mlp_width, pos;
    bool conv_first, tie, unembed_bias, emb_scale_sqrt_d;
    double norm_eps, emb_std, dropout_emb, dropout_resid;
    int init, residual_scale;
} ModelCfg;

/* `train:` the loop. */
typedef enum { DECAY_MATRICES, DECAY_ALL } DecayGroups;
typedef enum { LOSS_BATCH, LOSS_EXAMPLE } LossNorm;
typedef struct TrainCfg {
    int steps, batch, shard, examples;
    double lr, warmup, min_lr, beta1, beta2, eps, weight_decay, clip;
    int schedule, decay_groups, loss_norm;
    int eval_every, stop_patience; double stop_at; const char *stop_slice; int metric;
} TrainCfg;

/* `data:` examples per evaluated slice; sequences longer than chunk are evaluated in chunks through carried state. */
typedef struct DataCfg { int valid, test, chunk; uint64_t eval_seed, table_seed; } DataCfg;

extern const Option model_options[], train_options[], data_options[];

/* A named set of task option overrides, resolved into its own cfg. Slice 0 is "train": the training law itself. */
typedef struct Slice {
    const char *name;
    void *cfg; TaskShape shape;
    const Value *overrides;            /* map of task options, NULL for the plain task */
    double weight;                     /* of a training mixture, else 1 */
} Slice;

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
/* Accuracy that stops, selects and is reported first. */
const char *run_headline(const RunSpec *s);
const Slice *run_slice(const RunSpec *s, const char *name);          /* NULL if absent */
/* Length of a slice as its task counts it: the `len` option's maximum where there is one, else positions. */
int slice_len(const RunSpec *s, const Slice *slice);

bool run_resolve(const Value *config, Arena *a, RunSpec *out, Err *err);
/* Its last part (config_check.c): what needs several sections, what the mixers refuse, sizes nobody can mean. */
bool spec_check(RunSpec *s, const Value *config, Err *err);

enum { CHECKPOINT_SECONDS = 60 };

/* What a run reports while it goes on. */
typedef struct RunProgress { int step, steps; double loss, valid_acc, tokens_per_s, eta_s; } RunProgress;
typedef struct RunHooks {
    void (*progress)(void *self, const RunProgress *p); void *self;     /* at every validation and once a second */
    const char *command;               /* the command line, for the manifest; may be NULL */
    const volatile int *stop;          /* nonzero: finish the step and end as "interrupted"; may be NULL */
    double checkpoint_seconds;         /* between checkpoints; 0: after every step */
} RunHooks;

/* Train, evaluate and write config.yaml, curve.csv, metrics.csv, result.csv, timing.csv, manifest.json and status into
 * dir (created). status is "running" until the end, then ok | diverged | timeout | interrupted | failed. A diverged run
 * is a result: returns true. A run that did not end so goes on from its checkpoint.bin. hooks may be NULL; max_seconds
 * counts the time of all attempts. */
bool run_execute(const RunSpec *spec, const char *dir, double max_seconds, const RunHooks *hooks, Err *err);

#endif
