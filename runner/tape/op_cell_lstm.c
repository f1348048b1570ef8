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
 *
 * Inside, time is the first axis, N is padded to P whole vectors (padding stays 0 in h, c and every gradient), and a
 * row of gates is (P/VLEN, 4, VLEN): the four gates of VLEN units side by side, so that one register tile holds all
 * that their cell update needs. u is packed once per call in that order, u' once per backward pass. Kept for the
 * backward pass: activated gates, c and h[t-1]; the gates are overwritten by da, and du is one product at the end.
 *
 * Source: Hochreiter & Schmidhuber 1997; forget gate: Gers et al. 2000; gate order i,f,g,o as in common libraries.
 */
#include "tape/tile.h"
#include "tape/tape.h"

typedef struct Saved {
    int blocks, P;
    real *gate, *h, *c;
} Saved; /* (T,B,4P), (T+1,B,P), (T+1,B,P); [0] = start */

/* Packed forward weights: per block of units (N,4,VLEN). */
static real *weights_pack(Arena *a, const Tensor *u, int blocks)
{
    int N = u->dim[0];
    size_t row = 4 * (size_t)VLEN;
    real *pack = ARENA_RAW(a, real, (size_t)blocks * (size_t)N * row);
    for (int j = 0; j < blocks; j++)
        for (int k = 0; k < N; k++)
            for (int g = 0; g < 4; g++)
                v_store(pack + ((size_t)j * (size_t)N + (size_t)k) * row + (size_t)(g * VLEN),
                        v_load_row(u->x + (size_t)k * 4 * (size_t)N + g * N + j * VLEN, N - j * VLEN));
    return pack;
}

/* Packed transposed weights: rows in the order of a row of gates, columns in panels of up to TILE_WIDTH vectors. */
static real *weights_pack_transposed(Arena *a, const Tensor *u, int blocks)
{
    int N = u->dim[0], P = blocks * VLEN;
    real *pack = ARENA_NEW(a, real, 4 * P * P), *to = pack;
    for (int from = 0; from < P; from += TILE_WIDTH * VLEN) {
        int wide = P - from < TILE_WIDTH * VLEN ? P - from : TILE_WIDTH * VLEN;
        for (int r = 0; r < 4 * P; r++, to += wide) {
            int unit = r / (4 * VLEN) * VLEN + r % VLEN, gate = r / VLEN % 4;
            for (int k = from; unit < N && k < from + wide && k < N; k++)
                to[k - from] = u->x[(size_t)k * 4 * (size_t)N + (size_t)(gate * N + unit)];
        }
    }
    return pack;
}

static void start_load(real *to, const Tensor *s, int B, int N, int P)
{
    memset(to, 0, sizeof(real) * (size_t)B * (size_t)P);
    for (int b = 0; s && b < B; b++) memcpy(to + b * P, s->x + (s->rank == 1 ? 0 : b * N), sizeof(real) * (size_t)N);
}

static void start_grad(const Tensor *s, const real *d, int B, int N, int P)
{
    for (int b = 0; s && s->g && b < B; b++) vec_add(s->g + (s->rank == 1 ? 0 : b * N), d + b * P, (size_t)N);
}

/* One cell update of n <= VLEN units of one row: gates hold h[t-1] u and become the activated gates. The next step's xw
 * is fetched meanwhile; otherwise a third of the time goes into waiting for it. */
static inline void cell(real *gate, const real *xw, int N, int n, const real *c_old, real *c_new, real *h_new)
{
    vreal a[4];
    for (int g = 0; g < 4; g++) {
        __builtin_prefetch(xw + (g + 4) * N);
        a[g] = v_load(gate + g * VLEN) + v_load_row(xw + g * N, n);
    }
    vreal i = v_sigmoid(a[0]), f = v_sigmoid(a[1]), g = v_tanh(a[2]), o = v_sigmoid(a[3]);
    vreal c = f * v_load(c_old) + i * g;
    v_store(gate, i);
    v_store(gate + VLEN, f);
    v_store(gate + 2 * VLEN, g);
    v_store(gate + 3 * VLEN, o);
    v_store(c_new, c);
    v_store(h_new, o * v_tanh(c));
}

