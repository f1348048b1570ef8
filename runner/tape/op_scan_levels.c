/* SPDX-License-Identifier: Apache-2.0
 * op_scan_levels.c - a matrix-state recurrence whose past is kept in levels, one read weight per level (log-linear).
 *
 *   q, w, r (B,T,H,K); v (B,T,H,V); a (B,T,H) or NULL; lam (B,T,H,L)                            -> o (B,T,H,V)
 *   A source at position s stands in level 0 of the query at t = s, else in level min(floor(log2(s xor t)) + 1, L-1).
 *   S_l: what op_scan_dplr's recurrence makes of the writes w v' of level l;  o[t] = scale sum_l lam[t,l] S_l' q[t]
 *
 * The levels are the digits of t: level l < L-1 holds something where bit l-1 of t is set. A token moves every such
 * level (S_l = a S_l - w (a S_l' r)'), reads it and reads its own write, which is level 0. Then t+1 carries: levels
 * 1..z, z the trailing ones of t, and the write are summed into level z+1. Level L-1 keeps all that is older. L = 1:
 * the plain recurrence with lam as a factor. pos0 is the position of the first token.
 * s0, last (B,H,max(L-1,1),K,V), levels 1..L-1 between two tokens (level 0 is then empty); s0 NULL: zeros.
 *
 * Reverse time, D_l the adjoint of S_l: dv += D_{z+1}' w, dw += D_{z+1} v, D_1..D_z = D_{z+1}; then level 0 and every
 * level as in op_scan_dplr, whose kernels run here with nothing to write; dlam_l = scale do' S_l' q. As there, the
 * forward pass keeps the levels before every chunk of tokens and the backward pass reruns it. Memory: T log T.
 *
 * Source: Guo et al. 2025 (arXiv:2506.04761). The cap of the last level is ours: a model has as many as it was built
 * with.
 */
#include "base/vsum.h"
#include "tape/tape.h"
#include "tape/scan_dplr_kernel.h"
#include "tape/vec.h"

enum { Q, W, V, R, A, LAM, S0, N_IN };
enum { CHUNK_TOKENS = 16, CHUNK_BYTES = 64 << 10 };

typedef struct Levels {
    int B, T, H, K, V, top, pos0; /* top = L-1 > 0 */
    int chunk, n_chunks, v_pad;   /* tokens per chunk; value columns with padding */
    DplrDecay decay;
    bool erase;
    real scale;
    real *kept; /* levels before each chunk: (B,H) x blocks x (n_chunks,top,K,W) */
} Levels;

/* One block of the value axis of one head. Arrays over levels have top+1 entries, of which [0] is not used. */
typedef struct Walk {
    const Levels *d;
    Tensor *const *in;
    int b, h, v0, nv, width, W; /* columns v0..v0+width, padded to W = nv * VLEN */
    size_t size;                /* reals of one state, K W */
    real **S, *home, *p;        /* each level's state; where it lives; (top+1,W) S_l' r of the next token */
    real *v, *o, *o_level, *u;  /* (W) each */
    real *zero;                 /* (max(K,W)) */
    real *slots;                /* rerun: states are made here one after the other and never overwritten */
    size_t used;
    real **before, *us, *os, *vs; /* rerun, per token: per level its state before, u, S_l' q; padded values */
    real *D, *P, *dout, *du, *dots;
} Walk;

static bool level_live(const Levels *d, int l, int pos)
{
    return l < d->top ? pos >> (l - 1) & 1 : pos >> (l - 1) != 0;
}

/* The level that the writes up to pos go to. */
static int level_after(const Levels *d, int pos)
{
    int l = 1;
    for (; l < d->top && pos & 1; pos >>= 1) l++;
    return l;
}

static size_t row_of(const Walk *k, int t)
{
    const Levels *d = k->d;
    return ((size_t)k->b * (size_t)d->T + (size_t)t) * (size_t)d->H + (size_t)k->h;
}
static size_t offset(const Walk *k, int i, int t)
{
    const Levels *d = k->d;
    return row_of(k, t) * (size_t)(i == A     ? 1
                                   : i == V   ? d->V
                                   : i == LAM ? d->top + 1
                                              : d->K) +
           (size_t)(i == V ? k->v0 : 0);
}
/* Row t of input i; zeros where there is none. */
static const real *input(const Walk *k, int i, int t)
{
    return k->in[i] && t >= 0 && t < k->d->T ? k->in[i]->x + offset(k, i, t) : k->zero;
}
static real *gradient(const Walk *k, int i, int t)
{
    const Tensor *x = k->in[i];
    return x && x->g ? x->g + offset(k, i, t) : NULL;
}

