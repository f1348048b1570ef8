/* SPDX-License-Identifier: Apache-2.0
 * op_scan_dplr.c - matrix state with diagonal decay and rank-1 writes: linear attention to gated DeltaProduct.
 *
 *   q (B,T,H,K); w, r (B,T,[n_h,]H,K); v (B,T,[n_h,]H,V); a (B,T,H), (B,T,H,K) or NULL; s0 (B,H,K,V), (H,K,V) or NULL
 *   per head, S (K,V):  S = diag(a) S;  n_h times: u = v - S' r, S += w u';  o = scale S' q      -> o (B,T,H,V)
 *   r NULL: u = v (additive family). last (B,H,K,V) or NULL receives the final state.
 *
 * Reverse time, D the adjoint of S:  D += scale q do', dq += scale S do;  per micro-step, backwards: du = D' w,
 * dw += D u, dv += du, dr -= S du (S before the write), D -= r du';  then da += rowsum(D * S before the decay), D = diag(a) D.
 * Any a, also 0 and negative: nothing is divided.
 *
 * Source: Yang et al. 2024 (arXiv:2406.06484, arXiv:2412.06464), Siems et al. 2025 (arXiv:2502.10297).
 */
#include "tape/tape.h"

#include <string.h>

enum { Q, W, V_, R, A, S0, N_IN };

typedef struct {
    int B, T, H, K, V, n_h, a_width;
    double scale;
} Dplr; /* a_width: 0 absent, 1 scalar, K */

static size_t at(const Dplr *d, int b, int t, int j, int h, int n_h)
{
    return (((size_t)b * (size_t)d->T + (size_t)t) * (size_t)n_h + (size_t)j) * (size_t)d->H + (size_t)h;
}

/* u = v - S'r */
static void residual(const Dplr *d, const real *S, const real *v, const real *r, real *u)
{
    memcpy(u, v, sizeof(real) * (size_t)d->V);
    if (!r) return;
    for (int i = 0; i < d->K; i++)
        for (int j = 0; j < d->V; j++) u[j] -= r[i] * S[i * d->V + j];
}

static const real *row(const Tensor *x, size_t i) { return x ? x->x + i * (size_t)tensor_last(x) : NULL; }
static real *grad_row(const Tensor *x, size_t i) { return x && x->g ? x->g + i * (size_t)tensor_last(x) : NULL; }

static real decay(const Dplr *d, Tensor *const *in, size_t i, int k)
{
    return d->a_width == 0 ? 1 : in[A]->x[i * (size_t)d->a_width + (size_t)(d->a_width == 1 ? 0 : k)];
}

static size_t start(const Dplr *d, const Tensor *s0, int b, int h)
{
    return ((s0->rank == 4 ? (size_t)b * (size_t)d->H : 0) + (size_t)h) * (size_t)d->K * (size_t)d->V;
}

/* States of one head: all[0] the start, then for each token the decayed state and one after each micro-step. */
static void states(const Dplr *d, Tensor *const *in, int b, int h, real *all, real *u)
{
    size_t KV = (size_t)d->K * (size_t)d->V;
    if (in[S0])
        memcpy(all, in[S0]->x + start(d, in[S0], b, h), sizeof(real) * KV);
    else
        memset(all, 0, sizeof(real) * KV);
    for (int t = 0; t < d->T; t++) {
        size_t i = at(d, b, t, 0, h, 1);
        for (int k = 0; k < d->K; k++)
            for (int j = 0; j < d->V; j++) all[KV + (size_t)(k * d->V + j)] = decay(d, in, i, k) * all[k * d->V + j];
        all += KV;
        for (int m = 0; m < d->n_h; m++, all += KV) {
            size_t o = at(d, b, t, m, h, d->n_h);
            const real *w = row(in[W], o);
            residual(d, all, row(in[V_], o), row(in[R], o), u);
            for (int k = 0; k < d->K; k++)
                for (int j = 0; j < d->V; j++) all[KV + (size_t)(k * d->V + j)] = all[k * d->V + j] + w[k] * u[j];
        }
    }
}

