/* SPDX-License-Identifier: Apache-2.0
 * chomsky.h - the frame of the tasks of the Chomsky hierarchy: a string in, a string out.
 *
 *   queries  input    x[0] ... x[n-1]  blank ... blank  query ... query       n symbols, blanks * n blanks, queries
 *            target     _  ...   _       _   ...   _     y[0] ...  y[out-1]
 *   fed      input    x[0] ... x[n-1]  query  y[0] ... y[out-2]               the right answer so far is fed back
 *            target     _  ...   _     y[0]   y[1] ... y[out-1]
 *
 * Ids: the symbols of the task 0..symbols-1, then the blank if there are any blanks, then the query. An answer may end
 * with a terminator before `out`; what follows it (the tail) is then neither scored nor trained on, or both, or only
 * trained on as in the source.
 *
 * Source: Deletang et al. 2023 (arXiv:2207.02098), repository neural_networks_chomsky_hierarchy; fed: Karuvally et al.
 * 2025 (arXiv:2507.05238), repository AUSSM.
 */
#ifndef SEQPROBE_TASKS_CHOMSKY_H
#define SEQPROBE_TASKS_CHOMSKY_H

#include "task.h"

enum { CHOMSKY_LEN_MAX = 1 << 14, CHOMSKY_OUT_MAX = 2 * CHOMSKY_LEN_MAX, CHOMSKY_BLANKS_MAX = 16 };

typedef struct Chomsky {
    int symbols;                       /* ids of the task itself */
    int blanks;                        /* blanks per symbol of the input; 0 if fed */
    bool fed;
} Chomsky;

/* Rows of the option table of a Cfg with fields `Length len` and `int blanks`. */
#define CHOMSKY_OPTIONS(T, def, lo) \
    OPT_L(T, len, def, lo, CHOMSKY_LEN_MAX, "symbols of the input string"), \
    OPT_I(T, blanks, "0", 0, CHOMSKY_BLANKS_MAX, "blank positions per symbol, between input and answer")

int chomsky_vocab(const Chomsky *f);
/* Positions of an example with n symbols and an answer of `out`. */
int chomsky_len(const Chomsky *f, int n, int out);
/* Behind the n symbols already in e->input: the rest of the example, for the answer y[0..out-1] of which the first
 * `scored` are targets and the first `trained` training targets (0: trained as scored). slice_of is the place in the
 * answer. Sets e->len. */
void chomsky_write(const Chomsky *f, int n, const int *y, int out, int scored, int trained, Example *e);
/* Predictions for any input: `answer` fills y[0..out-1] for the symbols x[0..n-1] (n <= CHOMSKY_LEN_MAX) that stand
 * before the first other id, and returns out <= CHOMSKY_OUT_MAX; what is asked for beyond is 0. */
typedef int (*ChomskyAnswer)(const void *cfg, const int *x, int n, int *y);
void chomsky_solve(const Chomsky *f, const void *cfg, ChomskyAnswer answer, const int *input, int len, int *prediction);
/* The solve() of a task that has `Chomsky frame(cfg)` and a ChomskyAnswer `answer`. */
#define CHOMSKY_SOLVE(frame, answer) \
    static void solve(const void *cfg, const void *data, const int *input, int len, int *prediction) \
    { \
        (void)data; \
        const Chomsky f = frame(cfg); \
        chomsky_solve(&f, cfg, answer, input, len, prediction); \
    }
/* "." for the blank, "?" for the query, NULL for any other id. */
const char *chomsky_symbol(const Chomsky *f, int id);
/* The symbol of a task whose other ids are numbers, up to the vocabulary, and a pad. */
const char *chomsky_number(const Chomsky *f, int id, bool is_target, char *buf);

#endif
