/* SPDX-License-Identifier: Apache-2.0
 * dataset - examples of your own, from NumPy arrays in a folder.
 *
 *   inputs.npy   [[2, 0, 1], [2, 1, 0]]      (N, T) integers of any width, ids from 0
 *   targets.npy  [[-1, 0, 1], [-1, 1, -1]]   (N, T) the class asked for after reading that position; -1 or -100: none
 *
 *   input    2 0 1      example 0
 *   target   _ 0 1
 *
 * Optional beside them: lengths.npy (N), positions of each example, all T without; slices.npy (N, T), by what accuracy
 * is also reported, not negative where something is scored; train_targets.npy (N, T), what training asks for instead;
 * meta.yaml with vocab_in, vocab_out, headline, chance_uniform, ceiling, slice_label, symbols_in, symbols_out. This is
 * what `seqprobe export` writes. Without meta.yaml the vocabularies end with the greatest id, the headline is
 * acc_token. Every row must score a position; nothing may be scored behind its length.
 *
 * Splits: folders train, valid and test in `path` with such arrays each; or one set of arrays in `path`, whose last
 * rows (share `test`) are for testing, those before (share `valid`) for validation, the rest for training: shuffle
 * them first. Further folders, named in `sets`, are other test sets, chosen by `set` in a slice of `eval:`:
 *
 *   task: {name: dataset, path: data/mine, sets: long sparse}
 *   eval: {long: {set: long}, sparse: {set: sparse}}
 *
 * Of their rows a part, valid/(valid + test), is for validation, if the slice stops the training.
 *
 * Example i is row i of its split; training goes through all rows in a new order each epoch (train.examples), and the
 * evaluation sets are not larger than what there is. The content of the files is part of a run's id.
 *
 * Chance: of the best constant answer, measured on the test rows. Theory: open, nothing is known of the task. Memory:
 * not known. The solver knows no rule: it looks up the first row that begins as what it has read and gives its target,
 * else the commonest class. It is exact where equal beginnings have equal answers, and proves nothing else.
 *
 * Source: the user's; format of NumPy (NEP 1). No deviations.
 */
#include "task.h"

#include "common/arrays.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { VERSION = 1 };

enum { PARTS_MAX = 32 };

typedef struct {
    const char *path, *sets, *set;
    double valid, test;
} Cfg;

/* parts[0..2] are train, valid, test (n 0: no such folder), or parts[0] is all of them and whole is set; then sets. */
typedef struct {
    const char *path, *sets;
    double valid, test;
    bool whole, sliced, train;
    int parts, max_len, vocab_in, vocab_out, common;
    Arrays part[PARTS_MAX];
    ArraysMeta meta;
    uint64_t content;
} Data;

typedef struct {
    const Arrays *of;
    int first, n;
} Rows;

static const Option options[] = {
    OPT_S(Cfg, path, NULL, "folder with inputs.npy and targets.npy, or with train, valid, test"),
    OPT_S(Cfg, sets, NULL, "further folders in it, separated by blanks: other test sets"),
    OPT_S(Cfg, set, NULL, "in a slice: the one of `sets` that is evaluated"),
    OPT_R(Cfg, valid, "0.1", 0, 1, "share of the rows for validation, where path has no folders"),
    OPT_R(Cfg, test, "0.1", 0, 1, "share of the rows for testing, the last ones"),
    OPT_END,
};

static const Arrays *find_set(const Data *d, const char *name)
{
    for (int i = 3; i < d->parts; i++)
        if (!strcmp(d->part[i].name, name)) return &d->part[i];
    return NULL;
}

/* The rows of a split; n 0: there are none. */
static Rows rows_of(const Cfg *c, const Data *d, Split split)
{
    if (c->set) {
        const Arrays *x = find_set(d, c->set);
        const int valid = (int)lround(x->n * c->valid / fmax(c->valid + c->test, 1e-9));
        if (split == SPLIT_TRAIN) return (Rows){ x, 0, 0 };
        return split == SPLIT_VALID ? (Rows){ x, 0, valid } : (Rows){ x, valid, x->n - valid };
    }
    if (!d->whole) return (Rows){ &d->part[split], 0, d->part[split].n };
    const Arrays *x = &d->part[0];
    const int test = (int)lround(x->n * c->test), valid = (int)lround(fmin(x->n * c->valid, x->n - test));
    const int train = x->n - valid - test;
    return split == SPLIT_TRAIN   ? (Rows){ x, 0, train }
           : split == SPLIT_VALID ? (Rows){ x, train, valid }
                                  : (Rows){ x, train + valid, test };
}

static Stored stored(const void *cfg, const void *data)
{
    const Data *d = data;
    Stored is = { .content = d->content };
    for (int k = 0; k < 3; k++) is.n[k] = rows_of(cfg, d, (Split)k).n;
    return is;
}

