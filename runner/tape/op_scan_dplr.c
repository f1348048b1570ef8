/* SPDX-License-Identifier: Apache-2.0
 * op_scan_dplr.c - matrix state with diagonal decay and rank-1 writes: linear attention to gated DeltaProduct.
 *
 *   q (B,T,H,K); w, r (B,T,[n_h,]H,K); v (B,T,[n_h,]H,V); a (B,T,H), (B,T,H,K) or NULL; s0 (B,H,K,V), (H,K,V) or NULL
 *   per head, S (K,V):  S = diag(a) S;  n_h times: u = v - S' r, S += w u';  o = scale S' q      -> o (B,T,H,V)
 *   r NULL: u = v (additive family). last (B,H,K,V) or NULL receives the final state.
 *
 * Reverse time, D the adjoint of S:  D += scale q do', dq += scale S do;  per micro-step, backwards: du = D' w,
 * dw += D u, dv += du, dr -= S du (S before the write), D -= r du';  then da += rowsum(D * S before the decay),
 * D = diag(a) D. Any a, also 0 and negative: nothing is divided, no state is recovered by inversion.
 *
 * Form: recurrent, not chunkwise products; one pass over the state per micro-step in each direction, on blocks of the
 * value axis (scan_dplr_kernel.h). The decay and the read are folded into the pass of the micro-step beside them. The
 * forward pass keeps the state before every chunk of about 32 micro-steps, the backward pass reruns a chunk, keeps its
 * states in the second-level cache and walks back. A tape without gradients saves nothing.
 *
 * Source: Yang et al. 2024 (arXiv:2406.06484, arXiv:2412.06464), Siems et al. 2025 (arXiv:2502.10297).
 */
#include "tape/tape.h"
#include "tape/scan_dplr_kernel.h"
#include "tape/vec.h"

enum { Q, W, V, R, A, S0, N_IN };
enum { CHUNK_STEPS = 32, CHUNK_BYTES = 256 << 10 };

typedef struct Dplr {
    int B, T, H, K, V, n_h;
    int a_width;                /* 0: no decay, 1: scalar, else K */
    int chunk, n_chunks, v_pad; /* tokens per chunk; value columns with padding */
    real scale;
    real *kept; /* state before each chunk: (B,H) x blocks x (n_chunks,K,W) */
} Dplr;

/* One block of the value axis of one head, and scratch for one chunk of it (n micro-steps, c tokens). */
typedef struct Block {
    const Dplr *d;
    Tensor *const *in;
    int b, h, v0, nv, width, W;           /* columns v0..v0+width, padded to W = nv * VLEN */
    real *S, *D;                          /* (K,W) */
    real *states;                         /* (n+1,K,W): the state before each micro-step, and the last */
    real *v, *u, *o;                      /* (n,W), (n,W), (c,W): padded values, v - S'r, padded output or cotangent */
    real *p, *du, *ar, *dots, *zero;      /* (W), (W), (n,K), scratch of the kernel, (K) zeros */
    const real **w_row, **r_row, **v_row; /* per micro-step; r times a decay per channel where one precedes */
} Block;

static size_t row_of(const Block *k, int t, int j, int n_h)
{
    const Dplr *d = k->d;
    return (((size_t)k->b * (size_t)d->T + (size_t)t) * (size_t)n_h + (size_t)j) * (size_t)d->H + (size_t)k->h;
}
static size_t offset(const Block *k, int i, int t, int j)
{
    const Dplr *d = k->d;
    size_t width = (size_t)(i == A ? d->a_width : i == V ? d->V : d->K);
    return row_of(k, t, j, i == Q || i == A ? 1 : d->n_h) * width;
}
static const real *input(const Block *k, int i, int t, int j) { return k->in[i]->x + offset(k, i, t, j); }
static real *gradient(const Block *k, int i, int t, int j)
{
    const Tensor *x = k->in[i];
    return x && x->g ? x->g + offset(k, i, t, j) : NULL;
}

