/* SPDX-License-Identifier: Apache-2.0
 * checkpoint.c - checkpoint.bin and curve.csv of a run that is under way.
 *
 *   "SQPCKPT\n" | version | length of the file | run id (16) | NUMBERS_EPOCH | REAL_BITS | build | parameters
 *   state (see code_state) | score of the last validation | scores of the finished test sets | curve.csv so far
 *   weights | m and v, unless training is over | hash of everything before it
 *
 * Whole numbers are int64, reals double, weights and moments as they are in memory, all in the byte order of the
 * machine: another one finds no magic. One list of fields serves counting, writing and reading, so that these cannot
 * disagree; reading checks every field's range, so that no file can do harm.
 */
#include "train/checkpoint.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

enum { VERSION = 1, CURVE_MAX = 1 << 30 };
static const char magic[8] = "SQPCKPT\n";

/* ---- fields ----------------------------------------------------------------------------------------------------- */

/* Counts without p, writes with it, reads from `in`. The first thing that is wrong stays in err. */
typedef struct Codec {
    char *p;
    const char *in, *end;
    size_t n;
    Err *err;
} Codec;

static bool code_bytes(Codec *k, void *x, size_t n)
{
    if (k->in) {
        if ((size_t)(k->end - k->in) < n) return err_set(k->err, EXIT_FAILED, "cut off");
        memcpy(x, k->in, n);
        k->in += n;
    } else if (k->p) {
        memcpy(k->p + k->n, x, n);
    }
    k->n += n;
    return true;
}

static bool code_whole(Codec *k, const char *what, int64_t *x, int64_t min, int64_t max)
{
    TRY(code_bytes(k, x, sizeof *x));
    if (!k->in || (*x >= min && *x <= max)) return true;
    return err_set(k->err, EXIT_FAILED, "%s is %lld, expected %lld..%lld", what, (long long)*x, (long long)min,
                   (long long)max);
}

static bool code_long(Codec *k, const char *what, long *x, long max)
{
    int64_t v = *x;
    TRY(code_whole(k, what, &v, 0, max));
    *x = (long)v;
    return true;
}

static bool code_int(Codec *k, const char *what, int *x, long max)
{
    int64_t v = *x;
    TRY(code_whole(k, what, &v, 0, max));
    *x = (int)v;
    return true;
}

static bool code_bool(Codec *k, const char *what, bool *x)
{
    int v = *x;
    TRY(code_int(k, what, &v, 1));
    *x = v;
    return true;
}

static bool code_real(Codec *k, const char *what, double *x, double min, double max)
{
    TRY(code_bytes(k, x, sizeof *x));
    if (!k->in || (*x >= min && *x <= max)) return true;
    return err_set(k->err, EXIT_FAILED, "%s is %g, expected %g..%g", what, *x, min, max);
}

/* A result: anything, also NaN. */
static bool code_any(Codec *k, double *x) { return code_bytes(k, x, sizeof *x); }

/* Pairs of counts: ok[i] <= n[i] <= max. */
static bool code_counts(Codec *k, const char *what, long *n, long *ok, int size, long max)
{
    for (int i = 0; i < size; i++) TRY(code_long(k, what, &n[i], max) && code_long(k, what, &ok[i], n[i]));
    return true;
}

/* A score of `examples` examples, or an empty one. Its arrays are there and have the sizes of the configuration. */
static bool code_score(Codec *k, Score *s, long examples)
{
    const long most = examples * s->max_len;
    TRY(code_long(k, "examples", &s->examples, examples));
    if (k->in && s->examples != 0 && s->examples != examples)
        return err_set(k->err, EXIT_FAILED, "a score of %ld examples, expected %ld", s->examples, examples);
    TRY(code_long(k, "scored", &s->scored, most) && code_long(k, "correct", &s->correct, s->scored));
    TRY(code_long(k, "exact", &s->exact, examples) && code_long(k, "final", &s->final, examples));
    TRY(code_real(k, "mean_sum", &s->mean_sum, 0, (double)examples) && code_any(k, &s->nll));
    TRY(code_counts(k, "class", s->class_n, s->class_ok, s->classes, most));
    TRY(code_counts(k, "prefix", s->prefix_n, s->prefix_ok, s->max_len, examples));
    return code_counts(k, "bin", s->bin_n, s->bin_ok, SLICE_BINS, most);
}

