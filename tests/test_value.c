/* SPDX-License-Identifier: Apache-2.0
 * test_value.c - configuration trees: building, paths, merging, flow and block text, nearest names. */
#include "base/value.h"
#include "support/suite.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

static Arena *arena;

static void start(void) { arena = arena_new("test"); }
static void stop(void) { arena_free(arena); }

static Value *parse(const char *text)
{
    Err err = { 0 };
    Value *v = value_parse(arena, text, &err);
    ck_assert_msg(v, "%s: %s", text, err.msg);
    return v;
}

static const char *canon(const char *text) { return value_canonical(arena, parse(text)); }
static const char *yaml(const char *text) { return value_yaml(arena, parse(text)); }

/* ---- trees ---- */

START_TEST(lists_and_maps)
{
    Value *list = value_list(arena), *map = value_map(arena);
    value_append(list, value_scalar(arena, "a"));
    value_append(list, value_scalar(arena, "b"));
    value_set(map, "x", value_scalar(arena, "1"));
    value_set(map, "w", list);
    value_set(map, "z", value_scalar(arena, "3"));
    ck_assert_int_eq(list->count, 2);
    ck_assert_int_eq(map->count, 3);
    ck_assert_ptr_eq(list->first->next, list->last);
    ck_assert_ptr_eq(value_get(map, "w"), list);
    ck_assert_ptr_eq(value_get(map, "v"), NULL);
    ck_assert_ptr_eq(value_get(NULL, "x"), NULL);
    ck_assert_ptr_eq(value_get(list, "x"), NULL);
    ck_assert_str_eq(value_canonical(arena, map), "{w: [a, b], x: 1, z: 3}");
}
END_TEST

START_TEST(set_replaces_in_place)
{
    Value *map = parse("{a: 1, b: 2, c: 3}");
    value_set(map, "a", value_scalar(arena, "10"));
    value_set(map, "c", value_scalar(arena, "30"));
    value_set(map, "b", parse("[x]"));
    ck_assert_int_eq(map->count, 3);
    ck_assert_str_eq(value_yaml(arena, map), "a: 10\nb: [x]\nc: 30\n");
    value_set(map, "d", value_scalar(arena, "4")); /* last still is the last */
    ck_assert_str_eq(value_yaml(arena, map), "a: 10\nb: [x]\nc: 30\nd: 4\n");
    value_set(map, "d", value_get(map, "d"));
    ck_assert_int_eq(map->count, 4);
}
END_TEST

START_TEST(scalars_are_copied)
{
    char text[] = "abc";
    Value *v = value_scalar(arena, text);
    text[0] = 'x';
    ck_assert_str_eq(v->text, "abc");
}
END_TEST

START_TEST(paths)
{
    Value *map = parse("{train: {lr: 0.1, clip: {norm: 1}}, seed: 3}");
    ck_assert_str_eq(value_at(map, "train.lr")->text, "0.1");
    ck_assert_str_eq(value_at(map, "train.clip.norm")->text, "1");
    ck_assert_str_eq(value_at(map, "seed")->text, "3");
    ck_assert_ptr_eq(value_at(map, "train.l"), NULL);
    ck_assert_ptr_eq(value_at(map, "train.lrs"), NULL);
    ck_assert_ptr_eq(value_at(map, "seed.x"), NULL);
    ck_assert_ptr_eq(value_at(NULL, "seed"), NULL);
    ck_assert_str_eq(value_text(map, "seed", "none"), "3");
    ck_assert_str_eq(value_text(map, "sed", "none"), "none");
    ck_assert_str_eq(value_text(map, "train", "none"), "none");
}
END_TEST

