/* SPDX-License-Identifier: Apache-2.0
 * op_scan_selective.c - the selective diagonal scan of Mamba (S6), with eigenvalues in (0,1) or (-1,1).
 *
 *   u, dt (B,T,E), dt > 0; a_log (E,N); b, c (B,T,N); skip (E) or NULL; h0 (B,E,N), (E,N) or NULL (zeros) -> y (B,T,E)
 *   z = dt[t,e] * A[e,n],  A = -exp(a_log);   a = exp(z),  or 2 exp(z) - 1 if negative
 *   h[t,e,n] = a * h[t-1,e,n] + dt[t,e] u[t,e] b[t,n];   y[t,e] = sum_n c[t,n] h[t,e,n] + skip[e] u[t,e]
 *
 * Reverse time, l the adjoint of h:  l[t] = dy[t] c[t] + a[t+1] l[t+1],  q = l h[t-1] da/dz (exp(z) or 2 exp(z)):
 *   da_log += A sum q dt;  ddt += sum_n q A + u sum_n l b;  du += dt sum_n l b + dy skip;  db += sum_e l dt u;
 *   dc += sum_e dy h;  dskip += dy u;  dh0 += a[0] l[0]
 *
 * The exact decay meets a plain Euler input (dt * b), as in the published code. last (B,E,N) or NULL receives h[T-1].
 *
 * Form: vectors over the states of a channel, exp in registers, tiles of 32 channels whose states stay in the
 * first-level cache. The forward pass keeps the states before every chunk of 32 steps; the backward pass reruns a
 * chunk, keeps its states and decays in the second-level cache, and walks back.
 * Source: Gu & Dao 2023 (arXiv:2312.00752), section 3; negative: Grazzi et al. 2024 (arXiv:2411.12537).
 */
#include "tape/tape.h"
#include "base/vsum.h"
#include "tape/vec.h"

#define INLINE static inline __attribute__((always_inline))

enum { U, DT, A_LOG, BB, CC, SKIP, H0, N_IN };
enum { TILE = 32, CHUNK = 32, NV_MAX = 4, VV = VBYTES / sizeof(real) * VBYTES / sizeof(real) };

typedef struct Plan {
    int B, T, E, N, n_chunks;
    bool negative;
    real *kept; /* states before each chunk, tile after tile, n_chunks * TILE * W reals each */
} Plan;

/* One tile: n_e <= TILE channels from e0, N-columns n0..n0+width padded with zeros to W = nv * VLEN. Channels are
 * padded to a multiple of VLEN with dt = u = 0, columns with A = b = c = 0: the padding stays zero. */
typedef struct Tile {
    const Plan *p;
    Tensor *const *in;
    Tensor *y;
    int b, e0, n_e, n0, nv, width, W;
    real *A, *A2, *h;       /* (TILE,W): A, A log2 e, state */
    real *brow, *crow;      /* (T,W) of this sequence */
    real *dt, *x, *dy;      /* (CHUNK,TILE): dt, dt * u, dy */
    real *states, *decays;  /* (CHUNK+1,TILE,W), (CHUNK,TILE,W) */
    real *l, *dA, *db, *dc; /* (TILE,W), (TILE,W), (T,W), (T,W) */
} Tile;

/* 2^t for t <= 0; below 2^-125 stays there; NaN propagates. Degree 6 on [-1/2, 1/2], exact at 0: relative 7e-8. */
INLINE vreal exp2_down(vreal t)
{
#if REAL_BITS == 64
    for (int i = 0; i < VLEN; i++) t[i] = exp2(t[i]);
    return t;
#else
    const real magic = 12582912; /* 1.5 * 2^23: adding it rounds to an integer */
    t = v_select((vint)(t < -125), v_set(-125), t);
    vreal m = t + magic, f = t - (m - magic);
    vreal y = f * (real)1.54614449e-4 + (real)1.3400428e-3;
    y = y * f + (real)9.61805694e-3;
    y = y * f + (real)5.55032715e-2;
    y = y * f + (real)0.240226507;
    y = y * f + (real)0.693147182;
    y = y * f + (real)1;
    return (vreal)((vint)y + ((vint)m << 23)); /* the low bits of m are the exponent to add */
#endif
}