static bool code_outcome(Codec *k, TrainOutcome *o, const RunSpec *spec)
{
    int64_t tape = (int64_t)o->tape_bytes;
    TRY(code_int(k, "step", &o->steps_done, spec->train.steps) && code_bool(k, "stopped_early", &o->stopped_early));
    TRY(code_int(k, "step_090", &o->step_090, o->steps_done));
    TRY(code_int(k, "step_solved", &o->step_solved, o->steps_done) && code_long(k, "skipped", &o->skipped, 10));
    TRY(code_any(k, &o->train_loss) && code_any(k, &o->valid_loss) && code_any(k, &o->valid));
    TRY(code_real(k, "best_valid", &o->best_valid, 0, 1) && code_real(k, "flops", &o->train_flops, 0, DBL_MAX));
    TRY(code_real(k, "tokens", &o->tokens, 0, DBL_MAX) && code_whole(k, "memory", &tape, 0, INT64_MAX));
    o->tape_bytes = (size_t)tape;
    return code_score(k, &o->valid_score, spec->data.valid);
}

static bool code_window(Codec *k, Window *w, int steps)
{
    TRY(code_int(k, "window", &w->steps, steps) && code_long(k, "window", &w->scored, INT64_MAX));
    TRY(code_long(k, "window", &w->correct, w->scored) && code_real(k, "lr", &w->lr, 0, DBL_MAX));
    return code_real(k, "window", &w->nll, -DBL_MAX, DBL_MAX) && code_real(k, "window", &w->norm, 0, DBL_MAX);
}

static bool code_state(Codec *k, Checkpoint *c)
{
    const RunSpec *s = c->spec;
    TrainState *t = &c->state;
    TRY(code_outcome(k, &t->out, s) && code_window(k, &t->window, t->out.steps_done));
    TRY(code_int(k, "wins", &t->wins, s->train.stop_patience) && code_bool(k, "over", &t->over));
    TRY(code_real(k, "flops", &t->flops, 0, DBL_MAX) && code_long(k, "updates", &c->adam_t, t->out.steps_done));
    for (int i = 0; i < 2; i++) TRY(code_real(k, "beta", &c->adam_beta[i], 0, 1));
    TRY(code_real(k, "wall", &c->wall, 0, 1e12) && code_real(k, "cpu", &c->cpu, 0, 1e12));
    TRY(code_int(k, "resumed", &c->resumed, 1L << 30) && code_int(k, "tested", &c->tested, t->over ? s->n_slices : 0));
    for (int i = 0; i < c->tested; i++) TRY(code_score(k, &c->test[i], s->data.test));
    return true;
}

/* Compiler, flags and products: what can change the rounding of a number. */
static int64_t build_hash(void)
{
#ifndef SEQPROBE_BUILD_FLAGS
#define SEQPROBE_BUILD_FLAGS ""
#endif
    static const char build[] = __VERSION__ " " SEQPROBE_BUILD_FLAGS;
    const char *products = gemm_name();
    return (int64_t)hash_bytes(build, sizeof build, hash_bytes(products, strlen(products), 0));
}

/* What the file is. `length`: of all of it. */
static bool code_file(Codec *k, int64_t length)
{
    char start[sizeof magic];
    int64_t version = VERSION, said = length;
    memcpy(start, magic, sizeof start);
    TRY(code_bytes(k, start, sizeof start));
    if (memcmp(start, magic, sizeof start) != 0) return err_set(k->err, EXIT_FAILED, "not a checkpoint");
    TRY(code_bytes(k, &version, sizeof version) && code_bytes(k, &said, sizeof said));
    if (version != VERSION)
        return err_set(k->err, EXIT_FAILED, "format %lld, this program reads %d", (long long)version, VERSION);
    return said == length ||
           err_set(k->err, EXIT_FAILED, "%lld bytes, written were %lld", (long long)length, (long long)said);
}

