/* SPDX-License-Identifier: Apache-2.0
 * facts.h - published numbers: one CSV per source in results/reference/published/ (columns: its README.md).
 */
#ifndef SEQPROBE_FACTS_H
#define SEQPROBE_FACTS_H

#include "base/file.h"
#include "sweep/counterparts.h"
#include "sweep/stats.h"

/* One row. Numbers are shares of one, or scaled accuracies if `scaled`. */
typedef struct Fact {
    const char *source, *place, *model, *setting, *metric, *over, *train_len, *eval_len, *notes;
    const char *printed;               /* "0.971", "97.7 %", "converges" */
    bool scaled, secondary;
    double value; Interval interval;   /* NaN: a text; the interval of a bound such as >=99 ends at 1 */
    bool bound;
} Fact;

/* The facts of DIR/SOURCE.csv. A file that breaks the rules of the folder is refused with its line. */
typedef struct Facts { const char *id; Csv csv; } Facts;
bool facts_read(const char *dir, const char *source, Arena *a, Facts *out, Err *err);
Fact fact_at(const Facts *f, int row, Arena *a);
/* The one fact that a row of `published:` chooses; none or several is an error at the key to blame. */
bool fact_find(const Facts *f, const Counterpart *c, Arena *a, Fact *out, Err *err);
/* File stems in the folder, NULL-terminated and sorted. */
const char **facts_sources(const char *dir, Arena *a);

#endif
