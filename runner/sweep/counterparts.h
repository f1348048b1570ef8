/* SPDX-License-Identifier: Apache-2.0
 * counterparts.h - the `published:` of a config, read and checked; show/published.c compares.
 */
#ifndef SEQPROBE_COUNTERPARTS_H
#define SEQPROBE_COUNTERPARTS_H

#include "sweep/sweep.h"

/* What chooses one published fact, in the order in which facts are narrowed down. The names are those of the columns of
 * results/reference/published/SOURCE.csv; of `setting` a part is enough. */
enum { PICK_PLACE, PICK_TASK, PICK_MODEL, PICK_SETTING, PICK_METRIC, PICK_OVER, PICK_STATE, PICK_EVAL_LEN, PICKS };
extern const char *const pick_names[PICKS + 1];

typedef enum { IMPLIES_NOTHING, IMPLIES_UNSOLVED, IMPLIES_SOLVED } Implied;

/* One of our cells and the fact it stands beside. */
typedef struct Counterpart {
    int table;                         /* item of the list, from 0: rows of one table */
    const char *source; const Value *source_at;
    const char *pick[PICKS]; const Value *pick_at[PICKS]; bool pick_is_key[PICKS];   /* NULL: whatever it is */
    const char *kase, *mixer, *slice;  /* slice: "train" by default */
    const Value *case_at, *mixer_at, *slice_at;   /* slice_at may be NULL */
    const char *measure;               /* of ours; NULL: the headline of the task */
    const char *as;                    /* best, median or mean of our seeds; NULL: as the source */
    Implied implies;                   /* of a text: what it says about this cell */
    const char *deviation;             /* what differs in the setting */
} Counterpart;

/* Every fault has its place; `list` may be NULL. */
bool counterparts_read(const Value *list, Arena *a, int *n, Counterpart **out, Err *err);
/* Cases, mixers and slices exist in the plan (unless it was narrowed by settings). */
bool counterparts_check(const Plan *plan, Arena *a, Err *err);

#endif
