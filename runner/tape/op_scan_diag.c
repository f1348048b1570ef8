/* SPDX-License-Identifier: Apache-2.0
 * op_scan_diag.c - elementwise linear recurrence over time.
 *
 *   a, u (B,T,N), h0 (B,N), (N) or NULL (zeros) -> h (B,T,N);  last (B,N) or NULL receives h[T-1]
 *   h[t] = a[t] * h[t-1] + u[t],  h[-1] = h0
 *   l[t] = dh[t] + a[t+1] * l[t+1];  du[t] += l[t];  da[t] += l[t] * h[t-1];  dh0 += a[0] * l[0]
 *
 * Any a, also 0 and negative: nothing is divided. Saves nothing but its output; bound by memory bandwidth.
 */
#include "tape/tape.h"

#include <string.h>

typedef struct {
    const real *x;
    real *g;
    size_t step;
} Start; /* h0 of sequence b: x + b * step; x NULL: zeros */

static Start start_of(const Tensor *h0, int N)
{
    if (!h0) return (Start){ 0 };
    return (Start){ h0->x, h0->g, h0->rank == 2 ? (size_t)N : 0 };
}

static void scan(int N, const real *restrict a, const real *restrict u, const real *restrict h, real *restrict out)
{
    for (int i = 0; i < N; i++) out[i] = a[i] * h[i] + u[i];
}

static void add(int N, const real *restrict x, real *restrict y)
{
    for (int i = 0; i < N; i++) y[i] += x[i];
}

static void add_product(int N, const real *restrict x, const real *restrict y, real *restrict z)
{
    for (int i = 0; i < N; i++) z[i] += x[i] * y[i];
}

/* carry = a * l */
static void product(int N, const real *restrict a, const real *restrict l, real *restrict carry)
{
    for (int i = 0; i < N; i++) carry[i] = a[i] * l[i];
}

static void back(Node *n)
{
    const Tensor *a = n->in[0], *u = n->in[1], *h = n->out;
    int B = h->dim[0], T = h->dim[1], N = h->dim[2];
    Start s = start_of(n->in[2], N);
    size_t mark = arena_mark(n->arena);
    real *l = ARENA_RAW(n->arena, real, N), *carry = ARENA_RAW(n->arena, real, N);
    for (int b = 0; b < B; b++) {
        memset(carry, 0, sizeof(real) * (size_t)N);
        for (int t = T - 1; t >= 0; t--) {
            size_t o = ((size_t)b * (size_t)T + (size_t)t) * (size_t)N;
            const real *before = t > 0 ? h->x + o - N : s.x ? s.x + (size_t)b * s.step : NULL;
            memcpy(l, carry, sizeof(real) * (size_t)N);
            add(N, h->g + o, l);
            if (u->g) add(N, l, u->g + o);
            if (a->g && before) add_product(N, l, before, a->g + o);
            product(N, a->x + o, l, carry);
        }
        if (s.g) add(N, carry, s.g + (size_t)b * s.step);
    }
    arena_reset(n->arena, mark);
}

Tensor *op_scan_diag(Tape *t, Tensor *a, Tensor *u, Tensor *h0, real *last)
{
    CHECK(a->rank == 3 && same_shape(a, u), "scan_diag: a %s, u %s, want equal (B,T,N)", shape_str(a), shape_str(u));
    int B = a->dim[0], T = a->dim[1], N = a->dim[2];
    CHECK(!h0 || (tensor_last(h0) == N && (h0->rank == 1 || (h0->rank == 2 && h0->dim[0] == B))),
          "scan_diag: h0 %s, want (%d,%d) or (%d)", shape_str(h0), B, N, N);
    Tensor *out = tape_like(t, u);
    Start s = start_of(h0, N);
    for (int b = 0; b < B; b++) {
        const real *h = s.x ? s.x + (size_t)b * s.step : NULL;
        for (int i = 0; i < T; i++) {
            size_t o = ((size_t)b * (size_t)T + (size_t)i) * (size_t)N;
            if (h)
                scan(N, a->x + o, u->x + o, h, out->x + o);
            else
                memcpy(out->x + o, u->x + o, sizeof(real) * (size_t)N);
            h = out->x + o;
        }
        if (!last) continue;
        if (h)
            memcpy(last + (size_t)b * (size_t)N, h, sizeof(real) * (size_t)N);
        else
            memset(last + (size_t)b * (size_t)N, 0, sizeof(real) * (size_t)N);
    }
    tape_flops(t, 2.0 * (double)tensor_size(out));
    return PUSH(t, "scan_diag", out, NULL, a, u, h0);
}
