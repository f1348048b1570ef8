/* SPDX-License-Identifier: Apache-2.0
 * made.h - run folders made by hand, for tests of what is read from them: nothing is trained.
 */
#ifndef SEQPROBE_TESTS_MADE_H
#define SEQPROBE_TESTS_MADE_H

#include "cli.h"
#include "sweep/collect.h"

extern Arena *made_arena;
extern char made_folder[];                                 /* a fresh one for each test: --results of all commands */
void made_setup(void);
void made_teardown(void);

void made_file(const char *path, const char *text);
/* The config s.yaml of the folder, which must be valid. */
Plan made_plan(const char *text);
/* Two rates, three seeds: rows 0..5 are lstm, 6..11 mingru; within them three seeds of 1e-3, then of 3e-3. */
extern const char made_two_rates[];
/* A run folder for a row: status, validation and test headline (acc_token; test NaN: not tested), and the test value of
 * the slice x2, whose loss is 1 - x2. Chance is 0.5; n is 200 on train and 400 on x2. */
void made_run(const Plan *plan, int row, const char *status, double valid, double test, double x2);
/* Run a command with s.yaml (if before is NULL) or other arguments and flags "name", "value", ..., NULL; its standard
 * output, or its error message. */
char *made_command(const Command *c, const char *const *args, const char *const *flags, int *code);

#endif
