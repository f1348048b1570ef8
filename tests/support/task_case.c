/* SPDX-License-Identifier: Apache-2.0
 * task_case.c - see task_case.h. */
#include "task_case.h"

#include <stdio.h>

bool task_open(const Task *task, const char *settings, Arena *a, TaskCase *out, Err *err)
{
    char owner[64];
    Value *map = NULL;
    *out = (TaskCase){ .task = task };
    snprintf(owner, sizeof owner, "task %s", task->name);
    if (settings && !(map = value_parse(a, settings, err))) return false;
    out->cfg = ARENA_NEW(a, char, task->cfg_size);
    out->data = ARENA_NEW(a, char, task->data_size + 1);
    TRY(options_read(task->options, map, owner, NULL, out->cfg, a, err));
    if (task->prepare) TRY(task->prepare(out->cfg, 0, a, out->data, err));
    TRY(task->shape(out->cfg, out->data, &out->shape, err));
    size_t n = (size_t)out->shape.max_len;
    out->e.input = ARENA_NEW(a, int, n);
    out->e.target = ARENA_NEW(a, int, n);
    out->e.train_target = ARENA_NEW(a, int, n);
    out->e.slice_of = ARENA_NEW(a, int, n);
    out->prediction = ARENA_NEW(a, int, n);
    return true;
}

void task_draw(TaskCase *c, uint64_t i)
{
    Rng lengths = rng_example(c->task->name, "lengths", "train", 0, i);
    Rng rng = rng_example(c->task->name, "test", "train", 0, i);
    Example *e = &c->e;
    for (int t = 0; t < c->shape.max_len; t++) {
        e->input[t] = -99;
        e->target[t] = e->train_target[t] = e->slice_of[t] = IGNORE;
    }
    e->len = 0;
    e->has_train_target = e->has_slice = false;
    e->split = SPLIT_TEST;
    e->index = i;
    options_draw_lengths(c->task->options, c->cfg, &lengths);
    c->task->sample(c->cfg, c->data, &rng, e);
}

int task_solve(TaskCase *c, int *wrong)
{
    const Example *e = &c->e;
    int scored = 0;
    *wrong = 0;
    c->task->solve(c->cfg, c->data, e->input, e->len, c->prediction);
    for (int t = 0; t < e->len; t++) {
        if (e->target[t] == IGNORE) continue;
        scored++;
        *wrong += c->prediction[t] != e->target[t];
    }
    return scored;
}

static uint64_t chain(uint64_t h, int v)
{
    uint32_t x = (uint32_t)v;
    for (int i = 0; i < 4; i++, x >>= 8u) h = (h ^ (x & 255u)) * 0x100000001b3u;
    return h;
}

uint64_t task_hash(const TaskCase *c, uint64_t h)
{
    const Example *e = &c->e;
    h = chain(h, e->len);
    for (int t = 0; t < e->len; t++) {
        h = chain(chain(h, e->input[t]), e->target[t]);
        if (e->has_train_target) h = chain(h, e->train_target[t]);
        if (e->has_slice) h = chain(h, e->slice_of[t]);
    }
    return h;
}
