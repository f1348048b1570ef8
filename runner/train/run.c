/* SPDX-License-Identifier: Apache-2.0
 * run.c - one run from its resolved configuration to its files. */
#include <string.h>

#include "base/file.h"
#include "train/manifest.h"

/* State of a sequence of `len` positions; measured on zeros, at most `cap` positions (beyond, only caches grow). */
static size_t measure_state(const Model *m, Tape *tape, int len, int cap)
{
    return model_state_reals(m, tape, len < cap ? len : cap);
}

static bool test_all(const Model *m, Tape *tape, const RunHooks *hooks, Arena *a, RunResult *r)
{
    const RunSpec *s = m->spec;
    for (int i = 0; i < s->n_slices; i++) {
        const Slice *slice = &s->slices[i];
        if (!evaluate(m, slice, "test", s->data.test, tape, a, hooks ? hooks->stop : NULL, &r->test[i])) {
            r->outcome.status = "interrupted";
            return false;
        }
        if (slice->shape.max_len <= s->data.chunk)
            r->slice_state[i] = measure_state(m, tape, slice->shape.max_len, s->data.chunk);
    }
    return true;
}

static bool execute(Model *model, const char *dir, double max_seconds, const RunHooks *hooks, Arena *a, Err *err)
{
    const RunSpec *spec = model->spec;
    const double wall = wall_seconds(), cpu = cpu_seconds();
    Manifest *manifest = manifest_open(spec, model->params, a);
    manifest->command = hooks ? hooks->command : NULL;
    TRY(manifest_write(manifest, dir, err));
    const char *path = path_join(a, dir, "curve.csv");
    FILE *curve = fopen(path, "w");
    if (!curve) return err_set(err, EXIT_FAILED, "%s: cannot be written", path);
    fputs(CURVE_HEADER, curve);
    Tape *tape = tape_new("evaluation", false);
    RunResult r = { .spec = spec, .n_slices = spec->n_slices, .params = params_count(model->params) };
    r.test = ARENA_NEW(a, Score, spec->n_slices);
    r.slice_state = ARENA_NEW(a, size_t, spec->n_slices);
    r.state_reals = measure_state(model, tape, spec->max_train_len, spec->max_train_len);
    train_loop(model, tape, curve, max_seconds, hooks, a, &r.outcome);
    bool ok = !ferror(curve);
    ok = fclose(curve) == 0 && ok;
    if (!ok) err_set(err, EXIT_FAILED, "%s: write failed", path);
    if (ok && !strcmp(r.outcome.status, "ok")) test_all(model, tape, hooks, a, &r);
    const size_t peak = r.outcome.tape_bytes + arena_peak(tape->arena) + arena_peak(a);
    tape_free(tape);
    const bool final = !strcmp(r.outcome.status, "ok") || !strcmp(r.outcome.status, "diverged");
    ok = ok && (!final || weights_write(model->params, dir, err)) && results_write(&r, dir, err);
    ok = ok && timing_write(&r, dir, wall_seconds() - wall, cpu_seconds() - cpu, peak, manifest->started, err);
    manifest_check(manifest, &r);
    manifest_end(manifest);
    ok = ok && manifest_write(manifest, dir, err);
    return ok && status_write(dir, r.outcome.status, err);
}

bool run_execute(const RunSpec *spec, const char *dir, double max_seconds, const RunHooks *hooks, Err *err)
{
    TRY(dir_make(dir, err));
    TRY(status_write(dir, "running", err));
    Arena *a = arena_new("run");
    Model model;
    const char *yaml = value_yaml(a, spec->config);
    bool ok = file_write_atomic(path_join(a, dir, "config.yaml"), yaml, strlen(yaml), err);
    ok = ok && model_build(&model, spec, a, err) && execute(&model, dir, max_seconds, hooks, a, err);
    arena_free(a);
    if (!ok) status_write(dir, "failed", NULL);
    return ok;
}
