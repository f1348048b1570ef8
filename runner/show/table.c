/* SPDX-License-Identifier: Apache-2.0
 * table.c - `seqprobe table`: mixers x cases, test accuracy at the training lengths and far beyond, beside theory.
 */
#include "show/cells.h"

#include <math.h>
#include <string.h>

static const char reading[] =
    "How to read it: a cell is the headline accuracy on the test split at the training lengths, then, after the "
    "arrow,\n"
    "at the greatest length evaluated. Of several seeds it is the median. The mark is what theory says of this class "
    "of\n"
    "model on this task at every length: + can, - cannot, c can under a condition, ~ only approximately or up to some\n"
    "length, ? open (seqprobe help task NAME says why). Below: seeds that solved the task at the training lengths,\n"
    "and after @ the step at which validation was solved (median). A high first number beside '-' is a task learnt at\n"
    "one length, not the rule behind it: look at the second.\n";

static char mark_of(const Cell *c)
{
    static const char mark[] = {
        [THEORY_OPEN] = '?', [THEORY_YES] = '+', [THEORY_NO] = '-', [THEORY_COND] = 'c', [THEORY_APPROX] = '~',
    };
    return c->has_theory ? mark[c->theory.verdict] : ' ';
}

/* Two digits, three near 1 and there cut off: rounding never hides that something was missed. */
static const char *accuracy(Arena *a, double v)
{
    if (isnan(v)) return "";
    if (v >= 0.98 && v < 1) return arena_printf(a, "%.3f", floor(v * 1000 + 1e-9) / 1000);
    return arena_printf(a, "%.2f", v);
}

static const char *count(Arena *a, double v)
{
    if (isnan(v)) return "";
    if (v < 10000) return arena_printf(a, "%.0f", v);
    return v < 1e6 ? arena_printf(a, "%.0fk", v / 1e3) : arena_printf(a, "%.1fM", v / 1e6);
}

static const char *first_line(Arena *a, const Cell *c)
{
    if (!c) return "";
    if (!c->n_seeds) return "not run";
    if (!c->n_points) return arena_printf(a, "diverged %c", mark_of(c));
    const Point *far = cell_longest(c);
    if (!far) return arena_printf(a, "%s %c", accuracy(a, c->point[0].acc), mark_of(c));
    return arena_printf(a, "%s → %s %c", accuracy(a, c->point[0].acc), accuracy(a, far->acc), mark_of(c));
}

static const char *second_line(Arena *a, const Cell *c)
{
    if (!c || !c->n_seeds || !c->n_points) return "";
    const char *step = isnan(c->step_solved) ? "" : arena_printf(a, " @%.0f", c->step_solved);
    return arena_printf(a, "%d/%d%s", c->point[0].solved, c->n_seeds, step);
}

/* "2112", or "2112-4224" when it differs between cases. */
static const char *state_text(const Cells *s, int m, Arena *a)
{
    double lo = (double)INFINITY, hi = -(double)INFINITY;
    for (int k = 0; k < s->cases; k++) {
        const Cell *c = cell_at(s, m, k);
        if (!c || !c->n_seeds || isnan(c->state)) continue;
        lo = fmin(lo, c->state);
        hi = fmax(hi, c->state);
    }
    if (lo > hi) return "";
    return lo == hi ? count(a, lo) : arena_printf(a, "%s-%s", count(a, lo), count(a, hi));
}

/* Any finished cell of a case: what the case has in common. */
static const Cell *any_cell(const Cells *s, int k)
{
    for (int m = 0; m < s->mixers; m++) {
        const Cell *c = cell_at(s, m, k);
        if (c && c->n_points) return c;
    }
    return NULL;
}

static Grid legend(const Cells *s, Arena *a)
{
    static const char *const head[] = { "case", "task", "metric", "chance", "n", "lengths", "solved at" };
    Grid g = grid_new(a, 7, head, "lllrrlr");
    for (int k = 0; k < s->cases; k++) {
        const Cell *c = any_cell(s, k);
        const char **row = grid_row(&g);
        row[0] = s->kase[k];
        if (!c) continue;
        const Point *far = cell_longest(c);
        row[1] = c->task;
        row[2] = c->metric;
        row[3] = isnan(c->point[0].chance) ? "" : arena_printf(a, "%.3f", c->point[0].chance);
        row[4] = arena_printf(a, "%ld", c->point[0].n / c->n_seeds);
        row[5] = far ? arena_printf(a, "%d → %d", c->point[0].len, far->len) : arena_printf(a, "%d", c->point[0].len);
        if (!isnan(c->stop_at)) row[6] = arena_printf(a, "%g", c->stop_at);
    }
    return g;
}

