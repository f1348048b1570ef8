/* SPDX-License-Identifier: Apache-2.0
 * grammar.h - random grammars whose symbols are shared by several states (SelectivBench), and their strings.
 *
 * Symbol 0 and state 0 are the end of a string; letters are 1..letters, the states of each letter follow one another. A
 * state and the next symbol fix the next state; after the end a string starts anew in one of a few start states, no two
 * of which have the same letter.
 */
#ifndef SEQPROBE_TASKS_GRAMMAR_H
#define SEQPROBE_TASKS_GRAMMAR_H

#include "base/base.h"

enum { GRAMMAR_LETTERS_MAX = 64, GRAMMAR_DEPTH_MAX = 64 };

typedef struct GrammarSpec {
    int letters, ambiguous, depth;     /* `ambiguous` of the letters have `depth` states, the others one */
    double density;                    /* an edge to a letter of m states has probability m density / depth (or 1) */
    int starts;
} GrammarSpec;

typedef struct Grammar {
    int letters, states, starts;       /* states: with the end */
    int start[GRAMMAR_LETTERS_MAX];
    int *symbol_of;                    /* of a state */
    int *edge, *to;                    /* successors of s: to[edge[s]] .. to[edge[s + 1] - 1], equally likely */
    int limit;
    float *ends;                       /* [r * states + s]: probability that s reaches the end within r steps */
} Grammar;

/* Draw a grammar in which every state has a path to the end; false after `tries` without one. */
bool grammar_draw(const GrammarSpec *spec, int tries, Rng *rng, Arena *a, Grammar *out);
/* Prepare the law of strings of at most `limit` elements, the end included: random walks from a random start state,
 * given that they end in time. False if none does. */
bool grammar_bound(Grammar *g, int limit, Arena *a);
/* The next state of such a string after `s` as its element number `at` (from 1); at 0 a start state. */
int  grammar_step(const Grammar *g, int s, int at, Rng *rng);
/* The state after symbol `a` in state s (0: a start state); -1 if it cannot follow. */
int  grammar_read(const Grammar *g, int s, int a);

#endif
