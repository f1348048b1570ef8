/* SPDX-License-Identifier: Apache-2.0
 * cases_seq.c - cell_lstm, attention and the register tiles under them, against references written from the equations.
 *
 * Each row of a table draws inputs and an output cotangent, runs the op forward and backward, runs a loop in double and
 * compares outputs, carried state and every gradient: 1e-10 in double, 1e-4 in float, relative to the largest value.
 * Then the identities: a cache is the tail of the full pass, halves make a whole, groups are copies, windows count.
 */
#include "cases.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctx.h"
#include "tape/tape.h"
#include "tape/tile.h"

#define TOL          (REAL_BITS == 64 ? 1e-10 : 1e-4)
#define COUNT(table) (sizeof(table) / sizeof *(table))

static Tensor *draw_dims(Tape *t, uint64_t stream, double spread, int rank, const int *dim)
{
    Tensor *x = tape_tensor(t, rank, dim);
    Rng rng = rng_seed(stream, 5);
    for (size_t i = 0; i < tensor_size(x); i++) x->x[i] = (real)(spread * rng_normal(&rng));
    return x;
}
#define DRAW(t, stream, spread, ...)                                                                                   \
    draw_dims((t), (stream), (spread), (int)(sizeof((int[]){ __VA_ARGS__ }) / sizeof(int)), (int[]){ __VA_ARGS__ })

static double *zeros(Tape *t, size_t n) { return ARENA_NEW(t->arena, double, n + 1); }

static void compare(const char *what, const char *part, const real *got, const double *want, size_t n)
{
    double worst = 0, top = 1;
    size_t at = 0;
    for (size_t i = 0; i < n; i++) {
        double d = fabs((double)got[i] - want[i]);
        top = fmax(top, fabs(want[i]));
        if (!(d <= worst)) worst = isnan(d) ? (double)INFINITY : d, at = i;
    }
    ck_assert_msg(worst <= TOL * top, "%s, %s: off by %g at %zu of %zu, largest %g", what, part, worst, at, n, top);
}

/* The op's own node, from the cotangent. */
static void backward(Tape *t, Tensor *y, const Tensor *cot)
{
    memcpy(y->g, cot->x, sizeof(real) * tensor_size(y));
    t->last->back(t->last);
}

/* ---- tiles ------------------------------------------------------------------------------------------------------ */

START_TEST(tiles)
{
    enum { M = 14, LEN = 9, WIDE = TILE_WIDTH * VBYTES / 4 };
    Tape *t = tape_new("test", true);
    Tensor *a = DRAW(t, 1, 1, M, LEN), *at = TENSOR(t, LEN, M), *b = DRAW(t, 2, 1, LEN, WIDE);
    for (int i = 0; i < M * LEN; i++) at->x[i % LEN * M + i / LEN] = a->x[i];
    for (int m = 0; m <= M; m++)
        for (int c = 1; c <= TILE_WIDTH; c++)
            for (int kind = 0; kind < 4; kind++) {
                bool add = kind & 1, transposed = kind & 2;
                Tensor *out = DRAW(t, 3, 1, M, WIDE);
                double *want = zeros(t, M * WIDE);
                for (int i = 0; i < M * WIDE; i++) {
                    int r = i / WIDE, j = i % WIDE;
                    want[i] = (double)out->x[i];
                    if (r >= m || j >= c * VLEN) continue;
                    if (!add) want[i] = 0;
                    for (int l = 0; l < LEN; l++) want[i] += (double)a->x[r * LEN + l] * (double)b->x[l * WIDE + j];
                }
                tile_mul(m, c, LEN, transposed ? at->x : a->x, transposed ? 1 : LEN, transposed ? M : 1, b->x, WIDE,
                         out->x, WIDE, add);
                char what[64];
                snprintf(what, sizeof what, "tile m %d c %d kind %d", m, c, kind);
                compare(what, "out", out->x, want, M * WIDE);
            }
    tape_free(t);
}
END_TEST

