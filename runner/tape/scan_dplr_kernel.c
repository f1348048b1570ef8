/* SPDX-License-Identifier: Apache-2.0
 * scan_dplr_kernel.c - see scan_dplr_kernel.h. Each variant is one inlined body with constant flags. */
#include "tape/scan_dplr_kernel.h"
#include "base/vsum.h"

#define INLINE static inline __attribute__((always_inline))

enum { NV_MAX = 4 };

INLINE void forward(const int nv, const bool decay, const bool erase, const bool read, int K, const real *S, real *next,
                    const real *a, const real *w, const real *u, const real *r, real *p, const real *q, real *o)
{
    vreal vu[NV_MAX], vp[NV_MAX], vo[NV_MAX];
    for (int i = 0; i < nv; i++) {
        vu[i] = v_load(u + i * VLEN);
        vp[i] = vo[i] = v_set(0);
    }
    for (int k = 0; k < K; k++, S += nv * VLEN, next += nv * VLEN) {
        const vreal ak = v_set(decay ? a[k] : 1), wk = v_set(w[k]), rk = v_set(erase ? r[k] : 0), qk = v_set(read ? q[k] : 0);
        for (int i = 0; i < nv; i++) {
            vreal x = v_load(S + i * VLEN);
            x = (decay ? ak * x : x) + wk * vu[i];
            v_store(next + i * VLEN, x);
            if (erase) vp[i] += rk * x;
            if (read) vo[i] += qk * x;
        }
    }
    for (int i = 0; i < nv; i++) {
        if (erase) v_store(p + i * VLEN, vp[i]);
        if (read) v_store(o + i * VLEN, vo[i]);
    }
}

INLINE void back(const int nv, const DplrDecay decay, const bool erase, const bool read, int K, const DplrBackArgs *x)
{
    const real *S = x->S, *a = x->a, *aq = x->aq, *ar = x->ar, *w = x->w;
    real *D = x->D, *dots = x->dots;
    const int P = (K + VLEN - 1) / VLEN * VLEN * VLEN;    /* one plane of dots */
    vreal u[NV_MAX], dout[NV_MAX], du[NV_MAX], p[NV_MAX], acc[NV_MAX];
    for (int i = 0; i < nv; i++) {
        u[i] = v_load(x->u + i * VLEN);
        if (read) dout[i] = v_load(x->dout + i * VLEN);
        if (erase) du[i] = v_load(x->du + i * VLEN);
        p[i] = acc[i] = v_set(0);
    }
    for (int k = 0; k < K; k++, S += nv * VLEN, D += nv * VLEN, dots += VLEN) {
        const vreal ak = v_set(decay ? a[k] : 1), wk = v_set(w[k]);
        const vreal qk = v_set(read ? aq[k] : 0), rk = v_set(erase ? ar[k] : 0);
        vreal du_row = v_set(0), so = v_set(0), su = v_set(0), ds = v_set(0);
        for (int i = 0; i < nv; i++) {
            vreal d = v_load(D + i * VLEN), s = v_load(S + i * VLEN);
            du_row += d * u[i];
            if (read) so += s * dout[i];
            if (erase) su += s * du[i];
            if (decay == DECAY_SCALAR) acc[i] += d * s;
            if (decay == DECAY_CHANNEL) ds += d * s;
            if (decay) d *= ak;
            if (read) d += qk * dout[i];
            if (erase) d -= rk * du[i];
            p[i] += wk * d;
            v_store(D + i * VLEN, d);
        }
        v_store(dots, du_row);
        if (read) v_store(dots + P, so);
        if (erase) v_store(dots + 2 * P, su);
        if (decay == DECAY_CHANNEL) v_store(dots + 3 * P, ds);
    }
    vreal sum = acc[0];
    for (int i = 1; i < nv; i++) sum += acc[i];
    if (decay == DECAY_SCALAR) v_store(x->acc, sum);
    for (int i = 0; i < nv; i++) v_store(x->p + i * VLEN, p[i]);
}

INLINE void project(const int nv, int K, const real *S, const real *r, real *p)
{
    vreal vp[NV_MAX];
    for (int i = 0; i < nv; i++) vp[i] = v_set(0);
    for (int k = 0; k < K; k++, S += nv * VLEN) {
        for (int i = 0; i < nv; i++) vp[i] += r[k] * v_load(S + i * VLEN);
    }
    for (int i = 0; i < nv; i++) v_store(p + i * VLEN, vp[i]);
}

#define FORWARD(nv, decay, erase, read)                                                                               \
    static void forward_##nv##decay##erase##read(int K, const real *S, real *next, const real *a, const real *w,      \
                                                 const real *u, const real *r, real *p, const real *q, real *o)       \
    {                                                                                                                 \
        forward(nv, decay, erase, read, K, S, next, a, w, u, r, p, q, o);                                             \
    }
#define BACK(nv, decay, erase, read)                                                                                  \
    static void back_##nv##decay##erase##read(int K, const DplrBackArgs *x) { back(nv, decay, erase, read, K, x); }

/* Apply M to all flags of a width: decay 0, 1, 2 (forward: 0, 1), erase, read. */
#define FLAGS(M, nv, decay) M(nv, decay, 0, 0) M(nv, decay, 0, 1) M(nv, decay, 1, 0) M(nv, decay, 1, 1)
#define ROW(name, nv, decay)                                                                                          \
    { { name##_##nv##decay##00, name##_##nv##decay##01 }, { name##_##nv##decay##10, name##_##nv##decay##11 } }

FLAGS(FORWARD, 1, 0) FLAGS(FORWARD, 1, 1)
FLAGS(FORWARD, 2, 0) FLAGS(FORWARD, 2, 1)
FLAGS(FORWARD, 4, 0) FLAGS(FORWARD, 4, 1)
FLAGS(BACK, 1, 0) FLAGS(BACK, 1, 1) FLAGS(BACK, 1, 2)
FLAGS(BACK, 2, 0) FLAGS(BACK, 2, 1) FLAGS(BACK, 2, 2)
FLAGS(BACK, 4, 0) FLAGS(BACK, 4, 1) FLAGS(BACK, 4, 2)

static int width_index(int nv)
{
    CHECK(nv == 1 || nv == 2 || nv == 4, "block of %d vectors", nv);
    return nv / 2;
}

DplrForward dplr_forward(int nv, bool decay, bool erase, bool read)
{
    static const DplrForward table[3][2][2][2] = {
        { ROW(forward, 1, 0), ROW(forward, 1, 1) },
        { ROW(forward, 2, 0), ROW(forward, 2, 1) },
        { ROW(forward, 4, 0), ROW(forward, 4, 1) },
    };
    return table[width_index(nv)][decay][erase][read];
}

DplrBack dplr_back(int nv, DplrDecay decay, bool erase, bool read)
{
    static const DplrBack table[3][3][2][2] = {
        { ROW(back, 1, 0), ROW(back, 1, 1), ROW(back, 1, 2) },
        { ROW(back, 2, 0), ROW(back, 2, 1), ROW(back, 2, 2) },
        { ROW(back, 4, 0), ROW(back, 4, 1), ROW(back, 4, 2) },
    };
    return table[width_index(nv)][decay][erase][read];
}

void dplr_read(int nv, int K, const real *S, const real *r, real *p)
{
    if (nv == 1) project(1, K, S, r, p);
    else if (nv == 2) project(2, K, S, r, p);
    else project(4, K, S, r, p);
}

void dplr_sum_rows(int K, const real *dots, real *sum)
{
    for (int k = 0; k < K; k += VLEN) v_store(sum + k, v_sums(dots + k * VLEN));
}
