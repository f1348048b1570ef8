/* SPDX-License-Identifier: Apache-2.0
 * states.h - how many states an exact causal solver needs, counted by brute force over all examples of a tiny task.
 *
 * Two pasts of t positions are told apart if some examples continue them by the same inputs and ask for different
 * answers on the way. The floor is the largest set of pasts of one length that are told apart pairwise, over all t:
 * found exactly where few pasts are left after merging those that are told apart from the same others, else only shown
 * to be that large.
 */
#ifndef SEQPROBE_TESTS_STATES_H
#define SEQPROBE_TESTS_STATES_H

#include "task_case.h"

enum { STATES_EXAMPLES_MAX = 1400, STATES_LEN_MAX = 24 };

/* The floor of an opened case with at most STATES_EXAMPLES_MAX different examples of at most STATES_LEN_MAX positions
 * (more fails the test). *exact is false if it may be larger. */
int states_count(TaskCase *c, Arena *a, bool *exact);

#endif
