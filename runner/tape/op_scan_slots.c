/* SPDX-License-Identifier: Apache-2.0
 * op_scan_slots.c - a memory of M slots with a key and a value each, read by softmax attention over the slots.
 *
 *   q (B,T,H,K); kv (B,T,H,C), C = K + V: key and value side by side; w, a (B,T,H,M): how much a slot takes and keeps
 *   per head, S (M,C):  S = diag(a) S + w kv';  p = softmax(scale S[:, :K] q);  o = S[:, K:]' p      -> o (B,T,H,V)
 *   s0 (B,H,M,C), (H,M,C) or NULL (zeros); last (B,H,M,C) or NULL receives the final state.
 *
 * Reverse time, D the adjoint of S, P its key and R its value columns:  dp = S[:, K:] do, dl = scale p (dp - p . dp),
 * R += p do', P += dl q', dq += S[:, :K]' dl;  dw += D kv, dkv += D' w, da += rowsum(D * S before), D = diag(a) D.
 *
 * The forward pass keeps p, and the state before every chunk; the backward pass reruns a chunk and walks back.
 * Source: Zhang et al. 2024 (arXiv:2409.07146), Peng et al. 2022 (arXiv:2110.02488).
 */
#include "tape/tape.h"
#include "tape/vec.h"

#include <math.h>
#include <string.h>

enum { Q, KV, W, A, S0 };
enum { CHUNK_STEPS = 32, CHUNK_BYTES = 256 << 10 };

typedef struct {
    size_t B, T, H, K, V, C, M, chunk, n_chunks;
    real scale;
    real *p, *kept; /* (B,T,H,M); (B,H,n_chunks,M,C) */
} Slots;

static Slots slots_of(const SlotsIn *in)
{
    Slots d = { .B = (size_t)in->q->dim[0], .T = (size_t)in->q->dim[1], .H = (size_t)in->q->dim[2] };
    d.K = (size_t)tensor_last(in->q);
    d.C = (size_t)tensor_last(in->kv);
    d.M = (size_t)tensor_last(in->w);
    d.V = d.C - d.K;
    d.scale = (real)in->scale;
    d.chunk = CHUNK_BYTES / (d.M * d.C * sizeof(real));
    d.chunk = d.chunk < 1 ? 1 : d.chunk > CHUNK_STEPS ? CHUNK_STEPS : d.chunk;
    d.n_chunks = (d.T + d.chunk - 1) / d.chunk;
    return d;
}

/* to = diag(a) from + w kv' */
static void step(const Slots *d, const real *a, const real *w, const real *kv, const real *from, real *to)
{
    for (size_t m = 0; m < d->M; m++, from += d->C, to += d->C) {
        const real keep = a[m], take = w[m];
        for (size_t i = 0; i < d->C; i++) to[i] = keep * from[i] + take * kv[i];
    }
}

static void read_slots(const Slots *d, const real *S, const real *q, real *p, real *o)
{
    real top = -(real)INFINITY, sum = 0;
    for (size_t m = 0; m < d->M; m++) {
        p[m] = d->scale * vec_dot(S + m * d->C, q, d->K);
        if (p[m] > top) top = p[m];
    }
    for (size_t m = 0; m < d->M; m++) sum += p[m] = r_exp(p[m] - top);
    memset(o, 0, sizeof(real) * d->V);
    for (size_t m = 0; m < d->M; m++) {
        p[m] /= sum;
        vec_axpy(o, p[m], S + m * d->C + d->K, d->V);
    }
}

/* One head of one sequence; S is scratch (M,C). */
static void scan_head(const Slots *d, Tensor *const *in, Tensor *out, size_t b, size_t h, real *S, real *p)
{
    const size_t n = d->M * d->C, head = b * d->H + h;
    if (in[S0])
        memcpy(S, in[S0]->x + (in[S0]->rank == 4 ? head : h) * n, sizeof(real) * n);
    else
        memset(S, 0, sizeof(real) * n);
    for (size_t t = 0; t < d->T; t++) {
        const size_t r = (b * d->T + t) * d->H + h;
        if (d->kept && t % d->chunk == 0)
            memcpy(d->kept + (head * d->n_chunks + t / d->chunk) * n, S, sizeof(real) * n);
        step(d, in[A]->x + r * d->M, in[W]->x + r * d->M, in[KV]->x + r * d->C, S, S);
        read_slots(d, S, in[Q]->x + r * d->K, d->p ? d->p + r * d->M : p, out->x + r * d->V);
    }
}

