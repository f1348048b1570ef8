/* SPDX-License-Identifier: Apache-2.0
 * cases_levels.c - scan_levels against its definition, source by source, made of proven ops.
 *
 * The reference runs the plain recurrence once per source s with all other values set to zero and weighs what a query
 * at t reads of it by lam[t, level of s]; so it knows nothing of carries. Outputs and gradients: 1e-10 in double, 1e-4
 * in float, relative to the largest value.
 */
#include "cases.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "tape/tape.h"

#define TOL (REAL_BITS == 64 ? 1e-10 : 1e-4)
enum { IN_Q, IN_W, IN_V, IN_R, IN_A, IN_LAM, N_IN };

typedef struct {
    int B, T, H, K, V, L;
    bool erase, decay;
} Size;

typedef struct {
    Tape *t;
    Rng rng;
    Size n;
    Tensor *in[N_IN];
} Case;

static Tensor *draw(Case *c, double centre, double spread, int rank, const int *dim)
{
    Tensor *x = tape_tensor(c->t, rank, dim);
    for (size_t i = 0; i < tensor_size(x); i++) x->x[i] = (real)(centre + spread * rng_normal(&c->rng));
    return x;
}
#define DRAW(c, centre, spread, ...)                                                                                   \
    draw((c), (centre), (spread), (int)(sizeof((int[]){ __VA_ARGS__ }) / sizeof(int)), (int[]){ __VA_ARGS__ })

static Case case_new(Size n)
{
    Case c = { .t = tape_new("test", true), .rng = rng_seed(21, 1), .n = n };
    double unit = 0.8 / sqrt(n.K);
    c.in[IN_Q] = DRAW(&c, 0, unit, n.B, n.T, n.H, n.K);
    c.in[IN_W] = DRAW(&c, 0, unit, n.B, n.T, n.H, n.K);
    c.in[IN_V] = DRAW(&c, 0, 1, n.B, n.T, n.H, n.V);
    c.in[IN_R] = n.erase ? DRAW(&c, 0, unit, n.B, n.T, n.H, n.K) : NULL;
    c.in[IN_A] = n.decay ? DRAW(&c, 0.8, 0.2, n.B, n.T, n.H) : NULL;
    c.in[IN_LAM] = DRAW(&c, 1, 0.5, n.B, n.T, n.H, n.L);
    return c;
}

static DplrIn arguments(const Case *c)
{
    return (DplrIn){
        .q = c->in[IN_Q], .w = c->in[IN_W], .v = c->in[IN_V], .r = c->in[IN_R], .a = c->in[IN_A], .scale = 0.7
    };
}

/* Level of source s for a query at t >= s. */
static int level_of(int s, int t, int L)
{
    int l = s == t ? 0 : (int)floor(log2(s ^ t)) + 1;
    return l < L ? l : L - 1;
}

static Tensor *reference(const Case *c)
{
    const Size *n = &c->n;
    Tape *t = c->t;
    Tensor *sum = NULL, *ones = tape_const(t, 2, (int[]){ n->L, 1 });
    for (int l = 0; l < n->L; l++) ones->x[l] = 1;
    for (int s = 0; s < n->T; s++) {
        Tensor *only = tape_const(t, 4, c->in[IN_V]->dim), *pick = tape_const(t, 4, c->in[IN_LAM]->dim);
        for (int i = 0; i < n->B * n->T * n->H; i++) {
            int q = i / n->H % n->T;
            for (int j = 0; j < n->V; j++) only->x[i * n->V + j] = q == s;
            if (q >= s) pick->x[i * n->L + level_of(s, q, n->L)] = 1;
        }
        DplrIn in = arguments(c);
        in.v = op_mul(t, in.v, only);
        Tensor *lam = op_linear(t, op_mul(t, c->in[IN_LAM], pick), ones, NULL);
        Tensor *o = op_mul_rows(t, op_scan_dplr(t, &in), op_reshape(t, lam, n->B, n->T, n->H));
        sum = sum ? op_add(t, sum, o) : o;
    }
    return sum;
}

static void same(const char *what, const Size *n, const real *got, const real *want, size_t size)
{
    double worst = 0, top = 1;
    for (size_t i = 0; i < size; i++) {
        top = fmax(top, fabs((double)want[i]));
        double d = fabs((double)got[i] - (double)want[i]);
        if (!(d <= worst)) worst = isnan(d) ? (double)INFINITY : d;
    }
    ck_assert_msg(worst <= TOL * top, "%s, T %d K %d V %d L %d erase %d decay %d: off by %g, largest %g", what, n->T,
                  n->K, n->V, n->L, n->erase, n->decay, worst, top);
}

/* Gradients of sum(y * cot) are added to those of the inputs; returned as copies, then cleared. */
static void gradients(Case *c, Tensor *y, const real *cot, real **out)
{
    Tensor *w = tape_const(c->t, y->rank, y->dim);
    memcpy(w->x, cot, tensor_size(y) * sizeof(real));
    tape_backward(c->t, op_mul(c->t, y, w));
    for (int i = 0; i < N_IN; i++) {
        if (!c->in[i]) continue;
        size_t n = tensor_size(c->in[i]);
        out[i] = ARENA_NEW(c->t->arena, real, n);
        memcpy(out[i], c->in[i]->g, n * sizeof(real));
        memset(c->in[i]->g, 0, n * sizeof(real));
    }
    c->t->last = NULL;
}

