/* SPDX-License-Identifier: Apache-2.0
 * golden.c - reading golden cases and comparing with them. See golden.h. */
#include "golden.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sweep/sweep.h"

static bool list_has(const Value *map, const char *list, const char *name)
{
    const Value *l = value_get(map, list);
    for (const Value *v = l ? l->first : NULL; v; v = v->next)
        if (!strcmp(v->text, name)) return true;
    return false;
}

bool golden_open(const char *dir, Arena *a, Golden *out, Err *err)
{
    Value *yaml;
    TRY(yaml_read(path_join(a, dir, "case.yaml"), a, &yaml, err));
    const char *slash = strrchr(dir, '/'), *op = value_text(yaml, "op", NULL);
    if (!op) return err_set(err, EXIT_USAGE, "%s/case.yaml: no op", dir);
    *out = (Golden){ .dir = dir, .name = slash ? slash + 1 : dir, .op = op, .yaml = yaml, .arena = a };
    return true;
}

static void fail(Golden *g, const char *what, const char *name)
{
    if (g->status == GOLDEN_FAILED) return;
    g->status = GOLDEN_FAILED;
    g->why = arena_printf(g->arena, "%s %s", name, what);
}

static bool array_read(Golden *g, const char *prefix, const char *name, Npy *out)
{
    Err err = { 0 };
    const char *file = arena_printf(g->arena, "%s%s.npy", prefix, name);
    if (!npy_read(path_join(g->arena, g->dir, file), g->arena, out, &err)) {
        fail(g, err.msg, file);
        return false;
    }
    if (g->disturb && !strcmp(g->disturb, arena_printf(g->arena, "%s%s", prefix, name))) {
        size_t at = 0;
        for (size_t i = 0; i < out->count; i++)
            if (fabs(out->x[i]) > fabs(out->x[at])) at = i;
        out->x[at] += 10 * g->tolerance * (out->x[at] == 0 ? 1 : out->x[at]);
    }
    return true;
}

Npy golden_array(Golden *g, const char *name)
{
    Npy a = { 0 };
    CHECK(array_read(g, "", name, &a), "%s: %s", g->dir, g->why);
    return a;
}

static Tensor *leaf(Golden *g, const char *name, bool transposed)
{
    Npy a = golden_array(g, name);
    CHECK(a.rank <= RANK_MAX && (!transposed || a.rank == 2), "%s: %s has rank %d", g->dir, name, a.rank);
    int dim[RANK_MAX] = { 1 }, rank = a.rank ? a.rank : 1;
    for (int i = 0; i < a.rank; i++) dim[i] = a.dim[transposed ? 1 - i : i];
    Tensor *t = tape_tensor(g->tape, rank, dim);
    for (size_t i = 0; i < a.count; i++) {
        size_t rows = transposed ? (size_t)dim[0] : 1, cols = a.count / rows;
        t->x[transposed ? (i % rows) * cols + i / rows : i] = (real)a.x[i];
    }
    GoldenLeaf *l = ARENA_NEW(g->arena, GoldenLeaf, 1);
    *l = (GoldenLeaf){ .next = g->leaves, .name = name, .t = t, .transposed = transposed };
    g->leaves = l;
    return t;
}

Tensor *golden_in(Golden *g, const char *name) { return leaf(g, name, false); }
Tensor *golden_weight(Golden *g, const char *name) { return leaf(g, name, true); }
bool golden_has(Golden *g, const char *name) { return list_has(g->yaml, "inputs", name); }

double golden_number(Golden *g, const char *key)
{
    const char *text = value_text(value_get(g->yaml, "params"), key, NULL);
    double v = (double)NAN;
    CHECK(text && sscanf(text, "%lf", &v) == 1, "%s/case.yaml: params.%s is no number", g->dir, key);
    return v;
}

bool golden_is(Golden *g, const char *key, const char *text)
{
    return !strcmp(value_text(value_get(g->yaml, "params"), key, ""), text);
}

/* Compare n numbers with the array NAME; at(i) maps its index to ours. */
static void compare(Golden *g, const char *prefix, const char *name, const double *x, size_t n, int transposed_rows)
{
    Npy want;
    if (!array_read(g, prefix, name, &want)) return;
    if (want.count != n) {
        fail(g, "has another size", name);
        return;
    }
    double scale = 0, worst = 0;
    for (size_t i = 0; i < n; i++) scale = fmax(scale, fabs(want.x[i]));
    if (scale == 0) scale = 1;
    size_t rows = transposed_rows ? (size_t)transposed_rows : 1, cols = n / rows;
    for (size_t i = 0; i < n; i++) {
        double e = fabs(x[transposed_rows ? (i % rows) * cols + i / rows : i] - want.x[i]) / scale;
        if (!(e <= worst)) worst = e; /* NaN wins */
    }
    if (worst <= g->worst) return;
    g->worst = worst;
    g->worst_name = arena_printf(g->arena, "%s%s", prefix, name);
}

void golden_value(Golden *g, const char *name, const double *x, size_t n)
{
    GoldenWant *w = ARENA_NEW(g->arena, GoldenWant, 1);
    *w = (GoldenWant){ .next = g->wants, .name = name };
    g->wants = w;
    compare(g, "", name, x, n, 0);
}

