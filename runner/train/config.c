/* SPDX-License-Identifier: Apache-2.0
 * config.c - the option tables of `model:`, `train:` and `data:`, and the resolution of a run.
 *
 * A run is resolved when every option has its value, every slice its own task cfg, and the id is known. The id hashes
 * what can change numbers and leaves out options at their default, so that adding an option keeps old ids.
 */
#include "train/train.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "train/optim.h"

const Option model_options[] = {
    OPT_I(ModelCfg, d_model, "64", 1, 4096, "model width D, reals"),
    OPT_I(ModelCfg, layers, "2", 1, 64, "blocks of [mixer, channel mixer]"),
    OPT_I(ModelCfg, loops, "1", 1, 64, "times the whole stack is applied (recurrent depth)"),
    OPT_E(ModelCfg, norm, "rmsnorm", "rmsnorm|layernorm", "normalisation"),
    OPT_E(ModelCfg, norm_place, "pre", "pre|post", "x + f(norm x), or norm(x + f(x))"),
    OPT_E(ModelCfg, channel_mixer, "swiglu", "swiglu|none|norm_skip|gelu|relu",
          "after each mixer; norm_skip adds norm(x) itself (the MQAR configs of zoology)"),
    OPT_I(ModelCfg, mlp_width, "0", 0, 65536,
          "inner width of the channel mixer; 0: 16 ceil(8D/48) for swiglu, else 4D"),
    OPT_E(ModelCfg, pos, "none", "none|learned|sinusoidal",
          "positions added to the embedding; learned has none beyond the training length"),
    OPT_B(ModelCfg, conv_first, "false", "block 0 mixes by conv3(x) (Wx + b) + x instead of the mixer (zoology)"),
    OPT_B(ModelCfg, tie, "false", "one table for embedding and unembedding"),
    OPT_B(ModelCfg, unembed_bias, "false", "bias of the unembedding"),
    OPT_B(ModelCfg, emb_scale_sqrt_d, "false", "multiply embeddings by sqrt(D)"),
    OPT_R(ModelCfg, norm_eps, "1.0e-5", 0, 1, "added to the mean square (variance)"),
    OPT_R(ModelCfg, emb_std, "0", 0, 10, "standard deviation of the tables; 0: 1/sqrt(D)"),
    OPT_R(ModelCfg, dropout_emb, "0", 0, 0.9, "dropout on embeddings"),
    OPT_R(ModelCfg, dropout_resid, "0", 0, 0.9, "dropout on each residual branch"),
    OPT_E(ModelCfg, init, "fan_in_normal", "fan_in_normal|fan_in_uniform|normal_0.02", "start of linear weights"),
    OPT_E(ModelCfg, residual_scale, "sqrt_2l", "sqrt_2l|sqrt_l|none", "divide the last linear of each branch by this"),
    OPT_END
};