/* Row i of level l in s0 and last. */
static size_t carried(const Walk *k, int l, int i)
{
    const Levels *d = k->d;
    size_t state = ((size_t)k->b * (size_t)d->H + (size_t)k->h) * (size_t)d->top + (size_t)(l - 1);
    return (state * (size_t)d->K + (size_t)i) * (size_t)d->V + (size_t)k->v0;
}

static real *kept_state(const Walk *k, int chunk, int l)
{
    const Levels *d = k->d;
    size_t head = (size_t)k->b * (size_t)d->H + (size_t)k->h, n = (size_t)(d->n_chunks * d->top);
    return d->kept + n * (size_t)d->K * (head * (size_t)d->v_pad + (size_t)k->v0) +
           (size_t)(chunk * d->top + l - 1) * k->size;
}

/* Scratch for the widest block. */
static Walk walk_new(const Levels *d, Tensor *const *in, Arena *a, bool grad)
{
    int L = d->top + 1, w = 4 * VLEN, n = d->chunk * L;
    Walk k = { .d = d, .in = in };
    size_t KW = (size_t)(d->K * w);
    k.S = ARENA_NEW(a, real *, L);
    k.home = grad ? NULL : ARENA_RAW(a, real, (size_t)L * KW);
    k.p = ARENA_RAW(a, real, L * w);
    k.v = ARENA_RAW(a, real, w);
    k.o = ARENA_RAW(a, real, w);
    k.o_level = ARENA_RAW(a, real, w);
    k.u = ARENA_RAW(a, real, w);
    k.zero = ARENA_NEW(a, real, d->K > w ? d->K : w);
    if (!grad) return k;
    k.slots = ARENA_RAW(a, real, (size_t)n * KW);
    k.before = ARENA_NEW(a, real *, n);
    k.us = ARENA_RAW(a, real, n * w);
    k.os = ARENA_RAW(a, real, n * w);
    k.vs = ARENA_RAW(a, real, d->chunk * w);
    k.D = ARENA_RAW(a, real, (size_t)L * KW);
    k.P = ARENA_RAW(a, real, L * w);
    k.dout = ARENA_RAW(a, real, w);
    k.du = ARENA_RAW(a, real, w);
    k.dots = ARENA_NEW(a, real, 4 * VLEN * VLEN);
    return k;
}

static void walk_at(Walk *k, int b, int h, int v0)
{
    int left = k->d->V - v0;
    k->b = b;
    k->h = h;
    k->v0 = v0;
    k->nv = left > 2 * VLEN ? 4 : left > VLEN ? 2 : 1;
    k->W = k->nv * VLEN;
    k->width = left < k->W ? left : k->W;
    k->size = (size_t)(k->d->K * k->W);
}

static void load_columns(const Walk *k, const real *x, real *y)
{
    for (int j = 0; j < k->width; j++) y[j] = x[j];
    for (int j = k->width; j < k->W; j++) y[j] = 0;
}

/* ---- forward --------------------------------------------------------------------------------------------------- */

/* Where the next state of level l goes: its home, or in a rerun a place of its own. */
static real *next_state(Walk *k, int l)
{
    if (k->home) return k->home + (size_t)l * k->size;
    return k->slots + k->size * k->used++;
}

/* Sum levels 1..m-1, level m if it holds something, and the write w v' into level m; likewise their p. */
static void carry_levels(Walk *k, int t)
{
    const Levels *d = k->d;
    const int pos = d->pos0 + t, m = level_after(d, pos), n = m - 1 + level_live(d, m, pos);
    const real *w = input(k, W, t), *r = input(k, R, t + 1);
    real *next = next_state(k, m), *p = k->p + m * k->W;
    const real *base = n ? k->S[n] : NULL;
    for (int i = 0; i < d->K; i++) {
        const vreal wi = v_set(w[i]);
        for (int j = i * k->W, c = 0; c < k->W; j += VLEN, c += VLEN)
            v_store(next + j, wi * v_load(k->v + c) + (base ? v_load(base + j) : v_set(0)));
    }
    for (int l = 1; l < n; l++) vec_add(next, k->S[l], k->size);
    k->S[m] = next;
    if (!d->erase) return;
    if (n < m) memset(p, 0, sizeof(real) * (size_t)k->W);
    vec_axpy(p, vec_dot(r, w, (size_t)d->K), k->v, (size_t)k->W);
    for (int l = 1; l < m; l++) vec_add(p, k->p + l * k->W, (size_t)k->W);
}

