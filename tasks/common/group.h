/* SPDX-License-Identifier: Apache-2.0
 * group.h - finite groups by name: Z<n>, D<n>, Q8, S<n>, A<n> and direct products joined by "_x_" ("A4_x_Z5").
 *
 *   S<n>, n = 2..6   element i = i-th permutation of 0..n-1 in lexicographic order; (p o q)(i) = p(q(i))
 *   A<n>, n = 3..6   the even ones of S<n>, in the same order, indexed anew
 *   Z<n>, n = 2..    index = residue, product = sum mod n
 *   D<n>, n = 3..    order 2n; index k: x -> x + k, index n + k: x -> k - x, on the corners 0..n-1 of a polygon
 *   Q8               1 -1 i -i j -j k -k
 *   G_x_H            index = i_G |H| + i_H, componentwise, left-associative
 *
 * Index 0 is always the identity. At most 1024 elements and 8 factors.
 * Indexing of S, A, Z and products as in the group library used by Merrill et al. 2024 (arXiv:2404.08819).
 */
#ifndef SEQPROBE_TASKS_GROUP_H
#define SEQPROBE_TASKS_GROUP_H

#include "base/base.h"

enum { GROUP_ORDER_MAX = 1024, GROUP_FACTORS_MAX = 8, GROUP_POINTS_MAX = 6 };

/* One factor of the name: letter 'Z', 'D', 'Q', 'S' or 'A' and its number. */
typedef struct GroupFactor { char letter; int n, order; } GroupFactor;

/* What the name alone says. */
typedef struct GroupFacts {
    int factors, order;
    GroupFactor factor[GROUP_FACTORS_MAX];
    bool abelian, solvable;
    bool exponent2;                    /* every element is its own inverse: Z2, Z2_x_Z2, ... */
    bool two_group;                    /* the order is a power of 2 */
    int reflections;                   /* Householder factors per element that suffice in one linear layer */
} GroupFacts;

typedef struct Group {
    GroupFacts facts;
    const char *name;
    int order;
    uint16_t *mul;                     /* mul[a * order + b] = a o b */
    int points;                        /* n of a single S<n> or A<n>, else 0 */
    uint8_t *perm;                     /* order x points, one-line notation, or NULL */
    uint8_t *moved;                    /* points an element moves, or NULL */
} Group;

/* Fails for names outside the grammar above; the message lists it. */
bool group_facts(const char *name, GroupFacts *out, Err *err);
bool group_build(const char *name, Arena *a, Group *out, Err *err);
/* Element id in the notation of each factor ("102", "r2", "-k", "7"), factors joined by '.'; buf holds size bytes. */
const char *group_symbol(const GroupFacts *facts, int id, char *buf, size_t size);

#endif
