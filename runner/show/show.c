/* SPDX-License-Identifier: Apache-2.0
 * show.c - `seqprobe show TASK`: a few examples one can read.
 *
 * An example is a few rows of columns, one column per position, in blocks as wide as the terminal; a column is never
 * broken. Of an example of many blocks the first, the last and those with scored positions are shown.
 */
#include "show/examples.h"

#include <string.h>

enum { ROWS = 4, BLOCKS_SHOWN = 12, TABLE_SHOWN = 480 };

typedef struct Painter {
    const Examples *x;
    Arena *a;
    bool ids, all, color;
} Painter;

/* One example as text: rows[0] input, [1] target, then those of training and slices if there are any. */
typedef struct Sheet {
    int index, len, rows, label_width;
    const char *label[ROWS], **text[ROWS];
    const int *target;
    int *width;
    int blocks, *from; /* block k: positions from[k] .. from[k+1]-1 */
} Sheet;

static const char *cell_text(const Painter *p, int id, bool symbol, bool is_target)
{
    if (id == IGNORE) return ".";
    return symbol && !p->ids ? symbol_text(p->a, &p->x->use, id, is_target) : arena_printf(p->a, "%d", id);
}

static void add_row(const Painter *p, Sheet *s, const char *label, const int *id, bool symbol, bool is_target)
{
    const char **text = s->text[s->rows] = ARENA_NEW(p->a, const char *, s->len);
    if (text_width(label) > s->label_width) s->label_width = text_width(label);
    for (int t = 0; t < s->len; t++) {
        text[t] = cell_text(p, id[t], symbol, is_target);
        if (text_width(text[t]) > s->width[t]) s->width[t] = text_width(text[t]);
    }
    s->label[s->rows++] = label;
}

static Sheet sheet_of(const Painter *p, const Batch *b, const Batch *train, int i)
{
    const size_t at = (size_t)i * (size_t)b->stride;
    const char *slice = p->x->use.shape.slice_label;
    Sheet s = { .len = b->len[i], .target = b->target + at };
    s.width = ARENA_NEW(p->a, int, s.len);
    s.from = ARENA_NEW(p->a, int, s.len + 1);
    add_row(p, &s, "input", b->input + at, true, false);
    add_row(p, &s, "target", b->target + at, true, true);
    if (train) add_row(p, &s, "train", train->target + at, true, true);
    if (slice) add_row(p, &s, slice, b->slice_of + at, false, false);
    int left = 0;
    for (int t = 0; t < s.len; t++) {
        left -= 1 + s.width[t];
        if (t && left >= 0) continue;
        s.from[s.blocks++] = t;
        left = term_width(1) - 1 - 2 - (s.label_width > 8 ? s.label_width : 8) - 1 - s.width[t];
    }
    s.from[s.blocks] = s.len;
    if (s.blocks > 1 && s.label_width < 8) s.label_width = 8; /* "position" */
    return s;
}

/* Numbers of positions above a block: at its start and at round ones, where there is room. */
static void print_positions(const Painter *p, const Sheet *s, int k)
{
    Buf line = buf_new(p->a);
    const int from = s->from[k], to = s->from[k + 1], step = to - from > 24 ? 10 : 5;
    int at = 0, end = -1; /* column where position t begins; where the last number ended */
    for (int t = from; t < to; t++) {
        const char *number = arena_printf(p->a, "%d", t);
        const int n = (int)strlen(number), start = n <= s->width[t] ? at + s->width[t] - n : at;
        at += 1 + s->width[t];
        if ((t != from && t % step) || start <= end) continue;
        buf_printf(&line, "%*s%s", start - end - 1, "", number);
        end = start + n;
        buf_puts(&line, " ");
    }
    while (line.len && line.s[line.len - 1] == ' ') line.s[--line.len] = 0;
    printf("  %-*s %s%s%s\n", s->label_width, "position", p->color ? "\033[2m" : "", line.s, p->color ? "\033[0m" : "");
}