/* Its adjoint: gates become da, dh is read, dc is carried. */
static inline void cell_back(real *gate, const real *c_old, const real *c_new, vreal dh, real *dc_row)
{
    vreal i = v_load(gate), f = v_load(gate + VLEN), g = v_load(gate + 2 * VLEN), o = v_load(gate + 3 * VLEN);
    vreal tc = v_tanh(v_load(c_new)), dc = v_load(dc_row) + dh * o * (1 - tc * tc);
    v_store(gate, dc * g * i * (1 - i));
    v_store(gate + VLEN, dc * v_load(c_old) * f * (1 - f));
    v_store(gate + 2 * VLEN, dc * i * (1 - g * g));
    v_store(gate + 3 * VLEN, dh * tc * o * (1 - o));
    v_store(dc_row, dc * f);
}

/* du (N,4N) += h[t-1]' da over all steps, through the padded order of gates. */
static void weights_grad(Arena *a, Tensor *u, const Saved *s, int rows)
{
    int N = u->dim[0], P = s->P;
    real *du = ARENA_RAW(a, real, 4 * N * P);
    gemm(true, false, N, 4 * P, rows, 1, s->h, P, s->gate, 4 * P, 0, du, 4 * P);
    for (int k = 0; k < N; k++)
        for (int j = 0; j < s->blocks; j++)
            for (int g = 0; g < 4; g++) {
                real *to = u->g + (size_t)k * 4 * (size_t)N + g * N + j * VLEN;
                const real *from = du + (size_t)k * 4 * (size_t)P + (j * 4 + g) * VLEN;
                int n = N - j * VLEN;
                v_store_row(to, v_load_row(to, n) + v_load(from), n);
            }
}

/* Step t: gates become da, xw->g += da, dc is carried; dh comes in as d loss / d h[t] through later steps only. */
static void step_back(const Saved *s, const Tensor *out, Tensor *xw, int t, const real *dh, real *dc)
{
    int B = out->dim[0], T = out->dim[1], N = out->dim[2], P = s->P;
    for (int b = 0; b < B; b++) {
        size_t at = (size_t)t * (size_t)B + (size_t)b, row = (size_t)b * (size_t)T + (size_t)t;
        const real *c_old = s->c + at * (size_t)P, *c_new = c_old + B * P, *dout = out->g + row * (size_t)N;
        real *gate = s->gate + at * 4 * (size_t)P, *dxw = xw->g ? xw->g + row * 4 * (size_t)N : NULL;
        const int before = t ? 1 : 0; /* steps to fetch ahead of their use */
        for (int j = 0; j < s->blocks; j++) {
            int k = j * VLEN, n = N - k;
            real *da = gate + 4 * k;
            __builtin_prefetch(da - before * B * 4 * P);
            __builtin_prefetch(da - before * B * 4 * P + 2 * VLEN);
            cell_back(da, c_old + k, c_new + k, v_load_row(dout + k, n) + v_load(dh + b * P + k), dc + b * P + k);
            for (int g = 0; dxw && g < 4; g++) {
                real *to = dxw + g * N + k;
                __builtin_prefetch(to - before * 4 * N, 1);
                v_store_row(to, v_load_row(to, n) + v_load(da + g * VLEN), n);
            }
        }
    }
}