static void check(Size n)
{
    static const char *const names[N_IN] = { "dq", "dw", "dv", "dr", "da", "dlam" };
    Case c = case_new(n);
    DplrIn in = arguments(&c);
    real *got[N_IN], *want[N_IN];
    const real *cot = DRAW(&c, 0, 1, n.B, n.T, n.H, n.V)->x;
    Tensor *y = op_scan_levels(c.t, &in, c.in[IN_LAM], 0);
    gradients(&c, y, cot, got);
    Tensor *z = reference(&c);
    gradients(&c, z, cot, want);
    same("output", &n, y->x, z->x, tensor_size(y));
    for (int i = 0; i < N_IN; i++)
        if (c.in[i]) same(names[i], &n, got[i], want[i], tensor_size(c.in[i]));
    tape_free(c.t);
}

START_TEST(levels_lengths)
{
    const int lengths[] = { 1, 2, 3, 5, 63, 64, 65, 100 };
    for (int i = 0; i < 8; i++)
        for (int m = 0; m < 4; m++) check((Size){ 1, lengths[i], 2, 3, 5, m ? 8 : 3, m & 1, m & 2 });
}
END_TEST

START_TEST(levels_sizes)
{
    const int sizes[][3] = { { 1, 1, 5 }, { 1, 8, 2 }, { 8, 16, 1 }, { 5, 33, 6 }, { 17, 40, 3 }, { 130, 9, 4 } };
    for (int i = 0; i < 6; i++) check((Size){ 2, 19, 2, sizes[i][0], sizes[i][1], sizes[i][2], true, true });
}
END_TEST

/* All weights one: the plain recurrence, whatever the number of levels. */
START_TEST(levels_of_one)
{
    for (int m = 0; m < 12; m++) {
        Size n = { 2, 70, 2, 5, 9, m / 4 ? m / 4 * 4 : 1, m & 1, m & 2 };
        Case c = case_new(n);
        DplrIn in = arguments(&c);
        for (size_t i = 0; i < tensor_size(c.in[IN_LAM]); i++) c.in[IN_LAM]->x[i] = 1;
        Tensor *y = op_scan_levels(c.t, &in, c.in[IN_LAM], 0), *z = op_scan_dplr(c.t, &in);
        same("weights of one", &n, y->x, z->x, tensor_size(y));
        tape_free(c.t);
    }
}
END_TEST

static Tensor *tokens(Tape *t, const Tensor *x, int from, int to)
{
    if (!x) return NULL;
    int dim[RANK_MAX];
    memcpy(dim, x->dim, sizeof dim);
    dim[1] = to - from;
    Tensor *y = tape_tensor(t, x->rank, dim);
    size_t row = tensor_size(x) / (size_t)(x->dim[0] * x->dim[1]), n = row * (size_t)dim[1];
    for (int b = 0; b < dim[0]; b++)
        memcpy(y->x + (size_t)b * n, x->x + ((size_t)(b * x->dim[1] + from)) * row, n * sizeof(real));
    return y;
}

/* One pass is two half passes, wherever it is cut, outputs and final levels. */
START_TEST(levels_halves)
{
    enum { B = 2, T = 77, H = 2, K = 5, V = 9 };
    const int splits[] = { 1, 2, 31, 32, 33, 64, 76 };
    for (int m = 0; m < 28; m++) {
        Size n = { B, T, H, K, V, m % 4 == 3 ? 1 : 4 + m % 4 * 2, m & 1, m & 2 };
        const int split = splits[m / 4], states = n.L > 1 ? n.L - 1 : 1, size = B * H * states * K * V;
        Case c = case_new(n);
        real *last = ARENA_NEW(c.t->arena, real, 3 * size);
        Tensor *y[3];
        for (int half = 0; half < 3; half++) { /* all, first, rest */
            int from = half == 2 ? split : 0, to = half == 1 ? split : T;
            Case part = c;
            for (int i = 0; i < N_IN; i++) part.in[i] = tokens(c.t, c.in[i], from, to);
            DplrIn in = arguments(&part);
            in.last = last + half * size;
            if (half == 2) {
                in.s0 = tape_tensor(c.t, 5, (int[]){ B, H, states, K, V });
                memcpy(in.s0->x, last + size, (size_t)size * sizeof(real));
            }
            y[half] = op_scan_levels(c.t, &in, part.in[IN_LAM], from);
        }
        same("first half", &n, y[1]->x, tokens(c.t, y[0], 0, split)->x, tensor_size(y[1]));
        same("second half", &n, y[2]->x, tokens(c.t, y[0], split, T)->x, tensor_size(y[2]));
        same("levels after", &n, last + 2 * size, last, (size_t)size);
        tape_free(c.t);
    }
}
END_TEST

TCase *cases_levels(void)
{
    TCase *t = tcase_create("levels");
    tcase_set_timeout(t, 60);
    tcase_add_test(t, levels_lengths);
    tcase_add_test(t, levels_sizes);
    tcase_add_test(t, levels_of_one);
    tcase_add_test(t, levels_halves);
    return t;
}
