/* SPDX-License-Identifier: Apache-2.0
 * grid.h - the result of a command as a table of text in the forms of --format, and UTF-8 text of a given width.
 */
#ifndef SEQPROBE_GRID_H
#define SEQPROBE_GRID_H

#include "base/file.h"

typedef enum { FORMAT_TABLE, FORMAT_CSV, FORMAT_JSON, FORMAT_MARKDOWN, FORMAT_LATEX } Format;
/* One of table, csv, json, markdown, latex; `flag` is where it was given. */
bool format_read(const char *flag, const char *text, Format *out, Err *err);

/* A table of text. Columns are 'l' or 'r'; an 'r' cell that is a number is one in JSON, an empty cell is null.
 * BOLD_ON ... BOLD_OFF inside a cell become **...** in Markdown, \textbf{...} in LaTeX, bold type in a table if `color`
 * is set, and nothing elsewhere. */
#define BOLD_ON "\x01"
#define BOLD_OFF "\x02"
typedef struct Grid { Arena *a; int cols, rows, cap; const char **head, *align, ***cell; bool color; } Grid;
Grid  grid_new(Arena *a, int cols, const char *const *head, const char *align);
/* The cells of a CSV file; columns of numbers are 'r'. */
Grid  grid_of_csv(Arena *a, const Csv *csv);
/* Appends an empty row and returns its cells. */
const char **grid_row(Grid *g);
/* The whole table as text that ends in a newline. FORMAT_TABLE separates columns by two blanks, and with a group
 * column (index, or -1) prints a blank line and the value once where that column changes. */
char *grid_text(const Grid *g, Format format, int group);
void  grid_print(const Grid *g, Format format);           /* on standard output */

/* LaTeX (booktabs): the rows alone, without \toprule and what is around it, for tables of several parts. */
void  grid_latex_rows(const Grid *g, Buf *b);
/* For LaTeX: special characters escaped, the symbols of our tables as commands. */
void  buf_latex(Buf *b, const char *utf8);
/* The text with its marks of emphasis replaced. */
const char *text_marked(Arena *a, const char *s, const char *on, const char *off);

int   text_width(const char *utf8);                       /* code points; marks of emphasis have none */
void  buf_pad(Buf *b, const char *utf8, int width, bool right);
void  buf_wrap(Buf *b, const char *text, int width);      /* words in lines of at most width, each ended */
const char *bytes_markdown(Arena *a, const char *s);      /* '|' escaped */

#endif
