/* SPDX-License-Identifier: Apache-2.0
 * rig.c - variants of all mixers and their runs. See rig.h. */
#include "rig.h"

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const Setting tiny[] = {
    { "heads", "2" },  { "head_k", "4" },  { "head_v", "3" },    { "width", "5" },
    { "expand", "2" }, { "d_state", "3" }, { "gate_rank", "2" },
};

static const char *tiny_value(const Option *o)
{
    for (size_t i = 0; i < sizeof tiny / sizeof *tiny; i++)
        if (!strcmp(o->name, tiny[i].option)) return tiny[i].value;
    return o->def;
}

/* Another value within the range. */
static double real_other(double v, const Option *o)
{
    double w = v * 0.5 + 0.25;
    return w < o->min ? o->max : w > o->max ? 0.5 * (o->min + o->max) : w;
}

/* The i-th other value of an option, or NULL after the last. Strings, laws and inner mixers have none. */
static const char *other_value(const Option *o, int i, char *buf, size_t size)
{
    const char *now = tiny_value(o);
    if (o->kind == OPT_ENUM) {
        char list[256], *rest = NULL;
        snprintf(list, sizeof list, "%s", o->choices);
        for (char *c = strtok_r(list, "|", &rest); c; c = strtok_r(NULL, "|", &rest))
            if (strcmp(c, now) && i-- == 0) {
                snprintf(buf, size, "%s", c);
                return buf;
            }
        return NULL;
    }
    if (i > 0) return NULL;
    if (o->kind == OPT_BOOL) return strcmp(now, "true") ? "true" : "false";
    if (o->kind == OPT_REALS && !strcmp(o->name, "eigenvalues")) return strchr(now, '-') ? "[0, 1]" : "[-1, 1]";
    if (!strcmp(o->name, "kv_heads")) return "1";
    double v = atof(now);
    if (o->kind == OPT_INT)
        snprintf(buf, size, "%d", (int)(v + 2 <= o->max ? v + 2 : v - 1));
    else if (o->kind == OPT_REAL)
        snprintf(buf, size, "%g", real_other(v, o));
    else
        return NULL;
    return buf;
}

static Variant variant_base(const Mixer *m)
{
    Variant v = { .mixer = m };
    for (const Option *o = m->options; o->name; o++)
        if (tiny_value(o) != o->def) v.set[v.n++] = (Setting){ o->name, tiny_value(o) };
    return v;
}

static void variant_set(Variant *v, const char *option, const char *value)
{
    char *copy = malloc(strlen(value) + 1); /* kept until the program ends */
    CHECK(copy && v->n < RIG_SETTINGS, "mixer %s: more than %d settings", v->mixer->name, RIG_SETTINGS);
    v->set[v->n++] = (Setting){ option, strcpy(copy, value) };
}

int variants_list(Variant *out, int max)
{
    int n = 0;
    char buf[64];
    for (int i = 0; all_mixers[i]; i++) {
        const Mixer *m = all_mixers[i];
        Variant all = variant_base(m);
        CHECK(n + 2 <= max, "more than %d variants", max);
        out[n++] = all;
        for (const Option *o = m->options; o->name; o++) {
            const char *value;
            for (int j = 0; (value = other_value(o, j, buf, sizeof buf)); j++) {
                CHECK(n + 2 <= max, "more than %d variants", max);
                out[n] = variant_base(m);
                variant_set(&out[n++], o->name, value);
            }
            if ((value = other_value(o, 0, buf, sizeof buf))) variant_set(&all, o->name, value);
        }
        out[n++] = all;
    }
    return n;
}

const char *variant_text(const Variant *v, Arena *a)
{
    char *s = arena_strdup(a, v->mixer->name);
    for (int i = variant_base(v->mixer).n; i < v->n; i++)
        s = arena_printf(a, "%s %s=%s", s, v->set[i].option, v->set[i].value);
    return s;
}

/* "[-1, 1]" as a list of scalars, anything else as a scalar. */
static Value *setting_value(Arena *a, const char *text)
{
    if (text[0] != '[') return value_scalar(a, text);
    Value *list = value_list(a);
    char *copy = arena_strdup(a, text + 1), *rest = NULL;
    for (char *c = strtok_r(copy, ", ]", &rest); c; c = strtok_r(NULL, ", ]", &rest))
        value_append(list, value_scalar(a, c));
    return list;
}

static void disturb(Params *p)
{
    for (int i = 0; i < params_number(p); i++) {
        Param *it = params_at(p, i);
        Rng rng = rng_named(7, it->name);
        for (size_t j = 0, n = tensor_size(&it->t); j < n; j++) it->t.x[j] += (real)(0.2 * rng_normal(&rng));
    }
}

