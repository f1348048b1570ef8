/* SPDX-License-Identifier: Apache-2.0
 * test_plan.c - expansion of configs: counts, order, labels, zip, changes, exclude, merging order, includes, command
 * line; and what is refused, with its exact message: tests/configs_bad/ and files that are too large to keep.
 */
#include <check.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/suite.h"
#include "sweep/sweep.h"

static Arena *arena;
static char folder[] = "test_plan.XXXXXX";
static Plan plan;
static Err err;

static void setup(void) { arena = arena_new("test"); }
static void teardown(void) { arena_free(arena); }

static char *put_file(const char *name, const char *text)
{
    char *path = path_join(arena, folder, name);
    Err e = { 0 };
    ck_assert_msg(file_write_atomic(path, text, strlen(text), &e), "%s", e.msg);
    return path;
}

/* Read text as a config with settings separated by semicolons. */
static bool read_plan(const char *text, const char *settings)
{
    const char *sets[16];
    int n = 0;
    char *s = arena_strdup(arena, settings);
    for (char *t = strtok(s, ";"); t; t = strtok(NULL, ";")) sets[n++] = t;
    err = (Err){ 0 };
    return plan_read(put_file("x.yaml", text), n, sets, arena, &plan, &err);
}

static void expect_rows(const char *text, const char *settings, const char *const *want)
{
    ck_assert_msg(read_plan(text, settings), "%s", err.msg);
    int n = 0;
    while (want[n]) n++;
    for (int i = 0; i < plan.rows || i < n; i++) {
        ck_assert_msg(i < plan.rows && i < n, "%d rows, wanted %d", plan.rows, n);
        const PlanRow *r = &plan.row[i];
        Buf b = buf_new(arena);
        buf_printf(&b, "%s|%s|%d", r->case_label, r->mixer_label, (int)r->seed);
        for (int c = 0; c < plan.axes; c++) buf_printf(&b, "|%s", r->cell[c]);
        ck_assert_int_eq(r->row, i);
        ck_assert_str_eq(b.s, want[i]);
    }
}
#define ROWS(...)                                                                                                      \
    (const char *const[]) { __VA_ARGS__, NULL }

static const char *at(int row, const char *path)
{
    const Value *v = value_at(plan.row[row].config, path);
    return !v ? "-" : v->kind == VALUE_SCALAR ? v->text : value_canonical(arena, v);
}

#define BASE "task: {name: parity, len: 8}\nmixer: lstm\n"

START_TEST(one_row)
{
    expect_rows(BASE, "", ROWS("parity|lstm|1"));
    ck_assert_str_eq(plan.name, "x");
    ck_assert_int_eq(plan.row[0].id[0], 'r');
    ck_assert_uint_eq(strlen(plan.row[0].id), 13);
    ck_assert_ptr_null(plan.notes);
}
END_TEST

START_TEST(last_axis_is_fastest)
{
    expect_rows(BASE "sweep:\n  task.len: [4, 8]\n  mixer: [lstm, mingru]\n  seed: {range: [1, 3]}\n", "",
                ROWS("parity|lstm|1|4", "parity|lstm|2|4", "parity|mingru|1|4", "parity|mingru|2|4", "parity|lstm|1|8",
                     "parity|lstm|2|8", "parity|mingru|1|8", "parity|mingru|2|8"));
    ck_assert_int_eq(plan.axes, 1);
    ck_assert_str_eq(plan.axis[0], "task.len");
}
END_TEST

START_TEST(spaces)
{
    expect_rows(BASE "sweep:\n  train.lr: {logspace: [1e-4, 1e-2, 3]}\n", "",
                ROWS("parity|lstm|1|0.0001", "parity|lstm|1|0.001", "parity|lstm|1|0.01"));
    ck_assert_double_eq(plan.row[1].lr, 1e-3);
    expect_rows(BASE "sweep: {seed: {range: [2, 9, 3]}}\n", "",
                ROWS("parity|lstm|2", "parity|lstm|5", "parity|lstm|8"));
}
END_TEST