/* ---- cell_lstm -------------------------------------------------------------------------------------------------- */

typedef struct {
    int B, T, N, h0, c0;
    double spread;
} LstmCase; /* start: 0 none, 1 (N), 2 (B,N) */
typedef struct {
    Tensor *xw, *u, *h0, *c0, *cot;
} LstmIn;
typedef struct {
    double *h, *c, *gate, *dxw, *du, *dh0, *dc0;
} LstmRef;

static Tensor *draw_start(Tape *t, uint64_t stream, int kind, int B, int N)
{
    return kind == 0 ? NULL : kind == 1 ? DRAW(t, stream, 1, N) : DRAW(t, stream, 1, B, N);
}

static LstmIn lstm_draw(Tape *t, const LstmCase *c)
{
    return (LstmIn){ .xw = DRAW(t, 1, c->spread, c->B, c->T, 4 * c->N),
                     .u = DRAW(t, 2, 1 / sqrt(c->N), c->N, 4 * c->N),
                     .h0 = draw_start(t, 3, c->h0, c->B, c->N),
                     .c0 = draw_start(t, 4, c->c0, c->B, c->N),
                     .cot = DRAW(t, 5, 1, c->B, c->T, c->N) };
}

static double sigmoid(double x) { return 1 / (1 + exp(-x)); }
static double start_at(const Tensor *s, int b, int N, int i)
{
    return s ? (double)s->x[s->rank == 1 ? i : b * N + i] : 0;
}

static void lstm_ref_forward(const LstmCase *c, const LstmIn *in, LstmRef *r)
{
    int T = c->T, N = c->N;
    for (int row = 0; row < c->B * T; row++) {
        int b = row / T, t = row % T;
        double *y = r->gate + row * 4 * N;
        for (int j = 0; j < 4 * N; j++) {
            y[j] = (double)in->xw->x[row * 4 * N + j];
            for (int k = 0; k < N; k++)
                y[j] += (t ? r->h[(row - 1) * N + k] : start_at(in->h0, b, N, k)) * (double)in->u->x[k * 4 * N + j];
            y[j] = j / N == 2 ? tanh(y[j]) : sigmoid(y[j]);
        }
        for (int i = 0; i < N; i++) {
            double old = t ? r->c[(row - 1) * N + i] : start_at(in->c0, b, N, i);
            r->c[row * N + i] = y[N + i] * old + y[i] * y[2 * N + i];
            r->h[row * N + i] = y[3 * N + i] * tanh(r->c[row * N + i]);
        }
    }
}

static void lstm_ref_back(Tape *tape, const LstmCase *c, const LstmIn *in, LstmRef *r)
{
    int T = c->T, N = c->N;
    double *dh = zeros(tape, (size_t)N), *dc = zeros(tape, (size_t)N);
    for (int row = c->B * T - 1; row >= 0; row--) {
        int b = row / T, t = row % T;
        if (t == T - 1) memset(dh, 0, sizeof(double) * (size_t)N), memset(dc, 0, sizeof(double) * (size_t)N);
        const double *y = r->gate + row * 4 * N;
        double *da = r->dxw + row * 4 * N;
        for (int i = 0; i < N; i++) {
            double gi = y[i], gf = y[N + i], gg = y[2 * N + i], go = y[3 * N + i], tc = tanh(r->c[row * N + i]);
            double old = t ? r->c[(row - 1) * N + i] : start_at(in->c0, b, N, i);
            dh[i] += (double)in->cot->x[row * N + i];
            dc[i] += dh[i] * go * (1 - tc * tc);
            da[i] = dc[i] * gg * gi * (1 - gi);
            da[N + i] = dc[i] * old * gf * (1 - gf);
            da[2 * N + i] = dc[i] * gi * (1 - gg * gg);
            da[3 * N + i] = dh[i] * tc * go * (1 - go);
            dc[i] *= gf;
        }
        for (int k = 0; k < N; k++) {
            double old = t ? r->h[(row - 1) * N + k] : start_at(in->h0, b, N, k);
            dh[k] = 0;
            for (int j = 0; j < 4 * N; j++) {
                dh[k] += da[j] * (double)in->u->x[k * 4 * N + j];
                r->du[k * 4 * N + j] += old * da[j];
            }
        }
        for (int i = 0; t == 0 && i < N; i++) {
            r->dh0[c->h0 == 1 ? i : b * N + i] += dh[i];
            r->dc0[c->c0 == 1 ? i : b * N + i] += dc[i];
        }
    }
}

