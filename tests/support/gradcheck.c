/* SPDX-License-Identifier: Apache-2.0
 * gradcheck.c - see gradcheck.h. */
#include "gradcheck.h"
#include "suite.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Everything a case computes: the output, then the gradient of every input, in double, one after another. */
typedef struct {
    double *x;
    size_t n, n_out;
} Result;
typedef struct {
    Arena *arena;
    Tensor *in[GRAD_IN_MAX];
    int n_in;
    real *copy[GRAD_IN_MAX];
    const GradCase *c;
} Setup;

/* What the forked tests of one program share; written by gradcheck_main before they run. */
static struct {
    const GradCase *cases;
    Result *reference; /* float build: the double program's results, or NULL */
    Arena *arena;
    char build_dir[4096];
} run;

static const char *label(const GradCase *c)
{
    static _Thread_local char name[256];
    snprintf(name, sizeof name, "%s%s%s", c->op, c->variant ? ", " : "", c->variant ? c->variant : "");
    return name;
}

void gradcheck_fill(real *x, size_t n, double lo, double hi, const char *stream)
{
    Rng rng = rng_named(20, stream);
    for (size_t i = 0; i < n; i++) x[i] = (real)(float)(lo + (hi - lo) * rng_uniform(&rng));
}

static Setup setup(const GradCase *c)
{
    Setup s = { .arena = arena_new("gradcheck"), .c = c };
    for (; s.n_in < GRAD_IN_MAX && c->in[s.n_in].name; s.n_in++) {
        const GradIn *in = &c->in[s.n_in];
        Tensor *t = s.in[s.n_in] = ARENA_NEW(s.arena, Tensor, 1);
        t->rank = in->rank;
        memcpy(t->dim, in->dim, sizeof t->dim);
        size_t n = tensor_size(t);
        t->x = ARENA_RAW(s.arena, real, n);
        t->g = ARENA_RAW(s.arena, real, n);
        bool unset = in->lo == in->hi;
        char stream[512];
        snprintf(stream, sizeof stream, "%s/%s", label(c), in->name);
        gradcheck_fill(t->x, n, unset ? -1 : in->lo, unset ? 1 : in->hi, stream);
        s.copy[s.n_in] = ARENA_RAW(s.arena, real, n);
        memcpy(s.copy[s.n_in], t->x, n * sizeof(real));
    }
    return s;
}

static double start_gradient(size_t i) { return 0.25 + 0.125 * (double)(i % 3); }

static void back_cotangent(Node *n)
{
    const real *cot = n->saved;
    for (size_t i = 0, size = tensor_size(n->out); n->in[0]->g && i < size; i++)
        n->in[0]->g[i] += cot[i] * n->out->g[i];
}

static real *cotangent(Arena *a, const GradCase *c, size_t n)
{
    char stream[512];
    real *cot = ARENA_RAW(a, real, n);
    snprintf(stream, sizeof stream, "%s/cotangent", label(c));
    gradcheck_fill(cot, n, -1, 1, stream);
    return cot;
}

/* Forward and backward; gradients start from start_gradient, which is taken off again, so that = for += is seen. The
 * input `without` (or -1) gets no gradient. */
static Result evaluate(Setup *s, int without)
{
    Tape *t = tape_new("gradcheck", true);
    Tensor view[GRAD_IN_MAX], *in[GRAD_IN_MAX];
    size_t n = 0;
    for (int i = 0; i < s->n_in; i++) {
        in[i] = &view[i];
        view[i] = *s->in[i];
        if (i == without) view[i].g = NULL;
        for (size_t j = 0, size = tensor_size(s->in[i]); j < size; j++, n++) s->in[i]->g[j] = (real)start_gradient(j);
    }
    Tensor *y = s->c->build(t, in, s->c);
    Result r = { .n_out = tensor_size(y) };
    r.n = n + r.n_out;
    r.x = ARENA_NEW(s->arena, double, r.n);
    Tensor *z = tape_like(t, y);
    memcpy(z->x, y->x, r.n_out * sizeof(real));
    tape_push(t, "cotangent", back_cotangent, z, cotangent(s->arena, s->c, r.n_out), 1, &y);
    tape_backward(t, z);
    size_t at = 0;
    for (; at < r.n_out; at++) r.x[at] = (double)y->x[at];
    for (int i = 0; i < s->n_in; i++)
        for (size_t j = 0, size = tensor_size(s->in[i]); j < size; j++)
            r.x[at++] = i == without ? 0 : (double)s->in[i]->g[j] - start_gradient(j);
    tape_free(t);
    return r;
}

