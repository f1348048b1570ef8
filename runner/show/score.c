/* SPDX-License-Identifier: Apache-2.0
 * score.c - `seqprobe score`: our accuracies for the predictions of another program on an exported set.
 *
 * Rows are read in pieces and counted by train/metrics.h, as evaluation counts them. chance_majority is the same
 * accuracy of the commonest class of the set, given everywhere.
 */
#include "show/show.h"
#include "sweep/sweep.h"
#include "train/metrics.h"

#include <math.h>
#include <string.h>

enum { PIECE = 1 << 18 }; /* elements in memory at a time, or one row */

/* An exported set, its arrays open. */
typedef struct Set {
    Arena *a;
    const char *dir, *task, *headline, *slice_label;
    NpyReader targets, lengths, slices, predictions;
    bool has_lengths, has_slices, logits;
    int rows, T, classes;
    double chance_uniform; /* NaN: not known */
} Set;

/* Rows in memory. */
typedef struct Rows {
    int n, cap, *target, *len, *slice_of, *pred;
    double *logit;
} Rows;

static bool fail(Err *err, const char *fmt, ...) PRINTF_LIKE(2, 3);
static bool fail(Err *err, const char *fmt, ...)
{
    char text[400];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    return err_set(err, EXIT_FAILED, "%s", text);
}

/* ---- what the set is ---- */

static bool meta_number(Arena *a, const Value *meta, const char *key, double *out, Err *err)
{
    const Value *v = value_get(meta, key);
    static const Option number = { "number", OPT_REAL, 0, "0", -1e300, 1e300, NULL, "" };
    return !v || option_parse(&number, v, "meta.yaml", out, a, err);
}

static bool agree(const Set *s, const Value *meta, const char *key, int have, Err *err)
{
    double says = have;
    TRY(meta_number(s->a, meta, key, &says, err));
    return says == (double)have ||
           fail(err, "%s/meta.yaml says %s: %g, but targets.npy has %d", s->dir, key, says, have);
}

static bool read_meta(Set *s, const char *asked, Err *err)
{
    const char *path = path_join(s->a, s->dir, "meta.yaml");
    Value *meta = NULL;
    double classes = 0;
    if (asked && !task_named(asked, err)) return false;
    if (!file_exists(path)) {
        TaskUse use;
        Err none = { 0 };
        if (!asked)
            return err_set(err, EXIT_USAGE, "%s has no meta.yaml: name the task, seqprobe score TASK --data %s ...",
                           s->dir, s->dir);
        s->task = asked;
        if (!task_use_open(asked, 0, NULL, 0, s->a, &use, &none)) return true;
        s->headline = use.shape.headline;
        s->slice_label = use.shape.slice_label;
        return true;
    }
    TRY(yaml_read(path, s->a, &meta, err));
    s->task = value_text(meta, "task", NULL);
    if (!s->task) return fail(err, "%s: no 'task' in it", path);
    if (asked && strcmp(asked, s->task) != 0)
        return err_set(err, EXIT_USAGE, "%s holds examples of %s, not of %s", s->dir, s->task, asked);
    s->headline = value_text(meta, "headline", s->headline);
    s->slice_label = value_text(meta, "slice_label", NULL);
    TRY(meta_number(s->a, meta, "chance_uniform", &s->chance_uniform, err));
    TRY(meta_number(s->a, meta, "vocab_out", &classes, err));
    if (classes < 0 || classes > 1 << 26) return fail(err, "%s: vocab_out %g is no number of classes", path, classes);
    s->classes = (int)classes;
    return agree(s, meta, "count", s->rows, err) && agree(s, meta, "T", s->T, err);
}

static const char *shape_text(Arena *a, const Npy *n)
{
    Buf b = buf_new(a);
    for (int i = 0; i < n->rank; i++) buf_printf(&b, "%s%d", i ? ", " : "(", n->dim[i]);
    buf_puts(&b, n->rank == 1 ? ",)" : n->rank ? ")" : "()");
    return b.s;
}

