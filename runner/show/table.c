/* SPDX-License-Identifier: Apache-2.0
 * table.c - `seqprobe table`: mixers x cases, test accuracy at the training lengths and far beyond, beside theory; and
 * with `published:` in the config our numbers beside the literature's.
 */
#include "base/json.h"
#include "show/table.h"

#include <string.h>

static int output_width(void) { return term_is_tty(1) ? term_width(1) : 1000; }

/* The main table and, behind it, the other one. JSON: one object with both; CSV: the main table alone. */
static void print_both(const TableView *v, int n, const Comparison *c, Format format)
{
    Arena *a = v->a;
    Grid g = table_grid(v);
    const char *sweep = v->s->name;
    if (format == FORMAT_JSON) {
        Buf b = buf_new(a);
        buf_puts(&b, "{\"sweep\": ");
        json_text(&b, sweep);
        buf_printf(&b, ", \"cells\": %s, \"published\": %s}\n", grid_text(&g, format, -1),
                   published_text(sweep, n, c, format, 0, false, a));
        fputs(b.s, stdout);
    } else if (format == FORMAT_CSV) {
        grid_print(&g, format);
    } else {
        if (format == FORMAT_TABLE)
            fputs(table_text(v, output_width(), term_color(1)), stdout);
        else
            fputs(format == FORMAT_LATEX ? table_latex(v) : table_markdown(v), stdout);
        if (n) printf("\n%s", published_text(sweep, n, c, format, output_width(), term_color(1), a));
    }
}

static bool save(const Cells *s, const char *file, const char *text, Arena *a, Err *err)
{
    const char *path = path_join(a, s->dir, file);
    TRY(file_write_atomic(path, text, strlen(text), err));
    fprintf(stderr, "wrote %s\n", path);
    return true;
}

static bool save_all(const TableView *v, int n, const Comparison *c, Err *err)
{
    Arena *a = v->a;
    fflush(stdout);
    TRY(save(v->s, "table.md", table_markdown(v), a, err));
    if (!n) return true;
    return save(v->s, "published.md", published_text(v->s->name, n, c, FORMAT_MARKDOWN, 0, false, a), a, err) &&
           save(v->s, "published.csv", published_text(v->s->name, n, c, FORMAT_CSV, 0, false, a), a, err);
}

/* The comparisons, or none with a note when the folder is not there and nobody asked for them. */
static bool read_published(const Cells *s, bool asked, Arena *a, int *n, Comparison **c, Err *err)
{
    *n = 0;
    if (s->config_fault && asked) return err_set(err, EXIT_USAGE, "%s", s->config_fault);
    if (s->config_fault) fprintf(stderr, "note: title and published numbers are left out: %s\n", s->config_fault);
    if (!s->published && asked)
        return err_set(err, EXIT_USAGE, "no 'published:' in the config of %s: README.md shows one", s->name);
    if (!s->published) return true;
    if (!asked && !file_exists(s->reference)) {
        fprintf(stderr, "note: no %s here, so no table against the literature (--reference DIR)\n", s->reference);
        return true;
    }
    return comparisons_read(s, a, n, c, err);
}

static int run(Cli *c, Err *err)
{
    Cells s;
    Format format = cli_format(c);
    Arena *a = c->arena;
    Comparison *comparison = NULL;
    int n;
    const bool published = cli_bool(c, "published");
    if (c->n_args != 1 || c->n_sets)
        err_set(err, EXIT_USAGE, "usage: seqprobe table %s", c->command->synopsis);
    else if (published && cli_bool(c, "scaled"))
        err_set(err, EXIT_USAGE, "--scaled is for the main table; with --published the source decides");
    if (err->code || !cells_read(c->args[0], cli_string(c, "results"), a, &s, err)) return EXIT_USAGE;
    if (cli_given(c, "reference")) s.reference = cli_string(c, "reference");
    if (!read_published(&s, published || cli_given(c, "reference"), a, &n, &comparison, err)) return EXIT_USAGE;
    TableView v = table_view(&s, cli_bool(c, "scaled"), a);
    if (published)
        fputs(published_text(s.name, n, comparison, format, output_width(), term_color(1), a), stdout);
    else
        print_both(&v, n, comparison, format);
    if (cli_bool(c, "save") && !save_all(&v, n, comparison, err)) return EXIT_FAILED;
    return EXIT_OK;
}

static const Flag flags[] = {
    { "format", 'f', FLAG_STRING, "table", "table|csv|json|markdown|latex", "form; csv: one row per cell and slice" },
    { "published", 0, FLAG_BOOL, NULL, NULL, "only the table against the literature" },
    { "scaled", 0, FLAG_BOOL, NULL, NULL, "(accuracy - chance) / (1 - chance) instead of accuracies" },
    { "save", 0, FLAG_BOOL, NULL, NULL, "also write DIR/NAME/table.md, and published.md and published.csv" },
    { "results", 0, FLAG_STRING, "results", "DIR", "where the sweep's folder is" },
    { "reference", 0, FLAG_STRING, NULL, "DIR", "where the published numbers are (default: the program's)" },
    FLAG_END,
};

const Command command_table = {
    .name = "table",
    .synopsis = "CONFIG | NAME [--published] [--scaled] [--format FORMAT] [--save]",
    .summary = "what was learnt: mixers x cases, beside chance, theory and the literature",
    .description = "examples:\n"
                   "  seqprobe table configs/quick.yaml            collects the runs that have finished by now\n"
                   "  seqprobe table quick --format markdown       reads results/quick/selected.csv as it is\n"
                   "  seqprobe table core --published -f latex     ours | published | difference | verdict\n"
                   "\n"
                   "A config with `published:` has the table against the literature below its own (csv: only with\n"
                   "--published). results/reference/published/README.md says where the published numbers are from.\n",
    .flags = flags,
    .run = run,
};
