/* SPDX-License-Identifier: Apache-2.0
 * bench_seq.c - speed of cell_lstm and attention, forward and backward, beside the FMA peak of the moment.
 *
 *   build/.../bench/seq [repeats]        default 9; make bench runs all of them
 *
 * One layer, 64 sequences as 8 shards of 8 one after another, as the trainer runs them; CPU time of the process, median
 * and best of the repeats. GFLOP/s counts useful operations only: a causal pair of positions once, no padding, no
 * recomputation beyond the 7 half products of attention. The probe runs before every line: read the share of peak, not
 * the milliseconds, on a machine that others use.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "tape/tape.h"
#include "tape/tile.h"

enum { SHARDS = 8, ROWS = 8, REPEATS_MAX = 101 };

static double cpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Twelve independent chains of multiply-adds, GFLOP/s, best of a few. */
static double peak(void)
{
    double best = 0;
    for (int trial = 0; trial < 5; trial++) {
        vreal a[12], x = v_set((real)0.999), y = v_set((real)1e-3);
        for (int i = 0; i < 12; i++) a[i] = v_set((real)i);
        enum { N = 400000 };
        double t = cpu_seconds();
        for (int n = 0; n < N; n++) {
            a[0] = a[0] * x + y;
            a[1] = a[1] * x + y;
            a[2] = a[2] * x + y;
            a[3] = a[3] * x + y;
            a[4] = a[4] * x + y;
            a[5] = a[5] * x + y;
            a[6] = a[6] * x + y;
            a[7] = a[7] * x + y;
            a[8] = a[8] * x + y;
            a[9] = a[9] * x + y;
            a[10] = a[10] * x + y;
            a[11] = a[11] * x + y;
        }
        t = cpu_seconds() - t;
        vreal s = v_set(0);
        for (int i = 0; i < 12; i++) s += a[i];
        if (v_sum(s) == 12345) puts(""); /* keeps the loop */
        double rate = 2.0 * 12 * VLEN * N / t * 1e-9;
        if (rate > best) best = rate;
    }
    return best;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void fill(Tensor *t, Rng *rng, double scale)
{
    for (size_t i = 0; i < tensor_size(t); i++) t->x[i] = (real)(scale * rng_normal(rng));
}

typedef struct Case {
    const char *name;
    bool lstm, linear;
    int L, d, heads, kv, window;
} Case;

/* One shard: forward, and backward from an all-ones gradient of the sum of the output. */
static void shard(const Case *c, Tape *t, Tensor *const *in, Tensor *w, Tensor *u)
{
    Tensor *x[3];
    for (int i = 0; i < 3; i++)
        if (in[i]) {
            x[i] = tape_like(t, in[i]);
            memcpy(x[i]->x, in[i]->x, sizeof(real) * tensor_size(in[i]));
        }
    double width = c->d / (double)(c->heads ? c->heads : 1);
    Tensor *y = !c->lstm ? op_attention(t, x[0], x[1], x[2], 1 / sqrt(width), c->window, NULL)
                         : op_cell_lstm(t, c->linear ? op_linear(t, x[0], w, NULL) : x[0], u, NULL, NULL, NULL, NULL);
    if (t->grad) tape_backward(t, y);
}

static double useful(const Case *c, bool grad)
{
    double tokens = (double)SHARDS * ROWS * c->L, d = c->d;
    if (c->lstm) return tokens * 8 * d * d * (grad ? 3 : 1) * (c->linear ? 2 : 1);
    double keys = 0;
    for (int t = 0; t < c->L; t++) keys += c->window && t >= c->window ? c->window : t + 1;
    return (double)SHARDS * ROWS * keys * 2 * d * (grad ? 7 : 2);
}

static void run(const Case *c, int repeats, bool grad)
{
    Tape *fixed = tape_new("bench", true), *t = tape_new("bench", grad);
    Rng rng = rng_seed(1, 2);
    Tensor *in[3] = { NULL }, *w = TENSOR(fixed, c->d, 4 * c->d), *u = TENSOR(fixed, c->d, 4 * c->d);
    fill(w, &rng, 1 / sqrt(c->d));
    fill(u, &rng, 1 / sqrt(c->d));
    if (c->lstm)
        in[0] = TENSOR(fixed, ROWS, c->L, c->linear ? c->d : 4 * c->d);
    else
        for (int i = 0; i < 3; i++) in[i] = TENSOR(fixed, ROWS, c->L, i ? c->kv : c->heads, c->d / c->heads);
    for (int i = 0; i < 3; i++)
        if (in[i]) fill(in[i], &rng, 1);
    double ms[REPEATS_MAX], top = peak();
    for (int r = -1; r < repeats; r++) { /* one to warm up */
        double start = cpu_seconds();
        for (int s = 0; s < SHARDS; s++) {
            tape_reset(t);
            shard(c, t, in, w, u);
        }
        if (r >= 0) ms[r] = 1e3 * (cpu_seconds() - start);
    }
    qsort(ms, (size_t)repeats, sizeof *ms, by_value);
    double median = ms[repeats / 2], rate = useful(c, grad) / median * 1e-6;
    printf("%-26s L %3d d %3d %-8s %8.2f ms (best %7.2f) %6.1f GFLOP/s %4.0f %% of %.0f\n", c->name, c->L, c->d,
           grad ? "fwd+bwd" : "forward", median, ms[0], rate, 100 * rate / top, top);
    tape_free(t);
    tape_free(fixed);
}

int main(int argc, char **argv)
{
    static const Case cases[] = {
        { "lstm cell", true, false, 64, 64, 0, 0, 0 },
        { "lstm cell", true, false, 256, 64, 0, 0, 0 },
        { "lstm cell", true, false, 256, 32, 0, 0, 0 },
        { "lstm cell", true, false, 256, 128, 0, 0, 0 },
        { "lstm cell + input linear", true, true, 256, 64, 0, 0, 0 },
        { "attention 1x32", false, false, 32, 32, 1, 1, 0 },
        { "attention 2x32", false, false, 32, 64, 2, 2, 0 },
        { "attention 2x32", false, false, 64, 64, 2, 2, 0 },
        { "attention 2x32", false, false, 128, 64, 2, 2, 0 },
        { "attention 2x32", false, false, 256, 64, 2, 2, 0 },
        { "attention 2x32", false, false, 512, 64, 2, 2, 0 },
        { "attention 4x16", false, false, 256, 64, 4, 4, 0 },
        { "attention 1x64", false, false, 256, 64, 1, 1, 0 },
        { "attention 4x32 on 2", false, false, 256, 128, 4, 2, 0 },
        { "attention 2x32 window 64", false, false, 256, 64, 2, 2, 64 },
    };
    int repeats = argc > 1 ? atoi(argv[1]) : 9;
    if (repeats < 1 || repeats > REPEATS_MAX) return EXIT_USAGE;
    real_setup();
    gemm_setup();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int grad = 0; grad <= 1; grad++) run(&cases[i], repeats, grad);
    return EXIT_OK;
}
