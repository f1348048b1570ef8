/* SPDX-License-Identifier: Apache-2.0
 * cases_attention.c - the biases of attention and contextual positions, against references written from the equations.
 *
 * Each row of a table draws inputs, runs the op and a loop in double: 1e-10 in double, 1e-4 in float, relative to the
 * largest value. Gradients: what one bias says another can say too, and then all gradients must agree.
 */
#include "cases.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tape/tape.h"

#define TOL          (REAL_BITS == 64 ? 1e-10 : 1e-4)
#define COUNT(table) (sizeof(table) / sizeof *(table))

typedef struct Case {
    int B, T, S, H, HK, K, V, P, window;
} Case;
typedef struct In {
    Tensor *q, *k, *v, *z, *cot;
    ScoreBias bias;
} In;

static const double scale = 0.4;

/* The lengths at which blocks begin and end, caches, windows, groups, odd widths. */
static const Case cases[] = {
    { 2, 1, 1, 1, 1, 1, 1, 2, 0 },     { 1, 2, 2, 2, 1, 3, 5, 3, 0 },      { 2, 3, 3, 3, 3, 8, 4, 4, 0 },
    { 1, 5, 5, 2, 2, 5, 9, 3, 0 },     { 2, 63, 63, 2, 2, 32, 32, 9, 0 },  { 1, 64, 64, 4, 2, 16, 16, 70, 0 },
    { 1, 65, 65, 1, 1, 64, 8, 16, 0 }, { 2, 100, 100, 2, 1, 7, 24, 5, 0 }, { 1, 1, 70, 2, 1, 9, 6, 20, 0 },
    { 2, 3, 17, 2, 2, 32, 32, 8, 0 },  { 1, 37, 165, 2, 2, 8, 8, 30, 0 },  { 1, 100, 100, 1, 1, 8, 8, 4, 1 },
    { 2, 65, 65, 2, 1, 8, 16, 6, 17 }, { 1, 64, 90, 2, 2, 5, 3, 50, 48 },  { 1, 3, 40, 1, 1, 8, 8, 4, 5 },
};

static Tensor *draw_dims(Tape *t, uint64_t stream, int rank, const int *dim)
{
    Tensor *x = tape_tensor(t, rank, dim);
    Rng rng = rng_seed(stream, 5);
    for (size_t i = 0; i < tensor_size(x); i++) x->x[i] = (real)rng_normal(&rng);
    return x;
}
#define DRAW(t, stream, ...)                                                                                           \
    draw_dims((t), (stream), (int)(sizeof((int[]){ __VA_ARGS__ }) / sizeof(int)), (int[]){ __VA_ARGS__ })

static In draw(Tape *t, const Case *c)
{
    In in = { .q = DRAW(t, 1, c->B, c->T, c->H, c->K),
              .k = DRAW(t, 2, c->B, c->S, c->HK, c->K),
              .v = DRAW(t, 3, c->B, c->S, c->HK, c->V),
              .z = DRAW(t, 4, c->B, c->T, c->H, c->P),
              .cot = DRAW(t, 5, c->B, c->T, c->H, c->V),
              .bias = { .distance = DRAW(t, 6, c->S, c->H),
                        .log_f = DRAW(t, 7, c->B, c->S, c->H),
                        .full = DRAW(t, 8, c->B, c->H, c->T, c->S) } };
    Tensor *f = in.bias.log_f;
    for (size_t i = 0; i < tensor_size(f); i++) f->x[i] = (real)-fabs((double)f->x[i]);
    return in;
}

static int last_of(const Case *c, int t) { return c->S - c->T + t; }
static int first_of(const Case *c, int t)
{
    return c->window && last_of(c, t) >= c->window ? last_of(c, t) - c->window + 1 : 0;
}
static size_t pair_at(const Case *c, int b, int h, int t, int j)
{
    return (size_t)(((b * c->H + h) * c->T + t) * c->S + j);
}

static double score(const Case *c, const In *in, int b, int h, int t, int j)
{
    const real *q = in->q->x + ((b * c->T + t) * c->H + h) * c->K;
    const real *k = in->k->x + ((b * c->S + j) * c->HK + h / (c->H / c->HK)) * c->K;
    double s = 0;
    for (int i = 0; i < c->K; i++) s += (double)q[i] * (double)k[i];
    return scale * s;
}

static double bias_of(const Case *c, const ScoreBias *in, int b, int h, int t, int j)
{
    double s = 0;
    if (in->distance) s += (double)in->distance->x[(last_of(c, t) - j) * c->H + h];
    if (in->full) s += (double)in->full->x[pair_at(c, b, h, t, j)];
    for (int m = j + 1; in->log_f && m <= last_of(c, t); m++) s += (double)in->log_f->x[(b * c->S + m) * c->H + h];
    return s;
}