static LstmRef lstm_ref(Tape *t, const LstmCase *c, const LstmIn *in)
{
    size_t n = tensor_size(in->cot), start = (size_t)(c->B * c->N);
    LstmRef r = { .h = zeros(t, n),
                  .c = zeros(t, n),
                  .gate = zeros(t, 4 * n),
                  .dxw = zeros(t, 4 * n),
                  .du = zeros(t, tensor_size(in->u)),
                  .dh0 = zeros(t, start),
                  .dc0 = zeros(t, start) };
    lstm_ref_forward(c, in, &r);
    lstm_ref_back(t, c, in, &r);
    return r;
}

static void check_lstm(const LstmCase *c)
{
    char what[96];
    snprintf(what, sizeof what, "lstm B%d T%d N%d h0 %d c0 %d spread %g", c->B, c->T, c->N, c->h0, c->c0, c->spread);
    Tape *t = tape_new("test", true);
    LstmIn in = lstm_draw(t, c);
    LstmRef r = lstm_ref(t, c, &in);
    size_t state = (size_t)(c->B * c->N);
    real *last_h = ARENA_RAW(t->arena, real, state), *last_c = ARENA_RAW(t->arena, real, state);
    Tensor *h = op_cell_lstm(t, in.xw, in.u, in.h0, in.c0, last_h, last_c);
    compare(what, "h", h->x, r.h, tensor_size(h));
    for (int b = 0; b < c->B; b++) {
        size_t end = (size_t)(((b + 1) * c->T - 1) * c->N);
        compare(what, "last h", last_h + b * c->N, r.h + end, (size_t)c->N);
        compare(what, "last c", last_c + b * c->N, r.c + end, (size_t)c->N);
    }
    backward(t, h, in.cot);
    compare(what, "dxw", in.xw->g, r.dxw, tensor_size(in.xw));
    compare(what, "du", in.u->g, r.du, tensor_size(in.u));
    if (in.h0) compare(what, "dh0", in.h0->g, r.dh0, tensor_size(in.h0));
    if (in.c0) compare(what, "dc0", in.c0->g, r.dc0, tensor_size(in.c0));
    tape_free(t);
}

START_TEST(lstm_reference)
{
    static const LstmCase cases[] = {
        { 1, 1, 1, 0, 0, 1 },  { 1, 2, 3, 2, 2, 1 },   { 2, 3, 5, 1, 1, 1 },   { 3, 5, 8, 2, 0, 1 },
        { 8, 63, 8, 0, 2, 1 }, { 2, 64, 20, 1, 2, 1 }, { 3, 65, 7, 2, 1, 1 },  { 8, 100, 16, 2, 2, 1 },
        { 9, 5, 33, 1, 1, 1 }, { 8, 17, 64, 0, 0, 1 }, { 4, 6, 104, 2, 2, 1 }, { 2, 30, 12, 2, 2, 30 },
    };
    for (size_t i = 0; i < COUNT(cases); i++) check_lstm(&cases[i]);
}
END_TEST

/* Rows [from,to) of every sequence. */
static Tensor *rows_of(Tape *t, const Tensor *x, int from, int to)
{
    int dim[RANK_MAX];
    memcpy(dim, x->dim, sizeof dim);
    dim[1] = to - from;
    Tensor *y = tape_tensor(t, x->rank, dim);
    size_t row = tensor_size(x) / (size_t)(x->dim[0] * x->dim[1]), n = row * (size_t)(to - from);
    for (int b = 0; b < x->dim[0]; b++)
        memcpy(y->x + (size_t)b * n, x->x + (size_t)(b * x->dim[1] + from) * row, n * sizeof(real));
    return y;
}

