/* SPDX-License-Identifier: Apache-2.0
 * gemm.c - the one front of all matrix products.
 *
 *   C[m,n] = alpha op(A)[m,k] op(B)[k,n] + beta C,   row-major, leading dimensions lda, ldb, ldc
 *
 * Float: LIBXSMM for the shapes where it was measured to be faster (bench_gemm; Zen 3, AVX2), CBLAS otherwise; double:
 * CBLAS. Which path is taken, and so the order of every sum, depends on the sizes and transpositions alone. LIBXSMM is
 * column-major: a row-major product is its product with the operands swapped. Its kernels are generated once per shape
 * and found again through its thread-safe code registry (a thread-local cache in front of a table; some ten ns a call).
 * When it cannot generate a kernel (no AVX, a shape too large for its code buffer) CBLAS takes over.
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
    ROWS = 256,       /* rows per kernel call: bounds the number of generated kernels */
    DEPTH = 64,       /* rows per kernel call where rows are summed over */
    TRANSPOSED = 8192 /* largest n k of a right operand that is transposed first */
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

typedef real Block __attribute__((vector_size(32)));
typedef int32_t Pick __attribute__((vector_size(32)));
#ifdef __clang__
#define PICK(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define PICK(a, b, ...) __builtin_shuffle(a, b, (Pick){ __VA_ARGS__ })
#endif

/* to[j,i] = from[i,j] for 8 x 8 elements. */
static void transpose_block(const real *from, size_t ld_from, real *to, size_t ld_to)
{
    Block r[8], p[8], q[8];
    for (size_t i = 0; i < 8; i++) memcpy(&r[i], from + i * ld_from, sizeof r[i]);
    for (int i = 0; i < 4; i++) { /* pairs of rows, then fours, then halves */
        p[2 * i] = PICK(r[2 * i], r[2 * i + 1], 0, 8, 1, 9, 4, 12, 5, 13);
        p[2 * i + 1] = PICK(r[2 * i], r[2 * i + 1], 2, 10, 3, 11, 6, 14, 7, 15);
    }
    for (int i = 0; i < 2; i++)
        for (int h = 0; h < 2; h++) {
            q[4 * i + 2 * h] = PICK(p[4 * i + h], p[4 * i + 2 + h], 0, 1, 8, 9, 4, 5, 12, 13);
            q[4 * i + 2 * h + 1] = PICK(p[4 * i + h], p[4 * i + 2 + h], 2, 3, 10, 11, 6, 7, 14, 15);
        }
    for (int i = 0; i < 4; i++) {
        r[i] = PICK(q[i], q[4 + i], 0, 1, 2, 3, 8, 9, 10, 11);
        r[4 + i] = PICK(q[i], q[4 + i], 4, 5, 6, 7, 12, 13, 14, 15);
    }
    for (size_t i = 0; i < 8; i++) memcpy(to + i * ld_to, &r[i], sizeof r[i]);
}

/* to (k,n) = from (n,k) transposed. */
static void transpose(const real *from, int ld, int n, int k, real *to)
{
    int n8 = n & ~7, k8 = k & ~7;
    for (int j = 0; j < n8; j += 8)
        for (int i = 0; i < k8; i += 8)
            transpose_block(from + (size_t)j * (size_t)ld + i, (size_t)ld, to + i * n + j, (size_t)n);
    for (int j = 0; j < n; j++)
        for (int i = j < n8 ? k8 : 0; i < k; i++) to[i * n + j] = from[(size_t)j * (size_t)ld + (size_t)i];
}

/* C = A B' + beta C: the small B is transposed first, since LIBXSMM generates no kernel that transposes it. */
static bool small_transposed(int m, int n, int k, const real *a, int lda, const real *b, int ldb, real beta, real *c,
                             int ldc)
{
    _Alignas(64) real bt[TRANSPOSED];
    transpose(b, ldb, n, k, bt);
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

/* Row widths that LIBXSMM does well: whole vectors, or many with a half or a single left (2, 3, 5, 6 and 7 are made of
 * several narrow pieces). */
static bool good_width(int n) { return n % 8 == 0 || (n > 16 && (n % 8 == 1 || n % 8 == 4)); }

static bool small_gemm(bool ta, bool tb, int m, int n, int k, real alpha, const real *a, int lda, const real *b,
                       int ldb, real beta, real *c, int ldc)
{
    if (alpha != 1 || (beta != 0 && beta != 1) || n > 256 || (ta ? m : k) > 256) return false;
    if (!ta && !tb && good_width(n) && n * k <= 32768) return small_rows(m, n, k, a, lda, b, ldb, beta, c, ldc);
    if (!ta && tb && good_width(n) && n <= 128 && n * k <= TRANSPOSED && m >= 64)
        return small_transposed(m, n, k, a, lda, b, ldb, beta, c, ldc);
    if (ta && !tb && n % 8 == 0 && n >= 16 && n <= 128 && (n <= 64 || m <= 96))
        return small_outer(m, n, k, a, lda, b, ldb, beta, c, ldc);
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
const char *gemm_config(void) { return openblas_get_config(); }

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