/* ---- reading ---- */

/* All that is said of files names the option. */
static bool of_path(Err *err)
{
    err_prefix(err, "path");
    if (err->code == EXIT_FAILED) err->code = EXIT_USAGE;
    return false;
}

static bool add_part(Data *d, const char *name, Arena *a, Err *err)
{
    Arrays *x = &d->part[d->parts++];
    if (!arrays_read(path_join(a, d->path, name), &d->meta, a, x, err)) return of_path(err);
    x->name = name;
    return true;
}

static bool read_sets(Data *d, Arena *a, Err *err)
{
    for (const char *s = d->sets ? d->sets : ""; s += strspn(s, " "), *s;) {
        const size_t n = strcspn(s, " ");
        const char *name = arena_printf(a, "%.*s", (int)n, s);
        if (d->parts == PARTS_MAX) return err_set(err, EXIT_USAGE, "sets: more than %d", PARTS_MAX - 3);
        if (find_set(d, name)) return err_set(err, EXIT_USAGE, "sets: '%.80s' is named twice", name);
        if (!arrays_exist(a, path_join(a, d->path, name)))
            return err_set(err, EXIT_USAGE, "sets: no %.200s/%.80s/inputs.npy", d->path, name);
        TRY(add_part(d, name, a, err));
        s += n;
    }
    return true;
}

static bool of_two(const Data *d, const Arrays *x, const Arrays *y, bool y_has, const char *file, Err *err)
{
    return err_set(err, EXIT_USAGE, "path: %.200s: %.80s has a %s.npy, but %.80s has none", d->path,
                   y_has ? y->name : x->name, file, y_has ? x->name : y->name);
}

/* Vocabularies, longest row, commonest class, and what all parts have. */
static bool sum_up(Data *d, Arena *a, Err *err)
{
    const Arrays *first = &d->part[0]; /* never without rows */
    int ids = 2, classes = 2;
    for (int i = 0; i < d->parts; i++) {
        const Arrays *x = &d->part[i];
        if (!x->n) continue;
        if (!x->train != !first->train) return of_two(d, x, first, !x->train, "train_targets", err);
        if (!x->slice_of != !first->slice_of) return of_two(d, x, first, !x->slice_of, "slices", err);
        for (long k = 0; k < x->ids; k++) {
            if (x->input[k] >= ids) ids = x->input[k] + 1;
            if (x->target[k] >= classes) classes = x->target[k] + 1;
            if (x->train && x->train[k] >= classes) classes = x->train[k] + 1;
        }
        for (int r = 0; r < x->n; r++)
            if (x->len[r] > d->max_len) d->max_len = x->len[r];
    }
    d->train = first->train != NULL;
    d->sliced = first->slice_of != NULL;
    d->vocab_in = d->meta.vocab_in > 2 ? d->meta.vocab_in : ids;
    d->vocab_out = d->meta.vocab_out > 2 ? d->meta.vocab_out : classes;
    long *count = ARENA_NEW(a, long, d->vocab_out);
    const int sizes[] = { d->vocab_in, d->vocab_out };
    d->content = hash_bytes(sizes, sizeof sizes, 0);
    for (int i = 0; i < d->parts; i++) {
        const Arrays *x = &d->part[i];
        if (!x->n) continue;
        d->content = arrays_hash(x, d->content);
        for (long k = 0; k < x->ids; k++)
            if (x->target[k] != IGNORE) count[x->target[k]]++;
    }
    for (int k = 0; k < d->vocab_out; k++)
        if (count[k] > count[d->common]) d->common = k;
    return true;
}

static bool prepare(const void *cfg, uint64_t table_seed, Arena *a, void *data, Err *err)
{
    static const char *const split[] = { "train", "valid", "test" };
    const Cfg *c = cfg;
    Data *d = data;
    (void)table_seed;
    if (!c->path)
        return err_set(err, EXIT_USAGE, "path: no folder given; dataset reads PATH/inputs.npy and PATH/targets.npy");
    *d = (Data){ .path = c->path, .sets = c->sets, .valid = c->valid, .test = c->test };
    d->whole = arrays_exist(a, c->path);
    const char *folder = d->whole ? c->path : path_join(a, c->path, split[0]);
    if (!file_exists(c->path)) return err_set(err, EXIT_USAGE, "path: there is no folder %.300s", c->path);
    if (!d->whole && !arrays_exist(a, folder))
        return err_set(err, EXIT_USAGE, "path: %.300s has neither inputs.npy nor train/inputs.npy", c->path);
    if (!arrays_meta(folder, a, &d->meta, err)) return of_path(err);
    for (int k = 0; k < 3; k++)
        if (d->whole ? k == 0 : arrays_exist(a, path_join(a, c->path, split[k])))
            TRY(add_part(d, d->whole ? "" : split[k], a, err));
        else
            d->part[d->parts++] = (Arrays){ .name = split[k] };
    return read_sets(d, a, err) && sum_up(d, a, err);
}