const Option train_options[] = {
    OPT_I(TrainCfg, steps, "2000", 1, 100000000, "updates at most"),
    OPT_I(TrainCfg, batch, "64", 1, 65536, "sequences per update"),
    OPT_I(TrainCfg, shard, "8", 1, 4096, "sequences per tape; gradients are added in shard order"),
    OPT_I(TrainCfg, examples, "0", 0, 1 << 26, "static training set of this many examples; 0: a fresh stream"),
    OPT_R(TrainCfg, lr, "3.0e-3", 0, 10, "peak learning rate"),
    OPT_E(TrainCfg, schedule, "warmup_cosine", "warmup_cosine|constant|cosine_step|cosine_epoch",
          "of the learning rate"),
    OPT_R(TrainCfg, warmup, "0.1", 0, 1, "share of the steps with linear warm-up (warmup_cosine, constant)"),
    OPT_R(TrainCfg, min_lr, "0.1", 0, 1, "floor of the cosine, as a share of the peak"),
    OPT_R(TrainCfg, beta1, "0.9", 0, 0.9999999, "AdamW first-moment decay"),
    OPT_R(TrainCfg, beta2, "0.98", 0, 0.9999999, "AdamW second-moment decay"),
    OPT_R(TrainCfg, eps, "1.0e-8", 0, 1, "AdamW epsilon, after the bias-corrected root"),
    OPT_R(TrainCfg, weight_decay, "0.1", 0, 10, "decoupled weight decay"),
    OPT_E(TrainCfg, decay_groups, "matrices", "matrices|all",
          "what is decayed: matrices but tables and gates, or everything"),
    OPT_R(TrainCfg, clip, "1.0", 0, 1e6, "global gradient-norm clip; 0: off"),
    OPT_E(TrainCfg, loss_norm, "batch", "batch|example",
          "mean over scored positions of the batch, or of each example first"),
    OPT_I(TrainCfg, eval_every, "200", 1, 100000000, "steps between validations"),
    OPT_E(TrainCfg, metric, "headline", "headline|acc_token|acc_mean|acc_exact|acc_final|acc_macro",
          "accuracy that stops, selects and is reported first"),
    OPT_R(TrainCfg, stop_at, "0.99", 0, 2,
          "early stop and `solved`: validation accuracy at least this; above 1: never"),
    OPT_I(TrainCfg, stop_patience, "2", 1, 1000, "validations in a row at stop_at before training stops"),
    OPT_S(TrainCfg, stop_slice, "train", "slice whose validation accuracy stops and selects"),
    OPT_END
};

const Option data_options[] = {
    OPT_I(DataCfg, valid, "256", 1, 10000000, "validation examples per slice"),
    OPT_I(DataCfg, test, "1024", 1, 10000000, "test examples per slice"),
    OPT_I(DataCfg, chunk, "2048", 1, 10000000, "longer sequences are evaluated in chunks of this many positions"),
    OPT_U(DataCfg, eval_seed, "0", "seed of the validation and test sets: the same for every mixer and seed"),
    OPT_U(DataCfg, table_seed, "0", "seed of a task's tables (random automata, grammars)"),
    OPT_END
};

static const char *const only_name[] = { "name", NULL };

static bool read_section(const Value *config, const char *key, const Option *table, void *cfg, Arena *a, Err *err)
{
    const Value *v = value_get(config, key);
    char place[256];
    if (v && v->kind != VALUE_MAP)
        return err_set(err, EXIT_USAGE, "%s'%s' must be a map of options", value_place(v, true, place), key);
    return options_read(table, v, key, NULL, cfg, a, err);
}

static bool read_task(const Value *config, Arena *a, RunSpec *s, Err *err)
{
    const Value *v = value_get(config, "task");
    char place[256];
    const char *name = v && v->kind == VALUE_SCALAR ? v->text : value_text(v, "name", NULL);
    const Value *given = value_get(v, "name");
    if (!name)
        return err_set(err, EXIT_USAGE, "%stask: %s",
                       value_place(given ? given
                                   : v   ? v
                                         : config,
                                   false, place),
                       given ? "the name must be a word" : "no name given: add `task: {name: ...}`");
    s->task = task_find(name);
    if (s->task) {
        s->task_data = ARENA_NEW(a, char, s->task->data_size + 1);
        return true;
    }
    const char *names[512];
    int n = 0;
    for (; all_tasks[n] && n < 511; n++) names[n] = all_tasks[n]->name;
    names[n] = NULL;
    char near[NAME_HINT];
    name_hint(name, names, near);
    return err_set(err, EXIT_USAGE, "%sunknown task '%.80s'%s", value_place(given ? given : v, false, place), name,
                   near[0] ? near : " (see `seqprobe list tasks`)");
}

