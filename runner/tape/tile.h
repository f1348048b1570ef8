/* SPDX-License-Identifier: Apache-2.0
 * tile.h - products with a narrow right operand, held in registers: the inner loop of the recurrent and attention ops.
 *
 *   out[i][:] = (add ? out[i][:] : 0) + sum_l a[i ra + l ca] b[l ldb + :],   i < m, l < len, c vectors wide (1..4)
 *
 * For m of a few rows a library call costs as much as the product; here a call is a plain function call, the left
 * operand may be read along either axis (ra, ca), and the caller packs b once (rows of c vectors, ldb apart). Sums run
 * over l in order, one multiply-add each, so the bits of a row do not depend on m or on the other rows.
 */
#ifndef SEQPROBE_TILE_H
#define SEQPROBE_TILE_H

#include "tape/vec.h"

enum { TILE_WIDTH = 4 };                                  /* vectors */

void tile_mul(int m, int c, int len, const real *a, size_t ra, size_t ca, const real *b, size_t ldb, real *out,
              size_t ldo, bool add);

/* Round n up to whole vectors. */
static inline int v_pad(int n) { return (n + VLEN - 1) / VLEN * VLEN; }


/* Whole vectors at the end of a row: n elements are left, perhaps fewer than a vector; what is missing is 0. */
static inline vreal v_load_row(const real *p, int n) { return n >= VLEN ? v_load(p) : v_load_part(p, (size_t)n, 0); }
static inline void v_store_row(real *p, vreal v, int n)
{
    if (n >= VLEN) v_store(p, v);
    else v_store_part(p, v, (size_t)n);
}


/* Transpose VLEN x VLEN: to[c][r] = from[r][c]. In registers where eight floats make a vector. */
#if REAL_BITS == 32 && VBYTES == 32 && defined __has_builtin
#if __has_builtin(__builtin_shufflevector)
#define V_TRANSPOSE 1
#endif
#endif
#ifdef V_TRANSPOSE
static inline void v_transpose(real *to, size_t ldt, const real *from, size_t ldf)
{
    vreal a[8], b[8];
    for (size_t i = 0; i < 8; i++) a[i] = v_load(from + i * ldf);
    for (int i = 0; i < 8; i += 2) {
        b[i] = __builtin_shufflevector(a[i], a[i + 1], 0, 8, 1, 9, 4, 12, 5, 13);
        b[i + 1] = __builtin_shufflevector(a[i], a[i + 1], 2, 10, 3, 11, 6, 14, 7, 15);
    }
    for (int i = 0; i < 8; i += 4)
        for (int j = 0; j < 2; j++) {
            a[i + 2 * j] = __builtin_shufflevector(b[i + j], b[i + j + 2], 0, 1, 8, 9, 4, 5, 12, 13);
            a[i + 2 * j + 1] = __builtin_shufflevector(b[i + j], b[i + j + 2], 2, 3, 10, 11, 6, 7, 14, 15);
        }
    for (size_t i = 0; i < 4; i++) {
        v_store(to + i * ldt, __builtin_shufflevector(a[i], a[i + 4], 0, 1, 2, 3, 8, 9, 10, 11));
        v_store(to + (i + 4) * ldt, __builtin_shufflevector(a[i], a[i + 4], 4, 5, 6, 7, 12, 13, 14, 15));
    }
}
#else
static inline void v_transpose(real *to, size_t ldt, const real *from, size_t ldf)
{
    for (size_t i = 0; i < (size_t)VLEN * (size_t)VLEN; i++)
        to[i % (size_t)VLEN * ldt + i / (size_t)VLEN] = from[i / (size_t)VLEN * ldf + i % (size_t)VLEN];
}
#endif

#endif
