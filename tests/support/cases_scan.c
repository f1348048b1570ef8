/* SPDX-License-Identifier: Apache-2.0
 * cases_scan.c - scan_dplr, scan_diag, scan_selective against per-step references written from the equations.
 *
 * Each case draws inputs and an output cotangent, runs the op forward and backward, runs the reference in double and
 * compares outputs, final state and every gradient: 1e-10 in double, 1e-4 in float, relative to the largest value.
 */
#include "cases.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "tape/tape.h"

#define TOL    (REAL_BITS == 64 ? 1e-10 : 1e-4)
#define RANDOM ((double)NAN) /* gates drawn, not one value */
enum { IN_MAX = 8 };

/* Inputs of one op: tensors for the op and the same numbers (and reference gradients) in double. */
typedef struct {
    Tape *t;
    Rng rng;
    int n_in;
    Tensor *in[IN_MAX]; /* NULL: absent */
    double *x[IN_MAX], *g[IN_MAX];
    double *out, *cot, *last; /* reference output, cotangent, reference final state */
    real *op_last;
    size_t n_out, n_last;
} Case;

static Case case_new(uint64_t seed, int n_in)
{
    Case c = { .t = tape_new("test", true), .rng = rng_seed(seed, 1), .n_in = n_in };
    return c;
}

static double *doubles(Case *c, size_t n) { return ARENA_NEW(c->t->arena, double, n + 1); }

/* Input i: normal values times spread plus centre. */
static void draw(Case *c, int i, double centre, double spread, int rank, const int *dim)
{
    Tensor *x = c->in[i] = tape_tensor(c->t, rank, dim);
    size_t n = tensor_size(x);
    c->x[i] = doubles(c, n);
    c->g[i] = doubles(c, n);
    for (size_t k = 0; k < n; k++) {
        x->x[k] = (real)(centre + spread * rng_normal(&c->rng));
        c->x[i][k] = (double)x->x[k];
    }
}
#define DRAW(c, i, centre, spread, ...)                                                                                \
    draw((c), (i), (centre), (spread), (int)(sizeof((int[]){ __VA_ARGS__ }) / sizeof(int)), (int[]){ __VA_ARGS__ })

/* Replace every value of input i. */
static void fill(Case *c, int i, double v)
{
    for (size_t k = 0; k < tensor_size(c->in[i]); k++) c->x[i][k] = v, c->in[i]->x[k] = (real)v;
}

static void outputs(Case *c, size_t n_out, size_t n_last)
{
    c->n_out = n_out;
    c->n_last = n_last;
    c->out = doubles(c, n_out);
    c->cot = doubles(c, n_out);
    c->last = doubles(c, n_last);
    c->op_last = ARENA_NEW(c->t->arena, real, n_last + 1);
    for (size_t k = 0; k < n_out; k++) c->cot[k] = (double)(real)rng_normal(&c->rng);
}

static void compare(const char *what, const real *got, const double *want, size_t n)
{
    double worst = 0, top = 1;
    for (size_t k = 0; k < n; k++) {
        top = fmax(top, fabs(want[k]));
        double d = fabs((double)got[k] - want[k]);
        if (!(d <= worst)) worst = isnan(d) ? (double)INFINITY : d;
    }
    ck_assert_msg(worst <= TOL * top, "%s: off by %g, largest %g", what, worst, top);
}

/* Backward of the op that made y, and comparison of all results with the reference's. */
static void finish(Case *c, const Tensor *y, const char *what)
{
    char label[160];
    ck_assert_uint_eq(tensor_size(y), c->n_out);
    compare(what, y->x, c->out, c->n_out);
    snprintf(label, sizeof label, "%s last", what);
    compare(label, c->op_last, c->last, c->n_last);
    for (size_t k = 0; k < c->n_out; k++) y->g[k] = (real)c->cot[k];
    c->t->last->back(c->t->last);
    for (int i = 0; i < c->n_in; i++) {
        if (!c->in[i]) continue;
        snprintf(label, sizeof label, "%s gradient %d", what, i);
        compare(label, c->in[i]->g, c->g[i], tensor_size(c->in[i]));
    }
    tape_free(c->t);
}

/* ---- scan_diag ------------------------------------------------------------------------------------------------- */