START_TEST(put_creates_maps)
{
    Err err = { 0 };
    Value *map = parse("{train: {lr: 0.1}, seed: 3}");
    ck_assert(value_put(arena, map, "train.lr", parse("0.2"), &err));
    ck_assert(value_put(arena, map, "train.clip.norm", parse("1"), &err));
    ck_assert(value_put(arena, map, "name", parse("x"), &err));
    ck_assert_str_eq(value_canonical(arena, map), "{name: x, seed: 3, train: {clip: {norm: 1}, lr: 0.2}}");
    ck_assert(!value_put(arena, map, "seed.x.y", parse("1"), &err));
    ck_assert_int_eq(err.code, EXIT_USAGE);
    ck_assert_str_eq(err.msg, "cannot set 'seed.x.y': 'seed' is not a map");
    Value *lr = value_at(map, "train.lr");
    lr->file = "a.yaml", lr->line = 3, lr->col = 9, lr->key_line = 3, lr->key_col = 5;
    err = (Err){ 0 };
    ck_assert(!value_put(arena, map, "train.lr.x", parse("1"), &err));
    ck_assert_str_eq(err.msg, "a.yaml:3:5: cannot set 'train.lr.x': 'train.lr' is not a map");
    static const char *const bad[] = { "", ".a", "a.", "a..b" };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        err = (Err){ 0 };
        ck_assert(!value_put(arena, parse("{}"), bad[i], parse("1"), &err));
        ck_assert(strstr(err.msg, "is not a path of keys"));
    }
}
END_TEST

START_TEST(copies_are_deep)
{
    Value *map = parse("{a: {b: [1, 2]}, c: \"3\"}");
    value_at(map, "a.b")->file = "x.yaml";
    value_at(map, "a.b")->line = 4;
    Value *copy = value_copy(arena, map);
    value_append(value_at(map, "a.b"), value_scalar(arena, "9"));
    value_set(map, "c", value_scalar(arena, "0"));
    ck_assert_str_eq(value_canonical(arena, copy), "{a: {b: [1, 2]}, c: \"3\"}");
    ck_assert_str_eq(value_at(copy, "a.b")->file, "x.yaml");
    ck_assert_int_eq(value_at(copy, "a.b")->line, 4);
    ck_assert_ptr_eq(value_copy(arena, NULL), NULL);
}
END_TEST

