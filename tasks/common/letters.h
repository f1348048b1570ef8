/* SPDX-License-Identifier: Apache-2.0
 * letters.h - strings over a..z with `$` (begin), `|` (bar) and `.` (end), predicted token by token, as in the copying
 * tasks of Jelassi et al. 2024 (arXiv:2402.01032).
 *
 * Ids: letters 0..a-1, then `$` a, `|` a+1, `.` a+2; the input of a string is all of it but its end, and the target at
 * a position is the token behind it, where that belongs to the answer.
 */
#ifndef SEQPROBE_TASKS_LETTERS_H
#define SEQPROBE_TASKS_LETTERS_H

#include "task.h"

enum { LETTERS_MAX = 26 };

enum { LETTERS_BEGIN, LETTERS_BAR, LETTERS_END, LETTERS_MARKS };  /* behind the letters */

/* One string: tokens with its end, the answer from index `answer` on. */
typedef struct Letters { int n, answer, *token; } Letters;

/* Draw a string for words of `len` letters; out->token has room for the longest. */
typedef void LettersDraw(const void *cfg, int len, Rng *rng, Letters *out);

/* An example of one string (context 0), or of as many as fill `context` positions, each with a length of its own; one
 * that is cut off is not scored. Slices: quarter of the answer. */
void letters_sample(const void *cfg, const Length *len, int context, LettersDraw *draw, int *token, Rng *rng,
                    Example *e);
/* "context: 40 is less than the 43 tokens of the longest string" and such, unless it is 0. */
bool letters_fit(const char *task, int context, int longest, Err *err);
/* "a", "$", ... */
const char *letters_symbol(int alphabet, int id, char *buf);

#endif
