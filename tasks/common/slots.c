/* SPDX-License-Identifier: Apache-2.0
 * slots.c - see slots.h. */
#include "common/slots.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void ids_clear(Ids *s, int vocab) { memset(s->bits, 0, sizeof *s->bits * (size_t)((vocab + 63) / 64)); }

int ids_draw_new(Ids *s, Rng *rng, int low, int n)
{
    int id;
    do id = low + (int)rng_below(rng, (uint32_t)n);
    while (ids_has(s, id));
    s->bits[id / 64] |= (uint64_t)1 << (id % 64);
    return id;
}

/* The first n in a race with rates (g+1)^(a-1), in order of arrival. time[] and slot[] hold the n earliest so far,
 * sorted. */
void slots_draw(Rng *rng, int slots, int n, double a, int *slot)
{
    double time[SLOTS_MAX], latest = 0;
    int have = 0;
    for (int g = 0; g < slots; g++) {
        double arrival = -log((rng_u32(rng) + 0.5) * 0x1p-32) * pow(g + 1.0, 1 - a);
        if (have == n && arrival >= latest) continue;
        int i = have < n ? have++ : n - 1;
        for (; i > 0 && time[i - 1] > arrival; i--) time[i] = time[i - 1], slot[i] = slot[i - 1];
        time[i] = arrival;
        slot[i] = g;
        latest = time[have - 1];
    }
}

void filler_write(Rng *rng, int filler, const Ids *used, int vocab, int values, int *input, int from, int len)
{
    for (int t = from; t < len && filler != FILLER_NONE; t++) {
        if (input[t]) continue;
        int id;
        do id = (int)rng_below(rng, (uint32_t)vocab);
        while (filler == FILLER_DISJOINT && id < values && ids_has(used, id));
        input[t] = id;
    }
}

bool length_even(const Length *l)
{
    bool odd = l->kind == LENGTH_UNIFORM;
    for (int i = 0; i < l->n; i++) odd |= l->v[i] % 2 != 0;
    return !odd;
}

const char *pair_symbol(int id, int values, char *buf)
{
    if (!id) return ".";
    snprintf(buf, 32, "%c%d", id < values ? 'k' : 'v', id < values ? id : id - values);
    return buf;
}

double log2_distinct(int n, int k)
{
    double bits = 0;
    for (int i = 0; i < k; i++) bits += log2(n - i);
    return bits;
}

/* With every block shrunk to one position, a placement is a set of k of the n - k (width - 1) left; sets by Floyd. */
void places_draw(Rng *rng, int n, int k, int width, int *start)
{
    int left = n - k * (width - 1);
    for (int have = 0; have < k; have++) {
        int top = left - k + have, p = (int)rng_below(rng, (uint32_t)top + 1), i = 0;
        while (i < have && start[i] < p) i++;
        if (i < have && start[i] == p) p = top, i = have;
        memmove(start + i + 1, start + i, sizeof *start * (size_t)(have - i));
        start[i] = p;
    }
    for (int i = 0; i < k; i++) start[i] += i * (width - 1);
}
