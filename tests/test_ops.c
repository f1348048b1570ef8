/* SPDX-License-Identifier: Apache-2.0
 * test_ops.c - gradients of the products, tables, maps, broadcasts, shapes, norms, loss, rotary positions and the short
 * convolution; and that no op of the library lacks a gradient case, here or in test_kernels.c.
 *
 * Sizes: one, odd, and past the blocks of the code (8 reals a vector, 64 and 256 rows a product, 256 logits a run, 32
 * positions an anchor).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/gradcheck.h"

#define UNUSED (void)c

static Tensor *linear(Tape *t, Tensor **in, const GradCase *c)
{
    return op_linear(t, in[0], in[1], c->in[2].name ? in[2] : NULL);
}

static Tensor *linear_t(Tape *t, Tensor **in, const GradCase *c)
{
    UNUSED;
    return op_linear_t(t, in[0], in[1]);
}

static Tensor *embed(Tape *t, Tensor **in, const GradCase *c)
{
    int id[512], B = (int)c->arg[0], T = (int)c->arg[1], C = in[0]->dim[0];
    for (int i = 0; i < B * T; i++) id[i] = (i * i + 3 * i) % C;
    return op_embed(t, id, B, T, in[0]);
}

static Tensor *gather_rows(Tape *t, Tensor **in, const GradCase *c)
{
    int row[512], n = (int)c->arg[0], rows = tensor_rows(in[0]);
    for (int i = 0; i < n; i++) row[i] = (7 * i + 2) % rows;
    return op_gather_rows(t, in[0], row, n);
}

/* clang-format off */
#define BUILD(prefix, name, ...) \
    static Tensor *prefix##name(Tape *t, Tensor **in, const GradCase *c) { UNUSED; return op_##name(t, __VA_ARGS__); }
#define MAP(name) BUILD(map_, name, in[0])
#define TWO(name) BUILD(two_, name, in[0], in[1])
#define SAME(name) BUILD(same_, name, in[0], in[0])        /* one tensor twice: its gradient has two terms */
MAP(sigmoid) MAP(tanh) MAP(silu) MAP(relu) MAP(gelu) MAP(exp) MAP(softplus) MAP(logsigmoid) MAP(mingru_g)
TWO(add) TWO(sub) TWO(mul) TWO(swiglu) TWO(add_last) TWO(mul_last) TWO(mul_rows) TWO(concat)
SAME(add) SAME(sub) SAME(mul) SAME(swiglu) SAME(concat)
    /* clang-format on */

    static Tensor *affine(Tape *t, Tensor **in, const GradCase *c)
{
    return op_affine(t, in[0], c->arg[0], c->arg[1]);
}

static Tensor *dropout(Tape *t, Tensor **in, const GradCase *c)
{
    return op_dropout(t, in[0], c->arg[0], rng_named(3, "dropout"));
}

static Tensor *reshape(Tape *t, Tensor **in, const GradCase *c)
{
    UNUSED;
    return op_sigmoid(t, op_reshape(t, in[0], 3, (int)tensor_size(in[0]) / 3));
}

static Tensor *slice(Tape *t, Tensor **in, const GradCase *c)
{
    return op_slice(t, in[0], (int)c->arg[0], (int)c->arg[1]);
}

static Tensor *rmsnorm(Tape *t, Tensor **in, const GradCase *c)
{
    return op_rmsnorm(t, in[0], c->in[1].name ? in[1] : NULL, 1e-5);
}

/* arg[0]: 0 neither, 1 w, 2 b, 3 both */
static Tensor *layernorm(Tape *t, Tensor **in, const GradCase *c)
{
    int has = (int)c->arg[0];
    return op_layernorm(t, in[0], has & 1 ? in[1] : NULL, has & 2 ? in[has - 1] : NULL, 1e-5);
}

static Tensor *l2norm(Tape *t, Tensor **in, const GradCase *c) { return op_l2norm(t, in[0], c->arg[0]); }

/* Every third row is ignored. */
static Tensor *cross_entropy(Tape *t, Tensor **in, const GradCase *c)
{
    int y[64], n = in[0]->dim[0], C = in[0]->dim[1];
    for (int i = 0; i < n; i++) y[i] = i % 3 == 2 ? IGNORE : (5 * i) % C;
    return op_cross_entropy(t, in[0], y, c->arg[0], NULL, NULL);
}

/* arg: kind, base, first position */
static Tensor *sinusoid(Tape *t, Tensor **in, const GradCase *c)
{
    return op_sinusoid(t, in[0], (Sinusoid)(int)c->arg[0], c->arg[1], (int)c->arg[2]);
}

