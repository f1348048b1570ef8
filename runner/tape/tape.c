/* SPDX-License-Identifier: Apache-2.0
 * tape.c - tensors and the tape. */
#include "tape/tape.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __SSE__
#include <immintrin.h>
#endif

Tape *tape_new(const char *name, bool grad)
{
    Arena *a = arena_new(name);
    Tape *t = calloc(1, sizeof *t);
    if (!t) out_of_memory(name, sizeof *t, 0);
    t->arena = a;
    t->grad = grad;
    return t;
}

void tape_free(Tape *t)
{
    if (!t) return;
    arena_free(t->arena);
    free(t);
}

void tape_reset(Tape *t)
{
    t->last = NULL;
    arena_reset(t->arena, 0);
}

static Tensor *tensor_new(Tape *t, int rank, const int *dim)
{
    CHECK(rank >= 1 && rank <= RANK_MAX, "tensor of rank %d", rank);
    Tensor *out = ARENA_NEW(t->arena, Tensor, 1);
    out->rank = rank;
    for (int i = 0; i < rank; i++) {
        CHECK(dim[i] >= 0, "axis %d of length %d", i, dim[i]);
        out->dim[i] = dim[i];
    }
    return out;
}

Tensor *tape_tensor(Tape *t, int rank, const int *dim)
{
    Tensor *out = tensor_new(t, rank, dim);
    out->x = ARENA_RAW(t->arena, real, tensor_size(out));
    if (t->grad) out->g = ARENA_NEW(t->arena, real, tensor_size(out));
    return out;
}

Tensor *tape_like(Tape *t, const Tensor *like) { return tape_tensor(t, like->rank, like->dim); }

Tensor *tape_const(Tape *t, int rank, const int *dim)
{
    Tensor *out = tensor_new(t, rank, dim);
    out->x = ARENA_NEW(t->arena, real, tensor_size(out));
    return out;
}

Tensor *tape_push(Tape *t, const char *op, BackFn back, Tensor *out, void *saved, int n_in, Tensor *const *in)
{
    if (!t->grad) return out;
    Node *n = ARENA_NEW(t->arena, Node, 1);
    *n = (Node){ .op = op, .back = back, .out = out, .n_in = n_in, .saved = saved, .arena = t->arena, .prev = t->last };
    n->in = ARENA_NEW(t->arena, Tensor *, n_in);
    memcpy(n->in, in, sizeof(Tensor *) * (size_t)n_in);
    t->last = n;
    return out;
}

void tape_backward(Tape *t, Tensor *out)
{
    CHECK(t->grad && out->g, "backward on a tape without gradients");
    for (size_t i = 0, n = tensor_size(out); i < n; i++) out->g[i] = 1;
    for (Node *n = t->last; n; n = n->prev) n->back(n);
}

size_t tensor_size(const Tensor *t)
{
    size_t n = 1;
    for (int i = 0; i < t->rank; i++) n *= (size_t)t->dim[i];
    return n;
}

int tensor_rows(const Tensor *t)
{
    int n = 1;
    for (int i = 0; i < t->rank - 1; i++) n *= t->dim[i];
    return n;
}

bool same_shape(const Tensor *a, const Tensor *b)
{
    return a->rank == b->rank && !memcmp(a->dim, b->dim, sizeof(int) * (size_t)a->rank);
}

const char *shape_str(const Tensor *t)
{
    static _Thread_local char ring[8][64];
    static _Thread_local int at;
    char *s = ring[at++ & 7];
    if (!t) return "NULL";
    int n = snprintf(s, 64, "(");
    for (int i = 0; i < t->rank; i++) n += snprintf(s + n, 64 - (size_t)n, i ? ",%d" : "%d", t->dim[i]);
    snprintf(s + n, 64 - (size_t)n, ")");
    return s;
}

/* Decaying states and Adam moments sink into denormals, which cost hundreds of cycles each. */
void real_setup(void)
{
#ifdef __SSE__
    _mm_setcsr(_mm_getcsr() | 0x8040u); /* flush to zero, denormals are zero */
#endif
}
