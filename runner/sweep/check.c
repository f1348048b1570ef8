/* SPDX-License-Identifier: Apache-2.0
 * check.c - `seqprobe check`: verdicts of sweep/verdicts.c and sweep/reference.c, for people and for CI.
 *
 *   text    ok    parity/lstm x4 acc_token: median 1.000, wanted >= 0.99 (3 seeds: ...)  # note of the config
 *   tap     version 13: the plan first, one line per threshold, '#' escaped, `# SKIP` for rows that are not here
 *   junit   one test case per threshold, class = sweep; failures carry what was measured
 *   csv, json   verdict, what, value, least, most, measured, note
 *
 * Names are made distinct by a number in brackets. Exit code 0, or 3 naming what fell on stderr.
 */
#include <math.h>
#include <string.h>

#include "sweep/verdicts.h"

enum { TEXT, TAP, JUNIT, CSV, JSON };
static const char *const formats[] = { "text", "tap", "junit", "csv", "json", NULL };
static const char *const kinds[] = { "holds", "fell", "skipped" };

typedef struct Report {
    const char *name; /* of the sweep */
    int n, fell, skipped;
    const Verdict *verdict;
    const char **title; /* distinct */
    Arena *a;
} Report;

/* ---- one text per format ---------------------------------------------------------------------------------------- */

static const char *outcome(const Verdict *v)
{
    return v->kind == VERDICT_SKIPPED && !*v->measured ? "not part of this plan" : v->measured;
}

static void print_text(const Report *r, bool all)
{
    static const char *const word[] = { "ok  ", "FAIL", "skip" }, *const on[] = { "\033[32m", "\033[1;31m", "\033[2m" };
    const bool color = term_color(1);
    for (int i = 0; i < r->n; i++) {
        const Verdict *v = &r->verdict[i];
        if (!all && v->kind == VERDICT_HOLDS) continue;
        printf("%s%s%s  %s: %s%s%s\n", color ? on[v->kind] : "", word[v->kind], color ? "\033[0m" : "", v->what,
               outcome(v), v->note ? "  # " : "", v->note ? v->note : "");
    }
}

/* In a description '#' would begin a directive. */
static void put_tap(Buf *b, const char *text)
{
    for (; *text; text++) {
        if (*text == '#' || *text == '\\') buf_puts(b, "\\");
        buf_printf(b, "%c", *text == '\n' || *text == '\r' ? ' ' : *text);
    }
}

static void put_all_tap(const Report *r, Buf *b)
{
    buf_printf(b, "TAP version 13\n1..%d\n", r->n);
    for (int i = 0; i < r->n; i++) {
        const Verdict *v = &r->verdict[i];
        buf_printf(b, "%s %d - ", v->kind == VERDICT_FELL ? "not ok" : "ok", i + 1);
        put_tap(b, r->title[i]);
        if (v->kind != VERDICT_SKIPPED) {
            buf_puts(b, ": ");
            put_tap(b, v->measured);
        }
        if (v->note) {
            buf_puts(b, " - ");
            put_tap(b, v->note);
        }
        if (v->kind == VERDICT_SKIPPED) buf_printf(b, " # SKIP %s", outcome(v));
        buf_puts(b, "\n");
    }
}

/* Text inside an attribute; what XML 1.0 cannot hold becomes '?'. */
static void put_xml(Buf *b, const char *text)
{
    for (; *text; text++) {
        const unsigned char c = (unsigned char)*text;
        if (c == '&')
            buf_puts(b, "&amp;");
        else if (c == '<')
            buf_puts(b, "&lt;");
        else if (c == '>')
            buf_puts(b, "&gt;");
        else if (c == '"')
            buf_puts(b, "&quot;");
        else if (c == '\n' || c == '\t' || c == '\r')
            buf_printf(b, "&#%d;", c);
        else
            buf_printf(b, "%c", c < 32 ? '?' : c);
    }
}

static void put_attribute(Buf *b, const char *name, const char *text)
{
    buf_printf(b, " %s=\"", name);
    put_xml(b, text);
    buf_puts(b, "\"");
}

