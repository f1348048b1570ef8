/* SPDX-License-Identifier: Apache-2.0
 * states.c - see states.h. */
#include "states.h"

#include <check.h>
#include <string.h>

enum { EXACT_MAX = 64 };

typedef struct Seen {
    int len, input[STATES_LEN_MAX], target[STATES_LEN_MAX];
} Seen;

/* All examples: drawn until 15 times as many as there are brought nothing new. */
static int draw_all(TaskCase *c, Seen *seen)
{
    int n = 0;
    for (int i = 0, last = 0; i - last < 15 * n + 100; i++) {
        Seen s = { 0 };
        task_draw(c, (uint64_t)i);
        ck_assert_int_le(c->e.len, STATES_LEN_MAX);
        s.len = c->e.len;
        memcpy(s.input, c->e.input, (size_t)s.len * sizeof *s.input);
        memcpy(s.target, c->e.target, (size_t)s.len * sizeof *s.target);
        int k = 0;
        while (k < n && memcmp(&seen[k], &s, sizeof s) != 0) k++;
        if (k < n) continue;
        ck_assert_int_lt(n, STATES_EXAMPLES_MAX);
        seen[n++] = s;
        last = i;
    }
    return n;
}

/* Numbers of the pasts of t positions, by example (-1: not longer than t); returns how many there are. */
static int find_pasts(const Seen *seen, int n, int t, int *past)
{
    int pasts = 0;
    for (int i = 0; i < n; i++) {
        int k = 0;
        past[i] = -1;
        if (seen[i].len <= t) continue;
        while (k < i && (past[k] < 0 || memcmp(seen[k].input, seen[i].input, (size_t)t * sizeof(int)) != 0)) k++;
        past[i] = k < i ? past[k] : pasts++;
    }
    return pasts;
}

static bool told_apart(const Seen *x, const Seen *y, int t)
{
    for (int p = t; p < x->len && p < y->len && x->input[p] == y->input[p]; p++)
        if (x->target[p] != IGNORE && y->target[p] != IGNORE && x->target[p] != y->target[p]) return true;
    return false;
}

/* Size of the largest clique that extends one of `size` members by the candidates; edges as bit sets. */
static int clique(const uint64_t *edge, uint64_t candidates, int size)
{
    int best = size;
    while (candidates) {
        if (size + __builtin_popcountll(candidates) <= best) return best;
        int v = __builtin_ctzll(candidates);
        candidates &= candidates - 1;
        int found = clique(edge, candidates & edge[v], size + 1);
        if (found > best) best = found;
    }
    return best;
}

static int greedy(const bool *edge, int n, int from, Arena *arena)
{
    int *member = ARENA_NEW(arena, int, n), size = 0;
    member[size++] = from;
    for (int v = 0; v < n; v++) {
        int i = 0;
        while (i < size && edge[member[i] * n + v]) i++;
        if (i == size) member[size++] = v;
    }
    return size;
}

/* The largest set told apart after t positions. *exact becomes false if it may be larger. */
static int count_after(const Seen *seen, int n, int t, Arena *arena, bool *exact)
{
    int *past = ARENA_NEW(arena, int, n), pasts = find_pasts(seen, n, t, past), kept = 0, best = 0;
    bool *edge = ARENA_NEW(arena, bool, pasts *pasts + 1);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < i && past[i] >= 0; k++)
            if (past[k] >= 0 && past[k] != past[i] && told_apart(&seen[i], &seen[k], t))
                edge[past[i] * pasts + past[k]] = edge[past[k] * pasts + past[i]] = true;
    int *keep = ARENA_NEW(arena, int, pasts + 1);
    for (int v = 0; v < pasts; v++) {
        int i = 0;
        while (i < kept && memcmp(edge + keep[i] * pasts, edge + v * pasts, (size_t)pasts) != 0) i++;
        if (i == kept) keep[kept++] = v;
    }
    for (int v = 0; v < kept; v++) {
        int size = greedy(edge, pasts, keep[v], arena);
        if (size > best) best = size;
    }
    if (kept > EXACT_MAX) {
        *exact = false;
        return best;
    }
    uint64_t bits[EXACT_MAX] = { 0 };
    for (int v = 0; v < kept; v++)
        for (int w = 0; w < kept; w++)
            if (edge[keep[v] * pasts + keep[w]]) bits[v] |= (uint64_t)1 << w;
    return clique(bits, kept == 64 ? ~(uint64_t)0 : ((uint64_t)1 << kept) - 1, 0);
}

int states_count(TaskCase *c, Arena *a, bool *exact)
{
    Seen *seen = ARENA_NEW(a, Seen, STATES_EXAMPLES_MAX);
    int n = draw_all(c, seen), best = 1;
    *exact = true;
    for (int t = 1; t < c->shape.max_len; t++) {
        int states = count_after(seen, n, t, a, exact);
        if (states > best) best = states;
    }
    return best;
}
