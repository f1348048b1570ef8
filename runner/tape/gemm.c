/* SPDX-License-Identifier: Apache-2.0
 * gemm.c - the one front of all matrix products.
 *
 *   C[m,n] = alpha op(A)[m,k] op(B)[k,n] + beta C,   row-major, leading dimensions lda, ldb, ldc
 *
 * Float: LIBXSMM where it is built in and n, k <= 128 (see small_* below), CBLAS otherwise; double: CBLAS. Which path is
 * taken, and so the order of every sum, depends on the sizes and transpositions alone. LIBXSMM is column-major: a
 * row-major product is its product with the operands swapped. Its kernels are generated once per shape and found again
 * through its thread-safe code registry (a thread-local cache in front of a table; some ten ns a call). When it cannot
 * generate a kernel (no AVX, a shape too large for its code buffer) CBLAS takes over.
 */
#include "tape/tape.h"

#include <cblas.h>
#include <stdio.h>
#include <string.h>

#if defined(HAVE_LIBXSMM) && REAL_BITS == 32
#define USE_LIBXSMM
#endif
#ifdef HAVE_LIBXSMM
#include <libxsmm.h>
#endif

static void scale_rows(int m, int n, real beta, real *c, int ldc)
{
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            real *x = &c[(size_t)i * (size_t)ldc + (size_t)j];
            *x = beta == 0 ? 0 : beta * *x;
        }
}

#ifdef USE_LIBXSMM

enum {
    SMALL = 128,   /* largest n, k of the LIBXSMM paths */
    SMALL_DW = 64, /* largest m, n of its transposed-A path */
    ROWS = 256,    /* rows per kernel call: bounds the number of generated kernels */
    DEPTH = 64     /* rows per kernel call where rows are summed over */
};

/* C = A B + beta C for rows of A, B (k,n) untransposed. */
static bool small_rows(int m, int n, int k, const real *a, int lda, const real *b, int ldb, real beta, real *c, int ldc)
{
    const int flags = LIBXSMM_GEMM_FLAG_NONE;
    int full = m / ROWS, rest = m % ROWS;
    libxsmm_smmfunction block = NULL, tail = NULL;
    if (full) block = libxsmm_smmdispatch(n, ROWS, k, &ldb, &lda, &ldc, NULL, &beta, &flags, NULL);
    if (rest) tail = libxsmm_smmdispatch(n, rest, k, &ldb, &lda, &ldc, NULL, &beta, &flags, NULL);
    if ((full && !block) || (rest && !tail)) return false;
    for (int i = 0; i < full; i++) block(b, a + (size_t)i * ROWS * (size_t)lda, c + (size_t)i * ROWS * (size_t)ldc);
    if (rest) tail(b, a + (size_t)full * ROWS * (size_t)lda, c + (size_t)full * ROWS * (size_t)ldc);
    return true;
}

/* C = A B' + beta C: the small B is transposed first, since LIBXSMM generates no kernel that transposes it. */
static bool small_transposed(int m, int n, int k, const real *a, int lda, const real *b, int ldb, real beta, real *c,
                             int ldc)
{
    real bt[SMALL * SMALL];
    for (int j = 0; j < n; j++)
        for (int i = 0; i < k; i++) bt[i * n + j] = b[(size_t)j * (size_t)ldb + (size_t)i];
    return small_rows(m, n, k, a, lda, bt, n, beta, c, ldc);
}

/* C = A' B + beta C, A (k,m), B (k,n), k long: blocks of DEPTH rows of both, added up in C. */
static bool small_outer(int m, int n, int k, const real *a, int lda, const real *b, int ldb, real beta, real *c,
                        int ldc)
{
    const int flags = LIBXSMM_GEMM_FLAG_TRANS_B;
    const real one = 1;
    int full = k / DEPTH, rest = k % DEPTH;
    libxsmm_smmfunction first = NULL, next = NULL, tail = NULL;
    if (full) first = libxsmm_smmdispatch(n, m, DEPTH, &ldb, &lda, &ldc, NULL, &beta, &flags, NULL);
    if (full > 1) next = libxsmm_smmdispatch(n, m, DEPTH, &ldb, &lda, &ldc, NULL, &one, &flags, NULL);
    if (rest) tail = libxsmm_smmdispatch(n, m, rest, &ldb, &lda, &ldc, NULL, full ? &one : &beta, &flags, NULL);
    if ((full && !first) || (full > 1 && !next) || (rest && !tail)) return false;
    for (int i = 0; i < full; i++)
        (i ? next : first)(b + (size_t)i * DEPTH * (size_t)ldb, a + (size_t)i * DEPTH * (size_t)lda, c);
    if (rest) tail(b + (size_t)full * DEPTH * (size_t)ldb, a + (size_t)full * DEPTH * (size_t)lda, c);
    return true;
}

static bool small_gemm(bool ta, bool tb, int m, int n, int k, real alpha, const real *a, int lda, const real *b,
                       int ldb, real beta, real *c, int ldc)
{
    if (alpha != 1 || (beta != 0 && beta != 1)) return false;
    if (!ta && n <= SMALL && k <= SMALL)
        return (tb ? small_transposed : small_rows)(m, n, k, a, lda, b, ldb, beta, c, ldc);
    if (ta && !tb && m <= SMALL_DW && n <= SMALL_DW) return small_outer(m, n, k, a, lda, b, ldb, beta, c, ldc);
    return false;
}

#endif

void gemm(bool ta, bool tb, int m, int n, int k, real alpha, const real *a, int lda, const real *b, int ldb, real beta,
          real *c, int ldc)
{
    CHECK(m >= 0 && n >= 0 && k >= 0, "gemm %d x %d x %d", m, n, k);
    if (m == 0 || n == 0) return;
    if (k == 0) {
        scale_rows(m, n, beta, c, ldc);
        return;
    }
#ifdef USE_LIBXSMM
    if (small_gemm(ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)) return;
#endif
#if REAL_BITS == 64
    cblas_dgemm(CblasRowMajor, ta ? CblasTrans : CblasNoTrans, tb ? CblasTrans : CblasNoTrans, m, n, k, alpha, a, lda,
                b, ldb, beta, c, ldc);
#else
    cblas_sgemm(CblasRowMajor, ta ? CblasTrans : CblasNoTrans, tb ? CblasTrans : CblasNoTrans, m, n, k, alpha, a, lda,
                b, ldb, beta, c, ldc);
#endif
}

void gemm_setup(void)
{
    openblas_set_num_threads(1);
#ifdef USE_LIBXSMM
    libxsmm_init();
#endif
}

/* Library versions and the machine class their kernels are made for, which together fix the bits. */
const char *gemm_name(void)
{
    static _Thread_local char name[128];
    const char *config = openblas_get_config(); /* "OpenBLAS 0.3.21 NO_LAPACKE ..." */
    const char *version = strchr(config, ' ') ? strchr(config, ' ') + 1 : config;
    int len = (int)strcspn(version, " "), at = 0;
#ifdef USE_LIBXSMM
    at = snprintf(name, sizeof name, "libxsmm %d.%d %s + ", LIBXSMM_VERSION_MAJOR, LIBXSMM_VERSION_MINOR,
                  libxsmm_get_target_arch());
#endif
    snprintf(name + at, sizeof name - (size_t)at, "openblas %.*s %s", len, version, openblas_get_corename());
    return name;
}
