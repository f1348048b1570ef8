/* SPDX-License-Identifier: Apache-2.0
 * task.h - the interface of a task: one file in tasks/FAMILY/NAME.c, ending in TASK(NAME, summary, source).
 *
 * A task is a pure function (cfg, tables, rng) -> example, and the causal solver that proves it. It knows nothing of
 * slices, splits, batches or seeds. A task file includes "task.h" (and "common/..." of tasks/), <math.h>, <string.h>,
 * <stdio.h> and nothing else.
 */
#ifndef SEQPROBE_TASK_H
#define SEQPROBE_TASK_H

#include "base/base.h"
#include "base/file.h"
#include "base/option.h"
#include "theory.h"

typedef enum { SPLIT_TRAIN, SPLIT_VALID, SPLIT_TEST } Split;

/* One example. The runner owns the arrays (max_len long), with target, train_target and slice_of preset to IGNORE. */
typedef struct Example {
    int len;                           /* positions used; set by sample() */
    int *input;                        /* ids 0..vocab_in-1 */
    int *target;                       /* class after reading input[0..t], or IGNORE: loss and accuracy */
    int *train_target;                 /* if has_train_target: what training scores instead */
    int *slice_of;                     /* if has_slice: small int per scored position (gap, depth, ...), or IGNORE */
    bool has_train_target, has_slice;
    Split split; uint64_t index;       /* set by the runner, for tasks with stored() alone: all others draw from rng */
} Example;

/* What a task has read from files. It makes part of the run's id, so that results of other data are never reused. */
typedef struct Stored {
    uint64_t content;                  /* hash of all that was read; 0: nothing was */
    int n[3];                          /* examples of each split; all 0: they are drawn, without end */
} Stored;

typedef struct TaskShape {
    int vocab_in, vocab_out;
    int max_len;                       /* longest example this cfg can produce, positions */
    double chance_uniform;             /* 1/vocab_out, or 1/(classes that can occur) */
    double chance_majority;            /* pooled accuracy of the best constant answer; 0: unknown, so measured */
    double ceiling;                    /* accuracy of the exact solver, 1 unless targets are partly random */
    const char *headline;              /* "acc_token", "acc_mean", "acc_exact" or "acc_final" */
    const char *slice_label;           /* what slice_of counts ("gap"), or NULL */
} TaskShape;

typedef struct Task {
    const char *name, *summary, *source;
    const char *file;                  /* tasks/FAMILY/NAME.c */
    int version;                       /* raised with any change of the examples drawn */
    size_t cfg_size, data_size;
    const Option *options;
    /* Optional: read-only tables, once per run and equal for all slices and splits. */
    bool (*prepare)(const void *cfg, uint64_t table_seed, Arena *a, void *data, Err *err);
    /* Sizes for this cfg; cross-field checks live here and name the options. */
    bool (*shape)(const void *cfg, const void *data, TaskShape *out, Err *err);
    /* Draw one example from rng alone; cannot fail. Length laws: read cfg->len.now. */
    void (*sample)(const void *cfg, const void *data, Rng *rng, Example *e);
    /* Causal solver on its own code path: prediction[t] from input[0..t] only, at every t < len. */
    void (*solve)(const void *cfg, const void *data, const int *input, int len, int *prediction);
    Theory (*theory)(const void *cfg, TheoryClass cls, int layers);
    /* Optional: bits that an exact causal solver must carry from one position to the next at the worst moment: log2 of
     * the size of a set of pasts, equally long, any two of which some continuation possible after both tells apart by
     * the answer it asks for. A floor: no solver has fewer states. Position and options are known for nothing. */
    double (*memory_bits)(const void *cfg, const void *data);
    /* Optional, of tasks that read files. With counts, sample() gives example e->index, 0..n-1, of e->split (modulo n
     * if there are not so many; anything of the task if n is 0): the one way to give back what is in a file. The runner
     * asks for no example twice in an evaluation, and shuffles those of training. */
    Stored (*stored)(const void *cfg, const void *data);
    /* Optional: what prepare() made, for people: a map of what is worth knowing of it (a transition table), printed by
     * show where it is short and written into meta.yaml by export. */
    Value *(*tables)(const void *cfg, const void *data, Arena *a);
    /* Optional: readable symbol of an id (NULL: print the number). buf holds 32. */
    const char *(*symbol)(const void *cfg, const void *data, int id, bool is_target, char *buf);
} Task;

/* Closing macros. Every task file defines statics options, shape, sample, solve, theory and an enum VERSION. TASK: no
 * tables, no symbols. TASK_WITH adds further fields, e.g. TASK_WITH(x, "..", "..", .prepare = prepare,
 * .data_size = sizeof(Data), .symbol = symbol). (The long symbol keeps a task called "open" apart from task_open.) */
#define TASK_WITH(id, summary_, source_, ...) const Task plugin_task_##id = { \
    .name = #id, .summary = summary_, .source = source_, .file = __FILE__, .version = VERSION, \
    .cfg_size = sizeof(Cfg), .options = options, .shape = shape, .sample = sample, .solve = solve, .theory = theory, \
    __VA_ARGS__ };
#define TASK(id, summary_, source_) TASK_WITH(id, summary_, source_, .prepare = NULL)

extern const Task *const all_tasks[];                     /* NULL-terminated, generated from the file names */
const Task *task_find(const char *name);                  /* NULL if absent */

#endif
