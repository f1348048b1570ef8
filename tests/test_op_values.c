/* SPDX-License-Identifier: Apache-2.0
 * test_op_values.c - values of the ops, against loops in double written from their formulas and known numbers. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/gradcheck.h"
#include "support/suite.h"

#define TOL (REAL_BITS == 64 ? 1e-13 : 2e-6)

static Tensor *input(Tape *t, double lo, double hi, const char *name, int rank, const int *dim)
{
    Tensor *x = tape_tensor(t, rank, dim);
    gradcheck_fill(x->x, tensor_size(x), lo, hi, name);
    return x;
}
#define INPUT(t, lo, hi, name, ...)                                                                                    \
    input((t), (lo), (hi), (name), (int)(sizeof((int[]){ __VA_ARGS__ }) / sizeof(int)), (int[]){ __VA_ARGS__ })

static void near_to(const char *what, double got, double want, double scale)
{
    ck_assert_msg(fabs(got - want) <= TOL * fmax(scale, fabs(want)), "%s = %.9g, want %.15g", what, got, want);
}

/* ---- maps -------------------------------------------------------------------------------------------------------- */

static double d_sigmoid(double x) { return 1 / (1 + exp(-x)); }
static double d_silu(double x) { return x * d_sigmoid(x); }
static double d_relu(double x) { return x > 0 ? x : 0; }
static double d_gelu(double x) { return 0.5 * x * erfc(-x / sqrt(2)); }
static double d_softplus(double x) { return x > 30 ? x : log1p(exp(x)); }
static double d_logsigmoid(double x) { return -d_softplus(-x); }
static double d_mingru_g(double x) { return x >= 0 ? x + 0.5 : d_sigmoid(x); }

static const struct {
    const char *name;
    Tensor *(*op)(Tape *, Tensor *);
    double (*f)(double);
} maps[] = {
    { "sigmoid", op_sigmoid, d_sigmoid },
    { "tanh", op_tanh, tanh },
    { "silu", op_silu, d_silu },
    { "relu", op_relu, d_relu },
    { "gelu", op_gelu, d_gelu },
    { "exp", op_exp, exp },
    { "softplus", op_softplus, d_softplus },
    { "logsigmoid", op_logsigmoid, d_logsigmoid },
    { "mingru_g", op_mingru_g, d_mingru_g },
};

START_TEST(maps_have_their_values)
{
    Tape *t = tape_new("maps", false);
    enum { N = 4001 };
    Tensor *x = TENSOR(t, N);
    for (int i = 0; i < N; i++) x->x[i] = (real)(i - N / 2) / 200; /* -10 .. 10, zero included */
    Tensor *y = maps[_i].op(t, x);
    for (int i = 0; i < N; i++) {
        bool tail = fabs((double)x->x[i]) <= 5; /* there also relative, far below 1 */
        near_to(maps[_i].name, (double)y->x[i], maps[_i].f((double)x->x[i]), tail ? 0 : 1);
    }
    ck_assert_double_eq(t->flops, N);
    tape_free(t);
}
END_TEST

/* Far out: no overflow where the function is bounded, NaN stays NaN. */
START_TEST(maps_hold_at_the_ends)
{
    Tape *t = tape_new("ends", false);
    Tensor *x = TENSOR(t, 3);
    x->x[0] = -10000, x->x[1] = 10000, x->x[2] = (real)NAN;
    Tensor *y = maps[_i].op(t, x);
    if (maps[_i].op != op_exp) {
        double up = maps[_i].f(1e4), low = maps[_i].op == op_logsigmoid ? -1e4 : maps[_i].op == op_tanh ? -1 : 0;
        near_to(maps[_i].name, (double)y->x[1], up, 1);
        near_to(maps[_i].name, (double)y->x[0], low, 1);
    }
    ck_assert_msg(isnan(y->x[2]) || maps[_i].op == op_relu, "%s(NaN) = %g", maps[_i].name, (double)y->x[2]);
    tape_free(t);
}
END_TEST

