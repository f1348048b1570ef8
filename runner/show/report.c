/* SPDX-License-Identifier: Apache-2.0
 * report.c - `seqprobe report`: one self-contained HTML page about a sweep, finished or not.
 *
 * The page loads nothing and runs nothing: style and figures are inside. Given the same results it is the same bytes,
 * but for its section on machines and time. A failure to draw is said in the page and on stderr, and no more.
 */
#include "show/report.h"

#include <stdio.h>
#include <string.h>

static bool is_config(const char *what)
{
    size_t n = strlen(what);
    return (n > 5 && !strcmp(what + n - 5, ".yaml")) || strchr(what, '/');
}

static int by_row(const Report *r, const char *id)
{
    for (int i = 0; i < r->runs; i++)
        if (!strcmp(r->run[i]->row->id, id)) return i;
    return -1;
}

/* Collect afresh, then read what tables and figures read. */
static bool load(Report *r, Err *err)
{
    int finished;
    TRY(plan_read(r->config, r->n_sets, r->sets, r->a, &r->plan, err));
    TRY(plan_write(&r->plan, r->results, err) && collect_results(&r->plan, r->results, &finished, err));
    TRY(cells_read(r->plan.name, r->results, r->a, &r->cells, err));
    r->cells.title = r->plan.title;
    r->cells.question = r->plan.question;
    r->cells.figures = r->plan.figures;
    r->cells.published = r->plan.published;
    TRY(results_read(&r->plan, r->results, r->a, &r->row, err));
    r->run = ARENA_NEW(r->a, const RowResult *, r->plan.rows);
    for (int i = 0; i < r->plan.rows; i++) {
        if (by_row(r, r->row[i].row->id) >= 0) continue;
        r->run[r->runs++] = &r->row[i];
        r->count[r->row[i].state]++;
    }
    r->finished = r->count[RUN_OK] + r->count[RUN_DIVERGED];
    report_read_runs(r);
    return report_read_literature(r, err) && report_read_verdicts(r, err);
}

static void put_chip(Buf *b, const char *kind, const char *target, const char *text)
{
    buf_printf(b, "<li class=\"%s\"><a href=\"#%s\">%s</a></li>\n", kind, target, html_text(b->a, text));
}

static void put_head(Report *r)
{
    Buf *b = &r->b;
    const char *title = html_text(r->a, r->plan.title ? r->plan.title : r->plan.name);
    buf_puts(b, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\" />\n"
                "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\" />\n"
                "<meta name=\"color-scheme\" content=\"light dark\" />\n");
    buf_printf(b, "<meta name=\"generator\" content=\"%s\" />\n<title>%s</title>\n<style>\n",
               html_text(r->a, program_version()), title);
    report_style(b);
    buf_puts(b, "</style>\n</head>\n<body>\n<header>\n");
    buf_printf(b, "<p class=\"name\">seqprobe · %s</p>\n<h1>%s</h1>\n", html_text(r->a, r->plan.name), title);
    if (r->plan.question) buf_printf(b, "<p class=\"question\">%s</p>\n", html_text(r->a, r->plan.question));
    buf_puts(b, "<ul class=\"chips\">\n");
    bool all = r->finished == r->runs;
    put_chip(b, all ? "good" : "open", all ? "setting" : "failures",
             arena_printf(r->a, "%s %d of %d runs finished", all ? "✓" : "…", r->finished, r->runs));
    int failed = r->count[RUN_FAILED] + r->count[RUN_TIMEOUT], diverged = r->count[RUN_DIVERGED];
    int asked = r->verdicts - r->skipped;
    if (asked)
        put_chip(b, r->fell ? "bad" : "good", "verdicts",
                 arena_printf(r->a, "%s %d of %d thresholds hold", r->fell ? "✗" : "✓", asked - r->fell, asked));
    if (failed) put_chip(b, "bad", "failures", arena_printf(r->a, "✗ %d failed", failed));
    if (diverged) put_chip(b, "open", "failures", arena_printf(r->a, "! %d diverged", diverged));
    buf_puts(b, "</ul>\n</header>\n");
}