/* An array of the set that may be absent; as long as the targets, and `rank` axes. */
static bool open_part(Set *s, const char *name, int rank, NpyReader *r, bool *has, Err *err)
{
    const char *path = path_join(s->a, s->dir, name);
    *has = file_exists(path);
    if (!*has) return true;
    TRY(npy_open(path, r, err));
    if (r->is.rank == rank && r->is.dim[0] == s->rows && (rank == 1 || r->is.dim[1] == s->T)) return true;
    return fail(err, "%s is %s, but targets.npy %s", path, shape_text(s->a, &r->is), shape_text(s->a, &s->targets.is));
}

static bool open_predictions(Set *s, const char *path, Err *err)
{
    const Npy *p = &s->predictions.is;
    TRY(npy_open(path, &s->predictions, err));
    s->logits = p->kind == 'f';
    const bool fits = p->rank >= 2 && p->dim[0] == s->rows && p->dim[1] == s->T;
    if (s->logits && (p->rank != 3 || !fits))
        return fail(err, "%s is %s of reals; logits must be (%d, %d, classes), class ids integers (%d, %d)", path,
                    shape_text(s->a, p), s->rows, s->T, s->rows, s->T);
    if (!s->logits && (p->rank != 2 || !fits))
        return fail(err, "%s is %s, but targets.npy %s", path, shape_text(s->a, p), shape_text(s->a, &s->targets.is));
    return true;
}

static bool open_set(Set *s, const char *asked, const char *predictions, Err *err)
{
    if (!file_exists(s->dir)) return fail(err, "no folder %s", s->dir);
    if (!file_exists(path_join(s->a, s->dir, "targets.npy")))
        return fail(err, "%s has no targets.npy (seqprobe export writes such folders)", s->dir);
    TRY(npy_open(path_join(s->a, s->dir, "targets.npy"), &s->targets, err));
    if (s->targets.is.rank != 2 || !s->targets.is.count)
        return fail(err, "%s is %s; examples x positions are needed", s->targets.path,
                    shape_text(s->a, &s->targets.is));
    s->rows = s->targets.is.dim[0];
    s->T = s->targets.is.dim[1];
    TRY(read_meta(s, asked, err));
    TRY(open_part(s, "lengths.npy", 1, &s->lengths, &s->has_lengths, err));
    TRY(open_part(s, "slices.npy", 2, &s->slices, &s->has_slices, err));
    return open_predictions(s, predictions, err);
}

/* ---- reading and checking rows ---- */

static Rows rows_new(const Set *s)
{
    const int V = s->logits ? s->predictions.is.dim[2] : 1, fit = PIECE / s->T / (V ? V : 1);
    Rows r = { .cap = fit < 1 ? 1 : fit > s->rows ? s->rows : fit };
    const size_t cells = (size_t)r.cap * (size_t)s->T;
    r.target = ARENA_NEW(s->a, int, cells);
    r.pred = ARENA_NEW(s->a, int, cells);
    r.slice_of = ARENA_NEW(s->a, int, cells);
    r.len = ARENA_NEW(s->a, int, r.cap);
    r.logit = ARENA_NEW(s->a, double, V);
    return r;
}

/* Targets and lengths of one row. */
static bool check_row(const Set *s, int row, int *target, int len, Err *err)
{
    int scored = 0;
    const char *path = s->targets.path;
    if (len < 1 || len > s->T) return fail(err, "%s: row %d: length %d, not in 1..%d", s->lengths.path, row, len, s->T);
    for (int t = 0; t < s->T; t++) {
        if (target[t] == -100) target[t] = IGNORE; /* PyTorch's */
        if (target[t] == IGNORE) continue;
        if (target[t] < 0 || (s->classes && target[t] >= s->classes))
            return fail(err, "%s: row %d, position %d: target %d, not in 0..%d or -1", path, row, t, target[t],
                        s->classes ? s->classes - 1 : 2147483647);
        if (t >= len) return fail(err, "%s: row %d, position %d: a target behind length %d", path, row, t, len);
        scored++;
    }
    return scored || fail(err, "%s: row %d: no position is scored", path, row);
}

static bool read_targets(Set *s, Rows *r, int row, Err *err)
{
    const size_t T = (size_t)s->T;
    r->n = s->rows - row < r->cap ? s->rows - row : r->cap;
    TRY(npy_ints(&s->targets, (size_t)r->n * T, r->target, err));
    if (s->has_lengths) TRY(npy_ints(&s->lengths, (size_t)r->n, r->len, err));
    for (int i = 0; i < r->n; i++) {
        if (!s->has_lengths) r->len[i] = s->T;
        TRY(check_row(s, row + i, r->target + (size_t)i * T, r->len[i], err));
    }
    return true;
}

