/* SPDX-License-Identifier: Apache-2.0
 * vec.h - short loops over rows, shared by the ops: partial vectors, dot products, sums, accumulation.
 *
 * Element-wise loops are left to the compiler; sums, which it may not reorder, are written on vectors here. The order
 * of every sum depends on n alone.
 */
#ifndef SEQPROBE_VEC_H
#define SEQPROBE_VEC_H

#include "base/vmath.h"

/* The first n < VLEN elements; the rest is `fill`. */
static inline vreal v_load_part(const real *p, size_t n, real fill)
{
    vreal v = v_set(fill);
    memcpy(&v, p, n * sizeof(real));
    return v;
}

static inline void v_store_part(real *p, vreal v, size_t n) { memcpy(p, &v, n * sizeof(real)); }

/* The first n <= VLEN elements, most often all of them; what is loaded beyond them is zero. */
static inline vreal v_load_some(const real *p, int n) { return n == VLEN ? v_load(p) : v_load_part(p, (size_t)n, 0); }
static inline void  v_store_some(real *p, vreal v, int n) { n == VLEN ? v_store(p, v) : v_store_part(p, v, (size_t)n); }
static inline void  v_add_some(real *y, vreal v, int n) { v_store_some(y, v_load_some(y, n) + v, n); }

static inline real vec_dot(const real *a, const real *b, size_t n)
{
    const size_t L = (size_t)VLEN;
    vreal s = v_set(0), z = v_set(0);
    size_t i = 0;
    for (; i + 2 * L <= n; i += 2 * L) {
        s += v_load(a + i) * v_load(b + i);
        z += v_load(a + i + L) * v_load(b + i + L);
    }
    for (; i + L <= n; i += L) s += v_load(a + i) * v_load(b + i);
    if (i < n) z += v_load_part(a + i, n - i, 0) * v_load_part(b + i, n - i, 0);
    return v_sum(s + z);
}

static inline real vec_sum(const real *a, size_t n)
{
    vreal s = v_set(0);
    size_t i = 0;
    for (; i + (size_t)VLEN <= n; i += (size_t)VLEN) s += v_load(a + i);
    if (i < n) s += v_load_part(a + i, n - i, 0);
    return v_sum(s);
}

/* y += x */
static inline void vec_add(real *restrict y, const real *restrict x, size_t n)
{
    for (size_t i = 0; i < n; i++) y[i] += x[i];
}

/* y += a x */
static inline void vec_axpy(real *restrict y, real a, const real *restrict x, size_t n)
{
    for (size_t i = 0; i < n; i++) y[i] += a * x[i];
}

/* y += a * b, element by element */
static inline void vec_fma(real *restrict y, const real *restrict a, const real *restrict b, size_t n)
{
    for (size_t i = 0; i < n; i++) y[i] += a[i] * b[i];
}

#endif
