/* SPDX-License-Identifier: Apache-2.0
 * params.c - named parameters in one block of values; views with gradients of their own. */
#include "tape/tape.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct Params {
    Arena *arena;
    LinearInit linear;
    double residual_scale;
    const Params *owner; /* of a view */
    Param **item;
    int n, cap;
    size_t count;
    real *x, *g;
    char prefix[192];
};

Params *params_new(Arena *a, LinearInit linear, double residual_scale)
{
    Params *p = ARENA_NEW(a, Params, 1);
    p->arena = a;
    p->linear = linear;
    p->residual_scale = residual_scale;
    return p;
}

Params *params_view(Arena *a, const Params *owner)
{
    Params *p = params_new(a, owner->linear, owner->residual_scale);
    p->owner = owner;
    return p;
}

void params_enter(Params *p, const char *fmt, ...)
{
    size_t at = strlen(p->prefix);
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(p->prefix + at, sizeof p->prefix - at, fmt, ap);
    va_end(ap);
    CHECK(n > 0 && at + (size_t)n + 2 < sizeof p->prefix, "parameter prefix too long: %s", p->prefix);
    CHECK(!strchr(p->prefix + at, '.'), "parameter prefix with a dot: %s", p->prefix);
    strcat(p->prefix, ".");
}

void params_leave(Params *p)
{
    size_t n = strlen(p->prefix);
    CHECK(n > 0, "params_leave without params_enter");
    p->prefix[n - 1] = 0;
    char *dot = strrchr(p->prefix, '.');
    if (dot)
        dot[1] = 0;
    else
        p->prefix[0] = 0;
}

Tensor *param_dims(Params *p, const char *name, Init init, int rank, const int *dim)
{
    CHECK(!p->x && rank >= 1 && rank <= RANK_MAX, "parameter %s%s declared late or with rank %d", p->prefix, name,
          rank);
    char *full = arena_printf(p->arena, "%s%s", p->prefix, name);
    CHECK(!params_find(p, full), "parameter %s declared twice", full);
    if (p->n == p->cap) {
        Param **grown = ARENA_NEW(p->arena, Param *, p->cap * 2 + 32);
        if (p->n) memcpy(grown, p->item, sizeof(Param *) * (size_t)p->n);
        p->item = grown;
        p->cap = p->cap * 2 + 32;
    }
    Param *it = ARENA_NEW(p->arena, Param, 1);
    *it = (Param){ .name = full, .init = init, .offset = p->count };
    it->t.rank = rank;
    memcpy(it->t.dim, dim, sizeof(int) * (size_t)rank);
    if (p->owner)
        CHECK(p->n < p->owner->n && !strcmp(full, p->owner->item[p->n]->name) &&
                  same_shape(&it->t, &p->owner->item[p->n]->t),
              "view declares %s %s unlike its owner", full, shape_str(&it->t));
    p->item[p->n++] = it;
    p->count += tensor_size(&it->t);
    return &it->t;
}

static void init_linear(const Params *p, real *x, size_t n, int fan_in, double scale, Rng *rng)
{
    double bound = scale / sqrt((double)fan_in);
    for (size_t i = 0; i < n; i++) switch (p->linear) {
        case LINEAR_FAN_IN_NORMAL: x[i] = (real)(bound * rng_normal(rng)); break;
        case LINEAR_FAN_IN_UNIFORM: x[i] = (real)(bound * (2 * rng_uniform(rng) - 1)); break;
        case LINEAR_NORMAL_002: x[i] = (real)(0.02 * scale * rng_normal(rng)); break;
        }
}

static void init_param(const Params *p, Param *it, uint64_t seed)
{
    char stream[256];
    snprintf(stream, sizeof stream, "init/%s", it->name);
    Rng rng = rng_named(seed, stream);
    const Init *k = &it->init;
    real *x = it->t.x;
    size_t n = tensor_size(&it->t);
    switch (k->kind) {
    case INIT_LINEAR_KIND: init_linear(p, x, n, it->t.dim[0], 1, &rng); break;
    case INIT_OUT_KIND: init_linear(p, x, n, it->t.dim[0], p->residual_scale, &rng); break;
    case INIT_NORMAL_KIND:
        for (size_t i = 0; i < n; i++) x[i] = (real)(k->a * rng_normal(&rng));
        break;
    case INIT_UNIFORM_KIND:
        for (size_t i = 0; i < n; i++) x[i] = (real)(k->a + (k->b - k->a) * rng_uniform(&rng));
        break;
    case INIT_CONST_KIND:
        for (size_t i = 0; i < n; i++) x[i] = (real)k->a;
        break;
    case INIT_FN_KIND: k->fn(x, it->t.dim, it->t.rank, k->a, k->b, &rng); break;
    }
}

void params_finish(Params *p, uint64_t seed)
{
    CHECK(!p->x && !p->prefix[0], "params_finish twice or inside prefix '%s'", p->prefix);
    if (p->owner) CHECK(p->n == p->owner->n, "view has %d parameters, its owner %d", p->n, p->owner->n);
    p->x = p->owner ? p->owner->x : ARENA_NEW(p->arena, real, p->count);
    p->g = ARENA_NEW(p->arena, real, p->count);
    for (int i = 0; i < p->n; i++) {
        p->item[i]->t.x = p->x + p->item[i]->offset;
        if (!p->owner) init_param(p, p->item[i], seed);
    }
    params_bind(p, p->g);
}

void params_bind(Params *p, real *grad)
{
    p->g = grad;
    for (int i = 0; i < p->n; i++) p->item[i]->t.g = grad ? grad + p->item[i]->offset : NULL;
}

size_t params_count(const Params *p) { return p->count; }
size_t params_under(const Params *p, const char *prefix)
{
    size_t n = 0;
    for (int i = 0; i < p->n; i++)
        if (!strncmp(p->item[i]->name, prefix, strlen(prefix))) n += tensor_size(&p->item[i]->t);
    return n;
}

int params_number(const Params *p) { return p->n; }
Param *params_at(const Params *p, int i) { return p->item[i]; }
real *params_values(const Params *p) { return p->x; }
real *params_grads(const Params *p) { return p->g; }

Param *params_find(const Params *p, const char *name)
{
    for (int i = 0; i < p->n; i++)
        if (!strcmp(p->item[i]->name, name)) return p->item[i];
    return NULL;
}
