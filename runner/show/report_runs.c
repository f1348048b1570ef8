/* SPDX-License-Identifier: Apache-2.0
 * report_runs.c - the runs that gave no number, those that diverged, and the machines that made the rest.
 *
 * Everything that depends on when and where the runs were made is in report_machines and nowhere else.
 */
#include "show/report.h"

#include <math.h>
#include <string.h>

/* ---- what the runs say of themselves ---- */

/* The same words for several runs are one warning. */
static void add_warning(Report *r, const RowResult *run, const char *text)
{
    for (int i = 0; i < r->warnings; i++)
        if (!strcmp(r->warning[i].text, text) && !strcmp(r->warning[i].run->row->case_label, run->row->case_label) &&
            !strcmp(r->warning[i].run->row->mixer_label, run->row->mixer_label)) {
            r->warning[i].runs++;
            return;
        }
    if (r->warnings == WARNINGS_SHOWN) return;
    r->warning[r->warnings++] = (RunWarning){ run, arena_strdup(r->a, text), 1 };
}

static bool same(const char *x, const char *y) { return !strcmp(x, y); }

static Machine *machine_of(Machine *list, int *n, const Machine *m)
{
    for (int i = 0; i < *n; i++)
        if (same(list[i].program, m->program) && same(list[i].compiler, m->compiler) && same(list[i].host, m->host) &&
            same(list[i].products, m->products) && same(list[i].flags, m->flags))
            return &list[i];
    list[*n] = *m;
    return &list[(*n)++];
}

/* What the manifest (JSON, which is YAML) and timing.csv say of a run. */
static void read_run(Report *r, const RowResult *run)
{
    Value *m = NULL;
    Csv csv = { 0 };
    Err none = { 0 };
    size_t mark = arena_mark(r->tmp);
    if (!yaml_read(path_join(r->tmp, run->dir, "manifest.json"), r->tmp, &m, &none)) m = NULL;
    const char *timing = path_join(r->tmp, run->dir, "timing.csv");
    if (!file_exists(timing) || !csv_read(timing, r->tmp, &csv, &none) || csv.rows != 1) csv = (Csv){ 0 };
    const char *host = csv.rows ? csv_get(&csv, 0, "host") : value_text(m, "host", "?");
    const char *started = csv.rows ? csv_get(&csv, 0, "started") : "";
    Machine one = { .program = value_text(m, "program", "?"),
                    .compiler = value_text(m, "compiler", "?"),
                    .products = value_text(value_get(m, "libraries"), "products", value_text(m, "products", "?")),
                    .flags = value_text(m, "flags", "?"),
                    .host = host };
    int before = r->machines;
    Machine *at = machine_of(r->machine, &r->machines, &one);
    if (r->machines > before) {
        const char **text[] = { &at->program, &at->compiler, &at->products, &at->flags, &at->host };
        for (int i = 0; i < 5; i++) *text[i] = arena_strdup(r->a, *text[i]);
        at->first = at->last = arena_strdup(r->a, started);
    }
    if (*started && (!*at->first || strcmp(started, at->first) < 0)) at->first = arena_strdup(r->a, started);
    if (*started && strcmp(started, at->last) > 0) at->last = arena_strdup(r->a, started);
    at->runs++;
    at->cpu += csv.rows ? csv_num(&csv, 0, "cpu_s") : 0;
    const Value *said = value_get(m, "warnings");
    for (const Value *v = said ? said->first : NULL; v; v = v->next)
        if (v->kind == VALUE_SCALAR) add_warning(r, run, v->text);
    arena_reset(r->tmp, mark);
}

void report_read_runs(Report *r)
{
    r->machine = ARENA_NEW(r->a, Machine, r->runs + 1);
    r->warning = ARENA_NEW(r->a, RunWarning, WARNINGS_SHOWN);
    for (int i = 0; i < r->runs; i++)
        if (run_state_final(r->run[i]->state)) read_run(r, r->run[i]);
}

static void list_warnings(Report *r)
{
    static const char *const head[] = { "Case", "Mixer", "Warning", "Runs" };
    Buf *b = &r->b;
    if (!r->warnings) return;
    html_details(b, arena_printf(r->a, "%d warning%s of the runs themselves%s", r->warnings, r->warnings > 1 ? "s" : "",
                                 r->warnings == WARNINGS_SHOWN ? " or more" : ""));
    html_table(b, "What looked odd to a run: a result below chance, parameters that start alike", "prose", 4, head);
    for (int i = 0; i < r->warnings; i++) {
        const RunWarning *w = &r->warning[i];
        html_row_head(b, w->run->row->case_label);
        html_cell(b, w->run->row->mixer_label);
        buf_printf(b, "<td class=\"text\">%s</td><td class=\"n\">%d</td></tr>\n", html_text(r->a, w->text), w->runs);
    }
    html_table_end(b);
    html_details_end(b);
}

/* ---- failures ---- */

/* "parity / gla, train.lr 0.003, seed 1" */
static const char *run_label(const Report *r, const PlanRow *row)
{
    Buf b = buf_new(r->a);
    buf_printf(&b, "%s / %s", row->case_label, row->mixer_label);
    for (int i = 0; i < r->plan.axes; i++)
        if (*row->cell[i]) buf_printf(&b, ", %s %s", r->plan.axis[i], row->cell[i]);
    buf_printf(&b, ", seed %llu", (unsigned long long)row->seed);
    return b.s;
}