/* sum(cot * (output at x + h - output at x - h)) / 2h, differences first: untouched outputs cancel exactly. */
static double central_difference(Setup *s, Tape *t, real *x, const real *cot)
{
    const double h = 1e-5;
    const real kept = *x;
    tape_reset(t);
    *x = (real)((double)kept + h);
    double up = (double)*x;
    Tensor *y = s->c->build(t, s->in, s->c);
    size_t n = tensor_size(y);
    real *a = ARENA_RAW(t->arena, real, n); /* a copy: an op may return its input */
    memcpy(a, y->x, n * sizeof(real));
    *x = (real)((double)kept - h);
    double width = up - (double)*x, sum = 0;
    y = s->c->build(t, s->in, s->c);
    for (size_t i = 0; i < n; i++) sum += (double)cot[i] * ((double)a[i] - (double)y->x[i]);
    *x = kept;
    return sum / width;
}

double gradcheck(const GradCase *c, const char **where)
{
    static _Thread_local char text[512];
    Setup s = setup(c);
    Result r = evaluate(&s, -1);
    const real *cot = cotangent(s.arena, c, r.n_out);
    Tape *t = tape_new("differences", false);
    double worst = 0;
    const double *grad = r.x + r.n_out;
    snprintf(text, sizeof text, "%s", label(c));
    for (int i = 0; i < s.n_in; i++) {
        size_t n = tensor_size(s.in[i]), stride = c->stride > 1 ? (size_t)c->stride : 1;
        double top = 0;
        for (size_t j = 0; j < n; j++) top = fmax(top, fabs(grad[j]));
        for (size_t j = 0; j < n; j += stride) {
            double d = central_difference(&s, t, &s.in[i]->x[j], cot);
            double err = fabs(grad[j] - d) / fmax(fmax(fabs(grad[j]), fabs(d)), fmax(0.01 * top, 1e-3));
            if (err <= worst) continue; /* NaN is worse than anything */
            worst = err;
            snprintf(text, sizeof text, "%s: d%s[%zu] = %.12g, difference %.12g", label(c), c->in[i].name, j, grad[j],
                     d);
            if (isnan(worst)) break;
        }
        if (isnan(worst)) break;
        grad += n;
    }
    tape_free(t);
    arena_free(s.arena);
    if (where) *where = text;
    return worst;
}

/* ---- properties of every case, in both builds -------------------------------------------------------------------- */

static void check_properties(const GradCase *c)
{
    Setup s = setup(c);
    Result all = evaluate(&s, -1);
    for (size_t i = 0; i < all.n; i++) ck_assert_msg(isfinite(all.x[i]), "%s: result %zu is not finite", label(c), i);
    size_t at = all.n_out;
    for (int i = 0; i < s.n_in; i++) {
        size_t n = tensor_size(s.in[i]);
        Result r = evaluate(&s, i);
        memcpy(r.x + at, all.x + at, n * sizeof(double));
        ck_assert_msg(!memcmp(r.x, all.x, all.n * sizeof(double)), "%s: without a gradient of %s the others change",
                      label(c), c->in[i].name);
        at += n;
    }
    Tape *t = tape_new("no gradients", false);
    Tensor *y = c->build(t, s.in, c);
    ck_assert_msg(!t->last, "%s: a node on a tape without gradients", label(c));
    ck_assert_uint_eq(tensor_size(y), all.n_out);
    for (size_t i = 0; i < all.n_out; i++)
        ck_assert_msg((double)y->x[i] == all.x[i], "%s: output %zu differs without gradients", label(c), i);
    for (int i = 0; i < s.n_in; i++)
        ck_assert_msg(!memcmp(s.in[i]->x, s.copy[i], tensor_size(s.in[i]) * sizeof(real)), "%s: %s was written to",
                      label(c), c->in[i].name);
    tape_free(t);
    arena_free(s.arena);
}

/* ---- float against double ---------------------------------------------------------------------------------------- */

static void dump(const GradCase *cases, int n)
{
    for (int i = 0; i < n; i++) {
        Setup s = setup(&cases[i]);
        Result r = evaluate(&s, -1);
        uint64_t head[2] = { fnv1a64(label(&cases[i])), r.n };
        fwrite(head, sizeof head, 1, stdout);
        fwrite(r.x, sizeof(double), r.n, stdout);
        arena_free(s.arena);
    }
}