START_TEST(merging)
{
    static const char *const cases[][3] = {
        { "{a: 1, b: 2}", "{b: 3, c: 4}", "a: 1\nb: 3\nc: 4\n" },
        { "{t: {x: 1, z: 2}}", "{t: {z: 3}}", "t:\n  x: 1\n  z: 3\n" },
        { "{t: {x: 1}}", "{t: 5}", "t: 5\n" },
        { "{t: 5}", "{t: {x: 1}}", "t:\n  x: 1\n" },
        { "{l: [1, 2, 3]}", "{l: [4]}", "l: [4]\n" },
        { "{a: 1}", "{}", "a: 1\n" },
        { "{}", "{a: {b: {c: 1}}}", "a:\n  b:\n    c: 1\n" },
        { "{a: {b: {c: 1, d: 2}}}", "{a: {b: {d: {e: 3}}}}", "a:\n  b:\n    c: 1\n    d:\n      e: 3\n" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Value *base = parse(cases[i][0]), *over = parse(cases[i][1]);
        const char *before = value_canonical(arena, base), *after = value_canonical(arena, over);
        ck_assert_str_eq(value_yaml(arena, value_merge(arena, base, over)), cases[i][2]);
        ck_assert_str_eq(value_canonical(arena, base), before);
        ck_assert_str_eq(value_canonical(arena, over), after);
    }
    ck_assert_str_eq(value_canonical(arena, value_merge(arena, NULL, parse("[1]"))), "[1]");
    ck_assert_str_eq(value_canonical(arena, value_merge(arena, parse("[1]"), NULL)), "[1]");
    ck_assert_ptr_eq(value_merge(arena, NULL, NULL), NULL);
}
END_TEST

START_TEST(merging_keeps_places)
{
    Value *base = parse("{a: 1, b: 2}"), *over = parse("{b: 3}");
    value_get(base, "a")->file = "base.yaml", value_get(base, "a")->line = 1;
    value_get(over, "b")->file = "over.yaml", value_get(over, "b")->key_line = 8;
    Value *m = value_merge(arena, base, over);
    ck_assert_str_eq(value_get(m, "a")->file, "base.yaml");
    ck_assert_str_eq(value_get(m, "b")->file, "over.yaml");
    ck_assert_int_eq(value_get(m, "b")->key_line, 8);
}
END_TEST

START_TEST(places)
{
    char buf[256], path[400];
    Value v = { .kind = VALUE_SCALAR, .text = "1" };
    ck_assert_str_eq(value_place(&v, false, buf), "");
    ck_assert_str_eq(value_place(NULL, true, buf), "");
    v.file = "configs/x.yaml", v.line = 7, v.col = 14, v.key_line = 7, v.key_col = 9;
    ck_assert_str_eq(value_place(&v, false, buf), "configs/x.yaml:7:14: ");
    ck_assert_str_eq(value_place(&v, true, buf), "configs/x.yaml:7:9: ");
    v.key_line = 0; /* an item of a list has no key */
    ck_assert_str_eq(value_place(&v, true, buf), "configs/x.yaml:7:14: ");
    memset(path, 'd', sizeof path);
    strcpy(path + 300, "/end.yaml");
    v.file = path, v.line = 2000000000, v.col = 2000000000;
    value_place(&v, false, buf);
    ck_assert_str_eq(buf + strlen(buf) - 33, "/end.yaml:2000000000:2000000000: ");
    ck_assert(!strncmp(buf, "...ddd", 6));
}
END_TEST

/* ---- text ---- */

START_TEST(canonical_is_independent_of_order_and_spelling)
{
    static const char *const same[][2] = {
        { "{a: 1, b: {x: 1, y: 2}}", "{b: {y: 2, x: 1}, a: 1}" },
        { "{a:   1 ,b: 2,}", "{b: 2, a: 1}" },
        { "{a: 'text'}", "{a: text}" },
        { "{a: \"text\"}", "{\"a\": text}" },
        { "{a: yes}", "{a: 'yes'}" },
    };
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) ck_assert_str_eq(canon(same[i][0]), canon(same[i][1]));
    static const char *const different[][2] = {
        { "{a: 1}", "{a: 2}" },   { "{a: 1}", "{a: '1'}" },       { "{a: 1}", "{b: 1}" },
        { "[1, 2]", "[2, 1]" },   { "{a: true}", "{a: 'true'}" }, { "{a: [x, y]}", "{a: 'x, y'}" },
        { "{a: []}", "{a: {}}" }, { "{a: {}}", "{a: ''}" },       { "[[1], 2]", "[[1, 2]]" },
    };
    for (size_t i = 0; i < sizeof different / sizeof *different; i++)
        ck_assert_str_ne(canon(different[i][0]), canon(different[i][1]));
    ck_assert_str_eq(canon("{b: [1, {d: 2, c: 3}], a: x}"), "{a: x, b: [1, {c: 3, d: 2}]}");
    ck_assert_str_eq(value_canonical(arena, NULL), "");
}
END_TEST

/* Strings a YAML 1.1 reader would make something else of, and strings with syntax in them. */
static const char *const quoted_strings[] = {
    "",
    "yes",
    "Yes",
    "NO",
    "no",
    "on",
    "off",
    "Off",
    "y",
    "N",
    "true",
    "False",
    "TRUE",
    "null",
    "Null",
    "~",
    "=",
    "<<",
    "1",
    "-1",
    "+1",
    "010",
    "0x1f",
    "0b101",
    "1_000",
    "1.5",
    "1.",
    ".5",
    "-.5",
    "1e3",
    "1e-3",
    "1.0e-3",
    "1E5",
    "6.02e+23",
    ".inf",
    "-.Inf",
    "+.inf",
    ".NaN",
    "12:30:45",
    "190:20:30.15",
    "1:30",
    "2001-12-14",
    "2001-12-14t21:59:43.10-05:00",
    "2001-12-14 21:59:43.10 -5",
    "a: b",
    "a:",
    ":",
    ": a",
    "a?",
    "a:?b",
    "a #b",
    "#a",
    "- a",
    "-",
    "--- a",
    "...",
    "? a",
    "&a",
    "*a",
    "!a",
    "|",
    ">",
    "'a'",
    "\"a\"",
    "%a",
    "@a",
    "`a",
    "[a]",
    "{a}",
    "a, b",
    "a]",
    " a",
    "a ",
    "a\nb",
    "a\tb",
    "\x01",
    "na\xc3\xafve",
    "\xff",
    "\x7f",
};
static const char *const plain_strings[] = {
    "abc",       "a b",    "a:b",      "a#b", "-a",      "mqar-figure2", "path/to/file.csv",
    "delta_net", "it's",   "a\"b",     "1a",  "3-layer", "v1.0",         "nope",
    "yesterday", "truely", "nullable", "a=b", "e5",      "1e",           "1e+",
    "in f",      "\\d",    "a*b",      "a&b", "a!",      "--",           "x=1",
};

