/* SPDX-License-Identifier: Apache-2.0
 * scan_dplr_kernel.c - see scan_dplr_kernel.h. Each variant is one inlined body with constant flags. */
#include "tape/scan_dplr_kernel.h"
#include "base/vsum.h"
#include "tape/vec.h"

#define INLINE static inline __attribute__((always_inline))

enum { NV_MAX = 4, PLANE = VBYTES / sizeof(real) * VBYTES / sizeof(real) };

INLINE void forward(const int nv, const DplrDecay decay, const bool erase, const bool read, int K,
                    const DplrForwardArgs *x)
{
    const real *S = x->S, *a = x->a, *w = x->w, *q = x->q, *r = x->r_after;
    real *next = x->next;
    vreal u[NV_MAX], p[NV_MAX], o[NV_MAX], a0 = v_set(decay == DECAY_SCALAR ? a[0] : 1);
#pragma GCC unroll 4
    for (int i = 0; i < nv; i++) {
        u[i] = v_load(x->v + i * VLEN);
        if (erase) {
            u[i] -= decay == DECAY_SCALAR ? a0 * v_load(x->p + i * VLEN) : v_load(x->p + i * VLEN);
            v_store(x->u + i * VLEN, u[i]);
        }
        p[i] = o[i] = v_set(0);
    }
    for (int k = 0; k < K; k++, S += nv * VLEN, next += nv * VLEN) {
        const vreal ak = decay == DECAY_CHANNEL ? v_set(a[k]) : a0, wk = v_set(w[k]);
        const vreal rk = v_set(erase ? r[k] : 0), qk = v_set(read ? q[k] : 0);
#pragma GCC unroll 4
        for (int i = 0; i < nv; i++) {
            vreal s = v_load(S + i * VLEN);
            s = (decay ? ak * s : s) + wk * u[i];
            v_store(next + i * VLEN, s);
            if (erase) p[i] += rk * s;
            if (read) o[i] += qk * s;
        }
    }
#pragma GCC unroll 4
    for (int i = 0; i < nv; i++) {
        if (erase) v_store(x->p + i * VLEN, p[i]);
        if (read) v_store(x->o + i * VLEN, x->scale * o[i]);
    }
}

/* Sum the dots of rows k..k+n and add them to the gradients; c = scale u . dout. */
INLINE void add_rows(const DplrDecay decay, const bool erase, const bool read, const DplrBackArgs *x, int k, int n,
                     vreal c)
{
    vreal a = decay == DECAY_SCALAR ? v_set(x->a[0]) : decay ? v_load_some(x->a + k, n) : v_set(1);
    if (x->dw) v_add_some(x->dw + k, v_sums(x->dots), n);
    if (read && x->dq) v_add_some(x->dq + k, a * v_sums(x->dots + PLANE) + c * v_load_some(x->w + k, n), n);
    if (erase && x->dr) v_add_some(x->dr + k, -a * v_sums(x->dots + 2 * PLANE), n);
    if (decay == DECAY_CHANNEL && x->da) v_add_some(x->da + k, v_sums(x->dots + 3 * PLANE), n);
}

