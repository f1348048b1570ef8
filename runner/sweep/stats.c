/* SPDX-License-Identifier: Apache-2.0
 * stats.c - mean, median, Student's interval and the paired sign permutation, for a handful of seeds.
 *
 *   interval of the mean    mean +- t95(n-1) s / sqrt(n),  s the sample standard deviation
 *   paired comparison       d[i] = x[i] - y[i]; under "no difference" every sign of d[i] is as likely as the other, so
 *                           p = share of the 2^n choices of signs whose |sum| reaches that of d. With n seeds no p is
 *                           below 2^(1-n): three seeds cannot show more than p = 0.25.
 *
 * Source: the distribution of t for whole degrees of freedom as a finite sum, Abramowitz & Stegun 26.7.3-4, and its
 * expansion about the normal one, 26.7.5; the permutation of signs is Fisher's (The Design of Experiments, section 21).
 */
#include "sweep/stats.h"

#include <math.h>
#include <stdlib.h>

enum { EXACT_MAX = 20, DRAWS = 1 << 16, SUM_MAX = 400 };

#define HALF_PI 1.5707963267948966
#define Z95     1.959963984540054

double mean_of(const double *x, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++) sum += x[i];
    return n > 0 ? sum / n : (double)NAN;
}

double deviation_of(const double *x, int n)
{
    double mean = mean_of(x, n), sum = 0;
    for (int i = 0; i < n; i++) sum += (x[i] - mean) * (x[i] - mean);
    return n > 1 ? sqrt(sum / (n - 1)) : (double)NAN;
}

static int compare(const void *x, const void *y)
{
    double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

double median_of(double *x, int n)
{
    if (n == 0) return (double)NAN;
    qsort(x, (size_t)n, sizeof *x, compare);
    return n % 2 ? x[n / 2] : 0.5 * (x[n / 2 - 1] + x[n / 2]);
}

/* P(|t| < sqrt(degrees) tan(angle)). */
static double central_share(double angle, int degrees)
{
    const bool odd = degrees % 2;
    double c = cos(angle), term = odd ? c : 1, sum = degrees > 1 ? term : 0;
    for (int k = odd ? 3 : 2; k < degrees; k += 2) {
        term *= c * c * (k - 1) / k;
        sum += term;
    }
    return odd ? (angle + sin(angle) * sum) / HALF_PI : sin(angle) * sum;
}

double student_t95(int degrees)
{
    CHECK(degrees >= 1, "%d degrees of freedom", degrees);
    if (degrees > SUM_MAX) {
        const double z = Z95, z3 = z * z * z, z5 = z3 * z * z, z7 = z5 * z * z, d = degrees;
        return z + (z3 + z) / (4 * d) + (5 * z5 + 16 * z3 + 3 * z) / (96 * d * d) +
               (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / (384 * d * d * d);
    }
    double lo = 0, hi = HALF_PI;
    for (int i = 0; i < 60; i++) {
        double mid = 0.5 * (lo + hi);
        if (central_share(mid, degrees) < 0.95)
            lo = mid;
        else
            hi = mid;
    }
    return sqrt((double)degrees) * tan(0.5 * (lo + hi));
}

Interval seed_interval(const double *x, int n)
{
    if (n < 2) return (Interval){ (double)NAN, (double)NAN };
    double mean = mean_of(x, n), half = student_t95(n - 1) * deviation_of(x, n) / sqrt((double)n);
    return (Interval){ mean - half, mean + half };
}

bool intervals_apart(Interval a, Interval b) { return a.hi < b.lo || b.hi < a.lo; }

/* Does the sum with these signs (a set bit is a minus) reach the observed one? */
static bool reaches(const double *d, int n, uint64_t signs, double observed)
{
    double sum = 0;
    for (int i = 0; i < n; i++) sum += signs >> i & 1 ? -d[i] : d[i];
    return fabs(sum) >= observed;
}

static bool reaches_random(const double *d, int n, Rng *rng, double observed)
{
    double sum = 0;
    for (int i = 0; i < n; i++) sum += rng_u32(rng) & 1 ? -d[i] : d[i];
    return fabs(sum) >= observed;
}

static double permutation_p(const double *d, int n)
{
    double sum = 0, size = 0;
    long count = 0;
    for (int i = 0; i < n; i++) {
        sum += d[i];
        size += fabs(d[i]);
    }
    if (!isfinite(sum)) return (double)NAN;
    const double observed = fabs(sum) - 1e-12 * size; /* equal but for the order of summation */
    if (n <= EXACT_MAX) {
        const uint64_t all = (uint64_t)1 << (n - 1); /* the other half has the same sums, negated */
        for (uint64_t s = 0; s < all; s++) count += reaches(d, n, s, observed);
        return (double)count / (double)all;
    }
    Rng rng = rng_named(0, "paired permutation");
    for (int i = 0; i < DRAWS; i++) count += reaches_random(d, n, &rng, observed);
    return (double)(count + 1) / (DRAWS + 1.0);
}

Paired paired_compare(const double *x, const double *y, int n, Arena *a)
{
    const double nan = (double)NAN;
    Paired p = { .n = n, .mean = nan, .p = nan, .interval = { nan, nan } };
    if (n < 1) return p;
    double *d = ARENA_NEW(a, double, n);
    for (int i = 0; i < n; i++) {
        d[i] = x[i] - y[i];
        p.wins += d[i] > 0;
        p.losses += d[i] < 0;
        p.ties += d[i] == 0;
    }
    p.mean = mean_of(d, n);
    p.interval = seed_interval(d, n);
    p.p = permutation_p(d, n);
    return p;
}
