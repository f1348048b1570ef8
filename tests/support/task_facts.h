/* SPDX-License-Identifier: Apache-2.0
 * task_facts.h - what is known of single tasks: the files tests/tasks/NAME.facts, and helpers of statistics tests.
 *
 *   # comment
 *   case {len: 5, bos: false}          an options map; the facts below it are of this case
 *     hash 678eb411aa490c55            FNV-1a over the first 64 examples; the case runs the whole contract
 *     worked 1 0 1 1 0 -> 1 1 0 1 1    input -> target (`_`: not scored), drawn by the generator and solved
 *     solved 1 0 1 1 0 -> 1 1 0 1 1    the same, too large to be drawn: solved only
 *     majority 0.2631 0.0004           accuracy of the best constant answer and its standard error, as measured
 *     states 3                         memory floor, counted over all examples of a tiny case (`>= 3`: at least)
 *     bits 55.67806029                 memory floor by formula
 *     theory dplr_h:2 1 yes            class, layers, verdict
 *   refuses {len: 5, bits: 2}: bits    settings that fail, and a part of the message
 *
 * Any file may be absent, and so may the task of any file.
 */
#ifndef SEQPROBE_TESTS_TASK_FACTS_H
#define SEQPROBE_TESTS_TASK_FACTS_H

#include <check.h>

#include "task_case.h"

#define COUNT(a) (int)(sizeof(a) / sizeof *(a))

/* As ck_assert, which leaves a mark at every call: too slow where nothing is wrong millions of times. */
#define MUST(cond)                                                                                                     \
    do {                                                                                                               \
        if (!(cond)) ck_abort_msg("not so: %s", #cond);                                                                \
    } while (0)
#define MUST_EQ(x, y)                                                                                                  \
    do {                                                                                                               \
        int x_ = (x), y_ = (y);                                                                                        \
        if (x_ != y_) ck_abort_msg("%s is %d, not %d (%s)", #x, x_, y_, #y);                                           \
    } while (0)

typedef struct Fact {
    const Task *task;
    const char *settings;              /* of its case */
    const char *key, *text;            /* "hash", "678eb411aa490c55" */
    const char *file;
    int line;
} Fact;

/* All facts of the built tasks, or of one task (NULL: all), in the order of all_tasks; *n is their number. A line that
 * cannot be read ends the program with its place. Tells on stdout which files' tasks are not built. */
const Fact *facts_load(const char *only, Arena *a, int *n);
/* The first fact of the same case with this key, or NULL. */
const Fact *facts_of_case(const Fact *all, int n, const Fact *of, const char *key);

/* The fixture of a test: an arena that lives as long as it. */
extern Arena *facts_arena;
void facts_setup(void);
void facts_teardown(void);
/* Open a task with settings (NULL: defaults) in that arena, or say "skipped: not built: NAME" and return false. Bad
 * settings fail the test. */
bool facts_open(const char *task, const char *settings, TaskCase *out);
/* `hits` of n independent draws within 4 standard errors of probability p; `what` and `index` name them. */
void facts_share(double hits, double n, double p, const char *what, int index);
/* A mean of n values with sum and sum of squares, within 4 standard errors of `want`. */
void facts_mean(double sum, double squares, double n, double want, const char *what);

#endif