START_TEST(strings_are_quoted_when_needed)
{
    for (size_t i = 0; i < sizeof quoted_strings / sizeof *quoted_strings; i++) {
        Value *v = value_scalar(arena, quoted_strings[i]), *map = value_map(arena);
        v->quoted = true;
        value_set(map, quoted_strings[i], v);
        const char *text = value_canonical(arena, v);
        ck_assert_msg(text[0] == '"', "'%s' is written as %s", quoted_strings[i], text);
        text = value_canonical(arena, map);
        ck_assert_msg(text[1] == '"', "the key '%s' is written as %s", quoted_strings[i], text);
    }
    for (size_t i = 0; i < sizeof plain_strings / sizeof *plain_strings; i++) {
        Value *v = value_scalar(arena, plain_strings[i]);
        v->quoted = true;
        if (!strcmp(plain_strings[i], "1e") || !strcmp(plain_strings[i], "1e+") || !strcmp(plain_strings[i], "--"))
            continue; /* may be quoted, need not */
        ck_assert_str_eq(value_canonical(arena, v), plain_strings[i]);
    }
}
END_TEST

START_TEST(plain_scalars_keep_their_type)
{
    static const char *const plain[] = { "1",        "-7", "0",    "0.5",   "1.0e-3", "1e-3",
                                         "-1.5e+10", ".5", "true", "false", "gla" };
    static const char *const becomes_string[] = { "yes", "no",   "on",  "~",    "null", "010",
                                                  "+1",  "0x10", "1_0", "1:30", "True" };
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        ck_assert_str_eq(value_yaml(arena, value_scalar(arena, plain[i])), arena_printf(arena, "%s\n", plain[i]));
    for (size_t i = 0; i < sizeof becomes_string / sizeof *becomes_string; i++)
        ck_assert_str_eq(value_yaml(arena, value_scalar(arena, becomes_string[i])),
                         arena_printf(arena, "\"%s\"\n", becomes_string[i]));
}
END_TEST

START_TEST(escapes)
{
    ck_assert_str_eq(value_canonical(arena, value_scalar(arena, "a\nb\t\"\\ \x01")), "\"a\\nb\\t\\\"\\\\ \\x01\"");
    ck_assert_str_eq(value_canonical(arena, value_scalar(arena, "\xc3\xa9 \xe2\x82\xac \xf0\x9f\x99\x82")),
                     "\"\xc3\xa9 \xe2\x82\xac \xf0\x9f\x99\x82\"");
    ck_assert_str_eq(value_canonical(arena, value_scalar(arena, "\xc3 \xff \xed\xa0\x80")), /* not UTF-8 */
                     "\"\\xC3 \\xFF \\xED\\xA0\\x80\"");
    ck_assert_str_eq(value_canonical(arena, value_scalar(arena, "\xef\xbb\xbf"
                                                                "a\xc2\x85")),
                     "\"\\xEF\\xBB\\xBFa\\xC2\\x85\"");
}
END_TEST

START_TEST(text_reads_back)
{
    static const char *const texts[] = {
        "{a: 1, b: [x, \"yes\", [], {}], c: {d: {e: \"\"}}}",
        "[\"a, b\", it's, a\\b, \"\\\"q\\\"\"]",
        "abc",
        "\"1\"",
        "[[1, 2], [3, [4]]]",
        "{\"a: b\": c, \"n\": 64}",
        "[\"line\\n\\ttab\", \"\\x01\"]",
        "[]",
        "{}",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) ck_assert_str_eq(canon(texts[i]), texts[i]);
}
END_TEST