static const char *style_of(const Painter *p, const Sheet *s, int row, int t)
{
    if (!p->color) return "";
    if (!strcmp(s->text[row][t], ".") && row) return "\033[2m";
    if (s->target[t] == IGNORE) return "";
    return row == 1 ? "\033[1;32m" : row == 0 ? "\033[1m" : "";
}

static void print_block(const Painter *p, const Sheet *s, int k)
{
    if (s->blocks > 1) print_positions(p, s, k);
    for (int r = 0; r < s->rows; r++) {
        Buf line = buf_new(p->a);
        buf_puts(&line, "  ");
        buf_pad(&line, s->label[r], s->label_width, false);
        for (int t = s->from[k]; t < s->from[k + 1]; t++) {
            const char *style = style_of(p, s, r, t);
            buf_puts(&line, " ");
            buf_puts(&line, style);
            buf_pad(&line, s->text[r][t], s->width[t], true);
            if (*style) buf_puts(&line, "\033[0m");
        }
        printf("%s\n", line.s);
    }
}

static int scored_in(const Sheet *s, int from, int to)
{
    int n = 0;
    for (int t = from; t < to; t++) n += s->target[t] != IGNORE;
    return n;
}

/* The blocks to print: all, or of many the two ends and then those with scored positions, BLOCKS_SHOWN at most. */
static bool *choose_blocks(const Painter *p, const Sheet *s)
{
    bool *keep = ARENA_NEW(p->a, bool, s->blocks);
    const bool whole = p->all || s->blocks <= BLOCKS_SHOWN;
    int n = 2;
    for (int k = 0; k < s->blocks; k++) {
        keep[k] = whole || k == 0 || k == s->blocks - 1;
        if (keep[k] || n == BLOCKS_SHOWN || !scored_in(s, s->from[k], s->from[k + 1])) continue;
        keep[k] = true;
        n++;
    }
    return keep;
}

static void print_example(const Painter *p, const Sheet *s)
{
    const bool *keep = choose_blocks(p, s);
    printf("\nexample %d (%d position%s, %d scored)\n", s->index, s->len, s->len == 1 ? "" : "s",
           scored_in(s, 0, s->len));
    for (int k = 0; k < s->blocks; k++) {
        if (k) fputs("\n", stdout);
        if (keep[k]) {
            print_block(p, s, k);
            continue;
        }
        int last = k;
        while (!keep[last + 1]) last++; /* the last block is kept */
        const int scored = scored_in(s, s->from[k], s->from[last + 1]);
        printf("  ... positions %d to %d: ", s->from[k], s->from[last + 1] - 1);
        if (scored)
            printf("%d scored, not shown (--all shows them)\n", scored);
        else
            fputs("none is scored\n", stdout);
        k = last;
    }
}

/* One row per position; a target that is not scored is empty. */
static void print_rows(const Painter *p, const Batch *b, const Batch *train, Format format)
{
    const char *head[7] = { "index", "position", "input", "target" };
    const char *slice = p->x->use.shape.slice_label;
    char align[8] = "rrll";
    int cols = 4;
    if (train) head[cols] = "train", align[cols++] = 'l';
    if (slice) head[cols] = "slice", align[cols++] = 'r';
    Grid g = grid_new(p->a, cols, head, align);
    for (int i = 0; i < b->n; i++)
        for (int t = 0; t < b->len[i]; t++) {
            const size_t at = (size_t)i * (size_t)b->stride + (size_t)t;
            const int id[] = { b->input[at], b->target[at], train ? train->target[at] : b->slice_of[at],
                               b->slice_of[at] };
            const char **row = grid_row(&g);
            row[0] = arena_printf(p->a, "%d", p->x->first + i);
            row[1] = arena_printf(p->a, "%d", t);
            for (int k = 2; k < cols; k++)
                if (id[k - 2] != IGNORE) row[k] = cell_text(p, id[k - 2], !slice || k<cols - 1, k> 2);
        }
    grid_print(&g, format);
}

