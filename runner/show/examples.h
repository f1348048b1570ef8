/* SPDX-License-Identifier: Apache-2.0
 * examples.h - examples of a task as a run draws them, for the commands that show or write them.
 */
#ifndef SEQPROBE_EXAMPLES_H
#define SEQPROBE_EXAMPLES_H

#include "show/show.h"
#include "train/batch.h"

/* Example i of these is example i of a run with this seed, split and slice. */
typedef struct Examples {
    TaskUse use;
    const char *split;
    uint64_t seed, table_seed;
    int first, group;                  /* --index; consecutive examples that share one draw of the length laws */
    RunSpec spec; Slice slice;
} Examples;

/* From EXAMPLE_FLAGS and the settings of a command line; `n` examples from --index on must exist. */
bool examples_open(const Cli *c, const char *task, int n, Examples *out, Err *err);
/* Examples first .. first+n-1; with `train` their targets are those of training. */
void examples_draw(const Examples *x, int first, int n, bool train, Arena *a, Batch *out);
int  examples_chunk(const Examples *x);                   /* as many as fit in some megabytes, at least 1 */

/* Readable symbol of an id, "." for IGNORE. */
const char *symbol_text(Arena *a, const TaskUse *use, int id, bool is_target);

/* As text, in pieces. `train` is the same examples drawn for training, or NULL where they have the same targets. */
typedef enum { TEXT_LINES, TEXT_CSV, TEXT_JSONL, TEXT_JSON } TextForm;
void examples_text_head(const Examples *x, TextForm form, bool train, FILE *f);
void examples_text(const Examples *x, TextForm form, int first, const Batch *b, const Batch *train, FILE *f);
void examples_text_end(TextForm form, FILE *f);
void examples_print(const Examples *x, TextForm form, int n, Arena *a);   /* all of that on standard output */

#define EXAMPLE_FLAGS                                                                                                  \
    { "split", 0, FLAG_STRING, "train", "train|valid|test", "split they are drawn from" },                             \
    { "slice", 0, FLAG_STRING, "train", "NAME", "name of the slice; give its options as key=value" },                  \
    { "seed", 0, FLAG_INT, "0", "N", "the run's seed (train) or data.eval_seed (valid, test)" },                       \
    { "table-seed", 0, FLAG_INT, "0", "N", "data.table_seed: random automata, grammars, groups" },                     \
    { "index", 0, FLAG_INT, "0", "N", "number of the first example" },                                                 \
    { "batch", 0, FLAG_INT, "64", "N", "train.batch: examples of one batch have one length, if len is a law" }

#endif