START_TEST(labels)
{
    expect_rows(
        "sweep:\n  case:\n  - {label: short, task: {name: parity, len: 4}}\n  - {label: long, task: {name: parity, "
        "len: 9}, mixer: {width: 8}}\n  mixer: [lstm, {label: no memory, name: lstm, forget_bias: -1}]\n"
        "  model: [{label: wide, d_model: 128}, {d_model: 16}]\n",
        "",
        ROWS("short|lstm|1|wide", "short|lstm|1|{d_model: 16}", "short|no memory|1|wide",
             "short|no memory|1|{d_model: 16}", "long|lstm|1|wide", "long|lstm|1|{d_model: 16}",
             "long|no memory|1|wide", "long|no memory|1|{d_model: 16}"));
    ck_assert_str_eq(at(6, "mixer"), "{forget_bias: -1, name: lstm, width: 8}");
    ck_assert_str_eq(at(6, "model"), "{d_model: 128}");
    ck_assert_str_eq(at(7, "task"), "{len: 9, name: parity}");
    ck_assert_ptr_null(value_get(plan.row[0].config, "sweep"));
}
END_TEST

START_TEST(zip)
{
    expect_rows(BASE "sweep:\n  zip: {task.len: [4, 8], train.steps: [10, 20]}\n  seed: [1, 2]\n", "",
                ROWS("parity|lstm|1|4|10", "parity|lstm|2|4|10", "parity|lstm|1|8|20", "parity|lstm|2|8|20"));
    expect_rows(
        BASE
        "sweep:\n  zip:\n  - {task.len: [4, 8], train.steps: [10, 20]}\n  - {seed: [1, 2], train.lr: [0.1, 0.2]}\n",
        "",
        ROWS("parity|lstm|1|4|10|0.1", "parity|lstm|2|4|10|0.2", "parity|lstm|1|8|20|0.1", "parity|lstm|2|8|20|0.2"));
}
END_TEST

START_TEST(changes)
{
    expect_rows(
        BASE
        "model: {d_model: 64}\nsweep: {mixer: [lstm, mingru]}\nchanges: {model.d_model: [32, 64], model.layers: [1]}\n",
        "",
        ROWS("parity|lstm|1|64|", "parity|mingru|1|64|", "parity|lstm|1|32|", "parity|mingru|1|32|",
             "parity|lstm|1|64|1", "parity|mingru|1|64|1"));
    ck_assert_str_eq(plan.notes, "note: 2 rows repeat earlier ones and were left out\n");
}
END_TEST

START_TEST(exclude)
{
    const char *text =
        BASE "sweep:\n  mixer: [lstm, {label: m, name: mingru}]\n  task.len: [4, 8]\n  train.lr: [1e-3, 3e-3]\n"
             "exclude:\n- {mixer: mingru, task.len: 8}\n- {mixer: [lstm, m], train.lr: 0.001}\n- {task.len: 16}\n";
    expect_rows(text, "", ROWS("parity|lstm|1|4|3e-3", "parity|lstm|1|8|3e-3", "parity|m|1|4|3e-3"));
    ck_assert_ptr_nonnull(strstr(plan.notes, "x.yaml:10:3: this exclusion matches no row"));
    /* an impossible row that is excluded is no error */
    expect_rows(BASE "sweep: {task.len: [4, 0]}\nexclude: [{task.len: 0}]\n", "", ROWS("parity|lstm|1|4"));
}
END_TEST