static size_t start_of(const Block *k, int i)
{
    const Dplr *d = k->d;
    size_t head = (k->in[S0]->rank == 4 ? (size_t)k->b * (size_t)d->H : 0) + (size_t)k->h;
    return (head * (size_t)d->K + (size_t)i) * (size_t)d->V + (size_t)k->v0;
}

static real *kept_state(const Block *k, int chunk)
{
    const Dplr *d = k->d;
    size_t head = (size_t)k->b * (size_t)d->H + (size_t)k->h, n = (size_t)d->n_chunks, K = (size_t)d->K;
    return d->kept + n * K * (head * (size_t)d->v_pad + (size_t)k->v0) + (size_t)chunk * K * (size_t)k->W;
}

/* Scratch for the widest block. */
static Block block_new(const Dplr *d, Tensor *const *in, Arena *a, bool grad)
{
    int n = d->chunk * d->n_h, K = d->K, w = 4 * VLEN;
    Block k = { .d = d, .in = in };
    k.S = ARENA_RAW(a, real, K * w);
    k.v = ARENA_RAW(a, real, n * w);
    k.u = ARENA_RAW(a, real, n * w);
    k.o = ARENA_RAW(a, real, d->chunk * w);
    k.p = ARENA_RAW(a, real, w);
    k.ar = ARENA_RAW(a, real, n * K);
    k.zero = ARENA_NEW(a, real, K);
    k.w_row = ARENA_NEW(a, const real *, n);
    k.r_row = ARENA_NEW(a, const real *, n + 1);
    k.v_row = ARENA_NEW(a, const real *, n);
    if (!grad) return k;
    k.D = ARENA_RAW(a, real, K * w);
    k.states = ARENA_RAW(a, real, (size_t)(n + 1) * (size_t)(K * w));
    k.du = ARENA_RAW(a, real, w);
    k.dots = ARENA_NEW(a, real, 4 * VLEN * VLEN);
    return k;
}

static void block_at(Block *k, int b, int h, int v0)
{
    int left = k->d->V - v0;
    k->b = b;
    k->h = h;
    k->v0 = v0;
    k->nv = left > 2 * VLEN ? 4 : left > VLEN ? 2 : 1;
    k->W = k->nv * VLEN;
    k->width = left < k->W ? left : k->W;
}

static void load_columns(const Block *k, const real *x, real *y)
{
    for (int j = 0; j < k->width; j++) y[j] = x[j];
    for (int j = k->width; j < k->W; j++) y[j] = 0;
}

/* x if it holds W columns, else a padded copy in y. */
static const real *whole_row(const Block *k, const real *x, real *y)
{
    if (k->width == k->W) return x;
    load_columns(k, x, y);
    return y;
}

static DplrDecay decay_of(const Dplr *d, int j)
{
    return !d->a_width || j > 0 ? DECAY_NONE : d->a_width == 1 ? DECAY_SCALAR : DECAY_CHANNEL;
}

/* The rows of tokens t0..t1. */
static void load_chunk(Block *k, int t0, int t1)
{
    const Dplr *d = k->d;
    int m = 0, K = d->K;
    for (int t = t0; t < t1; t++)
        for (int j = 0; j < d->n_h; j++, m++) {
            k->w_row[m] = input(k, W, t, j);
            k->v_row[m] = whole_row(k, input(k, V, t, j) + k->v0, k->v + m * k->W);
            if (!k->in[R]) continue;
            const real *r = k->r_row[m] = input(k, R, t, j);
            if (decay_of(d, j) != DECAY_CHANNEL) continue;
            const real *a = input(k, A, t, 0);
            real *restrict row = k->ar + m * K;
            for (int i = 0; i < K; i++) row[i] = a[i] * r[i];
            k->r_row[m] = row;
        }
    k->r_row[m] = k->zero; /* nothing follows the last micro-step of a chunk */
}

/* Run tokens t0..t1 of the loaded chunk from S and keep u. With states: put the states there; else update
 * S in place. With out: write the output. */
