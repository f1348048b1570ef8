/* SPDX-License-Identifier: Apache-2.0
 * table_published.c - ours | published | difference | verdict | what differs, one part per published table.
 *
 *   parity, slice x4 (length 160): scaled acc_final, best of 3 seeds; chance 0.500
 *   Grazzi 2025 (2411.12537), Table 3: best; trained at 3-40, tested at 40-256
 *     theirs    ours   theory   value [interval]   published   difference   verdict   why   differs in
 *
 * The numbers in the last column are footnotes: what differs from the published setting.
 */
#include "show/table.h"

#include <math.h>
#include <string.h>

/* Three digits, cut off near 1. */
static const char *digits(Arena *a, double v)
{
    if (isnan(v)) return "";
    if (v >= 0.9995 && v < 1) return "0.999";
    return arena_printf(a, "%.3f", fabs(v) < 0.0005 ? 0 : v);
}

static const char *real_text(Arena *a, double v)
{
    Buf b = buf_new(a);
    buf_puts(&b, "");
    buf_real(&b, v);
    return b.s;
}

static const char *int_text(Arena *a, int v) { return v ? arena_printf(a, "%d", v) : ""; }

/* NaN is equal to NaN. */
static bool same_number(double x, double y) { return x == y || (isnan(x) && isnan(y)); }

/* Rows under one heading. */
static bool same_part(const Comparison *x, const Comparison *y)
{
    return x->table == y->table && !strcmp(x->kase, y->kase) && !strcmp(x->slice, y->slice) &&
           !strcmp(x->metric, y->metric) && !strcmp(x->over, y->over) && !strcmp(x->place, y->place) &&
           !strcmp(x->their_over, y->their_over) && !strcmp(x->their_eval_len, y->their_eval_len) &&
           x->seeds == y->seeds && x->len == y->len && same_number(x->chance, y->chance);
}

static int part_end(int n, const Comparison *c, int from)
{
    int to = from + 1;
    while (to < n && same_part(&c[from], &c[to])) to++;
    return to;
}

static const char *our_heading(const Comparison *c, Arena *a)
{
    const char *at = strcmp(c->slice, "train") ? arena_printf(a, ", slice %s", c->slice) : " at the training lengths";
    if (c->len) at = arena_printf(a, "%s (%s %d)", at, strcmp(c->slice, "train") ? "length" : "up to", c->len);
    if (!c->seeds) return arena_printf(a, "%s%s", c->kase, at);
    const char *chance = isnan(c->chance) ? "" : arena_printf(a, "; chance %.3f", c->chance);
    return arena_printf(a, "%s%s: %s, %s of %d seed%s%s", c->kase, at, c->metric, c->over, c->seeds,
                        c->seeds > 1 ? "s" : "", chance);
}

static const char *their_heading(const Comparison *c, Arena *a)
{
    Buf b = buf_new(a);
    const char *sep = ": ";
    buf_printf(&b, "%s, %s", c->source, c->place);
    if (*c->their_over) buf_printf(&b, "%s%s over seeds", sep, c->their_over), sep = "; ";
    if (*c->their_train_len) buf_printf(&b, "%strained at %s", sep, c->their_train_len), sep = "; ";
    if (*c->their_eval_len) buf_printf(&b, "%stested at %s", sep, c->their_eval_len);
    return b.s;
}

static const char *why_text(const Comparison *c, Arena *a)
{
    return *c->conflict ? arena_printf(a, "%s; %s", c->why, c->conflict) : c->why;
}

static const char *difference_text(const Comparison *c, Arena *a)
{
    double d = c->ours - c->theirs;
    if (isnan(d)) return "";
    return fabs(d) < 0.0005 ? "0.000" : arena_printf(a, "%+.3f", d);
}

static const char *const head[] = { "theirs",     "ours",    "theory", "measured",  "published",
                                    "difference", "verdict", "why",    "differs in" };
enum { COLS = sizeof head / sizeof head[0] };