static void put_contents(Report *r)
{
    static const char *const link[][2] = { { "setting", "Setting" },       { "results", "Results" },
                                           { "literature", "Literature" }, { "figures", "Figures" },
                                           { "verdicts", "Verdicts" },     { "failures", "Failures" },
                                           { "machines", "Machines" },     { "reproduce", "Reproduce" },
                                           { "reading", "How to read it" } };
    buf_puts(&r->b, "<nav aria-label=\"Sections\">\n<ul>\n");
    for (size_t i = 0; i < sizeof link / sizeof *link; i++)
        buf_printf(&r->b, "<li><a href=\"#%s\">%s</a></li>\n", link[i][0], link[i][1]);
    buf_puts(&r->b, "</ul>\n</nav>\n<main>\n");
    int left = r->runs - r->finished;
    if (left)
        buf_printf(
            &r->b,
            "<p class=\"notice\"><strong>Not complete.</strong> %d of %d runs gave a result; the numbers below rest "
            "on these alone.</p>\n",
            r->finished, r->runs);
}

static bool write_page(Report *r, const char *out, Err *err)
{
    put_head(r);
    put_contents(r);
    TRY(report_setting(r, err));
    report_table(r);
    report_literature(r);
    report_figures(r);
    report_verdicts(r);
    report_failures(r);
    report_machines(r);
    report_reproduce(r);
    report_reading(r);
    buf_puts(&r->b, "</main>\n</body>\n</html>\n");
    if (strcmp(out, "-")) return file_write_atomic(out, r->b.s, r->b.len, err);
    if (fwrite(r->b.s, 1, r->b.len, stdout) == r->b.len && !fflush(stdout)) return true;
    return err_set(err, EXIT_FAILED, "standard output: cannot be written");
}

static int run(Cli *c, Err *err)
{
    Report r = {
        .a = c->arena, .b = buf_new(c->arena), .n_sets = c->n_sets, .sets = c->sets, .results = cli_string(c, "results")
    };
    const char *out = cli_string(c, "out");
    if (c->n_args != 1) {
        err_set(err, EXIT_USAGE, "usage: seqprobe report %s", c->command->synopsis);
        return EXIT_USAGE;
    }
    r.config = is_config(c->args[0]) ? c->args[0] : data_find(r.a, arena_printf(r.a, "configs/%s.yaml", c->args[0]));
    if (!is_config(c->args[0]) && !file_exists(r.config)) {
        err_set(err, EXIT_USAGE, "'%s' is no config file and there is no %s: give the file the sweep was made from",
                c->args[0], r.config);
        return EXIT_USAGE;
    }
    r.linked = !out;
    r.tmp = arena_new("report row");
    bool ok = load(&r, err);
    if (!out) out = path_join(r.a, r.cells.dir ? r.cells.dir : "", "report.html");
    ok = ok && write_page(&r, out, err);
    arena_free(r.tmp);
    if (!ok) return err->code;
    if (strcmp(out, "-")) printf("%s\n", out);
    return EXIT_OK;
}

static const Flag flags[] = {
    { "out", 'o', FLAG_STRING, NULL, "FILE",
      "where to write the page, - for standard output; default: "
      "DIR/NAME/report.html" },
    { "results", 0, FLAG_STRING, "results", "DIR", "where runs/ and the sweep's folder are" },
    FLAG_END,
};

const Command command_report = {
    .name = "report",
    .synopsis = "CONFIG | NAME [key=value...] [--out FILE]",
    .summary = "one HTML page per sweep: setting, table, figures, verdicts, failures, how to reproduce",
    .description =
        "examples:\n"
        "  seqprobe report configs/quick.yaml           writes results/quick/report.html\n"
        "  seqprobe report quick --out -                the same for configs/quick.yaml, to standard output\n"
        "\n"
        "Collects the runs that have finished by now and draws the figures. The page holds everything it "
        "shows:\n"
        "nothing is loaded, no script runs. Settings must be those of the sweep.\n",
    .flags = flags,
    .run = run,
};
