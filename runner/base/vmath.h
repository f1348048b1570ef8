/* SPDX-License-Identifier: Apache-2.0
 * vmath.h - vectors of reals by compiler extension, and branch-free exp, log, tanh, sigmoid, softplus on them.
 *
 * vreal is 32 bytes with AVX2, else 16; VLEN reals. Float: polynomials that gcc and clang vectorise alike; double:
 * libm element by element (it only proves formulas). Loads and stores are unaligned. No intrinsics, no -ffast-math.
 */
#ifndef SEQPROBE_VMATH_H
#define SEQPROBE_VMATH_H

#include <math.h>
#include <string.h>

#include "base/base.h"

#ifdef __AVX2__
#define VBYTES 32
#else
#define VBYTES 16
#endif
#define VLEN ((int)(VBYTES / sizeof(real)))

typedef real vreal __attribute__((vector_size(VBYTES)));
#if REAL_BITS == 64
typedef int64_t vint __attribute__((vector_size(VBYTES)));
#else
typedef int32_t vint __attribute__((vector_size(VBYTES)));
#endif

static inline vreal v_load(const real *p) { vreal v; memcpy(&v, p, sizeof v); return v; }
static inline void  v_store(real *p, vreal v) { memcpy(p, &v, sizeof v); }
static inline vreal v_set(real x) { return x - (vreal){ 0 }; }   /* "0 + x" would keep an addition for -0 */

#ifdef __clang__
#define V_SHUFFLE(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define V_SHUFFLE(a, b, ...) __builtin_shuffle(a, b, (vint){ __VA_ARGS__ })
#endif

/* The sum of the elements, in a fixed order and without a loop, which gcc would run over memory. */
static inline real v_sum(vreal v)
{
#if REAL_BITS == 32 && VBYTES == 32
    v += V_SHUFFLE(v, v, 4, 5, 6, 7, 0, 1, 2, 3);
#endif
#if REAL_BITS == 64 && VBYTES == 16
    return v[0] + v[1];
#else
    return (v[0] + v[2]) + (v[1] + v[3]);
#endif
}

/* v_exp v_log v_tanh v_sigmoid v_softplus, r_exp ... on scalars, vec_exp ... on arrays. */
#include "base/vmath_impl.h"

#endif