/* One slice: the task section with overrides on top. */
static bool read_slice(RunSpec *s, const Value *task, const char *name, const Value *over, Slice *out, Err *err)
{
    Arena *a = s->arena;
    char owner[96], place[256];
    snprintf(owner, sizeof owner, "task %s", s->task->name);
    *out = (Slice){ .name = name, .overrides = over, .weight = 1, .cfg = ARENA_NEW(a, char, s->task->cfg_size) };
    const Value *name_over = value_get(over, "name");
    if (name_over)
        return err_set(err, EXIT_USAGE, "%sa slice changes options of the task, not its name",
                       value_place(name_over, true, place));
    const Value *base = task->kind == VALUE_MAP ? task : value_map(a);
    TRY(options_read(s->task->options, over ? value_merge(a, base, over) : base, owner, only_name, out->cfg, a, err));
    return true;
}

/* Sizes of a slice; what its task refuses gets the place of the option that is named. */
static bool shape_slice(RunSpec *s, const Value *task, Slice *slice, Err *err)
{
    if (s->task->shape(slice->cfg, s->task_data, &slice->shape, err)) return true;
    if (!slice->overrides) return options_blame(s->task->options, task, err);
    err_prefix(err, "slice %s", slice->name);
    return options_blame(s->task->options, slice->overrides->count ? slice->overrides : task, err);
}

/* A slice is a row of tables and a cell of CSV files, and "slice:label=k" one of its bins. */
static bool check_slice_name(const Value *v, Err *err)
{
    char place[256];
    const size_t n = strlen(v->key);
    if (!strcmp(v->key, "train"))
        return err_set(err, EXIT_USAGE, "%sslice 'train' is the training law itself; choose another name",
                       value_place(v, true, place));
    if (n <= 60 && !v->key[strcspn(v->key, ":,\"\n\t")] && v->key[0] != ' ' && v->key[n - 1] != ' ') return true;
    return err_set(err, EXIT_USAGE, "%sslice '%.80s': use at most 60 bytes without ':', ',' and quotes",
                   value_place(v, true, place), v->key);
}

static bool read_slices(RunSpec *s, const Value *config, Err *err)
{
    const Value *task = value_get(config, "task"), *eval = value_get(config, "eval");
    char place[256];
    if (eval && eval->kind != VALUE_MAP)
        return err_set(err, EXIT_USAGE, "%s'eval' must be a map of slices", value_place(eval, true, place));
    s->slices = ARENA_NEW(s->arena, Slice, 1 + (eval ? eval->count : 0));
    s->n_slices = 1;
    TRY(read_slice(s, task, "train", NULL, &s->slices[0], err));
    if (s->task->prepare && !s->task->prepare(s->slices[0].cfg, s->data.table_seed, s->arena, s->task_data, err))
        return options_blame(s->task->options, task, err);
    TRY(shape_slice(s, task, &s->slices[0], err));
    for (const Value *v = eval ? eval->first : NULL; v; v = v->next) {
        if (v->kind != VALUE_MAP)
            return err_set(err, EXIT_USAGE, "%sslice '%s' must be a map of task options", value_place(v, true, place),
                           v->key);
        TRY(check_slice_name(v, err));
        TRY(read_slice(s, task, v->key, v, &s->slices[s->n_slices], err));
        TRY(shape_slice(s, task, &s->slices[s->n_slices], err));
        s->n_slices++;
    }
    return true;
}

