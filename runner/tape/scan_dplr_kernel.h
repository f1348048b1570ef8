/* SPDX-License-Identifier: Apache-2.0
 * scan_dplr_kernel.h - one micro-step of op_scan_dplr on one block of the value axis.
 *
 * A block is a state S (K,W) of W = nv * VLEN columns, nv = 1, 2 or 4, row-major and contiguous, so that it stays in
 * the first-level cache and every row is a few vectors. Columns are independent given w, r, q, a. Each function makes
 * one pass over the state; what a variant leaves out (no decay, no erase key, no read) costs nothing.
 */
#ifndef SEQPROBE_SCAN_DPLR_KERNEL_H
#define SEQPROBE_SCAN_DPLR_KERNEL_H

#include "base/vmath.h"

typedef enum { DECAY_NONE, DECAY_SCALAR, DECAY_CHANNEL } DplrDecay;

/* u = v - g p  with p = S' r of this micro-step as the pass before left it (g = a[0] for a scalar decay, else 1: a
 * decay per channel is already in r);  next = diag(a) S + w u';  o = scale next' q;  p = next' r_after.
 * next may be S. */
typedef struct DplrForwardArgs {
    const real *S, *a, *w, *v, *q, *r_after;
    real *next, *p, *u, *o;
    real scale;
} DplrForwardArgs;
typedef void (*DplrForward)(int K, const DplrForwardArgs *x);
DplrForward dplr_forward(int nv, DplrDecay decay, bool erase, bool read);

/* D is the adjoint of the state after the micro-step, on return of the state before it; S the state before it, u as the
 * forward pass had it; wq = scale w . q. p = D' w on entry, D' w_before on return.
 *   du = p + wq dout;  D += scale q dout';  dw += D u;  D -= r du';  da += rowsum(D * S);  D = diag(a) D
 *   dq += scale (a * S dout + w (u . dout));  dr -= a * S du */
typedef struct DplrBackArgs {
    const real *S, *a, *q, *w, *r, *w_before, *u, *dout;
    real wq, scale;
    real *D, *p, *du;
    real *dq, *dw, *dr, *da;           /* rows of gradients, NULL: not wanted */
    real *dots;                        /* scratch, 4 * VLEN * VLEN, initialised */
} DplrBackArgs;
typedef void (*DplrBack)(int K, const DplrBackArgs *x);
DplrBack dplr_back(int nv, DplrDecay decay, bool erase, bool read);

/* p (W) = S' r */
void dplr_read(int nv, int K, const real *S, const real *r, real *p);

#endif