static void back(Node *n)
{
    Tensor *xw = n->in[0], *u = n->in[1], *out = n->out;
    const Saved *s = n->saved;
    int B = out->dim[0], T = out->dim[1], N = out->dim[2], P = s->P;
    size_t mark = arena_mark(n->arena);
    const real *ut = weights_pack_transposed(n->arena, u, s->blocks);
    real *dh = ARENA_NEW(n->arena, real, B * P), *dc = ARENA_NEW(n->arena, real, B * P);
    for (int t = T - 1; t >= 0; t--) {
        step_back(s, out, xw, t, dh, dc);
        const real *da = s->gate + (size_t)t * (size_t)B * 4 * (size_t)P;
        for (int j = 0; j < s->blocks; j += TILE_WIDTH) {
            int c = s->blocks - j < TILE_WIDTH ? s->blocks - j : TILE_WIDTH;
            tile_mul(B, c, 4 * P, da, 4 * (size_t)P, 1, ut + (size_t)j * VLEN * 4 * (size_t)P, (size_t)(c * VLEN),
                     dh + j * VLEN, (size_t)P, false);
        }
    }
    if (u->g) weights_grad(n->arena, u, s, T * B);
    start_grad(n->in[2], dh, B, N, P);
    start_grad(n->in[3], dc, B, N, P);
    arena_reset(n->arena, mark);
}

/* Step t of the forward pass, from (h, c) to (h_new, c_new); c_new may be c. */
static void step_forward(const Tensor *xw, const real *pack, int blocks, int t, const real *h, const real *c,
                         real *gate, real *h_new, real *c_new, Tensor *out)
{
    int B = out->dim[0], T = out->dim[1], N = out->dim[2], P = blocks * VLEN;
    for (int j = 0; j < blocks; j++) {
        int k = j * VLEN;
        tile_mul(B, 4, N, h, (size_t)P, 1, pack + (size_t)j * (size_t)N * 4 * VLEN, 4 * (size_t)VLEN, gate + 4 * k,
                 4 * (size_t)P, false);
        for (int b = 0; b < B; b++) {
            size_t row = (size_t)b * (size_t)T + (size_t)t;
            cell(gate + b * 4 * P + 4 * k, xw->x + row * 4 * (size_t)N + k, N, N - k, c + b * P + k, c_new + b * P + k,
                 h_new + b * P + k);
            v_store_row(out->x + row * (size_t)N + k, v_load(h_new + b * P + k), N - k);
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
    int B = xw->dim[0], T = xw->dim[1], N = u->dim[0], blocks = v_pad(N) / VLEN, P = blocks * VLEN;
    check_start("h0", h0, B, N);
    check_start("c0", c0, B, N);
    Tensor *out = TENSOR(t, B, T, N);
    size_t state = (size_t)B * (size_t)P, mark = arena_mark(t->arena), keep = t->grad ? (size_t)T : 1;
    Saved *s = ARENA_NEW(t->arena, Saved, 1);
    *s = (Saved){ .blocks = blocks, .P = P };
    s->gate = ARENA_RAW(t->arena, real, keep * state * 4);
    s->h = ARENA_RAW(t->arena, real, (keep + 1) * state);
    s->c = ARENA_RAW(t->arena, real, (keep + 1) * state);
    start_load(s->h, h0, B, N, P);
    start_load(s->c, c0, B, N, P);
    size_t mark_pack = arena_mark(t->arena);
    const real *pack = weights_pack(t->arena, u, blocks);
    real *h = s->h, *c = s->c;
    for (int i = 0; i < T; i++) {
        real *h_new = t->grad ? h + state : s->h + (size_t)(1 - i % 2) * state, *c_new = t->grad ? c + state : c;
        step_forward(xw, pack, blocks, i, h, c, t->grad ? s->gate + (size_t)i * state * 4 : s->gate, h_new, c_new, out);
        h = h_new;
        c = c_new;
    }
    for (int b = 0; b < B; b++) {
        if (last_h) memcpy(last_h + b * N, h + b * P, sizeof(real) * (size_t)N);
        if (last_c) memcpy(last_c + b * N, c + b * P, sizeof(real) * (size_t)N);
    }
    tape_flops(t, 8.0 * B * T * N * N);
    arena_reset(t->arena, t->grad ? mark_pack : mark);
    return PUSH(t, "cell_lstm", out, s, xw, u, h0, c0);
}