static Tensor *rope(Tape *t, Tensor **in, const GradCase *c)
{
    return op_rope(t, in[0], (int)c->arg[0], c->arg[1], c->arg[2] != 0);
}

/* arg[0]: 1 bias, 2 s0, 3 both */
static Tensor *short_conv(Tape *t, Tensor **in, const GradCase *c)
{
    int has = (int)c->arg[0];
    return op_short_conv(t, in[0], in[1], has & 1 ? in[2] : NULL, has & 2 ? in[has] : NULL, NULL);
}

/* clang-format off */
#define MAP_ROWS(name, lo, hi) \
    GRAD("op_" #name, "one", map_##name, .in = { IN_RANGE("x", lo, hi, 1) }), \
    GRAD("op_" #name, "odd", map_##name, .in = { IN_RANGE("x", lo, hi, 2, 7, 9) })
#define TWO_ROWS(name) \
    GRAD("op_" #name, "one", two_##name, .in = { IN("a", 1), IN("b", 1) }), \
    GRAD("op_" #name, "odd", two_##name, .in = { IN("a", 2, 7, 9), IN("b", 2, 7, 9) }), \
    GRAD("op_" #name, "of itself", same_##name, .in = { IN("a", 3, 11) })
/* clang-format on */

static const GradCase cases[] = {
    GRAD("op_linear", "one", linear, .in = { IN("x", 1), IN("w", 1, 1), IN("bias", 1) }),
    GRAD("op_linear", "odd", linear, .in = { IN("x", 2, 7, 5), IN("w", 5, 9), IN("bias", 9) }),
    GRAD("op_linear", "no bias", linear, .in = { IN("x", 3, 17), IN("w", 17, 8) }),
    GRAD("op_linear", "wide", linear, .in = { IN("x", 3, 131), IN("w", 131, 5), IN("bias", 5) }),
    GRAD("op_linear", "long", linear, .in = { IN("x", 2, 133, 5), IN("w", 5, 3), IN("bias", 3) }),
    GRAD("op_linear", "256 rows and more, 64 wide", linear, .in = { IN("x", 3, 130, 64), IN("w", 64, 64) },
         .stride = 997),
    GRAD("op_linear", "96 wide", linear, .in = { IN("x", 3, 60, 96), IN("w", 96, 80), IN("bias", 80) }, .stride = 499),
    GRAD("op_linear", "no rows", linear, .in = { IN("x", 0, 5), IN("w", 5, 3), IN("bias", 3) }),
    GRAD("op_linear_t", "one", linear_t, .in = { IN("x", 1), IN("w", 1, 1) }),
    GRAD("op_linear_t", "odd", linear_t, .in = { IN("x", 2, 7, 5), IN("w", 9, 5) }),
    GRAD("op_linear_t", "wide", linear_t, .in = { IN("x", 3, 5), IN("w", 139, 5) }),
    GRAD("op_linear_t", "64 wide", linear_t, .in = { IN("x", 300, 64), IN("w", 63, 64) }, .stride = 499),
    GRAD("op_embed", "one", embed, .in = { IN("table", 1, 1) }, .arg = { 1, 1 }),
    GRAD("op_embed", "odd", embed, .in = { IN("table", 11, 9) }, .arg = { 3, 7 }),
    GRAD("op_embed", "repeats", embed, .in = { IN("table", 5, 19) }, .arg = { 7, 23 }),
    GRAD("op_gather_rows", "one", gather_rows, .in = { IN("x", 1, 1) }, .arg = { 1 }),
    GRAD("op_gather_rows", "odd", gather_rows, .in = { IN("x", 3, 5, 9) }, .arg = { 7 }),
    GRAD("op_gather_rows", "repeats", gather_rows, .in = { IN("x", 2, 3, 17) }, .arg = { 31 }),
    GRAD("op_gather_rows", "none", gather_rows, .in = { IN("x", 2, 3, 17) }, .arg = { 0 }),
    TWO_ROWS(add),
    TWO_ROWS(sub),
    TWO_ROWS(mul),
    TWO_ROWS(swiglu),
    TWO_ROWS(concat),
    GRAD("op_concat", "unequal", two_concat, .in = { IN("a", 2, 7, 9), IN("b", 2, 7, 3) }),
    GRAD("op_affine", "one", affine, .in = { IN("x", 1) }, .arg = { -2, 3 }),
    GRAD("op_affine", "odd", affine, .in = { IN("x", 2, 7, 9) }, .arg = { 0.5, -1 }),
    MAP_ROWS(sigmoid, -4, 4),
    MAP_ROWS(tanh, -3, 3),
    MAP_ROWS(silu, -4, 4),
    MAP_ROWS(relu, -1, 1),
    MAP_ROWS(gelu, -4, 4),
    MAP_ROWS(exp, -3, 3),
    MAP_ROWS(softplus, -4, 4),
    MAP_ROWS(logsigmoid, -4, 4),
    MAP_ROWS(mingru_g, -4, 4),
    GRAD("op_dropout", "one", dropout, .in = { IN("x", 1) }, .arg = { 0.5 }),
    GRAD("op_dropout", "odd", dropout, .in = { IN("x", 2, 7, 9) }, .arg = { 0.3 }),
    GRAD("op_dropout", "none dropped", dropout, .in = { IN("x", 2, 7, 9) }, .arg = { 0 }),
    GRAD("op_add_last", "one", two_add_last, .in = { IN("x", 1, 1), IN("v", 1) }),
    GRAD("op_add_last", "odd", two_add_last, .in = { IN("x", 2, 7, 9), IN("v", 9) }),
    GRAD("op_add_last", "long", two_add_last, .in = { IN("x", 33, 67), IN("v", 67) }),
    GRAD("op_mul_last", "one", two_mul_last, .in = { IN("x", 1, 1), IN("v", 1) }),
    GRAD("op_mul_last", "odd", two_mul_last, .in = { IN("x", 2, 7, 9), IN("v", 9) }),
    GRAD("op_mul_last", "long", two_mul_last, .in = { IN("x", 33, 67), IN("v", 67) }),
    GRAD("op_mul_rows", "one", two_mul_rows, .in = { IN("x", 1, 1), IN("s", 1) }),
    GRAD("op_mul_rows", "odd", two_mul_rows, .in = { IN("x", 2, 7, 9), IN("s", 2, 7) }),
    GRAD("op_mul_rows", "heads", two_mul_rows, .in = { IN("x", 2, 7, 3, 33), IN("s", 2, 7, 3, 1) }),
    GRAD("op_reshape_dims", "one", reshape, .in = { IN("x", 3) }),
    GRAD("op_reshape_dims", "odd", reshape, .in = { IN("x", 5, 3, 7) }),
    GRAD("op_slice", "one", slice, .in = { IN("x", 1) }, .arg = { 0, 1 }),
    GRAD("op_slice", "odd", slice, .in = { IN("x", 2, 7, 9) }, .arg = { 2, 5 }),
    GRAD("op_slice", "end", slice, .in = { IN("x", 3, 41) }, .arg = { 8, 33 }),
    GRAD("op_rmsnorm", "one", rmsnorm, .in = { IN_RANGE("x", 1, 2, 1), IN("w", 1) }),
    GRAD("op_rmsnorm", "odd", rmsnorm, .in = { IN("x", 2, 7, 9), IN("w", 9) }),
    GRAD("op_rmsnorm", "no w, heads", rmsnorm, .in = { IN("x", 2, 5, 3, 33) }),
    GRAD("op_rmsnorm", "wide", rmsnorm, .in = { IN("x", 3, 130), IN("w", 130) }),
    GRAD("op_layernorm", "one", layernorm, .in = { IN("x", 1), IN("w", 1), IN("b", 1) }, .arg = { 3 }),
    GRAD("op_layernorm", "odd", layernorm, .in = { IN("x", 2, 7, 9), IN("w", 9), IN("b", 9) }, .arg = { 3 }),
    GRAD("op_layernorm", "w", layernorm, .in = { IN("x", 2, 3, 8), IN("w", 8) }, .arg = { 1 }),
    GRAD("op_layernorm", "neither, wide", layernorm, .in = { IN("x", 3, 130) }),
    GRAD("op_l2norm", "one", l2norm, .in = { IN_RANGE("x", 0.5, 1, 1) }, .arg = { 0.3 }),
    GRAD("op_l2norm", "odd", l2norm, .in = { IN("x", 2, 7, 3, 5) }, .arg = { 1e-6 }),
    GRAD("op_l2norm", "wide", l2norm, .in = { IN("x", 3, 67) }, .arg = { 1e-6 }),
    GRAD("op_cross_entropy", "one", cross_entropy, .in = { IN("logits", 1, 1) }, .arg = { 1 }),
    GRAD("op_cross_entropy", "odd", cross_entropy, .in = { IN_RANGE("logits", -5, 5, 7, 11) }, .arg = { 0.25 }),
    GRAD("op_cross_entropy", "many classes", cross_entropy, .in = { IN_RANGE("logits", -3, 3, 4, 523) }, .arg = { 3 }),
    GRAD("op_cross_entropy", "no rows", cross_entropy, .in = { IN("logits", 0, 11) }, .arg = { 1 }),
    GRAD("op_sinusoid", "one", sinusoid, .in = { IN("x", 1, 1, 2) }, .arg = { 2, 10000, 0 }),
    GRAD("op_sinusoid", "odd", sinusoid, .in = { IN("x", 2, 7, 6) }, .arg = { 0, 100, 33 }),
    GRAD("op_rope", "one", rope, .in = { IN("x", 1, 1, 1, 2) }, .arg = { 5, 10000, 0 }),
    GRAD("op_rope", "half", rope, .in = { IN("x", 2, 7, 3, 6) }, .arg = { 0, 10000, 0 }),
    GRAD("op_rope", "pairs", rope, .in = { IN("x", 2, 7, 3, 6) }, .arg = { 0, 10000, 1 }),
    GRAD("op_rope", "half, long", rope, .in = { IN("x", 1, 71, 1, 18) }, .arg = { 1000, 500000, 0 }),
    GRAD("op_rope", "pairs, long", rope, .in = { IN("x", 1, 71, 1, 18) }, .arg = { 31, 100, 1 }),
    GRAD("op_short_conv", "one", short_conv, .in = { IN("x", 1, 1, 1), IN("w", 1, 1), IN("bias", 1) }, .arg = { 1 }),
    GRAD("op_short_conv", "odd", short_conv, .in = { IN("x", 2, 7, 9), IN("w", 4, 9), IN("bias", 9) }, .arg = { 1 }),
    GRAD("op_short_conv", "no bias", short_conv, .in = { IN("x", 2, 7, 33), IN("w", 3, 33) }),
    GRAD("op_short_conv", "start", short_conv,
         .in = { IN("x", 2, 7, 9), IN("w", 4, 9), IN("bias", 9), IN("s0", 2, 3, 9) }, .arg = { 3 }),
    GRAD("op_short_conv", "shared start", short_conv, .in = { IN("x", 3, 7, 17), IN("w", 4, 17), IN("s0", 3, 17) },
         .arg = { 2 }),
    GRAD("op_short_conv", "shorter than the filter", short_conv,
         .in = { IN("x", 2, 2, 9), IN("w", 5, 9), IN("bias", 9), IN("s0", 2, 4, 9) }, .arg = { 3 }),
    GRAD("op_short_conv", "one token, zeros before", short_conv, .in = { IN("x", 2, 1, 9), IN("w", 4, 9) }),
    GRAD("op_short_conv", "long", short_conv, .in = { IN("x", 2, 67, 16), IN("w", 4, 16), IN("bias", 16) },
         .arg = { 1 }),
};

/* ---- every op has a case ----------------------------------------------------------------------------------------- */

/* The lines a command prints that start with `op_` after an optional prefix, in order; returns their number. */
static int op_lines(const char *command, char names[][64], int max)
{
    FILE *f = popen(command, "r");
    char line[512];
    int n = 0;
    ck_assert_msg(f != NULL, "cannot run %s", command);
    while (fgets(line, sizeof line, f)) {
        const char *op = strstr(line, "op_");
        if (!op || n == max || (op > line && op[-1] != ' ')) continue;
        snprintf(names[n++], 64, "%.*s", (int)strcspn(op, " \n"), op);
    }
    ck_assert_msg(pclose(f) == 0, "failed: %s", command);
    return n;
}

START_TEST(every_op_has_a_gradient_case)
{
    static char symbols[256][64], tested[2048][64];
    char command[4200];
    const char *programs[] = { "ops.64", "kernels.64" };
    snprintf(command, sizeof command, "nm --defined-only '%s/libseqprobe64.a' 2>/dev/null | grep ' T op_'",
             gradcheck_build_dir());
    int n = op_lines(command, symbols, 256), covered = 0;
    for (int i = 0; i < 2; i++) {
        snprintf(command, sizeof command, "'%s/tests/%s' --list", gradcheck_build_dir(), programs[i]);
        covered += op_lines(command, tested + covered, 2048 - covered);
    }
    ck_assert_int_gt(n, 30);
    for (int i = 0; i < n; i++) {
        bool found = false;
        for (int j = 0; j < covered && !found; j++) found = !strcmp(symbols[i], tested[j]);
        ck_assert_msg(found, "%s has no gradient case in test_ops.c or test_kernels.c", symbols[i]);
    }
}
END_TEST

static void more(Suite *s)
{
    TCase *tc = tcase_create("coverage");
    tcase_add_test(tc, every_op_has_a_gradient_case);
    suite_add_tcase(s, tc);
}

int main(int argc, char **argv)
{
    return gradcheck_main(argc, argv, "ops", cases, (int)(sizeof cases / sizeof *cases), more);
}
