/* SPDX-License-Identifier: Apache-2.0
 * test_vmath.c - vector functions: largest relative errors against libm, special values, scalar and vector bits.
 *
 * The reference is libm in double at the float argument, so the bounds hold for the function, not for its input.
 */
#include "base/vmath.h"
#include "support/suite.h"

#include <check.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef real Scalar(real);
typedef vreal Vector(vreal);
typedef void Loop(real *y, const real *x, size_t n);
typedef double Exact(double);

static double exact_sigmoid(double x) { return 1 / (1 + exp(-x)); }
static double exact_softplus(double x) { return (x > 0 ? x : 0) + log1p(exp(-fabs(x))); }

typedef struct Function {
    const char *name;
    Scalar *scalar;
    Vector *vector;
    Loop *loop;
    Exact *exact;
} Function;

enum { EXP, LOG, TANH, SIGMOID, SOFTPLUS, FUNCTIONS };

static const Function fn[FUNCTIONS] = {
    [EXP] = { "exp", r_exp, v_exp, vec_exp, exp },
    [LOG] = { "log", r_log, v_log, vec_log, log },
    [TANH] = { "tanh", r_tanh, v_tanh, vec_tanh, tanh },
    [SIGMOID] = { "sigmoid", r_sigmoid, v_sigmoid, vec_sigmoid, exact_sigmoid },
    [SOFTPLUS] = { "softplus", r_softplus, v_softplus, vec_softplus, exact_softplus },
};

/* ---- accuracy ---- */

/* Largest relative error on an even grid of n + 1 points. */
static double worst_error(const Function *f, double lo, double hi, int n, double *at)
{
    double worst = 0;
    for (int i = 0; i <= n; i++) {
        real x = (real)(lo + (hi - lo) * i / n);
        double want = f->exact((double)x), e = fabs((double)f->scalar(x) - want) / fabs(want);
        if (want == 0) e = (double)f->scalar(x) == 0 ? 0 : 1;
        if (e > worst || isnan(e)) worst = e, *at = (double)x;
        if (isnan(e)) break;
    }
    return worst;
}

static const struct Range {
    int f;
    double lo, hi, bound;
} ranges[] = {
    { EXP, -87, 88, 3e-7 },         { EXP, -1, 1, 3e-7 },        { EXP, -1e-4, 1e-4, 1e-7 },
    { LOG, 1e-6, 4, 3e-7 },         { LOG, 0.9, 1.1, 3e-7 },     { LOG, 1, 1e9, 2e-7 },
    { LOG, 1e-37, 1e-30, 2e-7 },    { TANH, -12, 12, 1e-6 },     { TANH, 0.149, 0.151, 1e-6 },
    { TANH, -0.151, -0.149, 1e-6 }, { TANH, -0.15, 0.15, 3e-7 }, { TANH, 1e-30, 1e-20, 1e-7 },
    { SIGMOID, -87, 30, 5e-7 },     { SIGMOID, -2, 2, 4e-7 },    { SOFTPLUS, -87, 60, 5e-7 },
    { SOFTPLUS, -2, 2, 5e-7 },
};

START_TEST(accuracy)
{
    const struct Range *r = &ranges[_i];
    double at = 0, worst = worst_error(&fn[r->f], r->lo, r->hi, 300000, &at),
           bound = sizeof(real) == 8 ? 1e-14 : r->bound;
    ck_assert_msg(worst <= bound, "%s on [%g, %g]: relative error %.3g at %.9g, bound %.3g", fn[r->f].name, r->lo,
                  r->hi, worst, at, bound);
}
END_TEST

/* The measure itself sees an error of one part in 10^6, and a NaN. */
static double shifted_exp(double x) { return exp(x) * (1 + 1e-6); }
static double no_number(double x) { return fabs(x - 0.5) < 0.01 ? (double)NAN : exp(x); }

START_TEST(error_measure)
{
    double at = 0;
    const Function off = { "exp", r_exp, v_exp, vec_exp, shifted_exp },
                   nan = { "exp", r_exp, v_exp, vec_exp, no_number };
    ck_assert_double_eq_tol(worst_error(&off, -1, 1, 1000, &at), 1e-6, 4e-7);
    ck_assert(isnan(worst_error(&nan, 0, 1, 1000, &at)));
}
END_TEST

START_TEST(tanh_is_odd_bounded_and_monotone)
{
    real before = -1;
    for (int i = -60000; i <= 60000; i++) {
        real x = (real)(i * 2e-4), y = r_tanh(x);
        ck_assert(y >= -1 && y <= 1);
        ck_assert(r_tanh(-x) == -y);
        ck_assert_msg(y >= before - (real)1e-6, "tanh falls at %g", (double)x);
        before = y;
    }
}
END_TEST

/* ---- special values ---- */

START_TEST(nan_propagates)
{
    real nan = (real)NAN, y[2 * VBYTES];
    for (int f = 0; f < FUNCTIONS; f++) {
        ck_assert_msg(isnan(fn[f].scalar(nan)), "%s(NaN) is %g", fn[f].name, (double)fn[f].scalar(nan));
        for (int n = 1; n <= 2 * VLEN + 1; n++) /* one NaN among ones stays in its place */
            for (int k = 0; k < n; k++) {
                for (int i = 0; i < n; i++) y[i] = i == k ? nan : 1;
                fn[f].loop(y, y, (size_t)n);
                for (int i = 0; i < n; i++) ck_assert(!isnan(y[i]) == (i != k));
            }
    }
    ck_assert(isnan(r_log(-1)));
    ck_assert(isnan(r_log((real)-INFINITY)));
}
END_TEST