INLINE void back(const int nv, const DplrDecay decay, const bool erase, const bool read, int K, const DplrBackArgs *x)
{
    const real *S = x->S, *a = x->a, *q = x->q, *r = x->r, *w = x->w_before;
    real *D = x->D;
    vreal u[NV_MAX], dout[NV_MAX], du[NV_MAX], p[NV_MAX], acc[2], uo = v_set(0);
    const vreal a0 = v_set(decay == DECAY_SCALAR ? x->a[0] : 1);
#pragma GCC unroll 4
    for (int i = 0; i < nv; i++) {
        u[i] = v_load(x->u + i * VLEN);
        du[i] = v_load(x->p + i * VLEN);
        if (read) {
            dout[i] = v_load(x->dout + i * VLEN);
            du[i] += x->wq * dout[i];
            dout[i] *= x->scale;
            uo += u[i] * dout[i];
        }
        v_store(x->du + i * VLEN, du[i]);
        p[i] = acc[i & 1] = v_set(0);
    }
    const vreal c = v_set(read ? v_sum(uo) : 0);
    for (int k0 = 0; k0 < K; k0 += VLEN) {
        const int n = K - k0 < VLEN ? K - k0 : VLEN;
        real *dots = x->dots;
        for (int k = k0; k < k0 + n; k++, S += nv * VLEN, D += nv * VLEN, dots += VLEN) {
            const vreal ak = decay == DECAY_CHANNEL ? v_set(a[k]) : a0, wk = v_set(w[k]);
            const vreal qk = v_set(read ? q[k] : 0), rk = v_set(erase ? r[k] : 0);
            vreal dw = v_set(0), so = v_set(0), su = v_set(0), ds = v_set(0);
#pragma GCC unroll 4
            for (int i = 0; i < nv; i++) {
                vreal d = v_load(D + i * VLEN), s = v_load(S + i * VLEN);
                if (read) {
                    d += qk * dout[i];
                    so += s * dout[i];
                }
                dw += d * u[i];
                if (erase) {
                    d -= rk * du[i];
                    su += s * du[i];
                }
                if (decay == DECAY_SCALAR) acc[i & 1] += d * s;
                if (decay == DECAY_CHANNEL) ds += d * s;
                if (decay) d *= ak;
                p[i] += wk * d;
                v_store(D + i * VLEN, d);
            }
            v_store(dots, dw);
            if (read) v_store(dots + PLANE, so);
            if (erase) v_store(dots + 2 * PLANE, su);
            if (decay == DECAY_CHANNEL) v_store(dots + 3 * PLANE, ds);
        }
        add_rows(decay, erase, read, x, k0, n, c);
    }
#pragma GCC unroll 4
    for (int i = 0; i < nv; i++) v_store(x->p + i * VLEN, p[i]);
    if (decay == DECAY_SCALAR && x->da) x->da[0] += v_sum(nv > 1 ? acc[0] + acc[1] : acc[0]);
}

INLINE void project(const int nv, int K, const real *S, const real *r, real *p)
{
    vreal sum[NV_MAX];
#pragma GCC unroll 4
    for (int i = 0; i < nv; i++) sum[i] = v_set(0);
    for (int k = 0; k < K; k++, S += nv * VLEN) {
#pragma GCC unroll 4
        for (int i = 0; i < nv; i++) sum[i] += r[k] * v_load(S + i * VLEN);
    }
#pragma GCC unroll 4
    for (int i = 0; i < nv; i++) v_store(p + i * VLEN, sum[i]);
}

void dplr_read(int nv, int K, const real *S, const real *r, real *p)
{
    if (nv == 1)
        project(1, K, S, r, p);
    else if (nv == 2)
        project(2, K, S, r, p);
    else
        project(4, K, S, r, p);
}

/* ---- variants -------------------------------------------------------------------------------------------------- */

/* clang-format off */
#define VARIANT(nv, decay, erase, read)                                                                                \
    static void forward_##nv##decay##erase##read(int K, const DplrForwardArgs *x)                                      \
    {                                                                                                                  \
        forward(nv, decay, erase, read, K, x);                                                                         \
    }                                                                                                                  \
    static void back_##nv##decay##erase##read(int K, const DplrBackArgs *x) { back(nv, decay, erase, read, K, x); }
#define VARIANTS(nv, decay)                                                                                            \
    VARIANT(nv, decay, 0, 0) VARIANT(nv, decay, 0, 1) VARIANT(nv, decay, 1, 0) VARIANT(nv, decay, 1, 1)
#define ROW(f, nv, decay) { { f##_##nv##decay##00, f##_##nv##decay##01 }, { f##_##nv##decay##10, f##_##nv##decay##11 } }
#define ROWS(f, nv) { ROW(f, nv, 0), ROW(f, nv, 1), ROW(f, nv, 2) }

VARIANTS(1, 0) VARIANTS(1, 1) VARIANTS(1, 2)
VARIANTS(2, 0) VARIANTS(2, 1) VARIANTS(2, 2)
VARIANTS(4, 0) VARIANTS(4, 1) VARIANTS(4, 2)
    /* clang-format on */

    DplrForward dplr_forward(int nv, DplrDecay decay, bool erase, bool read)
{
    static const DplrForward table[3][3][2][2] = { ROWS(forward, 1), ROWS(forward, 2), ROWS(forward, 4) };
    return table[nv / 2][decay][erase][read];
}

DplrBack dplr_back(int nv, DplrDecay decay, bool erase, bool read)
{
    static const DplrBack table[3][3][2][2] = { ROWS(back, 1), ROWS(back, 2), ROWS(back, 4) };
    return table[nv / 2][decay][erase][read];
}