static void ref_diag(Case *c, int B, int T, int N, bool broadcast)
{
    const double *a = c->x[0], *u = c->x[1], *h0 = c->x[2];
    double *h = c->out;
    for (int b = 0; b < B; b++)
        for (int n = 0; n < N; n++) {
            int z = (broadcast ? 0 : b * N) + n;
            double s = h0 ? h0[z] : 0, l = 0;
            for (int t = 0; t < T; t++) {
                int o = (b * T + t) * N + n;
                h[o] = s = a[o] * s + u[o];
            }
            c->last[b * N + n] = s;
            for (int t = T - 1; t >= 0; t--) {
                int o = (b * T + t) * N + n;
                l += c->cot[o];
                c->g[1][o] += l;
                c->g[0][o] += l * (t ? h[o - N] : h0 ? h0[z] : 0);
                l *= a[o];
            }
            if (h0) c->g[2][z] += l;
        }
}

/* start: 0 none, 1 shared by the batch, 2 one per sequence; gate: RANDOM, else that value everywhere. */
static void check_diag(int B, int T, int N, int start, double gate)
{
    Case c = case_new(7, 3);
    DRAW(&c, 0, 0.3, 0.5, B, T, N);
    DRAW(&c, 1, 0, 1, B, T, N);
    if (start == 1) DRAW(&c, 2, 0, 1, N);
    if (start == 2) DRAW(&c, 2, 0, 1, B, N);
    if (!isnan(gate)) fill(&c, 0, gate);
    outputs(&c, (size_t)(B * T * N), (size_t)(B * N));
    ref_diag(&c, B, T, N, start == 1);
    char what[64];
    snprintf(what, sizeof what, "diag B%d T%d N%d start %d gate %g", B, T, N, start, gate);
    finish(&c, op_scan_diag(c.t, c.in[0], c.in[1], c.in[2], c.op_last), what);
}

static const int lengths[] = { 1, 2, 3, 5, 63, 64, 65, 100 };
enum { N_LENGTHS = sizeof lengths / sizeof *lengths };

START_TEST(diag)
{
    for (int i = 0; i < N_LENGTHS; i++)
        for (int start = 0; start < 3; start++) check_diag(3, lengths[i], 7, start, RANDOM);
    const int widths[] = { 1, 4, 8, 16, 33, 64, 70 };
    for (int i = 0; i < 7; i++) check_diag(2, 9, widths[i], 2, RANDOM);
    check_diag(2, 20, 5, 2, 0);
    check_diag(2, 20, 5, 2, 1);
    check_diag(2, 20, 5, 2, -1);
}
END_TEST

/* ---- scan_selective -------------------------------------------------------------------------------------------- */

enum { SU, SDT, SA, SB, SC, SSKIP, SH0 };

/* One channel e of sequence b, equations at the head of op_scan_selective.c. */
static void ref_channel(Case *c, int b, int e, int T, int E, int N, bool neg, double *h)
{
    double *const *x = c->x, *const *g = c->g, l[64] = { 0 };
    size_t z = (size_t)((c->in[SH0] && c->in[SH0]->rank == 3 ? b * E : 0) + e) * (size_t)N;
    for (int n = 0; n < N; n++) h[n] = x[SH0] ? x[SH0][z + (size_t)n] : 0;
    for (int t = 0; t < T; t++) {
        int o = (b * T + t) * E + e, k = (b * T + t) * N;
        c->out[o] = x[SSKIP] ? x[SSKIP][e] * x[SU][o] : 0;
        for (int n = 0; n < N; n++) {
            double ez = exp(-x[SDT][o] * exp(x[SA][e * N + n])), a = neg ? 2 * ez - 1 : ez;
            h[(t + 1) * N + n] = a * h[t * N + n] + x[SDT][o] * x[SU][o] * x[SB][k + n];
            c->out[o] += x[SC][k + n] * h[(t + 1) * N + n];
        }
    }
    for (int n = 0; n < N; n++) c->last[(b * E + e) * N + n] = h[T * N + n];
    for (int t = T - 1; t >= 0; t--) {
        int o = (b * T + t) * E + e, k = (b * T + t) * N;
        double dt = x[SDT][o], u = x[SU][o], dy = c->cot[o];
        for (int n = 0; n < N; n++) {
            double A = -exp(x[SA][e * N + n]), ez = exp(dt * A), a = neg ? 2 * ez - 1 : ez;
            l[n] += dy * x[SC][k + n];
            double q = l[n] * h[t * N + n] * (neg ? 2 * ez : ez);
            g[SA][e * N + n] += A * q * dt;
            g[SDT][o] += q * A + l[n] * x[SB][k + n] * u;
            g[SU][o] += l[n] * x[SB][k + n] * dt;
            g[SB][k + n] += l[n] * dt * u;
            g[SC][k + n] += dy * h[(t + 1) * N + n];
            l[n] *= a;
        }
        if (x[SSKIP]) g[SU][o] += dy * x[SSKIP][e], g[SSKIP][e] += dy * u;
    }
    for (int n = 0; n < N && x[SH0]; n++) g[SH0][z + (size_t)n] += l[n];
}

