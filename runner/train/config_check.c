/* SPDX-License-Identifier: Apache-2.0
 * config_check.c - the last checks of a resolved run: combinations across sections, and sizes.
 *
 * Every fault is EXIT_USAGE with the place of the option it names, where the config gives one. Limits of size, met
 * before anything is allocated; one real takes 4 bytes, and training needs several times these numbers:
 *
 *   PARAMS_MAX      2^28 parameters
 *   REALS_MAX_1     2^28 reals in one activation: sequences of a shard x positions x the greater of d_model and classes
 *   REALS_MAX_ALL   2^31 reals in all blocks of a shard: x layers x loops
 *   BATCH_MAX       2^28 ids in one batch: sequences x positions
 */
#include <limits.h>
#include <string.h>

#include "train/backbone.h"
#include "train/optim.h"

static const double PARAMS_MAX = 1 << 28, REALS_MAX_1 = 1 << 28, REALS_MAX_ALL = 2147483648.0, BATCH_MAX = 1 << 28;

/* The place of the option at path, else of its section. */
static bool refuse(const Value *config, const char *path, Err *err, const char *fmt, ...) PRINTF_LIKE(4, 5);
static bool refuse(const Value *config, const char *path, Err *err, const char *fmt, ...)
{
    char text[400], place[256], section[32];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    snprintf(section, sizeof section, "%.*s", (int)strcspn(path, "."), path);
    const Value *at = value_at(config, path);
    if (!at) at = value_get(config, section);
    if (!at) at = config;
    return err_set(err, EXIT_USAGE, "%s%s", value_place(at, false, place), text);
}

static int mixture_max_len(const Slice *s, int n)
{
    int len = 0;
    for (int i = 0; i < n; i++)
        if (s[i].shape.max_len > len) len = s[i].shape.max_len;
    return len;
}

static bool check_vocabularies(const RunSpec *s, Err *err)
{
    char place[256];
    for (int i = 0; i < s->n_slices + s->n_mixture; i++) {
        const Slice *slice = i < s->n_slices ? &s->slices[i] : &s->mixture[i - s->n_slices];
        const TaskShape *sh = &slice->shape;
        if (sh->vocab_in == s->vocab_in && sh->vocab_out == s->vocab_out) continue;
        return err_set(err, EXIT_USAGE, "%s%s %s changes the vocabulary (%d/%d against %d/%d): use another case",
                       value_place(slice->overrides, true, place), i < s->n_slices ? "slice" : "train_mixture entry",
                       slice->name, sh->vocab_in, sh->vocab_out, s->vocab_in, s->vocab_out);
    }
    return true;
}

static bool check_model(const RunSpec *s, const Value *config, Err *err)
{
    if (s->model.tie && s->vocab_out > s->vocab_in)
        return refuse(config, "model.tie", err, "model.tie: %d classes but only %d input ids", s->vocab_out,
                      s->vocab_in);
    if (s->model.pos == POS_LEARNED && s->max_len > s->max_train_len)
        return refuse(config, "model.pos", err,
                      "model.pos: learned has no position beyond the training length %d, a slice needs %d",
                      s->max_train_len, s->max_len);
    if (s->model.pos == POS_SINUSOIDAL && s->model.d_model % 2)
        return refuse(config, "model.pos", err, "model.pos: sinusoidal needs an even model.d_model, not %d",
                      s->model.d_model);
    if (s->n_mixers > s->model.layers)
        return refuse(config, "mixer.layers", err, "mixer.layers: %d mixers, but model.layers is %d", s->n_mixers,
                      s->model.layers);
    return true;
}

static bool check_train(RunSpec *s, const Value *config, Err *err)
{
    TrainCfg *t = &s->train;
    if (!run_slice(s, t->stop_slice)) {
        const char **names = ARENA_NEW(s->arena, const char *, s->n_slices + 1);
        char near[NAME_HINT];
        for (int i = 0; i < s->n_slices; i++) names[i] = s->slices[i].name;
        return refuse(config, "train.stop_slice", err, "train.stop_slice: no slice '%.80s' in eval%s", t->stop_slice,
                      name_hint(t->stop_slice, names, near));
    }
    if (t->batch % t->shard && t->batch > t->shard)
        return refuse(config, "train.batch", err, "train.batch %d is no multiple of train.shard %d", t->batch,
                      t->shard);
    if (t->warmup > 0 && (t->schedule == SCHEDULE_COSINE_STEP || t->schedule == SCHEDULE_COSINE_EPOCH)) {
        if (value_at(config, "train.warmup"))
            return refuse(config, "train.warmup", err,
                          "train.warmup: this schedule has none; use warmup_cosine or warmup: 0");
        t->warmup = 0;
    }
    if (t->schedule == SCHEDULE_COSINE_EPOCH && t->examples < t->batch)
        return refuse(config, "train.schedule", err,
                      "train.schedule: cosine_epoch needs train.examples of at least one batch");
    return true;
}