/* Through one token: S before and after it; D the adjoint after, on return before. dl (M) scratch. */
static void back_step(const Slots *d, Tensor *const *in, const real *dout, size_t r, const real *before, const real *S,
                      real *D, real *dl)
{
    const real *p = d->p + r * d->M, *q = in[Q]->x + r * d->K, *kv = in[KV]->x + r * d->C;
    const real *w = in[W]->x + r * d->M, *a = in[A]->x + r * d->M;
    real mean = 0;
    for (size_t m = 0; m < d->M; m++) {
        dl[m] = vec_dot(S + m * d->C + d->K, dout, d->V);
        mean += p[m] * dl[m];
    }
    for (size_t m = 0; m < d->M; m++) {
        real *Dm = D + m * d->C, g = d->scale * p[m] * (dl[m] - mean);
        vec_axpy(Dm + d->K, p[m], dout, d->V);
        vec_axpy(Dm, g, q, d->K);
        if (in[Q]->g) vec_axpy(in[Q]->g + r * d->K, g, S + m * d->C, d->K);
        if (in[W]->g) in[W]->g[r * d->M + m] += vec_dot(Dm, kv, d->C);
        if (in[KV]->g) vec_axpy(in[KV]->g + r * d->C, w[m], Dm, d->C);
        if (in[A]->g) in[A]->g[r * d->M + m] += vec_dot(Dm, before + m * d->C, d->C);
        for (size_t i = 0; i < d->C; i++) Dm[i] *= a[m];
    }
}

static void back(Node *node)
{
    const Slots *d = node->saved;
    Tensor *const *in = node->in;
    const size_t n = d->M * d->C;
    size_t mark = arena_mark(node->arena);
    real *D = ARENA_RAW(node->arena, real, n), *dl = ARENA_RAW(node->arena, real, d->M);
    real *states = ARENA_RAW(node->arena, real, (d->chunk + 1) * n);
    for (size_t head = 0; head < d->B * d->H; head++) {
        const size_t b = head / d->H, h = head % d->H;
        memset(D, 0, sizeof(real) * n);
        for (size_t c = d->n_chunks; c-- > 0;) {
            const size_t t0 = c * d->chunk, t1 = t0 + d->chunk < d->T ? t0 + d->chunk : d->T;
            memcpy(states, d->kept + (head * d->n_chunks + c) * n, sizeof(real) * n);
            for (size_t t = t0; t < t1; t++) {
                const size_t r = (b * d->T + t) * d->H + h;
                real *S = states + (t - t0) * n;
                step(d, in[A]->x + r * d->M, in[W]->x + r * d->M, in[KV]->x + r * d->C, S, S + n);
            }
            for (size_t t = t1; t-- > t0;) {
                const size_t r = (b * d->T + t) * d->H + h;
                const real *S = states + (t - t0) * n;
                back_step(d, in, node->out->g + r * d->V, r, S, S + n, D, dl);
            }
        }
        if (in[S0] && in[S0]->g) vec_add(in[S0]->g + (in[S0]->rank == 4 ? head : h) * n, D, n);
    }
    arena_reset(node->arena, mark);
}

Tensor *op_scan_slots(Tape *t, const SlotsIn *x)
{
    const Slots dims = slots_of(x);
    const size_t n = dims.M * dims.C, rows = dims.B * dims.T * dims.H;
    CHECK(x->q->rank == 4 && x->kv->rank == 4 && dims.C > dims.K && same_shape(x->w, x->a) &&
              tensor_size(x->kv) == rows * dims.C && tensor_size(x->w) == rows * dims.M,
          "scan_slots: q %s, kv %s, w %s, a %s", shape_str(x->q), shape_str(x->kv), shape_str(x->w), shape_str(x->a));
    CHECK(!x->s0 || tensor_size(x->s0) == (x->s0->rank == 4 ? dims.B : 1) * dims.H * n, "scan_slots: s0 %s",
          shape_str(x->s0));
    Tensor *out = TENSOR(t, (int)dims.B, (int)dims.T, (int)dims.H, (int)dims.V);
    Tensor *in[] = { x->q, x->kv, x->w, x->a, x->s0 };
    Slots *d = ARENA_NEW(t->arena, Slots, 1);
    *d = dims;
    if (t->grad) {
        d->p = ARENA_RAW(t->arena, real, rows * d->M);
        d->kept = ARENA_RAW(t->arena, real, d->B * d->H * d->n_chunks * n);
    }
    size_t mark = arena_mark(t->arena);
    real *S = ARENA_RAW(t->arena, real, n), *p = ARENA_RAW(t->arena, real, d->M);
    for (size_t head = 0; head < d->B * d->H; head++) {
        scan_head(d, in, out, head / d->H, head % d->H, S, p);
        if (x->last) memcpy(x->last + head * n, S, sizeof(real) * n);
    }
    arena_reset(t->arena, mark);
    tape_flops(t, 5.0 * (double)(rows * n));
    return tape_push(t, "scan_slots", back, out, d, 5, in);
}