/* ---- terminal ---- */

/* Solved green, nothing learnt dim. */
static const char *color_of(const Cell *c)
{
    if (!c || !c->n_points) return "\033[2m";
    const Point *p = &c->point[0];
    if (2 * p->solved > c->n_seeds) return "\033[32m";
    return p->acc <= p->chance + 0.05 * (1 - p->chance) ? "\033[2m" : "";
}

static void end_line(Buf *b)
{
    while (b->len && b->s[b->len - 1] == ' ') b->s[--b->len] = 0;
    buf_puts(b, "\n");
}

/* Widths: of the labels, of the state column, of each case. */
typedef struct Layout {
    int label, state, *width;
} Layout;

/* Mixers x the cases from..to-1. */
static void write_block(const Cells *s, int from, int to, const Layout *l, bool color, Buf *b, Arena *a)
{
    const int *width = l->width, label = l->label, state = l->state;
    buf_pad(b, "", label, false);
    buf_pad(b, "state", state + 2, true);
    for (int k = from; k < to; k++) {
        buf_puts(b, "  ");
        buf_pad(b, s->kase[k], width[k], false);
    }
    end_line(b);
    for (int m = 0; m < s->mixers; m++)
        for (int line = 0; line < 2; line++) {
            buf_pad(b, line ? "" : s->mixer[m], label, false);
            buf_pad(b, line ? "" : state_text(s, m, a), state + 2, true);
            for (int k = from; k < to; k++) {
                const Cell *c = cell_at(s, m, k);
                buf_puts(b, "  ");
                if (color) buf_puts(b, line ? "\033[2m" : color_of(c));
                buf_pad(b, line ? second_line(a, c) : first_line(a, c), width[k], false);
                if (color) buf_puts(b, "\033[0m");
            }
            end_line(b);
        }
}

static char *table_text(const Cells *s, int columns, bool color, Arena *a)
{
    Buf b = buf_new(a);
    int label = 5, state = 5, *width = ARENA_NEW(a, int, s->cases);
    for (int m = 0; m < s->mixers; m++) {
        if (text_width(s->mixer[m]) > label) label = text_width(s->mixer[m]);
        if (text_width(state_text(s, m, a)) > state) state = text_width(state_text(s, m, a));
        for (int k = 0; k < s->cases; k++) {
            const Cell *c = cell_at(s, m, k);
            int w = text_width(first_line(a, c)), w2 = text_width(second_line(a, c));
            if (text_width(s->kase[k]) > width[k]) width[k] = text_width(s->kase[k]);
            if (w > width[k]) width[k] = w;
            if (w2 > width[k]) width[k] = w2;
        }
    }
    buf_printf(&b, "%s\n", s->title ? s->title : s->name);
    buf_wrap(&b, s->question ? s->question : "", columns < 116 ? columns : 116);
    for (int from = 0, to; from < s->cases; from = to) {
        int used = label + state + 2;
        for (to = from; to < s->cases && (to == from || used + 2 + width[to] <= columns); to++) used += 2 + width[to];
        buf_puts(&b, "\n");
        write_block(s, from, to, &(Layout){ label, state, width }, color, &b, a);
    }
    Grid g = legend(s, a);
    buf_printf(&b, "\n%s\n", grid_text(&g, FORMAT_TABLE, -1));
    buf_puts(&b, "state: reals of recurrent state per sequence, at the training lengths\n");
    buf_puts(&b, reading);
    return b.s;
}

/* ---- Markdown and CSV ---- */

