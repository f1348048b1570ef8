/* SPDX-License-Identifier: Apache-2.0
 * report_reproduce.c - the commands that make this page again, the config they read, and how to read the numbers.
 */
#include "show/report.h"
#include "tape/tape.h"

#include <string.h>

/* A command of the program on this config, as a line for sh. */
static void put_command(Report *r, const char *command, const char *flags, const char *why)
{
    Buf line = buf_new(r->a);
    buf_printf(&line, "build/seqprobe %s ", command);
    buf_shell(&line, r->config);
    for (int i = 0; i < r->n_sets; i++) {
        buf_puts(&line, " ");
        buf_shell(&line, r->sets[i]);
    }
    if (strcmp(r->results, "results")) {
        buf_puts(&line, " --results ");
        buf_shell(&line, r->results);
    }
    buf_printf(&line, "%s", flags);
    buf_printf(&r->b, "%s<span class=\"why\">   # %s</span>\n", html_text(r->a, line.s), html_text(r->a, why));
}

/* The file and those it includes, included ones last, each once. */
static void put_config(Report *r, const char *path, int depth, Buf *seen)
{
    char *text;
    Value *root = NULL;
    Err none = { 0 };
    if (depth > 16 || !file_read(path, 4u << 20, r->a, &text, NULL, NULL)) return;
    const char *mark = arena_printf(r->a, "\n%s\n", path);
    if (seen->len && strstr(seen->s, mark)) return;
    buf_puts(seen, mark);
    html_details(&r->b, path);
    buf_printf(&r->b, "<pre class=\"file\" tabindex=\"0\"><code>%s</code></pre>\n", html_text(r->a, text));
    html_details_end(&r->b);
    if (!yaml_read(path, r->a, &root, &none)) return;
    const Value *list = value_get(root, "include");
    const char *dir = path_dir(r->a, path);
    for (const Value *v = list && list->kind == VALUE_LIST ? list->first : list; v; v = v->next) {
        if (v->kind == VALUE_SCALAR)
            put_config(r, *v->text == '/' ? v->text : path_join(r->a, dir, v->text), depth + 1, seen);
        if (list->kind == VALUE_SCALAR) break;
    }
}

void report_reproduce(Report *r)
{
    Buf *b = &r->b, seen = buf_new(r->a);
    html_section(b, "reproduce", "How to reproduce");
    buf_puts(b,
             "<p>In the source tree, with the same compiler and machine class these commands give the same bytes, for "
             "any number of processes and after any interruption.</p>\n<pre tabindex=\"0\"><code>");
    buf_puts(b, "make deps &amp;&amp; make<span class=\"why\">   # installs what is missing, builds</span>\n");
    put_command(r, "sweep", "", "trains what is not there yet; interrupted, it resumes");
    if (r->plan.thresholds) put_command(r, "check", "", "the verdicts; exit code 3 names what fell");
    put_command(r, "table", "", "the table on a terminal");
    put_command(r, "report", "", "this page");
    buf_puts(b, "</code></pre>\n");
    buf_printf(b, "<p>This page was written by %s, built with %s.</p>\n", html_text(r->a, program_version()),
               html_text(r->a, gemm_name()));
    buf_puts(b, "<p>The configuration, complete:</p>\n");
    put_config(r, r->config, 0, &seen);
    if (r->linked)
        buf_puts(b,
                 "<p>The numbers as CSV: <a href=\"selected.csv\">selected.csv</a> (one row per case, mixer and slice, "
                 "after the choice of the learning rate), <a href=\"runs.csv\">runs.csv</a> (one row per run), <a "
                 "href=\"metrics.csv\">metrics.csv</a> (every metric of every run), <a href=\"plan.csv\">plan.csv</a> "
                 "(what was asked for).</p>\n");
    html_section_end(b);
}

void report_reading(Report *r)
{
    Buf *b = &r->b;
    html_section(b, "reading", "How to read it");
    buf_puts(
        b,
        "<dl class=\"reading\">\n"
        "<dt>A cell</dt><dd>The task's headline accuracy on the test split, first at the lengths trained on, then, "
        "after "
        "the arrow, at the greatest length evaluated. Of several seeds it is the median. Near 1 a number has three "
        "digits, "
        "cut off and not rounded, so that 1.00 means nothing was missed.</dd>\n"
        "<dt>The learning rate</dt><dd>is chosen for every case and mixer on the split <em>valid</em>, by the mean "
        "over "
        "seeds. The split <em>test</em> takes no part in any choice and is measured once.</dd>\n"
        "<dt>Solved</dt><dd>counts the seeds whose test accuracy at the training lengths reaches the accuracy at which "
        "training stops (stop_at).</dd>\n"
        "<dt>Chance</dt><dd>is the accuracy of the best constant answer. A number near it means nothing was "
        "learnt.</dd>\n"
        "<dt>Theory</dt><dd>speaks of every length: a high first number beside ✗ is a task learnt at one length, not "
        "the "
        "rule behind it. Look at the second number.</dd>\n"
        "<dt>Intervals</dt><dd>are the smallest and the largest seed, or Wilson's at 95 % if there is one seed. All "
        "mixers "
        "and seeds are measured on the same examples.</dd>\n"
        "<dt>Diverged</dt><dd>runs are results: they count as not solved. Failed runs and those that ran out of time "
        "give "
        "no number and are listed.</dd>\n"
        "</dl>\n");
    html_section_end(b);
}
