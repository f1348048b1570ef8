/* SPDX-License-Identifier: Apache-2.0
 * manifest.h - manifest.json: what made a run, where and when, and what looked wrong about it.
 */
#ifndef SEQPROBE_MANIFEST_H
#define SEQPROBE_MANIFEST_H

#include "train/results.h"

enum { WARNINGS_MAX = 32 };

/* A parameter as it was initialised. `constant`: its values are all the same; `declared`: its law says so. */
typedef struct ParamStats {
    const Param *param;
    double mean, std, min, max;
    bool constant, declared;
} ParamStats;

typedef struct Manifest {
    Arena *arena;
    const RunSpec *spec;
    int n; ParamStats *stats;
    const char *command;               /* the command line; may be NULL */
    char started[32], ended[32];       /* ISO 8601, UTC; ended "" until manifest_end */
    int resumed;                       /* times the run went on from a checkpoint */
    int warnings; const char *warning[WARNINGS_MAX];
} Manifest;

/* After the model is built and before anything changes its parameters. Warns of parameters with a random law whose
 * values are all the same (an initialiser that did not run) or not finite. */
Manifest *manifest_open(const RunSpec *spec, const Params *p, Arena *a);
/* Keep a warning and print it as a line on stderr. */
void manifest_warn(Manifest *m, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* Warn of accuracies more than three standard errors below chance: mostly a sign that something was measured wrongly.
 * The standard error is that of as many independent examples: no dependence between positions makes it larger. */
void manifest_check(Manifest *m, const RunResult *r);
/* Set `ended` to now. */
void manifest_end(Manifest *m);
bool manifest_write(const Manifest *m, const char *dir, Err *err);
/* Number of warnings in the manifest of a run, and the first; 0 if there is no such file. */
int  manifest_warnings(const char *dir, Arena *a, const char **first);

void param_stats(const Param *p, ParamStats *out);
/* "2026-01-31T12:00:00Z"; buf holds 32. */
void utc_now(char *buf);

#endif