/* One pass = two passes with the state carried over an odd place, forward bit for bit; without gradients the same bits
 * and nothing kept. */
START_TEST(lstm_halves)
{
    const LstmCase c = { 5, 65, 11, 2, 2, 1 };
    enum { CUT = 23 };
    Tape *t = tape_new("test", true), *plain = tape_new("test", false);
    LstmIn in = lstm_draw(t, &c);
    Tensor *whole = op_cell_lstm(t, in.xw, in.u, in.h0, in.c0, NULL, NULL);
    Tensor *h1 = TENSOR(t, c.B, c.N), *c1 = TENSOR(t, c.B, c.N);
    real last_h[5 * 11], last_c[5 * 11];
    Tensor *first = op_cell_lstm(plain, rows_of(t, in.xw, 0, CUT), in.u, in.h0, in.c0, h1->x, c1->x);
    Tensor *rest = op_cell_lstm(plain, rows_of(t, in.xw, CUT, c.T), in.u, h1, c1, last_h, last_c);
    size_t n = (size_t)c.N;
    for (size_t b = 0; b < (size_t)c.B; b++) {
        const real *row = whole->x + b * (size_t)c.T * n;
        ck_assert_mem_eq(row, first->x + b * CUT * n, CUT * n * sizeof(real));
        ck_assert_mem_eq(row + CUT * n, rest->x + b * (size_t)(c.T - CUT) * n, (size_t)(c.T - CUT) * n * sizeof(real));
        ck_assert_mem_eq(row + (size_t)(c.T - 1) * n, last_h + b * n, n * sizeof(real));
    }
    ck_assert_ptr_null(plain->last);
    Tape *bare = tape_new("test", false);
    TENSOR(bare, c.B, CUT, c.N), TENSOR(bare, c.B, c.T - CUT, c.N);
    ck_assert_uint_eq(arena_mark(plain->arena), arena_mark(bare->arena));
    tape_free(bare), tape_free(plain), tape_free(t);
}
END_TEST

/* A sequence alone has the bits it has in a batch; saturated gates give numbers. */
START_TEST(lstm_batch)
{
    const LstmCase c = { 7, 9, 19, 0, 0, 1 };
    Tape *t = tape_new("test", true);
    LstmIn in = lstm_draw(t, &c);
    Tensor *all = op_cell_lstm(t, in.xw, in.u, NULL, NULL, NULL, NULL);
    for (int b = 0; b < c.B; b++) {
        Tensor *one = TENSOR(t, 1, c.T, 4 * c.N);
        memcpy(one->x, in.xw->x + b * c.T * 4 * c.N, sizeof(real) * tensor_size(one));
        Tensor *y = op_cell_lstm(t, one, in.u, NULL, NULL, NULL, NULL);
        ck_assert_mem_eq(y->x, all->x + b * c.T * c.N, sizeof(real) * tensor_size(y));
    }
    for (size_t i = 0; i < tensor_size(in.xw); i++) in.xw->x[i] = (real)(i % 2 ? 1e30 : -1e30);
    Tensor *y = op_cell_lstm(t, in.xw, in.u, NULL, NULL, NULL, NULL);
    backward(t, y, in.cot);
    for (size_t i = 0; i < tensor_size(y); i++) ck_assert(fabs((double)y->x[i]) <= 1);
    for (size_t i = 0; i < tensor_size(in.xw); i++) ck_assert(isfinite((double)in.xw->g[i]));
    tape_free(t);
}
END_TEST

/* ---- attention -------------------------------------------------------------------------------------------------- */

typedef struct {
    int B, T, S, H, HK, K, V, window;
    double spread;
} AttentionCase;
typedef struct {
    Tensor *q, *k, *v, *cot;
} AttentionIn;