static size_t row_of(const Tile *k, int t)
{
    return ((size_t)k->b * (size_t)k->p->T + (size_t)t) * (size_t)k->p->E + (size_t)k->e0;
}

/* Step t, number i_t of its chunk, of a tile: next = a * h + x b. With keep, a goes to decays; else
 * y = next . c + skip * u or, for the columns after the first block, y += next . c. next may be h. */
INLINE void step(const int nv, const bool negative, const bool keep, const Tile *k, int t, int i_t, const real *h,
                 real *next, real *decays)
{
    const real *A2 = k->A2, *dt = k->dt + i_t * TILE, *x = k->x + i_t * TILE;
    const real *skip = k->in[SKIP] ? k->in[SKIP]->x + k->e0 : NULL, *u = k->in[U]->x + row_of(k, t);
    real *y = k->y->x + row_of(k, t), dots[VV];
    vreal vb[NV_MAX], vc[NV_MAX];
#pragma GCC unroll 4
    for (int i = 0; i < nv; i++) {
        vb[i] = v_load(k->brow + (t * nv + i) * VLEN);
        vc[i] = v_load(k->crow + (t * nv + i) * VLEN);
    }
    for (int e = 0, o = 0; e < k->n_e; e += VLEN) {
        for (int j = 0; j < VLEN; j++) {
            const vreal vdt = v_set(dt[e + j]), vx = v_set(x[e + j]);
            vreal sum = v_set(0);
#pragma GCC unroll 4
            for (int i = 0; i < nv; i++, o += VLEN) {
                vreal a = exp2_down(vdt * v_load(A2 + o));
                if (negative) a = 2 * a - 1;
                vreal s = a * v_load(h + o) + vx * vb[i];
                v_store(next + o, s);
                if (keep)
                    v_store(decays + o, a);
                else
                    sum += s * vc[i];
            }
            if (!keep) v_store(dots + j * VLEN, sum);
        }
        if (keep) continue;
        const int n = k->n_e - e < VLEN ? k->n_e - e : VLEN;
        vreal sums = v_sums(dots);
        if (k->n0 > 0) {
            v_add_some(y + e, sums, n);
            continue;
        }
        if (skip) sums += v_load_some(skip + e, n) * v_load_some(u + e, n);
        v_store_some(y + e, sums, n);
    }
}

/* Add the gradients of channels e..e+n at step t: qa = sum_n q A, lb = sum_n l b. */
INLINE void add_channels(const Tile *k, int t, int e, int n, const real *dt, const real *dy, vreal qa, vreal lb)
{
    Tensor *const *in = k->in;
    const size_t o = row_of(k, t) + (size_t)e;
    const vreal u = v_load_some(in[U]->x + o, n), vdy = v_load(dy + e);
    vreal du = v_load(dt + e) * lb;
    if (in[SKIP] && k->n0 == 0) {
        du += vdy * v_load_some(in[SKIP]->x + k->e0 + e, n);
        if (in[SKIP]->g) v_add_some(in[SKIP]->g + k->e0 + e, vdy * u, n);
    }
    if (in[U]->g) v_add_some(in[U]->g + o, du, n);
    if (in[DT]->g) v_add_some(in[DT]->g + o, qa + u * lb, n);
}