/* Whose it is. *other: of a build that may round otherwise. */
static bool code_owner(Codec *k, const Checkpoint *c, bool *other)
{
    char id[16] = "";
    int64_t epoch = NUMBERS_EPOCH, bits = REAL_BITS, build = build_hash(), n = (int64_t)c->n;
    memcpy(id, c->spec->id, strlen(c->spec->id));
    TRY(code_bytes(k, id, sizeof id));
    if (strncmp(id, c->spec->id, sizeof id) != 0)
        return err_set(k->err, EXIT_FAILED, "of run %.15s, this is %s", id, c->spec->id);
    TRY(code_whole(k, "numbers epoch", &epoch, NUMBERS_EPOCH, NUMBERS_EPOCH));
    TRY(code_whole(k, "bits of a weight", &bits, REAL_BITS, REAL_BITS));
    TRY(code_bytes(k, &build, sizeof build) && code_whole(k, "number of parameters", &n, n, n));
    *other = build != build_hash();
    return true;
}

/* ---- bytes ------------------------------------------------------------------------------------------------------ */

static void code_all(Codec *k, Checkpoint *c, const Params *p, const AdamW *opt, int64_t length)
{
    const size_t bytes = c->n * sizeof(real);
    int64_t curve = (int64_t)c->curve.len, moments = opt != NULL;
    bool other;
    code_file(k, length);
    code_owner(k, c, &other);
    code_state(k, c);
    code_whole(k, "curve", &curve, 0, CURVE_MAX);
    code_bytes(k, c->curve.s, c->curve.len);
    code_whole(k, "moments", &moments, 0, 1);
    code_bytes(k, params_values(p), bytes);
    if (opt) code_bytes(k, opt->m, bytes);
    if (opt) code_bytes(k, opt->v, bytes);
}

char *checkpoint_encode(const Checkpoint *c, const Params *p, const AdamW *opt, Arena *a, size_t *len)
{
    Checkpoint now = *c;
    Codec count = { 0 };
    now.wall = checkpoint_wall(c);
    now.cpu = checkpoint_cpu(c);
    if (opt) {
        now.adam_t = opt->t;
        now.adam_beta[0] = opt->beta1_t;
        now.adam_beta[1] = opt->beta2_t;
    }
    code_all(&count, &now, p, opt, 0);
    *len = count.n + sizeof(uint64_t);
    Codec write = { .p = ARENA_RAW(a, char, *len) };
    code_all(&write, &now, p, opt, (int64_t)*len);
    const uint64_t hash = hash_bytes(write.p, write.n, VERSION);
    memcpy(write.p + write.n, &hash, sizeof hash);
    return write.p;
}

/* Empty scores for the state of a run that has not begun. */
static void state_begin(Checkpoint *c)
{
    const RunSpec *s = c->spec;
    c->state = (TrainState){ .out.status = "ok" };
    c->state.out.valid_score = slice_score(s, run_slice(s, s->train.stop_slice), c->arena);
    c->tested = c->resumed = 0;
    c->wall = c->cpu = 0;
    c->weights = c->moments = NULL;
    c->test = ARENA_NEW(c->arena, Score, s->n_slices);
    c->curve.len = 0;
    buf_puts(&c->curve, CURVE_HEADER);
}