/* Rows from..to-1 behind those of g, whose columns are those of head. */
static void add_part(Grid *g, const Comparison *c, int from, int to, const int *note)
{
    Arena *a = g->a;
    int n = to - from;
    double *x = ARENA_NEW(a, double, n);
    Interval *i = ARENA_NEW(a, Interval, n);
    bool *best = ARENA_NEW(a, bool, n);
    for (int k = 0; k < n; k++) {
        x[k] = c[from + k].ours;
        i[k] = (Interval){ c[from + k].ours_lo, c[from + k].ours_hi };
    }
    mark_best(n, x, i, best);
    for (int k = 0; k < n; k++) {
        const Comparison *r = &c[from + k];
        const char **row = grid_row(g), *ours = digits(a, r->ours);
        if (best[k]) ours = arena_printf(a, BOLD_ON "%s" BOLD_OFF, ours);
        row[0] = r->their_model;
        row[1] = r->mixer;
        row[2] = r->theory;
        if (!isnan(r->ours))
            row[3] = arena_printf(a, "%s [%s, %s]", ours, digits(a, r->ours_lo), digits(a, r->ours_hi));
        row[4] = r->secondary ? arena_printf(a, "%s †", r->published) : r->published;
        row[5] = difference_text(r, a);
        row[6] = comparison_verdict_name(r->verdict);
        row[7] = why_text(r, a);
        row[8] = arena_printf(a, "[%d]", note[from + k]);
    }
}

/* "Of 28 numbers: 18 agree, 6 keep the order alone, 3 differ, 1 without verdict." */
const char *published_summary(int n, const Comparison *c, Arena *a)
{
    int count[NO_VERDICT + 1] = { 0 };
    for (int i = 0; i < n; i++) count[c[i].verdict]++;
    return arena_printf(a, "Of %d numbers: %d agree, %d keep the order alone, %d differ, %d without verdict.", n,
                        count[AGREES], count[ORDER_ONLY], count[DIFFERS], count[NO_VERDICT]);
}

static bool any_secondary(int n, const Comparison *c)
{
    for (int i = 0; i < n; i++)
        if (c[i].secondary) return true;
    return false;
}

static const char reading[] =
    "Measured: best, median or mean of our seeds, as the source sums up its own; scaled is (acc - chance) / "
    "(1 - chance), chance always giving the most frequent answer. Its interval: Wilson's 95 % of the best seed; of the "
    "median all seeds, of the mean Student's 95 %, and at least Wilson's. agrees: within 0.05, or the intervals meet "
    "and ours is at most 0.2 wide; same order: another value, on the same side of every row of the table that is "
    "published more than 0.1 away; a text is compared with seeds solved. Settings differ as the notes in the last "
    "column say, so order is what can be expected, and equal values are not. Bold: the best of a part, where no other "
    "interval reaches it.";
static const char second_hand[] = "† read in a secondary source or off a figure.";

int published_parts(int n, const Comparison *c, const int *note, Arena *a, PublishedPart **out)
{
    int parts = 0;
    *out = ARENA_NEW(a, PublishedPart, n + 1);
    for (int from = 0, to; from < n; from = to) {
        to = part_end(n, c, from);
        PublishedPart *p = &(*out)[parts++];
        *p = (PublishedPart){ our_heading(&c[from], a), their_heading(&c[from], a), from,
                              grid_new(a, COLS, head, "llllrrlll") };
        add_part(&p->rows, c, from, to, note);
    }
    return parts;
}

const char *published_reading(int n, const Comparison *c, Arena *a)
{
    return any_secondary(n, c) ? arena_printf(a, "%s %s", reading, second_hand) : reading;
}