#if REAL_BITS == 32
/* Run the double program beside this one and keep what it dumps; NULL where there is none. */
static Result *read_reference(const char *self, const GradCase *cases, int n, Arena *a)
{
    char path[4096], command[4200];
    snprintf(path, sizeof path, "%s", self);
    size_t len = strlen(path);
    if (len < 3 || strcmp(path + len - 3, ".32") != 0) return NULL;
    memcpy(path + len - 3, ".64", 3);
    if (access(path, X_OK) != 0) return NULL;
    snprintf(command, sizeof command, "'%s' --dump", path);
    FILE *f = popen(command, "r");
    if (!f) return NULL;
    Result *r = ARENA_NEW(a, Result, n);
    for (int i = 0; i < n; i++) {
        uint64_t head[2] = { 0, 0 };
        bool same = fread(head, sizeof head, 1, f) == 1 && head[0] == fnv1a64(label(&cases[i]));
        CHECK(same, "%s is not of these sources: make it again (at %s)", path, label(&cases[i]));
        r[i].n = head[1];
        r[i].x = ARENA_NEW(a, double, r[i].n);
        CHECK(fread(r[i].x, sizeof(double), r[i].n, f) == r[i].n, "%s: short output", path);
    }
    pclose(f);
    return r;
}

static void compare(const GradCase *c, const char *what, const double *x, const double *want, size_t n)
{
    double top = 0, tol = c->tol32 > 0 ? c->tol32 : 1e-4;
    for (size_t i = 0; i < n; i++) top = fmax(top, fabs(want[i]));
    for (size_t i = 0; i < n; i++) {
        double err = fabs(x[i] - want[i]), limit = tol * fmax(fabs(want[i]), fmax(0.1 * top, 1e-3));
        ck_assert_msg(err <= limit, "%s: %s[%zu] = %.9g in float, %.9g in double", label(c), what, i, x[i], want[i]);
    }
}

static void check_float(int i)
{
    const GradCase *c = &run.cases[i];
    if (!run.reference) return;
    Setup s = setup(c);
    Result r = evaluate(&s, -1), want = run.reference[i];
    ck_assert_uint_eq(r.n, want.n);
    compare(c, "output", r.x, want.x, r.n_out);
    size_t at = r.n_out;
    for (int k = 0; k < s.n_in; at += tensor_size(s.in[k]), k++) {
        char what[128];
        snprintf(what, sizeof what, "d%s", c->in[k].name);
        compare(c, what, r.x + at, want.x + at, tensor_size(s.in[k]));
    }
    arena_free(s.arena);
}
#endif

/* ---- the program ------------------------------------------------------------------------------------------------- */

START_TEST(gradient_case)
{
    const GradCase *c = &run.cases[_i];
    check_properties(c);
#if REAL_BITS == 64
    const char *where;
    double err = gradcheck(c, &where);
    ck_assert_msg(err < 1e-6, "relative error %.2g: %s", err, where);
#else
    check_float(_i);
#endif
}
END_TEST

const char *gradcheck_build_dir(void) { return run.build_dir; }

static void find_build_dir(const char *self)
{
    const char *build = getenv("BUILD");
    char dir[2048];
    snprintf(dir, sizeof dir, "%s", self);
    char *slash = strrchr(dir, '/');
    if (slash) *slash = 0;
    if (build)
        snprintf(run.build_dir, sizeof run.build_dir, "%s", build);
    else
        snprintf(run.build_dir, sizeof run.build_dir, "%s/..", slash ? dir : ".");
}

/* The worst error of the table: what a report of a change quotes. */
static void print_worst(const GradCase *cases, int n)
{
    double worst = 0;
    const GradCase *at = cases;
    for (int i = 0; i < n && REAL_BITS == 64; i++) {
        double err = gradcheck(&cases[i], NULL);
        if (err <= worst) continue;
        worst = err;
        at = &cases[i];
    }
    printf("worst: %.3g relative (%s), %d cases\n", worst, label(at), n);
}

int gradcheck_main(int argc, char **argv, const char *suite, const GradCase *cases, int n, void (*more)(Suite *s))
{
    gemm_setup();
    real_setup();
    if (argc == 2 && !strcmp(argv[1], "--list")) {
        for (int i = 0; i < n; i++) puts(cases[i].op);
        return EXIT_SUCCESS;
    }
    if (argc == 2 && !strcmp(argv[1], "--dump")) {
        dump(cases, n);
        return EXIT_SUCCESS;
    }
    if (argc == 2 && !strcmp(argv[1], "--worst")) {
        print_worst(cases, n);
        return EXIT_SUCCESS;
    }
    run.cases = cases;
    run.arena = arena_new("reference");
    find_build_dir(argv[0]);
#if REAL_BITS == 32
    run.reference = read_reference(argv[0], cases, n, run.arena);
    CHECK(run.reference || !getenv("BUILD"), "no double program beside %s", argv[0]);
    if (!run.reference) printf("skipped: float against double, no double program beside %s\n", argv[0]);
#endif
    Suite *s = suite_create(suite);
    TCase *tc = tcase_create("gradients");
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, gradient_case, 0, n);
    suite_add_tcase(s, tc);
    if (more) more(s);
    const int code = suite_run_together(s);
    arena_free(run.arena);
    return code;
}
