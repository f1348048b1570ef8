/* SPDX-License-Identifier: Apache-2.0
 * optim.c - AdamW, gradient clipping, learning-rate schedules (models-attention section 21 states the orders). */
#include "train/optim.h"

#include <math.h>

void adamw_init(AdamW *o, size_t n, double beta1, double beta2, double eps, Arena *a)
{
    *o = (AdamW){ .beta1 = beta1, .beta2 = beta2, .eps = eps, .beta1_t = 1, .beta2_t = 1, .n = n };
    o->m = ARENA_NEW(a, real, n);
    o->v = ARENA_NEW(a, real, n);
}

void adamw_tick(AdamW *o)
{
    o->t++;
    o->beta1_t *= o->beta1;
    o->beta2_t *= o->beta2;
}

void adamw_update(AdamW *o, size_t at, size_t n, real *p, const real *g, double lr, double weight_decay)
{
    CHECK(o->t > 0 && at + n <= o->n, "adamw: offset %zu + %zu of %zu at t %ld", at, n, o->n, o->t);
    real *m = o->m + at, *v = o->v + at;
    const real b1 = (real)o->beta1, b2 = (real)o->beta2, c1 = (real)(1 - o->beta1), c2 = (real)(1 - o->beta2);
    const real keep = (real)(1 - lr * weight_decay), step = (real)(lr / (1 - o->beta1_t));
    const real root = (real)(1 / sqrt(1 - o->beta2_t)), eps = (real)o->eps;
    for (size_t i = 0; i < n; i++) {
        m[i] = b1 * m[i] + c1 * g[i];
        v[i] = b2 * v[i] + c2 * g[i] * g[i];
#if REAL_BITS == 64
        real s = sqrt(v[i]);
#else
        real s = sqrtf(v[i]);
#endif
        p[i] = p[i] * keep - step * m[i] / (s * root + eps);
    }
}

double grad_norm(const real *g, size_t n)
{
    double sum[8] = { 0 }; /* eight chains: fixed order, vectorisable */
    size_t i = 0;
    for (; i + 8 <= n; i += 8)
        for (int j = 0; j < 8; j++) sum[j] += (double)g[i + (size_t)j] * (double)g[i + (size_t)j];
    for (; i < n; i++) sum[0] += (double)g[i] * (double)g[i];
    double s = 0;
    for (int j = 0; j < 8; j++) s += sum[j];
    return sqrt(s);
}

void grad_clip(real *g, size_t n, double norm, double clip)
{
    if (clip <= 0) return;
    const real f = (real)(clip / (norm + 1e-6));
    if (f >= 1) return;
    for (size_t i = 0; i < n; i++) g[i] *= f;
}

static double cosine(double at, double n, double peak, double floor)
{
    if (at >= n) return floor;
    return floor + 0.5 * (peak - floor) * (1 + cos(3.14159265358979323846 * at / n));
}

double schedule_lr(Schedule kind, long s, long n, long w, long epoch, double peak, double floor)
{
    switch (kind) {
    case SCHEDULE_CONSTANT: return s < w ? peak * (double)(s + 1) / (double)w : peak;
    case SCHEDULE_COSINE_STEP: return cosine((double)s, (double)n, peak, floor);
    case SCHEDULE_COSINE_EPOCH: {
        long e = epoch > 0 ? epoch : 1;
        return cosine((double)(s / e), (double)((n + e - 1) / e), peak, floor);
    }
    case SCHEDULE_WARMUP_COSINE:
        if (s < w) return peak * (double)(s + 1) / (double)w;
        return cosine((double)(s - w), (double)(n - w), peak, floor);
    }
    return peak;
}