static void near(const Case *c, const char *what, const double *got, const double *want, size_t n)
{
    double worst = 0, top = 1;
    for (size_t i = 0; i < n; i++) {
        double d = fabs(got[i] - want[i]);
        top = fmax(top, fabs(want[i]));
        worst = d <= worst ? worst : d;
    }
    ck_assert_msg(worst <= TOL * top, "B%d T%d S%d H%d/%d window %d: %s off by %g of %g", c->B, c->T, c->S, c->H, c->HK,
                  c->window, what, worst, top);
}

static double *doubles(Tape *t, const real *x, size_t n)
{
    double *d = ARENA_NEW(t->arena, double, n + 1);
    for (size_t i = 0; i < n; i++) d[i] = (double)x[i];
    return d;
}

/* o of one row of one head, p holds S doubles. */
static void reference_row(const Case *c, const In *in, int b, int h, int t, double *p, double *o)
{
    double top = -(double)INFINITY, sum = 0;
    for (int j = first_of(c, t); j <= last_of(c, t); j++)
        top = fmax(top, p[j] = score(c, in, b, h, t, j) + bias_of(c, &in->bias, b, h, t, j));
    for (int j = first_of(c, t); j <= last_of(c, t); j++) sum += p[j] = exp(p[j] - top);
    for (int j = first_of(c, t); j <= last_of(c, t); j++)
        for (int i = 0; i < c->V; i++)
            o[i] += p[j] / sum * (double)in->v->x[((b * c->S + j) * c->HK + h / (c->H / c->HK)) * c->V + i];
}

/* Every set of biases, the bits of _i. */
START_TEST(biases)
{
    for (size_t n = 0; n < COUNT(cases); n++) {
        const Case *c = &cases[n];
        Tape *t = tape_new("test", false);
        In in = draw(t, c);
        if (!(_i & 1)) in.bias.distance = NULL;
        if (!(_i & 2)) in.bias.log_f = NULL;
        if (!(_i & 4)) in.bias.full = NULL;
        Tensor *y = op_attention(t, in.q, in.k, in.v, scale, c->window, &in.bias);
        size_t size = tensor_size(y);
        double *want = ARENA_NEW(t->arena, double, size), *p = ARENA_NEW(t->arena, double, c->S);
        for (int i = 0; i < c->B * c->T * c->H; i++)
            reference_row(c, &in, i / (c->T * c->H), i % c->H, i / c->H % c->T, p, want + i * c->V);
        near(c, "o", doubles(t, y->x, size), want, size);
        tape_free(t);
    }
}
END_TEST

static void run_back(Tape *t, const Case *c, In *in)
{
    Tensor *y = op_attention(t, in->q, in->k, in->v, scale, c->window, &in->bias);
    memcpy(y->g, in->cot->x, sizeof(real) * tensor_size(y));
    t->last->back(t->last);
}

/* The sum of the pairs' gradients that a bias by distance, or a gate, has touched. */
static void gather_gradients(const Case *c, const Tensor *full, double *distance, double *log_f)
{
    for (int b = 0; b < c->B; b++)
        for (int h = 0; h < c->H; h++)
            for (int t = 0; t < c->T; t++)
                for (int j = first_of(c, t); j <= last_of(c, t); j++) {
                    double g = (double)full->g[pair_at(c, b, h, t, j)];
                    distance[(last_of(c, t) - j) * c->H + h] += g;
                    for (int m = j + 1; m <= last_of(c, t); m++) log_f[(b * c->S + m) * c->H + h] += g;
                }
}

/* Distances and gates written out pair by pair: the same gradients everywhere, those of the pairs summed. */
START_TEST(bias_gradients)
{
    for (size_t n = 0; n < COUNT(cases); n++) {
        const Case *c = &cases[n];
        Tape *t = tape_new("test", true);
        In in = draw(t, c), all = draw(t, c);
        Tensor *full = all.bias.full;
        in.bias.full = NULL;
        for (int i = 0; i < c->B * c->H * c->T; i++)
            for (int j = first_of(c, i % c->T); j <= last_of(c, i % c->T); j++)
                full->x[i * c->S + j] = (real)bias_of(c, &in.bias, i / (c->H * c->T), i / c->T % c->H, i % c->T, j);
        all.bias = (ScoreBias){ .full = full };
        run_back(t, c, &in);
        run_back(t, c, &all);
        const Tensor *pair[][2] = { { in.q, all.q }, { in.k, all.k }, { in.v, all.v } };
        for (int i = 0; i < 3; i++) {
            size_t size = tensor_size(pair[i][0]);
            near(c, "gradient", doubles(t, pair[i][0]->g, size), doubles(t, pair[i][1]->g, size), size);
        }
        size_t nd = tensor_size(in.bias.distance), nf = tensor_size(in.bias.log_f);
        double *distance = ARENA_NEW(t->arena, double, nd), *log_f = ARENA_NEW(t->arena, double, nf);
        gather_gradients(c, full, distance, log_f);
        near(c, "gradient by distance", doubles(t, in.bias.distance->g, nd), distance, nd);
        near(c, "gradient of gates", doubles(t, in.bias.log_f->g, nf), log_f, nf);
        tape_free(t);
    }
}
END_TEST