static Tensor *run_selective(Case *c, bool neg)
{
    Tensor **in = c->in;
    return op_scan_selective(c->t, in[SU], in[SDT], in[SA], in[SB], in[SC], in[SSKIP], neg, in[SH0], c->op_last);
}

static void check_selective(int B, int T, int E, int N, bool neg, bool skip, int start)
{
    Case c = case_new(11, 7);
    DRAW(&c, SU, 0, 1, B, T, E);
    DRAW(&c, SDT, 0, 0.3, B, T, E);
    for (size_t k = 0; k < tensor_size(c.in[SDT]); k++)
        c.in[SDT]->x[k] = (real)(0.01 + fabs(c.x[SDT][k])), c.x[SDT][k] = (double)c.in[SDT]->x[k];
    DRAW(&c, SA, 0.5, 0.7, E, N);
    DRAW(&c, SB, 0, 1, B, T, N);
    DRAW(&c, SC, 0, 1, B, T, N);
    if (skip) DRAW(&c, SSKIP, 1, 0.3, E);
    if (start == 1) DRAW(&c, SH0, 0, 1, E, N);
    if (start == 2) DRAW(&c, SH0, 0, 1, B, E, N);
    outputs(&c, (size_t)(B * T * E), (size_t)(B * E * N));
    double *h = doubles(&c, (size_t)((T + 1) * N));
    for (int b = 0; b < B; b++)
        for (int e = 0; e < E; e++) ref_channel(&c, b, e, T, E, N, neg, h);
    char what[80];
    snprintf(what, sizeof what, "selective B%d T%d E%d N%d neg %d skip %d start %d", B, T, E, N, neg, skip, start);
    finish(&c, run_selective(&c, neg), what);
}

START_TEST(selective)
{
    for (int i = 0; i < N_LENGTHS; i++)
        for (int m = 0; m < 12; m++) check_selective(2, lengths[i], 3, 5, m & 1, m & 2, m / 4);
    const int sizes[][2] = { { 1, 1 }, { 4, 4 }, { 3, 8 }, { 5, 16 }, { 2, 17 }, { 3, 32 }, { 1, 40 }, { 6, 64 } };
    for (int i = 0; i < 8; i++) check_selective(2, 35, sizes[i][0], sizes[i][1], i & 1, true, 2);
}
END_TEST

/* ---- scan_dplr ------------------------------------------------------------------------------------------------- */

enum { DQ, DW, DV, DR, DA, DS };
/* decay: 0 absent, 1 scalar, 2 per channel; start as in check_diag. */
typedef struct {
    int B, T, H, K, V, n_h, decay, start;
    bool erase;
    double gate;
} Dplr;