static const double scale = 0.4;

static AttentionIn attention_draw(Tape *t, const AttentionCase *c)
{
    return (AttentionIn){ .q = DRAW(t, 11, c->spread, c->B, c->T, c->H, c->K),
                          .k = DRAW(t, 12, c->spread, c->B, c->S, c->HK, c->K),
                          .v = DRAW(t, 13, 1, c->B, c->S, c->HK, c->V),
                          .cot = DRAW(t, 14, 1, c->B, c->T, c->H, c->V) };
}

static double product(const real *a, const real *b, int n)
{
    double s = 0;
    for (int i = 0; i < n; i++) s += (double)a[i] * (double)b[i];
    return s;
}

/* One row of one head: output and gradients; p holds S doubles. */
static void attention_ref_row(const AttentionCase *c, const AttentionIn *in, int b, int t, int h, double *p, double *o,
                              double *dq, double *dk, double *dv)
{
    int last = c->S - c->T + t, lo = c->window && last >= c->window ? last - c->window + 1 : 0;
    int row = (b * c->T + t) * c->H + h, key = b * c->S * c->HK + h / (c->H / c->HK);
    const real *q = in->q->x + row * c->K, *cot = in->cot->x + row * c->V;
    double top = -(double)INFINITY, sum = 0, delta = 0;
    for (int j = lo; j <= last; j++) {
        p[j] = scale * product(q, in->k->x + (key + j * c->HK) * c->K, c->K);
        top = fmax(top, p[j]);
    }
    for (int j = lo; j <= last; j++) sum += p[j] = exp(p[j] - top);
    for (int j = lo; j <= last; j++) {
        p[j] /= sum;
        for (int i = 0; i < c->V; i++) o[row * c->V + i] += p[j] * (double)in->v->x[(key + j * c->HK) * c->V + i];
        delta += p[j] * product(cot, in->v->x + (key + j * c->HK) * c->V, c->V);
    }
    for (int j = lo; j <= last; j++) {
        int at = key + j * c->HK;
        double ds = scale * p[j] * (product(cot, in->v->x + at * c->V, c->V) - delta);
        for (int i = 0; i < c->V; i++) dv[at * c->V + i] += p[j] * (double)cot[i];
        for (int i = 0; i < c->K; i++) dq[row * c->K + i] += ds * (double)in->k->x[at * c->K + i];
        for (int i = 0; i < c->K; i++) dk[at * c->K + i] += ds * (double)q[i];
    }
}

static void check_attention(const AttentionCase *c)
{
    char what[128];
    snprintf(what, sizeof what, "attention B%d T%d S%d H%d/%d K%d V%d window %d spread %g", c->B, c->T, c->S, c->H,
             c->HK, c->K, c->V, c->window, c->spread);
    Tape *t = tape_new("test", true);
    AttentionIn in = attention_draw(t, c);
    size_t nq = tensor_size(in.q), nk = tensor_size(in.k), nv = tensor_size(in.v), no = tensor_size(in.cot);
    double *o = zeros(t, no), *dq = zeros(t, nq), *dk = zeros(t, nk), *dv = zeros(t, nv), *p = zeros(t, (size_t)c->S);
    for (int i = 0; i < c->B * c->T * c->H; i++)
        attention_ref_row(c, &in, i / (c->T * c->H), i / c->H % c->T, i % c->H, p, o, dq, dk, dv);
    Tensor *y = op_attention(t, in.q, in.k, in.v, scale, c->window, NULL);
    compare(what, "o", y->x, o, no);
    backward(t, y, in.cot);
    compare(what, "dq", in.q->g, dq, nq);
    compare(what, "dk", in.k->g, dk, nk);
    compare(what, "dv", in.v->g, dv, nv);
    tape_free(t);
}

