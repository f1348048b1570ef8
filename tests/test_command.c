/* SPDX-License-Identifier: Apache-2.0
 * test_command.c - the frame around every command: a failed CHECK ends with 70 and its message, arguments arrive in
 * order, and a value comes from the command line, then the environment, then the default.
 */
#include "cli.h"
#include "support/suite.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int run_faulty(Cli *c, Err *err)
{
    (void)err;
    CHECK(c->n_args == 7, "arguments: %d", c->n_args);
    return EXIT_OK;
}

static const Flag flags[] = {
    { "jobs", 'j', FLAG_INT, "3", "N", "" },
    { "rate", 0, FLAG_REAL, "0.5", "R", "" },
    FLAG_FORMAT,
    { "list", 0, FLAG_BOOL, NULL, NULL, "" },
    FLAG_END,
};

static const Command faulty = {
    .name = "faulty", .synopsis = "X", .summary = "fails", .flags = flags, .run = run_faulty
};
static const Command *const commands[] = { &faulty, NULL };

static Arena *arena;
static void setup(void) { arena = arena_new("test"); }
static void teardown(void) { arena_free(arena); }

START_TEST(test_fault_exits_70)
{
    int ends[2], status;
    char said[512] = "";
    ck_assert_int_eq(pipe(ends), 0);
    pid_t pid = fork();
    ck_assert_int_ge(pid, 0);
    if (pid == 0) {
        char *argv[] = { "seqprobe", "faulty", "a", "b", NULL };
        dup2(ends[1], 2);
        _exit(cli_main(4, argv, commands));
    }
    close(ends[1]);
    for (size_t n = 0; n < sizeof said - 1;) {
        ssize_t got = read(ends[0], said + n, sizeof said - 1 - n);
        if (got <= 0) break;
        n += (size_t)got;
    }
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == EXIT_FAULT, "status %d", status);
    ck_assert_ptr_nonnull(strstr(said, "test_command.c"));
    ck_assert_ptr_nonnull(strstr(said, "check failed: c->n_args == 7: arguments: 2\n"));
}
END_TEST

static bool parse(Cli *c, Err *err, int n, ...)
{
    char *argv[16];
    va_list ap;
    va_start(ap, n);
    for (int i = 0; i < n; i++) argv[i] = va_arg(ap, char *);
    va_end(ap);
    *err = (Err){ 0 };
    return cli_parse(&faulty, n, argv, arena, c, err);
}

START_TEST(test_words)
{
    Cli c;
    Err err;
    ck_assert(
        parse(&c, &err, 10, "x.yaml", "-j4", "a.b=1,2", "dir/k=v", "-", "--rate=-1e-3", "--list", "--", "-j", "k=v"));
    ck_assert_int_eq(c.n_args, 4);
    ck_assert_str_eq(c.args[0], "x.yaml");
    ck_assert_str_eq(c.args[1], "dir/k=v");
    ck_assert_str_eq(c.args[2], "-");
    ck_assert_str_eq(c.args[3], "-j");
    ck_assert_int_eq(c.n_sets, 2);
    ck_assert_str_eq(c.sets[0], "a.b=1,2");
    ck_assert_str_eq(c.sets[1], "k=v");
    ck_assert_int_eq(cli_int(&c, "jobs"), 4);
    ck_assert_double_eq(cli_real(&c, "rate"), -1e-3);
    ck_assert(cli_bool(&c, "list"));
}
END_TEST

