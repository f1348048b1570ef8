/* SPDX-License-Identifier: Apache-2.0
 * table.h - the parts of `seqprobe table`: mixers x cases, and our numbers beside the published ones, in each format.
 */
#ifndef SEQPROBE_TABLE_H
#define SEQPROBE_TABLE_H

#include "show/published.h"

/* ---- mixers x cases ---- */

/* Cells with what the table adds to them: emphasis, and (acc - chance) / (1 - chance) in place of accuracies. */
typedef struct TableView {
    const Cells *s; Arena *a;
    bool scaled;
    bool *best[2];                     /* [mixer * cases + case]: at the training lengths; far beyond */
} TableView;
TableView table_view(const Cells *s, bool scaled, Arena *a);

/* Which of n values are best: the highest and those whose intervals meet its own, if all others are apart from all of
 * these, and if there are others. Values that are NaN do not take part. */
void mark_best(int n, const double *x, const Interval *i, bool *best);

/* Texts of a cell; with marks of emphasis. */
const char *cell_first_line(const TableView *v, int mixer, int kase);    /* "0.997 → 0.62 +" */
const char *cell_second_line(const TableView *v, int mixer, int kase);   /* "2/3 @400" */
const char *state_text(const TableView *v, int mixer);                   /* "2112", or "2112-4224" between cases */
const char *chance_text(const TableView *v, int kase);                   /* "0.50 → 0.50" */
const char *accuracy_text(Arena *a, double v);
/* What the cases have in common: task, metric, chance, seeds, lengths. */
Grid table_legend(const TableView *v);
/* How to read it, and what its metrics are: sentences for every format, in lines. */
const char *table_reading(const TableView *v);

/* Mixers x cases, or, of many cases and few mixers (tall), cases x mixers: one line of text per cell. */
Grid table_main(const TableView *v);
bool table_is_tall(const TableView *v);

char *table_text(const TableView *v, int columns, bool color);
char *table_markdown(const TableView *v);
char *table_latex(const TableView *v);
Grid  table_grid(const TableView *v);                     /* one row per cell and slice: CSV and JSON */

/* ---- ours | published ---- */

/* FORMAT_CSV and FORMAT_JSON: one row per comparison with everything; the others: one part per published table.
 * FORMAT_TABLE takes two lines a row where a line of the table is wider than columns. */
char *published_text(const char *sweep, int n, const Comparison *c, Format format, int columns, bool color, Arena *a);

/* The same in pieces: a table per published one, its rows from c[from] on, in the columns of FORMAT_MARKDOWN. */
typedef struct PublishedPart { const char *ours, *theirs; int from; Grid rows; } PublishedPart;
int published_parts(int n, const Comparison *c, const int *note, Arena *a, PublishedPart **out);
const char *published_summary(int n, const Comparison *c, Arena *a);     /* "Of 28 numbers: 18 agree, ..." */
const char *published_reading(int n, const Comparison *c, Arena *a);

#endif