/* Two lines a row, for terminals that the table is too wide for. */
static void write_lines(int parts, const PublishedPart *part, bool color, Buf *b)
{
    for (int i = 0; i < parts; i++) {
        buf_printf(b, "\n%s\n%s\n", part[i].ours, part[i].theirs);
        for (int r = 0; r < part[i].rows.rows; r++) {
            const char **cell = part[i].rows.cell[r];
            buf_printf(b, "  %s (theirs: %s%s%s) %s\n    ", cell[1], cell[0], *cell[2] ? "; theory: " : "", cell[2],
                       cell[8]);
            if (*cell[3])
                buf_printf(b, "%s, ", text_marked(b->a, cell[3], color ? "\033[1m" : "", color ? "\033[0m" : ""));
            buf_printf(b, "published %s%s%s; %s%s%s\n", cell[4], *cell[5] ? ", difference " : "", cell[5], cell[6],
                       *cell[6] ? ": " : "", cell[7]);
        }
    }
}

static int widest_line(const char *s)
{
    int width = 0, at = 0;
    for (; *s; s++) {
        at = *s == '\n' ? 0 : at + (((unsigned char)*s & 0xc0) != 0x80);
        if (at > width) width = at;
    }
    return width;
}

static char *as_table(const char *sweep, int n, const Comparison *c, const char *const *text, int texts,
                      const int *note, int columns, bool color, Arena *a)
{
    Buf b = buf_new(a);
    const char *with_heading[COLS + 1] = { "" };
    const int wrap = columns < 116 ? columns : 116;
    PublishedPart *part;
    int parts = published_parts(n, c, note, a, &part);
    for (int i = 0; i < COLS; i++) with_heading[i + 1] = head[i];
    Grid g = grid_new(a, COLS + 1, with_heading, "lllllrrlll");
    for (int i = 0; i < parts; i++)
        for (int r = 0; r < part[i].rows.rows; r++) {
            const char **row = grid_row(&g);
            row[0] = arena_printf(a, "%s\n%s", part[i].ours, part[i].theirs);
            for (int k = 0; k < COLS; k++) row[1 + k] = part[i].rows.cell[r][k];
        }
    buf_printf(&b, "%s: ours and the literature's\n", sweep);
    const char *table = grid_text(&g, FORMAT_TABLE, 0); /* measured without colour */
    g.color = color;
    if (widest_line(table) > columns)
        write_lines(parts, part, color, &b);
    else
        buf_printf(&b, "\n%s", grid_text(&g, FORMAT_TABLE, 0));
    buf_puts(&b, "\n");
    buf_wrap(&b, published_summary(n, c, a), wrap);
    for (int i = 0; i < texts; i++) buf_wrap(&b, arena_printf(a, "[%d] %s", i + 1, text[i]), wrap);
    if (any_secondary(n, c)) buf_wrap(&b, second_hand, wrap);
    buf_wrap(&b, reading, wrap);
    return b.s;
}

static char *as_markdown(const char *sweep, int n, const Comparison *c, const char *const *text, int texts,
                         const int *note, Arena *a)
{
    Buf b = buf_new(a);
    buf_printf(&b, "## %s: ours and the literature's\n\n", sweep);
    PublishedPart *part;
    int parts = published_parts(n, c, note, a, &part);
    for (int i = 0; i < parts; i++)
        buf_printf(&b, "**%s**\n\n%s\n\n%s\n", part[i].ours, part[i].theirs,
                   grid_text(&part[i].rows, FORMAT_MARKDOWN, -1));
    buf_printf(&b, "%s\n\n", published_summary(n, c, a));
    for (int i = 0; i < texts; i++) buf_wrap(&b, arena_printf(a, "- [%d] %s", i + 1, text[i]), 120);
    buf_puts(&b, "\n");
    if (any_secondary(n, c)) buf_printf(&b, "%s\n\n", second_hand);
    buf_wrap(&b, reading, 120);
    return b.s;
}