START_TEST(sums_products_broadcasts)
{
    Tape *t = tape_new("pairs", false);
    Tensor *a = INPUT(t, -1, 1, "a", 3, 5, 11), *b = INPUT(t, -1, 1, "b", 3, 5, 11);
    Tensor *v = INPUT(t, -1, 1, "v", 11), *s = INPUT(t, -1, 1, "s", 3, 5);
    Tensor *add = op_add(t, a, b), *sub = op_sub(t, a, b), *mul = op_mul(t, a, b), *gate = op_swiglu(t, a, b);
    Tensor *add_last = op_add_last(t, a, v), *mul_last = op_mul_last(t, a, v), *rows = op_mul_rows(t, a, s);
    Tensor *affine = op_affine(t, a, -3, 0.25);
    for (int i = 0; i < 165; i++) {
        double p = (double)a->x[i], q = (double)b->x[i], last = (double)v->x[i % 11], row = (double)s->x[i / 11];
        near_to("add", (double)add->x[i], p + q, 1);
        near_to("sub", (double)sub->x[i], p - q, 1);
        near_to("mul", (double)mul->x[i], p * q, 1);
        near_to("swiglu", (double)gate->x[i], d_silu(p) * q, 1);
        near_to("add_last", (double)add_last->x[i], p + last, 1);
        near_to("mul_last", (double)mul_last->x[i], p * last, 1);
        near_to("mul_rows", (double)rows->x[i], p * row, 1);
        near_to("affine", (double)affine->x[i], -3 * p + 0.25, 1);
    }
    tape_free(t);
}
END_TEST

START_TEST(dropout_keeps_its_share)
{
    enum { N = 100000 };
    Tape *t = tape_new("dropout", true);
    Tensor *x = TENSOR(t, N);
    for (int i = 0; i < N; i++) x->x[i] = 1;
    ck_assert_ptr_eq(op_dropout(t, x, 0, rng_seed(1, 1)), x);
    Tensor *y = op_dropout(t, x, 0.3, rng_seed(1, 1)), *same = op_dropout(t, x, 0.3, rng_seed(1, 1));
    Tensor *other = op_dropout(t, x, 0.3, rng_seed(2, 1));
    int dropped = 0, differ = 0;
    for (int i = 0; i < N; i++) {
        if (y->x[i] == 0)
            dropped++;
        else
            near_to("kept", (double)y->x[i], 1 / 0.7, 1);
        differ += other->x[i] != y->x[i];
    }
    ck_assert_msg(abs(dropped - 30000) < 5 * 145, "%d of %d dropped at 0.3", dropped, N); /* 145 = one deviation */
    ck_assert_msg(abs(differ - 42000) < 5 * 157, "%d of %d differ between streams", differ, N);
    ck_assert(!memcmp(y->x, same->x, N * sizeof(real)));
    tape_free(t);
}
END_TEST

/* ---- tables and shapes ------------------------------------------------------------------------------------------- */

START_TEST(rows_and_slices)
{
    Tape *t = tape_new("shapes", false);
    Tensor *table = INPUT(t, -1, 1, "table", 4, 3), *x = INPUT(t, -1, 1, "x", 2, 3, 5);
    const int id[] = { 3, 0, 3, 1, 2, 2 }, row[] = { 5, 0, 5 };
    Tensor *e = op_embed(t, id, 2, 3, table), *r = op_gather_rows(t, x, row, 3), *s = op_slice(t, x, 1, 3);
    Tensor *c = op_concat(t, s, x), *z = op_reshape(t, x, 5, 6);
    ck_assert_str_eq(shape_str(e), "(2,3,3)");
    ck_assert_str_eq(shape_str(r), "(3,5)");
    ck_assert_str_eq(shape_str(s), "(2,3,3)");
    ck_assert_str_eq(shape_str(c), "(2,3,8)");
    ck_assert_str_eq(shape_str(z), "(5,6)");
    ck_assert_ptr_eq(z->x, x->x);
    for (int i = 0; i < 18; i++) ck_assert(e->x[i] == table->x[id[i / 3] * 3 + i % 3]);
    for (int i = 0; i < 15; i++) ck_assert(r->x[i] == x->x[row[i / 5] * 5 + i % 5]);
    for (int i = 0; i < 18; i++) ck_assert(s->x[i] == x->x[i / 3 * 5 + 1 + i % 3]);
    for (int i = 0; i < 48; i++)
        ck_assert(c->x[i] == (i % 8 < 3 ? s->x[i / 8 * 3 + i % 8] : x->x[i / 8 * 5 + i % 8 - 3]));
    tape_free(t);
}
END_TEST

