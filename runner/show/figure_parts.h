/* SPDX-License-Identifier: Apache-2.0
 * figure_parts.h - what the kinds of figures share. A kind is one row of figure_kinds[] (figures.c), a function that
 * writes the CSV it is drawn from, and a script plots/NAME.gp that draws nothing but that CSV.
 */
#ifndef SEQPROBE_FIGURE_PARTS_H
#define SEQPROBE_FIGURE_PARTS_H

#include "show/cells.h"

typedef struct FigureKind FigureKind;

typedef struct Figure {
    const FigureKind *kind;
    const char *name;                  /* stem of its files */
    int choice;                        /* index into kind->choice */
    int cases, mixers;                 /* chosen ones, as indices into Cells; data() leaves out those without numbers */
    int *kase, *mixer;
    /* Set by data(). */
    int points, panels;                /* drawn; 0: nothing to draw */
    int width, height;                 /* of the picture, in SVG units */
    int rows;                          /* on a terminal, per panel */
    Buf variables;                     /* further gnuplot assignments, each ended by "; " */
    char *caption;                     /* what is drawn and how to read it */
    const char *note;                  /* what only a terminal needs to be told, or NULL */
    double x_min, x_max;
} Figure;

struct FigureKind {
    const char *name;
    const char *key, *choice[4];       /* a key of its own in `figures:`, and its values, the default first; or NULL */
    const char *empty;                 /* why there may be nothing to draw */
    /* Write the CSV; false only for files that cannot be read. */
    bool (*data)(const Cells *s, Figure *f, Buf *csv, Err *err);
    /* Is it among the figures of a config that lists none, at this choice? */
    bool (*fits)(const Cells *s, int choice);
};

/* figure_table.c, figure_lines.c, figure_runs.c */
bool data_heatmap(const Cells *s, Figure *f, Buf *csv, Err *err);
bool data_length(const Cells *s, Figure *f, Buf *csv, Err *err);
bool data_state(const Cells *s, Figure *f, Buf *csv, Err *err);
bool data_solved(const Cells *s, Figure *f, Buf *csv, Err *err);
bool data_curves(const Cells *s, Figure *f, Buf *csv, Err *err);
bool data_cost(const Cells *s, Figure *f, Buf *csv, Err *err);
bool fits_heatmap(const Cells *s, int choice);
bool fits_length(const Cells *s, int choice);
bool fits_state(const Cells *s, int choice);
bool fits_solved(const Cells *s, int choice);
bool fits_curves(const Cells *s, int choice);
bool fits_cost(const Cells *s, int choice);

/* ---- for data functions ---- */

void put_real(Buf *csv, double v);                         /* a comma and the number */
void put_labels(Buf *csv, const Cells *s, int kase, int mixer);   /* "case,mixer" */
/* Drop cases, and mixers, of which no cell is wanted: gnuplot warns of an empty curve or axis. */
void keep_drawn(const Cells *s, Figure *f, bool (*wanted)(const Cell *c));
bool has_points(const Cell *c);
bool has_lengths(const Cell *c);                           /* several of them */
/* Labels of mixers are cut to LABEL_MAX characters, on a terminal to LABEL_DUMB; cases on an axis to CASE_MAX. */
enum { LABEL_MAX = 48, LABEL_DUMB = 26, CASE_MAX = 28 };
int  widest_label(const Cells *s, const Figure *f);        /* of the chosen mixers, in characters */
const char *shortened(Arena *a, const char *text, int n);  /* at most n characters, the last an ellipsis if need be */
/* Sizes of a figure of n panels in a grid with a legend, and ROWS, COLS, PANELS, LEGEND, LABEL_Y for the script. end:
 * where the lines of the mixers end, if names beside them may replace the legend (one panel, six lines), or NULL. */
void layout_panels(const Cells *s, Figure *f, int n, const char *const *title, const double *end);
/* CHANCES: by panel (a column of the CSV), is there a chance to draw; CHANCE: in any. gnuplot warns of empty lines. */
bool set_chances(Figure *f, const Buf *csv, const char *panel, Err *err);
/* "median over 3 seeds" or "one seed", of the chosen cells */
const char *seeds_text(const Cells *s, const Figure *f, Arena *a);
const char *bars_text(const Cells *s, const Figure *f);    /* what their intervals are */
const char *metrics_text(const Cells *s, const Figure *f, Arena *a);   /* "acc_token, acc_mean" */
/* Assignments in gnuplot's words. */
void set_text(Buf *b, const char *name, const char *text);
void set_words(Buf *b, const char *name, const char *const *word, int n);

/* Run plots/SCRIPT with assignments. Anything that looks like a warning on standard error is a failure. */
bool gnuplot_run(const char *assignments, const char *script, Arena *a, Err *err);

#endif