/* One step back: state h before the step, next after it, l the carried adjoint. */
INLINE void step_back(const int nv, const bool negative, const Tile *k, int t, int i_t)
{
    const int tw = TILE * nv * VLEN, row = t * nv * VLEN;
    const real *h = k->states + i_t * tw, *next = h + tw, *decays = k->decays + i_t * tw, *A = k->A;
    const real *dt = k->dt + i_t * TILE, *x = k->x + i_t * TILE, *dy = k->dy + i_t * TILE;
    real qa_dots[VV], lb_dots[VV], *carry = k->l, *dA = k->dA;
    vreal vb[NV_MAX], vc[NV_MAX], db[NV_MAX], dc[NV_MAX];
#pragma GCC unroll 4
    for (int i = 0; i < nv; i++) {
        vb[i] = v_load(k->brow + row + i * VLEN);
        vc[i] = v_load(k->crow + row + i * VLEN);
        db[i] = v_load(k->db + row + i * VLEN);
        dc[i] = v_load(k->dc + row + i * VLEN);
    }
    for (int e = 0, o = 0; e < k->n_e; e += VLEN) {
        for (int j = 0; j < VLEN; j++) {
            const vreal vdt = v_set(dt[e + j]), vx = v_set(x[e + j]), vdy = v_set(dy[e + j]);
            vreal qa = v_set(0), lb = v_set(0);
#pragma GCC unroll 4
            for (int i = 0; i < nv; i++, o += VLEN) {
                vreal a = v_load(decays + o), l = v_load(carry + o) + vdy * vc[i];
                vreal q = l * v_load(h + o) * (negative ? a + 1 : a);
                dc[i] += vdy * v_load(next + o);
                db[i] += vx * l;
                qa += q * v_load(A + o);
                lb += l * vb[i];
                v_store(dA + o, v_load(dA + o) + q * vdt);
                v_store(carry + o, a * l);
            }
            v_store(qa_dots + j * VLEN, qa);
            v_store(lb_dots + j * VLEN, lb);
        }
        add_channels(k, t, e, k->n_e - e < VLEN ? k->n_e - e : VLEN, dt, dy, v_sums(qa_dots), v_sums(lb_dots));
    }
#pragma GCC unroll 4
    for (int i = 0; i < nv; i++) {
        v_store(k->db + row + i * VLEN, db[i]);
        v_store(k->dc + row + i * VLEN, dc[i]);
    }
}

/* The variants; decays NULL: y is wanted and the decays are not. */
static void run_step(const Tile *k, int t, int i, const real *h, real *next, real *decays)
{
#define STEP(nv)                                                                                                       \
    if (decays && k->p->negative)                                                                                      \
        step(nv, true, true, k, t, i, h, next, decays);                                                                \
    else if (decays)                                                                                                   \
        step(nv, false, true, k, t, i, h, next, decays);                                                               \
    else if (k->p->negative)                                                                                           \
        step(nv, true, false, k, t, i, h, next, k->decays);                                                            \
    else                                                                                                               \
        step(nv, false, false, k, t, i, h, next, k->decays)
    if (k->nv == 1) {
        STEP(1);
    } else if (k->nv == 2) {
        STEP(2);
    } else {
        STEP(4);
    }
#undef STEP
}

static void run_step_back(const Tile *k, int t, int i)
{
    const bool negative = k->p->negative;
    if (k->nv == 1 && negative)
        step_back(1, true, k, t, i);
    else if (k->nv == 1)
        step_back(1, false, k, t, i);
    else if (k->nv == 2 && negative)
        step_back(2, true, k, t, i);
    else if (k->nv == 2)
        step_back(2, false, k, t, i);
    else if (negative)
        step_back(4, true, k, t, i);
    else
        step_back(4, false, k, t, i);
}

/* ---- tiles ----------------------------------------------------------------------------------------------------- */

static int n_vectors(int left) { return left > 2 * VLEN ? 4 : left > VLEN ? 2 : 1; }