/* The first of the greatest, as evaluation takes it. */
static bool take_logits(Set *s, Rows *r, int row, Err *err)
{
    const int V = s->predictions.is.dim[2];
    for (int i = 0; i < r->n * s->T; i++) {
        int best = 0;
        TRY(npy_reals(&s->predictions, (size_t)V, r->logit, err));
        if (r->target[i] == IGNORE) continue;
        for (int k = 0; k < V; k++) {
            if (isnan(r->logit[k]))
                return fail(err, "%s: row %d, position %d: the logit of class %d is no number", s->predictions.path,
                            row + i / s->T, i % s->T, k);
            if (r->logit[k] > r->logit[best]) best = k;
        }
        r->pred[i] = best;
    }
    return true;
}

static bool read_predictions(Set *s, Rows *r, int row, Err *err)
{
    if (s->logits) return take_logits(s, r, row, err);
    TRY(npy_ints(&s->predictions, (size_t)r->n * (size_t)s->T, r->pred, err));
    for (int i = 0; i < r->n * s->T; i++)
        if (r->target[i] != IGNORE && (r->pred[i] < 0 || r->pred[i] >= s->classes))
            return fail(err, "%s: row %d, position %d: class %d, not in 0..%d", s->predictions.path, row + i / s->T,
                        i % s->T, r->pred[i], s->classes - 1);
    return true;
}

/* ---- counting ---- */

/* First pass: the classes there are, and the commonest. */
static bool find_majority(Set *s, int *majority, Err *err)
{
    const Set start = *s;
    long *count = NULL;
    int seen = s->classes;
    for (int pass = s->classes ? 1 : 0; pass < 2; pass++) { /* without vocab_out the greatest target is found first */
        if (pass) count = ARENA_NEW(s->a, long, seen);
        Rows r = rows_new(s);
        for (int row = 0; row < s->rows; row += r.n) {
            TRY(read_targets(s, &r, row, err));
            for (int i = 0; i < r.n * s->T; i++) {
                if (!pass && r.target[i] >= seen) seen = r.target[i] + 1;
                if (pass && r.target[i] != IGNORE) count[r.target[i]]++;
            }
        }
        npy_close(&s->targets);
        npy_close(&s->lengths);
        TRY(npy_open(start.targets.path, &s->targets, err));
        if (s->has_lengths) TRY(npy_open(start.lengths.path, &s->lengths, err));
    }
    s->classes = seen;
    *majority = 0;
    for (int k = 0; k < seen; k++)
        if (count[k] > count[*majority]) *majority = k;
    if (s->logits && s->predictions.is.dim[2] != s->classes)
        return fail(err, "%s has logits of %d classes, but the task has %d: cut them, logits[..., :%d]",
                    s->predictions.path, s->predictions.is.dim[2], s->classes, s->classes);
    return true;
}

static bool count_all(Set *s, Score *ours, Score *constant, Err *err)
{
    int majority;
    TRY(find_majority(s, &majority, err));
    Rows r = rows_new(s);
    *ours = score_new(s->classes, s->T, s->a);
    *constant = score_new(s->classes, s->T, s->a);
    int *always = ARENA_NEW(s->a, int, s->T);
    for (int t = 0; t < s->T; t++) always[t] = majority;
    for (int row = 0; row < s->rows; row += r.n) {
        TRY(read_targets(s, &r, row, err));
        TRY(read_predictions(s, &r, row, err));
        if (s->has_slices) TRY(npy_ints(&s->slices, (size_t)r.n * (size_t)s->T, r.slice_of, err));
        for (int i = 0; i < r.n; i++) {
            const size_t at = (size_t)i * (size_t)s->T;
            const int *slice_of = s->has_slices ? r.slice_of + at : NULL;
            score_add(ours, r.target + at, r.pred + at, slice_of, r.len[i]);
            score_add(constant, r.target + at, always, slice_of, r.len[i]);
        }
    }
    return true;
}

/* ---- the table ---- */