static char *table_markdown(const Cells *s, Arena *a)
{
    const char **head = ARENA_NEW(a, const char *, s->cases + 2);
    char *align = ARENA_NEW(a, char, s->cases + 3);
    head[0] = "mixer";
    head[1] = "state";
    memset(align, 'l', (size_t)s->cases + 2);
    align[1] = 'r';
    for (int k = 0; k < s->cases; k++) head[2 + k] = s->kase[k];
    Grid g = grid_new(a, s->cases + 2, head, align);
    for (int m = 0; m < s->mixers; m++) {
        const char **row = grid_row(&g);
        row[0] = s->mixer[m];
        row[1] = state_text(s, m, a);
        for (int k = 0; k < s->cases; k++) {
            const Cell *c = cell_at(s, m, k);
            const char *second = second_line(a, c);
            row[2 + k] = *second ? arena_printf(a, "%s (%s)", first_line(a, c), second) : first_line(a, c);
        }
    }
    Buf b = buf_new(a);
    Grid cases = legend(s, a);
    buf_wrap(&b, s->question ? s->question : "", 120);
    buf_puts(&b, s->question ? "\n" : "");
    buf_printf(&b, "%s\n%s\n", grid_text(&g, FORMAT_MARKDOWN, -1), grid_text(&cases, FORMAT_MARKDOWN, -1));
    buf_puts(&b, "State: reals of recurrent state per sequence, at the training lengths.\n\n");
    buf_puts(&b, reading);
    return b.s;
}

static char *table_csv(const Cells *s, Arena *a)
{
    Buf b = buf_new(a);
    buf_puts(&b, "mixer,case,task,metric,n_seeds,lr,step_solved,state_reals,params,slice,len,acc,lo,hi,n,chance,solved,"
                 "theory,why\n");
    for (int m = 0; m < s->mixers; m++)
        for (int k = 0; k < s->cases; k++) {
            const Cell *c = cell_at(s, m, k);
            for (int i = 0; c && i < c->n_points; i++) {
                const Point *p = &c->point[i];
                const char *text[] = { s->mixer[m], s->kase[k], c->task, c->metric };
                const double number[] = { c->n_seeds, c->lr, c->step_solved, c->state, c->params };
                const double tail[] = { p->len, p->acc, p->lo, p->hi, (double)p->n, p->chance, p->solved };
                for (int j = 0; j < 4; j++) buf_csv(&b, text[j]), buf_puts(&b, ",");
                for (int j = 0; j < 5; j++) buf_real(&b, number[j]), buf_puts(&b, ",");
                buf_csv(&b, p->slice);
                for (int j = 0; j < 7; j++) buf_puts(&b, ","), buf_real(&b, tail[j]);
                buf_printf(&b, ",%s,", c->has_theory ? theory_verdict_name(c->theory.verdict) : "");
                buf_csv(&b, c->has_theory && c->theory.why ? c->theory.why : "");
                buf_puts(&b, "\n");
            }
        }
    return b.s;
}

static int run(Cli *c, Err *err)
{
    Cells s;
    Format format;
    Arena *a = c->arena;
    if (!format_read("--format", cli_string(c, "format"), &format, err)) return EXIT_USAGE;
    if (format == FORMAT_JSON)
        err_set(err, EXIT_USAGE, "--format: 'json' is not one of table, csv, markdown");
    else if (c->n_args != 1 || c->n_sets)
        err_set(err, EXIT_USAGE, "usage: seqprobe table %s", c->command->synopsis);
    if (err->code || !cells_read(c->args[0], cli_string(c, "results"), a, &s, err)) return EXIT_USAGE;
    if (format == FORMAT_CSV)
        fputs(table_csv(&s, a), stdout);
    else if (format == FORMAT_MARKDOWN)
        fputs(table_markdown(&s, a), stdout);
    else
        fputs(table_text(&s, term_is_tty(1) ? term_width(1) : 1000, term_color(1), a), stdout);
    if (cli_bool(c, "save")) {
        const char *path = path_join(a, s.dir, "table.md"), *text = table_markdown(&s, a);
        if (!file_write_atomic(path, text, strlen(text), err)) return EXIT_FAILED;
        fflush(stdout);
        fprintf(stderr, "wrote %s\n", path);
    }
    return EXIT_OK;
}

static const Flag flags[] = {
    { "format", 'f', FLAG_STRING, "table", "FORMAT", "table, csv (one row per cell and slice) or markdown" },
    { "save", 0, FLAG_BOOL, NULL, NULL, "also write it as DIR/NAME/table.md" },
    { "results", 0, FLAG_STRING, "results", "DIR", "where the sweep's folder is" },
    FLAG_END,
};

const Command command_table = {
    .name = "table",
    .synopsis = "CONFIG | NAME [--format FORMAT] [--save]",
    .summary = "what was learnt: mixers x cases, beside chance and theory",
    .description = "examples:\n"
                   "  seqprobe table configs/quick.yaml            collects the runs that have finished by now\n"
                   "  seqprobe table quick --format markdown       reads results/quick/selected.csv as it is\n",
    .flags = flags,
    .run = run,
};