static Tile tile_new(const Plan *p, Tensor *const *in, Tensor *y, Arena *a, bool grad)
{
    Tile k = { .p = p, .in = in, .y = y };
    const int w = NV_MAX * VLEN;
    k.A = ARENA_RAW(a, real, TILE * w);
    k.A2 = ARENA_RAW(a, real, TILE * w);
    k.h = ARENA_RAW(a, real, TILE * w);
    k.brow = ARENA_RAW(a, real, (size_t)p->T * (size_t)w);
    k.crow = ARENA_RAW(a, real, (size_t)p->T * (size_t)w);
    k.dt = ARENA_RAW(a, real, CHUNK * TILE);
    k.x = ARENA_RAW(a, real, CHUNK * TILE);
    if (!grad) return k;
    k.dy = ARENA_RAW(a, real, CHUNK * TILE);
    k.states = ARENA_RAW(a, real, (CHUNK + 1) * TILE * w);
    k.decays = ARENA_RAW(a, real, CHUNK * TILE * w);
    k.l = ARENA_RAW(a, real, TILE * w);
    k.dA = ARENA_RAW(a, real, TILE * w);
    k.db = ARENA_RAW(a, real, (size_t)p->T * (size_t)w);
    k.dc = ARENA_RAW(a, real, (size_t)p->T * (size_t)w);
    return k;
}

/* y (rows,to) = columns 0..n of x (rows, stride x_step), the rest zero. */
static void pad_rows(int rows, int n, int to, const real *x, int x_step, real *restrict y)
{
    for (int i = 0; i < rows; i++, x += x_step, y += to) {
        if (n == TILE)
            memcpy(y, x, TILE * sizeof(real)); /* of constant size, so no call */
        else
            memcpy(y, x, sizeof(real) * (size_t)n);
        for (int j = n; j < to; j++) y[j] = 0;
    }
}

static void add_rows(int rows, int n, const real *x, int x_step, real *y, int y_step)
{
    for (int i = 0; i < rows; i++, x += x_step, y += y_step) vec_add(y, x, (size_t)n);
}

/* The b and c rows of sequence b, columns from n0. */
static void enter_sequence(Tile *k, int b, int n0)
{
    const Plan *p = k->p;
    k->b = b;
    k->n0 = n0;
    k->nv = n_vectors(p->N - n0);
    k->W = k->nv * VLEN;
    k->width = p->N - n0 < k->W ? p->N - n0 : k->W;
    size_t o = (size_t)b * (size_t)p->T * (size_t)p->N + (size_t)n0;
    pad_rows(p->T, k->width, k->W, k->in[BB]->x + o, p->N, k->brow);
    pad_rows(p->T, k->width, k->W, k->in[CC]->x + o, p->N, k->crow);
}

/* Channels of this tile with padding. */
static int padded(const Tile *k) { return (k->n_e + VLEN - 1) / VLEN * VLEN; }

static void enter_tile(Tile *k, int e0)
{
    k->e0 = e0;
    k->n_e = k->p->E - e0 < TILE ? k->p->E - e0 : TILE;
    const int n = padded(k) * k->W;
    memset(k->A, 0, sizeof(real) * (size_t)n);
    for (int e = 0; e < k->n_e; e++) {
        real *A = k->A + e * k->W;
        vec_exp(A, k->in[A_LOG]->x + (size_t)(e0 + e) * (size_t)k->p->N + k->n0, (size_t)k->width);
        for (int i = 0; i < k->width; i++) A[i] = -A[i];
    }
    for (int i = 0; i < n; i++) k->A2[i] = k->A[i] * (real)1.4426950408889634;
}

static size_t start_of(const Tile *k)
{
    const Plan *p = k->p;
    return ((k->in[H0]->rank == 3 ? (size_t)k->b * (size_t)p->E : 0) + (size_t)k->e0) * (size_t)p->N + (size_t)k->n0;
}