static void run_chunk(Block *k, int t0, int t1, real *S, real *states, Tensor *out)
{
    const Dplr *d = k->d;
    const int n_h = d->n_h, n = (t1 - t0) * n_h, K = d->K;
    const bool erase = k->in[R] != NULL;
    DplrForwardArgs x = { .S = S, .next = S, .p = k->p, .scale = d->scale };
    if (erase) dplr_read(k->nv, K, S, k->r_row[0], k->p);
    for (int m = 0, t = t0, j = 0; m < n; m++) {
        const bool read = out && j == n_h - 1;
        real *y = read ? out->x + row_of(k, t, 0, 1) * (size_t)d->V + k->v0 : NULL;
        if (states) x.next = states + (size_t)(K * k->W) * (size_t)(m + 1);
        x.a = d->a_width ? input(k, A, t, 0) : NULL;
        x.w = k->w_row[m];
        x.v = k->v_row[m];
        x.u = k->u + m * k->W;
        x.r_after = k->r_row[m + 1];
        x.q = read ? input(k, Q, t, 0) : NULL;
        x.o = k->width == k->W ? y : k->o;
        dplr_forward(k->nv, decay_of(d, j), erase, read)(K, &x);
        if (read && k->width < k->W) memcpy(y, k->o, sizeof(real) * (size_t)k->width);
        x.S = x.next;
        if (++j == n_h) j = 0, t++;
    }
}

static void scan_block(Block *k, Tensor *out, real *last)
{
    const Dplr *d = k->d;
    const size_t KW = (size_t)(d->K * k->W);
    if (k->in[S0])
        for (int i = 0; i < d->K; i++) load_columns(k, k->in[S0]->x + start_of(k, i), k->S + i * k->W);
    else
        memset(k->S, 0, sizeof(real) * KW);
    for (int c = 0; c < d->n_chunks; c++) {
        int t0 = c * d->chunk, t1 = t0 + d->chunk < d->T ? t0 + d->chunk : d->T;
        if (d->kept) memcpy(kept_state(k, c), k->S, sizeof(real) * KW);
        load_chunk(k, t0, t1);
        run_chunk(k, t0, t1, k->S, NULL, out);
    }
    for (int i = 0; last && i < d->K; i++)
        memcpy(last + (((size_t)k->b * (size_t)d->H + (size_t)k->h) * (size_t)d->K + (size_t)i) * (size_t)d->V + k->v0,
               k->S + i * k->W, sizeof(real) * (size_t)k->width);
}

/* Rerun a chunk, then walk back; D is the adjoint of the state after the chunk, on return before it. */
static void back_chunk(Block *k, const Tensor *out, int chunk)
{
    const Dplr *d = k->d;
    const int t0 = chunk * d->chunk, t1 = t0 + d->chunk < d->T ? t0 + d->chunk : d->T;
    const int n_h = d->n_h, n = (t1 - t0) * n_h, K = d->K;
    const bool erase = k->in[R] != NULL;
    load_chunk(k, t0, t1);
    memcpy(k->states, kept_state(k, chunk), sizeof(real) * (size_t)(K * k->W));
    run_chunk(k, t0, t1, k->states, k->states, NULL);
    DplrBackArgs x = { .D = k->D, .p = k->p, .du = k->du, .dots = k->dots, .scale = d->scale };
    dplr_read(k->nv, K, k->D, k->w_row[n - 1], k->p);
    for (int m = n - 1, t = t1 - 1, j = n_h - 1; m >= 0; m--) {
        const bool read = j == n_h - 1;
        x.S = k->states + (size_t)(K * k->W) * (size_t)m;
        x.w = k->w_row[m];
        x.w_before = m ? k->w_row[m - 1] : k->zero;
        x.u = erase ? k->u + m * k->W : k->v_row[m];
        if (read) {
            x.q = input(k, Q, t, 0);
            x.dout = whole_row(k, out->g + row_of(k, t, 0, 1) * (size_t)d->V + k->v0, k->o);
            x.wq = d->scale * vec_dot(x.w, x.q, (size_t)K);
            x.dq = gradient(k, Q, t, 0);
        }
        if (erase) x.r = input(k, R, t, j);
        if (d->a_width) x.a = input(k, A, t, 0);
        x.dw = gradient(k, W, t, j);
        x.dr = gradient(k, R, t, j);
        x.da = gradient(k, A, t, 0);
        dplr_back(k->nv, decay_of(d, j), erase, read)(K, &x);
        real *restrict dv = gradient(k, V, t, j);
        for (int i = 0; dv && i < k->width; i++) dv[k->v0 + i] += k->du[i];
        if (--j < 0) j = n_h - 1, t--;
    }
}