/* Reverse one micro-step: S the state before the write, D the adjoint of the state after it, then before it. */
static void back_write(const Dplr *d, Tensor *const *in, size_t o, const real *S, real *D, real *u, real *du)
{
    const real *w = row(in[W], o), *r = row(in[R], o);
    real *dw = grad_row(in[W], o), *dv = grad_row(in[V_], o), *dr = grad_row(in[R], o);
    residual(d, S, row(in[V_], o), r, u);
    memset(du, 0, sizeof(real) * (size_t)d->V);
    for (int k = 0; k < d->K; k++)
        for (int j = 0; j < d->V; j++) {
            du[j] += w[k] * D[k * d->V + j];
            if (dw) dw[k] += D[k * d->V + j] * u[j];
        }
    for (int j = 0; dv && j < d->V; j++) dv[j] += du[j];
    if (!r) return;
    for (int k = 0; k < d->K; k++)
        for (int j = 0; j < d->V; j++) {
            if (dr) dr[k] -= S[k * d->V + j] * du[j];
            D[k * d->V + j] -= r[k] * du[j];
        }
}

static void back_head(const Dplr *d, Node *n, int b, int h, const real *all, real *D, real *u, real *du)
{
    Tensor **in = n->in;
    size_t KV = (size_t)d->K * (size_t)d->V;
    memset(D, 0, sizeof(real) * KV);
    const real *S = all + KV * (size_t)d->T * (size_t)(d->n_h + 1);
    for (int t = d->T - 1; t >= 0; t--) {
        size_t i = at(d, b, t, 0, h, 1);
        const real *go = n->out->g + i * (size_t)d->V, *q = row(in[Q], i);
        real *dq = grad_row(in[Q], i), sc = (real)d->scale;
        for (int k = 0; k < d->K; k++)
            for (int j = 0; j < d->V; j++) {
                D[k * d->V + j] += sc * q[k] * go[j];
                if (dq) dq[k] += sc * S[k * d->V + j] * go[j];
            }
        for (int m = d->n_h - 1; m >= 0; m--) {
            S -= KV;
            back_write(d, in, at(d, b, t, m, h, d->n_h), S, D, u, du);
        }
        S -= KV;
        for (int k = 0; k < d->K && in[A]; k++) {
            real x = decay(d, in, i, k), sum = 0;
            for (int j = 0; j < d->V; j++) {
                sum += D[k * d->V + j] * S[k * d->V + j];
                D[k * d->V + j] *= x;
            }
            if (in[A]->g) in[A]->g[i * (size_t)d->a_width + (size_t)(d->a_width == 1 ? 0 : k)] += sum;
        }
    }
    if (in[S0] && in[S0]->g) {
        real *g = in[S0]->g + start(d, in[S0], b, h);
        for (size_t i = 0; i < KV; i++) g[i] += D[i];
    }
}

static real *all_states(const Dplr *d, Arena *a)
{
    return ARENA_RAW(a, real, ((size_t)d->T * (size_t)(d->n_h + 1) + 1) * (size_t)d->K * (size_t)d->V);
}

static void back(Node *n)
{
    const Dplr *d = n->saved;
    size_t mark = arena_mark(n->arena);
    real *all = all_states(d, n->arena), *D = ARENA_RAW(n->arena, real, d->K * d->V);
    real *u = ARENA_RAW(n->arena, real, d->V), *du = ARENA_RAW(n->arena, real, d->V);
    for (int b = 0; b < d->B; b++)
        for (int h = 0; h < d->H; h++) {
            states(d, n->in, b, h, all, u);
            back_head(d, n, b, h, all, D, u, du);
        }
    arena_reset(n->arena, mark);
}

