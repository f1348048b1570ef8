/* SPDX-License-Identifier: Apache-2.0
 * op_cell_lstm.c - long short-term memory cell over time, given the input pre-activations.
 *
 *   xw (B,T,4N): gates i,f,g,o in the last axis, bias added; u (N,4N) as (in,out); h, c (B,T,N)
 *   a[t] = xw[t] + h[t-1] u;   i,f,o = sigmoid(a), g = tanh(a);   c[t] = f c[t-1] + i g;   h[t] = o tanh(c[t])
 *   h[-1] = h0, c[-1] = c0: (B,N), (N) broadcast over B, or NULL = zeros
 *   dc += dh o (1 - tanh^2 c);  da_i = dc g i(1-i);  da_f = dc c[t-1] f(1-f);  da_g = dc i (1-g^2);
 *   da_o = dh tanh(c) o(1-o);  dh[t-1] += da u';  dc[t-1] = dc f;  du = sum_t h[t-1]' da[t]
 *
 * last_h, last_c (B,N) receive the state after the last step; no gradient flows through them. CHECKs on shapes.
 * Source: Hochreiter & Schmidhuber 1997; the gate order and the forget gate as in the usual library kernels.
 */
#include "tape/tape.h"

#include <math.h>
#include <string.h>

typedef struct Saved {
    real *gate, *c;
} Saved; /* (B,T,4N) after the nonlinearities; (B,T,N) */

static real sigm(real x) { return (real)(1 / (1 + exp(-(double)x))); }

static const real *start_row(const Tensor *s, int b, int N)
{
    if (!s) return NULL;
    return s->x + (s->rank == 1 ? 0 : (size_t)b * (size_t)N);
}

static void back(Node *n)
{
    Tensor *xw = n->in[0], *u = n->in[1], *h0 = n->in[2], *c0 = n->in[3], *h = n->out;
    Saved *s = n->saved;
    int B = h->dim[0], T = h->dim[1], N = h->dim[2];
    real *dh = ARENA_RAW(n->arena, real, N), *dc = ARENA_RAW(n->arena, real, N), *da = ARENA_RAW(n->arena, real, 4 * N);
    for (int b = 0; b < B; b++) {
        const real *hs = start_row(h0, b, N), *cs = start_row(c0, b, N);
        memset(dh, 0, sizeof(real) * (size_t)N);
        memset(dc, 0, sizeof(real) * (size_t)N);
        for (int t = T - 1; t >= 0; t--) {
            size_t r = (size_t)b * (size_t)T + (size_t)t, rn = r * (size_t)N;
            const real *y = s->gate + 4 * rn, *c = s->c + rn, *cp = t ? c - N : cs, *hp = t ? h->x + rn - N : hs;
            for (int i = 0; i < N; i++) {
                real gi = y[i], gf = y[N + i], gg = y[2 * N + i], go = y[3 * N + i], tc = (real)tanh((double)c[i]);
                real d = h->g[rn + (size_t)i] + dh[i];
                dc[i] += d * go * (1 - tc * tc);
                da[i] = dc[i] * gg * gi * (1 - gi);
                da[N + i] = cp ? dc[i] * cp[i] * gf * (1 - gf) : 0;
                da[2 * N + i] = dc[i] * gi * (1 - gg * gg);
                da[3 * N + i] = d * tc * go * (1 - go);
                dc[i] *= gf;
            }
            for (int k = 0; k < N; k++) {
                real sum = 0;
                for (int j = 0; j < 4 * N; j++) sum += da[j] * u->x[k * 4 * N + j];
                dh[k] = sum;
                if (u->g && hp)
                    for (int j = 0; j < 4 * N; j++) u->g[k * 4 * N + j] += hp[k] * da[j];
            }
            if (xw->g)
                for (int j = 0; j < 4 * N; j++) xw->g[4 * rn + (size_t)j] += da[j];
        }
        for (int i = 0; i < N; i++) {
            if (h0 && h0->g) h0->g[hs - h0->x + i] += dh[i];
            if (c0 && c0->g) c0->g[cs - c0->x + i] += dc[i];
        }
    }
}

static void check_start(const char *name, const Tensor *s, int B, int N)
{
    if (!s) return;
    bool ok = (s->rank == 1 && s->dim[0] == N) || (s->rank == 2 && s->dim[0] == B && s->dim[1] == N);
    CHECK(ok, "cell_lstm: %s %s, want (%d,%d) or (%d)", name, shape_str(s), B, N, N);
}

Tensor *op_cell_lstm(Tape *t, Tensor *xw, Tensor *u, Tensor *h0, Tensor *c0, real *last_h, real *last_c)
{
    CHECK(xw->rank == 3 && u->rank == 2 && u->dim[1] == 4 * u->dim[0] && xw->dim[2] == u->dim[1],
          "cell_lstm: xw %s, u %s, want (B,T,4N) and (N,4N)", shape_str(xw), shape_str(u));
    int B = xw->dim[0], T = xw->dim[1], N = u->dim[0];
    check_start("h0", h0, B, N);
    check_start("c0", c0, B, N);
    Tensor *h = TENSOR(t, B, T, N);
    Saved *s = ARENA_NEW(t->arena, Saved, 1);
    s->gate = ARENA_RAW(t->arena, real, tensor_size(xw));
    s->c = ARENA_RAW(t->arena, real, tensor_size(h));
    for (int b = 0; b < B; b++) {
        const real *hp = start_row(h0, b, N), *cp = start_row(c0, b, N);
        for (int step = 0; step < T; step++) {
            size_t rn = ((size_t)b * (size_t)T + (size_t)step) * (size_t)N;
            real *y = s->gate + 4 * rn, *c = s->c + rn, *out = h->x + rn;
            memcpy(y, xw->x + 4 * rn, sizeof(real) * 4 * (size_t)N);
            for (int k = 0; hp && k < N; k++)
                for (int j = 0; j < 4 * N; j++) y[j] += hp[k] * u->x[k * 4 * N + j];
            for (int i = 0; i < N; i++) {
                real gi = y[i] = sigm(y[i]), gf = y[N + i] = sigm(y[N + i]);
                real gg = y[2 * N + i] = (real)tanh((double)y[2 * N + i]), go = y[3 * N + i] = sigm(y[3 * N + i]);
                c[i] = (cp ? gf * cp[i] : 0) + gi * gg;
                out[i] = go * (real)tanh((double)c[i]);
            }
            hp = out;
            cp = c;
        }
        for (int i = 0; i < N; i++) {
            if (last_h) last_h[b * N + i] = hp ? hp[i] : 0;
            if (last_c) last_c[b * N + i] = cp ? cp[i] : 0;
        }
    }
    tape_flops(t, 8.0 * B * T * N * N);
    return PUSH(t, "cell_lstm", h, s, xw, u, h0, c0);
}
