/* SPDX-License-Identifier: Apache-2.0
 * arrays.c - examples in a folder of .npy arrays. */
#include "common/arrays.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/yaml.h"

bool arrays_exist(Arena *a, const char *dir) { return file_exists(path_join(a, dir, "inputs.npy")); }

static bool wrong(Err *err, const char *path, int row, int t, const char *what, int value)
{
    return err_set(err, EXIT_USAGE, "%s: row %d, position %d: %s %d", path, row, t, what, value);
}

/* ---- arrays ---- */

/* An array of integers as long as x; of the inputs the first one tells. */
static bool read_array(const char *path, int rank, Arena *a, Arrays *x, int **out, Err *err)
{
    NpyReader r;
    bool ok = npy_open(path, &r, err);
    const Npy *is = &r.is;
    if (ok && !x->input && (is->rank != 2 || !is->count || is->count > ARRAYS_IDS_MAX))
        ok = err_set(err, EXIT_USAGE, "%s: examples x positions are needed, 1 to %d ids in all", path, ARRAYS_IDS_MAX);
    else if (ok && x->input && (is->rank != rank || is->dim[0] != x->n || (rank == 2 && is->dim[1] != x->T)))
        ok = err_set(err, EXIT_USAGE, "%s: its shape is not that of inputs.npy, %d examples%s", path, x->n,
                     rank == 2 ? arena_printf(a, " x %d positions", x->T) : "");
    if (ok) {
        *out = ARENA_RAW(a, int, is->count);
        if (!x->input) x->n = is->dim[0], x->T = is->dim[1];
        ok = npy_ints(&r, is->count, *out, err);
    }
    npy_close(&r);
    return ok;
}

static bool read_part(const char *dir, const char *name, int rank, bool must, Arena *a, Arrays *x, int **out, Err *err)
{
    const char *path = path_join(a, dir, name);
    return (!must && !file_exists(path)) || read_array(path, rank, a, x, out, err);
}

/* Targets of one row: classes or nothing, nothing behind its end, something somewhere. */
static bool check_targets(const char *path, const Arrays *x, int row, int *target, int classes, Err *err)
{
    int scored = 0;
    for (int t = 0; t < x->T; t++) {
        if (target[t] == -100) target[t] = IGNORE; /* PyTorch's */
        if (target[t] == IGNORE) continue;
        if (target[t] < 0 || target[t] >= classes) return wrong(err, path, row, t, "no class (or -1):", target[t]);
        if (t >= x->len[row]) return wrong(err, path, row, t, "a target behind length", x->len[row]);
        scored++;
    }
    return scored || err_set(err, EXIT_USAGE, "%s: row %d: no position is scored", path, row);
}

static bool check_row(const char *dir, const Arrays *x, const ArraysMeta *meta, int row, Arena *a, Err *err)
{
    const size_t at = (size_t)row * (size_t)x->T, mark = arena_mark(a);
    const int ids = meta->vocab_in ? meta->vocab_in : ARRAYS_VOCAB_MAX;
    const int classes = meta->vocab_out ? meta->vocab_out : ARRAYS_VOCAB_MAX;
    if (x->len[row] < 1 || x->len[row] > x->T)
        return err_set(err, EXIT_USAGE, "%s/lengths.npy: row %d: length %d of %d positions", dir, row, x->len[row],
                       x->T);
    for (int t = 0; t < x->T; t++) {
        int *id = &x->input[at + (size_t)t];
        if (t >= x->len[row]) *id = 0;
        if (*id < 0 || *id >= ids)
            return err_set(err, EXIT_USAGE, "%s/inputs.npy: row %d, position %d: id %d, not in 0..%d", dir, row, t, *id,
                           ids - 1);
    }
    TRY(check_targets(path_join(a, dir, "targets.npy"), x, row, x->target + at, classes, err));
    if (x->train) TRY(check_targets(path_join(a, dir, "train_targets.npy"), x, row, x->train + at, classes, err));
    for (int t = 0; x->slice_of && t < x->T; t++)
        if (x->target[at + (size_t)t] != IGNORE && x->slice_of[at + (size_t)t] < 0)
            return wrong(err, path_join(a, dir, "slices.npy"), row, t, "scored, but its slice is",
                         x->slice_of[at + (size_t)t]);
    arena_reset(a, mark);
    return true;
}

