/* SPDX-License-Identifier: Apache-2.0
 * test_yaml.c - YAML into values: canonical text of what is read, places, and the exact message of every fault.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/yaml.h"
#include "support/suite.h"

static Arena *arena;
static void setup(void) { arena = arena_new("test"); }
static void teardown(void) { arena_free(arena); }

typedef struct Case {
    const char *text, *want;
} Case;

static const Case good[] = {
    { "a: 1", "{a: 1}" },
    { "a: [1, 2]\nb: {c: d}\n", "{a: [1, 2], b: {c: d}}" },
    { "# comment\nb: 1\na:\n  - x\n  - q: 2\n    z: 3\n", "{a: [x, {q: 2, z: 3}], b: 1}" },
    { "a: &x {p: 1}\nb: *x\nc: [*x, *x]", "{a: {p: 1}, b: {p: 1}, c: [{p: 1}, {p: 1}]}" },
    { "a: &x 3\nb: *x\nc: &x 4\nd: *x", "{a: 3, b: 3, c: 4, d: 4}" },
    { "--- \na: 1\n...\n", "{a: 1}" },
    { "%YAML 1.1\n---\na: 1", "{a: 1}" },
    { "a: 1e-3", "{a: 1e-3}" },
    { "\xef\xbb\xbf"
      "a: \xc2\xb1",
      "{a: \"\xc2\xb1\"}" },
    { "[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]", "[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]" },
    { "plain", "plain" },
};

static const Case bad[] = {
    { "", "x.yaml:1:1: the file is empty" },
    { "# only a comment\n", "x.yaml:1:1: the file is empty" },
    { "a: 1\nb: 2\na: 3\n", "x.yaml:3:1: duplicate key 'a' (first at 1:1)" },
    { "t: {len: 1, kv: 2, len: 3}", "x.yaml:1:20: duplicate key 'len' (first at 1:5)" },
    { "a: &x {b: 1}\nc:\n  <<: *x\n",
      "x.yaml:3:3: merge key '<<' is not supported (use 'include: [FILE]' to share settings)" },
    { "a: !!int 3", "x.yaml:1:4: tag '!!int': tags are not supported; the option knows its type" },
    { "a: !mine [3]", "x.yaml:1:4: tag '!mine': tags are not supported; the option knows its type" },
    { "a: !mine {b: 3}", "x.yaml:1:4: tag '!mine': tags are not supported; the option knows its type" },
    { "a: 1\n---\nb: 2\n", "x.yaml:2:1: a second document starts here; one is allowed" },
    { "[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]", "x.yaml:1:17: nested deeper than 16 levels" },
    { "a: *x", "x.yaml:1:4: alias '*x' has no anchor '&x' before it" },
    { "a: &x [1, *x]", "x.yaml:1:11: alias '*x' stands inside its own anchor" },
    { "a: &x [[[[[[[[1]]]]]]]]\nb: [[[[[[[[*x]]]]]]]]", "x.yaml:2:12: nested deeper than 16 levels" },
    { "[a, b]: 1", "x.yaml:1:1: a key must be plain text" },
    { "{a: 1}: 1", "x.yaml:1:1: a key must be plain text" },
    { ": 1", "x.yaml:1:1: did not find expected key (is this line indented as its neighbours?)" },
    { "\"\": 1", "x.yaml:1:1: empty key" },
    { "a: \"x\\0y\"", "x.yaml:1:4: NUL character in a string" },
    { "a: 1\nb: \xff", "x.yaml:2:4: invalid UTF-8 (byte 0xff); save the file as UTF-8" },
    { "\xc2\xb1: \xc0\x80", "x.yaml:1:4: invalid UTF-8 (byte 0xc0); save the file as UTF-8" },
    { "a: \xed\xa0\x80", "x.yaml:1:4: invalid UTF-8 (byte 0xed); save the file as UTF-8" },
    { "a: \xe2\x82", "x.yaml:1:4: invalid UTF-8 (byte 0xe2); save the file as UTF-8" },
    { "a: \x01", "x.yaml:1:4: control character 0x01" },
    { "a:\n\tb: 1\n", "x.yaml:2:1: found character that cannot start any token (a tab; indent with spaces)" },
    { "a: [1, 2\nb: 3\n",
      "x.yaml:2:2: did not find expected ',' or ']' while parsing a flow sequence that starts at 1:4" },
    { "a: 'x", "x.yaml:1:6: found unexpected end of stream while scanning a quoted scalar that starts at 1:4" },
    { "a: 1\n b: 2\n", "x.yaml:2:3: mapping values are not allowed in this context (is this line indented "
                       "too far? a text with ': ' needs quotes)" },
};

START_TEST(reads)
{
    Err err = { 0 };
    Value *v;
    ck_assert_msg(yaml_parse("x.yaml", good[_i].text, arena, &v, &err), "%s: %s", good[_i].text, err.msg);
    ck_assert_str_eq(value_canonical(arena, v), good[_i].want);
}
END_TEST

START_TEST(refuses)
{
    Err err = { 0 };
    Value *v;
    ck_assert_msg(!yaml_parse("x.yaml", bad[_i].text, arena, &v, &err), "read without an error: %s", bad[_i].text);
    ck_assert_str_eq(err.msg, bad[_i].want);
    ck_assert_int_eq(err.code, EXIT_USAGE);
}
END_TEST

START_TEST(places)
{
    Err err = { 0 };
    Value *v;
    char buf[256];
    ck_assert(yaml_parse("d/x.yaml", "task:\n  \xc2\xb1len: &n 4\n  kv: *n\nlist: [a, b]\n", arena, &v, &err));
    const Value *len = value_get(value_get(v, "task"), "\xc2\xb1len");
    ck_assert_str_eq(value_place(len, true, buf), "d/x.yaml:2:3: ");
    ck_assert_str_eq(value_place(len, false, buf), "d/x.yaml:2:9: ");
    const Value *kv = value_at(v, "task.kv");
    ck_assert_str_eq(value_place(kv, true, buf), "d/x.yaml:3:3: ");
    ck_assert_str_eq(value_place(kv, false, buf), "d/x.yaml:2:9: ");
    ck_assert_str_eq(value_place(value_get(v, "list")->last, false, buf), "d/x.yaml:4:11: ");
    ck_assert_str_eq(value_place(v, false, buf), "d/x.yaml:1:1: ");
}
END_TEST

START_TEST(quotes)
{
    Err err = { 0 };
    Value *v;
    ck_assert(yaml_parse("x", "a: 1\nb: '1'\nc: \"1\"\nd: |\n  1\ne:\n", arena, &v, &err));
    static const bool want[] = { false, true, true, true, false };
    int i = 0;
    for (const Value *c = v->first; c; c = c->next) ck_assert_int_eq(c->quoted, want[i++]);
    ck_assert_int_eq(i, 5);
    ck_assert_str_eq(value_text(v, "d", "?"), "1\n");
    ck_assert_str_eq(value_text(v, "e", "?"), "");
}
END_TEST

START_TEST(billion_laughs)
{
    char text[1024] = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
    for (int i = 1; i < 9; i++) {
        char line[96];
        snprintf(line, sizeof line, "a%d: &a%d [*a%d,*a%d,*a%d,*a%d,*a%d,*a%d,*a%d,*a%d]\n", i, i, i - 1, i - 1, i - 1,
                 i - 1, i - 1, i - 1, i - 1, i - 1);
        strcat(text, line);
    }
    Err err = { 0 };
    Value *v;
    ck_assert(!yaml_parse("x.yaml", text, arena, &v, &err));
    ck_assert_ptr_nonnull(strstr(err.msg, "more than 50000 values after expanding aliases"));
    ck_assert_uint_lt(arena_peak(arena), 64u << 20u);
}
END_TEST

START_TEST(files)
{
    char path[] = "test_yaml.XXXXXX";
    int fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq((int)write(fd, "a: 1\nb: \0 2\n", 12), 12);
    close(fd);
    Err err = { 0 };
    Value *v;
    ck_assert(!yaml_read(path, arena, &v, &err));
    ck_assert_str_eq(strchr(err.msg, ':'), ":2:4: NUL byte (is this a YAML file?)");
    unlink(path);
    err = (Err){ 0 };
    ck_assert(!yaml_read("no/such.yaml", arena, &v, &err));
    ck_assert_ptr_nonnull(strstr(err.msg, "no/such.yaml"));
    err = (Err){ 0 };
    ck_assert(!yaml_parse(NULL, "[1", arena, &v, &err));
    ck_assert_ptr_nonnull(strstr(err.msg, "command line"));
    ck_assert(yaml_parse(NULL, "[1]", arena, &v, &err));
    ck_assert_ptr_null(v->file);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("yaml");
    TCase *c = tcase_create("yaml");
    tcase_add_checked_fixture(c, setup, teardown);
    tcase_add_loop_test(c, reads, 0, sizeof good / sizeof good[0]);
    tcase_add_loop_test(c, refuses, 0, sizeof bad / sizeof bad[0]);
    tcase_add_test(c, places);
    tcase_add_test(c, quotes);
    tcase_add_test(c, billion_laughs);
    tcase_add_test(c, files);
    suite_add_tcase(s, c);
    return suite_run(s);
}