START_TEST(extremes_saturate)
{
    static const double big[] = { 100, 1000, 1e30, HUGE_VAL };
    for (size_t i = 0; i < sizeof big / sizeof *big; i++) {
        real x = (real)big[i];
        ck_assert(r_tanh(x) == 1 && r_tanh(-x) == -1);
        ck_assert(r_sigmoid(x) == 1);
        ck_assert(r_sigmoid(-x) >= 0 && (double)r_sigmoid(-x) < 1.3e-38);
        ck_assert(r_softplus(x) == x);
        ck_assert(r_softplus(-x) >= 0 && (double)r_softplus(-x) < 1.3e-38);
        ck_assert(r_exp(-x) >= 0 && (double)r_exp(-x) < 1.3e-38);
        ck_assert((double)r_exp(x) > 2e38);
    }
    if (sizeof(real) == 4) { /* clamped, not infinite */
        ck_assert((double)r_exp(100) < 2.3e38);
        ck_assert_double_eq_tol((double)r_log(0), -126 * log(2), 1e-4);
        ck_assert_double_eq_tol((double)r_log((real)INFINITY), 128 * log(2), 1e-4);
    }
}
END_TEST

START_TEST(exact_points)
{
    ck_assert(r_exp(0) == 1);
    ck_assert(r_log(1) == 0);
    ck_assert(r_tanh(0) == 0);
    ck_assert(r_sigmoid(0) == (real)0.5);
    ck_assert_double_eq_tol((double)r_softplus(0), log(2), 1e-7);
    ck_assert(v_silu(v_set(0))[0] == 0);
    ck_assert_double_eq_tol((double)v_silu(v_set(2))[0], 2 / (1 + exp(-2.0)), 1e-6);
}
END_TEST

/* ---- scalar, vector and loops ---- */

static bool same_bits(real a, real b) { return memcmp(&a, &b, sizeof a) == 0; }

START_TEST(scalar_and_vector_bits_agree)
{
    const Function *f = &fn[_i];
    Rng r = rng_seed(9, 1);
    for (int k = 0; k < 50000; k++) {
        real x[VBYTES / sizeof(real)];
        for (int i = 0; i < VLEN; i++) x[i] = (real)((rng_uniform(&r) - 0.5) * (k % 2 ? 4 : 200));
        vreal y = f->vector(v_load(x));
        for (int i = 0; i < VLEN; i++) {
            real s = f->scalar(x[i]);
            if (isnan(s))
                ck_assert(isnan(y[i]));
            else
                ck_assert_msg(same_bits(s, y[i]), "%s(%.9g): %.9g and %.9g", f->name, (double)x[i], (double)s,
                              (double)y[i]);
        }
    }
}
END_TEST

START_TEST(loops_agree_at_any_length)
{
    const Function *f = &fn[_i];
    enum { MAX = 70 };
    real x[MAX], y[MAX];
    for (int n = 0; n < MAX; n++) {
        for (int i = 0; i < MAX; i++) x[i] = (real)(0.1 + i * 0.07), y[i] = -7;
        f->loop(y, x, (size_t)n);
        for (int i = 0; i < MAX; i++) ck_assert(same_bits(y[i], i < n ? f->scalar(x[i]) : (real)-7));
        f->loop(x, x, (size_t)n); /* in place */
        for (int i = 0; i < n; i++) ck_assert(same_bits(x[i], y[i]));
    }
}
END_TEST

START_TEST(vector_helpers)
{
    real x[2 * VBYTES], sum = 0;
    for (int i = 0; i <= VLEN; i++) x[i] = (real)(i - 2);
    vreal v = v_load(x + 1), top = v_max(v, v_set(1)), low = v_min(v, v_set(1)), mag = v_abs(v);
    for (int i = 0; i < VLEN; i++) {
        ck_assert(top[i] == (x[i + 1] > 1 ? x[i + 1] : 1));
        ck_assert(low[i] == (x[i + 1] < 1 ? x[i + 1] : 1));
        ck_assert(mag[i] == (x[i + 1] < 0 ? -x[i + 1] : x[i + 1]));
        sum += x[i + 1];
    }
    ck_assert(v_sum(v) == sum);
    v_store(x, v_set(3));
    for (int i = 0; i < VLEN; i++) ck_assert(x[i] == 3);
    ck_assert(x[VLEN] == (real)(VLEN - 2));
}
END_TEST

int main(void)
{
    Suite *s = suite_create("vmath");
    TCase *t = tcase_create("accuracy");
    tcase_set_timeout(t, 60);
    tcase_add_loop_test(t, accuracy, 0, (int)(sizeof ranges / sizeof *ranges));
    tcase_add_test(t, error_measure);
    tcase_add_test(t, tanh_is_odd_bounded_and_monotone);
    suite_add_tcase(s, t);
    t = tcase_create("special values");
    tcase_add_test(t, nan_propagates);
    tcase_add_test(t, extremes_saturate);
    tcase_add_test(t, exact_points);
    suite_add_tcase(s, t);
    t = tcase_create("bits");
    tcase_set_timeout(t, 60);
    tcase_add_loop_test(t, scalar_and_vector_bits_agree, 0, FUNCTIONS);
    tcase_add_loop_test(t, loops_agree_at_any_length, 0, FUNCTIONS);
    tcase_add_test(t, vector_helpers);
    suite_add_tcase(s, t);
    return suite_run(s);
}
