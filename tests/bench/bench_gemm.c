/* SPDX-License-Identifier: Apache-2.0
 * bench_gemm.c - the product front against plain CBLAS, shapes of a training shard.
 *
 *   bench_gemm [rounds]        default 41
 *
 * Y = X W, dX += dY W', dW += X' dY with M rows; the sides alternate in one process, CPU time. GFLOP/s of each
 * side's best round and the median over the rounds of the speed ratio (above 1: the front is faster).
 */
#include <cblas.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "tape/tape.h"

enum { ROUNDS_MAX = 201 };

static double cpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void blas(bool ta, bool tb, int m, int n, int k, real alpha, const real *a, int lda, const real *b, int ldb,
                 real beta, real *c, int ldc)
{
    CBLAS_TRANSPOSE p = ta ? CblasTrans : CblasNoTrans, q = tb ? CblasTrans : CblasNoTrans;
#if REAL_BITS == 64
    cblas_dgemm(CblasRowMajor, p, q, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
#else
    cblas_sgemm(CblasRowMajor, p, q, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
#endif
}

typedef void Gemm(bool, bool, int, int, int, real, const real *, int, const real *, int, real, real *, int);
typedef struct {
    real *x, *w, *y;
    int M, N, K;
} Layer;

static void product(Gemm *f, const Layer *l, int kind)
{
    if (kind == 0) f(false, false, l->M, l->N, l->K, 1, l->x, l->K, l->w, l->N, 0, l->y, l->N);
    if (kind == 1) f(false, true, l->M, l->K, l->N, 1, l->y, l->N, l->w, l->N, 1, l->x, l->K);
    if (kind == 2) f(true, false, l->K, l->N, l->M, 1, l->x, l->K, l->y, l->N, 1, l->w, l->N);
}

static int by_value(const void *a, const void *b)
{
    double d = *(const double *)a - *(const double *)b;
    return (d > 0) - (d < 0);
}

static void bench(int M, int N, int K, int rounds)
{
    static const char *kinds[] = { "Y ", "dX", "dW" };
    Arena *a = arena_new("bench");
    Layer l = { ARENA_NEW(a, real, M * K), ARENA_NEW(a, real, K * N), ARENA_NEW(a, real, M * N), M, N, K };
    double flop = 2.0 * M * N * K, ratio[ROUNDS_MAX];
    int repeat = (int)(2e7 / flop) + 1;
    printf("%5d %4d %4d ", M, N, K);
    for (int kind = 0; kind < 3; kind++) {
        double best[2] = { 1e9, 1e9 };
        for (int r = -2; r < rounds; r++) {
            double took[2];
            for (int s = 0; s < 2; s++) {
                double t = cpu_seconds();
                for (int i = 0; i < repeat; i++) product(s ? blas : gemm, &l, kind);
                took[s] = cpu_seconds() - t;
                if (r >= 0 && took[s] < best[s]) best[s] = took[s];
            }
            if (r >= 0) ratio[r] = took[1] / took[0];
        }
        qsort(ratio, (size_t)rounds, sizeof *ratio, by_value);
        printf("| %s %5.1f %5.1f %5.2f ", kinds[kind], flop * repeat / best[0] * 1e-9, flop * repeat / best[1] * 1e-9,
               ratio[rounds / 2]);
    }
    puts("");
    fflush(stdout);
    arena_free(a);
}

int main(int argc, char **argv)
{
    const int shapes[][2] = { { 16, 16 }, { 32, 32 },   { 64, 64 },   { 128, 128 }, { 256, 64 }, { 64, 256 },
                              { 96, 32 }, { 256, 128 }, { 128, 512 }, { 256, 256 }, { 5, 64 } };
    const int rows[] = { 2048, 64, 8 };
    int rounds = argc > 1 ? atoi(argv[1]) : 41;
    if (rounds < 1 || rounds > ROUNDS_MAX) return EXIT_FAILURE;
    gemm_setup();
    real_setup();
    printf("%s\n    M    N    K  |    front  blas ratio\n", gemm_name());
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (size_t j = 0; j < sizeof shapes / sizeof *shapes; j++) bench(rows[i], shapes[j][0], shapes[j][1], rounds);
    return EXIT_SUCCESS;
}