START_TEST(test_precedence)
{
    Cli c;
    Err err;
    ck_assert(parse(&c, &err, 0));
    ck_assert_int_eq(cli_int(&c, "jobs"), 3);
    ck_assert(!cli_given(&c, "jobs"));
    ck_assert_int_eq(cli_format(&c), FORMAT_TABLE);
    setenv("SEQPROBE_JOBS", "5", 1);
    setenv("SEQPROBE_FORMAT", "json", 1);
    ck_assert(parse(&c, &err, 0));
    ck_assert_int_eq(cli_int(&c, "jobs"), 5);
    ck_assert_int_eq(cli_format(&c), FORMAT_JSON);
    ck_assert(parse(&c, &err, 4, "--jobs", "6", "-f", "csv"));
    ck_assert_int_eq(cli_int(&c, "jobs"), 6);
    ck_assert_int_eq(cli_format(&c), FORMAT_CSV);
    ck_assert(parse(&c, &err, 3, "-j7", "-j", "8")); /* the last one counts */
    ck_assert_int_eq(cli_int(&c, "jobs"), 8);
    setenv("SEQPROBE_JOBS", "", 1); /* empty is not given */
    ck_assert(parse(&c, &err, 0));
    ck_assert_int_eq(cli_int(&c, "jobs"), 3);
    setenv("SEQPROBE_JOBS", "many", 1);
    ck_assert(!parse(&c, &err, 0));
    ck_assert_int_eq(err.code, EXIT_USAGE);
    ck_assert_str_eq(err.msg, "SEQPROBE_JOBS: 'many' is not an integer");
    ck_assert(parse(&c, &err, 1, "-j9")); /* and does not matter then */
    ck_assert_int_eq(cli_int(&c, "jobs"), 9);
}
END_TEST

START_TEST(test_wrong_values)
{
    static const struct {
        const char *word, *message;
    } wrong[] = {
        { "--jobs=1.5", "--jobs: '1.5' is not an integer" },
        { "--jobs=99999999999", "--jobs: '99999999999' is not an integer" },
        { "--jobs=", "--jobs: '' is not an integer" },
        { "--rate=inf", "--rate: 'inf' is not a number" },
        { "--format=jsn", "--format: 'jsn' is not one of table, csv, json (did you mean 'json'?)" },
        { "--format=", "--format: '' is not one of table, csv, json" },
        { "--format=csv|json", "--format: 'csv|json' is not one of table, csv, json (did you mean 'csv'?)" },
        { "--list=1", "--list takes no value" },
        { "--jobs", "--jobs needs a value: --jobs N" },
        { "--lists", "unknown flag '--lists' (did you mean '--list'?)" },
        { "--lis", "unknown flag '--lis' (did you mean '--list'?)" },
        { "--color=no", "--color: 'no' is not one of auto, always, never" },
    };
    Cli c;
    Err err;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        ck_assert(!parse(&c, &err, 1, wrong[i].word));
        ck_assert_int_eq(err.code, EXIT_USAGE);
        ck_assert_str_eq(err.msg, wrong[i].message);
    }
}
END_TEST

START_TEST(test_grid_forms)
{
    static const char *const head[] = { "name", "x", "y" };
    Grid g = grid_new(arena, 3, head, "lrr");
    const char **row = grid_row(&g);
    row[0] = "a \"b\", \\c|\n";
    row[1] = "-1.5e-3";
    row[2] = "";
    row = grid_row(&g);
    row[0] = "1";
    row[1] = "007";
    row[2] = "1.";
    ck_assert_str_eq(grid_text(&g, FORMAT_JSON, -1),
                     "[\n  {\"name\": \"a \\\"b\\\", \\\\c|\\u000a\", \"x\": -1.5e-3, \"y\": null},\n"
                     "  {\"name\": \"1\", \"x\": \"007\", \"y\": \"1.\"}\n]\n");
    ck_assert_str_eq(grid_text(&g, FORMAT_CSV, -1), "name,x,y\n\"a \"\"b\"\", \\c|\n\",-1.5e-3,\n1,007,1.\n");
    Grid none = grid_new(arena, 3, head, "lrr");
    ck_assert_str_eq(grid_text(&none, FORMAT_JSON, -1), "[\n]\n");
    ck_assert_str_eq(grid_text(&none, FORMAT_CSV, -1), "name,x,y\n");
}
END_TEST

int main(void)
{
    Suite *s = suite_create("command");
    TCase *t = tcase_create("command");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, test_fault_exits_70);
    tcase_add_test(t, test_words);
    tcase_add_test(t, test_precedence);
    tcase_add_test(t, test_wrong_values);
    tcase_add_test(t, test_grid_forms);
    suite_add_tcase(s, t);
    return suite_run(s);
}