START_TEST(attention_reference)
{
    static const AttentionCase cases[] = {
        { 2, 1, 1, 1, 1, 1, 1, 0, 1 },       { 1, 2, 2, 2, 1, 3, 5, 0, 1 },       { 2, 3, 3, 3, 3, 8, 4, 0, 1 },
        { 1, 5, 5, 2, 2, 5, 9, 0, 1 },       { 2, 63, 63, 2, 2, 32, 32, 0, 1 },   { 1, 64, 64, 4, 2, 16, 16, 0, 1 },
        { 1, 65, 65, 1, 1, 64, 8, 0, 1 },    { 2, 100, 100, 2, 1, 7, 24, 0, 1 },  { 1, 48, 48, 1, 1, 4, 40, 0, 1 },
        { 1, 49, 49, 6, 3, 4, 5, 0, 1 },     { 1, 200, 200, 1, 1, 12, 12, 0, 2 }, { 1, 1, 70, 2, 1, 9, 6, 0, 1 },
        { 2, 3, 17, 2, 2, 32, 32, 0, 1 },    { 1, 4, 100, 2, 1, 8, 8, 0, 1 },     { 1, 37, 165, 2, 2, 8, 8, 0, 1 },
        { 1, 100, 100, 1, 1, 8, 8, 1, 1 },   { 1, 100, 100, 1, 1, 8, 8, 3, 1 },   { 2, 65, 65, 2, 1, 8, 16, 17, 1 },
        { 1, 64, 90, 2, 2, 5, 3, 48, 1 },    { 1, 3, 40, 1, 1, 8, 8, 5, 1 },      { 1, 150, 150, 1, 1, 32, 32, 64, 1 },
        { 1, 130, 131, 1, 1, 8, 8, 129, 1 }, { 1, 70, 70, 1, 1, 8, 8, 0, 6 },     { 1, 52, 80, 1, 1, 16, 8, 28, 1 },
    };
    for (size_t i = 0; i < COUNT(cases); i++) check_attention(&cases[i]);
}
END_TEST

/* The last rows on a cache of all keys = the tail of the full pass; without gradients nothing is kept. */
START_TEST(attention_cache)
{
    static const int tails[] = { 1, 2, 3, 4, 5, 37, 64, 99 }, windows[] = { 0, 20 };
    const AttentionCase c = { 2, 100, 100, 4, 2, 8, 12, 0, 1 };
    for (size_t i = 0; i < COUNT(tails) * COUNT(windows); i++) {
        int n = tails[i / 2], window = windows[i % 2];
        Tape *t = tape_new("test", true), *plain = tape_new("test", false), *bare = tape_new("test", false);
        AttentionIn in = attention_draw(t, &c);
        Tensor *whole = op_attention(t, in.q, in.k, in.v, scale, window, NULL);
        Tensor *q = rows_of(t, in.q, c.T - n, c.T), *want = rows_of(t, whole, c.T - n, c.T);
        Tensor *y = op_attention(plain, q, in.k, in.v, scale, window, NULL);
        double *x = zeros(t, tensor_size(want));
        for (size_t k = 0; k < tensor_size(want); k++) x[k] = (double)want->x[k];
        char what[64];
        snprintf(what, sizeof what, "the last %d of %d rows, window %d", n, c.T, window);
        compare(what, "o", y->x, x, tensor_size(want));
        ck_assert_ptr_null(plain->last);
        TENSOR(bare, c.B, n, c.H, c.V);
        ck_assert_uint_eq(arena_mark(plain->arena), arena_mark(bare->arena));
        tape_free(bare), tape_free(plain), tape_free(t);
    }
}
END_TEST