START_TEST(block_yaml)
{
    ck_assert_str_eq(
        yaml("{name: x, task: {name: mqar, len: [2, 40]}, layers: [{name: gla, heads: 4}, softmax], empty: {}, "
             "none: [], s: 'no', deep: {a: {b: {c: [[1, 2], [3]]}}}}"),
        "name: x\n"
        "task:\n"
        "  name: mqar\n"
        "  len: [2, 40]\n"
        "layers:\n"
        "  - name: gla\n"
        "    heads: 4\n"
        "  - softmax\n"
        "empty: {}\n"
        "none: []\n"
        "s: \"no\"\n"
        "deep:\n"
        "  a:\n"
        "    b:\n"
        "      c:\n"
        "        - [1, 2]\n"
        "        - [3]\n");
    ck_assert_str_eq(yaml("[{a: {b: 1}}, [{c: 2}, 3]]"), "- a:\n    b: 1\n- - c: 2\n  - 3\n");
    ck_assert_str_eq(yaml("{}"), "{}\n");
    ck_assert_str_eq(yaml("hello world"), "hello world\n");
    ck_assert_str_eq(value_yaml(arena, NULL), "");
}
END_TEST

START_TEST(long_lists_go_down_the_page)
{
    Value *list = value_list(arena), *map = value_map(arena);
    for (int i = 0; i < 30; i++) value_append(list, value_scalar(arena, arena_printf(arena, "%d", 1000 + i)));
    value_set(map, "x", list);
    const char *text = value_yaml(arena, map);
    ck_assert(!strncmp(text, "x:\n  - 1000\n  - 1001\n", 21));
}
END_TEST

/* ---- reading flow text ---- */

START_TEST(flow_reading)
{
    ck_assert_str_eq(canon(" 40 "), "40");
    ck_assert_str_eq(canon("a, b"), "\"a, b\""); /* outside brackets a comma is text */
    ck_assert_str_eq(canon("[a b, 'it''s', \"x\\\"y\"]"), "[a b, it's, x\"y]");
    ck_assert_str_eq(canon("{a: b:c, d: http://x}"), "{a: b:c, d: http://x}");
    ck_assert_str_eq(canon("[1,2,]"), "[1, 2]");
    ck_assert_str_eq(canon("{a: [1, {b: 2}]}"), "{a: [1, {b: 2}]}");
    Value *v = parse("['1', 1]");
    ck_assert(v->first->quoted && !v->last->quoted);
    ck_assert_str_eq(v->first->text, v->last->text);
    ck_assert_str_eq(parse("")->text, "");
}
END_TEST

