/* SPDX-License-Identifier: Apache-2.0
 * run.c - one run from its resolved configuration to its files: train, measure the test sets, write.
 *
 * Every file is written whole or not at all, status last. Until then checkpoint.bin holds what is done, so that a run
 * that was stopped or killed goes on where it was and ends in the same bytes.
 */
#include <string.h>

#include "train/checkpoint.h"
#include "train/manifest.h"

/* State of a sequence of `len` positions; measured on zeros, at most `cap` positions (beyond, only caches grow). */
static size_t measure_state(const Model *m, Tape *tape, int len, int cap)
{
    return model_state_reals(m, tape, len < cap ? len : cap);
}

/* Measure the test sets that are not measured yet. False with the outcome saying why: stopped, or no folder left. */
static bool test_all(const Model *m, Tape *tape, Checkpoint *keep, const RunHooks *hooks, Arena *a, TrainOutcome *o)
{
    const RunSpec *s = m->spec;
    Err err = { 0 };
    for (bool on = true; on && keep->tested < s->n_slices;) {
        const int i = keep->tested;
        on = evaluate(m, &s->slices[i], "test", s->data.test, tape, a, hooks ? hooks->stop : NULL, &keep->test[i]);
        if (on)
            keep->tested++;
        else
            o->status = "interrupted";
        if ((!on || checkpoint_due(keep, 2)) && !checkpoint_save(keep, m->params, NULL, &err)) {
            o->status = "failed";
            snprintf(o->message, sizeof o->message, "%.255s", err.msg);
            return false;
        }
    }
    return keep->tested == s->n_slices;
}

/* Train and measure; what came out is in r. */
static void train_and_test(Model *model, Checkpoint *keep, double max_seconds, const RunHooks *hooks, Arena *a,
                           RunResult *r, size_t *peak_bytes)
{
    const RunSpec *s = model->spec;
    Tape *tape = tape_new("evaluation", false);
    r->state_reals = measure_state(model, tape, s->max_train_len, s->max_train_len);
    train_loop(model, tape, keep, max_seconds, hooks, a, &r->outcome);
    if (keep->state.over) test_all(model, tape, keep, hooks, a, &r->outcome);
    for (int i = 0; i < keep->tested; i++) {
        const int len = s->slices[i].shape.max_len;
        r->test[i] = keep->test[i];
        if (len <= s->data.chunk) r->slice_state[i] = measure_state(model, tape, len, s->data.chunk);
    }
    *peak_bytes = r->outcome.tape_bytes + arena_peak(tape->arena) + arena_peak(a);
    tape_free(tape);
}

static bool write_files(const Model *model, Checkpoint *keep, Manifest *manifest, const RunResult *r, size_t peak_bytes,
                        const char *dir, Err *err)
{
    const char *status = r->outcome.status;
    const bool final = !strcmp(status, "ok") || !strcmp(status, "diverged");
    if (!strcmp(status, "failed")) return err_set(err, EXIT_FAILED, "%s", r->outcome.message);
    TRY(checkpoint_close(keep, err));
    TRY(!final || weights_write(model->params, dir, err));
    TRY(results_write(r, dir, err));
    TRY(timing_write(r, dir, checkpoint_wall(keep), checkpoint_cpu(keep), peak_bytes, manifest->started, err));
    manifest_check(manifest, r);
    manifest_end(manifest);
    TRY(manifest_write(manifest, dir, err) && status_write(dir, status, err));
    if (final) checkpoint_remove(dir);
    return true;
}

static bool execute(Model *model, const char *dir, double max_seconds, const RunHooks *hooks, Arena *a, Err *err)
{
    const RunSpec *spec = model->spec;
    Checkpoint keep;
    size_t peak_bytes;
    RunResult r = { .spec = spec, .n_slices = spec->n_slices, .params = params_count(model->params) };
    r.test = ARENA_NEW(a, Score, spec->n_slices);
    r.slice_state = ARENA_NEW(a, size_t, spec->n_slices);
    Manifest *manifest = manifest_open(spec, model->params, a);
    manifest->command = hooks ? hooks->command : NULL;
    TRY(checkpoint_open(&keep, spec, r.params, dir, hooks ? hooks->checkpoint_seconds : CHECKPOINT_SECONDS, err));
    manifest->resumed = keep.resumed;
    bool ok = manifest_write(manifest, dir, err);
    if (ok) train_and_test(model, &keep, max_seconds, hooks, a, &r, &peak_bytes);
    ok = ok && write_files(model, &keep, manifest, &r, peak_bytes, dir, err);
    checkpoint_free(&keep);
    return ok;
}

bool run_execute(const RunSpec *spec, const char *dir, double max_seconds, const RunHooks *hooks, Err *err)
{
    TRY(dir_make(dir, err));
    dir_clean(dir);
    TRY(status_write(dir, "running", err));
    Arena *a = arena_new("run");
    Model model;
    bool ok = config_write(spec, dir, err) && model_build(&model, spec, a, err) &&
              execute(&model, dir, max_seconds, hooks, a, err);
    arena_free(a);
    if (!ok) status_write(dir, "failed", NULL);
    return ok;
}
