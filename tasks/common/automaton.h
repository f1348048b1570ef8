/* SPDX-License-Identifier: Apache-2.0
 * automaton.h - finite automata by their tables: reading, minimising, laws, memory, and what their maps generate.
 *
 * A state set is a bit mask. Symbols are independent and uniform wherever a law is asked for.
 */
#ifndef SEQPROBE_TASKS_AUTOMATON_H
#define SEQPROBE_TASKS_AUTOMATON_H

#include "base/option.h"
#include "theory.h"

enum { AUTOMATON_STATES_MAX = 64, AUTOMATON_SYMBOLS_MAX = 64 };

typedef struct Automaton {
    int states, symbols, start, classes;
    uint8_t next[AUTOMATON_STATES_MAX * AUTOMATON_SYMBOLS_MAX];   /* of state s after symbol a: next[s * symbols + a] */
    uint8_t out[AUTOMATON_STATES_MAX];                            /* class of each state, 0..classes-1 */
} Automaton;

/* What the maps of the symbols generate under composition (the transition monoid). */
typedef struct AutomatonFacts {
    int size;                          /* maps, without the identity if no word gives it; 0: too many to list */
    bool definite;                     /* the last few symbols fix the state */
    bool permutations;                 /* every symbol permutes the states: a group */
    bool aperiodic;                    /* no group inside: star-free. Like those below false where size is 0 */
    bool exponent2, abelian, two_groups, solvable;   /* of every group inside */
} AutomatonFacts;

/* Read `table: [[...], ...]` (by state, then by symbol), optional `start` (0) and `emission` (a class of each state)
 * from a YAML file. out->out is the state itself without emission. Errors give file:line:col; code EXIT_USAGE. */
bool automaton_read(const char *path, Arena *a, Automaton *out, Err *err);

/* The states that exactly `steps` symbols can reach from the start. */
uint64_t automaton_reach(const Automaton *m, int steps);
/* The reachable part with states of equal future merged, numbered breadth first from the start (0), symbols
 * in order. */
void automaton_minimise(const Automaton *m, Automaton *out);
/* Share of the commonest class over all scored positions: after every symbol, or after the last only. Exact; 0 where it
 * would take too long. */
double automaton_majority(const Automaton *m, const Length *len, bool last_only);
/* The largest number of states, reached by equally many of `len` symbols, that the answers still to come tell apart. */
int automaton_memory(const Automaton *m, int len, bool last_only);
/* Mean number of uniform symbols until it no longer matters in which state one started, over `walks` walks; infinite
 * if some walk never gets there within 10^5 symbols. */
double automaton_coalescence(const Automaton *m, int walks, Rng *rng);
AutomatonFacts automaton_facts(const Automaton *m);
/* Verdict by what the maps generate. Open where that is not known. */
Theory automaton_theory(const AutomatonFacts *f, int states, TheoryClass cls, int layers);

#endif
