/* SPDX-License-Identifier: Apache-2.0
 * grammar.c - see grammar.h. */
#include "common/grammar.h"

#include <string.h>

/* States of each letter, and which letters have several. */
static void draw_states(const GrammarSpec *spec, Rng *rng, Grammar *g, int *first)
{
    int pick[GRAMMAR_LETTERS_MAX], scratch[GRAMMAR_LETTERS_MAX], n = 1;
    bool several[GRAMMAR_LETTERS_MAX] = { false };
    rng_choose(rng, spec->letters, spec->ambiguous, pick, scratch);
    for (int i = 0; i < spec->ambiguous; i++) several[pick[i]] = true;
    g->symbol_of[0] = first[0] = 0;
    for (int a = 1; a <= spec->letters; a++) {
        first[a] = n;
        for (int k = several[a - 1] ? spec->depth : 1; k > 0; k--) g->symbol_of[n++] = a;
    }
    first[spec->letters + 1] = n;
}

static void draw_edges(const GrammarSpec *spec, Rng *rng, Grammar *g, const int *first)
{
    int n = 0;
    g->edge[0] = g->edge[1] = 0;
    for (int s = 1; s < g->states; s++) {
        for (int a = 0; a <= spec->letters; a++) {
            int m = first[a + 1] - first[a], to = first[a] + (int)rng_below(rng, (uint32_t)m);
            if (rng_uniform(rng) < m * spec->density / spec->depth) g->to[n++] = to;
        }
        g->edge[s + 1] = n;
    }
}

/* States in random order, leaving out those whose letter is taken. */
static void draw_starts(const GrammarSpec *spec, Rng *rng, Grammar *g, int *order)
{
    bool taken[GRAMMAR_LETTERS_MAX + 1] = { false };
    for (int s = 1; s < g->states; s++) order[s - 1] = s;
    rng_shuffle(rng, order, g->states - 1);
    g->starts = 0;
    for (int i = 0; g->starts < spec->starts; i++) {
        int a = g->symbol_of[order[i]];
        if (!taken[a]) g->start[g->starts++] = order[i];
        taken[a] = true;
    }
}

/* Whether every state has a path to the end. */
static bool all_end(const Grammar *g, bool *ends)
{
    int left = g->states - 1;
    memset(ends, 0, sizeof *ends * (size_t)g->states);
    ends[0] = true;
    for (bool more = true; more && left;) {
        more = false;
        for (int s = 1; s < g->states; s++)
            for (int i = g->edge[s]; !ends[s] && i < g->edge[s + 1]; i++)
                if (ends[g->to[i]]) ends[s] = more = true, left--;
    }
    return left == 0;
}

bool grammar_draw(const GrammarSpec *spec, int tries, Rng *rng, Arena *a, Grammar *out)
{
    int states = 1 + spec->letters + spec->ambiguous * (spec->depth - 1), first[GRAMMAR_LETTERS_MAX + 2];
    *out = (Grammar){ .letters = spec->letters, .states = states };
    out->symbol_of = ARENA_NEW(a, int, states);
    out->edge = ARENA_NEW(a, int, states + 1);
    out->to = ARENA_NEW(a, int, states *(spec->letters + 1));
    int *order = ARENA_NEW(a, int, states);
    bool *ends = ARENA_NEW(a, bool, states);
    for (int i = 0; i < tries; i++) {
        draw_states(spec, rng, out, first);
        draw_edges(spec, rng, out, first);
        if (!all_end(out, ends)) continue;
        draw_starts(spec, rng, out, order);
        return true;
    }
    return false;
}

bool grammar_bound(Grammar *g, int limit, Arena *a)
{
    size_t n = (size_t)g->states;
    double some = 0;
    g->limit = limit;
    g->ends = ARENA_NEW(a, float, n *(size_t)limit);
    for (int r = 0; r < limit; r++) {
        float *now = g->ends + (size_t)r * n;
        now[0] = 1;
        for (int s = 1; r > 0 && s < g->states; s++) {
            double sum = 0;
            for (int i = g->edge[s]; i < g->edge[s + 1]; i++) sum += (double)(now - n)[g->to[i]];
            now[s] = (float)(sum / (g->edge[s + 1] - g->edge[s]));
        }
    }
    for (int i = 0; i < g->starts; i++) some += (double)g->ends[(size_t)(limit - 1) * n + (size_t)g->start[i]];
    return some > 0;
}

int grammar_step(const Grammar *g, int s, int at, Rng *rng)
{
    const float *ends = g->ends + (size_t)(g->limit - at - 1) * (size_t)g->states;
    const int *to = at ? g->to + g->edge[s] : g->start;
    int n = at ? g->edge[s + 1] - g->edge[s] : g->starts, last = to[0];
    double sum = 0, reached = 0, u = rng_uniform(rng);
    for (int i = 0; i < n; i++) sum += (double)ends[to[i]];
    for (int i = 0; i < n; i++) {
        if (!(ends[to[i]] > 0)) continue;
        last = to[i];
        if (u * sum < (reached += (double)ends[last])) break;
    }
    return last;
}

int grammar_read(const Grammar *g, int s, int a)
{
    const int *to = s ? g->to + g->edge[s] : g->start;
    int n = s ? g->edge[s + 1] - g->edge[s] : g->starts;
    for (int i = 0; i < n; i++)
        if (g->symbol_of[to[i]] == a) return to[i];
    return -1;
}
