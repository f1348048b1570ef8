/* SPDX-License-Identifier: Apache-2.0
 * lengths.c - see lengths.h. A set may name a length more than once; it is then drawn more often.
 */
#include "common/lengths.h"

double length_share(const Length *l, int n)
{
    if (l->kind == LENGTH_UNIFORM) {
        int lo = length_min(l), hi = length_max(l);
        return n < lo || n > hi ? 0 : 1.0 / (hi - lo + 1);
    }
    int all = l->kind == LENGTH_SET ? l->n : 1, here = 0;
    for (int i = 0; i < all; i++) here += l->v[i] == n;
    return (double)here / all;
}

double length_over(const Length *l, int n)
{
    if (l->kind == LENGTH_UNIFORM) {
        int lo = length_min(l), hi = length_max(l);
        return n < lo ? 1 : n >= hi ? 0 : (double)(hi - n) / (hi - lo + 1);
    }
    int all = l->kind == LENGTH_SET ? l->n : 1, more = 0;
    for (int i = 0; i < all; i++) more += l->v[i] > n;
    return (double)more / all;
}

int length_count(const Length *l, int lo, int hi)
{
    int min = length_min(l), max = length_max(l), count = 0;
    if (lo < min) lo = min;
    if (hi > max) hi = max;
    if (l->kind == LENGTH_UNIFORM || lo > hi) return lo > hi ? 0 : hi - lo + 1;
    for (int i = 0; i < l->n || i < 1; i++) {
        bool first = l->v[i] >= lo && l->v[i] <= hi;
        for (int j = 0; j < i; j++) first &= l->v[j] != l->v[i];
        count += first;
    }
    return count;
}

double length_window_bits(const Length *l, int n, bool every)
{
    int max = length_max(l), best = 0;
    if (every) return max - n + 1 < n - 1 ? max - n + 1 : n - 1;
    if (l->kind == LENGTH_UNIFORM) return length_count(l, max - n + 2, max);
    for (int i = 0; i < l->n || i < 1; i++) {
        int count = length_count(l, l->v[i], l->v[i] + n - 2);
        if (count > best) best = count;
    }
    return best;
}