START_TEST(collapse)
{
    expect_rows(BASE "sweep: {task.len: [4, 4], train.lr: [1e-3, 0.001]}\n", "", ROWS("parity|lstm|1|4|1e-3"));
    ck_assert_str_eq(plan.notes, "note: 3 rows repeat earlier ones and were left out\n");
    expect_rows(BASE "sweep: {mixer: [lstm, {label: same, name: lstm, forget_bias: 1}]}\n", "",
                ROWS("parity|lstm|1", "parity|same|1"));
    ck_assert_str_eq(plan.row[0].id, plan.row[1].id);
    ck_assert_ptr_nonnull(strstr(plan.notes, "row 0 (parity, lstm) and row 1 (parity, same) are the same run"));
}
END_TEST

START_TEST(merging_order)
{
    put_file("base.yaml",
             "name: other\ntask: {name: parity, len: 1}\nmodel: {d_model: 1, layers: 1}\n"
             "train: {steps: 1, batch: 1, lr: 0.1, eval_every: 1}\nmixer: {width: 1, forget_bias: 1, short_conv: 1}\n");
    const char *text = "include: base.yaml\ntrain: {steps: 2, batch: 2, lr: 0.2}\nmixer: {width: 2, forget_bias: 2}\n"
                       "sweep:\n  train.lr: [0.4]\n  mixer: [{name: lstm, width: 4}]\n"
                       "  case: [{label: c, train: {batch: 3, lr: 0.3}, mixer: {width: 3, forget_bias: 3}}]\n";
    ck_assert_msg(read_plan(text, ""), "%s", err.msg);
    ck_assert_str_eq(plan.name, "x"); /* never inherited */
    ck_assert_str_eq(at(0, "train"), "{batch: 3, eval_every: 1, lr: 0.4, steps: 2}");
    ck_assert_str_eq(at(0, "mixer"), "{forget_bias: 3, name: lstm, short_conv: 1, width: 4}");
    ck_assert_msg(read_plan(text, "train.lr=0.5;train.batch=8;mixer.width=5"), "%s", err.msg);
    ck_assert_str_eq(at(0, "train"), "{batch: 8, eval_every: 1, lr: 0.5, steps: 2}");
    ck_assert_str_eq(at(0, "mixer"), "{forget_bias: 3, name: lstm, short_conv: 1, width: 5}");
    ck_assert(plan.narrowed);
}
END_TEST

START_TEST(layers)
{
    expect_rows("task: parity\nmixer: {short_conv: 4}\nsweep:\n  mixer:\n  - lstm\n  - {layers: [lstm, {name: mingru, "
                "short_conv: "
                "0}]}\n",
                "", ROWS("parity|lstm|1", "parity|lstm+mingru|1"));
    ck_assert_str_eq(at(0, "mixer"), "{name: lstm, short_conv: 4}");
    ck_assert_str_eq(at(1, "mixer"), "{layers: [{name: lstm, short_conv: 4}, {name: mingru, short_conv: 0}]}");
    expect_rows("task: parity\nmixer: {layers: [lstm, mingru]}\n", "mixer=mingru", ROWS("parity|mingru|1"));
    ck_assert_str_eq(at(0, "mixer"), "{name: mingru}");
}
END_TEST

START_TEST(command_line)
{
    const char *text =
        "sweep:\n  case: [{label: a, task: {name: parity, len: 4}}, {label: b, task: {name: parity, len: 8}}]\n"
        "  mixer: [lstm, {label: x, name: mingru}, {label: y, name: mingru, short_conv: 4}]\n  seed: [1, 2]\n";
    expect_rows(text, "case=b;mixer=mingru;seed=7", ROWS("b|x|7", "b|y|7"));
    expect_rows(text, "case=b;mixer=y,lstm;seed=7", ROWS("b|y|7", "b|lstm|7"));
    expect_rows(text, "case=a;mixer=x;train.lr=1e-3,3e-3;name=z",
                ROWS("a|x|1|1e-3", "a|x|1|3e-3", "a|x|2|1e-3", "a|x|2|3e-3"));
    ck_assert_str_eq(plan.name, "z");
    expect_rows(text, "case=a;mixer=lstm;seed={range: [3,5]};train.steps=10", ROWS("a|lstm|3", "a|lstm|4"));
    ck_assert_str_eq(at(0, "train.steps"), "10");
    expect_rows(text, "case=a;mixer={name: lstm, width: 4};seed=1", ROWS("a|lstm|1"));
    ck_assert_str_eq(at(0, "mixer"), "{name: lstm, width: 4}");
    expect_rows(text, "case=a;mixer=x;seed=1;task.len=[2,4]", ROWS("a|x|1")); /* a length law, not two values */
    ck_assert_str_eq(at(0, "task.len"), "[2, 4]");
    /* an axis of a zip that is set leaves it */
    expect_rows(BASE "sweep:\n  zip: {task.len: [4, 8], train.steps: [10, 20]}\n", "task.len=6",
                ROWS("parity|lstm|1|6|10", "parity|lstm|1|6|20"));
}
END_TEST