/* train_mixture: a list of maps of task options with an optional "weight". */
static bool read_mixture(RunSpec *s, const Value *config, Err *err)
{
    const Value *mix = value_get(config, "train_mixture"), *task = value_get(config, "task");
    char place[256];
    if (!mix) {
        s->mixture = s->slices;
        s->n_mixture = 1;
        return true;
    }
    if (mix->kind != VALUE_LIST || mix->count == 0)
        return err_set(err, EXIT_USAGE, "%s'train_mixture' must be a list of maps", value_place(mix, true, place));
    s->mixture = ARENA_NEW(s->arena, Slice, mix->count);
    for (const Value *v = mix->first; v; v = v->next) {
        Slice *out = &s->mixture[s->n_mixture];
        Value *over = value_map(s->arena);
        double weight = 1;
        if (v->kind != VALUE_MAP)
            return err_set(err, EXIT_USAGE, "%san entry of 'train_mixture' is a map such as {weight: 2, len: 64}",
                           value_place(v, false, place));
        over->file = v->file, over->line = v->line, over->col = v->col;
        const Option wopt = { "weight", OPT_REAL, 0, "1", 1e-9, 1e9, NULL, "share of the batches" };
        for (const Value *o = v->first; o; o = o->next) {
            if (!strcmp(o->key, "weight"))
                TRY(option_parse(&wopt, o, "train_mixture", &weight, s->arena, err));
            else
                value_set(over, o->key, value_copy(s->arena, o));
        }
        TRY(read_slice(s, task, arena_printf(s->arena, "mix%d", s->n_mixture), over, out, err));
        TRY(shape_slice(s, task, out, err));
        out->weight = weight;
        s->n_mixture++;
    }
    return true;
}

static bool read_mixers(RunSpec *s, const Value *config, Err *err)
{
    const Value *m = value_get(config, "mixer"), *list = m && m->kind == VALUE_MAP ? value_get(m, "layers") : NULL;
    char place[256];
    if (!m)
        return err_set(err, EXIT_USAGE, "%sno mixer given: add `mixer: {name: ...}`",
                       value_place(config, false, place));
    if (list && (list->kind != VALUE_LIST || list->count == 0))
        return err_set(err, EXIT_USAGE, "%s'layers' must be a list of mixers", value_place(list, true, place));
    s->mixers = ARENA_NEW(s->arena, const Value *, list ? list->count : 1);
    if (!list) s->mixers[s->n_mixers++] = m;
    for (const Value *v = list ? list->first : NULL; v; v = v->next) s->mixers[s->n_mixers++] = v;
    for (int i = 0; i < s->n_mixers; i++) { /* checked here, built by the backbone */
        MixerUse use;
        TRY(mixer_read(s->mixers[i], s->arena, &use, err));
    }
    return true;
}

/* A slice's overrides with the canonical text of each value. */
static Value *overrides_value(RunSpec *s, const Slice *slice)
{
    Value *out = value_map(s->arena);
    for (const Value *v = slice->overrides ? slice->overrides->first : NULL; v; v = v->next)
        value_set(out, v->key, option_value(option_find(s->task->options, v->key), slice->cfg, s->arena));
    return out;
}

/* The full map (with_defaults), or only what differs from defaults, which is what the id hashes. */
static Value *normal_form(RunSpec *s, bool full)
{
    Arena *a = s->arena;
    Value *out = value_map(a), *task = value_map(a), *rest;
    value_set(task, "name", value_scalar(a, s->task->name));
    rest = options_value(s->task->options, s->slices[0].cfg, full, a);
    value_set(out, "task", value_merge(a, task, rest));
    value_set(out, "model", options_value(model_options, &s->model, full, a));
    Value *mixers = value_list(a);
    for (int i = 0; i < s->n_mixers; i++) {
        MixerUse use;
        Err none = { 0 };
        CHECK(mixer_read(s->mixers[i], a, &use, &none), "mixer changed while resolving: %s", none.msg);
        Value *m = value_map(a);
        value_set(m, "name", value_scalar(a, use.mixer->name));
        m = value_merge(a, m, options_value(use.mixer->options, use.cfg, full, a));
        if (!full) value_set(m, "version", value_scalar(a, arena_printf(a, "%d", use.mixer->version)));
        value_append(mixers, m);
    }
    if (s->n_mixers == 1)
        value_set(out, "mixer", value_copy(a, mixers->first));
    else {
        Value *m = value_map(a);
        value_set(m, "layers", mixers);
        value_set(out, "mixer", m);
    }
    value_set(out, "train", options_value(train_options, &s->train, full, a));
    value_set(out, "data", options_value(data_options, &s->data, full, a));
    if (s->n_slices > 1) {
        Value *eval = value_map(a);
        for (int i = 1; i < s->n_slices; i++) value_set(eval, s->slices[i].name, overrides_value(s, &s->slices[i]));
        value_set(out, "eval", eval);
    }
    if (s->mixture != s->slices) {
        Value *mix = value_list(a);
        for (int i = 0; i < s->n_mixture; i++) {
            Value *m = overrides_value(s, &s->mixture[i]);
            value_set(m, "weight", value_scalar(a, arena_printf(a, "%.17g", s->mixture[i].weight)));
            value_append(mix, m);
        }
        value_set(out, "train_mixture", mix);
    }
    value_set(out, "seed", value_scalar(a, arena_printf(a, "%llu", (unsigned long long)s->seed)));
    return out;
}

