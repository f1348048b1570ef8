/* SPDX-License-Identifier: Apache-2.0
 * bench_ops.c - speed of the pointwise ops, norms, loss and short convolution, forward and backward.
 *
 *   bench_ops [repeats]        default 15
 *
 * 64 sequences of 256 tokens of 64 channels as 8 shards of 8, one after another, as the trainer runs them; CPU time,
 * best and median of the repeats in ms and best ns per element (1,048,576 elements). cross_entropy has 64 classes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "tape/tape.h"

enum { SHARDS = 8, B = 8, T = 256, C = 64, REPEATS_MAX = 101 };

static double cpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef struct {
    Tensor *x, *y, *v, *w, *rows;
    int *id;
} Data;

/* clang-format off */
static Tensor *heads(Tape *t, const Data *d) { return op_reshape(t, d->x, B, T, 2, C / 2); }
static Tensor *add(Tape *t, const Data *d) { return op_add(t, d->x, d->y); }
static Tensor *mul(Tape *t, const Data *d) { return op_mul(t, d->x, d->y); }
static Tensor *affine(Tape *t, const Data *d) { return op_affine(t, d->x, -1, 1); }
static Tensor *sigmoid(Tape *t, const Data *d) { return op_sigmoid(t, d->x); }
static Tensor *tanh_(Tape *t, const Data *d) { return op_tanh(t, d->x); }
static Tensor *silu(Tape *t, const Data *d) { return op_silu(t, d->x); }
static Tensor *gelu(Tape *t, const Data *d) { return op_gelu(t, d->x); }
static Tensor *softplus(Tape *t, const Data *d) { return op_softplus(t, d->x); }
static Tensor *swiglu(Tape *t, const Data *d) { return op_swiglu(t, d->x, d->y); }
static Tensor *dropout(Tape *t, const Data *d) { return op_dropout(t, d->x, 0.1, rng_seed(1, 1)); }
static Tensor *mul_last(Tape *t, const Data *d) { return op_mul_last(t, d->x, d->v); }
static Tensor *mul_rows(Tape *t, const Data *d) { return op_mul_rows(t, d->x, d->rows); }
static Tensor *concat(Tape *t, const Data *d) { return op_slice(t, op_concat(t, d->x, d->y), 32, C); }
static Tensor *rmsnorm(Tape *t, const Data *d) { return op_rmsnorm(t, d->x, d->v, 1e-5); }
static Tensor *layernorm(Tape *t, const Data *d) { return op_layernorm(t, d->x, d->v, d->v, 1e-5); }
static Tensor *l2norm(Tape *t, const Data *d) { return op_l2norm(t, heads(t, d), 1e-6); }
static Tensor *rope(Tape *t, const Data *d) { return op_rope(t, heads(t, d), 0, 1e4, false); }
static Tensor *rope_pairs(Tape *t, const Data *d) { return op_rope(t, heads(t, d), 0, 1e4, true); }
static Tensor *conv(Tape *t, const Data *d) { return op_short_conv(t, d->x, d->w, d->v, NULL, NULL); }
static Tensor *embed(Tape *t, const Data *d) { return op_embed(t, d->id, B, T, op_reshape(t, d->y, B * T, C)); }
static Tensor *loss(Tape *t, const Data *d)
{
    return op_cross_entropy(t, op_reshape(t, d->x, B * T, C), d->id, 1, NULL, NULL);
}

static const struct { const char *name; Tensor *(*run)(Tape *, const Data *); } ops[] = {
    { "add", add }, { "mul", mul }, { "affine", affine }, { "sigmoid", sigmoid }, { "tanh", tanh_ }, { "silu", silu },
    { "gelu", gelu }, { "softplus", softplus }, { "swiglu", swiglu }, { "dropout", dropout }, { "mul_last", mul_last },
    { "mul_rows", mul_rows }, { "concat+slice", concat }, { "rmsnorm", rmsnorm }, { "layernorm", layernorm },
    { "l2norm", l2norm }, { "rope", rope }, { "rope, pairs", rope_pairs }, { "short_conv", conv }, { "embed", embed },
    { "cross_entropy", loss },
};
/* clang-format on */

static Tensor *random_tensor(Tape *t, Rng *rng, int rank, const int *dim)
{
    Tensor *x = tape_tensor(t, rank, dim);
    for (size_t i = 0, n = tensor_size(x); i < n; i++) x->x[i] = (real)rng_normal(rng);
    return x;
}

static Data make_data(Tape *t)
{
    Rng rng = rng_seed(1, 1);
    const int x[] = { B, T, C }, v[] = { C }, w[] = { 4, C };
    Data d = { .x = random_tensor(t, &rng, 3, x),
               .y = random_tensor(t, &rng, 3, x),
               .v = random_tensor(t, &rng, 1, v),
               .w = random_tensor(t, &rng, 2, w),
               .rows = random_tensor(t, &rng, 2, x) };
    d.id = ARENA_RAW(t->arena, int, B *T);
    for (int i = 0; i < B * T; i++) d.id[i] = (int)rng_below(&rng, C);
    return d;
}

static int by_value(const void *a, const void *b)
{
    double d = *(const double *)a - *(const double *)b;
    return (d > 0) - (d < 0);
}

int main(int argc, char **argv)
{
    int repeats = argc > 1 ? atoi(argv[1]) : 15;
    if (repeats < 1 || repeats > REPEATS_MAX) return EXIT_FAILURE;
    gemm_setup();
    real_setup();
    Tape *inputs = tape_new("inputs", true), *t = tape_new("step", true);
    Data shard[SHARDS];
    for (int s = 0; s < SHARDS; s++) shard[s] = make_data(inputs);
    puts("                forward: best median   ns   both: best median   ns");
    for (size_t o = 0; o < sizeof ops / sizeof *ops; o++) {
        double forward[REPEATS_MAX], both[REPEATS_MAX];
        for (int r = -1; r < repeats; r++) {
            double f = 0, all = 0;
            for (int s = 0; s < SHARDS; s++) {
                tape_reset(t);
                double start = cpu_seconds();
                Tensor *y = ops[o].run(t, &shard[s]);
                f += cpu_seconds() - start;
                tape_backward(t, y);
                all += cpu_seconds() - start;
            }
            if (r >= 0) forward[r] = f * 1e3, both[r] = all * 1e3;
        }
        qsort(forward, (size_t)repeats, sizeof *forward, by_value);
        qsort(both, (size_t)repeats, sizeof *both, by_value);
        double per = 1e6 / ((double)SHARDS * B * T * C);
        printf("%-16s %12.2f %6.2f %5.2f %11.2f %6.2f %5.2f\n", ops[o].name, forward[0], forward[repeats / 2],
               forward[0] * per, both[0], both[repeats / 2], both[0] * per);
    }
    tape_free(t);
    tape_free(inputs);
    return EXIT_SUCCESS;
}
