/* SPDX-License-Identifier: Apache-2.0
 * expression.h - random expressions with brackets around every operation, their values modulo m, and a parser.
 *
 *   exact    of exactly n tokens: d, -d, (d), (-d) for n 1 to 4; else ( left op right ), with the length of left
 *            uniform in 1..n-4
 *   grown    from a single leaf d, replacing n times a leaf, uniformly chosen, by ( d op d ): 4n + 1 tokens
 *
 * Digits are uniform in 0..m-1, operators uniform among the first `operators` of + - *. Drawing works on a tree of
 * nodes; parsing, meant for solvers, reads tokens with a stack and takes any ids.
 *
 * Source: exact: Deletang et al. 2023 (arXiv:2207.02098); grown: arXiv:2507.05238, repository AUSSM.
 */
#ifndef SEQPROBE_TASKS_EXPRESSION_H
#define SEQPROBE_TASKS_EXPRESSION_H

#include "base/base.h"

enum { EXPRESSION_LEN_MAX = 1 << 14, EXPRESSION_NODES_MAX = EXPRESSION_LEN_MAX / 2 + 1 };

enum { PLUS, MINUS, TIMES, OPERATORS };

/* A leaf (child 0, 1..4 tokens) or an operation on the nodes child and child + 1. Children come after their parents. */
typedef struct ExpressionNode {
    int child, from, len;              /* tokens from .. from+len-1 */
    int value;                         /* of a leaf: its digit */
    int op;
} ExpressionNode;

typedef struct Expression {
    int m, operators, nodes;
    ExpressionNode node[EXPRESSION_NODES_MAX];
} Expression;

/* Ids of the tokens: digits from `digit` on; x is the unknown, or -1. */
typedef struct ExpressionIds { int digit, op[OPERATORS], open, close, x; } ExpressionIds;

void expression_draw(Expression *e, int m, int operators, int n, Rng *rng);
void expression_grow(Expression *e, int m, int operators, int n, Rng *rng);
/* Write the tokens, node[0].len of them, and return the number of brackets that are open at once. */
int  expression_write(const Expression *e, const ExpressionIds *ids, int *out);
/* Value modulo m of the whole. */
int  expression_value(const Expression *e);

/* a x + b modulo m. */
typedef struct Linear { int a, b; } Linear;

Linear expression_parse(const ExpressionIds *ids, int m, const int *token, int n);

/* Laws of the value: law[n * m + v] for n 1..most tokens, or grown n 0..most times. Returns false, and writes nothing,
 * if that takes more than EXPRESSION_LAW_MAX numbers or too long. */
enum { EXPRESSION_LAW_MAX = 1 << 14 };
bool expression_laws(bool grown, int m, int operators, int most, double *law);

/* Levels at which both a bracket and its left operand and operator can be pending in n tokens: each level
 * ( d op ( ... op d ) ) takes 8 tokens, the innermost ( d op d ) takes 5. */
int expression_levels(int n);
/* How many of 0..m-1 are invertible modulo m. */
int expression_units(int m);

#endif