static bool check_sizes(const RunSpec *s, const Value *config, Err *err)
{
    const TrainCfg *t = &s->train;
    const ModelCfg *m = &s->model;
    const int shard = t->shard < t->batch ? t->shard : t->batch, sequences = t->shard;
    const int eval_len = s->max_len < s->data.chunk ? s->max_len : s->data.chunk;
    double positions = (double)shard * s->max_train_len, width = m->d_model > s->vocab_out ? m->d_model : s->vocab_out;
    if ((double)sequences * eval_len > positions) positions = (double)sequences * eval_len;
    if ((double)t->batch * s->max_train_len > BATCH_MAX)
        return refuse(config, "train.batch", err, "train.batch: %d sequences of %d positions are more than %.0f ids",
                      t->batch, s->max_train_len, BATCH_MAX);
    if ((double)sequences * s->max_len > BATCH_MAX)
        return refuse(config, "train.shard", err, "train.shard: %d sequences of %d positions are more than %.0f ids",
                      sequences, s->max_len, BATCH_MAX);
    if (positions * width > REALS_MAX_1)
        return refuse(config, "train.shard", err,
                      "one activation of a shard takes %.0f positions x %.0f reals, more than %.0f: lower train.shard, "
                      "the lengths, data.chunk or model.d_model",
                      positions, width, REALS_MAX_1);
    if (positions * m->d_model * m->layers * m->loops > REALS_MAX_ALL)
        return refuse(config, "model", err,
                      "%d layers x %d loops on %.0f positions x %d reals are more than %.0f: lower train.shard, the "
                      "lengths or the model",
                      m->layers, m->loops, positions, m->d_model, REALS_MAX_ALL);
    return true;
}

/* A size that cannot be more than what is stored: that many unless the config asks for more. */
static bool fit_size(const RunSpec *s, const Value *config, const char *path, int have, const char *what, int *size,
                     Err *err)
{
    if (have == 0) return refuse(config, "task", err, "task %s has no %s examples", s->task->name, what);
    if (*size && *size <= have) return true;
    if (*size && value_at(config, path))
        return refuse(config, path, err, "%s: %d, but task %s has only %d %s examples", path, *size, s->task->name,
                      have, what);
    *size = have;
    return true;
}

/* Tasks that read their examples from files: no more of them than there are, and training goes through all of them in
 * a new order each epoch (train.examples). */
static bool check_stored(RunSpec *s, const Value *config, Err *err)
{
    int least[3] = { INT_MAX, INT_MAX, INT_MAX };
    if (!s->task->stored) return true;
    for (int i = 0; i < s->n_slices + s->n_mixture; i++) {
        const bool trained = i >= s->n_slices;
        const Slice *slice = trained ? &s->mixture[i - s->n_slices] : &s->slices[i];
        const Stored is = s->task->stored(slice->cfg, s->task_data);
        if (!is.n[SPLIT_TRAIN] && !is.n[SPLIT_VALID] && !is.n[SPLIT_TEST]) return true;
        for (int k = 0; k < 3; k++) {
            const bool used = k == SPLIT_TRAIN   ? trained
                              : k == SPLIT_VALID ? !trained && !strcmp(slice->name, s->train.stop_slice)
                                                 : !trained;
            if (used && is.n[k] < least[k]) least[k] = is.n[k];
        }
    }
    if (least[SPLIT_TRAIN] > 1 << 26) least[SPLIT_TRAIN] = 1 << 26;
    return fit_size(s, config, "train.examples", least[SPLIT_TRAIN], "training", &s->train.examples, err) &&
           fit_size(s, config, "data.valid", least[SPLIT_VALID], "validation", &s->data.valid, err) &&
           fit_size(s, config, "data.test", least[SPLIT_TEST], "test", &s->data.test, err);
}

bool spec_check(RunSpec *s, const Value *config, Err *err)
{
    size_t params;
    s->max_train_len = mixture_max_len(s->mixture, s->n_mixture);
    s->max_len = mixture_max_len(s->slices, s->n_slices);
    if (s->max_train_len > s->max_len) s->max_len = s->max_train_len;
    s->vocab_in = s->slices[0].shape.vocab_in;
    s->vocab_out = s->slices[0].shape.vocab_out;
    TRY(check_vocabularies(s, err));
    TRY(check_stored(s, config, err));
    TRY(check_train(s, config, err));
    TRY(check_model(s, config, err));
    TRY(check_sizes(s, config, err));
    TRY(model_check(s, s->arena, &params, err));
    if ((double)params > PARAMS_MAX)
        return refuse(config, value_get(config, "model") ? "model" : "mixer", err,
                      "the model has %zu parameters, more than %.0f", params, PARAMS_MAX);
    return true;
}