bool rig_open(Rig *r, const Variant *v, Err *err)
{
    *r = (Rig){ .arena = arena_new(v->mixer->name), .eval = tape_new("eval", false) };
    Value *spec = value_map(r->arena);
    value_set(spec, "name", value_scalar(r->arena, v->mixer->name));
    for (int i = 0; i < v->n; i++) value_set(spec, v->set[i].option, setting_value(r->arena, v->set[i].value));
    r->params = params_new(r->arena, LINEAR_FAN_IN_NORMAL, 1);
    Place at = { .d_model = RIG_D, .layer = 0, .layers = 2, .max_len = RIG_MAX_LEN, .vocab = 11 };
    TRY(mixer_open(&at, spec, r->params, "mixer", r->arena, &r->use, err));
    params_finish(r->params, 1);
    disturb(r->params);
    return true;
}

void rig_close(Rig *r)
{
    tape_free(r->eval);
    arena_free(r->arena);
}

void rig_run(Rig *r, State *state, int pos0, const real *x, int B, int T, real *y)
{
    Ctx c = { .tape = r->eval, .state = state, .pos0 = pos0 };
    size_t n = (size_t)(B * T * RIG_D);
    Tensor *in = TENSOR(r->eval, B, T, RIG_D);
    memcpy(in->x, x, n * sizeof(real));
    memcpy(y, mixer_run(&r->use, &c, in)->x, n * sizeof(real));
    tape_reset(r->eval);
}

void rig_stream(Rig *r, State *state, const real *x, int B, int T, const int *end, int n, real *y)
{
    size_t mark = arena_mark(r->arena);
    for (int i = 0, from = 0; i < n; from = end[i++]) {
        int t = end[i] - from;
        real *xi = ARENA_RAW(r->arena, real, B * t * RIG_D), *yi = ARENA_RAW(r->arena, real, B * t * RIG_D);
        for (int b = 0; b < B; b++)
            memcpy(xi + b * t * RIG_D, x + (b * T + from) * RIG_D, sizeof(real) * (size_t)(t * RIG_D));
        rig_run(r, state, from, xi, B, t, yi);
        for (int b = 0; b < B; b++)
            memcpy(y + (b * T + from) * RIG_D, yi + b * t * RIG_D, sizeof(real) * (size_t)(t * RIG_D));
    }
    arena_reset(r->arena, mark);
}

real *rig_normal(Rig *r, const char *stream, size_t n)
{
    real *x = ARENA_RAW(r->arena, real, n);
    Rng rng = rng_named(3, stream);
    for (size_t i = 0; i < n; i++) x[i] = (real)rng_normal(&rng);
    return x;
}

double worst_error(const real *a, const real *b, size_t n)
{
    double scale = 0, worst = 0;
    for (size_t i = 0; i < n; i++) scale = fmax(scale, fabs((double)b[i]));
    for (size_t i = 0; i < n; i++) {
        double e = fabs((double)a[i] - (double)b[i]);
        if (!(e <= worst)) worst = e;
    }
    return scale > 0 ? worst / scale : worst;
}

bool rig_named(Rig *r, const char *name, int n, const Setting *set)
{
    Variant v = { .mixer = mixer_find(name), .n = n };
    if (!v.mixer) {
        printf("skipped: not built: %s\n", name);
        return false;
    }
    memcpy(v.set, set, sizeof(Setting) * (size_t)n);
    Err err = { 0 };
    ck_assert_msg(rig_open(r, &v, &err), "%s: %s", name, err.msg);
    return true;
}

real *rig_weight(Rig *r, const char *name, size_t n)
{
    Param *it = params_find(r->params, arena_printf(r->arena, "mixer.%s", name));
    ck_assert_msg(it != NULL, "no parameter %s", name);
    ck_assert_uint_eq(tensor_size(&it->t), n);
    return it->t.x;
}

double rig_tolerance(void) { return sizeof(real) == sizeof(double) ? 1e-10 : 1e-4; }

void rig_near(const char *text, const char *what, const real *a, const real *b, size_t n, double allowed)
{
    double e = worst_error(a, b, n);
    ck_assert_msg(e <= allowed, "%s: %s, error %.3g", text, what, e);
}

void rig_copy(Rig *to, const Rig *from)
{
    for (int i = 0; i < params_number(from->params); i++) {
        const Param *it = params_at(from->params, i);
        Param *like = params_find(to->params, it->name);
        if (like && same_shape(&like->t, &it->t)) memcpy(like->t.x, it->t.x, sizeof(real) * tensor_size(&it->t));
    }
}

void rig_identity(const char *what, Rig *a, Rig *b, double allowed)
{
    enum { B = 2, T = 37, N = B * T * RIG_D };
    real *x = rig_normal(a, "x", N), *ya = rig_normal(a, "", N), *yb = rig_normal(a, "", N);
    rig_copy(a, b);
    rig_run(a, NULL, 0, x, B, T, ya);
    rig_run(b, NULL, 0, x, B, T, yb);
    rig_near(what, "identity", ya, yb, N, allowed);
    rig_close(a);
    rig_close(b);
}
