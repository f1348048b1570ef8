/* SPDX-License-Identifier: Apache-2.0
 * gradcheck.h - one row per op and shape: its gradients proved in double, its float code compared with double.
 *
 * A case names its input tensors; build() makes an output from them with the op under test. Inputs are drawn uniformly
 * from [lo, hi] and rounded to float, so that both builds see the same numbers. What is checked of every case:
 *
 *   double  every coordinate of every input against central differences (h = 1e-5) of sum(output * random cotangent):
 *           relative error < 1e-6, the denominator at least 1 % of that input's largest gradient and at least 1e-3
 *   float   output and gradients against those of the double program (run with --dump), relative 1e-4, the denominator
 *           at least 10 % of the largest magnitude of the array
 *   both    gradients accumulate (+=); an input with g == NULL leaves the other gradients bit-identical; a tape without
 *           gradients gives the same output bits and records nothing; inputs are not written to
 *
 * A test program is a table of cases and a call of gradcheck_main. Its --list prints the ops it covers, its --worst (in
 * double) the worst error of the table.
 */
#ifndef SEQPROBE_GRADCHECK_H
#define SEQPROBE_GRADCHECK_H

#include <check.h>

#include "tape/tape.h"

enum { GRAD_IN_MAX = 12 };

typedef struct GradIn { const char *name; int rank, dim[RANK_MAX]; double lo, hi; } GradIn;   /* lo == hi: [-1, 1] */

typedef struct GradCase GradCase;
typedef Tensor *GradBuild(Tape *t, Tensor **in, const GradCase *c);
struct GradCase {
    const char *op;                    /* the symbol, such as "op_linear" */
    const char *variant;               /* distinguishes the rows of one op in messages: "no bias, T = 1" */
    GradBuild *build;
    GradIn in[GRAD_IN_MAX];            /* ends at the first without a name */
    double arg[6];                     /* for build: an epsilon, a flag */
    int stride;                        /* check every stride-th coordinate; 0 or 1: all */
    double tol32;                      /* float against double; 0: 1e-4 */
};

/* A row: GRAD("op_X", "odd", build_x, .in = { IN("x", 2, 7, 5), IN_RANGE("a", 0.5, 1, 2, 7) }, .arg = { 1e-5 }) */
#define GRAD(op_, variant_, build_, ...) { .op = (op_), .variant = (variant_), .build = (build_), __VA_ARGS__ }
#define IN(name_, ...) { .name = (name_), .rank = (int)(sizeof((int[]){ __VA_ARGS__ }) / sizeof(int)), \
                         .dim = { __VA_ARGS__ } }
#define IN_RANGE(name_, lo_, hi_, ...) { .name = (name_), .lo = (lo_), .hi = (hi_), \
                         .rank = (int)(sizeof((int[]){ __VA_ARGS__ }) / sizeof(int)), .dim = { __VA_ARGS__ } }

/* Fill x with n values of [lo, hi], rounded to float, from a stream of this name. */
void gradcheck_fill(real *x, size_t n, double lo, double hi, const char *stream);

/* Double build: the worst relative error of the case; *where (may be NULL) describes the coordinate. */
double gradcheck(const GradCase *c, const char **where);

/* Run the cases (and what `more`, may be NULL, adds to the suite) as a Check program; returns main's exit code.
 * Arguments: --list prints the op names, --dump writes output and gradients of every case. */
int gradcheck_main(int argc, char **argv, const char *suite, const GradCase *cases, int n, void (*more)(Suite *s));

/* The folder of the running build: $BUILD, else the parent of the program's folder. */
const char *gradcheck_build_dir(void);

#endif
