/* SPDX-License-Identifier: Apache-2.0
 * task_case.h - a task opened with settings, and its examples, for tests and benchmarks. */
#ifndef SEQPROBE_TESTS_TASK_CASE_H
#define SEQPROBE_TESTS_TASK_CASE_H

#include "task.h"

typedef struct TaskCase {
    const Task *task;
    void *cfg, *data;
    TaskShape shape;
    Example e;                         /* buffers of shape.max_len */
    int *prediction;
} TaskCase;

/* Open `task` with a flow-style YAML map of options ("{len: 8, bos: false}", NULL: defaults). */
bool task_open(const Task *task, const char *settings, Arena *a, TaskCase *out, Err *err);
/* Draw example i of (split "test", slice "train", seed 0) into c->e, lengths included: they are drawn from a stream of
 * their own, as the runner draws them per batch. */
void task_draw(TaskCase *c, uint64_t i);
/* Run the solver on c->e into c->prediction; returns the number of scored positions, *wrong = those it misses. */
int  task_solve(TaskCase *c, int *wrong);
/* Chain the example (len, inputs, targets, training targets, slices) into a 64-bit FNV-1a hash, value by value. */
uint64_t task_hash(const TaskCase *c, uint64_t h);

#endif