bool arrays_read(const char *dir, const ArraysMeta *meta, Arena *a, Arrays *x, Err *err)
{
    *x = (Arrays){ .name = "" };
    int *input = NULL;
    TRY(read_part(dir, "inputs.npy", 2, true, a, x, &input, err));
    x->input = input;
    x->ids = (long)x->n * x->T;
    TRY(read_part(dir, "targets.npy", 2, true, a, x, &x->target, err));
    TRY(read_part(dir, "train_targets.npy", 2, false, a, x, &x->train, err));
    TRY(read_part(dir, "slices.npy", 2, false, a, x, &x->slice_of, err));
    TRY(read_part(dir, "lengths.npy", 1, false, a, x, &x->len, err));
    if (!x->len) {
        x->len = ARENA_RAW(a, int, x->n);
        for (int i = 0; i < x->n; i++) x->len[i] = x->T;
    }
    for (int i = 0; i < x->n; i++) TRY(check_row(dir, x, meta, i, a, err));
    return true;
}

uint64_t arrays_hash(const Arrays *x, uint64_t seed)
{
    const int *part[] = { x->input, x->target, x->train, x->slice_of };
    const int sizes[] = { x->n, x->T, x->train != NULL, x->slice_of != NULL };
    uint64_t h = hash_bytes(x->name, strlen(x->name), hash_bytes(sizes, sizeof sizes, seed));
    for (int i = 0; i < 4; i++)
        if (part[i]) h = hash_bytes(part[i], (size_t)x->ids * sizeof(int), h);
    return hash_bytes(x->len, (size_t)x->n * sizeof(int), h);
}

/* ---- meta.yaml ---- */

static bool take_real(const Value *meta, const char *key, double lo, double hi, Arena *a, double *out, Err *err)
{
    const Option real_option = { key, OPT_REAL, 0, "0", lo, hi, NULL, "" };
    const Value *v = value_get(meta, key);
    return !v || option_parse(&real_option, v, "meta.yaml", out, a, err);
}

static bool take_size(const Value *meta, const char *key, Arena *a, int *out, Err *err)
{
    const Option size_option = { key, OPT_INT, 0, "0", 1, ARRAYS_VOCAB_MAX, NULL, "" };
    const Value *v = value_get(meta, key);
    return !v || option_parse(&size_option, v, "meta.yaml", out, a, err);
}

static void take_symbols(const Value *meta, const char *key, int want, Arena *a, const char ***out, int *n)
{
    const Value *list = value_get(meta, key);
    if (!list || list->kind != VALUE_LIST || list->count != want) return;
    *out = ARENA_NEW(a, const char *, want);
    for (const Value *v = list->first; v; v = v->next)
        (*out)[(*n)++] = v->kind == VALUE_SCALAR && v->text[0] ? v->text : "?";
}

bool arrays_meta(const char *dir, Arena *a, ArraysMeta *out, Err *err)
{
    static const char *const headlines[] = { "acc_token", "acc_mean", "acc_exact", "acc_final", NULL };
    const char *path = path_join(a, dir, "meta.yaml");
    Value *meta;
    int known = 0;
    *out = (ArraysMeta){ .ceiling = 1 };
    if (!file_exists(path)) return true;
    TRY(yaml_read(path, a, &meta, err));
    TRY(take_size(meta, "vocab_in", a, &out->vocab_in, err));
    TRY(take_size(meta, "vocab_out", a, &out->vocab_out, err));
    TRY(take_real(meta, "chance_uniform", 0, 1, a, &out->chance_uniform, err));
    TRY(take_real(meta, "ceiling", 0, 1, a, &out->ceiling, err));
    if (out->ceiling <= out->chance_uniform)
        return err_set(err, EXIT_USAGE, "%s: ceiling %g is not above chance_uniform %g", path, out->ceiling,
                       out->chance_uniform);
    out->headline = value_text(meta, "headline", NULL);
    out->slice_label = value_text(meta, "slice_label", NULL);
    while (headlines[known] && out->headline && strcmp(out->headline, headlines[known]) != 0) known++;
    if (!headlines[known])
        return err_set(err, EXIT_USAGE, "%s: headline '%.40s' is not acc_token, acc_mean, acc_exact or acc_final", path,
                       out->headline);
    take_symbols(meta, "symbols_in", out->vocab_in, a, &out->symbols_in, &out->n_symbols_in);
    take_symbols(meta, "symbols_out", out->vocab_out, a, &out->symbols_out, &out->n_symbols_out);
    return true;
}