static char *as_latex(const char *sweep, int n, const Comparison *c, const char *const *text, int texts,
                      const int *note, Arena *a)
{
    Buf b = buf_new(a);
    buf_puts(&b, "% needs \\usepackage{booktabs}\n\\begin{table}\n\\centering\\small\n\\caption{");
    buf_latex(&b, sweep);
    buf_printf(&b, ": ours and the literature's}\n\\begin{tabular}{llllrrlll}\n\\toprule\n");
    for (int i = 0; i < COLS; i++) buf_printf(&b, "%s%s", head[i], i < COLS - 1 ? " & " : " \\\\\n");
    PublishedPart *part;
    int parts = published_parts(n, c, note, a, &part);
    for (int i = 0; i < parts; i++) {
        buf_puts(&b, "\\midrule\n\\multicolumn{9}{l}{\\textbf{");
        buf_latex(&b, part[i].ours);
        buf_puts(&b, "}} \\\\\n\\multicolumn{9}{l}{\\textit{");
        buf_latex(&b, part[i].theirs);
        buf_puts(&b, "}} \\\\\n");
        grid_latex_rows(&part[i].rows, &b);
    }
    buf_puts(&b, "\\bottomrule\n\\end{tabular}\n\\par\\medskip\\footnotesize\n");
    buf_latex(&b, published_summary(n, c, a));
    buf_puts(&b, "\n");
    for (int i = 0; i < texts; i++) {
        buf_printf(&b, "\\par [%d] ", i + 1);
        buf_latex(&b, text[i]);
        buf_puts(&b, "\n");
    }
    if (any_secondary(n, c)) buf_puts(&b, "\\par "), buf_latex(&b, second_hand), buf_puts(&b, "\n");
    buf_puts(&b, "\\par ");
    buf_latex(&b, reading);
    buf_puts(&b, "\n\\end{table}\n");
    return b.s;
}

/* Everything, one row each. */
static Grid all_columns(int n, const Comparison *c, Arena *a)
{
    static const char *const columns[] = {
        "case",      "mixer",    "slice",     "len",    "metric",    "over",      "seeds",      "solved",
        "ours",      "ours_lo",  "ours_hi",   "source", "place",     "model",     "setting",    "their_over",
        "train_len", "eval_len", "published", "theirs", "theirs_lo", "theirs_hi", "difference", "verdict",
        "why",       "conflict", "chance",    "theory", "secondary", "deviation"
    };
    Grid g = grid_new(a, 30, columns, "lllrllrrrrrllllllllrrrrlllrlrl");
    for (int i = 0; i < n; i++) {
        const Comparison *r = &c[i];
        const char **row = grid_row(&g);
        const double number[] = { r->theirs, r->theirs_lo, r->theirs_hi, r->ours - r->theirs };
        row[0] = r->kase;
        row[1] = r->mixer;
        row[2] = r->slice;
        row[3] = int_text(a, r->len);
        row[4] = r->metric;
        row[5] = r->over;
        row[6] = arena_printf(a, "%d", r->seeds);
        row[7] = arena_printf(a, "%d", r->solved);
        row[8] = real_text(a, r->ours);
        row[9] = real_text(a, r->ours_lo);
        row[10] = real_text(a, r->ours_hi);
        row[11] = r->source;
        row[12] = r->place;
        row[13] = r->their_model;
        row[14] = r->their_setting;
        row[15] = r->their_over;
        row[16] = r->their_train_len;
        row[17] = r->their_eval_len;
        row[18] = r->published;
        for (int k = 0; k < 4; k++) row[19 + k] = real_text(a, number[k]);
        row[23] = comparison_verdict_name(r->verdict);
        row[24] = r->why;
        row[25] = r->conflict;
        row[26] = real_text(a, r->chance);
        row[27] = r->theory;
        row[28] = r->secondary ? "1" : "0";
        row[29] = r->deviation;
    }
    return g;
}

char *published_text(const char *sweep, int n, const Comparison *c, Format format, int columns, bool color, Arena *a)
{
    const char **text;
    int *note, texts = comparison_footnotes(n, c, a, &text, &note);
    if (format == FORMAT_TABLE) return as_table(sweep, n, c, text, texts, note, columns, color, a);
    if (format == FORMAT_MARKDOWN) return as_markdown(sweep, n, c, text, texts, note, a);
    if (format == FORMAT_LATEX) return as_latex(sweep, n, c, text, texts, note, a);
    Grid g = all_columns(n, c, a);
    return grid_text(&g, format, -1);
}