static void print_heading(const Painter *p, bool train)
{
    const TaskUse *use = &p->x->use;
    const TaskShape *s = &use->shape;
    const bool known = s->chance_majority > 0;
    const int width = term_width(1);
    Buf b = buf_new(p->a);
    buf_wrap(&b, arena_printf(p->a, "%s - %s", use->task->name, use->task->summary), width);
    const char *sizes =
        arena_printf(p->a, "%d input symbols, %d classes, at most %d positions; headline %s; chance %.3g (%s)",
                     s->vocab_in, s->vocab_out, s->max_len, s->headline, known ? s->chance_majority : s->chance_uniform,
                     known ? "best constant answer" : "uniform guess");
    buf_item(&b, "", 2, sizes, width);
    buf_item(&b, "", 2, "target: the class asked for after reading this position; a dot is not scored", width);
    if (train) buf_item(&b, "", 2, "train: the classes that training asks for instead", width);
    if (s->slice_label)
        buf_item(&b, "", 2, arena_printf(p->a, "%s: accuracy is also reported by this number", s->slice_label), width);
    const Value *made = use->task->tables ? use->task->tables(use->cfg, use->data, p->a)->first : NULL;
    for (; made; made = made->next) {
        const char *text = arena_printf(p->a, "%s: %s", made->key, value_canonical(p->a, made));
        if (strlen(text) <= TABLE_SHOWN) buf_item(&b, "", 2, text, width);
    }
    fputs(b.s, stdout);
}

static int run(Cli *c, Err *err)
{
    const int n = cli_int(c, "number");
    const Format format = cli_format(c);
    Examples x;
    Batch b, train;
    if (c->n_args != 1)
        err_set(err, EXIT_USAGE, "usage: seqprobe show %s", c->command->synopsis);
    else if (n < 1 || n > 100000)
        err_set(err, EXIT_USAGE, "-n: %d is not in 1..100000", n);
    if (err->code || !examples_open(c, c->args[0], n, &x, err)) return EXIT_USAGE;
    const Painter p = { &x, c->arena, cli_bool(c, "ids"), cli_bool(c, "all"), term_color(1) };
    if (format != FORMAT_TABLE) {
        examples_draw(&x, x.first, n, false, c->arena, &b);
        if (b.has_train) examples_draw(&x, x.first, n, true, c->arena, &train);
        print_rows(&p, &b, b.has_train ? &train : NULL, format);
        return EXIT_OK;
    }
    for (int i = 0; i < n; i++) {
        const size_t mark = arena_mark(c->arena);
        examples_draw(&x, x.first + i, 1, false, c->arena, &b);
        if (b.has_train) examples_draw(&x, x.first + i, 1, true, c->arena, &train);
        if (!i) print_heading(&p, b.has_train);
        Sheet s = sheet_of(&p, &b, b.has_train ? &train : NULL, 0);
        s.index = x.first + i;
        print_example(&p, &s);
        arena_reset(c->arena, mark);
    }
    return EXIT_OK;
}

static const Flag flags[] = {
    { "number", 'n', FLAG_INT, "3", "N", "examples" },
    { "format", 'f', FLAG_STRING, "table", "table|csv|json", "csv and json: one row per position" },
    { "ids", 0, FLAG_BOOL, NULL, NULL, "numbers in place of symbols" },
    { "all", 0, FLAG_BOOL, NULL, NULL, "long examples whole" },
    EXAMPLE_FLAGS,
    FLAG_END,
};

const Command command_show = {
    .name = "show",
    .synopsis = "TASK [key=value ...] [-n N] [--format csv]",
    .summary = "a few examples of a task, readable",
    .description = "examples:\n"
                   "  seqprobe show parity len=12\n"
                   "  seqprobe show parity len=[4,10] -n 5 --split test\n"
                   "\n"
                   "Each target stands below the position after which it is asked for. Rows are as wide as the\n"
                   "terminal, or COLUMNS.\n",
    .flags = flags,
    .run = run,
};