static real *kept_state(const Tile *k, int chunk)
{
    const Plan *p = k->p;
    size_t e_pad = (size_t)(p->E + TILE - 1) / TILE * TILE, c = (size_t)p->n_chunks;
    size_t before = c * e_pad * ((size_t)k->n0 * (size_t)p->B + (size_t)(k->b * k->W)); /* n0: full blocks */
    return p->kept + before + (c * (size_t)k->e0 + (size_t)(chunk * TILE)) * (size_t)k->W;
}

static void load_chunk(Tile *k, int t0, int n)
{
    size_t o = row_of(k, t0);
    pad_rows(n, k->n_e, TILE, k->in[DT]->x + o, k->p->E, k->dt);
    pad_rows(n, k->n_e, TILE, k->in[U]->x + o, k->p->E, k->x);
    for (int i = 0; i < n * TILE; i++) k->x[i] *= k->dt[i];
}

static int chunk_length(const Plan *p, int chunk)
{
    return p->T - chunk * CHUNK < CHUNK ? p->T - chunk * CHUNK : CHUNK;
}

static void scan_tile(Tile *k, real *last)
{
    const Plan *p = k->p;
    const size_t bytes = sizeof(real) * (size_t)(padded(k) * k->W);
    memset(k->h, 0, bytes);
    if (k->in[H0]) pad_rows(k->n_e, k->width, k->W, k->in[H0]->x + start_of(k), p->N, k->h);
    for (int chunk = 0; chunk < p->n_chunks; chunk++) {
        int n = chunk_length(p, chunk), t0 = chunk * CHUNK;
        load_chunk(k, t0, n);
        if (p->kept) memcpy(kept_state(k, chunk), k->h, bytes);
        for (int i = 0; i < n; i++) run_step(k, t0 + i, i, k->h, k->h, NULL);
    }
    size_t o = ((size_t)k->b * (size_t)p->E + (size_t)k->e0) * (size_t)p->N + (size_t)k->n0;
    for (int e = 0; last && e < k->n_e; e++)
        memcpy(last + o + (size_t)e * (size_t)p->N, k->h + e * k->W, sizeof(real) * (size_t)k->width);
}

static void back_tile(Tile *k)
{
    const Plan *p = k->p;
    Tensor *const *in = k->in;
    const int size = padded(k) * k->W, tw = TILE * k->W;
    memset(k->l, 0, sizeof(real) * (size_t)size);
    memset(k->dA, 0, sizeof(real) * (size_t)size);
    for (int chunk = p->n_chunks - 1; chunk >= 0; chunk--) {
        const int n = chunk_length(p, chunk), t0 = chunk * CHUNK;
        load_chunk(k, t0, n);
        pad_rows(n, k->n_e, TILE, k->y->g + row_of(k, t0), p->E, k->dy);
        memcpy(k->states, kept_state(k, chunk), sizeof(real) * (size_t)size);
        for (int i = 0; i < n; i++)
            run_step(k, t0 + i, i, k->states + i * tw, k->states + (i + 1) * tw, k->decays + i * tw);
        for (int i = n - 1; i >= 0; i--) run_step_back(k, t0 + i, i);
    }
    for (int i = 0; i < size; i++) k->dA[i] *= k->A[i];
    if (in[A_LOG]->g)
        add_rows(k->n_e, k->width, k->dA, k->W, in[A_LOG]->g + (size_t)k->e0 * (size_t)p->N + (size_t)k->n0, p->N);
    if (in[H0] && in[H0]->g) add_rows(k->n_e, k->width, k->l, k->W, in[H0]->g + start_of(k), p->N);
}

