/* SPDX-License-Identifier: Apache-2.0
 * test_gemm.c - products against plain loops in double, from several threads, with one BLAS thread. */
#include <check.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/suite.h"
#include "tape/tape.h"

/* Largest error allowed per sqrt(k), entries in [-1, 1]. */
#define TOL (REAL_BITS == 64 ? 1e-14 : 4e-6)

static void fill(real *x, size_t n, Rng *rng)
{
    for (size_t i = 0; i < n; i++) x[i] = (real)(float)(2 * rng_uniform(rng) - 1);
}

/* ThreadSanitizer runs a thread of its own. */
#ifdef __has_feature
#if __has_feature(thread_sanitizer)
#define SANITIZER_THREADS 1
#endif
#elif defined(__SANITIZE_THREAD__)
#define SANITIZER_THREADS 1
#endif
#ifndef SANITIZER_THREADS
#define SANITIZER_THREADS 0
#endif

typedef struct {
    bool ta, tb;
    int m, n, k, pad;
    double alpha, beta;
} Product; /* pad: leading dimensions beyond the row */

static void check_product(const Product *p)
{
    Arena *a = arena_new("gemm");
    Rng rng = rng_seed((uint64_t)(p->m * 1000003 + p->n * 1009 + p->k), 1);
    int lda = (p->ta ? p->m : p->k) + p->pad, ldb = (p->tb ? p->k : p->n) + p->pad, ldc = p->n + p->pad;
    size_t na = (size_t)(p->ta ? p->k : p->m) * (size_t)lda, nb = (size_t)(p->tb ? p->n : p->k) * (size_t)ldb;
    size_t nc = (size_t)p->m * (size_t)ldc;
    real *A = ARENA_RAW(a, real, na + 1), *B = ARENA_RAW(a, real, nb + 1), *C = ARENA_RAW(a, real, nc + 1);
    real *old = ARENA_RAW(a, real, nc + 1);
    fill(A, na, &rng);
    fill(B, nb, &rng);
    fill(C, nc, &rng);
    for (int i = 0; p->beta == 0 && i < p->m; i++) /* beta 0 must not read C */
        for (int j = 0; j < p->n; j++) C[(size_t)i * (size_t)ldc + (size_t)j] = (real)NAN;
    memcpy(old, C, nc * sizeof(real));
    gemm(p->ta, p->tb, p->m, p->n, p->k, (real)p->alpha, A, lda, B, ldb, (real)p->beta, C, ldc);
    double worst = 0;
    bool beyond = false; /* wrote past the end of a row */
    for (int i = 0; i < p->m; i++)
        for (int j = 0; j < ldc; j++) {
            size_t at = (size_t)i * (size_t)ldc + (size_t)j;
            double sum = 0;
            if (j >= p->n) beyond |= memcmp(&C[at], &old[at], sizeof(real)) != 0;
            if (j >= p->n) continue;
            for (int l = 0; l < p->k; l++)
                sum += (double)A[p->ta ? l * lda + i : i * lda + l] * (double)B[p->tb ? j * ldb + l : l * ldb + j];
            double err = fabs((double)C[at] - p->alpha * sum - (p->beta == 0 ? 0 : p->beta * (double)old[at]));
            if (!(err <= worst)) worst = isnan(err) ? (double)INFINITY : err;
        }
    ck_assert_msg(worst <= TOL * sqrt(p->k + 1.0) && !beyond, "%d%d %dx%dx%d alpha %g beta %g: off by %g%s", p->ta,
                  p->tb, p->m, p->n, p->k, p->alpha, p->beta, worst, beyond ? ", and past the row" : "");
    arena_free(a);
}

/* Every transposition, below, at and above the sizes where the code changes path. */
START_TEST(values)
{
    const int size[] = { 1, 3, 16, 33, 64, 65, 129 };
    const int N = sizeof size / sizeof *size;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            for (int l = 0; l < N; l++)
                check_product(&(Product){ _i & 1, _i & 2, size[i], size[j], size[l], (i + j + l) % 3, 1, (i + j) % 2 });
}
END_TEST

/* Other factors, and shapes of several blocks of rows. */
START_TEST(factors)
{
    const Product p[] = {
        { false, false, 19, 23, 17, 0, 0.5, 1 },  { true, false, 19, 23, 170, 1, -2, 0 },
        { false, true, 300, 64, 64, 0, 1, 0.25 }, { true, true, 5, 70, 33, 2, 3, -1 },
        { false, false, 700, 64, 64, 0, 1, 1 },   { true, false, 64, 64, 700, 0, 1, 1 },
        { false, true, 700, 64, 64, 0, 1, 1 },    { false, false, 9, 9, 0, 3, 1, 0.5 },
        { false, false, 9, 9, 0, 0, 1, 0 },       { false, false, 257, 128, 128, 0, 1, 0 },
        { false, true, 257, 128, 128, 0, 1, 1 },  { true, false, 63, 64, 257, 0, 1, 0 },
    };
    for (size_t i = 0; i < sizeof p / sizeof *p; i++) check_product(&p[i]);
    gemm(false, false, 0, 5, 5, 1, NULL, 5, NULL, 5, 0, NULL, 5);
}
END_TEST

