/* SPDX-License-Identifier: Apache-2.0
 * metrics.c - accuracies and intervals. */
#include "train/metrics.h"

#include <math.h>
#include <string.h>

Score score_new(int classes, int max_len, Arena *a)
{
    return (Score){ .classes = classes,
                    .max_len = max_len,
                    .class_n = ARENA_NEW(a, long, classes),
                    .class_ok = ARENA_NEW(a, long, classes),
                    .prefix_n = ARENA_NEW(a, long, max_len),
                    .prefix_ok = ARENA_NEW(a, long, max_len) };
}

void score_copy(Score *to, const Score *from)
{
    Score old = *to;
    CHECK(to->classes == from->classes && to->max_len == from->max_len, "scores of different sizes");
    *to = *from;
    to->class_n = memcpy(old.class_n, from->class_n, sizeof(long) * (size_t)from->classes);
    to->class_ok = memcpy(old.class_ok, from->class_ok, sizeof(long) * (size_t)from->classes);
    to->prefix_n = memcpy(old.prefix_n, from->prefix_n, sizeof(long) * (size_t)from->max_len);
    to->prefix_ok = memcpy(old.prefix_ok, from->prefix_ok, sizeof(long) * (size_t)from->max_len);
}

void score_add(Score *s, const int *target, const int *pred, const int *slice_of, int len)
{
    long n = 0, ok = 0;
    bool last = false;
    CHECK(len <= s->max_len, "example of %d positions, score holds %d", len, s->max_len);
    for (int t = 0; t < len; t++) {
        int y = target[t];
        if (y == IGNORE) continue;
        CHECK(y >= 0 && y < s->classes, "target %d of %d classes", y, s->classes);
        last = pred[t] == y;
        n++;
        ok += last;
        s->class_n[y]++;
        s->class_ok[y] += last;
        s->prefix_n[t]++;
        s->prefix_ok[t] += ok == n;
        int bin = slice_of ? slice_of[t] : IGNORE;
        if (bin < 0) continue;
        if (bin >= SLICE_BINS) bin = SLICE_BINS - 1;
        s->bin_n[bin]++;
        s->bin_ok[bin] += last;
    }
    s->examples++;
    s->scored += n;
    s->correct += ok;
    s->exact += ok == n;
    s->final += last;
    s->mean_sum += n ? (double)ok / (double)n : 1;
}

double score_value(const Score *s, const char *metric)
{
    if (s->examples == 0 || s->scored == 0) return (double)NAN;
    if (!strcmp(metric, "acc_token")) return (double)s->correct / (double)s->scored;
    if (!strcmp(metric, "acc_mean")) return s->mean_sum / (double)s->examples;
    if (!strcmp(metric, "acc_exact")) return (double)s->exact / (double)s->examples;
    if (!strcmp(metric, "acc_final")) return (double)s->final / (double)s->examples;
    CHECK(!strcmp(metric, "acc_macro"), "unknown accuracy %s", metric);
    double sum = 0;
    int seen = 0;
    for (int c = 0; c < s->classes; c++)
        if (s->class_n[c]) {
            sum += (double)s->class_ok[c] / (double)s->class_n[c];
            seen++;
        }
    return sum / seen;
}

long score_count(const Score *s, const char *metric) { return strcmp(metric, "acc_token") ? s->examples : s->scored; }

double score_majority(const Score *s)
{
    long most = 0;
    for (int c = 0; c < s->classes; c++)
        if (s->class_n[c] > most) most = s->class_n[c];
    return s->scored ? (double)most / (double)s->scored : (double)NAN;
}

void wilson(double p, long n, double *lo, double *hi)
{
    const double z = 1.959963984540054;
    if (n <= 0 || isnan(p)) {
        *lo = *hi = (double)NAN;
        return;
    }
    double m = (double)n, z2 = z * z / m;
    double mid = (p + z2 / 2) / (1 + z2), half = z * sqrt(p * (1 - p) / m + z2 / (4 * m)) / (1 + z2);
    *lo = p <= 0 || mid - half < 0 ? 0 : mid - half; /* 0 and 1 are exact, whatever the rounding */
    *hi = p >= 1 || mid + half > 1 ? 1 : mid + half;
}