START_TEST(flow_errors)
{
    static const char *const cases[][2] = {
        { "[1, 2", "expected ',' or ']' at column 6 of '[1, 2'" },
        { "{a: 1", "expected ',' or '}' at column 6 of '{a: 1'" },
        { "{a 1}", "expected 'key: value' at column 5 of '{a 1}'" },
        { "{a}", "expected 'key: value' at column 3 of '{a}'" },
        { "{a: 1, a: 2}", "key given twice at column 9 of '{a: 1, a: 2}'" },
        { "[1] x", "unexpected text at column 5 of '[1] x'" },
        { "'abc", "unclosed quote at column 5 of ''abc'" },
        { "\"a\\q\"", "unknown escape at column 4 of '\"a\\q\"'" },
        { "[,1]", "expected a value at column 2 of '[,1]'" },
        { "[1,,2]", "expected a value at column 4 of '[1,,2]'" },
        { "[1}", "expected ',' or ']' at column 3 of '[1}'" },
        { "{a: }", "expected a value at column 5 of '{a: }'" },
        { "[[[[[[[[[[[[[[[[[1", "nested too deeply at column 17 of '[[[[[[[[[[[[[[[[[1'" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Err err = { 0 };
        ck_assert_ptr_eq(value_parse(arena, cases[i][0], &err), NULL);
        ck_assert_str_eq(err.msg, cases[i][1]);
        ck_assert_int_eq(err.code, EXIT_USAGE);
    }
}
END_TEST

START_TEST(numbers)
{
    static const char *const yes[] = { "0",   "40",     "-1", "0.5", "-0.5",  "1e-3",
                                       "1E5", "1.0e+3", "5.", ".5",  "-.5e2", "-0" };
    static const char *const no[] = { "",     "-",   "+1",   "010", "00",   "0x1f",  "1_000", "inf",
                                      ".inf", "nan", ".nan", "1e",  "e5",   "1.2.3", " 1",    "1 ",
                                      ".",    "-.",  "1e+",  "1f",  "1:30", "--1",   "1,5",   "0x1p3" };
    for (size_t i = 0; i < sizeof yes / sizeof *yes; i++) ck_assert_msg(text_is_number(yes[i]), "'%s'", yes[i]);
    for (size_t i = 0; i < sizeof no / sizeof *no; i++) ck_assert_msg(!text_is_number(no[i]), "'%s'", no[i]);
}
END_TEST

/* ---- nearest names ---- */

START_TEST(nearest_names)
{
    static const char *const names[] = { "len",           "kv",          "heads",      "d_model",
                                         "learning_rate", "eigenvalues", "short_conv", NULL };
    static const char *const cases[][2] = {
        { "lenght", "len" },
        { "le", "len" },
        { "lne", "len" },
        { "head", "heads" },
        { "haeds", "heads" },
        { "d-model", "d_model" },
        { "D_MODEL", "d_model" },
        { "dmodel", "d_model" },
        { "learning_rat", "learning_rate" },
        { "eigenvalue", "eigenvalues" },
        { "egenvalue", "eigenvalues" },
        { "shortconv", "short_conv" },
        { "kvs", "kv" },
        { "n", NULL },
        { "width", NULL },
        { "", NULL },
        { "temperature", NULL },
        { "xyz", NULL },
        { "lr", NULL },
        { "steps", NULL },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *got = nearest_name(cases[i][0], names), *want = cases[i][1];
        ck_assert_msg(got == want || (got && want && !strcmp(got, want)), "'%s': %s, want %s", cases[i][0],
                      got ? got : "-", want ? want : "-");
    }
    static const char *const close[] = { "len", "length", "lengths", NULL }, *const none[] = { NULL };
    ck_assert_str_eq(nearest_name("lenght", close), "length"); /* the nearest, not the first */
    ck_assert_ptr_eq(nearest_name("len", none), NULL);
    char big[200];
    memset(big, 'a', sizeof big - 1);
    big[sizeof big - 1] = 0;
    ck_assert_ptr_eq(nearest_name(big, names), NULL);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("value");
    TCase *t = tcase_create("trees");
    tcase_add_checked_fixture(t, start, stop);
    tcase_add_test(t, lists_and_maps);
    tcase_add_test(t, set_replaces_in_place);
    tcase_add_test(t, scalars_are_copied);
    tcase_add_test(t, paths);
    tcase_add_test(t, put_creates_maps);
    tcase_add_test(t, copies_are_deep);
    tcase_add_test(t, merging);
    tcase_add_test(t, merging_keeps_places);
    tcase_add_test(t, places);
    suite_add_tcase(s, t);
    t = tcase_create("text");
    tcase_add_checked_fixture(t, start, stop);
    tcase_add_test(t, canonical_is_independent_of_order_and_spelling);
    tcase_add_test(t, strings_are_quoted_when_needed);
    tcase_add_test(t, plain_scalars_keep_their_type);
    tcase_add_test(t, escapes);
    tcase_add_test(t, text_reads_back);
    tcase_add_test(t, block_yaml);
    tcase_add_test(t, long_lists_go_down_the_page);
    tcase_add_test(t, flow_reading);
    tcase_add_test(t, flow_errors);
    tcase_add_test(t, numbers);
    tcase_add_test(t, nearest_names);
    suite_add_tcase(s, t);
    return suite_run(s);
}
