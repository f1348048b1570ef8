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
    real *states;                         /* (n,K,W): the state before each micro-step */
    real *u, *o, *p, *du;                 /* (n,W), (c,W), (W), (W) */
    real *a, *ar, *aq, *zero;             /* (c,K), (n,K), (c,K), (K): rows that must be made */
    const real **w_row, **r_row, **a_row; /* per micro-step w and a * r (r where no decay precedes); per token a */
    real *dots, *sums, *acc;              /* (4,K',VLEN), (4,K'), (VLEN), K' = K rounded up to VLEN */
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

static int steps_of(const Dplr *d) { return d->chunk * d->n_h; }

/* Scratch for the widest block. */
static Block block_new(const Dplr *d, Tensor *const *in, Arena *a, bool grad)
{
    int n = steps_of(d), c = d->chunk, K = d->K, pad = (K + VLEN - 1) / VLEN * VLEN, w = 4 * VLEN;
    Block k = { .d = d, .in = in };
    k.S = ARENA_RAW(a, real, K * w);
    k.u = ARENA_NEW(a, real, n * w);
    k.o = ARENA_NEW(a, real, c * w);
    k.p = ARENA_RAW(a, real, w);
    k.a = ARENA_RAW(a, real, c * K);
    k.ar = ARENA_RAW(a, real, n * K);
    k.zero = ARENA_NEW(a, real, K);
    k.w_row = ARENA_NEW(a, const real *, n);
    k.r_row = ARENA_NEW(a, const real *, n + 1);
    k.a_row = ARENA_NEW(a, const real *, c);
    if (!grad) return k;
    k.D = ARENA_RAW(a, real, K * w);
    k.states = ARENA_RAW(a, real, (size_t)n * (size_t)(K * w));
    k.du = ARENA_RAW(a, real, w);
    k.aq = ARENA_RAW(a, real, c * K);
    k.dots = ARENA_NEW(a, real, 4 * pad * VLEN);
    k.sums = ARENA_RAW(a, real, 4 * pad);
    k.acc = ARENA_RAW(a, real, VLEN);
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

/* The rows and values of tokens t0..t1: u = v, r_row = a * r where a token begins. */
static void load_chunk(Block *k, int t0, int t1)
{
    const Dplr *d = k->d;
    int m = 0, K = d->K;
    for (int t = t0; t < t1; t++) {
        if (d->a_width) {
            const real *a = input(k, A, t, 0);
            real *row = k->a + (t - t0) * K;
            if (d->a_width == 1)
                for (int i = 0; i < K; i++) row[i] = a[0];
            k->a_row[t - t0] = d->a_width == 1 ? row : a;
        }
        for (int j = 0; j < d->n_h; j++, m++) {
            load_columns(k, input(k, V, t, j) + k->v0, k->u + m * k->W);
            k->w_row[m] = input(k, W, t, j);
            if (!k->in[R]) continue;
            const real *r = input(k, R, t, j), *a = k->a_row[t - t0];
            real *row = k->ar + m * K;
            k->r_row[m] = d->a_width && j == 0 ? row : r;
            if (d->a_width && j == 0)
                for (int i = 0; i < K; i++) row[i] = a[i] * r[i];
        }
    }
    k->r_row[m] = k->zero; /* nothing follows the last micro-step of a chunk */
}

/* Run tokens t0..t1 of the loaded chunk from S. With states: keep the state before each micro-step there and read
 * nothing; else update S in place and write o. u becomes v - S'r. */
static void run_chunk(Block *k, int t0, int t1, real *S, real *states)
{
    const Dplr *d = k->d;
    const int n_h = d->n_h, n = (t1 - t0) * n_h, K = d->K;
    const size_t KW = (size_t)(K * k->W);
    bool erase = k->in[R] != NULL;
    if (erase) dplr_read(k->nv, K, S, k->r_row[0], k->p);
    for (int m = 0; m < n; m++) {
        int t = m / n_h, j = m % n_h;
        bool read = !states && j == n_h - 1, decay = d->a_width && j == 0;
        real *u = k->u + m * k->W;
        for (int i = 0; erase && i < k->W; i++) u[i] -= k->p[i];
        if (states && m == n - 1) break; /* only its u is wanted */
        real *next = states ? states + KW * (size_t)(m + 1) : S;
        dplr_forward(k->nv, decay, erase, read)(K, S, next, k->a_row[t], k->w_row[m], u, k->r_row[m + 1], k->p,
                                                read ? input(k, Q, t0 + t, 0) : NULL, k->o + t * k->W);
        S = next;
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
        run_chunk(k, t0, t1, k->S, NULL);
        for (int t = t0; t < t1; t++) {
            real *restrict y = out->x + row_of(k, t, 0, 1) * (size_t)d->V + k->v0;
            const real *o = k->o + (t - t0) * k->W;
            for (int j = 0; j < k->width; j++) y[j] = d->scale * o[j];
        }
    }
    for (int i = 0; last && i < d->K; i++)
        memcpy(last + (((size_t)k->b * (size_t)d->H + (size_t)k->h) * (size_t)d->K + (size_t)i) * (size_t)d->V + k->v0,
               k->S + i * k->W, sizeof(real) * (size_t)k->width);
}

static real dot(int n, const real *x, const real *y)
{
    vreal sum = v_set(0);
    real tail = 0;
    int i = 0;
    for (; i + VLEN <= n; i += VLEN) sum += v_load(x + i) * v_load(y + i);
    for (; i < n; i++) tail += x[i] * y[i];
    return v_sum(sum) + tail;
}

/* Add the gradients of the rows of micro-step m (token t, number j) from the sums of the reverse pass; uo = u . do. */
static void add_rows(Block *k, int m, int t, int j, bool decay, bool read, real uo)
{
    const Dplr *d = k->d;
    const int K = d->K, pad = (K + VLEN - 1) / VLEN * VLEN;
    const real sc = d->scale, *q = input(k, Q, t, 0), *w = k->w_row[m], *r = k->in[R] ? input(k, R, t, j) : NULL;
    const real *a = decay ? k->a_row[t % d->chunk] : NULL;
    const real *du = k->sums, *so = du + pad, *su = so + pad, *ds = su + pad;
    real *restrict dw = gradient(k, W, t, j), *restrict dq = read ? gradient(k, Q, t, 0) : NULL;
    real *restrict dr = gradient(k, R, t, j), *restrict da = decay ? gradient(k, A, t, 0) : NULL;
    for (int s = 0; s < (d->a_width > 1 && decay ? 4 : 3); s++)
        if (s == 0 || (s == 1 && read) || (s == 2 && r) || s == 3)
            dplr_sum_rows(K, k->dots + s * pad * VLEN, k->sums + s * pad);
    if (dw && read)
        for (int i = 0; i < K; i++) dw[i] += du[i] + sc * uo * q[i];
    else if (dw)
        for (int i = 0; i < K; i++) dw[i] += du[i];
    if (dq && a)
        for (int i = 0; i < K; i++) dq[i] += sc * (a[i] * so[i] + uo * w[i]);
    else if (dq)
        for (int i = 0; i < K; i++) dq[i] += sc * (so[i] + uo * w[i]);
    if (dr && a)
        for (int i = 0; i < K; i++) dr[i] -= a[i] * su[i];
    else if (dr)
        for (int i = 0; i < K; i++) dr[i] -= su[i];
    if (da && d->a_width == 1) {
        da[0] += v_sum(v_load(k->acc)) + (read ? sc * dot(K, q, so) : 0) - (r ? dot(K, r, su) : 0);
    } else if (da) {
        for (int i = 0; i < K; i++) da[i] += ds[i];
        for (int i = 0; read && i < K; i++) da[i] += sc * q[i] * so[i];
        for (int i = 0; r && i < K; i++) da[i] -= r[i] * su[i];
    }
}

/* Rerun tokens t0..t1, then walk back; D is the adjoint of the state after the chunk, on return before it. */
static void back_chunk(Block *k, const Tensor *out, int chunk)
{
    const Dplr *d = k->d;
    int t0 = chunk * d->chunk, t1 = t0 + d->chunk < d->T ? t0 + d->chunk : d->T;
    const int n_h = d->n_h, n = (t1 - t0) * n_h, K = d->K, wd = k->W;
    const size_t KW = (size_t)(K * wd);
    load_chunk(k, t0, t1);
    memcpy(k->states, kept_state(k, chunk), sizeof(real) * KW);
    run_chunk(k, t0, t1, k->states, k->states);
    for (int t = t0; t < t1; t++) {
        const real *q = input(k, Q, t, 0), *a = k->a_row[t - t0];
        real *aq = k->aq + (t - t0) * K;
        for (int i = 0; i < K; i++) aq[i] = d->scale * q[i];
        for (int i = 0; d->a_width && n_h == 1 && i < K; i++) aq[i] *= a[i];
        load_columns(k, out->g + row_of(k, t, 0, 1) * (size_t)d->V + k->v0, k->o + (t - t0) * wd);
    }
    dplr_read(k->nv, K, k->D, k->w_row[n - 1], k->p);
    for (int m = n - 1; m >= 0; m--) {
        int t = m / n_h, j = m % n_h;
        bool read = j == n_h - 1, decay = d->a_width && j == 0, erase = k->in[R] != NULL;
        const real *u = k->u + m * wd, *dout = k->o + t * wd, *q = input(k, Q, t0 + t, 0);
        real wq = read ? d->scale * dot(K, k->w_row[m], q) : 0, uo = read ? dot(wd, u, dout) : 0;
        for (int i = 0; i < wd; i++) k->du[i] = k->p[i] + wq * dout[i];
        real *dv = gradient(k, V, t0 + t, j);
        for (int i = 0; dv && i < k->width; i++) dv[k->v0 + i] += k->du[i];
        DplrBackArgs x = { .S = k->states + KW * (size_t)m,
                           .a = k->a_row[t],
                           .aq = k->aq + t * K,
                           .ar = k->r_row[m],
                           .w = m ? k->w_row[m - 1] : k->zero,
                           .u = u,
                           .dout = dout,
                           .du = k->du,
                           .D = k->D,
                           .p = k->p,
                           .dots = k->dots,
                           .acc = k->acc };
        dplr_back(k->nv, !decay ? DECAY_NONE : d->a_width == 1 ? DECAY_SCALAR : DECAY_CHANNEL, erase, read)(K, &x);
        add_rows(k, m, t0 + t, j, decay, read, uo);
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
