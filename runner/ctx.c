/* SPDX-License-Identifier: Apache-2.0
 * ctx.c - carried state, edges between layers, auxiliary losses, random streams of a place. */
#include "ctx.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* n: reals of state, all sequences. A growing slot's x holds (batch,time,row), more rows than the state between chunks:
 * it is also the tensor that the last carry_grow returned. */
typedef struct Slot {
    struct Slot *next;
    char *name;
    size_t n, cap, row;
    bool filled;
    real *x;
    int time;
} Slot;

struct State {
    int batch;
    Slot *first;
};
struct Edge {
    Edge *next;
    char *name;
    Tensor *t;
};

State *state_new(int batch)
{
    State *s = calloc(1, sizeof *s);
    if (!s) out_of_memory("state", sizeof *s, 0);
    CHECK(batch > 0, "state for %d sequences", batch);
    s->batch = batch;
    return s;
}

void state_clear(State *s)
{
    for (Slot *it = s->first, *next; it; it = next) {
        next = it->next;
        free(it->name);
        free(it->x);
        free(it);
    }
    s->first = NULL;
}

void state_free(State *s)
{
    if (!s) return;
    state_clear(s);
    free(s);
}

size_t state_reals(const State *s)
{
    size_t n = 0;
    for (const Slot *it = s->first; it; it = it->next) n += it->n / (size_t)s->batch;
    return n;
}

static Slot *slot_find(Ctx *c, const char *slot, bool create)
{
    char name[192];
    snprintf(name, sizeof name, "%s%s", c->prefix, slot);
    Slot **at = &c->state->first;
    for (; *at; at = &(*at)->next)
        if (!strcmp((*at)->name, name)) return *at;
    CHECK(create, "slot %s is written before it is read", name);
    Slot *it = *at = calloc(1, sizeof *it);
    if (!it) out_of_memory(name, sizeof *it, 0);
    it->name = malloc(strlen(name) + 1);
    if (!it->name) out_of_memory(name, strlen(name) + 1, 0);
    strcpy(it->name, name);
    return it;
}

static void slot_reserve(Slot *it, size_t n)
{
    if (n <= it->cap) return;
    real *x = realloc(it->x, n * sizeof(real));
    if (!x) out_of_memory(it->name, n * sizeof(real), it->cap * sizeof(real));
    it->x = x;
    it->cap = n;
}

Tensor *carry_in_dims(Ctx *c, const char *slot, Tensor *init, int rank, const int *dim)
{
    if (!c->state) return init;
    Tensor *t = tape_const(c->tape, rank, dim);
    size_t n = tensor_size(t);
    Slot *it = slot_find(c, slot, true);
    CHECK(dim[0] == c->state->batch, "slot %s: batch %d, state holds %d", it->name, dim[0], c->state->batch);
    bool filled = it->filled;
    CHECK(!filled || it->n == n, "slot %s: %zu reals now, %zu before", it->name, n, it->n);
    slot_reserve(it, n);
    it->n = n;
    it->filled = true;
    if (!filled) return init;
    memcpy(t->x, it->x, n * sizeof(real));
    return t;
}

real *carry_out(Ctx *c, const char *slot) { return c->state ? slot_find(c, slot, false)->x : NULL; }

/* (B,old,row) becomes (B,S,row) in place, the last `stay` positions of every sequence at the start of its rows. */
static void slot_move(real *x, int B, int old, int S, int stay, size_t row)
{
    for (int i = 0; i < B; i++) {
        int b = S >= old ? B - 1 - i : i; /* the end that does not run over what is still to move */
        real *to = x + (size_t)b * (size_t)S * row, *from = x + ((size_t)b * (size_t)old + (size_t)(old - stay)) * row;
        if (to != from) memmove(to, from, (size_t)stay * row * sizeof(real));
    }
}

Tensor *carry_grow(Ctx *c, const char *slot, Tensor *x, int keep)
{
    if (!c->state) return x;
    Slot *it = slot_find(c, slot, true);
    int B = x->dim[0], T = x->dim[1], stay = keep > 0 && keep < it->time ? keep : it->time, S = stay + T;
    CHECK(B == c->state->batch, "slot %s: batch %d, state holds %d", it->name, B, c->state->batch);
    size_t row = tensor_size(x) / (size_t)(B * T), need = (size_t)B * (size_t)S * row;
    CHECK(!it->time || row == it->row, "slot %s: %zu reals a position now, %zu before", it->name, row, it->row);
    if (need > it->cap) slot_reserve(it, need * 2);
    if (stay) slot_move(it->x, B, it->time, S, stay, row);
    for (int b = 0; b < B; b++)
        memcpy(it->x + ((size_t)b * (size_t)S + (size_t)stay) * row, x->x + (size_t)b * (size_t)T * row,
               (size_t)T * row * sizeof(real));
    it->time = S;
    it->row = row;
    it->n = (size_t)B * (size_t)(keep > 0 && keep < S ? keep : S) * row;
    Tensor *all = ARENA_NEW(c->tape->arena, Tensor, 1);
    *all = (Tensor){ .x = it->x, .rank = x->rank };
    memcpy(all->dim, x->dim, sizeof all->dim);
    all->dim[1] = S;
    return all;
}

Rng ctx_rng(const Ctx *c, const char *purpose)
{
    char name[128];
    snprintf(name, sizeof name, "step/%ld/shard/%d/layer/%d/%s", c->step, c->shard, c->layer, purpose);
    return rng_named(c->seed, name);
}

void ctx_export(Ctx *c, const char *name, Tensor *t)
{
    Edge *e = ARENA_NEW(c->tape->arena, Edge, 1);
    *e = (Edge){ .next = c->edges, .name = arena_strdup(c->tape->arena, name), .t = t };
    c->edges = e;
}

Tensor *ctx_import(Ctx *c, const char *name)
{
    for (Edge *e = c->edges; e; e = e->next)
        if (!strcmp(e->name, name)) return e->t;
    return NULL;
}

void ctx_aux_loss(Ctx *c, Tensor *scalar, double weight)
{
    Tensor *w = op_affine(c->tape, scalar, weight, 0);
    c->aux_loss = c->aux_loss ? op_add(c->tape, c->aux_loss, w) : w;
}
