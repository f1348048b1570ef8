/* SPDX-License-Identifier: Apache-2.0
 * results.c - the files of a run: metrics.csv (long), result.csv (one row), timing.csv (one row).
 *
 * metrics.csv: schema,run_id,split,slice,len,metric,value,lo,hi,n. `len` is the slice's length as its task counts it;
 * for acc_prefix it is the number of positions read. lo and hi are the Wilson 95 % interval with n trials: scored
 * positions for acc_token and the bins, examples for the others. Bins of a slice appear as "slice:label=k".
 */
#include "train/results.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"

static const char *const accuracies[] = { "acc_token", "acc_mean", "acc_exact", "acc_final", "acc_macro" };
enum { N_ACCURACIES = sizeof accuracies / sizeof *accuracies };

static void metric_row(Buf *b, const RunSpec *s, const char *split, const char *slice, int len, const char *metric,
                       double v, long n, bool interval)
{
    double lo = (double)NAN, hi = (double)NAN;
    if (interval) wilson(v, n, &lo, &hi);
    buf_printf(b, "%d,%s,%s,", CSV_SCHEMA, s->id, split);
    buf_csv(b, slice);
    buf_printf(b, ",%d,%s,", len, metric);
    buf_real(b, v);
    buf_puts(b, ",");
    buf_real(b, lo);
    buf_puts(b, ",");
    buf_real(b, hi);
    buf_printf(b, ",%ld\n", n);
}

static void prefix_rows(Buf *b, const RunSpec *s, const char *split, const char *slice, const Score *sc)
{
    int last = sc->max_len - 1;
    while (last > 0 && !sc->prefix_n[last]) last--;
    for (int t = 0, next = 1; t <= last; t++) {
        if (t + 1 < next && t != last) continue;
        if (!sc->prefix_n[t]) continue;
        while (next <= t + 1) next *= 2;
        double v = (double)sc->prefix_ok[t] / (double)sc->prefix_n[t];
        metric_row(b, s, split, slice, t + 1, "acc_prefix", v, sc->prefix_n[t], true);
    }
}

double slice_chance(const Slice *slice, const Score *sc)
{
    return slice->shape.chance_majority > 0 ? slice->shape.chance_majority : score_majority(sc);
}

static void score_rows(Buf *b, const RunSpec *s, const char *split, const Slice *slice, const Score *sc, Arena *a)
{
    const int len = slice_len(s, slice);
    for (int i = 0; i < N_ACCURACIES; i++)
        metric_row(b, s, split, slice->name, len, accuracies[i], score_value(sc, accuracies[i]),
                   score_count(sc, accuracies[i]), i != N_ACCURACIES - 1);
    metric_row(b, s, split, slice->name, len, "loss", sc->nll / (double)sc->scored, sc->scored, false);
    metric_row(b, s, split, slice->name, len, "chance", slice_chance(slice, sc), sc->scored, false);
    prefix_rows(b, s, split, slice->name, sc);
    for (int k = 0; k < SLICE_BINS && slice->shape.slice_label; k++)
        if (sc->bin_n[k])
            metric_row(b, s, split, arena_printf(a, "%s:%s=%d", slice->name, slice->shape.slice_label, k), len,
                       "acc_token", (double)sc->bin_ok[k] / (double)sc->bin_n[k], sc->bin_n[k], true);
}

const char *mixer_names(const RunSpec *s, Arena *a)
{
    Buf b = buf_new(a);
    for (int i = 0; i < s->n_mixers; i++) {
        const Value *m = s->mixers[i];
        buf_printf(&b, "%s%s", i ? "+" : "", m->kind == VALUE_SCALAR ? m->text : value_text(m, "name", "?"));
    }
    return b.s;
}

static const char *mixer_versions(const RunSpec *s, Arena *a)
{
    Buf b = buf_new(a);
    for (int i = 0; i < s->n_mixers; i++) {
        const Value *m = s->mixers[i];
        const char *name = m->kind == VALUE_SCALAR ? m->text : value_text(m, "name", "?");
        buf_printf(&b, "%s%d", i ? "+" : "", mixer_find(name)->version);
    }
    return b.s;
}

static void cell_real(Buf *b, double v)
{
    buf_puts(b, ",");
    buf_real(b, v);
}

static void result_row(const RunResult *r, Buf *b, Arena *a)
{
    const RunSpec *s = r->spec;
    const TrainOutcome *o = &r->outcome;
    const Score *test = &r->test[0], *valid = &o->valid_score;
    const char *head = run_headline(s);
    double test_head = score_value(test, head), lo, hi;
    wilson(test_head, score_count(test, head), &lo, &hi);
    buf_printf(b, "%s,%s,%s,%d,", s->id, o->status, s->task->name, s->task->version);
    buf_csv(b, mixer_names(s, a));
    buf_printf(b, ",%s,%llu", mixer_versions(s, a), (unsigned long long)s->seed);
    cell_real(b, s->train.lr);
    buf_printf(b, ",%zu,%zu", r->params, r->state_reals);
    cell_real(b, o->train_flops);
    buf_printf(b, ",%d,", o->steps_done);
    if (o->step_090) buf_printf(b, "%d", o->step_090);
    buf_puts(b, ",");
    if (o->step_solved) buf_printf(b, "%d", o->step_solved);
    buf_printf(b, ",%d,%s", o->stopped_early, head);
    cell_real(b, o->train_loss);
    cell_real(b, o->valid_loss);
    cell_real(b, valid->examples ? o->valid : (double)NAN);
    cell_real(b, o->best_valid);
    cell_real(b, test->scored ? test->nll / (double)test->scored : (double)NAN);
    cell_real(b, test_head);
    cell_real(b, lo);
    cell_real(b, hi);
    cell_real(b, test->scored ? slice_chance(&s->slices[0], test) : (double)NAN);
    buf_printf(b, ",%ld,%d,%ld,", test->scored, test_head >= s->train.stop_at, o->skipped);
    buf_csv(b, o->message);
    buf_puts(b, "\n");
}