static void ref_head(Case *c, const Dplr *d, int b, int h, double *S)
{
    double *const *x = c->x, *const *g = c->g;
    const int K = d->K, V = d->V, KV = K * V, n_h = d->n_h, H = d->H;
    const size_t z = (size_t)((d->start == 2 ? b * H : 0) + h) * (size_t)KV;
    double u[128], du[128], D[128 * 128] = { 0 };
    for (int i = 0; i < KV; i++) S[i] = d->start ? x[DS][z + (size_t)i] : 0;
    double *s = S; /* per token: decayed state, then one per micro-step */
    for (int t = 0; t < d->T; t++) {
        int o = (b * d->T + t) * H + h;
        for (int i = 0; i < KV; i++) s[KV + i] = s[i] * (d->decay == 0 ? 1 : x[DA][d->decay == 1 ? o : o * K + i / V]);
        s += KV;
        for (int m = 0; m < n_h; m++, s += KV) {
            int p = ((b * d->T + t) * n_h + m) * H + h;
            for (int j = 0; j < V; j++) {
                u[j] = x[DV][p * V + j];
                for (int k = 0; k < K && d->erase; k++) u[j] -= s[k * V + j] * x[DR][p * K + k];
            }
            for (int i = 0; i < KV; i++) s[KV + i] = s[i] + x[DW][p * K + i / V] * u[i % V];
        }
        for (int i = 0; i < KV; i++) c->out[o * V + i % V] += 0.7 * x[DQ][o * K + i / V] * s[i];
    }
    for (int i = 0; i < KV; i++) c->last[(b * H + h) * KV + i] = s[i];
    for (int t = d->T - 1; t >= 0; t--) {
        int o = (b * d->T + t) * H + h;
        for (int i = 0; i < KV; i++) {
            D[i] += 0.7 * x[DQ][o * K + i / V] * c->cot[o * V + i % V];
            g[DQ][o * K + i / V] += 0.7 * s[i] * c->cot[o * V + i % V];
        }
        for (int m = n_h - 1; m >= 0; m--) {
            int p = ((b * d->T + t) * n_h + m) * H + h;
            s -= KV;
            for (int j = 0; j < V; j++) {
                u[j] = x[DV][p * V + j];
                du[j] = 0;
                for (int k = 0; k < K; k++) {
                    if (d->erase) u[j] -= s[k * V + j] * x[DR][p * K + k];
                    du[j] += D[k * V + j] * x[DW][p * K + k];
                }
                g[DV][p * V + j] += du[j];
            }
            for (int i = 0; i < KV; i++) {
                g[DW][p * K + i / V] += D[i] * u[i % V];
                if (!d->erase) continue;
                g[DR][p * K + i / V] -= s[i] * du[i % V];
                D[i] -= x[DR][p * K + i / V] * du[i % V];
            }
        }
        s -= KV;
        for (int i = 0; i < KV && d->decay; i++) {
            int r = d->decay == 1 ? o : o * K + i / V;
            g[DA][r] += D[i] * s[i];
            D[i] *= x[DA][r];
        }
    }
    for (int i = 0; i < KV && d->start; i++) g[DS][z + (size_t)i] += D[i];
}

static Case dplr_case(const Dplr *d)
{
    Case c = case_new(13, 6);
    double unit = 0.8 / sqrt(d->K);
    DRAW(&c, DQ, 0, unit, d->B, d->T, d->H, d->K);
    DRAW(&c, DW, 0, unit, d->B, d->T, d->n_h, d->H, d->K);
    DRAW(&c, DV, 0, 1, d->B, d->T, d->n_h, d->H, d->V);
    if (d->erase) DRAW(&c, DR, 0, unit, d->B, d->T, d->n_h, d->H, d->K);
    if (d->decay == 1) DRAW(&c, DA, 0.4, 0.4, d->B, d->T, d->H);
    if (d->decay == 2) DRAW(&c, DA, 0.4, 0.4, d->B, d->T, d->H, d->K);
    if (d->decay && !isnan(d->gate)) fill(&c, DA, d->gate);
    if (d->start == 1) DRAW(&c, DS, 0, 1, d->H, d->K, d->V);
    if (d->start == 2) DRAW(&c, DS, 0, 1, d->B, d->H, d->K, d->V);
    outputs(&c, (size_t)(d->B * d->T * d->H * d->V), (size_t)(d->B * d->H * d->K * d->V));
    return c;
}

static Tensor *run_dplr(Case *c)
{
    Tensor **in = c->in;
    DplrIn arg = {
        .q = in[DQ], .w = in[DW], .v = in[DV], .r = in[DR], .a = in[DA], .scale = 0.7, .s0 = in[DS], .last = c->op_last
    };
    return op_scan_dplr(c->t, &arg);
}

static void check_dplr(Dplr d)
{
    Case c = dplr_case(&d);
    double *S = doubles(&c, (size_t)(d.T * (d.n_h + 1) + 1) * (size_t)(d.K * d.V));
    for (int b = 0; b < d.B; b++)
        for (int h = 0; h < d.H; h++) ref_head(&c, &d, b, h, S);
    char what[128];
    snprintf(what, sizeof what, "dplr B%d T%d H%d K%d V%d n_h %d decay %d start %d erase %d gate %g", d.B, d.T, d.H,
             d.K, d.V, d.n_h, d.decay, d.start, d.erase, d.gate);
    finish(&c, run_dplr(&c), what);
}

