/* SPDX-License-Identifier: Apache-2.0
 * figures.h - the figures of a sweep, for `plot` and the report.
 */
#ifndef SEQPROBE_FIGURES_H
#define SEQPROBE_FIGURES_H

#include "show/cells.h"

enum { DRAW_SVG = 1, DRAW_PNG = 2, DRAW_PDF = 4, DRAW_DUMB = 8 };

typedef struct Drawn {
    const char *kind, *name;           /* "length"; stem of its files */
    const char *caption;               /* what is drawn and how to read it */
    const char *stem;                  /* results/NAME/figures/STEM without extension; STEM.csv and what was drawn */
} Drawn;

/* The figures of the config, else the default ones, into results/NAME/figures/. `formats` is a sum of DRAW_*; DRAW_DUMB
 * prints to standard output. A figure of nothing is left out with a note on standard error. Fails without gnuplot, and
 * when gnuplot warns. */
bool figures_draw(const Cells *cells, int formats, Arena *a, int *n, Drawn **out, Err *err);
/* The same with the scripts of a folder (NULL: plots/, wherever the program's data is) and of one figure alone (NULL:
 * all), which then may not be empty. */
bool figures_draw_from(const Cells *cells, int formats, const char *scripts, const char *only, Arena *a, int *n,
                       Drawn **out, Err *err);
const char *figures_kinds(Arena *a);                       /* "heatmap, length, ..." */

#endif