static void put_all_junit(const Report *r, Buf *b)
{
    const char *const counts = arena_printf(r->a, "tests=\"%d\" failures=\"%d\" errors=\"0\" skipped=\"%d\" time=\"0\"",
                                            r->n, r->fell, r->skipped);
    buf_puts(b, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite");
    put_attribute(b, "name", r->name);
    buf_printf(b, " %s>\n", counts);
    for (int i = 0; i < r->n; i++) {
        const Verdict *v = &r->verdict[i];
        buf_puts(b, "    <testcase");
        put_attribute(b, "classname", r->name);
        put_attribute(b, "name", r->title[i]);
        buf_puts(b, " time=\"0\">");
        if (v->kind != VERDICT_HOLDS) {
            buf_puts(b, v->kind == VERDICT_FELL ? "<failure" : "<skipped");
            put_attribute(b, "message", outcome(v));
            if (v->note) {
                buf_puts(b, ">");
                put_xml(b, v->note);
            }
            buf_puts(b, !v->note ? "/>" : v->kind == VERDICT_FELL ? "</failure>" : "</skipped>");
        } else {
            buf_puts(b, "<system-out>");
            put_xml(b, v->measured);
            if (v->note) buf_puts(b, "\n");
            if (v->note) put_xml(b, v->note);
            buf_puts(b, "</system-out>");
        }
        buf_puts(b, "</testcase>\n");
    }
    buf_puts(b, "  </testsuite>\n</testsuites>\n");
}

static const char *number(double v, Arena *a)
{
    Buf b = buf_new(a);
    buf_puts(&b, "");
    buf_real(&b, v);
    return b.s;
}

static void put_all_rows(const Report *r, Format format, Buf *b)
{
    static const char *const head[] = { "verdict", "what", "value", "least", "most", "measured", "note" };
    Grid g = grid_new(r->a, 7, head, "llrrrll");
    for (int i = 0; i < r->n; i++) {
        const Verdict *v = &r->verdict[i];
        const char *const cell[] = { kinds[v->kind],        v->what,    number(v->value, r->a), number(v->least, r->a),
                                     number(v->most, r->a), outcome(v), v->note ? v->note : "" };
        const char **row = grid_row(&g);
        for (int k = 0; k < 7; k++) row[k] = cell[k];
    }
    buf_puts(b, grid_text(&g, format, -1));
}

/* ---- the command ------------------------------------------------------------------------------------------------ */

static Report report_new(const char *name, const Verdict *verdict, int n, Arena *a)
{
    Report r = { .name = name, .n = n, .verdict = verdict, .title = ARENA_NEW(a, const char *, n + 1), .a = a };
    for (int i = 0; i < n; i++) {
        int same = 1;
        for (int k = 0; k < i; k++) same += strcmp(verdict[k].what, verdict[i].what) == 0;
        r.title[i] = same > 1 ? arena_printf(a, "%s (%d)", verdict[i].what, same) : verdict[i].what;
        r.fell += verdict[i].kind == VERDICT_FELL;
        r.skipped += verdict[i].kind == VERDICT_SKIPPED;
    }
    return r;
}

static void print_report(const Report *r, int format, bool all)
{
    Buf b = buf_new(r->a);
    buf_puts(&b, "");
    if (format == TEXT) print_text(r, all);
    if (format == TAP) put_all_tap(r, &b);
    if (format == JUNIT) put_all_junit(r, &b);
    if (format == CSV) put_all_rows(r, FORMAT_CSV, &b);
    if (format == JSON) put_all_rows(r, FORMAT_JSON, &b);
    fputs(b.s, stdout);
    fflush(stdout);
}

static void print_fallen(const Report *r)
{
    enum { NAMED = 20 };
    int named = 0;
    fprintf(stderr, "%s: %d of %d fell: ", r->name, r->fell, r->n - r->skipped);
    for (int i = 0; i < r->n; i++) {
        if (r->verdict[i].kind != VERDICT_FELL) continue;
        if (named++ < NAMED) fprintf(stderr, "%s%s", named > 1 ? "; " : "", r->verdict[i].what);
    }
    if (named > NAMED) fprintf(stderr, "; and %d more", named - NAMED);
    fputc('\n', stderr);
}

static bool write_junit(const Report *r, const char *path, Err *err)
{
    Buf b = buf_new(r->a);
    put_all_junit(r, &b);
    return file_write_atomic(path, b.s, b.len, err);
}

static int read_format(const char *text)
{
    int i = 0;
    while (formats[i] && strcmp(text, formats[i]) != 0) i++;
    return i;
}

static int check_command(Cli *cli, Err *err)
{
    Plan plan;
    Verdict *v;
    int n;
    const int format = read_format(cli_string(cli, "format"));
    const char *results = cli_string(cli, "results"), *reference = cli_string(cli, "reference"), *table = NULL;
    if (cli->n_args != 1) err_set(err, EXIT_USAGE, "check: one config expected");
    if (cli_bool(cli, "exact") && !reference) err_set(err, EXIT_USAGE, "--exact belongs to --reference");
    if (err->code) return EXIT_USAGE;
    if (!plan_read(cli->args[0], cli->n_sets, cli->sets, cli->arena, &plan, err)) return EXIT_USAGE;
    if (!(reference
              ? reference_measure(&plan, results, reference, cli_bool(cli, "exact"), cli->arena, &n, &v, &table, err)
              : verdicts_measure(&plan, results, cli->arena, &n, &v, err)))
        return EXIT_FAILED;
    if (n == 0) {
        err_set(err, EXIT_USAGE, "%s has no thresholds to check", plan.file);
        return EXIT_USAGE;
    }
    const Report r = report_new(plan.name, v, n, cli->arena);
    const char *junit = cli_string(cli, "junit");
    print_report(&r, format, !reference);
    if (junit && !write_junit(&r, junit, err)) return EXIT_FAILED;
    if (format == TEXT && reference)
        printf("%s: %d of %d rows within tolerance; all in %s\n", plan.name, n - r.skipped - r.fell, n - r.skipped,
               table);
    else if (format == TEXT && !r.fell)
        printf("%s: %d of %d hold\n", plan.name, n - r.skipped, n - r.skipped);
    fflush(stdout);
    if (r.fell) print_fallen(&r);
    return r.fell ? EXIT_THRESHOLD : EXIT_OK;
}

static const Flag check_flags[] = {
    { "results", 0, FLAG_STRING, "results", "DIR", "where runs/ is" },
    { "format", 'f', FLAG_STRING, "text", "text|tap|junit|csv|json", "form of the result" },
    { "junit", 0, FLAG_STRING, NULL, "FILE", "also write JUnit XML there" },
    { "reference", 0, FLAG_STRING, NULL, "DIR", "compare with DIR/NAME/selected.csv instead of thresholds" },
    { "exact", 0, FLAG_BOOL, NULL, NULL, "with --reference: the same numbers, as on the machine that made them" },
    FLAG_END
};

const Command command_check = {
    .name = "check",
    .synopsis = "CONFIG [key=value...] [--format tap] [--reference results/reference]",
    .summary = "compare finished runs with the thresholds of their config",
    .description =
        "  seqprobe check configs/quick.yaml\n"
        "  seqprobe check configs/quick.yaml --junit check.xml\n"
        "  seqprobe check configs/quick.yaml --reference results/reference\n"
        "\n"
        "Prints a line per threshold with the measured values. Runs that are missing or failed are failures; with\n"
        "settings (mixer=gla) thresholds about rows left out are skipped. Exit code: 0 all hold, 2 the config is\n"
        "wrong, 3 some fell.\n"
        "\n"
        "With --reference every row of selected.csv is compared with the one kept there: the difference of the means\n"
        "over seeds may be three times its standard error, and at least that of the test set. Rows outside are\n"
        "printed, all of them written to results/NAME/reference.csv.\n",
    .flags = check_flags,
    .run = check_command,
};
