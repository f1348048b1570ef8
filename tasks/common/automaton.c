/* SPDX-License-Identifier: Apache-2.0
 * automaton.c - reachable and equivalent states, laws of the state, memory (see automaton.h).
 */
#include "common/automaton.h"

#include <math.h>
#include <string.h>

enum { N = AUTOMATON_STATES_MAX, WALK_MAX = 100000 };

static int step(const Automaton *m, int s, int a) { return m->next[s * m->symbols + a]; }

static uint64_t image(const Automaton *m, uint64_t set, int a)
{
    uint64_t to = 0;
    for (int s = 0; s < m->states; s++)
        if (set >> s & 1u) to |= (uint64_t)1 << step(m, s, a);
    return to;
}

/* Sets repeat sooner or later; from then on whole periods are skipped (Brent). */
uint64_t automaton_reach(const Automaton *m, int steps)
{
    uint64_t set = (uint64_t)1 << m->start, seen = set;
    int64_t seen_at = 0, power = 1;
    for (int64_t t = 0; t < steps;) {
        uint64_t to = 0;
        for (int a = 0; a < m->symbols; a++) to |= image(m, set, a);
        set = to;
        t++;
        if (set == seen) t += (steps - t) / (t - seen_at) * (t - seen_at);
        if (t - seen_at == power) seen = set, seen_at = t, power *= 2;
    }
    return set;
}

/* Split blocks by the blocks of their successors; with `late` those of the successors alone, else also as they were. */
static int refine(const Automaton *m, const uint8_t *block, bool late, uint8_t *finer)
{
    int first[N], n = 0;
    for (int s = 0; s < m->states; s++) {
        int k = 0;
        for (; k < n; k++) {
            bool same = late || block[s] == block[first[k]];
            for (int a = 0; same && a < m->symbols; a++) same = block[step(m, s, a)] == block[step(m, first[k], a)];
            if (same) break;
        }
        if (k == n) first[n++] = s;
        finer[s] = (uint8_t)k;
    }
    return n;
}

void automaton_minimise(const Automaton *m, Automaton *out)
{
    uint8_t block[N], finer[N], state_of[N], number[N];
    int blocks = 0, n, found = 0;
    memcpy(block, m->out, sizeof block);
    while ((n = refine(m, block, false, finer)) != blocks) blocks = n, memcpy(block, finer, sizeof block);
    memset(number, N, sizeof number);
    *out = (Automaton){ .symbols = m->symbols, .classes = m->classes };
    number[block[m->start]] = (uint8_t)found;
    state_of[found++] = (uint8_t)m->start;
    for (int i = 0; i < found; i++)
        for (int a = 0; a < m->symbols; a++) {
            int to = step(m, state_of[i], a);
            if (number[block[to]] == N) number[block[to]] = (uint8_t)found, state_of[found++] = (uint8_t)to;
            out->next[i * m->symbols + a] = number[block[to]];
        }
    for (int i = 0; i < found; i++) out->out[i] = m->out[state_of[i]];
    out->states = found;
}

/* ---- laws -------------------------------------------------------------------------------------------------------- */

/* Probability that an example has more than t symbols. */
static double longer_than(const Length *l, int t)
{
    if (l->kind == LENGTH_UNIFORM) {
        int lo = length_min(l), hi = length_max(l);
        return t < lo ? 1 : t >= hi ? 0 : (double)(hi - t) / (hi - lo + 1);
    }
    int n = l->kind == LENGTH_SET ? l->n : 1, more = 0;
    for (int i = 0; i < n; i++) more += l->v[i] > t;
    return (double)more / n;
}

static void law_step(const Automaton *m, const double *p, double *next)
{
    memset(next, 0, sizeof(double) * N);
    for (int s = 0; s < m->states; s++)
        for (int a = 0; p[s] > 0 && a < m->symbols; a++) next[step(m, s, a)] += p[s] / m->symbols;
}

static double law_change(const double *p, const double *q)
{
    double most = 0;
    for (int s = 0; s < N; s++) most = fmax(most, fabs(p[s] - q[s]));
    return most;
}

/* Power iteration. The law of the state settles to one of some period; a law equal to that of `seen_at` (moved on at
 * powers of two) shows the period, and what is left of the weights is shared out over one. */
double automaton_majority(const Automaton *m, const Length *len, bool last_only)
{
    double p[N] = { 0 }, next[N], seen[N], share[N] = { 0 }, by_class[N] = { 0 }, best = 0, total = 0, work = 0;
    int end = length_max(len), seen_at = 0, power = 1, period = 0;
    p[m->start] = 1;
    memcpy(seen, p, sizeof seen);
    for (int t = 0; t < end && !period; t++) {
        double weight = last_only ? longer_than(len, t) - longer_than(len, t + 1) : longer_than(len, t);
        if ((work += (double)m->states * m->symbols) > 2e8) return 0;
        law_step(m, p, next);
        memcpy(p, next, sizeof p);
        for (int s = 0; s < m->states; s++) share[s] += weight * p[s];
        total += weight;
        if (law_change(p, seen) < 1e-14) period = t + 1 - seen_at, seen_at = t + 1;
        if (t + 1 - seen_at == power) memcpy(seen, p, sizeof seen), seen_at = t + 1, power *= 2;
    }
    for (int k = 0; k < period && seen_at + k < end; k++) {
        double weight = 0;
        for (int t = seen_at + k; t < end; t += period)
            weight += last_only ? longer_than(len, t) - longer_than(len, t + 1) : longer_than(len, t);
        law_step(m, p, next);
        memcpy(p, next, sizeof p);
        for (int s = 0; s < m->states; s++) share[s] += weight * p[s];
        total += weight;
    }
    for (int s = 0; s < m->states; s++) best = fmax(best, by_class[m->out[s]] += share[s]);
    return best / total;
}

static int blocks_met(const uint8_t *block, uint64_t set)
{
    uint64_t met = 0;
    int n = 0;
    for (int s = 0; s < N; s++)
        if (set >> s & 1u) met |= (uint64_t)1 << block[s];
    for (; met; met &= met - 1) n++;
    return n;
}

/* With r symbols left, two states differ if r symbols lead to different answers: at the last of them, or at any (then
 * more symbols left tell no less apart, and after N nothing changes). r up to N is tried at the end of the example,
 * then the places near its start, where all that differs is told apart. */
int automaton_memory(const Automaton *m, int len, bool last_only)
{
    uint8_t block[N], finer[N], late[N];
    int best = 1, met;
    memcpy(block, m->out, sizeof block);
    for (int r = 1; r < len && r <= N; r++) {
        refine(m, block, true, late);
        met = blocks_met(late, automaton_reach(m, len - r));
        if (met > best) best = met;
        if (!last_only) refine(m, block, false, finer);
        memcpy(block, last_only ? late : finer, sizeof block);
    }
    for (int t = 1; !last_only && t <= len - N && t <= 4 * N; t++) {
        met = blocks_met(late, automaton_reach(m, t));
        if (met > best) best = met;
    }
    return best;
}

double automaton_coalescence(const Automaton *m, int walks, Rng *rng)
{
    double sum = 0;
    for (int i = 0; i < walks; i++) {
        uint64_t set = m->states == 64 ? ~(uint64_t)0 : ((uint64_t)1 << m->states) - 1;
        int t = 0;
        for (; set & (set - 1); t++) {
            if (t == WALK_MAX) return (double)INFINITY;
            set = image(m, set, (int)rng_below(rng, (uint32_t)m->symbols));
        }
        sum += t;
    }
    return sum / walks;
}