/* Tokens t0..t1 from the levels S. out NULL: a rerun, which records what the way back needs. */
static void run_chunk(Walk *k, int t0, int t1, Tensor *out)
{
    const Levels *d = k->d;
    const DplrForward step = dplr_forward(k->nv, d->decay, d->erase, true);
    const int L = d->top + 1;
    for (int l = 1; l < L && d->erase; l++)
        if (level_live(d, l, d->pos0 + t0)) dplr_read(k->nv, d->K, k->S[l], input(k, R, t0), k->p + l * k->W);
    for (int t = t0; t < t1; t++) {
        const real *lam = input(k, LAM, t), *w = input(k, W, t), *q = input(k, Q, t);
        const real own = lam[0] * d->scale * vec_dot(w, q, (size_t)d->K);
        load_columns(k, input(k, V, t), k->v);
        for (int j = 0; j < k->W; j++) k->o[j] = own * k->v[j];
        for (int l = 1; l < L; l++) {
            if (!level_live(d, l, d->pos0 + t)) continue;
            const int at = (t - t0) * L + l;
            DplrForwardArgs x = { .S = k->S[l], .a = input(k, A, t), .w = w, .v = k->zero, .q = q, .scale = d->scale };
            x.r_after = input(k, R, t + 1);
            x.next = next_state(k, l);
            x.p = k->p + l * k->W;
            x.u = out ? k->u : k->us + at * k->W;
            x.o = out ? k->o_level : k->os + at * k->W;
            if (!out) k->before[at] = k->S[l];
            step(d->K, &x);
            k->S[l] = x.next;
            vec_axpy(k->o, lam[l], x.o, (size_t)k->W);
        }
        if (out)
            memcpy(out->x + row_of(k, t) * (size_t)d->V + k->v0, k->o, sizeof(real) * (size_t)k->width);
        else
            memcpy(k->vs + (t - t0) * k->W, k->v, sizeof(real) * (size_t)k->W);
        carry_levels(k, t);
    }
}

static void scan_block(Walk *k, Tensor *out, real *last)
{
    const Levels *d = k->d;
    for (int l = 1; l <= d->top; l++) {
        k->S[l] = k->home + (size_t)l * k->size;
        for (int i = 0; i < d->K; i++)
            load_columns(k, k->in[S0] ? k->in[S0]->x + carried(k, l, i) : k->zero, k->S[l] + i * k->W);
    }
    for (int c = 0; c < d->n_chunks; c++) {
        int t0 = c * d->chunk, t1 = t0 + d->chunk < d->T ? t0 + d->chunk : d->T;
        for (int l = 1; l <= d->top && d->kept; l++)
            if (level_live(d, l, d->pos0 + t0)) memcpy(kept_state(k, c, l), k->S[l], sizeof(real) * k->size);
        run_chunk(k, t0, t1, out);
    }
    for (int l = 1; l <= d->top && last; l++)
        for (int i = 0; i < d->K; i++)
            memcpy(last + carried(k, l, i), level_live(d, l, d->pos0 + d->T) ? k->S[l] + i * k->W : k->zero,
                   sizeof(real) * (size_t)k->width);
}

/* ---- backward -------------------------------------------------------------------------------------------------- */

/* y += D v, VLEN rows at a time. */
static void add_products(Walk *k, const real *D, real *y)
{
    const int K = k->d->K;
    for (int i = 0; i < K; i += VLEN) {
        const int n = K - i < VLEN ? K - i : VLEN;
        for (int r = 0; r < n; r++) {
            vreal sum = v_set(0);
            for (int c = 0; c < k->W; c += VLEN) sum += v_load(D + (i + r) * k->W + c) * v_load(k->v + c);
            v_store(k->dots + r * VLEN, sum);
        }
        v_add_some(y + i, v_sums(k->dots), n);
    }
}

