/* SPDX-License-Identifier: Apache-2.0
 * plot.c - `seqprobe plot`: the figures of a sweep as files, or on the terminal.
 */
#include "show/figures.h"

#include <string.h>

static const char *const formats[] = { "svg", "png", "pdf" };

/* "svg,png" as a sum of DRAW_*. */
static bool read_formats(const char *text, int *out, Err *err)
{
    *out = 0;
    for (const char *s = text; *s;) {
        size_t n = strcspn(s, ",");
        int i = 0;
        while (i < 3 && (strlen(formats[i]) != n || strncmp(s, formats[i], n) != 0)) i++;
        if (i == 3)
            return err_set(err, EXIT_USAGE, "--format: '%.*s' is not one of svg, png, pdf (several: svg,pdf)", (int)n,
                           s);
        *out |= 1 << i;
        s += n + (s[n] == ',');
    }
    return *out || err_set(err, EXIT_USAGE, "--format: expected some of svg, png, pdf, such as svg,pdf");
}

static int run(Cli *c, Err *err)
{
    Cells s;
    Drawn *drawn;
    int n, wanted = DRAW_DUMB;
    const char *term = cli_string(c, "term");
    if (c->n_args != 1 || c->n_sets)
        err_set(err, EXIT_USAGE, "usage: seqprobe plot %s", c->command->synopsis);
    else if (term && strcmp(term, "dumb") != 0)
        err_set(err, EXIT_USAGE, "--term: '%s' is not dumb; files are chosen by --format svg,png,pdf", term);
    else if (term && cli_given(c, "format"))
        err_set(err, EXIT_USAGE, "--term draws on the terminal and --format writes files; give one of them");
    else if (!term)
        read_formats(cli_string(c, "format"), &wanted, err);
    if (err->code || !cells_read(c->args[0], cli_string(c, "results"), c->arena, &s, err)) return EXIT_USAGE;
    if (!figures_draw_from(&s, wanted, cli_string(c, "plots"), cli_string(c, "figure"), c->arena, &n, &drawn, err))
        return EXIT_FAILED;
    for (int i = 0; !term && i < n; i++) {
        printf("%s.csv\n", drawn[i].stem);
        for (int k = 0; k < 3; k++)
            if (wanted & 1 << k) printf("%s.%s\n", drawn[i].stem, formats[k]);
    }
    return EXIT_OK;
}

static const Flag flags[] = {
    { "format", 'f', FLAG_STRING, "svg,png", "LIST", "files to draw: some of svg, png, pdf" },
    { "term", 0, FLAG_STRING, NULL, "dumb", "draw with characters on the terminal, and write only the CSVs" },
    { "figure", 0, FLAG_STRING, NULL, "NAME", "this figure alone, by its name" },
    { "results", 0, FLAG_STRING, "results", "DIR", "where the sweep's folder is" },
    { "plots", 0, FLAG_STRING, NULL, "DIR", "where the gnuplot scripts are (default: plots/ of the program)" },
    FLAG_END,
};

const Command command_plot = {
    .name = "plot",
    .synopsis = "CONFIG | NAME [--format LIST | --term dumb] [--figure NAME]",
    .summary = "figures, and the CSVs they are drawn from",
    .description = "examples:\n"
                   "  seqprobe plot configs/quick.yaml\n"
                   "  seqprobe plot quick --term dumb --figure heatmap\n"
                   "  seqprobe plot quick --format pdf\n"
                   "\n"
                   "Writes DIR/NAME/figures/: STEM.csv, exactly the numbers drawn, STEM.txt, the caption, and the\n"
                   "pictures, drawn by gnuplot and plots/KIND.gp. `figures:` in a config chooses:\n"
                   "  {kind: heatmap, at: train | longest}     accuracy, mixers x cases\n"
                   "  {kind: solved, at: train | longest}      seeds that solved each case\n"
                   "  {kind: length}                           accuracy against length\n"
                   "  {kind: state}                            accuracy against state, with the memory floor\n"
                   "  {kind: curves, y: accuracy | loss}       learning curves\n"
                   "  {kind: cost, x: cpu | flops}             accuracy against the cost of a run\n"
                   "each with cases: [...], mixers: [...] and name: STEM if wanted.\n",
    .flags = flags,
    .run = run,
};