START_TEST(includes)
{
    put_file("a.yaml", "include: [b.yaml]\nmodel: {layers: 2}\n");
    put_file("b.yaml", "model: {layers: 1, d_model: 16}\nsweep: {seed: [1, 2]}\n");
    expect_rows("include: [a.yaml, b.yaml]\n" BASE "sweep: {train.lr: [0.1]}\n", "",
                ROWS("parity|lstm|1|0.1", "parity|lstm|2|0.1"));
    ck_assert_str_eq(at(0, "model"), "{d_model: 16, layers: 1}");
    put_file("b.yaml", "include: [a.yaml]\n");
    ck_assert(!read_plan("include: [a.yaml]\n" BASE, ""));
    ck_assert_str_eq(err.msg,
                     arena_printf(arena, "%s/b.yaml:1:11: 'a.yaml' includes itself (included at %s/a.yaml:1:11)",
                                  folder, folder));
    put_file("b.yaml", "model: {layer: 1}\n");
    ck_assert(!read_plan("include: [b.yaml]\n" BASE, ""));
    ck_assert_str_eq(err.msg,
                     arena_printf(arena, "%s/b.yaml:1:9: unknown option 'layer' for model (did you mean 'layers'?)",
                                  folder));
}
END_TEST

START_TEST(ids)
{
    ck_assert(read_plan(BASE, ""));
    char id[16];
    memcpy(id, plan.row[0].id, sizeof id);
    ck_assert(read_plan(
        "title: t\nname: n\nmixer: {name: lstm}\ntask: {len: 8, name: parity}\nseed: 1\nmodel: {d_model: 64}\n", ""));
    ck_assert_str_eq(id, plan.row[0].id); /* order, defaults and texts do not count */
    ck_assert(read_plan("mixer: lstm\ntask: {len: 9, name: parity}\n", ""));
    ck_assert_str_ne(id, plan.row[0].id);
}
END_TEST

START_TEST(writes_plan)
{
    ck_assert(
        read_plan("task: parity\nsweep:\n  mixer: [{label: 'a, b', name: lstm}]\n  train.lr: [1e-3, 2e-3]\n", ""));
    ck_assert_msg(plan_write(&plan, folder, &err), "%s", err.msg);
    char *text;
    ck_assert(file_read(path_join(arena, folder, "x/plan.csv"), 4096, arena, &text, NULL, &err));
    ck_assert_str_eq(text, arena_printf(arena,
                                        "row,run_id,case,mixer,seed,train_lr\n0,%s,parity,\"a, b\",1,1e-3\n"
                                        "1,%s,parity,\"a, b\",1,2e-3\n",
                                        plan.row[0].id, plan.row[1].id));
    unlink(path_join(arena, folder, "x/plan.csv"));
    rmdir(path_join(arena, folder, "x"));
}
END_TEST

START_TEST(needs_no_plugin)
{
    ck_assert(!read_plan("sweeps: {}\n", ""));
    ck_assert_str_eq(err.msg,
                     arena_printf(arena, "%s/x.yaml:1:1: unknown key 'sweeps' (did you mean 'sweep'?)", folder));
}
END_TEST