static bool write_text(const char *dir, const char *name, const Buf *b, Err *err)
{
    return file_write(path_join(b->a, dir, name), b->s, b->len, WRITE_DATA, err);
}

bool results_write(const RunResult *r, const char *dir, Err *err)
{
    Arena *a = arena_new("results");
    const RunSpec *s = r->spec;
    Buf m = buf_new(a), row = buf_new(a);
    buf_puts(&m, "schema,run_id,split,slice,len,metric,value,lo,hi,n\n");
    const Slice *stop = run_slice(s, s->train.stop_slice);
    if (r->outcome.valid_score.examples) score_rows(&m, s, "valid", stop, &r->outcome.valid_score, a);
    for (int i = 0; i < r->n_slices; i++) {
        if (r->test[i].examples) score_rows(&m, s, "test", &s->slices[i], &r->test[i], a);
        if (r->slice_state[i])
            metric_row(&m, s, "test", s->slices[i].name, slice_len(s, &s->slices[i]), "state_reals",
                       (double)r->slice_state[i], 1, false);
    }
    buf_puts(&row,
             "run_id,status,task,task_version,mixer,mixer_version,seed,lr,params,state_reals,train_flops,steps_done,"
             "step_090,step_solved,stopped,headline,train_loss,valid_loss,valid_headline,best_valid,test_loss,"
             "test_headline,test_headline_lo,test_headline_hi,chance,n_scored,solved,skipped,message\n");
    result_row(r, &row, a);
    bool ok = write_text(dir, "metrics.csv", &m, err) && write_text(dir, "result.csv", &row, err);
    arena_free(a);
    return ok;
}

bool timing_write(const RunResult *r, const char *dir, double wall, double cpu, size_t peak_bytes, const char *started,
                  Err *err)
{
    Arena *a = arena_new("timing");
    Buf b = buf_new(a);
    char host[128] = "";
    gethostname(host, sizeof host - 1);
    const TrainOutcome *o = &r->outcome;
    buf_puts(&b, "wall_s,cpu_s,tokens_per_s,steps_per_s,peak_bytes,host,started\n");
    buf_printf(&b, "%.3f,%.3f,%.9g,%.9g,%zu,", wall, cpu, o->tokens / wall, o->steps_done / wall, peak_bytes);
    buf_csv(&b, host);
    buf_printf(&b, ",%s\n", started);
    bool ok = write_text(dir, "timing.csv", &b, err);
    arena_free(a);
    return ok;
}

bool config_write(const RunSpec *spec, const char *dir, Err *err)
{
    Arena *a = arena_new("config.yaml");
    char *text = value_yaml(a, spec->config), *old;
    const char *path = path_join(a, dir, "config.yaml");
    const bool same = file_exists(path) && file_read(path, 1 << 24, a, &old, NULL, NULL) && !strcmp(old, text);
    bool ok = same || file_write(path, text, strlen(text), WRITE_DATA, err);
    arena_free(a);
    return ok;
}

bool status_write(const char *dir, const char *status, Err *err)
{
    Arena *a = arena_new("status");
    const bool running = !strcmp(status, "running"); /* after a crash nothing depends on it */
    const WriteKind kind = running ? WRITE_SOON : WRITE_DURABLE;
    bool ok = running || dir_sync(dir, err); /* first what it speaks of */
    const char *text = arena_printf(a, "%s\n", status);
    ok = ok && file_write(path_join(a, dir, "status"), text, strlen(text), kind, err);
    arena_free(a);
    return ok;
}

bool weights_write(const Params *p, const char *dir, Err *err)
{
    Arena *a = arena_new("weights");
    int n = (int)params_count(p);
    bool ok =
        npy_write(path_join(a, dir, "weights.npy"), REAL_BITS == 64 ? NPY_F8 : NPY_F4, 1, &n, params_values(p), err);
    arena_free(a);
    return ok;
}

bool weights_read(Params *p, const char *dir, Arena *a, Err *err)
{
    Npy w;
    const char *path = path_join(a, dir, "weights.npy");
    TRY(npy_read(path, a, &w, err));
    if (w.count != params_count(p))
        return err_set(err, EXIT_FAILED, "%s: %zu values, the configured model has %zu", path, w.count,
                       params_count(p));
    for (size_t i = 0; i < w.count; i++) params_values(p)[i] = (real)w.x[i];
    return true;
}
