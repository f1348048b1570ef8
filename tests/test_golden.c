/* SPDX-License-Identifier: Apache-2.0
 * test_golden.c - every op and mixer core against float64 data computed elsewhere, outputs and gradients.
 *
 * usage: golden [DIR...]        folders whose subfolders are cases; default: those in GOLDEN_DIRS, else tests/golden
 * Prints one line per case with its worst relative error. Fails on any mismatch, and when no case passed.
 */
#include <check.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/golden.h"

enum { CASES_MAX = 4096 };

static struct {
    Arena *arena;
    int n;
    const char *dir[CASES_MAX];
    Golden result[CASES_MAX];
} cases;

static double tolerance(void) { return sizeof(real) == sizeof(double) ? 1e-9 : 1e-4; }

static int by_name(const void *a, const void *b) { return strcmp(*(const char *const *)a, *(const char *const *)b); }

static void find_cases(const char *root)
{
    DIR *d = opendir(root);
    if (!d) {
        fprintf(stderr, "golden: cannot open folder %s\n", root);
        exit(EXIT_FAILED);
    }
    int first = cases.n;
    for (struct dirent *e; (e = readdir(d));) {
        const char *dir = path_join(cases.arena, root, e->d_name);
        if (e->d_name[0] == '.' || !file_exists(path_join(cases.arena, dir, "case.yaml"))) continue;
        CHECK(cases.n < CASES_MAX, "more than %d cases", CASES_MAX);
        cases.dir[cases.n++] = dir;
    }
    closedir(d);
    qsort(cases.dir + first, (size_t)(cases.n - first), sizeof *cases.dir, by_name);
}

/* The folders of a list separated by blanks. */
static void find_listed(const char *list)
{
    char *text = arena_strdup(cases.arena, list && *list ? list : "tests/golden"), *rest = NULL;
    for (char *dir = strtok_r(text, " ", &rest); dir; dir = strtok_r(NULL, " ", &rest)) find_cases(dir);
}

START_TEST(test_case)
{
    Golden *g = &cases.result[_i];
    Err err = { 0 };
    ck_assert_msg(golden_open(cases.dir[_i], cases.arena, g, &err), "%s", err.msg);
    golden_run(g, tolerance());
    ck_assert_msg(g->status != GOLDEN_FAILED, "%s: %s, error %.3g", g->name, g->why, g->worst);
}
END_TEST

static void check_notices(int i, const char *array)
{
    Arena *a = arena_new("disturbed");
    Golden g;
    Err err = { 0 };
    ck_assert_msg(golden_open(cases.dir[i], a, &g, &err), "%s", err.msg);
    g.disturb = array;
    golden_run(&g, tolerance());
    ck_assert_msg(g.status == GOLDEN_FAILED, "%s passes with a wrong %s", g.name, array);
    arena_free(a);
}

/* The harness must be able to fail: one wrong number in any output or gradient is noticed. */
START_TEST(test_notices_errors)
{
    const Golden *g = &cases.result[_i];
    if (!g->op || g->status != GOLDEN_PASSED) return;
    const Value *outputs = value_get(g->yaml, "outputs"), *grads = value_get(g->yaml, "grads");
    for (const Value *v = outputs->first; v; v = v->next) check_notices(_i, v->text);
    for (const Value *v = grads->first; v; v = v->next)
        check_notices(_i, arena_printf(cases.arena, "grad_%s", v->text));
}
END_TEST

START_TEST(test_some_passed)
{
    int passed = 0;
    for (int i = 0; i < cases.n; i++) passed += cases.result[i].op && cases.result[i].status == GOLDEN_PASSED;
    ck_assert_msg(passed > 0, "none of %d cases passed", cases.n);
}
END_TEST

static void report(void)
{
    static const char *const word[] = { "passed", "FAILED", "unsupported" };
    int count[3] = { 0 };
    const Golden *worst = NULL;
    for (int i = 0; i < cases.n; i++) {
        const Golden *g = &cases.result[i];
        if (!g->op) continue; /* unreadable: already reported */
        count[g->status]++;
        if (g->status == GOLDEN_UNSUPPORTED) {
            printf("%-11s %-24s %s\n", word[g->status], g->op, g->name);
            continue;
        }
        printf("%-11s %-24s %-28s %.2e %s\n", word[g->status], g->op, g->name, g->worst,
               g->worst_name ? g->worst_name : "");
        if (!worst || g->worst > worst->worst) worst = g;
    }
    if (worst)
        printf("worst: %.2e relative (%s, %s), allowed %.0e\n", worst->worst, worst->name, worst->worst_name,
               tolerance());
    printf("golden: %d passed, %d failed, %d unsupported\n", count[0], count[1], count[2]);
}

int main(int argc, char **argv)
{
    cases.arena = arena_new("golden");
    for (int i = 1; i < argc; i++) find_cases(argv[i]);
    if (argc < 2) find_listed(getenv("GOLDEN_DIRS"));
    Suite *s = suite_create("golden");
    TCase *each = tcase_create("cases"), *all = tcase_create("all");
    tcase_add_loop_test(each, test_case, 0, cases.n);
    tcase_add_loop_test(all, test_notices_errors, 0, cases.n);
    tcase_add_test(all, test_some_passed);
    tcase_set_timeout(all, 120);
    suite_add_tcase(s, each);
    suite_add_tcase(s, all);
    SRunner *r = srunner_create(s);
    srunner_set_fork_status(r, CK_NOFORK); /* results are gathered in this process */
    srunner_run_all(r, CK_NORMAL);
    report();
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    arena_free(cases.arena);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
