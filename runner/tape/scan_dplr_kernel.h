/* SPDX-License-Identifier: Apache-2.0
 * scan_dplr_kernel.h - one micro-step of op_scan_dplr on one block of the value axis.
 *
 * A block is a state S (K,W) of W = nv * VLEN columns, nv = 1, 2 or 4, row-major and contiguous, so that it stays in the
 * first-level cache and every row is a few vectors. Columns are independent given w, r, q, a. Each function makes one
 * pass over the state; what it leaves out (no decay, no erase key, no read) costs nothing.
 */
#ifndef SEQPROBE_SCAN_DPLR_KERNEL_H
#define SEQPROBE_SCAN_DPLR_KERNEL_H

#include "base/vmath.h"

/* next = diag(a) S + w u';  p = next' r (residual of the following micro-step);  o = next' q.  next may be S. */
typedef void (*DplrForward)(int K, const real *S, real *next, const real *a, const real *w, const real *u, const real *r,
                            real *p, const real *q, real *o);

/* D the adjoint of the state after the micro-step, on return of the state before it; S the state before it.
 *   dots[0] = D u, dots[1] = S dout, dots[2] = S du, dots[3] = rowsum(D * S)      one vector per row, to be summed
 *   D = diag(a) D + aq dout' - ar du';  p = D' w (for du of the preceding micro-step);  acc = sum over rows of D * S */
typedef struct DplrBackArgs {
    const real *S, *a, *aq, *ar, *w, *u, *dout, *du;
    real *D, *p, *dots, *acc;
} DplrBackArgs;
typedef void (*DplrBack)(int K, const DplrBackArgs *x);

typedef enum { DECAY_NONE, DECAY_SCALAR, DECAY_CHANNEL } DplrDecay;      /* acc for a scalar, dots[3] per channel */

DplrForward dplr_forward(int nv, bool decay, bool erase, bool read);
DplrBack    dplr_back(int nv, DplrDecay decay, bool erase, bool read);
/* p (W) = S' r */
void dplr_read(int nv, int K, const real *S, const real *r, real *p);
/* sum[k] = sum of the vector at dots + k * VLEN, for K rows rounded up to VLEN. */
void dplr_sum_rows(int K, const real *dots, real *sum);

#endif