/* With v one-hot the output is p: exactly `window` positive entries, their sum 1, an exact 0 elsewhere. */
START_TEST(attention_window)
{
    static const int windows[] = { 0, 1, 2, 7, 16, 47, 48, 64, 99, 100 };
    enum { T = 100 };
    for (size_t i = 0; i < COUNT(windows); i++) {
        Tape *t = tape_new("test", true);
        const AttentionCase c = { 1, T, T, 1, 1, 8, T, windows[i], 1 };
        AttentionIn in = attention_draw(t, &c);
        for (int k = 0; k < T * T; k++) in.v->x[k] = k / T == k % T;
        Tensor *p = op_attention(t, in.q, in.k, in.v, scale, windows[i], NULL);
        for (int r = 0; r < T; r++) {
            int first = windows[i] && r >= windows[i] ? r - windows[i] + 1 : 0;
            double sum = 0;
            for (int j = 0; j < T; j++) {
                double x = (double)p->x[r * T + j];
                sum += x;
                ck_assert_msg(j >= first && j <= r ? x > 0 : x == 0, "window %d: p[%d][%d] = %g", windows[i], r, j, x);
            }
            ck_assert_double_eq_tol(sum, 1, REAL_BITS == 64 ? 1e-14 : 1e-6);
        }
        if (windows[i] == T) {
            Tensor *open = op_attention(t, in.q, in.k, in.v, scale, 0, NULL);
            ck_assert_mem_eq(open->x, p->x, sizeof(real) * tensor_size(p));
        }
        tape_free(t);
    }
}
END_TEST

/* Heads on shared keys = heads on copies of them; the gradients of the copies summed. */
START_TEST(attention_groups)
{
    enum { T = 70, H = 6, HK = 2, K = 8, G = H / HK };
    Tape *t = tape_new("test", true);
    const AttentionCase c = { 1, T, T, H, HK, K, K, 0, 1 };
    AttentionIn in = attention_draw(t, &c);
    Tensor *k = TENSOR(t, 1, T, H, K), *v = TENSOR(t, 1, T, H, K);
    for (int i = 0; i < T * H * K; i++) {
        int from = (i / (H * K) * HK + i / K % H / G) * K + i % K;
        k->x[i] = in.k->x[from];
        v->x[i] = in.v->x[from];
    }
    Tensor *y = op_attention(t, in.q, in.k, in.v, scale, 0, NULL);
    backward(t, y, in.cot);
    Tensor *z = op_attention(t, in.q, k, v, scale, 0, NULL);
    ck_assert_mem_eq(y->x, z->x, sizeof(real) * tensor_size(y));
    backward(t, z, in.cot);
    double *dk = zeros(t, T * HK * K), *dv = zeros(t, T * HK * K);
    for (int i = 0; i < T * H * K; i++) {
        int to = (i / (H * K) * HK + i / K % H / G) * K + i % K;
        dk[to] += (double)k->g[i];
        dv[to] += (double)v->g[i];
    }
    compare("groups", "dk", in.k->g, dk, T * HK * K);
    compare("groups", "dv", in.v->g, dv, T * HK * K);
    tape_free(t);
}
END_TEST

/* Rows before a changed position keep their bits. */
START_TEST(attention_causal)
{
    const AttentionCase c = { 2, 100, 100, 2, 1, 8, 8, 0, 1 };
    Tape *t = tape_new("test", true);
    AttentionIn in = attention_draw(t, &c);
    Tensor *before = op_attention(t, in.q, in.k, in.v, scale, 0, NULL);
    for (int cut = 1; cut < c.T; cut += 13) {
        AttentionIn other = attention_draw(t, &c);
        for (int i = 0; i < c.B * c.T * c.H * c.K; i++)
            if (i / (c.H * c.K) % c.T >= cut) other.q->x[i] += 1;
        for (int i = 0; i < c.B * c.S * c.HK * c.K; i++)
            if (i / (c.HK * c.K) % c.S >= cut) other.k->x[i] *= 3, other.v->x[i] -= 2;
        Tensor *after = op_attention(t, other.q, other.k, other.v, scale, 0, NULL);
        size_t row = (size_t)(c.H * c.V), n = row * (size_t)c.T;
        for (size_t b = 0; b < 2; b++)
            ck_assert_mem_eq(before->x + b * n, after->x + b * n, sizeof(real) * row * (size_t)cut);
        ck_assert_mem_ne(before->x, after->x, sizeof(real) * n);
    }
    tape_free(t);
}
END_TEST

