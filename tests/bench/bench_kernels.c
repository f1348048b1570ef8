/* SPDX-License-Identifier: Apache-2.0
 * bench_kernels.c - CPU time of the sequence ops at the sizes of the core sweeps, next to this machine's FMA peak.
 *
 * One core. A step of 64 sequences is 8 shards of 8, as in training. Each line: forward, forward + backward, best of
 * the latter (CPU milliseconds per step, medians over shards), and its rate in GFLOP/s at the stated flops per state
 * entry. Timings vary on a shared host: compare lines of one run.
 * Usage: bench_kernels [rounds] [substring of a name]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/vmath.h"
#include "tape/tape.h"

enum { B = 8, SHARDS = 8, T = 256, ROUNDS_MAX = 101 }; /* a step of 64 sequences, as training runs it */

static double cpu_ms(void)
{
    struct timespec s;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &s);
    return 1e3 * (double)s.tv_sec + 1e-6 * (double)s.tv_nsec;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Twelve independent multiply-add chains in registers. */
static double peak_gflops(void)
{
    double best = 0;
    volatile real one = 1, tiny = 0;
    for (int r = 0; r < 5; r++) {
        vreal a = v_set(one), b = v_set(tiny);
        vreal s[12];
        for (int i = 0; i < 12; i++) s[i] = v_set(one);
        double t0 = cpu_ms();
        const int n = 1000000;
        for (int k = 0; k < n; k++)
            for (int i = 0; i < 12; i++) s[i] = s[i] * a + b;
        double ms = cpu_ms() - t0;
        vreal sum = s[0];
        for (int i = 1; i < 12; i++) sum += s[i];
        tiny = sum[0] * 0;
        double rate = 2.0 * 12 * VLEN * n / ms * 1e-6;
        if (rate > best) best = rate;
    }
    return best;
}

typedef struct Inputs {
    Tape *t;
    Rng rng;
    Tensor *in[8];
} Inputs;

static Tensor *normal(Inputs *s, double centre, double spread, int rank, const int *dim)
{
    Tensor *x = tape_tensor(s->t, rank, dim);
    for (size_t i = 0; i < tensor_size(x); i++) x->x[i] = (real)(centre + spread * rng_normal(&s->rng));
    return x;
}
#define NORMAL(s, c, d, ...)                                                                                           \
    normal((s), (c), (d), (int)(sizeof((int[]){ __VA_ARGS__ }) / sizeof(int)), (int[]){ __VA_ARGS__ })

/* One kernel at one size; `width` state entries per sequence and step, `flop` per entry forward and backward. */
typedef struct Row {
    const char *name;
    int kind, heads, k, v, n_h, decay, erase;
    double flop;
} Row;
enum { DPLR, DIAG, SELECTIVE, SELECTIVE_NEG };

static void prepare(Inputs *s, const Row *r)
{
    int H = r->heads, K = r->k, V = r->v;
    if (r->kind == DPLR) {
        double unit = 0.5 / (double)K;
        s->in[0] = NORMAL(s, 0, unit, B, T, H, K);
        s->in[1] = NORMAL(s, 0, unit, B, T, r->n_h, H, K);
        s->in[2] = NORMAL(s, 0, 1, B, T, r->n_h, H, V);
        s->in[3] = r->erase ? NORMAL(s, 0, unit, B, T, r->n_h, H, K) : NULL;
        s->in[4] = r->decay == 1 ? NORMAL(s, 0.9, 0.01, B, T, H) : r->decay ? NORMAL(s, 0.9, 0.01, B, T, H, K) : NULL;
    } else if (r->kind == DIAG) {
        s->in[0] = NORMAL(s, 0.9, 0.01, B, T, V);
        s->in[1] = NORMAL(s, 0, 1, B, T, V);
    } else {
        s->in[0] = NORMAL(s, 0, 1, B, T, K);
        s->in[1] = NORMAL(s, 0.05, 0.005, B, T, K);
        s->in[2] = NORMAL(s, 0.5, 0.1, K, V);
        s->in[3] = NORMAL(s, 0, 1, B, T, V);
        s->in[4] = NORMAL(s, 0, 1, B, T, V);
        s->in[5] = NORMAL(s, 1, 0.1, K);
    }
}