void golden_reals(Golden *g, const char *name, const real *x, size_t n)
{
    double *d = ARENA_RAW(g->arena, double, n);
    for (size_t i = 0; i < n; i++) d[i] = (double)x[i];
    golden_value(g, name, d, n);
}

void golden_cotangent(Golden *g, Tensor *t, const double *cot)
{
    GoldenWant *w = ARENA_NEW(g->arena, GoldenWant, 1);
    *w = (GoldenWant){ .next = g->wants, .name = "", .t = t };
    w->cot = ARENA_RAW(g->arena, double, tensor_size(t));
    memcpy(w->cot, cot, sizeof(double) * tensor_size(t));
    g->wants = w;
}

void golden_want(Golden *g, const char *name, Tensor *t)
{
    Npy cot;
    golden_reals(g, name, t->x, tensor_size(t));
    if (list_has(g->yaml, "outputs_without_cot", name) || !array_read(g, "cot_", name, &cot)) return;
    if (cot.count != tensor_size(t))
        fail(g, "has a cotangent of another size", name);
    else
        golden_cotangent(g, t, cot.x);
}

static void back(Node *n)
{
    const Golden *g = n->saved;
    for (const GoldenWant *w = g->wants; w; w = w->next)
        for (size_t i = 0, size = w->t ? tensor_size(w->t) : 0; i < size; i++)
            if (w->t->g) w->t->g[i] += (real)w->cot[i];
}

static void compare_gradients(Golden *g)
{
    const Value *grads = value_get(g->yaml, "grads");
    for (const Value *v = grads ? grads->first : NULL; v; v = v->next) {
        const GoldenLeaf *l = g->leaves;
        while (l && strcmp(l->name, v->text)) l = l->next;
        if (!l) {
            fail(g, "is an input that the adapter does not use", v->text);
            continue;
        }
        size_t n = tensor_size(l->t);
        double *x = ARENA_RAW(g->arena, double, n);
        for (size_t i = 0; i < n; i++) x[i] = (double)l->t->g[i];
        compare(g, "grad_", l->name, x, n, l->transposed ? l->t->dim[0] : 0);
    }
}

static bool wanted(const Golden *g, const char *name)
{
    for (const GoldenWant *w = g->wants; w; w = w->next)
        if (!strcmp(w->name, name)) return true;
    return false;
}

static const Adapter *adapter_find(const char *op)
{
    const Adapter *const tables[] = { golden_blocks, golden_cells, golden_scans, golden_attention, golden_training };
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        for (const Adapter *a = tables[i]; a->op; a++)
            if (!strcmp(a->op, op)) return a;
    return NULL;
}

void golden_run(Golden *g, double tolerance)
{
    const Adapter *adapter = adapter_find(g->op);
    g->status = adapter ? GOLDEN_PASSED : GOLDEN_UNSUPPORTED;
    g->tolerance = tolerance;
    if (!adapter) return;
    g->tape = tape_new(g->name, true);
    if (!adapter->run(g)) {
        g->status = GOLDEN_UNSUPPORTED;
    } else {
        const Value *outputs = value_get(g->yaml, "outputs");
        for (const Value *v = outputs ? outputs->first : NULL; v; v = v->next)
            if (!wanted(g, v->text)) fail(g, "is an output that the adapter does not give", v->text);
        Tensor *loss = TENSOR(g->tape, 1);
        PUSH(g->tape, "golden", loss, g, NULL);
        tape_backward(g->tape, loss);
        compare_gradients(g);
        if (!(g->worst <= tolerance)) fail(g, "differs", g->worst_name);
    }
    tape_free(g->tape);
    g->tape = NULL;
}

Tensor *golden_fill(Golden *g, double value, int rank, const int *dim)
{
    Tensor *t = tape_const(g->tape, rank, dim);
    for (size_t i = 0, n = tensor_size(t); i < n; i++) t->x[i] = (real)value;
    return t;
}

/* out[b, t] = in[b, from + t] where both exist; saved: from. */
static void back_time(Node *n)
{
    Tensor *x = n->in[0], *y = n->out;
    int from = *(int *)n->saved, N = tensor_last(x);
    for (int b = 0; b < x->dim[0] && x->g; b++)
        for (int t = 0; t < y->dim[1] && from + t < x->dim[1]; t++)
            for (int i = 0; i < N; i++) x->g[(b * x->dim[1] + from + t) * N + i] += y->g[(b * y->dim[1] + t) * N + i];
}

static Tensor *time_copy(Golden *g, Tensor *x, int from, int n, const double *fill)
{
    int B = x->dim[0], T = x->dim[1], N = tensor_last(x);
    Tensor *y = TENSOR(g->tape, B, n, N);
    for (int b = 0; b < B; b++)
        for (int t = 0; t < n; t++)
            for (int i = 0; i < N; i++)
                y->x[(b * n + t) * N + i] = from + t < T ? x->x[(b * T + from + t) * N + i] : (real)fill[i];
    int *saved = ARENA_NEW(g->tape->arena, int, 1);
    *saved = from;
    return tape_push(g->tape, "golden_time", back_time, y, saved, 1, &x);
}

Tensor *golden_time_slice(Golden *g, Tensor *x, int from, int n) { return time_copy(g, x, from, n, NULL); }

Tensor *golden_time_append(Golden *g, Tensor *x, const double *row) { return time_copy(g, x, 0, x->dim[1] + 1, row); }