START_TEST(linear_adds_its_bias)
{
    Tape *t = tape_new("linear", false);
    Tensor *x = INPUT(t, -1, 1, "x", 2, 3, 5), *w = INPUT(t, -1, 1, "w", 5, 7), *b = INPUT(t, -1, 1, "b", 7);
    Tensor *u = INPUT(t, -1, 1, "u", 7, 5), *y = op_linear(t, x, w, b), *z = op_linear_t(t, x, u);
    ck_assert_double_eq(t->flops, 6 * 7 * (2 * 5 + 1) + 6 * 7 * 2 * 5);
    for (int r = 0; r < 6; r++)
        for (int o = 0; o < 7; o++) {
            double sum = (double)b->x[o], tied = 0;
            for (int i = 0; i < 5; i++) {
                sum += (double)x->x[r * 5 + i] * (double)w->x[i * 7 + o];
                tied += (double)x->x[r * 5 + i] * (double)u->x[o * 5 + i];
            }
            near_to("linear", (double)y->x[r * 7 + o], sum, 1);
            near_to("linear_t", (double)z->x[r * 7 + o], tied, 1);
        }
    tape_free(t);
}
END_TEST

/* ---- norms ------------------------------------------------------------------------------------------------------- */

START_TEST(norms_have_their_moments)
{
    Tape *t = tape_new("norms", false);
    int N = (const int[]){ 1, 5, 16, 67, 300 }[_i];
    Tensor *x = INPUT(t, 2, 4, "x", 3, N);
    Tensor *rms = op_rmsnorm(t, x, NULL, 0.5), *layer = op_layernorm(t, x, NULL, NULL, 0.25), *l2 = op_l2norm(t, x, 2);
    for (int r = 0; r < 3; r++) {
        const real *row = x->x + r * N;
        double sum = 0, square = 0, var = 0;
        for (int i = 0; i < N; i++) sum += (double)row[i], square += (double)row[i] * (double)row[i];
        for (int i = 0; i < N; i++) var += pow((double)row[i] - sum / N, 2) / N;
        for (int i = 0; i < N; i++) {
            int at = r * N + i;
            near_to("rmsnorm", (double)rms->x[at], (double)row[i] / sqrt(square / N + 0.5), 1);
            near_to("l2norm", (double)l2->x[at], (double)row[i] / sqrt(square + 2), 1);
            near_to("layernorm", (double)layer->x[at], ((double)row[i] - sum / N) / sqrt(var + 0.25), 1);
        }
    }
    tape_free(t);
}
END_TEST

/* ---- loss -------------------------------------------------------------------------------------------------------- */

START_TEST(cross_entropy_values)
{
    enum { N = 5 };
    const int classes[] = { 1, 2, 9, 256, 259, 1031 };
    int C = classes[_i], target[N], pred[N];
    Tape *t = tape_new("loss", true);
    Tensor *z = INPUT(t, -6, 6, "z", N, C);
    double want = 0, nll = -1;
    for (int r = 0; r < N; r++) {
        const real *row = z->x + r * C;
        double sum = 0;
        target[r] = r == 2 ? IGNORE : (r * 7) % C;
        for (int i = 0; i < C; i++) sum += exp((double)row[i]);
        if (r != 2) want += log(sum) - (double)row[target[r]];
    }
    Tensor *loss = op_cross_entropy(t, z, target, 0.125, &nll, pred);
    near_to("nll", nll, want, 1);
    near_to("loss", (double)loss->x[0], 0.125 * want, 1);
    tape_backward(t, loss);
    for (int r = 0; r < N; r++) {
        double sum = 0;
        for (int i = 0; i < C; i++) {
            ck_assert(z->x[r * C + i] <= z->x[r * C + pred[r]]);
            sum += (double)z->g[r * C + i];
            if (r == 2) ck_assert(z->g[r * C + i] == 0);
        }
        near_to("gradient of a row", sum, 0, 1); /* softmax - onehot sums to 0 */
    }
    tape_free(t);
}
END_TEST

