/* SPDX-License-Identifier: Apache-2.0
 * cells.h - the results of a sweep as tables and figures want them: mixers x cases, read from selected.csv.
 *
 * No statistics here: numbers are those of sweep/select.c. What is added is the verdict of theory.
 */
#ifndef SEQPROBE_CELLS_H
#define SEQPROBE_CELLS_H

#include "show/show.h"
#include "sweep/stats.h"
#include "sweep/sweep.h"

/* One slice of the test split. acc is the median over seeds; lo, hi: smallest and largest seed if there are several,
 * else the 95 % Wilson interval. */
typedef struct Point {
    const char *slice; int len, solved; double acc, lo, hi, chance; long n;
    double mean, wilson_lo, wilson_hi; /* of the seeds pooled */
    bool by_length;                    /* differs from training in nothing but its length */
    double memory_bits;                /* an exact solver must hold (task.h); NaN: unknown */
} Point;

typedef struct Cell {
    const char *task, *metric, *best_run;
    const char *task_text;             /* task and options, equal for equal ones; "": unknown */
    int n_seeds;                       /* finished; 0: none, then nothing below is set */
    int n_points; Point *point;        /* [0]: the training lengths; n_points 0: diverged */
    double lr, step_solved;            /* step_solved NaN: never on validation */
    double state, params, flops;       /* flops: of training */
    int n_runs; const char **run;      /* ids of the seeds, as of results/runs/; 0: not known */
    bool has_theory; Theory theory;
    double stop_at;                    /* accuracy that counts as solved; NaN: unknown */
} Cell;

typedef struct Cells {
    const char *name, *dir, *results;  /* sweep; results/<name>; results */
    const char *title, *question;      /* of the config; may be NULL */
    const Value *figures, *published;  /* of the config; may be NULL */
    const char *reference;             /* folder of published facts */
    const char *config_fault;          /* why configs/NAME.yaml, which is there, could not be read; NULL: it could */
    int mixers, cases;
    const char **mixer, **kase;        /* labels in plan order */
    const char **mixer_name;           /* by mixer: its registered name, of stacks "a+b"; the label where unknown */
    Cell **cell;                       /* [mixer * cases + case]; NULL: not in the plan */
} Cells;

/* `what` is a config file, which is collected afresh, or the name of a sweep that has results. */
bool cells_read(const char *what, const char *results, Arena *a, Cells *out, Err *err);
const Cell *cell_at(const Cells *c, int mixer, int kase);  /* NULL if absent */
bool cell_has_points(const Cells *c, int mixer, int kase);
/* What the median could as well be: from the smallest to the largest seed, and at least the Wilson interval of one
 * seed's test set. */
Interval point_interval(const Point *p, int n_seeds);
/* The slice that differs in length alone and is the longest beyond the training lengths, or NULL. */
const Point *cell_longest(const Cell *c);

#endif
