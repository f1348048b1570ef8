/* SPDX-License-Identifier: Apache-2.0
 * op_scan_selective.c - the selective diagonal scan of Mamba (S6), with eigenvalues in (0,1) or (-1,1).
 *
 *   u, dt (B,T,E), dt > 0; a_log (E,N); b, c (B,T,N); skip (E) or NULL; h0 (B,E,N), (E,N) or NULL (zeros) -> y (B,T,E)
 *   z = dt[t,e] * A[e,n],  A = -exp(a_log);   a = exp(z),  or 2 exp(z) - 1 if negative
 *   h[t,e,n] = a * h[t-1,e,n] + dt[t,e] u[t,e] b[t,n];   y[t,e] = sum_n c[t,n] h[t,e,n] + skip[e] u[t,e]
 *
 * Reverse time, l the adjoint of h:  l[t] = dy[t] c[t] + a[t+1] l[t+1],  q = l h[t-1] da/dz (da/dz = exp(z) or 2 exp(z)):
 *   da_log += A sum q dt;  ddt += sum_n q A + u sum_n l b;  du += dt sum_n l b + dy skip;  db += sum_e l dt u;
 *   dc += sum_e dy h;  dskip += dy u;  dh0 += a[0] l[0]
 *
 * The exact decay meets a plain Euler input (dt * b), as in the published code. last (B,E,N) or NULL receives h[T-1].
 * Source: Gu & Dao 2023 (arXiv:2312.00752), section 3; negative: Grazzi et al. 2024 (arXiv:2411.12537).
 */
#include "tape/tape.h"
#include "base/vmath.h"

enum { U, DT, A_LOG, BB, CC, SKIP, H0, N_IN };

typedef struct {
    bool negative;
} Saved;

/* One step of one channel; e = exp(z) is kept for the backward pass when asked for. */
static real step(int N, bool negative, real dt, real x, const real *A, const real *b, const real *c, const real *h,
                 real *next)
{
    real y = 0;
    for (int n = 0; n < N; n++) {
        real e = r_exp(dt * A[n]);
        next[n] = (negative ? 2 * e - 1 : e) * h[n] + x * b[n];
        y += c[n] * next[n];
    }
    return y;
}

static void eigen(const Tensor *a_log, real *A)
{
    vec_exp(A, a_log->x, tensor_size(a_log));
    for (size_t i = 0; i < tensor_size(a_log); i++) A[i] = -A[i];
}

static void start(const Tensor *h0, int b, int e, int E, int N, real *h)
{
    size_t row = (h0 && h0->rank == 3 ? (size_t)b * (size_t)E : 0) + (size_t)e;
    for (int n = 0; n < N; n++) h[n] = h0 ? h0->x[row * (size_t)N + (size_t)n] : 0;
}

/* The reverse pass of channel e of sequence b; h holds h[-1..T-1], l is scratch of N. */
static void back_channel(Node *nd, int b, int e, const real *A, real *h, real *l)
{
    Tensor **in = nd->in, *y = nd->out;
    int T = y->dim[1], E = y->dim[2], N = in[BB]->dim[2];
    bool negative = ((Saved *)nd->saved)->negative;
    const real *Ae = A + (size_t)e * (size_t)N;
    start(in[H0], b, e, E, N, h);
    for (int t = 0; t < T; t++) {
        size_t r = (size_t)b * (size_t)T + (size_t)t, o = r * (size_t)E + (size_t)e;
        step(N, negative, in[DT]->x[o], in[DT]->x[o] * in[U]->x[o], Ae, in[BB]->x + r * (size_t)N,
             in[CC]->x + r * (size_t)N, h + t * N, h + (t + 1) * N);
    }
    for (int n = 0; n < N; n++) l[n] = 0;
    for (int t = T - 1; t >= 0; t--) {
        size_t r = (size_t)b * (size_t)T + (size_t)t, o = r * (size_t)E + (size_t)e, k = r * (size_t)N;
        real dt = in[DT]->x[o], u = in[U]->x[o], dy = y->g[o], sum_lb = 0, sum_qa = 0;
        for (int n = 0; n < N; n++) {
            size_t i = k + (size_t)n;
            real ez = r_exp(dt * Ae[n]), hn = h[(t + 1) * N + n];
            l[n] += dy * in[CC]->x[i];
            real q = l[n] * h[t * N + n] * (negative ? 2 * ez : ez);
            sum_qa += q * Ae[n];
            sum_lb += l[n] * in[BB]->x[i];
            if (in[A_LOG]->g) in[A_LOG]->g[e * N + n] += Ae[n] * q * dt;
            if (in[BB]->g) in[BB]->g[i] += l[n] * dt * u;
            if (in[CC]->g) in[CC]->g[i] += dy * hn;
            l[n] *= negative ? 2 * ez - 1 : ez;
        }
        if (in[DT]->g) in[DT]->g[o] += sum_qa + sum_lb * u;
        if (in[U]->g) in[U]->g[o] += sum_lb * dt + (in[SKIP] ? dy * in[SKIP]->x[e] : 0);
        if (in[SKIP] && in[SKIP]->g) in[SKIP]->g[e] += dy * u;
    }
    if (in[H0] && in[H0]->g)
        for (int n = 0; n < N; n++) in[H0]->g[((in[H0]->rank == 3 ? b * E : 0) + e) * N + n] += l[n];
}

