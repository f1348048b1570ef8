/* SPDX-License-Identifier: Apache-2.0
 * test_manifest.c - the parameter table of manifest.json, its warnings, and JSON text. */
#include "support/suite.h"
#include "train/manifest.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"

static Arena *arena;
static void start(void) { arena = arena_new("test"); }
static void stop(void) { arena_free(arena); }

static const char *text(const char *s)
{
    Buf b = buf_new(arena);
    json_text(&b, s);
    return b.s;
}

START_TEST(json_strings)
{
    static const char *const cases[][2] = {
        { "", "\"\"" },
        { "a \"b\" \\", "\"a \\\"b\\\" \\\\\"" },
        { "tab\tnl\n\x7f", "\"tab\\u0009nl\\u000a\\u007f\"" },
        { "delta_net ±", "\"delta_net ±\"" },
        { "€ \xf0\x9d\x84\x9e", "\"€ \xf0\x9d\x84\x9e\"" },
        { "x\xff\xc3", "\"x\\ufffd\\ufffd\"" },          /* no character; half of one */
        { "\xc0\xaf", "\"\\ufffd\\ufffd\"" },            /* overlong */
        { "\xed\xa0\x80", "\"\\ufffd\\ufffd\\ufffd\"" }, /* a surrogate */
        { "\xf4\x90\x80\x80", "\"\\ufffd\\ufffd\\ufffd\\ufffd\"" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) ck_assert_str_eq(text(cases[i][0]), cases[i][1]);
    Buf b = buf_new(arena);
    json_real(&b, 0.1);
    buf_puts(&b, " ");
    json_real(&b, (double)NAN);
    buf_puts(&b, " ");
    json_real(&b, (double)INFINITY);
    ck_assert_str_eq(b.s, "0.1 null null");
}
END_TEST

/* Initialisers of a fake mixer: one that does nothing, as in a launcher that forgot to call it; one that works. */
static void forgotten(real *x, const int *dim, int rank, double a, double b, Rng *rng)
{
    (void)x, (void)dim, (void)rank, (void)a, (void)b, (void)rng;
}
static void ramp(real *x, const int *dim, int rank, double a, double b, Rng *rng)
{
    (void)rank, (void)a, (void)b, (void)rng;
    for (int i = 0; i < dim[0]; i++) x[i] = (real)i;
}
static void broken(real *x, const int *dim, int rank, double a, double b, Rng *rng)
{
    ramp(x, dim, rank, a, b, rng);
    x[1] = (real)NAN;
}

static Params *fake_params(void)
{
    Params *p = params_new(arena, LINEAR_FAN_IN_NORMAL, 1);
    param(p, "w", INIT_LINEAR, 4, 4);
    param(p, "a_log", INIT_FN(forgotten, 0, 16), 4);
    param(p, "dt_bias", INIT_FN(ramp, 0, 0), 4);
    param(p, "bias", INIT_CONST(-1), 3);
    param(p, "one", INIT_FN(forgotten, 0, 0), 1); /* a single number is constant always */
    param(p, "narrow", INIT_NORMAL(0), 2);
    param(p, "narrow2", INIT_UNIFORM(2, 2), 2);
    params_finish(p, 1);
    return p;
}

START_TEST(statistics)
{
    ParamStats s;
    Params *p = fake_params();
    param_stats(params_find(p, "dt_bias"), &s);
    ck_assert_double_eq(s.mean, 1.5);
    ck_assert_double_eq_tol(s.std, sqrt(1.25), 1e-12);
    ck_assert_double_eq(s.min, 0);
    ck_assert_double_eq(s.max, 3);
    ck_assert(!s.constant && !s.declared);
    param_stats(params_find(p, "bias"), &s);
    ck_assert_double_eq(s.mean, -1);
    ck_assert_double_eq(s.std, 0);
    ck_assert(s.constant && s.declared);
    param_stats(params_find(p, "a_log"), &s);
    ck_assert(s.constant && !s.declared);
    param_stats(params_find(p, "one"), &s);
    ck_assert(!s.constant);
}
END_TEST

static int warnings;
static const char *warning;

/* Also reads the warnings back. */
static char *written(const Manifest *m)
{
    char folder[] = "/tmp/test_manifest.XXXXXX", *out;
    Err err = { 0 };
    ck_assert_ptr_nonnull(mkdtemp(folder));
    ck_assert_msg(manifest_write(m, folder, &err), "%s", err.msg);
    ck_assert(file_read(path_join(arena, folder, "manifest.json"), 1 << 20, arena, &out, NULL, &err));
    warnings = manifest_warnings(folder, arena, &warning);
    ck_assert_int_eq(system(arena_printf(arena, "rm -r '%s'", folder)), 0);
    return out;
}

START_TEST(constant_parameters)
{
    RunSpec spec = { .id = "r000000000000" };
    Manifest *m = manifest_open(&spec, fake_params(), arena);
    ck_assert_int_eq(m->warnings, 1);
    ck_assert_str_eq(m->warning[0], "parameter a_log (4) starts at 0 everywhere, though its law is not a constant: "
                                    "did its initialiser run?");
    manifest_warn(m, "a \"second\" \\ one\t, [x]");
    m->command = "seqprobe run 'a b.yaml'";
    const char *s = written(m);
    ck_assert_ptr_nonnull(strstr(s, "  \"warnings\": [\"parameter a_log (4)"));
    ck_assert_ptr_nonnull(strstr(s, "  \"declared_constant\": [\"bias\", \"narrow\", \"narrow2\"],\n"));
    ck_assert_ptr_nonnull(strstr(s, "{\"name\": \"dt_bias\", \"shape\": [4], \"offset\": 20, \"init\": \"function\", "
                                    "\"init_mean\": 1.5, \"init_std\": 1.11803399, \"init_min\": 0, \"init_max\": 3}"));
    ck_assert_ptr_nonnull(strstr(s, "  \"ended\": null,\n  \"resumed\": 0,\n"));
    ck_assert_ptr_nonnull(strstr(s, "  \"command\": \"seqprobe run 'a b.yaml'\",\n"));
    ck_assert_int_eq(warnings, 2);
    ck_assert_str_eq(warning, m->warning[0]);
    m->warning[0] = m->warning[1];
    m->resumed = 2;
    manifest_end(m);
    s = written(m);
    ck_assert_ptr_nonnull(strstr(s, "Z\",\n  \"ended\": \"20"));
    ck_assert_ptr_nonnull(strstr(s, "  \"resumed\": 2,\n"));
    ck_assert_str_eq(warning, "a \"second\" \\ one\t, [x]");
    m->warnings = 0;
    written(m);
    ck_assert_int_eq(warnings, 0);
    ck_assert_int_eq(manifest_warnings("/nonexistent", arena, &warning), 0);
}
END_TEST

START_TEST(parameters_not_finite)
{
    RunSpec spec = { .id = "r000000000000" };
    Params *p = params_new(arena, LINEAR_FAN_IN_NORMAL, 1);
    param(p, "gate", INIT_FN(broken, 0, 0), 3);
    params_finish(p, 1);
    Manifest *m = manifest_open(&spec, p, arena);
    ck_assert_int_eq(m->warnings, 1);
    ck_assert_str_eq(m->warning[0], "parameter gate (3) starts with values that are not finite");
    for (int i = 0; i < 2 * WARNINGS_MAX; i++) manifest_warn(m, "w%d", i);
    ck_assert_int_eq(m->warnings, WARNINGS_MAX);
    ck_assert_str_eq(m->warning[WARNINGS_MAX - 1], "and others, see log.txt");
}
END_TEST

/* One slice of `n` examples of ten positions each, `right` of them answered. */
static int warnings_for(int n, int right)
{
    static Slice slice = { .name = "x4", .shape = { .chance_majority = 0.5 } };
    RunSpec spec = { .id = "r000000000000", .n_slices = 1, .slices = &slice };
    Params *p = params_new(arena, LINEAR_FAN_IN_NORMAL, 1);
    params_finish(p, 1);
    Manifest *m = manifest_open(&spec, p, arena);
    Score score = score_new(2, 10, arena);
    for (int i = 0; i < n; i++) {
        int target[10] = { 0 }, pred[10];
        for (int t = 0; t < 10; t++) pred[t] = i < right ? 0 : 1;
        score_add(&score, target, pred, NULL, 10);
    }
    RunResult r = { .spec = &spec, .n_slices = 1, .test = &score };
    manifest_check(m, &r);
    if (m->warnings) ck_assert_ptr_nonnull(strstr(m->warning[0], "slice x4: acc_token 0."));
    return m->warnings;
}

START_TEST(below_chance)
{
    ck_assert_int_eq(warnings_for(100, 50), 0);
    ck_assert_int_eq(warnings_for(100, 36), 0); /* the standard error is 0.05 */
    ck_assert_int_eq(warnings_for(100, 34), 1);
    ck_assert_int_eq(warnings_for(100, 100), 0);
    ck_assert_int_eq(warnings_for(4, 0), 0); /* two errors of 0.25 */
    ck_assert_int_eq(warnings_for(0, 0), 0);
}
END_TEST

int main(void)
{
    if (!freopen("/dev/null", "w", stderr)) return EXIT_FAILURE; /* the warnings */
    Suite *s = suite_create("manifest");
    TCase *c = tcase_create("manifest");
    tcase_add_checked_fixture(c, start, stop);
    tcase_add_test(c, json_strings);
    tcase_add_test(c, statistics);
    tcase_add_test(c, constant_parameters);
    tcase_add_test(c, parameters_not_finite);
    tcase_add_test(c, below_chance);
    suite_add_tcase(s, c);
    return suite_run(s);
}