static void compute_id(RunSpec *s)
{
    Value *v = normal_form(s, false);
    value_set(v, "task_version", value_scalar(s->arena, arena_printf(s->arena, "%d", s->task->version)));
    if (s->task->stored) {
        const Stored is = s->task->stored(s->slices[0].cfg, s->task_data);
        if (is.content)
            value_set(v, "task_content", value_scalar(s->arena, arena_printf(s->arena, "%016" PRIx64, is.content)));
    }
    value_set(v, "numbers_epoch", value_scalar(s->arena, arena_printf(s->arena, "%d", NUMBERS_EPOCH)));
    const char *text = value_canonical(s->arena, v);
    snprintf(s->id, sizeof s->id, "r%012llx", (unsigned long long)(hash_bytes(text, strlen(text), 0) >> 16u));
}

const char *run_headline(const RunSpec *s)
{
    static const char *const name[] = { NULL, "acc_token", "acc_mean", "acc_exact", "acc_final", "acc_macro" };
    return s->train.metric ? name[s->train.metric] : s->slices[0].shape.headline;
}

const Slice *run_slice(const RunSpec *s, const char *name)
{
    for (int i = 0; i < s->n_slices; i++)
        if (!strcmp(s->slices[i].name, name)) return &s->slices[i];
    return NULL;
}

int slice_len(const RunSpec *s, const Slice *slice)
{
    const Option *o = option_find(s->task->options, "len");
    if (!o || o->kind != OPT_LENGTH) return slice->shape.max_len;
    const char *field = (const char *)slice->cfg + o->offset;
    return length_max((const Length *)(const void *)field);
}

bool run_resolve(const Value *config, Arena *a, RunSpec *out, Err *err)
{
    static const char *const keys[] = {
        "task", "model", "mixer", "train", "eval", "data", "seed", "train_mixture", NULL
    };
    char place[256];
    memset(out, 0, sizeof *out);
    out->arena = a;
    if (!config || config->kind != VALUE_MAP) return err_set(err, EXIT_USAGE, "a run must be a map");
    for (const Value *v = config->first; v; v = v->next) {
        int i = 0;
        while (keys[i] && strcmp(keys[i], v->key)) i++;
        char near[NAME_HINT];
        if (!keys[i])
            return err_set(err, EXIT_USAGE, "%sunknown section '%.80s'%s", value_place(v, true, place), v->key,
                           name_hint(v->key, keys, near));
    }
    const Option seed = { "seed", OPT_U64, 0, "1", 0, 0, NULL, "training seed" };
    if (value_get(config, "seed"))
        TRY(option_parse(&seed, value_get(config, "seed"), "run", &out->seed, a, err));
    else
        out->seed = 1;
    TRY(read_section(config, "model", model_options, &out->model, a, err));
    TRY(read_section(config, "train", train_options, &out->train, a, err));
    TRY(read_section(config, "data", data_options, &out->data, a, err));
    TRY(read_task(config, a, out, err));
    TRY(read_slices(out, config, err));
    TRY(read_mixture(out, config, err));
    TRY(read_mixers(out, config, err));
    TRY(spec_check(out, config, err));
    out->config = normal_form(out, true);
    compute_id(out);
    return true;
}
