/* SPDX-License-Identifier: Apache-2.0
 * test_fuzz.c - the stored inputs of tests/fuzz/corpus/ through the fuzzers' entry points, without libFuzzer. Every
 * input that ever crashed a reader is among them.
 */
#include <check.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "fuzz/fuzz.h"
#include "support/suite.h"

static const struct {
    const char *name;
    void (*entry)(const unsigned char *data, size_t len);
} targets[] = {
    { "config", fuzz_config }, { "npy", fuzz_npy }, { "csv", fuzz_csv }, { "checkpoint", fuzz_checkpoint }
};
enum { TARGETS = sizeof targets / sizeof *targets };

static void feed(int target, const char *dir)
{
    Arena *a = arena_new("corpus");
    const char *path = path_join(a, dir, targets[target].name);
    DIR *d = opendir(path);
    int n = 0;
    ck_assert_msg(d != NULL, "no %s: run from the top folder", path);
    for (struct dirent *e; (e = readdir(d));) {
        char *data;
        size_t len;
        Err err = { 0 };
        if (e->d_name[0] == '.') continue;
        ck_assert_msg(file_read(path_join(a, path, e->d_name), 1 << 20, a, &data, &len, &err), "%s", err.msg);
        targets[target].entry((const unsigned char *)data, len);
        n++;
    }
    closedir(d);
    arena_free(a);
    ck_assert_int_gt(n, 0);
}

START_TEST(corpus) { feed(_i, "tests/fuzz/corpus"); }
END_TEST

/* Nothing, and nothing but one byte. */
START_TEST(tiny)
{
    targets[_i].entry(NULL, 0);
    for (int c = 0; c < 256; c++) targets[_i].entry(&(unsigned char){ (unsigned char)c }, 1);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("fuzz");
    TCase *c = tcase_create("fuzz");
    tcase_set_timeout(c, 60);
    tcase_add_loop_test(c, tiny, 0, TARGETS);
    tcase_add_loop_test(c, corpus, 0, TARGETS);
    suite_add_tcase(s, c);
    return suite_run(s);
}
