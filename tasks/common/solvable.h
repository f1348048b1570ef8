/* SPDX-License-Identifier: Apache-2.0
 * solvable.h - which model classes can do what: rows that several tasks share.
 *
 * A task whose verdict depends on nothing but the kind of problem returns solvable_row(ROW, cls, layers); one with more
 * to say (a group, a number of pairs) answers itself where it knows better and falls back on a row.
 */
#ifndef SEQPROBE_TASKS_SOLVABLE_H
#define SEQPROBE_TASKS_SOLVABLE_H

#include "theory.h"

typedef enum {
    SOLVABLE_PARITY,                   /* the word problem of Z2, and of (Z2)^k */
    SOLVABLE_CYCLIC,                   /* counting modulo m, m not a power of two */
    SOLVABLE_CYCLIC_2,                 /* counting modulo 4, 8, ... */
    SOLVABLE_ENDS,                     /* first symbol against last: even pairs */
    SOLVABLE_STAR_FREE,                /* any other star-free regular language: resets, no group inside */
    SOLVABLE_SOLVABLE,                 /* an automaton whose groups are solvable and not all 2-groups */
    SOLVABLE_UNSOLVABLE,               /* an automaton with A5 or more inside */
    SOLVABLE_STACK,                    /* a stack of unbounded height: brackets, reversal, Dyck-n */
    SOLVABLE_BOUNDED_STACK,            /* a stack of bounded height */
    SOLVABLE_RECALL,                   /* look up one of many bindings of the context */
    SOLVABLE_COPY,                     /* write out again what may be any long string */
    SOLVABLE_COUNTERS,                 /* finitely many unbounded counters: sorting, majority, a^n b^n */
    SOLVABLE_MULTIPLY,                 /* numbers of unbounded length multiplied, or their roots */
    SOLVABLE_SELECT,                   /* keep a few marked symbols among noise */
    SOLVABLE_INDUCTION,                /* what followed this symbol the last time */
    SOLVABLE_NEEDLE,                   /* keep one marked symbol for long */
    SOLVABLE_WINDOW,                   /* a function of the last few symbols */
    SOLVABLE_MEMORISED,                /* a fixed map from the current symbols */
    SOLVABLE_RULE,                     /* infer a local rule, then apply it some times */
    SOLVABLE_ROWS
} SolvableRow;

/* Verdict and reason for a class at a number of layers. CLASS_OTHER is always open. Cannot fail. */
Theory solvable_row(SolvableRow row, TheoryClass cls, int layers);

#endif
