/* SPDX-License-Identifier: Apache-2.0
 * golden.h - one golden case: named tensors computed elsewhere in double, and the adapters that replay them on our ops.
 *
 * A case is a folder with case.yaml (op, params, inputs, outputs, grads) and one NAME.npy per tensor; the loss is
 * sum over outputs of <output, cot_output>, grad_NAME.npy is its gradient. An adapter builds the tape from the named
 * inputs and hands every output to golden_want; golden_run then compares outputs and all gradients, each error divided
 * by the tensor's largest absolute entry.
 */
#ifndef SEQPROBE_TESTS_GOLDEN_H
#define SEQPROBE_TESTS_GOLDEN_H

#include "base/file.h"
#include "base/value.h"
#include "tape/tape.h"

typedef enum { GOLDEN_PASSED, GOLDEN_FAILED, GOLDEN_UNSUPPORTED } GoldenStatus;

typedef struct Golden Golden;

/* An adapter returns false for a variant that our ops do not express. */
typedef struct Adapter { const char *op; bool (*run)(Golden *g); } Adapter;
extern const Adapter golden_blocks[], golden_cells[], golden_scans[], golden_attention[], golden_training[];

typedef struct GoldenLeaf { struct GoldenLeaf *next; const char *name; Tensor *t; bool transposed; } GoldenLeaf;
typedef struct GoldenWant { struct GoldenWant *next; const char *name; Tensor *t; double *cot; } GoldenWant;

struct Golden {
    const char *dir, *name, *op;       /* folder; its last part; the op of case.yaml */
    const Value *yaml;
    Arena *arena;
    Tape *tape;
    GoldenLeaf *leaves;
    GoldenWant *wants;
    GoldenStatus status;
    double tolerance, worst; const char *worst_name;
    const char *why;                   /* of a failure */
    const char *disturb;               /* this array's largest entry is read with a relative error of 10 tolerances */
};

/* Read the case in dir; false with a message when it is not one. */
bool golden_open(const char *dir, Arena *a, Golden *out, Err *err);
/* Build, compare outputs, run backward, compare gradients; fills status, worst, why. */
void golden_run(Golden *g, double tolerance);

/* For adapters. Inputs with gradients; golden_weight reads a matrix stored (out,in) as our (in,out). */
Tensor *golden_in(Golden *g, const char *name);
Tensor *golden_weight(Golden *g, const char *name);
Npy     golden_array(Golden *g, const char *name);
bool    golden_has(Golden *g, const char *name);                     /* among the inputs */
double  golden_number(Golden *g, const char *key);                   /* of params */
bool    golden_is(Golden *g, const char *key, const char *text);     /* params.key is text; false if absent */
/* Output NAME is t: compare, and let its cotangent into the loss if it has one. */
void    golden_want(Golden *g, const char *name, Tensor *t);
/* The loss also has sum(t * cot), cot in the arena; for outputs that reach the tape in another form. */
void    golden_cotangent(Golden *g, Tensor *t, const double *cot);
/* Output NAME is these n numbers, without a gradient. */
void    golden_value(Golden *g, const char *name, const double *x, size_t n);
void    golden_reals(Golden *g, const char *name, const real *x, size_t n);

/* Constants and the few ops that only adapters need. */
Tensor *golden_fill(Golden *g, double value, int rank, const int *dim);
#define FILL(g, value, ...) \
    golden_fill((g), (value), (int)(sizeof((int[]){ __VA_ARGS__ }) / sizeof(int)), (int[]){ __VA_ARGS__ })
Tensor *golden_time_slice(Golden *g, Tensor *x, int from, int n);    /* (B,T,N) -> (B,n,N) */
Tensor *golden_time_append(Golden *g, Tensor *x, const double *row); /* (B,T,N) -> (B,T+1,N), row (N) constant */

#endif
