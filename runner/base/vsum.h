/* SPDX-License-Identifier: Apache-2.0
 * vsum.h - the sums of VLEN vectors at once, as one vector: row sums of kernels whose rows are a few vectors.
 *
 * In float a tree of shuffles and VLEN - 1 vector additions, since summing one vector alone costs as much as three
 * shuffles and three additions; in double (which only proves formulas) element by element.
 */
#ifndef SEQPROBE_VSUM_H
#define SEQPROBE_VSUM_H

#include "base/vmath.h"

/* y[i] = sum of the vector at x + i * VLEN, i = 0..VLEN-1 */
static inline vreal v_sums(const real *x)
{
#if REAL_BITS == 32 && VBYTES == 32
    vreal v[8];
    for (int i = 0; i < 8; i++) v[i] = v_load(x + i * 8);
    for (int i = 0; i < 4; i++)
        v[i] = V_SHUFFLE(v[2 * i], v[2 * i + 1], 0, 8, 1, 9, 4, 12, 5, 13) +
               V_SHUFFLE(v[2 * i], v[2 * i + 1], 2, 10, 3, 11, 6, 14, 7, 15);
    for (int i = 0; i < 2; i++)
        v[i] = V_SHUFFLE(v[2 * i], v[2 * i + 1], 0, 1, 8, 9, 4, 5, 12, 13) +
               V_SHUFFLE(v[2 * i], v[2 * i + 1], 2, 3, 10, 11, 6, 7, 14, 15);
    return V_SHUFFLE(v[0], v[1], 0, 1, 2, 3, 8, 9, 10, 11) + V_SHUFFLE(v[0], v[1], 4, 5, 6, 7, 12, 13, 14, 15);
#elif REAL_BITS == 32
    vreal v[4];
    for (int i = 0; i < 4; i++) v[i] = v_load(x + i * 4);
    for (int i = 0; i < 2; i++)
        v[i] = V_SHUFFLE(v[2 * i], v[2 * i + 1], 0, 4, 1, 5) + V_SHUFFLE(v[2 * i], v[2 * i + 1], 2, 6, 3, 7);
    return V_SHUFFLE(v[0], v[1], 0, 1, 4, 5) + V_SHUFFLE(v[0], v[1], 2, 3, 6, 7);
#else
    vreal y = v_set(0);
    for (int i = 0; i < VLEN; i++) y[i] = v_sum(v_load(x + i * VLEN));
    return y;
#endif
}

#endif