/* Biases of 0 change no bit; one number for all keys changes nothing but rounding. */
START_TEST(bias_nothing)
{
    for (size_t n = 0; n < COUNT(cases); n++) {
        const Case *c = &cases[n];
        Tape *t = tape_new("test", false);
        In in = draw(t, c);
        ScoreBias *b = &in.bias;
        Tensor *plain = op_attention(t, in.q, in.k, in.v, scale, c->window, NULL);
        memset(b->distance->x, 0, sizeof(real) * tensor_size(b->distance));
        memset(b->log_f->x, 0, sizeof(real) * tensor_size(b->log_f));
        memset(b->full->x, 0, sizeof(real) * tensor_size(b->full));
        Tensor *y = op_attention(t, in.q, in.k, in.v, scale, c->window, b);
        size_t size = tensor_size(y);
        ck_assert_mem_eq(plain->x, y->x, sizeof(real) * size);
        for (int i = 0; i < c->S * c->H; i++) b->distance->x[i] = 3;
        y = op_attention(t, in.q, in.k, in.v, scale, c->window, b);
        near(c, "o", doubles(t, y->x, size), doubles(t, plain->x, size), size);
        tape_free(t);
    }
}
END_TEST

/* 4000 gates of 1/2 sum to -2772; the differences that count are still exact. */
START_TEST(gates_far_out)
{
    enum { S = 4000, T = 8, V = 4 };
    const Case c = { 1, T, S, 1, 1, 4, V, 2, 0 };
    Tape *t = tape_new("test", false);
    In in = draw(t, &c);
    in.bias.distance = in.bias.full = NULL;
    for (int i = 0; i < S; i++) in.bias.log_f->x[i] = (real)-0.693147180559945;
    Tensor *y = op_attention(t, in.q, in.k, in.v, scale, 0, &in.bias);
    double want[T * V] = { 0 }, p[S];
    for (int r = 0; r < T; r++) reference_row(&c, &in, 0, 0, r, p, want + r * V);
    double worst = 0;
    for (int i = 0; i < T * V; i++) worst = fmax(worst, fabs((double)y->x[i] - want[i]));
    ck_assert_msg(worst < (REAL_BITS == 64 ? 1e-12 : 2e-6), "off by %g", worst);
    tape_free(t);
}
END_TEST

/* The sum of gates, read from z between whole numbers. */
START_TEST(contextual)
{
    for (size_t n = 0; n < COUNT(cases); n++) {
        const Case *c = &cases[n];
        Tape *t = tape_new("test", false);
        In in = draw(t, c);
        Tensor *y = op_cope(t, in.q, in.k, in.z, scale, c->window);
        size_t size = tensor_size(y);
        double *want = ARENA_NEW(t->arena, double, size);
        for (int i = 0; i < c->B * c->H * c->T; i++) {
            int b = i / (c->H * c->T), h = i / c->T % c->H, r = i % c->T;
            const real *z = in.z->x + ((b * c->T + r) * c->H + h) * c->P;
            double sum = 0;
            for (int j = last_of(c, r); j >= first_of(c, r); j--) {
                sum += 1 / (1 + exp(-score(c, &in, b, h, r, j)));
                double at = fmin(sum, c->P - 1), low = floor(at), high = ceil(at);
                want[pair_at(c, b, h, r, j)] = (at - low) * (double)z[(int)high] + (1 - at + low) * (double)z[(int)low];
            }
        }
        near(c, "bias", doubles(t, y->x, size), want, size);
        tape_free(t);
    }
}
END_TEST

TCase *cases_attention(void)
{
    TCase *t = tcase_create("attention");
    tcase_set_timeout(t, 60);
    tcase_add_loop_test(t, biases, 0, 8);
    tcase_add_test(t, bias_gradients);
    tcase_add_test(t, bias_nothing);
    tcase_add_test(t, gates_far_out);
    tcase_add_test(t, contextual);
    return t;
}