START_TEST(cross_entropy_at_the_edges)
{
    Tape *t = tape_new("edges", true);
    Tensor *z = TENSOR(t, 3, 11);
    for (int i = 0; i < 33; i++) z->x[i] = i < 11 ? (i == 4 || i == 9 ? 3 : 1) : i < 22 ? 1000 : -1000;
    int pred[3], target[] = { 4, 0, 10 };
    double nll;
    op_cross_entropy(t, z, target, 1, &nll, pred);
    near_to("nll", nll, log(2 + 9 * exp(-2)) + 2 * log(11), 1); /* no overflow at +-1000 */
    ck_assert_int_eq(pred[0], 4);                               /* ties go to the lowest index */
    ck_assert_int_eq(pred[1], 0);
    const int none[] = { IGNORE, IGNORE, IGNORE };
    Tensor *loss = op_cross_entropy(t, z, none, 1, &nll, pred);
    ck_assert(nll == 0 && loss->x[0] == 0);
    ck_assert_int_eq(pred[0], 4); /* predicted all the same */
    z->x[3] = (real)NAN;
    op_cross_entropy(t, z, target, 1, &nll, pred);
    ck_assert_msg(isnan(nll), "a NaN logit gives %g", nll);
    tape_free(t);
}
END_TEST

/* ---- rotary positions -------------------------------------------------------------------------------------------- */

/* Two layouts, chunks starting anywhere: every pair is turned by position * base^(-2i/K). */
START_TEST(rope_turns_by_the_position)
{
    enum { T = 70, H = 2, K = 10 };
    const int starts[] = { 0, 1, 31, 32, 1000, 123457 };
    const double tol = REAL_BITS == 64 ? 1e-11 : 4e-7;
    for (int f = 0; f < 2; f++) {
        Tape *t = tape_new("rope", false);
        int pos0 = starts[_i];
        Tensor *x = INPUT(t, -1, 1, "x", 1, T, H, K), *y = op_rope(t, x, pos0, 500, f);
        for (int p = 0; p < T * H; p++)
            for (int i = 0; i < K / 2; i++) {
                double angle = (pos0 + p / H) * pow(500, -2.0 * i / K);
                int ia = p * K + (f ? 2 * i : i), ib = p * K + (f ? 2 * i + 1 : i + K / 2);
                double a = (double)x->x[ia], b = (double)x->x[ib];
                double da = (double)y->x[ia] - (a * cos(angle) - b * sin(angle));
                double db = (double)y->x[ib] - (a * sin(angle) + b * cos(angle));
                ck_assert_msg(fabs(da) < tol && fabs(db) < tol, "position %d pair %d: off by %g %g", pos0 + p / H, i,
                              da, db);
            }
        Tensor *head = op_reshape(t, x, 1, T, H, K);
        head->dim[1] = 33; /* the first 33 tokens, then the rest */
        Tensor *tail = op_reshape(t, x, 1, T, H, K);
        tail->dim[1] = T - 33;
        tail->x += 33 * H * K;
        Tensor *y0 = op_rope(t, head, pos0, 500, f), *y1 = op_rope(t, tail, pos0 + 33, 500, f);
        ck_assert(!memcmp(y0->x, y->x, 33 * H * K * sizeof(real)));
        ck_assert(!memcmp(y1->x, y->x + 33 * H * K, (T - 33) * H * K * sizeof(real)));
        tape_free(t);
    }
}
END_TEST

/* Three tables, chunks starting anywhere: row pos0 + t is added to every sequence. */
START_TEST(sinusoids_add_their_row)
{
    enum { B = 2, T = 9, D = 6 };
    const int starts[] = { 0, 1, 1000 };
    for (int kind = 0; kind < 3; kind++) {
        Tape *t = tape_new("sinusoid", false);
        Tensor *x = INPUT(t, -1, 1, "x", B, T, D), *y = op_sinusoid(t, x, (Sinusoid)kind, 100, starts[_i]);
        for (int i = 0; i < B * T * D; i++) {
            int p = starts[_i] + i / D % T, c = i % D, pair = kind == SINUSOID_PAIRS ? c / 2 : c % (D / 2);
            bool cosine = kind == SINUSOID_PAIRS ? c % 2 : c >= D / 2;
            double angle = p * pow(100, -(double)pair / (kind == SINUSOID_STRETCHED ? D / 2 - 1 : D / 2));
            double want = (double)x->x[i] + (cosine ? cos(angle) : sin(angle));
            ck_assert_double_eq_tol((double)y->x[i], want, REAL_BITS == 64 ? 1e-12 : 4e-7);
        }
        tape_free(t);
    }
}
END_TEST

/* ---- short convolution ------------------------------------------------------------------------------------------- */

/* Row i of [s0; x], or 0. */
static double extended(const Tensor *x, const Tensor *s0, int W, int b, int i, int c)
{
    int T = x->dim[1], C = x->dim[2];
    if (i >= W - 1) return (double)x->x[(b * T + i - (W - 1)) * C + c];
    if (!s0) return 0;
    return (double)s0->x[((s0->rank == 3 ? b * (W - 1) : 0) + i) * C + c];
}