static void back(Node *nd)
{
    int B = nd->out->dim[0], T = nd->out->dim[1], E = nd->out->dim[2], N = nd->in[BB]->dim[2];
    size_t mark = arena_mark(nd->arena);
    real *A = ARENA_RAW(nd->arena, real, E * N), *h = ARENA_RAW(nd->arena, real, (T + 1) * N);
    real *l = ARENA_RAW(nd->arena, real, N);
    eigen(nd->in[A_LOG], A);
    for (int b = 0; b < B; b++)
        for (int e = 0; e < E; e++) back_channel(nd, b, e, A, h, l);
    arena_reset(nd->arena, mark);
}

static void check_shapes(const Tensor *u, const Tensor *dt, const Tensor *a_log, const Tensor *b, const Tensor *c,
                         const Tensor *skip, const Tensor *h0)
{
    CHECK(u->rank == 3 && same_shape(u, dt), "scan_selective: u %s, dt %s, want equal (B,T,E)", shape_str(u),
          shape_str(dt));
    int B = u->dim[0], T = u->dim[1], E = u->dim[2], N = tensor_last(a_log);
    CHECK(a_log->rank == 2 && a_log->dim[0] == E, "scan_selective: a_log %s, want (%d,N)", shape_str(a_log), E);
    CHECK(same_shape(b, c) && b->rank == 3 && b->dim[0] == B && b->dim[1] == T && b->dim[2] == N,
          "scan_selective: b %s, c %s, want (%d,%d,%d)", shape_str(b), shape_str(c), B, T, N);
    CHECK(!skip || (skip->rank == 1 && skip->dim[0] == E), "scan_selective: skip %s, want (%d)", shape_str(skip), E);
    CHECK(!h0 || (tensor_last(h0) == N && h0->dim[h0->rank - 2] == E && (h0->rank == 2 || h0->dim[0] == B)),
          "scan_selective: h0 %s, want (%d,%d,%d) or (%d,%d)", shape_str(h0), B, E, N, E, N);
}

Tensor *op_scan_selective(Tape *t, Tensor *u, Tensor *dt, Tensor *a_log, Tensor *b, Tensor *c, Tensor *skip,
                          bool negative, Tensor *h0, real *last)
{
    check_shapes(u, dt, a_log, b, c, skip, h0);
    int B = u->dim[0], T = u->dim[1], E = u->dim[2], N = tensor_last(a_log);
    Tensor *y = tape_like(t, u);
    Saved *s = ARENA_NEW(t->arena, Saved, 1);
    s->negative = negative;
    size_t mark = arena_mark(t->arena);
    real *A = ARENA_RAW(t->arena, real, E * N), *h = ARENA_RAW(t->arena, real, N);
    eigen(a_log, A);
    for (int i = 0; i < B; i++)
        for (int e = 0; e < E; e++) {
            start(h0, i, e, E, N, h);
            for (int k = 0; k < T; k++) {
                size_t r = (size_t)i * (size_t)T + (size_t)k, o = r * (size_t)E + (size_t)e;
                y->x[o] = step(N, negative, dt->x[o], dt->x[o] * u->x[o], A + e * N, b->x + r * (size_t)N,
                               c->x + r * (size_t)N, h, h);
                if (skip) y->x[o] += skip->x[e] * u->x[o];
            }
            if (last)
                for (int n = 0; n < N; n++) last[(i * E + e) * N + n] = h[n];
        }
    arena_reset(t->arena, mark);
    tape_flops(t, 16.0 * (double)tensor_size(u) * N);
    return PUSH(t, "scan_selective", y, s, u, dt, a_log, b, c, skip, h0);
}