static void back(Node *n)
{
    const Plan *p = n->saved;
    Tensor **in = n->in;
    size_t mark = arena_mark(n->arena);
    Tile k = tile_new(p, in, n->out, n->arena, true);
    for (int n0 = 0; n0 < p->N; n0 += k.W)
        for (int b = 0; b < p->B; b++) {
            enter_sequence(&k, b, n0);
            memset(k.db, 0, sizeof(real) * (size_t)p->T * (size_t)k.W);
            memset(k.dc, 0, sizeof(real) * (size_t)p->T * (size_t)k.W);
            for (int e0 = 0; e0 < p->E; e0 += TILE) {
                enter_tile(&k, e0);
                back_tile(&k);
            }
            size_t o = (size_t)b * (size_t)p->T * (size_t)p->N + (size_t)n0;
            if (in[BB]->g) add_rows(p->T, k.width, k.db, k.W, in[BB]->g + o, p->N);
            if (in[CC]->g) add_rows(p->T, k.width, k.dc, k.W, in[CC]->g + o, p->N);
        }
    arena_reset(n->arena, mark);
}

static Plan check_shapes(const Tensor *u, const Tensor *dt, const Tensor *a_log, const Tensor *b, const Tensor *c,
                         const Tensor *skip, const Tensor *h0)
{
    CHECK(u->rank == 3 && same_shape(u, dt), "scan_selective: u %s, dt %s, want equal (B,T,E)", shape_str(u),
          shape_str(dt));
    int B = u->dim[0], T = u->dim[1], E = u->dim[2], N = tensor_last(a_log);
    CHECK(a_log->rank == 2 && a_log->dim[0] == E, "scan_selective: a_log %s, want (%d,N)", shape_str(a_log), E);
    CHECK(same_shape(b, c) && b->rank == 3 && b->dim[0] == B && b->dim[1] == T && b->dim[2] == N,
          "scan_selective: b %s, c %s, want (%d,%d,%d)", shape_str(b), shape_str(c), B, T, N);
    CHECK(!skip || (skip->rank == 1 && skip->dim[0] == E), "scan_selective: skip %s, want (%d)", shape_str(skip), E);
    CHECK(!h0 || (tensor_last(h0) == N && h0->rank >= 2 && h0->dim[h0->rank - 2] == E &&
                  (h0->rank == 2 || (h0->rank == 3 && h0->dim[0] == B))),
          "scan_selective: h0 %s, want (%d,%d,%d) or (%d,%d)", shape_str(h0), B, E, N, E, N);
    return (Plan){ .B = B, .T = T, .E = E, .N = N, .n_chunks = (T + CHUNK - 1) / CHUNK };
}

Tensor *op_scan_selective(Tape *t, Tensor *u, Tensor *dt, Tensor *a_log, Tensor *b, Tensor *c, Tensor *skip,
                          bool negative, Tensor *h0, real *last)
{
    Plan *p = ARENA_NEW(t->arena, Plan, 1);
    *p = check_shapes(u, dt, a_log, b, c, skip, h0);
    p->negative = negative;
    Tensor *in[N_IN] = { u, dt, a_log, b, c, skip, h0 }, *y = tape_like(t, u);
    const size_t E = (size_t)p->E, w = (size_t)(NV_MAX * VLEN), full = (size_t)p->N / w * w, rest = (size_t)p->N - full;
    if (t->grad) {
        size_t n_pad = full + (rest ? (size_t)(n_vectors((int)rest) * VLEN) : 0);
        size_t e_pad = (E + TILE - 1) / TILE * TILE;
        p->kept = ARENA_RAW(t->arena, real, (size_t)p->B * (size_t)p->n_chunks * e_pad * n_pad);
    }
    size_t mark = arena_mark(t->arena);
    Tile k = tile_new(p, in, y, t->arena, false);
    for (int n0 = 0; n0 < p->N; n0 += k.W)
        for (int s = 0; s < p->B; s++) {
            enter_sequence(&k, s, n0);
            for (int e0 = 0; e0 < p->E; e0 += TILE) {
                enter_tile(&k, e0);
                scan_tile(&k, last);
            }
        }
    arena_reset(t->arena, mark);
    tape_flops(t, (7.0 * p->N + (skip ? 3 : 1)) * (double)tensor_size(u)); /* an exp counts one */
    return tape_push(t, "scan_selective", back, y, p, N_IN, in);
}