static void put_log(Report *r, const RowResult *run)
{
    const char *id = run->row->id, *path = html_text(r->a, arena_printf(r->a, "%s/log.txt", run->dir));
    if (r->linked)
        buf_printf(&r->b, "<td><a href=\"../runs/%s/log.txt\"><code>%s</code></a></td>", id, path);
    else
        buf_printf(&r->b, "<td><code>%s</code></td>", path);
}

static int list_runs(Report *r, const char *caption, unsigned states)
{
    static const char *const head[] = { "Run", "What", "State", "Message", "Log" };
    Buf *b = &r->b;
    int n = 0;
    for (int i = 0; i < r->runs; i++) {
        const RowResult *run = r->run[i];
        if (!(states & 1u << run->state)) continue;
        if (!n++) html_table(b, caption, "prose", 5, head);
        const char *message = run->result.rows ? csv_get(&run->result, 0, "message") : "";
        const char *steps = run->result.rows ? csv_get(&run->result, 0, "steps_done") : "";
        if (*steps) message = arena_printf(r->a, "%s%safter %s steps", message, *message ? ", " : "", steps);
        html_row_head(b, run->row->id);
        html_cell(b, run_label(r, run->row));
        html_cell(b, run_state_name(run->state));
        buf_printf(b, "<td class=\"text\">%s</td>", html_text(r->a, message));
        put_log(r, run);
        buf_puts(b, "</tr>\n");
    }
    if (n) html_table_end(b);
    return n;
}

/* Runs that have not ended, counted by case and state. */
static void list_open(Report *r)
{
    static const char *const head[] = { "Case", "Mixer", "Runs left" };
    Buf *b = &r->b;
    html_table(b, "What has not been run to its end", "prose", 3, head);
    for (int i = 0; i < r->runs;) {
        const PlanRow *first = r->run[i]->row;
        int left = 0, n = 0;
        for (; i < r->runs && !strcmp(r->run[i]->row->case_label, first->case_label) &&
               !strcmp(r->run[i]->row->mixer_label, first->mixer_label);
             i++, n++)
            left +=
                !run_state_final(r->run[i]->state) && r->run[i]->state != RUN_FAILED && r->run[i]->state != RUN_TIMEOUT;
        if (!left) continue;
        html_row_head(b, first->case_label);
        html_cell(b, first->mixer_label);
        buf_printf(b, "<td class=\"n\">%d of %d</td></tr>\n", left, n);
    }
    html_table_end(b);
}

void report_failures(Report *r)
{
    int open = r->count[RUN_NEW] + r->count[RUN_RUNNING] + r->count[RUN_INTERRUPTED];
    html_section(&r->b, "failures", "Failures");
    int failed = list_runs(r, "Runs that failed or ran out of time", 1u << RUN_FAILED | 1u << RUN_TIMEOUT);
    if (!failed) buf_puts(&r->b, "<p>✓ No run failed or ran out of time.</p>\n");
    int diverged = list_runs(r, "Runs that diverged: a result, counted as unsolved", 1u << RUN_DIVERGED);
    if (!diverged) buf_puts(&r->b, "<p>✓ No run diverged.</p>\n");
    if (open) {
        buf_printf(&r->b, "<p>%d runs have not ended: %d waiting, %d running, %d interrupted.</p>\n", open,
                   r->count[RUN_NEW], r->count[RUN_RUNNING], r->count[RUN_INTERRUPTED]);
        list_open(r);
    }
    list_warnings(r);
    html_section_end(&r->b);
}

/* ---- machines ---- */

/* "2026-11-30 19:39 – 20:28" from two of 2026-11-30T19:39:42Z. */
static const char *period_text(Arena *a, const char *first, const char *last)
{
    if (strlen(first) < 16 || strlen(last) < 16) return first;
    bool one_day = !strncmp(first, last, 10);
    return arena_printf(a, "%.10s %.5s – %.10s%s%.5s", first, first + 11, one_day ? "" : last, one_day ? "" : " ",
                        last + 11);
}

void report_machines(Report *r)
{
    static const char *const head[] = {
        "Program", "Host", "Runs", "CPU minutes", "First and last start (UTC)", "Compiler, flags, products"
    };
    const Machine *list = r->machine;
    Buf *b = &r->b;
    int n = r->machines;
    double cpu = 0;
    for (int i = 0; i < n; i++) cpu += list[i].cpu;
    html_section(b, "machines", "Machines and time");
    if (!n) buf_puts(b, "<p>No finished run yet.</p>\n");
    if (n) {
        buf_printf(b, "<p>%d finished runs took %.1f CPU minutes.</p>\n", r->finished, cpu / 60);
        html_table(b, "What made the finished runs", "prose", 6, head);
    }
    for (int i = 0; i < n; i++) {
        const Machine *m = &list[i];
        html_row_head(b, m->program);
        html_cell(b, m->host);
        buf_printf(b, "<td class=\"n\">%d</td><td class=\"n\">%.1f</td>", m->runs, m->cpu / 60);
        html_cell(b, period_text(r->a, m->first, m->last));
        buf_printf(b, "<td class=\"text\">%s<br />%s<br />%s</td></tr>\n", html_text(r->a, m->compiler),
                   html_text(r->a, m->flags), html_text(r->a, m->products));
    }
    if (n) html_table_end(b);
    html_section_end(b);
}
