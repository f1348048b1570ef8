/* SPDX-License-Identifier: Apache-2.0
 * show.h - what the commands of this room share: plug-ins opened by name.
 */
#ifndef SEQPROBE_SHOW_H
#define SEQPROBE_SHOW_H

#include "base/grid.h"
#include "cli.h"
#include "mixer.h"
#include "task.h"

/* ---- help ---- */

int   help_width(void);                                   /* columns of help on standard output */
/* "left   text", the text from column indent on and wrapped, below left if that is too wide. */
void  buf_item(Buf *b, const char *left, int indent, const char *text, int width);
/* Paragraphs filled to width; blank and indented lines as they are. */
void  buf_paragraphs(Buf *b, const char *text, int width);
char *flag_text(Arena *a, const Flag *flag);              /* "-j, --jobs N" */

/* A page of `seqprobe help TOPIC` and section of the manual: text, a list, a table of options, an example. */
typedef struct Entry { const char *name, *text; } Entry;      /* lists end with a NULL name */
typedef struct Topic {
    const char *name, *title, *summary;
    const char *before, *after;        /* lines around the list; indented ones are kept as they are; may be NULL */
    const Entry *entries;
    const Entry *(*list)(Arena *a);    /* instead of entries */
    const Option *options;
} Topic;
extern const Topic topics[];           /* ends with a NULL name */
extern const Entry program_examples[]; /* a command line and what it does */
extern const char program_description[];
const Entry *topic_entries(const Topic *t, Arena *a);

char *man_page(const Command *const *commands, Arena *a);
bool  completion_script(const char *shell, const Command *const *commands, Arena *a, char **out, Err *err);

/* ---- plug-ins ---- */

/* tasks/FAMILY/NAME.c or models/FAMILY/NAME.c -> FAMILY */
const char *family_of(Arena *a, const char *file);

/* A task with options from command-line settings ("len=12" or "task.len=12"), its tables and sizes. */
typedef struct TaskUse { const Task *task; void *cfg, *data; TaskShape shape; } TaskUse;
const Task *task_named(const char *name, Err *err);       /* NULL and "did you mean" if unknown */
bool task_use_open(const char *name, int n_sets, const char *const *sets, uint64_t table_seed, Arena *a, TaskUse *out,
               Err *err);
/* Accuracy of the best constant answer: the task's own, or that over the first 1000 validation examples. */
double majority_of(const TaskUse *use, Arena *a);
const Mixer *mixer_named(const char *name, Err *err);
/* "unknown WHAT 'name' (did you mean ...)", or else_say in the brackets when nothing is near; returns false. */
bool fail_unknown(Err *err, const char *what, const char *name, const char *const *names, const char *else_say);

/* Recurrent state of one layer at its default options, d_model 64: reals that stay, and reals added per token. */
bool mixer_state(const Mixer *m, Arena *a, size_t *fixed, size_t *per_token);

#endif
