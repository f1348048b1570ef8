/* SPDX-License-Identifier: Apache-2.0
 * start.h - the state a recurrence starts from: zeros, or a parameter shared by all sequences.
 *
 * Option `initial_state: zero|learned`. A learned state starts at zero and is never weight-decayed.
 */
#ifndef SEQPROBE_MODELS_START_H
#define SEQPROBE_MODELS_START_H

#include "mixer.h"

enum { START_ZERO, START_LEARNED };
#define START_CHOICES "zero|learned"
#define START_HELP    "state before the first position: zeros, or a learned parameter"

/* A start of the given axes (without B), or NULL for zeros. */
#define start_build(p, name, kind, ...) \
    ((kind) == START_LEARNED ? param((p), (name), NO_DECAY(INIT_CONST(0)), __VA_ARGS__) : NULL)

#endif