/* The carry after token t, and its own write as level 0. k->o is the cotangent of the output. */
static void back_write(Walk *k, int t)
{
    const Levels *d = k->d;
    const int m = level_after(d, d->pos0 + t);
    const size_t n = (size_t)k->W, K = (size_t)d->K;
    const real *w = input(k, W, t), *q = input(k, Q, t), lam = input(k, LAM, t)[0];
    const real *D = k->D + (size_t)m * k->size, *P = k->P + m * k->W;
    const real wq = d->scale * vec_dot(w, q, K), vo = vec_dot(k->v, k->o, n);
    real *dw = gradient(k, W, t), *dq = gradient(k, Q, t), *dv = gradient(k, V, t), *dlam = gradient(k, LAM, t);
    for (int l = 1; l < m; l++) {
        memcpy(k->D + (size_t)l * k->size, D, sizeof(real) * k->size);
        memcpy(k->P + l * k->W, P, sizeof(real) * n);
    }
    if (dlam) dlam[0] += wq * vo;
    if (dq) vec_axpy(dq, lam * d->scale * vo, w, K);
    if (dw) vec_axpy(dw, lam * d->scale * vo, q, K);
    if (dw) add_products(k, D, dw);
    for (int j = 0; dv && j < k->width; j++) dv[j] += P[j] + lam * wq * k->o[j];
}

/* Rerun a chunk, then walk back; D and P = D' w of the token before are those after the chunk, then before it. */
static void back_chunk(Walk *k, const Tensor *out, int chunk)
{
    const Levels *d = k->d;
    const int t0 = chunk * d->chunk, t1 = t0 + d->chunk < d->T ? t0 + d->chunk : d->T, L = d->top + 1;
    const DplrBack step = dplr_back(k->nv, d->decay, d->erase, true);
    k->used = 0;
    for (int l = 1; l < L; l++) k->S[l] = kept_state(k, chunk, l);
    run_chunk(k, t0, t1, NULL);
    for (int t = t1 - 1; t >= t0; t--) {
        const real *lam = input(k, LAM, t), *w = input(k, W, t), *q = input(k, Q, t);
        real *dlam = gradient(k, LAM, t);
        DplrBackArgs x = { .w = w, .q = q, .r = input(k, R, t), .a = input(k, A, t), .w_before = input(k, W, t - 1) };
        x.wq = d->scale * vec_dot(w, q, (size_t)d->K);
        x.scale = d->scale;
        x.dq = gradient(k, Q, t);
        x.dw = d->erase ? gradient(k, W, t) : NULL;
        x.dr = gradient(k, R, t);
        x.da = gradient(k, A, t);
        x.dout = k->dout;
        x.du = k->du;
        x.dots = k->dots;
        load_columns(k, out->g + row_of(k, t) * (size_t)d->V + k->v0, k->o);
        memcpy(k->v, k->vs + (t - t0) * k->W, sizeof(real) * (size_t)k->W);
        back_write(k, t);
        for (int l = 1; l < L; l++) {
            if (!level_live(d, l, d->pos0 + t)) continue;
            const int at = (t - t0) * L + l;
            if (dlam) dlam[l] += vec_dot(k->os + at * k->W, k->o, (size_t)k->W);
            for (int j = 0; j < k->W; j++) k->dout[j] = lam[l] * k->o[j];
            x.S = k->before[at];
            x.u = d->erase ? k->us + at * k->W : k->zero;
            x.D = k->D + (size_t)l * k->size;
            x.p = k->P + l * k->W;
            step(d->K, &x);
        }
    }
}

static void back(Node *n)
{
    const Levels *d = n->saved;
    size_t mark = arena_mark(n->arena);
    Walk k = walk_new(d, n->in, n->arena, true);
    real *ds = n->in[S0] ? n->in[S0]->g : NULL;
    for (int i = 0; i < d->B * d->H; i++)
        for (int v0 = 0; v0 < d->V; v0 += k.W) {
            walk_at(&k, i / d->H, i % d->H, v0);
            memset(k.D, 0, sizeof(real) * (size_t)(d->top + 1) * k.size);
            memset(k.P, 0, sizeof(real) * (size_t)((d->top + 1) * k.W));
            for (int c = d->n_chunks - 1; c >= 0; c--) back_chunk(&k, n->out, c);
            for (int l = 1; l <= d->top && ds; l++)
                for (int r = 0; r < d->K && level_live(d, l, d->pos0); r++)
                    vec_add(ds + carried(&k, l, r), k.D + (size_t)l * k.size + r * k.W, (size_t)k.width);
        }
    arena_reset(n->arena, mark);
}

/* ---- the op ---------------------------------------------------------------------------------------------------- */

static bool has_shape(const Tensor *x, int rank, const int *dim)
{
    return x->rank == rank && !memcmp(x->dim, dim, sizeof(int) * (size_t)rank);
}

