/* SPDX-License-Identifier: Apache-2.0
 * law.h - sums over the lengths that a law can give, for exact baselines.
 */
#ifndef SEQPROBE_TASKS_LAW_H
#define SEQPROBE_TASKS_LAW_H

#include "base/option.h"

/* How often the law gives length n, of law_total() equally likely cases. */
static inline int law_weight(const Length *l, int n)
{
    if (l->kind == LENGTH_UNIFORM) return n >= length_min(l) && n <= length_max(l);
    int weight = 0;
    for (int i = 0; i < l->n; i++) weight += l->v[i] == n;
    return weight;
}

static inline int law_total(const Length *l)
{
    return l->kind == LENGTH_UNIFORM ? length_max(l) - length_min(l) + 1 : l->n;
}

#endif