/* A row of the product depends on its own row of A alone, to the bit: mixers are causal only if this holds. */
START_TEST(rows_do_not_meet)
{
    enum { M = 300, CUT = 133, MAX = 160 };
    static real A[M * MAX], B[MAX * MAX], before[M * MAX], after[M * MAX];
    const int size[] = { 3, 32, 64, 65, 128, 160 };
    Rng rng = rng_seed(5, 5);
    fill(B, MAX * MAX, &rng);
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 12; j++) {
            int n = size[i], k = size[j % 6], ldb = j < 6 ? n : k;
            fill(A, M * MAX, &rng);
            gemm(false, j >= 6, M, n, k, 1, A, k, B, ldb, 0, before, n);
            fill(A + CUT * k, (size_t)((M - CUT) * k), &rng);
            gemm(false, j >= 6, M, n, k, 1, A, k, B, ldb, 0, after, n);
            ck_assert_msg(!memcmp(before, after, sizeof(real) * (size_t)(CUT * n)),
                          "n %d k %d: rows above the cut moved", n, k);
            ck_assert_msg(memcmp(before, after, sizeof(real) * (size_t)(M * n)), "n %d k %d: nothing moved", n, k);
        }
}
END_TEST

/* ---- threads ----------------------------------------------------------------------------------------------------- */

enum { SHAPES = 6, REPEATS = 5, LARGEST = 512 * 160 };
static const int shapes[SHAPES][3] = { { 512, 64, 64 },   { 64, 64, 512 }, { 300, 32, 96 },
                                       { 160, 160, 160 }, { 17, 129, 65 }, { 512, 16, 128 } };

typedef struct {
    const real *A, *B;
    real *C[SHAPES * 3];
    bool same;
} Work;

static void multiply_all(const real *A, const real *B, real *const *C)
{
    for (int i = 0; i < SHAPES; i++) {
        int m = shapes[i][0], n = shapes[i][1], k = shapes[i][2];
        gemm(false, false, m, n, k, 1, A, k, B, n, 0, C[3 * i], n);
        gemm(false, true, m, n, k, 1, A, k, B, k, 0, C[3 * i + 1], n);
        gemm(true, false, m, n, k, 1, A, m, B, n, 0, C[3 * i + 2], n);
    }
}

static void make_outputs(Arena *a, real **C)
{
    for (int i = 0; i < SHAPES * 3; i++) C[i] = ARENA_NEW(a, real, shapes[i / 3][0] * shapes[i / 3][1]);
}

static size_t bytes_of(int i) { return sizeof(real) * (size_t)(shapes[i / 3][0] * shapes[i / 3][1]); }

static void *worker(void *arg)
{
    Work *w = arg;
    real *mine[SHAPES * 3];
    Arena *a = arena_new("worker");
    make_outputs(a, mine);
    w->same = true;
    for (int r = 0; r < REPEATS; r++) {
        multiply_all(w->A, w->B, r ? mine : w->C);
        for (int i = 0; r && i < SHAPES * 3; i++) w->same &= !memcmp(mine[i], w->C[i], bytes_of(i));
    }
    arena_free(a);
    return NULL;
}

/* Four threads at once, also in the first call of each shape, when its kernel is generated. */
START_TEST(four_threads_give_the_bytes_of_one)
{
    Arena *a = arena_new("threads");
    Rng rng = rng_seed(8, 8);
    real *A = ARENA_RAW(a, real, LARGEST), *B = ARENA_RAW(a, real, LARGEST), *alone[SHAPES * 3];
    fill(A, LARGEST, &rng);
    fill(B, LARGEST, &rng);
    Work work[4];
    pthread_t id[4];
    make_outputs(a, alone);
    for (int i = 0; i < 4; i++) {
        work[i] = (Work){ .A = A, .B = B };
        make_outputs(a, work[i].C);
    }
    for (int i = 0; i < 4; i++) ck_assert_int_eq(pthread_create(&id[i], NULL, worker, &work[i]), 0);
    for (int i = 0; i < 4; i++) pthread_join(id[i], NULL);
    multiply_all(A, B, alone);
    for (int i = 0; i < 4; i++) {
        ck_assert_msg(work[i].same, "thread %d: its repeats differ", i);
        for (int j = 0; j < SHAPES * 3; j++)
            ck_assert_msg(!memcmp(work[i].C[j], alone[j], bytes_of(j)), "thread %d: product %d has other bytes", i, j);
    }
    arena_free(a);
}
END_TEST

static int threads_of_process(void)
{
    FILE *f = fopen("/proc/self/status", "r");
    char line[256];
    int n = -1;
    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "Threads: %d", &n) == 1) break;
    if (f) fclose(f);
    return n;
}

START_TEST(the_library_starts_no_threads)
{
    enum { N = 600 };
    Arena *a = arena_new("large");
    real *A = ARENA_NEW(a, real, N * N), *C = ARENA_NEW(a, real, N * N);
    gemm(false, false, N, N, N, 1, A, N, A, N, 0, C, N);
    int n = threads_of_process();
    arena_free(a);
    if (n < 0) return; /* no /proc here */
    ck_assert_int_eq(n, 1 + SANITIZER_THREADS);
}
END_TEST

START_TEST(the_name_says_library_and_version)
{
    const char *name = gemm_name();
    ck_assert_msg(strstr(name, "openblas 0.") || strstr(name, "openblas 1."), "no version in '%s'", name);
#if defined(HAVE_LIBXSMM) && REAL_BITS == 32
    ck_assert_msg(!strncmp(name, "libxsmm 1.", 10), "no libxsmm in '%s'", name);
#endif
    printf("note: products by %s\n", name);
}
END_TEST

int main(void)
{
    gemm_setup();
    Suite *s = suite_create("gemm");
    TCase *tc = tcase_create("gemm");
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, values, 0, 4);
    tcase_add_test(tc, factors);
    tcase_add_test(tc, rows_do_not_meet);
    tcase_add_test(tc, four_threads_give_the_bytes_of_one);
    tcase_add_test(tc, the_library_starts_no_threads);
    tcase_add_test(tc, the_name_says_library_and_version);
    suite_add_tcase(s, tc);
    return suite_run(s);
}
