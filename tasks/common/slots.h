/* SPDX-License-Identifier: Apache-2.0
 * slots.h - what recall tasks share: distinct ids, query slots drawn by weight, fillers, places of blocks.
 */
#ifndef SEQPROBE_TASKS_SLOTS_H
#define SEQPROBE_TASKS_SLOTS_H

#include "task.h"

enum { SLOTS_VOCAB_MAX = 65536, SLOTS_LEN_MAX = 32768, SLOTS_MAX = 8192, PLACES_MAX = 1024 };

/* A set of ids below SLOTS_VOCAB_MAX. */
typedef struct {
    uint64_t bits[SLOTS_VOCAB_MAX / 64];
} Ids;

void ids_clear(Ids *s, int vocab);
static inline bool ids_has(const Ids *s, int id) { return s->bits[id / 64] >> (id % 64) & 1u; }
/* Draw an id of low..low+n-1 that is not in s, and put it there; at most about half of them may be taken. */
int ids_draw_new(Ids *s, Rng *rng, int low, int n);

/* n <= SLOTS_MAX of `slots` slots in the order of successive sampling without replacement, weights (g+1)^(a-1). */
void slots_draw(Rng *rng, int slots, int n, double a, int *slot);

/* What stands at positions that hold nothing: id 0; any id but a key of the context; any id. */
enum { FILLER_NONE, FILLER_DISJOINT, FILLER_ANY };
#define FILLER_CHOICES "none|disjoint|any"
/* Write a filler over every id 0 of positions from..len-1; keys are the ids of `used` below `values`. */
void filler_write(Rng *rng, int filler, const Ids *used, int vocab, int values, int *input, int from, int len);

/* Is every length of the law even? */
bool length_even(const Length *l);
/* "." for id 0, then keys k1.. and from id `values` on values v0.. */
const char *pair_symbol(int id, int values, char *buf);
/* log2 of n!/(n-k)!: the ways to give k things distinct values of n. */
double log2_distinct(int n, int k);

/* Starts, in ascending order, of k <= PLACES_MAX disjoint blocks of `width` among n positions; all placements are
 * equally likely. Needs k * width <= n. */
void places_draw(Rng *rng, int n, int k, int width, int *start);

#endif