/* ---- tests/configs_bad/ -----------------------------------------------------------------------------------------
 * NAME.yaml is refused with the message after "# expect: ", among its first lines or, where they must not be touched,
 * in NAME.expect; "# sets: " gives a command-line setting, "# needs: " the plug-ins without which it is left out. In a
 * message "@:" stands for the file, "@/" for its folder. What such files include lies in parts/.
 */

static const char bad_dir[] = "tests/configs_bad";

/* The rest of the line after "# key: ", "" if it is not there. */
static const char *header(const char *text, const char *key)
{
    const char *s = strstr(text, arena_printf(arena, "# %s: ", key));
    if (!s || s > text + 1000) return "";
    s += strlen(key) + 4;
    return arena_printf(arena, "%.*s", (int)strcspn(s, "\n"), s);
}

/* The expected message with names put in. */
static const char *message(const char *want, const char *path)
{
    Buf b = buf_new(arena);
    for (; *want; want++) {
        if (want[0] == '@' && want[1] == ':')
            buf_puts(&b, path);
        else if (want[0] == '@' && want[1] == '/')
            buf_puts(&b, bad_dir);
        else
            buf_printf(&b, "%c", *want);
    }
    return b.s;
}

/* Are the plug-ins of "# needs: a b" built? */
static bool has_needs(const char *text)
{
    char *names = arena_strdup(arena, header(text, "needs"));
    for (char *n = strtok(names, " "); n; n = strtok(NULL, " "))
        if (!task_find(n) && !mixer_find(n)) return false;
    return true;
}

static void check_bad(const char *name)
{
    const char *path = path_join(arena, bad_dir, name);
    char *text, *aside = arena_printf(arena, "%.*s.expect", (int)(strlen(path) - 5), path);
    err = (Err){ 0 };
    ck_assert(file_read(file_exists(aside) ? aside : path, 1 << 20, arena, &text, NULL, &err));
    if (!has_needs(text)) return;
    const char *set = header(text, "sets"), *want = message(header(text, "expect"), path);
    ck_assert_msg(!plan_read(path, *set != 0, &set, arena, &plan, &err), "%s is accepted", path);
    ck_assert_int_eq(err.code, EXIT_USAGE);
    ck_assert_str_eq(err.msg, want);
}

START_TEST(bad_configs)
{
    DIR *d = opendir(bad_dir);
    ck_assert_msg(d != NULL, "run from the top folder");
    int n = 0;
    for (struct dirent *e; (e = readdir(d));) {
        const char *dot = strstr(e->d_name, ".yaml");
        if (!dot || dot[5]) continue;
        check_bad(e->d_name);
        n++;
    }
    closedir(d);
    ck_assert_int_ge(n, 200);
}
END_TEST

/* Sizes that are no fun to keep in a repository: refused at once, and by name. */
static void expect_refusal(const char *text, const char *want)
{
    ck_assert_msg(!read_plan(text, ""), "accepted %.40s...", text);
    ck_assert_int_eq(err.code, EXIT_USAGE);
    ck_assert_str_eq(err.msg, arena_printf(arena, "%s/x.yaml%s", folder, want));
}

static const char *repeated(const char *head, const char *part, int n, const char *tail)
{
    Buf b = buf_new(arena);
    buf_puts(&b, head);
    for (int i = 0; i < n; i++) buf_printf(&b, "%s", part);
    buf_puts(&b, tail);
    return b.s;
}