static bool decode(Checkpoint *c, Codec *k, bool *other)
{
    int64_t curve = 0, moments = 0;
    for (int i = 0; i < c->spec->n_slices; i++) c->test[i] = slice_score(c->spec, &c->spec->slices[i], c->arena);
    TRY(code_owner(k, c, other) && code_state(k, c));
    TRY(code_whole(k, "curve", &curve, sizeof CURVE_HEADER - 1, CURVE_MAX));
    if (curve > k->end - k->in) return err_set(k->err, EXIT_FAILED, "cut off");
    char *text = ARENA_NEW(c->arena, char, curve + 1);
    TRY(code_bytes(k, text, (size_t)curve));
    if (strlen(text) != (size_t)curve || strncmp(text, CURVE_HEADER, strlen(CURVE_HEADER)) != 0)
        return err_set(k->err, EXIT_FAILED, "holds no curve");
    c->curve.len = 0;
    buf_puts(&c->curve, text);
    TRY(code_whole(k, "moments", &moments, !c->state.over, !c->state.over));
    const size_t bytes = c->n * sizeof(real), want = bytes * (moments ? 3 : 1);
    if ((size_t)(k->end - k->in) != want) return err_set(k->err, EXIT_FAILED, "not as long as its contents");
    real *x = ARENA_RAW(c->arena, real, want / sizeof(real));
    TRY(code_bytes(k, x, want));
    c->weights = x;
    c->moments = moments ? x + c->n : NULL;
    for (int i = c->tested; i < c->spec->n_slices; i++) c->test[i] = (Score){ 0 };
    return true;
}

bool checkpoint_decode(Checkpoint *c, const char *data, size_t len, Err *err)
{
    uint64_t hash;
    bool other = false;
    if (len < sizeof hash) return err_set(err, EXIT_FAILED, "only %zu bytes", len);
    Codec k = { .in = data, .end = data + len - sizeof hash, .err = err };
    Checkpoint read = *c;
    TRY(code_file(&k, (int64_t)len));
    memcpy(&hash, k.end, sizeof hash);
    if (hash != hash_bytes(data, len - sizeof hash, VERSION))
        return err_set(err, EXIT_FAILED, "damaged: the checksum does not match");
    read.curve = buf_new(c->arena);
    state_begin(&read);
    TRY(decode(&read, &k, &other));
    if (other)
        fprintf(stderr, "seqprobe: note: %s: the checkpoint is of another build; numbers may differ in rounding\n",
                c->spec->id);
    *c = read;
    return true;
}

/* ---- the record of a run ---------------------------------------------------------------------------------------- */

void checkpoint_none(Checkpoint *c, const RunSpec *spec, size_t n)
{
    *c = (Checkpoint){ .spec = spec, .n = n, .arena = arena_new("checkpoint") };
    c->began = c->saved = wall_seconds();
    c->began_cpu = cpu_seconds();
    c->curve = buf_new(c->arena);
    state_begin(c);
}

/* Take up the checkpoint in the folder, or put it aside. One that only could not be read now is neither: false. */
static bool take_up(Checkpoint *c, Err *why)
{
    Err err = { 0 };
    char *data;
    size_t len, mark = arena_mark(c->arena), most = 3 * c->n * sizeof(real) + CURVE_MAX;
    const char *path = path_join(c->arena, c->dir, "checkpoint.bin");
    Arena *a = arena_new("checkpoint file");
    if (file_exists(path)) {
        if (file_read(path, most, a, &data, &len, &err) && checkpoint_decode(c, data, len, &err)) {
            c->resumed++;
            fprintf(stderr, "seqprobe: note: %s: resumed at step %d of %d%s\n", c->spec->id, c->state.out.steps_done,
                    c->spec->train.steps, c->state.over ? ", training is over" : "");
        } else if (err.code != EXIT_MEMORY) {
            const char *bad = path_join(a, c->dir, "checkpoint.bad");
            fprintf(stderr, "seqprobe: warning: %s: %s; kept as checkpoint.bad, training begins at step 0\n", path,
                    err.msg);
            if (rename(path, bad) != 0) unlink(path);
            arena_reset(c->arena, mark);
        }
    }
    arena_free(a);
    return err.code != EXIT_MEMORY || err_set(why, err.code, "%s", err.msg);
}

