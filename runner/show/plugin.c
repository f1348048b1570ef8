/* SPDX-License-Identifier: Apache-2.0
 * plugin.c - opening tasks and mixers by name, for the commands that show them.
 */
#include "show/show.h"
#include "sweep/sweep.h"
#include "base/value.h"

#include <string.h>

enum { NAMES_MAX = 512 };

const char *family_of(Arena *a, const char *file)
{
    const char *slash = strrchr(file, '/'), *s = slash;
    if (!slash) return "";
    while (s > file && s[-1] != '/') s--;
    return arena_printf(a, "%.*s", (int)(slash - s), s);
}

bool fail_unknown(Err *err, const char *what, const char *name, const char *const *names, const char *else_say)
{
    const char *near = nearest_name(name, names);
    if (near) return err_set(err, EXIT_USAGE, "unknown %s '%s' (did you mean '%s'?)", what, name, near);
    return err_set(err, EXIT_USAGE, "unknown %s '%s' (%s)", what, name, else_say);
}

const Task *task_named(const char *name, Err *err)
{
    const Task *t = task_find(name);
    if (t) return t;
    const char *names[NAMES_MAX] = { NULL };
    for (int i = 0; all_tasks[i] && i < NAMES_MAX - 1; i++) names[i] = all_tasks[i]->name;
    fail_unknown(err, "task", name, names, "seqprobe list tasks names them");
    return NULL;
}

const Mixer *mixer_named(const char *name, Err *err)
{
    const Mixer *m = mixer_find(name);
    if (m) return m;
    const char *names[NAMES_MAX] = { NULL };
    for (int i = 0; all_mixers[i] && i < NAMES_MAX - 1; i++) names[i] = all_mixers[i]->name;
    fail_unknown(err, "mixer", name, names, "seqprobe list mixers names them");
    return NULL;
}

bool task_use_open(const char *name, int n_sets, const char *const *sets, uint64_t table_seed, Arena *a, TaskUse *out,
                   Err *err)
{
    const Task *t = task_named(name, err);
    TRY(t);
    Value *map = value_map(a);
    for (int i = 0; i < n_sets; i++) {
        const char *equals = strchr(sets[i], '=');
        char *key = arena_printf(a, "%.*s", (int)(equals - sets[i]), sets[i]);
        if (!strncmp(key, "task.", 5)) key += 5;
        Value *v;
        TRY(yaml_parse(NULL, equals + 1, a, &v, err));
        TRY(value_put(a, map, arena_strdup(a, key), v, err));
    }
    *out = (TaskUse){ .task = t, .cfg = ARENA_NEW(a, char, t->cfg_size), .data = ARENA_NEW(a, char, t->data_size + 1) };
    TRY(options_read(t->options, map, arena_printf(a, "task %s", name), NULL, out->cfg, a, err));
    if (t->prepare) TRY(t->prepare(out->cfg, table_seed, a, out->data, err));
    if (!t->shape(out->cfg, out->data, &out->shape, err)) return err_prefix(err, "task %s", name);
    return true;
}

double majority_of(const TaskUse *use, Arena *a)
{
    enum { EXAMPLES = 1000 };
    const TaskShape *shape = &use->shape;
    if (shape->chance_majority > 0) return shape->chance_majority;
    const size_t mark = arena_mark(a), n = (size_t)shape->max_len;
    long *count = ARENA_NEW(a, long, shape->vocab_out), scored = 0, most = 0;
    Example e = { .input = ARENA_NEW(a, int, n), .target = ARENA_NEW(a, int, n) };
    e.train_target = ARENA_NEW(a, int, n);
    e.slice_of = ARENA_NEW(a, int, n);
    for (uint64_t i = 0; i < EXAMPLES; i++) {
        Rng lengths = rng_example(use->task->name, "lengths", "valid", 0, i);
        Rng rng = rng_example(use->task->name, "valid", "valid", 0, i);
        for (size_t t = 0; t < n; t++) e.target[t] = e.train_target[t] = e.slice_of[t] = IGNORE;
        options_draw_lengths(use->task->options, use->cfg, &lengths);
        use->task->sample(use->cfg, use->data, &rng, &e);
        for (int t = 0; t < e.len; t++)
            if (e.target[t] != IGNORE) count[e.target[t]]++, scored++;
    }
    for (int k = 0; k < shape->vocab_out; k++)
        if (count[k] > most) most = count[k];
    arena_reset(a, mark);
    return scored ? (double)most / (double)scored : shape->chance_uniform;
}

bool mixer_state(const Mixer *m, Arena *a, size_t *fixed, size_t *per_token)
{
    enum { CHUNK = 128, CHUNKS = 3, D = 64 };
    if (m->no_stream) return false;
    MixerUse use;
    Params *p = params_new(a, LINEAR_FAN_IN_NORMAL, 1);
    const Place at = { .d_model = D, .layers = 1, .max_len = CHUNK * CHUNKS, .vocab = D };
    Err err = { 0 };
    if (!mixer_read(value_scalar(a, m->name), a, &use, &err) || !mixer_build(&use, &at, p, "mixer", a, &err))
        return false;
    params_finish(p, 0);
    Tape *tape = tape_new("state size", false);
    State *state = state_new(1);
    size_t reals[CHUNKS];
    for (int i = 0; i < CHUNKS; i++) {
        Ctx c = { .tape = tape, .state = state, .pos0 = i * CHUNK };
        mixer_run(&use, &c, tape_const(tape, 3, (int[]){ 1, CHUNK, D }));
        reals[i] = state_reals(state);
        tape_reset(tape);
    }
    *per_token = (reals[CHUNKS - 1] - reals[CHUNKS - 2]) / CHUNK;
    *fixed = reals[CHUNKS - 1] - *per_token * CHUNKS * CHUNK;
    state_free(state);
    tape_free(tape);
    return true;
}