START_TEST(huge_configs)
{
    expect_refusal(repeated("title: ", "0123456789abcdef", 1 << 16, "\n" BASE), ": larger than 1048576 bytes");
    expect_refusal(repeated("title: ", "0123456789abcdef", 5000, "\n" BASE),
                   ":1:8: a text of 80000 bytes; at most 65536 are read");
    expect_refusal(repeated("", "key", 70, ": 1\n" BASE), ":1:1: a key of 210 bytes; at most 200 are read");
    expect_refusal(repeated("exclude: [", "{seed: 1}, ", 30000, "]\n" BASE),
                   ":1:275000: more than 50000 values after expanding aliases");
    expect_refusal(repeated("", "[", 100000, "\n"), ":1:17: nested deeper than 16 levels");
    expect_refusal(repeated("", "a: {", 100000, "\n"), ":1:64: nested deeper than 16 levels");
    Buf b = buf_new(arena);
    buf_puts(&b, BASE "eval: {");
    for (int i = 0; i <= 1000; i++) buf_printf(&b, "s%d: {}, ", i);
    buf_puts(&b, "}\n");
    expect_refusal(b.s, ":3:9898: more than 1000 keys in one map");
    /* one long text, many times over */
    expect_refusal(repeated(repeated("title: &t ", "0123456789abcdef", 4000, "\nexclude: ["), "*t, ", 1000, "]\n" BASE),
                   ":2:631: more than 50000 values after expanding aliases");
    /* few lines, many rows of many values */
    b = buf_new(arena);
    buf_puts(&b, BASE "sweep: {seed: {range: [0, 4096]}, train.lr: [1e-4, 1e-3, 1e-2, 1e-1]}\neval: {");
    for (int i = 0; i < 200; i++) buf_printf(&b, "s%d: {len: %d}, ", i, i + 1);
    buf_puts(&b, "}\n");
    expect_refusal(b.s, ": 16384 rows of some 410 values; at most 4000000 values are allowed in all");
}
END_TEST

/* What editors on Windows write. */
START_TEST(windows_configs)
{
    expect_rows("\xef\xbb\xbftask: {name: parity, len: 8}\r\nmixer: lstm\r\nsweep:\r\n  seed: [1, 2]\r\n", "",
                ROWS("parity|lstm|1", "parity|lstm|2"));
    expect_refusal("\xef\xbb\xbftask: parity\r\n\r\nmixer: lstm\r\ntrain:\r\n  lrr: 1\r\n",
                   ":5:3: unknown option 'lrr' for train (did you mean 'lr'?)");
    expect_refusal("\xef\xbb\xbftaks: parity\r\n", ":1:1: unknown key 'taks' (did you mean 'task'?)");
}
END_TEST

int main(void)
{
    Suite *s = suite_create("plan");
    TCase *c = tcase_create("plan");
    tcase_set_timeout(c, 30);
    tcase_add_checked_fixture(c, setup, teardown);
    if (!mkdtemp(folder)) return EXIT_FAILURE;
    tcase_add_test(c, needs_no_plugin);
    if (task_find("parity") && mixer_find("lstm") && mixer_find("mingru")) {
        tcase_add_test(c, one_row);
        tcase_add_test(c, last_axis_is_fastest);
        tcase_add_test(c, spaces);
        tcase_add_test(c, labels);
        tcase_add_test(c, zip);
        tcase_add_test(c, changes);
        tcase_add_test(c, exclude);
        tcase_add_test(c, collapse);
        tcase_add_test(c, merging_order);
        tcase_add_test(c, layers);
        tcase_add_test(c, command_line);
        tcase_add_test(c, includes);
        tcase_add_test(c, ids);
        tcase_add_test(c, writes_plan);
        tcase_add_test(c, bad_configs);
        tcase_add_test(c, huge_configs);
        tcase_add_test(c, windows_configs);
    } else {
        puts("skipped: the plan tests use parity, lstm and mingru; not built");
    }
    suite_add_tcase(s, c);
    const int code = suite_run(s);
    static const char *const files[] = { "x.yaml", "a.yaml", "b.yaml", "base.yaml" };
    Arena *a = arena_new("clean");
    for (int i = 0; i < 4; i++) unlink(path_join(a, folder, files[i]));
    arena_free(a);
    rmdir(folder);
    return code;
}
