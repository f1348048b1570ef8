/* SPDX-License-Identifier: Apache-2.0
 * vmath_impl.h - the functions of vmath.h. Include vmath.h, not this file.
 *
 * Float: exp by x = n ln 2 + r, |r| <= ln 2 / 2, Taylor of degree 6 in r, 2^n built in the exponent field; the rest
 * follows from exp and log. Out-of-range inputs clamp (exp(-100) is about 1.2e-38, exp(100) about 2.2e38); NaN
 * propagates. Double: libm, element by element.
 */
#ifndef SEQPROBE_VMATH_IMPL_H
#define SEQPROBE_VMATH_IMPL_H

/* Element-wise mask ? a : b, mask all ones or zeros as comparisons give it. */
static inline vreal v_select(vint mask, vreal a, vreal b) { return (vreal)(((vint)a & mask) | ((vint)b & ~mask)); }
static inline vreal v_max(vreal a, vreal b) { return v_select((vint)(a > b), a, b); }
static inline vreal v_min(vreal a, vreal b) { return v_select((vint)(a < b), a, b); }

#if REAL_BITS == 64

#define V_EACH(name, expr)                                                                                            \
    static inline vreal name(vreal v)                                                                                 \
    {                                                                                                                 \
        vreal y = v;                                                                                                  \
        for (int i = 0; i < VLEN; i++) {                                                                              \
            double x = v[i];                                                                                          \
            y[i] = (expr);                                                                                            \
        }                                                                                                             \
        return y;                                                                                                     \
    }
V_EACH(v_exp, exp(x))
V_EACH(v_log, log(x))
V_EACH(v_tanh, tanh(x))
V_EACH(v_sigmoid, x >= 0 ? 1 / (1 + exp(-x)) : exp(x) / (1 + exp(x)))
V_EACH(v_softplus, (x > 0 ? x : 0) + log1p(exp(-fabs(x))))
#undef V_EACH
static inline vreal v_abs(vreal x) { return v_select((vint)(x < 0), -x, x); }

#else

static inline vreal v_abs(vreal x) { return (vreal)((vint)x & 0x7fffffff); }

static inline vreal v_exp(vreal x)
{
    const real magic = 12582912;                          /* 1.5 * 2^23: adding it rounds to an integer */
    x = v_min(v_set((real)88.3), v_max(v_set((real)-87.3), x));   /* in this order a NaN passes */
    vreal t = x * (real)1.44269504 + magic, n = t - magic;
    vreal r = x - n * (real)0.693359375 + n * (real)2.12194440e-4;
    vreal p = r * (real)(1.0 / 720) + (real)(1.0 / 120);
    p = p * r + (real)(1.0 / 24);
    p = p * r + (real)(1.0 / 6);
    p = p * r + (real)0.5;
    p = p * r + (real)1;
    p = p * r + (real)1;
    vint e = ((vint)t - 0x4b400000 + 127) << 23;
    return p * (vreal)e;
}

/* log x, NaN below 0, -87.34 at 0 (x is at least the smallest normal number), 88.72 at infinity.
 * x = 2^e m, m in [sqrt(1/2), sqrt(2)), log m = 2 atanh((m-1)/(m+1)). The select stands between the two products of
 * the sum: which of them a compiler fuses with the addition would differ between vector and scalar code. */
static inline vreal v_log(vreal x)
{
    vint bits = (vint)v_max(x, v_set((real)1.17549435e-38)) - 0x3f3504f3, e = bits >> 23;
    vreal m = (vreal)((bits & 0x007fffff) + 0x3f3504f3), n = __builtin_convertvector(e, vreal);
    vreal s = (m - 1) / (m + 1), z = s * s;
    vreal p = z * (real)(2.0 / 9) + (real)(2.0 / 7);
    p = p * z + (real)(2.0 / 5);
    p = p * z + (real)(2.0 / 3);
    p = p * z + (real)2;
    return v_select((vint)(x >= 0), p * s, v_set((real)NAN)) + n * (real)0.69314718;
}

static inline vreal v_sigmoid(vreal x) { return 1 / (1 + v_exp(-x)); }

/* (e^2x - 1)/(e^2x + 1); near 0, where that cancels, the odd series. */
static inline vreal v_tanh(vreal x)
{
    vreal a = v_abs(x), e = v_exp(-2 * v_min(v_set(9), a)), z = x * x;
    vreal p = z * (real)(-17.0 / 315) + (real)(2.0 / 15);
    p = p * z + (real)(-1.0 / 3);
    vreal small = x + x * z * p, big = (1 - e) / (1 + e);
    return v_select((vint)(a < (real)0.15), small, (vreal)((vint)big | ((vint)x & (vint)v_set((real)-0.0))));
}

/* max(x,0) + log1p(e^-|x|), log1p u = 2 atanh(u/(2+u)). */
static inline vreal v_softplus(vreal x)
{
    vreal u = v_exp(-v_abs(x)), s = u / (2 + u), z = s * s;
    vreal p = z * (real)(2.0 / 11) + (real)(2.0 / 9);
    p = p * z + (real)(2.0 / 7);
    p = p * z + (real)(2.0 / 5);
    p = p * z + (real)(2.0 / 3);
    p = p * z + (real)2;
    return v_max(x, v_set(0)) + p * s;
}

#endif

static inline vreal v_silu(vreal x) { return x * v_sigmoid(x); }

/* Scalars, with the bits of the vector forms. */
static inline real r_exp(real x) { return v_exp(v_set(x))[0]; }
static inline real r_log(real x) { return v_log(v_set(x))[0]; }
static inline real r_tanh(real x) { return v_tanh(v_set(x))[0]; }
static inline real r_sigmoid(real x) { return v_sigmoid(v_set(x))[0]; }
static inline real r_softplus(real x) { return v_softplus(v_set(x))[0]; }

/* Loops over arrays: full vectors, then one padded vector, so that every element takes the same path. */
#define V_LOOP(name, fn)                                                                                              \
    static inline void name(real *y, const real *x, size_t n)                                                         \
    {                                                                                                                 \
        size_t i = 0;                                                                                                 \
        for (; i + (size_t)VLEN <= n; i += (size_t)VLEN) v_store(y + i, fn(v_load(x + i)));                           \
        if (i < n) {                                                                                                  \
            vreal v = v_set(1);                                                                                       \
            memcpy(&v, x + i, (n - i) * sizeof(real));                                                                \
            v = fn(v);                                                                                                \
            memcpy(y + i, &v, (n - i) * sizeof(real));                                                                \
        }                                                                                                             \
    }
V_LOOP(vec_exp, v_exp)
V_LOOP(vec_log, v_log)
V_LOOP(vec_tanh, v_tanh)
V_LOOP(vec_sigmoid, v_sigmoid)
V_LOOP(vec_softplus, v_softplus)
#undef V_LOOP

#endif
