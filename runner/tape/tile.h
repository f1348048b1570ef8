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

#include "base/vmath.h"

enum { TILE_WIDTH = 4 };                                  /* vectors */

void tile_mul(int m, int c, int len, const real *a, size_t ra, size_t ca, const real *b, size_t ldb, real *out,
              size_t ldo, bool add);

/* Round n up to whole vectors. */
static inline int v_pad(int n) { return (n + VLEN - 1) / VLEN * VLEN; }

#endif