static Dplr check_shapes(const DplrIn *in)
{
    const Tensor *q = in->q, *w = in->w, *v = in->v, *a = in->a, *s0 = in->s0;
    CHECK(q->rank == 4, "scan_dplr: q %s, want (B,T,H,K)", shape_str(q));
    Dplr d = { q->dim[0], q->dim[1], q->dim[2], q->dim[3], tensor_last(v), 1, 0, in->scale };
    CHECK((w->rank == 4 || w->rank == 5) && v->rank == w->rank, "scan_dplr: w %s, v %s, want (B,T,[n_h,]H,K or V)",
          shape_str(w), shape_str(v));
    if (w->rank == 5) d.n_h = w->dim[2];
    const int rest[2] = { d.H, d.K };
    CHECK(w->dim[0] == d.B && w->dim[1] == d.T && !memcmp(w->dim + w->rank - 2, rest, sizeof rest),
          "scan_dplr: w %s does not fit q %s", shape_str(w), shape_str(q));
    CHECK(!memcmp(v->dim, w->dim, sizeof(int) * (size_t)(w->rank - 1)), "scan_dplr: v %s does not fit w %s",
          shape_str(v), shape_str(w));
    CHECK(!in->r || same_shape(in->r, w), "scan_dplr: r %s, want the shape of w, %s", shape_str(in->r), shape_str(w));
    CHECK(!a || (a->rank == 3 && !memcmp(a->dim, q->dim, 3 * sizeof(int))) || same_shape(a, q),
          "scan_dplr: a %s, want (%d,%d,%d) or %s", shape_str(a), d.B, d.T, d.H, shape_str(q));
    if (a) d.a_width = a->rank == 3 ? 1 : d.K;
    const int state[4] = { d.B, d.H, d.K, d.V };
    CHECK(!s0 || ((s0->rank == 3 || s0->rank == 4) &&
                  !memcmp(s0->dim, state + 4 - s0->rank, sizeof(int) * (size_t)s0->rank)),
          "scan_dplr: s0 %s, want (%d,%d,%d,%d) or (%d,%d,%d)", shape_str(s0), d.B, d.H, d.K, d.V, d.H, d.K, d.V);
    return d;
}

Tensor *op_scan_dplr(Tape *t, const DplrIn *in)
{
    Dplr d = check_shapes(in);
    Dplr *saved = ARENA_NEW(t->arena, Dplr, 1);
    *saved = d;
    Tensor *x[N_IN] = { in->q, in->w, in->v, in->r, in->a, in->s0 };
    Tensor *out = TENSOR(t, d.B, d.T, d.H, d.V);
    size_t mark = arena_mark(t->arena), KV = (size_t)d.K * (size_t)d.V;
    real *all = all_states(&d, t->arena), *u = ARENA_RAW(t->arena, real, d.V);
    for (int b = 0; b < d.B; b++)
        for (int h = 0; h < d.H; h++) {
            states(&d, x, b, h, all, u);
            const real *S = all;
            for (int i = 0; i < d.T; i++) {
                S += KV * (size_t)(d.n_h + 1);
                real *o = out->x + at(&d, b, i, 0, h, 1) * (size_t)d.V;
                const real *q = row(in->q, at(&d, b, i, 0, h, 1));
                memset(o, 0, sizeof(real) * (size_t)d.V);
                for (int k = 0; k < d.K; k++)
                    for (int j = 0; j < d.V; j++) o[j] += (real)d.scale * q[k] * S[k * d.V + j];
            }
            if (in->last) memcpy(in->last + (size_t)(b * d.H + h) * KV, S, sizeof(real) * KV);
        }
    arena_reset(t->arena, mark);
    double per_entry = (in->a ? 1 : 0) + d.n_h * (in->r ? 4 : 2) + 2;
    tape_flops(t, per_entry * (double)d.B * d.T * d.H * (double)KV);
    return tape_push(t, "scan_dplr", back, out, saved, N_IN, x);
}
