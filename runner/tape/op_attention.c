/* SPDX-License-Identifier: Apache-2.0
 * op_attention.c - causal softmax attention with grouped heads, a cache and a window.
 *
 *   q (B,T,H,K), k (B,S,HK,K), v (B,S,HK,V), S >= T, HK divides H -> o (B,T,H,V); head h reads key head h / (H/HK)
 *   s_tj = scale <q_t, k_j>,  j in [lo_t, p_t],  p_t = S-T+t,  lo_t = 0 or max(0, p_t-window+1)
 *   p_tj = exp(s_tj - L_t),  L_t = log sum_j exp s_tj,  o_t = sum_j p_tj v_j
 *   dv_j += p_tj do_t;  delta_t = <do_t, o_t>;  ds_tj = p_tj (<do_t, v_j> - delta_t)
 *   dq_t += scale sum_j ds_tj k_j;  dk_j += scale sum_t ds_tj q_t        (dk, dv summed over the heads of a group)
 *
 * Only L is kept; the backward pass recomputes p. CHECKs on shapes.
 * Source: Vaswani et al. 2017 (arXiv:1706.03762); recomputation from L: Dao et al. 2022 (arXiv:2205.14135); grouped
 * heads: Ainslie et al. 2023 (arXiv:2305.13245).
 */
#include "tape/tape.h"

#include <math.h>
#include <string.h>

typedef struct Saved {
    double *lse;
    double scale;
    int window;
} Saved; /* lse (B,H,T) */

static real dot(const real *a, const real *b, int n)
{
    real s = 0;
    for (int i = 0; i < n; i++) s += a[i] * b[i];
    return s;
}

static int first_key(int p, int window) { return window > 0 && p >= window ? p - window + 1 : 0; }

static void back(Node *n)
{
    Tensor *q = n->in[0], *k = n->in[1], *v = n->in[2], *o = n->out;
    const Saved *s = n->saved;
    int B = q->dim[0], T = q->dim[1], H = q->dim[2], K = q->dim[3], S = k->dim[1], HK = k->dim[2], V = v->dim[3];
    real scale = (real)s->scale;
    for (int b = 0; b < B; b++)
        for (int h = 0; h < H; h++)
            for (int t = 0; t < T; t++) {
                int p = S - T + t, hk = h / (H / HK);
                size_t row = ((size_t)b * (size_t)T + (size_t)t) * (size_t)H + (size_t)h;
                const real *qr = q->x + row * (size_t)K, *go = o->g + row * (size_t)V;
                real delta = dot(go, o->x + row * (size_t)V, V);
                double lse = s->lse[((size_t)b * (size_t)H + (size_t)h) * (size_t)T + (size_t)t];
                for (int j = first_key(p, s->window); j <= p; j++) {
                    size_t at = ((size_t)b * (size_t)S + (size_t)j) * (size_t)HK + (size_t)hk;
                    const real *kr = k->x + at * (size_t)K, *vr = v->x + at * (size_t)V;
                    real pr = (real)exp((double)(scale * dot(qr, kr, K)) - lse);
                    real ds = pr * (dot(go, vr, V) - delta) * scale;
                    for (int i = 0; v->g && i < V; i++) v->g[at * (size_t)V + (size_t)i] += pr * go[i];
                    for (int i = 0; q->g && i < K; i++) q->g[row * (size_t)K + (size_t)i] += ds * kr[i];
                    for (int i = 0; k->g && i < K; i++) k->g[at * (size_t)K + (size_t)i] += ds * qr[i];
                }
            }
}

Tensor *op_attention(Tape *t, Tensor *q, Tensor *k, Tensor *v, double scale, int window)
{
    CHECK(q->rank == 4 && k->rank == 4 && v->rank == 4, "attention: q %s, k %s, v %s, want rank 4", shape_str(q),
          shape_str(k), shape_str(v));
    int B = q->dim[0], T = q->dim[1], H = q->dim[2], K = q->dim[3], S = k->dim[1], HK = k->dim[2], V = v->dim[3];
    CHECK(k->dim[0] == B && v->dim[0] == B && v->dim[1] == S && v->dim[2] == HK && k->dim[3] == K && S >= T,
          "attention: q %s, k %s, v %s, want (B,T,H,K), (B,S,HK,K), (B,S,HK,V), S >= T", shape_str(q), shape_str(k),
          shape_str(v));
    CHECK(HK > 0 && H % HK == 0, "attention: %d query heads on %d key heads", H, HK);
    CHECK(window >= 0, "attention: window %d", window);
    Tensor *o = TENSOR(t, B, T, H, V);
    Saved *s = ARENA_NEW(t->arena, Saved, 1);
    *s = (Saved){ .scale = scale, .window = window, .lse = ARENA_RAW(t->arena, double, B *H *T) };
    real *score = ARENA_RAW(t->arena, real, S);
    double pairs = 0;
    for (int b = 0; b < B; b++)
        for (int h = 0; h < H; h++)
            for (int step = 0; step < T; step++) {
                int p = S - T + step, lo = first_key(p, window), hk = h / (H / HK);
                size_t row = ((size_t)b * (size_t)T + (size_t)step) * (size_t)H + (size_t)h;
                const real *qr = q->x + row * (size_t)K;
                size_t base = (size_t)b * (size_t)S * (size_t)HK + (size_t)hk;
                real top = -INFINITY;
                for (int j = lo; j <= p; j++) {
                    score[j] = (real)scale * dot(qr, k->x + (base + (size_t)j * (size_t)HK) * (size_t)K, K);
                    if (score[j] > top) top = score[j];
                }
                double sum = 0;
                for (int j = lo; j <= p; j++) sum += exp((double)score[j] - (double)top);
                double lse = (double)top + log(sum);
                s->lse[((size_t)b * (size_t)H + (size_t)h) * (size_t)T + (size_t)step] = lse;
                real *y = o->x + row * (size_t)V;
                memset(y, 0, sizeof(real) * (size_t)V);
                for (int j = lo; j <= p; j++) {
                    real pr = (real)exp((double)score[j] - lse);
                    const real *vr = v->x + (base + (size_t)j * (size_t)HK) * (size_t)V;
                    for (int i = 0; i < V; i++) y[i] += pr * vr[i];
                }
                pairs += p - lo + 1;
            }
    tape_flops(t, 2.0 * pairs * (K + V));
    return PUSH(t, "attention", o, s, q, k, v);
}