START_TEST(dplr_lengths)
{
    for (int i = 0; i < N_LENGTHS; i++)
        for (int m = 0; m < 54; m++)
            check_dplr((Dplr){ 2, lengths[i], 1, 4, 5, m % 3 + 1, m / 3 % 3, m / 9 % 3, m / 27, RANDOM });
}
END_TEST

START_TEST(dplr_sizes)
{
    const int k[] = { 1, 3, 4, 5, 8, 16, 31, 32, 64 }, v[] = { 1, 4, 5, 8, 16, 32, 40, 64 };
    for (int i = 0; i < 9; i++)
        for (int j = 0; j < 8; j++) check_dplr((Dplr){ 1, 35, 2, k[i], v[j], 1, (i + j) % 3, 2, j != i, RANDOM });
    check_dplr((Dplr){ 1, 4, 1, 128, 128, 1, 1, 0, true, RANDOM });
    check_dplr((Dplr){ 1, 4, 1, 17, 128, 2, 2, 1, true, RANDOM });
    check_dplr((Dplr){ 1, 40, 1, 128, 33, 1, 2, 2, true, RANDOM }); /* chunks shorter than 32 */
    check_dplr((Dplr){ 2, 3, 2, 3, 6, 33, 1, 2, true, RANDOM });    /* more micro-steps than a chunk has */
    check_dplr((Dplr){ 2, 37, 3, 8, 7, 16, 2, 1, true, RANDOM });
}
END_TEST

START_TEST(dplr_gates)
{
    const double gate[] = { 0, 1, -1 };
    for (int i = 0; i < 3; i++)
        for (int m = 0; m < 8; m++)
            check_dplr((Dplr){ 2, 40, 2, 4, 8, m & 1 ? 2 : 1, m & 2 ? 1 : 2, 2, m & 4, gate[i] });
}
END_TEST

/* ---- identities ------------------------------------------------------------------------------------------------ */

static void same(const char *what, const real *a, const real *b, size_t n)
{
    double worst = 0, top = 1;
    for (size_t k = 0; k < n; k++) {
        top = fmax(top, fabs((double)a[k]));
        double d = fabs((double)a[k] - (double)b[k]);
        if (!(d <= worst)) worst = isnan(d) ? (double)INFINITY : d;
    }
    ck_assert_msg(worst <= TOL * top, "%s: differ by %g, largest %g", what, worst, top);
}

/* Tokens from..to of x, whose second axis is time; NULL of NULL. */
static Tensor *tokens(Tape *t, const Tensor *x, int from, int to)
{
    if (!x) return NULL;
    int dim[RANK_MAX];
    memcpy(dim, x->dim, sizeof dim);
    dim[1] = to - from;
    Tensor *y = tape_tensor(t, x->rank, dim);
    size_t row = tensor_size(x) / (size_t)x->dim[0] / (size_t)x->dim[1], n = row * (size_t)dim[1];
    for (int b = 0; b < x->dim[0]; b++)
        memcpy(y->x + (size_t)b * n, x->x + ((size_t)b * (size_t)x->dim[1] + (size_t)from) * row, n * sizeof(real));
    return y;
}

/* Whether y of all tokens is y0 of the first and y1 of the rest. */
static void joined(const char *what, Tape *t, const Tensor *y, const Tensor *y0, const Tensor *y1)
{
    const int split = y0->dim[1], T = y->dim[1];
    same(what, tokens(t, y, 0, split)->x, y0->x, tensor_size(y0));
    same(what, tokens(t, y, split, T)->x, y1->x, tensor_size(y1));
}

/* A state tensor that starts where `last` ended. */
static Tensor *carried(Tape *t, const real *last, int rank, const int *dim)
{
    Tensor *s = tape_tensor(t, rank, dim);
    memcpy(s->x, last, tensor_size(s) * sizeof(real));
    return s;
}