/* curve.csv anew: a torn last row goes, and what came after the checkpoint. */
static bool write_curve(Checkpoint *c, Err *err)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/curve.csv", c->dir);
    c->file = fopen(path, "w");
    if (c->file && fwrite(c->curve.s, 1, c->curve.len, c->file) == c->curve.len && fflush(c->file) == 0) return true;
    err_set(err, EXIT_FAILED, "%s: cannot be written: %s", path, strerror(errno));
    if (c->file) fclose(c->file);
    c->file = NULL;
    return false;
}

bool checkpoint_open(Checkpoint *c, const RunSpec *spec, size_t n, const char *dir, double every, Err *err)
{
    checkpoint_none(c, spec, n);
    c->dir = dir;
    c->every = every;
    if (take_up(c, err) && write_curve(c, err)) return true;
    checkpoint_free(c);
    return false;
}

void checkpoint_restore(const Checkpoint *c, Params *p, AdamW *opt)
{
    const size_t bytes = c->n * sizeof(real);
    if (!c->weights) return;
    memcpy(params_values(p), c->weights, bytes);
    if (!opt || !c->moments) return;
    memcpy(opt->m, c->moments, bytes);
    memcpy(opt->v, c->moments + c->n, bytes);
    opt->t = c->adam_t;
    opt->beta1_t = c->adam_beta[0];
    opt->beta2_t = c->adam_beta[1];
}

static void warn(Checkpoint *c, const char *what, const Err *fault)
{
    if (!c->warned) fprintf(stderr, "seqprobe: warning: %s: %s; training goes on\n", what, fault->msg);
    c->warned = true;
}

void checkpoint_row(Checkpoint *c, const char *row)
{
    Err fault = { 0 };
    buf_puts(&c->curve, row);
    if (!c->dir) return;
    if (c->file && fputs(row, c->file) >= 0 && fflush(c->file) == 0) return;
    if (c->file) fclose(c->file); /* with half a row, perhaps: the next row tries the whole file again */
    c->file = NULL;
    if (!write_curve(c, &fault)) warn(c, "a row is late", &fault);
}

bool checkpoint_due(const Checkpoint *c, double at_least)
{
    if (!c->dir) return false;
    return wall_seconds() - c->saved >= (at_least < c->every ? at_least : c->every);
}

bool checkpoint_save(Checkpoint *c, const Params *p, const AdamW *opt, Err *err)
{
    if (!c->dir) return true;
    Arena *a = arena_new("checkpoint bytes");
    Err fault = { 0 };
    size_t len;
    char *data = checkpoint_encode(c, p, opt, a, &len);
    bool ok = file_write_atomic(path_join(a, c->dir, "checkpoint.bin"), data, len, &fault);
    arena_free(a);
    c->saved = wall_seconds();
    if (!ok && !file_exists(c->dir)) return err_set(err, EXIT_FAILED, "%s: the folder has vanished", c->dir);
    if (!ok) warn(c, "no checkpoint", &fault);
    return true;
}

double checkpoint_wall(const Checkpoint *c) { return c->wall + wall_seconds() - c->began; }

double checkpoint_cpu(const Checkpoint *c) { return c->cpu + cpu_seconds() - c->began_cpu; }

bool checkpoint_close(Checkpoint *c, Err *err)
{
    if (!c->dir || (!c->file && !write_curve(c, err))) return !c->dir;
    bool ok = fflush(c->file) == 0 && fsync(fileno(c->file)) == 0;
    if (fclose(c->file) != 0) ok = false;
    c->file = NULL;
    return ok || err_set(err, EXIT_FAILED, "%s/curve.csv: cannot be written: %s", c->dir, strerror(errno));
}

void checkpoint_free(Checkpoint *c)
{
    if (c->file) fclose(c->file);
    arena_free(c->arena);
}

void checkpoint_remove(const char *dir)
{
    Arena *a = arena_new("checkpoint path");
    unlink(path_join(a, dir, "checkpoint.bin"));
    arena_free(a);
}