static const char *cell(Arena *a, double v)
{
    Buf b = buf_new(a);
    buf_real(&b, v);
    return b.s;
}

static void add_row(const Set *s, Grid *g, const char *metric, const char *slice, double v, long n, double uniform,
                    double majority)
{
    double lo = (double)NAN, hi = (double)NAN;
    const char **row = grid_row(g);
    if (strcmp(metric, "acc_macro") != 0) wilson(v, n, &lo, &hi);
    row[0] = metric;
    row[1] = slice;
    row[2] = cell(s->a, v);
    row[3] = cell(s->a, lo);
    row[4] = cell(s->a, hi);
    row[5] = arena_printf(s->a, "%ld", n);
    row[6] = cell(s->a, uniform);
    row[7] = cell(s->a, majority);
}

static Grid score_grid(const Set *s, const Score *ours, const Score *constant)
{
    static const char *const metric[] = { "acc_token", "acc_mean", "acc_exact", "acc_final", "acc_macro" };
    static const char *const head[] = {
        "metric", "slice", "value", "lo", "hi", "n", "chance_uniform", "chance_majority"
    };
    Grid g = grid_new(s->a, 8, head, "llrrrrrr");
    for (int i = 0; i < 5; i++)
        add_row(s, &g, metric[i], "", score_value(ours, metric[i]), score_count(ours, metric[i]),
                i == 2 ? (double)NAN : s->chance_uniform, score_value(constant, metric[i]));
    for (int k = 0; k < SLICE_BINS; k++)
        if (ours->bin_n[k])
            add_row(s, &g, "acc_token", arena_printf(s->a, "%s=%d", s->slice_label ? s->slice_label : "slice", k),
                    (double)ours->bin_ok[k] / (double)ours->bin_n[k], ours->bin_n[k], s->chance_uniform,
                    (double)constant->bin_ok[k] / (double)ours->bin_n[k]);
    return g;
}

static int run(Cli *c, Err *err)
{
    const char *predictions = cli_string(c, "predictions");
    Set s = { .a = c->arena, .dir = cli_string(c, "data"), .headline = "acc_token", .chance_uniform = (double)NAN };
    Score ours, constant;
    if (c->n_args > 1 || c->n_sets || !s.dir || !predictions) {
        err_set(err, EXIT_USAGE, "usage: seqprobe score %s", c->command->synopsis);
        return EXIT_USAGE;
    }
    const bool ok =
        open_set(&s, c->n_args ? c->args[0] : NULL, predictions, err) && count_all(&s, &ours, &constant, err);
    NpyReader *const all[] = { &s.targets, &s.lengths, &s.slices, &s.predictions };
    for (int i = 0; i < 4; i++) npy_close(all[i]);
    if (!ok) return err->code;
    Grid g = score_grid(&s, &ours, &constant);
    if (cli_format(c) == FORMAT_TABLE)
        printf("%s: %d examples of %s, %ld positions are scored; headline %s\n", s.dir, s.rows, s.task, ours.scored,
               s.headline);
    grid_print(&g, cli_format(c));
    return EXIT_OK;
}

static const Flag flags[] = {
    { "data", 0, FLAG_STRING, NULL, "DIR", "folder that seqprobe export wrote" },
    { "predictions", 'p', FLAG_STRING, NULL, "FILE", "class ids (N, T), or logits (N, T, classes)" },
    FLAG_FORMAT,
    FLAG_END,
};

const Command command_score = {
    .name = "score",
    .synopsis = "[TASK] --data DIR --predictions FILE.npy [--format csv]",
    .summary = "our accuracies for somebody's predictions on an exported set",
    .description =
        "examples:\n"
        "  seqprobe score --data data/x4 --predictions data/x4/targets.npy    all right, to try it\n"
        "\n"
        "The predictions are integers of any width, as argmax(-1) of logits gives them, or the logits as float32 or\n"
        "float64, in the shape of targets.npy. Only scored positions are looked at. With slices.npy also by slice.\n"
        "chance_majority is what the commonest class of the set would get everywhere, chance_uniform a guess; lo and\n"
        "hi are Wilson's 95 % interval (seqprobe help metrics). Without a meta.yaml in DIR, name the task.\n",
    .flags = flags,
    .run = run,
};