START_TEST(halves)
{
    const int T = 77, splits[] = { 1, 31, 33, 64, 76 };
    for (int i = 0; i < 5; i++)
        for (int m = 0; m < 6; m++) {
            Dplr d = { 2, T, 2, 5, 9, m % 2 + 1, m % 3, m % 2 ? 2 : 0, m != 4, RANDOM };
            Case c = dplr_case(&d);
            Tape *t = c.t;
            Tensor *y = run_dplr(&c);
            real *end = ARENA_NEW(t->arena, real, c.n_last);
            memcpy(end, c.op_last, c.n_last * sizeof(real));
            Tensor *y2[2];
            for (int half = 0; half < 2; half++) {
                Case h = c;
                for (int k = DQ; k <= DA; k++) h.in[k] = tokens(t, c.in[k], half ? splits[i] : 0, half ? T : splits[i]);
                if (half) h.in[DS] = carried(t, c.op_last, 4, (int[]){ 2, 2, 5, 9 });
                y2[half] = run_dplr(&h);
            }
            joined("dplr halves", t, y, y2[0], y2[1]);
            same("dplr halves, state", end, c.op_last, c.n_last);
            tape_free(t);
        }
    for (int i = 0; i < 5; i++) {
        Case c = case_new(5, 2);
        Tape *t = c.t;
        DRAW(&c, 0, 0.3, 0.5, 2, T, 9);
        DRAW(&c, 1, 0, 1, 2, T, 9);
        real last[3][18];
        Tensor *y = op_scan_diag(t, c.in[0], c.in[1], NULL, last[0]);
        Tensor *y0 = op_scan_diag(t, tokens(t, c.in[0], 0, splits[i]), tokens(t, c.in[1], 0, splits[i]), NULL, last[1]);
        Tensor *y1 = op_scan_diag(t, tokens(t, c.in[0], splits[i], T), tokens(t, c.in[1], splits[i], T),
                                  carried(t, last[1], 2, (int[]){ 2, 9 }), last[2]);
        joined("diag halves", t, y, y0, y1);
        same("diag halves, state", last[0], last[2], 18);
        tape_free(t);
    }
}
END_TEST

START_TEST(selective_halves)
{
    enum { B = 2, T = 77, E = 5, N = 17 };
    const int splits[] = { 1, 31, 33, 64, 76 };
    for (int i = 0; i < 5; i++) {
        Case c = case_new(5, 7);
        Tape *t = c.t;
        DRAW(&c, SU, 0, 1, B, T, E);
        DRAW(&c, SDT, 0.5, 0.1, B, T, E);
        DRAW(&c, SA, 0, 0.5, E, N);
        DRAW(&c, SB, 0, 1, B, T, N);
        DRAW(&c, SC, 0, 1, B, T, N);
        DRAW(&c, SSKIP, 1, 0.3, E);
        real last[3][B * E * N];
        Tensor *y[3];
        for (int half = 0; half < 3; half++) { /* all, first, rest */
            int from = half == 2 ? splits[i] : 0, to = half == 1 ? splits[i] : T;
            y[half] =
                op_scan_selective(t, tokens(t, c.in[SU], from, to), tokens(t, c.in[SDT], from, to), c.in[SA],
                                  tokens(t, c.in[SB], from, to), tokens(t, c.in[SC], from, to), c.in[SSKIP], i & 1,
                                  half == 2 ? carried(t, last[1], 3, (int[]){ B, E, N }) : NULL, last[half]);
        }
        joined("selective halves", t, y[0], y[1], y[2]);
        same("selective halves, state", last[0], last[2], B * E * N);
        tape_free(t);
    }
}
END_TEST

/* Decays from underflow (dt * exp(a_log) up to 10^4) to 1 - 10^-9. */
START_TEST(selective_gates)
{
    for (int m = 0; m < 4; m++) {
        Case c = case_new(17, 7);
        enum { T = 40, E = 3, N = 9 };
        DRAW(&c, SU, 0, 1, 1, T, E);
        DRAW(&c, SDT, 0.5, 0, 1, T, E);
        DRAW(&c, SA, m < 2 ? 7.5 : -20, 1, E, N);
        DRAW(&c, SB, 0, 1, 1, T, N);
        DRAW(&c, SC, 0, 1, 1, T, N);
        outputs(&c, T * E, E * N);
        double *h = doubles(&c, (T + 1) * N);
        for (int e = 0; e < E; e++) ref_channel(&c, 0, e, T, E, N, m & 1, h);
        finish(&c, run_selective(&c, m & 1), m < 2 ? "decays of 0 or -1" : "decays of 1");
    }
}
END_TEST