static void apply(Tape *t, Inputs *s, const Row *r)
{
    Tensor **in = s->in;
    if (r->kind == DPLR)
        op_scan_dplr(t, &(DplrIn){ .q = in[0], .w = in[1], .v = in[2], .r = in[3], .a = in[4], .scale = 1 });
    else if (r->kind == DIAG)
        op_scan_diag(t, in[0], in[1], NULL, NULL);
    else
        op_scan_selective(t, in[0], in[1], in[2], in[3], in[4], in[5], r->kind == SELECTIVE_NEG, NULL, NULL);
}

static void measure(const Row *r, int rounds, double peak)
{
    Inputs s = { .t = tape_new("inputs", true), .rng = rng_seed(1, 1) };
    prepare(&s, r);
    Tape *t = tape_new("bench", true);
    static double fwd[ROUNDS_MAX * SHARDS], all[ROUNDS_MAX * SHARDS];
    const int n = rounds * SHARDS;
    for (int i = -1; i < n; i++) {
        tape_reset(t);
        double t0 = cpu_ms();
        apply(t, &s, r);
        double t1 = cpu_ms();
        const Tensor *out = t->last->out;
        for (size_t k = 0, size = tensor_size(out); k < size; k++) out->g[k] = (real)0.01;
        double t2 = cpu_ms();
        t->last->back(t->last);
        if (i < 0) continue;
        fwd[i] = SHARDS * (t1 - t0);
        all[i] = SHARDS * (cpu_ms() - t2) + fwd[i];
    }
    qsort(fwd, (size_t)n, sizeof *fwd, by_value);
    qsort(all, (size_t)n, sizeof *all, by_value);
    double entries =
        (double)B * SHARDS * T * (r->kind == DPLR ? (double)r->heads * r->k * r->v * r->n_h : (double)r->k * r->v);
    double rate = entries * r->flop / all[n / 2] * 1e-6;
    printf("%-34s %8.1f %8.1f %8.1f %8.1f %6.0f %%\n", r->name, fwd[n / 2], all[n / 2], all[0], rate,
           100 * rate / peak);
    tape_free(t);
    tape_free(s.t);
}

static const Row rows[] = {
    /* name                               kind heads   k    v n_h decay erase flop */
    { "delta rule 2 x 32x32", DPLR, 2, 32, 32, 1, 0, 1, 25 },
    { "gated delta rule 2 x 32x32", DPLR, 2, 32, 32, 1, 1, 1, 27 },
    { "KDA 2 x 32x32", DPLR, 2, 32, 32, 1, 2, 1, 27 },
    { "linear attention 2 x 32x32", DPLR, 2, 32, 32, 1, 0, 0, 15 },
    { "additive, scalar decay 2 x 32x32", DPLR, 2, 32, 32, 1, 1, 0, 17 },
    { "GLA 2 x 32x32", DPLR, 2, 32, 32, 1, 2, 0, 17 },
    { "DeltaProduct n_h 2, 2 x 32x32", DPLR, 2, 32, 32, 2, 0, 1, 25 },
    { "gated DeltaProduct n_h 2", DPLR, 2, 32, 32, 2, 1, 1, 27 },
    { "gated delta rule 4 x 16x16", DPLR, 4, 16, 16, 1, 1, 1, 27 },
    { "gated delta rule 1 x 64x64", DPLR, 1, 64, 64, 1, 1, 1, 27 },
    { "gated delta rule 1 x 128x128", DPLR, 1, 128, 128, 1, 1, 1, 27 },
    { "gated delta rule 8 x 8x8", DPLR, 8, 8, 8, 1, 1, 1, 27 },
    { "gated delta rule 4 x 5x5", DPLR, 4, 5, 5, 1, 1, 1, 27 },
    { "diagonal 64", DIAG, 1, 1, 64, 1, 0, 0, 6 },
    { "Mamba E 128, N 16", SELECTIVE, 1, 128, 16, 1, 0, 0, 40 },
    { "Mamba [-1,1] E 128, N 16", SELECTIVE_NEG, 1, 128, 16, 1, 0, 0, 40 },
};

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 5;
    if (rounds < 1 || rounds > ROUNDS_MAX) return fprintf(stderr, "rounds: 1 to %d\n", ROUNDS_MAX), EXIT_USAGE;
    real_setup();
    double peak = peak_gflops();
    printf("B %d, T %d, %d-bit reals, FMA peak %.1f GFLOP/s\n", B * SHARDS, T, REAL_BITS, peak);
    printf("%-34s %8s %8s %8s %8s %8s\n", "CPU ms", "forward", "both", "best", "GFLOP/s", "of peak");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (argc < 3 || strstr(rows[i].name, argv[2])) measure(&rows[i], rounds, peak);
    return EXIT_OK;
}
