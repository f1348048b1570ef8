/* SPDX-License-Identifier: Apache-2.0
 * ctx.h - what a mixer's forward pass can see beside its input, and carried state.
 *
 * One mechanism carries everything a mixer keeps from token to token: named slots. Without a State (training) carry_in
 * returns its init and carry_out returns NULL, so nothing is kept. With one, the first chunk starts from init and later
 * chunks from what the slot holds. Streaming evaluation, the test "one pass = two half passes" and the measured state
 * size all follow from it.
 */
#ifndef SEQPROBE_CTX_H
#define SEQPROBE_CTX_H

#include "tape/tape.h"

typedef struct State State;

State *state_new(int batch);                              /* for `batch` sequences */
void   state_free(State *s);
void   state_clear(State *s);                             /* forget all slots: a new sequence starts */
size_t state_reals(const State *s);                       /* sum of slot sizes per sequence */

typedef struct Edge Edge;                                 /* a named tensor passed between layers */

typedef struct Ctx {
    Tape *tape;
    State *state;                                         /* NULL: nothing is carried */
    char prefix[128];                                     /* slot names start with it ("loop0.blocks.1.mixer.") */
    int pos0;                                             /* position of x[:,0] in its sequence */
    bool training;
    long step;
    uint64_t seed; int shard;                             /* dropout streams */
    int layer;
    Edge *edges;
    Tensor *aux_loss;                                     /* sum of ctx_aux_loss, or NULL */
} Ctx;

/* The state a recurrence starts from. dims include B; init NULL = zeros, else (B,...) or (...) broadcast over B. */
Tensor *carry_in_dims(Ctx *c, const char *slot, Tensor *init, int rank, const int *dim);
#define carry_in(c, slot, init, ...) \
    carry_in_dims((c), (slot), (init), (int)(sizeof((int[]){ __VA_ARGS__ }) / sizeof(int)), (int[]){ __VA_ARGS__ })
/* Where the op writes its last state: the slot's buffer, or NULL when nothing is carried. After carry_in. */
real   *carry_out(Ctx *c, const char *slot);
/* Append x (B,T,...) to a growing slot and return everything so far (B,S,...); returns x itself without a State.
 * keep > 0: only the last `keep` positions are kept for the next chunk. The tensor lies in the slot: it is
 * valid until the slot grows again or the state is cleared, and must not be written to. */
Tensor *carry_grow(Ctx *c, const char *slot, Tensor *x, int keep);
/* Random stream of this place and step ("step/<n>", shard, layer and purpose mixed in). */
Rng     ctx_rng(const Ctx *c, const char *purpose);
void    ctx_export(Ctx *c, const char *name, Tensor *t);
Tensor *ctx_import(Ctx *c, const char *name);             /* NULL if nobody exported it */
void    ctx_aux_loss(Ctx *c, Tensor *scalar, double weight);

#endif