static void back(Node *n)
{
    const Dplr *d = n->saved;
    size_t mark = arena_mark(n->arena);
    Block k = block_new(d, n->in, n->arena, true);
    for (int i = 0; i < d->B * d->H; i++)
        for (int v0 = 0; v0 < d->V; v0 += k.W) {
            block_at(&k, i / d->H, i % d->H, v0);
            memset(k.D, 0, sizeof(real) * (size_t)(d->K * k.W));
            for (int c = d->n_chunks - 1; c >= 0; c--) back_chunk(&k, n->out, c);
            for (int r = 0; n->in[S0] && n->in[S0]->g && r < d->K; r++) {
                real *restrict g = n->in[S0]->g + start_of(&k, r);
                for (int j = 0; j < k.width; j++) g[j] += k.D[r * k.W + j];
            }
        }
    arena_reset(n->arena, mark);
}

static Dplr check_shapes(const DplrIn *in)
{
    const Tensor *q = in->q, *w = in->w, *v = in->v, *a = in->a, *s0 = in->s0;
    CHECK(q->rank == 4, "scan_dplr: q %s, want (B,T,H,K)", shape_str(q));
    Dplr d = { .B = q->dim[0],
               .T = q->dim[1],
               .H = q->dim[2],
               .K = q->dim[3],
               .V = tensor_last(v),
               .n_h = 1,
               .scale = (real)in->scale };
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

/* A chunk's states (K x 4 VLEN reals each) should stay in the second-level cache. */
static void plan_chunks(Dplr *d)
{
    int steps = CHUNK_BYTES / (d->K * 4 * VBYTES);
    steps = steps > CHUNK_STEPS ? CHUNK_STEPS : steps < 4 ? 4 : steps;
    d->chunk = steps / d->n_h > 1 ? steps / d->n_h : 1;
    d->n_chunks = (d->T + d->chunk - 1) / d->chunk;
    int v0 = (d->V - 1) / (4 * VLEN) * (4 * VLEN), left = d->V - v0;
    d->v_pad = v0 + (left > 2 * VLEN ? 4 * VLEN : left > VLEN ? 2 * VLEN : VLEN);
}

Tensor *op_scan_dplr(Tape *t, const DplrIn *in)
{
    Dplr *d = ARENA_NEW(t->arena, Dplr, 1);
    *d = check_shapes(in);
    plan_chunks(d);
    Tensor *x[N_IN] = { in->q, in->w, in->v, in->r, in->a, in->s0 };
    Tensor *out = TENSOR(t, d->B, d->T, d->H, d->V);
    if (t->grad)
        d->kept = ARENA_RAW(t->arena, real,
                            (size_t)d->B * (size_t)d->H * (size_t)d->n_chunks * (size_t)d->K * (size_t)d->v_pad);
    size_t mark = arena_mark(t->arena);
    Block k = block_new(d, x, t->arena, false);
    for (int i = 0; i < d->B * d->H; i++)
        for (int v0 = 0; v0 < d->V; v0 += k.W) {
            block_at(&k, i / d->H, i % d->H, v0);
            scan_block(&k, out, in->last);
        }
    arena_reset(t->arena, mark);
    double per_entry = (in->a ? 1 : 0) + d->n_h * (in->r ? 4 : 2) + 2;
    tape_flops(t, per_entry * (double)d->B * d->T * d->H * d->K * d->V);
    return tape_push(t, "scan_dplr", back, out, d, N_IN, x);
}
