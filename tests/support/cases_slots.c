/* SPDX-License-Identifier: Apache-2.0
 * cases_slots.c - scan_slots, log_past and phasor against loops written from their definitions, in double. */
#include "cases.h"

#include <math.h>
#include <stdio.h>

#include "tape/tape.h"

#define TOL (REAL_BITS == 64 ? 1e-10 : 1e-4)
static const int lengths[] = { 1, 2, 3, 5, 63, 64, 65, 100 };
enum { N_LENGTHS = sizeof lengths / sizeof *lengths };

static Tensor *draw(Tape *t, const char *name, double centre, double spread, int rank, const int *dim)
{
    Tensor *x = tape_tensor(t, rank, dim);
    Rng rng = rng_named(5, name);
    for (size_t i = 0; i < tensor_size(x); i++) x->x[i] = (real)(centre + spread * rng_normal(&rng));
    return x;
}
#define DRAW(t, name, centre, spread, ...)                                                                             \
    draw((t), (name), (centre), (spread), (int)(sizeof((int[]){ __VA_ARGS__ }) / sizeof(int)), (int[]){ __VA_ARGS__ })

static void near(const char *what, int T, real got, double want)
{
    double off = fabs((double)got - want);
    ck_assert_msg(off <= TOL * fmax(1, fabs(want)), "%s, T %d: %g, want %g", what, T, (double)got, want);
}

static void check_slots(int T, int K, int V, int M)
{
    enum { B = 2, H = 2, MAX = 4096 };
    const int C = K + V;
    Tape *t = tape_new("test", true);
    SlotsIn in = { .q = DRAW(t, "q", 0, 1, B, T, H, K), .kv = DRAW(t, "kv", 0, 1, B, T, H, C), .scale = 0.6 };
    in.w = DRAW(t, "w", 0.4, 0.2, B, T, H, M);
    in.a = DRAW(t, "a", 0.6, 0.3, B, T, H, M);
    in.s0 = DRAW(t, "s0", 0, 1, B, H, M, C);
    in.last = ARENA_NEW(t->arena, real, B * H * M * C);
    const Tensor *o = op_scan_slots(t, &in);
    double S[MAX], p[MAX], sum;
    for (int b = 0; b < B; b++)
        for (int h = 0; h < H; h++) {
            for (int i = 0; i < M * C; i++) S[i] = (double)in.s0->x[(b * H + h) * M * C + i];
            for (int j = 0; j < T; j++) {
                const int r = (b * T + j) * H + h;
                sum = 0;
                for (int m = 0; m < M; m++) {
                    p[m] = 0;
                    for (int i = 0; i < C; i++) {
                        double *s = S + m * C + i;
                        *s = (double)in.a->x[r * M + m] * *s + (double)(in.w->x[r * M + m] * in.kv->x[r * C + i]);
                        if (i < K) p[m] += 0.6 * *s * (double)in.q->x[r * K + i];
                    }
                    sum += p[m] = exp(p[m]);
                }
                for (int i = 0; i < V; i++) {
                    double y = 0;
                    for (int m = 0; m < M; m++) y += p[m] / sum * S[m * C + K + i];
                    near("scan_slots", T, o->x[r * V + i], y);
                }
            }
            for (int i = 0; i < M * C; i++) near("scan_slots last", T, in.last[(b * H + h) * M * C + i], S[i]);
        }
    tape_free(t);
}

START_TEST(slots)
{
    for (int i = 0; i < N_LENGTHS; i++) check_slots(lengths[i], 4, 5, 6);
    check_slots(40, 1, 1, 1);
    check_slots(9, 17, 33, 31); /* wider than a vector */
    check_slots(70, 16, 48, 64);
}
END_TEST

START_TEST(log_past)
{
    enum { B = 2, N = 9 };
    for (int l = 0; l < N_LENGTHS; l++) {
        const int T = lengths[l];
        Tape *t = tape_new("test", true);
        const Tensor *x = DRAW(t, "x", 0, 3, B, T, N), *w = DRAW(t, "w", 0.5, 0.1, N);
        const Tensor *y = op_log_past(t, (Tensor *)x, (Tensor *)w, NULL, NULL);
        for (int b = 0; b < B; b++)
            for (int i = 0; i < N; i++) {
                double sum = 0;
                for (int j = 0; j < T; j++) {
                    const int o = (b * T + j) * N + i;
                    if (j) near("log_past", T, y->x[o], log(sum));
                    sum = sum * exp(-(double)w->x[i]) + exp((double)x->x[o]);
                }
            }
        tape_free(t);
    }
}
END_TEST

START_TEST(phasor)
{
    enum { B = 2, H = 3, K = 5 };
    for (int l = 0; l < N_LENGTHS; l++) {
        const int T = lengths[l];
        Tape *t = tape_new("test", true);
        Tensor *x = DRAW(t, "x", 0.5, 2, B, T, H, K);
        const Tensor *y = op_phasor(t, x, NULL, NULL);
        for (int i = 0; i < B * H * K; i++) {
            double z = 0;
            for (int j = 0; j < T; j++) {
                const int row = ((i / (H * K)) * T + j) * H + i / K % H;
                z += (double)x->x[row * K + i % K];
                near("phasor cos", T, y->x[row * 2 * K + i % K], cos(z));
                near("phasor sin", T, y->x[row * 2 * K + K + i % K], sin(z));
            }
        }
        tape_free(t);
    }
}
END_TEST

TCase *cases_slots(void)
{
    TCase *t = tcase_create("slots");
    tcase_set_timeout(t, 60);
    tcase_add_test(t, slots);
    tcase_add_test(t, log_past);
    tcase_add_test(t, phasor);
    return t;
}