/* A decay of 1 is no decay, an erase key of 0 none, n_h micro-steps are n_h tokens of which the first decays and the
 * last reads. */
START_TEST(dplr_identities)
{
    for (int m = 0; m < 2; m++) {
        Dplr d = { 2, 50, 2, 6, 9, 2, m + 1, 2, true, m ? 0.7 : 1 };
        Case c = dplr_case(&d), other = c;
        if (!m)
            other.in[DA] = NULL;
        else
            other.in[DR] = tape_const(c.t, 5, c.in[DR]->dim), c.in[DR] = NULL;
        Tensor *y = run_dplr(&c), *z = run_dplr(&other);
        same(m ? "erase key 0" : "decay 1", y->x, z->x, tensor_size(y));
        tape_free(c.t);
    }
    enum { B = 2, T = 23, H = 2, K = 6, V = 9 };
    for (int n = 2; n <= 3; n++) {
        Dplr d = { B, T, H, K, V, n, 2, 2, true, RANDOM };
        Case c = dplr_case(&d), flat = c;
        Tensor *y = run_dplr(&c);
        flat.in[DQ] = tape_const(c.t, 4, (int[]){ B, T * n, H, K });
        flat.in[DA] = tape_const(c.t, 4, (int[]){ B, T * n, H, K });
        for (int i = 0; i < B * T * n; i++)
            for (int k = 0; k < H * K; k++) {
                flat.in[DA]->x[i * H * K + k] = i % n == 0 ? c.in[DA]->x[i / n * H * K + k] : 1;
                if (i % n == n - 1) flat.in[DQ]->x[i * H * K + k] = c.in[DQ]->x[i / n * H * K + k];
            }
        for (int i = DW; i <= DR; i++) flat.in[i] = op_reshape(c.t, c.in[i], B, T * n, H, c.in[i]->dim[4]);
        Tensor *z = run_dplr(&flat);
        for (int i = 0; i < B * T; i++) same("micro-steps", y->x + i * H * V, z->x + ((i + 1) * n - 1) * H * V, H * V);
        tape_free(c.t);
    }
}
END_TEST

/* One tensor in several places collects the sum of the gradients of its places. */
START_TEST(shared_inputs)
{
    Dplr d = { 1, 37, 1, 8, 8, 1, 2, 0, true, RANDOM };
    Case c = dplr_case(&d);
    for (int i = DW; i <= DR; i++) c.in[i] = tape_tensor(c.t, 4, (int[]){ 1, 37, 1, 8 });
    for (int i = DW; i <= DR; i++) memcpy(c.in[i]->x, c.in[DQ]->x, tensor_size(c.in[DQ]) * sizeof(real));
    Case one = c;
    one.in[DQ] = tape_tensor(c.t, 4, (int[]){ 1, 37, 1, 8 });
    memcpy(one.in[DQ]->x, c.in[DQ]->x, tensor_size(c.in[DQ]) * sizeof(real));
    one.in[DW] = one.in[DV] = one.in[DR] = one.in[DQ];
    for (int run = 0; run < 2; run++) {
        Tensor *y = run_dplr(run ? &one : &c);
        for (size_t k = 0; k < c.n_out; k++) y->g[k] = (real)c.cot[k];
        c.t->last->back(c.t->last);
    }
    for (size_t k = 0; k < c.n_out; k++) c.in[DQ]->g[k] += c.in[DW]->g[k] + c.in[DV]->g[k] + c.in[DR]->g[k];
    same("shared input", c.in[DQ]->g, one.in[DQ]->g, c.n_out);
    tape_free(c.t);
}
END_TEST

TCase *cases_scan(void)
{
    TCase *t = tcase_create("scan");
    tcase_set_timeout(t, 60);
    tcase_add_test(t, diag);
    tcase_add_test(t, selective);
    tcase_add_test(t, dplr_lengths);
    tcase_add_test(t, dplr_sizes);
    tcase_add_test(t, dplr_gates);
    tcase_add_test(t, halves);
    tcase_add_test(t, selective_halves);
    tcase_add_test(t, selective_gates);
    tcase_add_test(t, dplr_identities);
    tcase_add_test(t, shared_inputs);
    return t;
}