static Levels check_shapes(const DplrIn *in, const Tensor *lam, int pos0)
{
    const Tensor *q = in->q, *v = in->v;
    CHECK(q->rank == 4, "scan_levels: q %s, want (B,T,H,K)", shape_str(q));
    Levels d = { .B = q->dim[0], .T = q->dim[1], .H = q->dim[2], .K = q->dim[3], .V = tensor_last(v), .pos0 = pos0 };
    const int value[4] = { d.B, d.T, d.H, d.V }, state[5] = { d.B, d.H, tensor_last(lam) - 1, d.K, d.V };
    CHECK(same_shape(in->w, q) && has_shape(v, 4, value) && (!in->r || same_shape(in->r, q)),
          "scan_levels: w %s, v %s do not fit q %s", shape_str(in->w), shape_str(v), shape_str(q));
    CHECK(!in->a || has_shape(in->a, 3, q->dim), "scan_levels: a %s, want (%d,%d,%d)", shape_str(in->a), d.B, d.T, d.H);
    CHECK(lam->rank == 4 && !memcmp(lam->dim, q->dim, 3 * sizeof(int)), "scan_levels: lam %s does not fit q %s",
          shape_str(lam), shape_str(q));
    CHECK(!in->s0 || state[2] == 0 || has_shape(in->s0, 5, state), "scan_levels: s0 %s, want (%d,%d,%d,%d,%d)",
          shape_str(in->s0), d.B, d.H, state[2], d.K, d.V);
    d.top = state[2];
    d.erase = in->r != NULL;
    d.decay = in->a ? DECAY_SCALAR : DECAY_NONE;
    d.scale = (real)in->scale;
    return d;
}

/* The plain recurrence: one level is all. */
static Tensor *scan_one(Tape *t, const DplrIn *in, Tensor *lam)
{
    DplrIn x = *in;
    if (x.s0) x.s0 = op_reshape(t, x.s0, x.s0->dim[0], x.s0->dim[1], x.s0->dim[3], x.s0->dim[4]);
    return op_mul_rows(t, op_scan_dplr(t, &x), op_reshape(t, lam, lam->dim[0], lam->dim[1], lam->dim[2]));
}

/* The states of a chunk (about four levels a token) should stay in the second-level cache. */
static void plan_chunks(Levels *d)
{
    int n = CHUNK_BYTES / (d->K * 4 * VBYTES);
    d->chunk = n > CHUNK_TOKENS ? CHUNK_TOKENS : n < 4 ? 4 : n;
    d->n_chunks = (d->T + d->chunk - 1) / d->chunk;
    int v0 = (d->V - 1) / (4 * VLEN) * (4 * VLEN), left = d->V - v0;
    d->v_pad = v0 + (left > 2 * VLEN ? 4 * VLEN : left > VLEN ? 2 * VLEN : VLEN);
}

Tensor *op_scan_levels(Tape *t, const DplrIn *in, Tensor *lam, int pos0)
{
    Levels *d = ARENA_NEW(t->arena, Levels, 1);
    *d = check_shapes(in, lam, pos0);
    if (d->top == 0) return scan_one(t, in, lam);
    plan_chunks(d);
    Tensor *x[N_IN] = { in->q, in->w, in->v, in->r, in->a, lam, in->s0 };
    Tensor *out = TENSOR(t, d->B, d->T, d->H, d->V);
    size_t states = (size_t)d->B * (size_t)d->H * (size_t)d->n_chunks * (size_t)d->top;
    if (t->grad) d->kept = ARENA_RAW(t->arena, real, states * (size_t)d->K * (size_t)d->v_pad);
    size_t mark = arena_mark(t->arena);
    Walk k = walk_new(d, x, t->arena, false);
    double moves = 0;
    for (int s = 0; s < d->T; s++)
        for (int l = 1; l <= d->top; l++) moves += level_live(d, l, pos0 + s);
    for (int i = 0; i < d->B * d->H; i++)
        for (int v0 = 0; v0 < d->V; v0 += k.W) {
            walk_at(&k, i / d->H, i % d->H, v0);
            scan_block(&k, out, in->last);
        }
    arena_reset(t->arena, mark);
    double per_entry = (in->a ? 1 : 0) + (in->r ? 4 : 0) + 2;
    tape_flops(t, (per_entry * moves + 3.0 * d->T) * (double)d->B * d->H * d->K * d->V);
    return tape_push(t, "scan_levels", back, out, d, N_IN, x);
}