static void check_conv(int T, int W, int C, int start, bool has_bias)
{
    enum { B = 2 };
    Tape *t = tape_new("conv", false);
    Tensor *x = INPUT(t, -1, 1, "x", B, T, C), *w = INPUT(t, -1, 1, "w", W, C), *bias = INPUT(t, -1, 1, "bias", C);
    Tensor *s0 = start == 2 ? INPUT(t, -1, 1, "s0", B, W - 1, C) : start ? INPUT(t, -1, 1, "s0", W - 1, C) : NULL;
    real *last = ARENA_RAW(t->arena, real, B * W * C);
    Tensor *y = op_short_conv(t, x, w, has_bias ? bias : NULL, s0, last);
    for (int b = 0; b < B; b++)
        for (int c = 0; c < C; c++) {
            for (int i = 0; i < T; i++) {
                double sum = has_bias ? (double)bias->x[c] : 0;
                for (int j = 0; j < W; j++) sum += (double)w->x[j * C + c] * extended(x, s0, W, b, i + j, c);
                near_to("short_conv", (double)y->x[(b * T + i) * C + c], sum, 1);
            }
            for (int i = 0; i < W - 1; i++)
                ck_assert((double)last[(b * (W - 1) + i) * C + c] == extended(x, s0, W, b, T + i, c));
        }
    tape_free(t);
}

START_TEST(short_conv_values)
{
    const int length[] = { 1, 2, 3, 4, 5, 33 }, width[] = { 1, 2, 4, 5 }, channels[] = { 1, 8, 19, 64 };
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 4; j++)
            for (int k = 0; k < 4; k++) check_conv(length[i], width[j], channels[k], _i, k & 1);
}
END_TEST

/* Chunks of any length through one state buffer, which the op reads and overwrites, give the bits of one pass. */
START_TEST(short_conv_in_chunks)
{
    enum { T = 23, W = 4, C = 9 };
    const int cut[] = { 0, 1, 3, 5, 6, 17, T };
    Tape *t = tape_new("chunks", false);
    Tensor *x = INPUT(t, -1, 1, "x", 1, T, C), *w = INPUT(t, -1, 1, "w", W, C);
    Tensor *whole = op_short_conv(t, x, w, NULL, NULL, NULL), *state = tape_const(t, 3, (int[]){ 1, W - 1, C });
    for (int i = 0; i + 1 < (int)(sizeof cut / sizeof *cut); i++) {
        int n = cut[i + 1] - cut[i];
        Tensor *part = TENSOR(t, 1, n, C);
        memcpy(part->x, x->x + cut[i] * C, sizeof(real) * (size_t)(n * C));
        Tensor *y = op_short_conv(t, part, w, NULL, state, state->x);
        ck_assert_msg(!memcmp(y->x, whole->x + cut[i] * C, sizeof(real) * (size_t)(n * C)), "tokens %d..%d", cut[i],
                      cut[i + 1]);
    }
    tape_free(t);
}
END_TEST

int main(void)
{
    gemm_setup();
    Suite *s = suite_create("op_values");
    TCase *tc = tcase_create("values");
    int n_maps = (int)(sizeof maps / sizeof *maps);
    tcase_set_timeout(tc, 30);
    tcase_add_loop_test(tc, maps_have_their_values, 0, n_maps);
    tcase_add_loop_test(tc, maps_hold_at_the_ends, 0, n_maps);
    tcase_add_test(tc, sums_products_broadcasts);
    tcase_add_test(tc, dropout_keeps_its_share);
    tcase_add_test(tc, rows_and_slices);
    tcase_add_test(tc, linear_adds_its_bias);
    tcase_add_loop_test(tc, norms_have_their_moments, 0, 5);
    tcase_add_loop_test(tc, cross_entropy_values, 0, 6);
    tcase_add_test(tc, cross_entropy_at_the_edges);
    tcase_add_loop_test(tc, rope_turns_by_the_position, 0, 6);
    tcase_add_loop_test(tc, sinusoids_add_their_row, 0, 3);
    tcase_add_loop_test(tc, short_conv_values, 0, 3);
    tcase_add_test(tc, short_conv_in_chunks);
    suite_add_tcase(s, tc);
    return suite_run_together(s);
}