static bool same_text(const char *x, const char *y) { return !x == !y && (!x || !strcmp(x, y)); }

static bool shape(const void *cfg, const void *data, TaskShape *out, Err *err)
{
    const Cfg *c = cfg;
    const Data *d = data;
    if (!same_text(c->path, d->path) || !same_text(c->sets, d->sets))
        return err_set(err, EXIT_USAGE, "path, sets: one for all slices; a slice chooses one of the sets by `set`");
    if (c->valid > d->valid || c->valid < d->valid || c->test > d->test || c->test < d->test)
        return err_set(err, EXIT_USAGE, "valid, test: one share for all slices");
    if (c->valid + c->test > 1)
        return err_set(err, EXIT_USAGE, "valid %g and test %g: more than all rows", c->valid, c->test);
    if (c->set && !find_set(d, c->set))
        return err_set(err, EXIT_USAGE, "set: '%.80s' is not one of sets: '%.200s'", c->set, d->sets ? d->sets : "");
    *out = (TaskShape){
        .vocab_in = d->vocab_in,
        .vocab_out = d->vocab_out,
        .max_len = d->max_len,
        .chance_uniform = d->meta.chance_uniform > 1.0 / d->vocab_out ? d->meta.chance_uniform : 1.0 / d->vocab_out,
        .ceiling = d->meta.ceiling,
        .headline = d->meta.headline ? d->meta.headline : "acc_token",
        .slice_label = !d->sliced            ? NULL
                       : d->meta.slice_label ? d->meta.slice_label
                                             : "slice",
    };
    return true;
}

/* ---- examples ---- */

static void sample(const void *cfg, const void *data, Rng *rng, Example *e)
{
    const Data *d = data;
    Rows r = rows_of(cfg, d, e->split);
    (void)rng;
    if (!r.n) r = (Rows){ &d->part[0], 0, d->part[0].n };
    const size_t row = (size_t)r.first + (size_t)(e->index % (uint64_t)r.n), at = row * (size_t)r.of->T;
    e->len = r.of->len[row];
    const size_t bytes = sizeof(int) * (size_t)e->len;
    memcpy(e->input, r.of->input + at, bytes);
    memcpy(e->target, r.of->target + at, bytes);
    if (d->train) memcpy(e->train_target, r.of->train + at, bytes);
    if (d->sliced) memcpy(e->slice_of, r.of->slice_of + at, bytes);
    e->has_train_target = d->train;
    e->has_slice = d->sliced;
}

/* A row from number `from` on (over all parts) that begins with t+1 inputs and has a target there; the row where the
 * search for the next position may begin is left in *from. */
static int look_up(const Data *d, const int *input, int t, int *from)
{
    int number = 0, begins = -1;
    for (int i = 0; i < d->parts; number += d->part[i++].n) {
        const Arrays *x = &d->part[i];
        for (int r = *from > number ? *from - number : 0; r < x->n; r++) {
            const size_t at = (size_t)r * (size_t)x->T;
            if (x->len[r] <= t || memcmp(x->input + at, input, sizeof(int) * (size_t)(t + 1)) != 0) continue;
            if (begins < 0) begins = number + r;
            if (x->target[at + (size_t)t] == IGNORE) continue;
            *from = begins;
            return x->target[at + (size_t)t];
        }
    }
    *from = begins < 0 ? number : begins;
    return d->common;
}

static void solve(const void *cfg, const void *data, const int *input, int len, int *prediction)
{
    int from = 0;
    (void)cfg;
    for (int t = 0; t < len; t++) prediction[t] = look_up(data, input, t, &from);
}

static const char *symbol(const void *cfg, const void *data, int id, bool is_target, char *buf)
{
    const Data *d = data;
    const char **list = is_target ? d->meta.symbols_out : d->meta.symbols_in;
    (void)cfg;
    if (list && id < (is_target ? d->meta.n_symbols_out : d->meta.n_symbols_in) && strlen(list[id]) < 32)
        snprintf(buf, 32, "%s", list[id]);
    else
        snprintf(buf, 32, "%d", id);
    return buf;
}

static Theory theory(const void *cfg, TheoryClass cls, int layers)
{
    (void)cfg, (void)cls, (void)layers;
    return (Theory){ THEORY_OPEN, "nothing is known of the rule behind the data" };
}

TASK_WITH(dataset, "examples of your own, from .npy arrays", "the user's files", .prepare = prepare,
          .data_size = sizeof(Data), .symbol = symbol, .stored = stored)
