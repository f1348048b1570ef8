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

#endif