/* Scores of +-1e4 and +-1e30 pick the best key; equal scores average; nothing is NaN. */
START_TEST(attention_extreme)
{
    static const double spreads[] = { 0, 150, 1e15 };
    const AttentionCase c = { 1, 66, 66, 1, 1, 4, 4, 0, 1 };
    for (size_t i = 0; i < COUNT(spreads); i++) {
        AttentionCase x = c;
        x.spread = spreads[i];
        Tape *t = tape_new("test", true);
        AttentionIn in = attention_draw(t, &x);
        size_t n = tensor_size(in.cot);
        double *o = zeros(t, n), *p = zeros(t, (size_t)c.S), *d = zeros(t, 3 * n);
        for (int r = 0; r < c.T; r++) attention_ref_row(&x, &in, 0, r, 0, p, o, d, d + n, d + 2 * n);
        Tensor *y = op_attention(t, in.q, in.k, in.v, scale, 0, NULL);
        if (x.spread < 1 || x.spread > 1e10) compare("extreme", "o", y->x, o, n);
        backward(t, y, in.cot);
        for (size_t k = 0; k < n; k++)
            ck_assert_msg(isfinite((double)y->x[k]) && isfinite((double)in.q->g[k]) && isfinite((double)in.k->g[k]) &&
                              isfinite((double)in.v->g[k]),
                          "spread %g: entry %zu is not finite", x.spread, k);
        tape_free(t);
    }
}
END_TEST

/* ---- carried keys ------------------------------------------------------------------------------------------------ */

/* A growing slot gives the last `keep` positions before a chunk and the chunk, and counts what it will keep. */
START_TEST(carry)
{
    static const int chunks[] = { 1, 2, 9, 1, 1, 5, 3, 20, 1 }, keeps[] = { 0, 1, 4, 6, 100 }, batches[] = { 1, 3 };
    enum { H = 2, K = 3, TOTAL = 43 };
    for (size_t i = 0; i < COUNT(keeps) * COUNT(batches); i++) {
        int keep = keeps[i / 2], B = batches[i % 2], at = 0;
        Tape *t = tape_new("test", false);
        State *state = state_new(B);
        Ctx c = { .tape = t, .state = state };
        Tensor *all = DRAW(t, 21, 1, B, TOTAL, H, K);
        for (size_t k = 0; k < COUNT(chunks); k++) {
            int end = at + chunks[k], from = keep && at > keep ? at - keep : 0;
            int S = end - from, stay = keep && keep < S ? keep : S;
            Tensor *got = carry_grow(&c, "k", rows_of(t, all, at, end), keep), *want = rows_of(t, all, from, end);
            ck_assert_msg(same_shape(got, want), "keep %d, chunk %zu: %s", keep, k, shape_str(got));
            ck_assert_mem_eq(got->x, want->x, sizeof(real) * tensor_size(want));
            ck_assert_uint_eq(state_reals(state), (size_t)(stay * H * K));
            at = end;
        }
        Tensor *x = rows_of(t, all, 0, 2);
        ck_assert_ptr_eq(carry_grow(&(Ctx){ .tape = t }, "k", x, keep), x);
        state_free(state);
        tape_free(t);
    }
}
END_TEST

TCase *cases_seq(void)
{
    TCase *t = tcase_create("seq");
    tcase_set_timeout(t, 60);
    tcase_add_test(t, tiles);
    tcase_add_test(t, lstm_reference);
    tcase_add_test(t, lstm_halves);
    tcase_add_test(t, lstm_batch);
    tcase_add_test(t, attention_reference);
    tcase_add_test(t, attention_cache);
    tcase_add_test(t, attention_window);
    tcase_add_test(t, attention_groups);
    tcase_add_test(t, attention_causal);
    tcase_add_test(t, attention_extreme);
    tcase_add_test(t, carry);
    return t;
}
