/* SPDX-License-Identifier: Apache-2.0
 * show.h - what the commands of this room share: text tables in four formats, plug-ins opened by name, UTF-8 widths.
 */
#ifndef SEQPROBE_SHOW_H
#define SEQPROBE_SHOW_H

#include "base/file.h"
#include "cli.h"
#include "mixer.h"
#include "task.h"

typedef enum { FORMAT_TABLE, FORMAT_CSV, FORMAT_JSON, FORMAT_MARKDOWN } Format;
/* One of the '|'-separated allowed names, in the order of Format. */
bool format_read(const char *flag, const char *text, Format *out, Err *err);

/* A table of text. Columns are 'l' or 'r'; an 'r' cell that is a number is one in JSON, an empty cell is null. */
typedef struct Grid { Arena *a; int cols, rows, cap; const char **head, *align, ***cell; } Grid;
Grid  grid_new(Arena *a, int cols, const char *const *head, const char *align);
/* Appends an empty row and returns its cells. */
const char **grid_row(Grid *g);
/* The whole table as text that ends in a newline. FORMAT_TABLE separates columns by two blanks, and with a group
 * column (index, or -1) prints a blank line and the value once where that column changes. */
char *grid_text(const Grid *g, Format format, int group);

int   text_width(const char *utf8);                       /* code points */
void  buf_pad(Buf *b, const char *utf8, int width, bool right);
void  buf_wrap(Buf *b, const char *text, int width);      /* words in lines of at most width, each ended */
const char *bytes_markdown(Arena *a, const char *s);      /* '|' escaped */

/* tasks/FAMILY/NAME.c or models/FAMILY/NAME.c -> FAMILY */
const char *family_of(Arena *a, const char *file);

/* A task with options from command-line settings ("len=12" or "task.len=12"), its tables and sizes. */
typedef struct TaskUse { const Task *task; void *cfg, *data; TaskShape shape; } TaskUse;
const Task *task_named(const char *name, Err *err);       /* NULL and "did you mean" if unknown */
bool task_open(const char *name, int n_sets, const char *const *sets, uint64_t table_seed, Arena *a, TaskUse *out,
               Err *err);
const Mixer *mixer_named(const char *name, Err *err);
/* "unknown WHAT 'name' (did you mean ...)", or else_say in the brackets when nothing is near; returns false. */
bool fail_unknown(Err *err, const char *what, const char *name, const char *const *names, const char *else_say);

/* Recurrent state of one layer at its default options, d_model 64: reals that stay, and reals added per token. */
bool mixer_state(const Mixer *m, Arena *a, size_t *fixed, size_t *per_token);

#endif
