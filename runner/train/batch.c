/* SPDX-License-Identifier: Apache-2.0
 * batch.c - batches of examples (design section 5: random numbers).
 *
 * Nothing here depends on threads, resume or order: each example has its own generator, and the length laws of a group
 * of examples are drawn from the group's index.
 */
#include "train/batch.h"

#include <stdio.h>
#include <string.h>

Split split_of(const char *name)
{
    return !strcmp(name, "train") ? SPLIT_TRAIN : !strcmp(name, "valid") ? SPLIT_VALID : SPLIT_TEST;
}

void batch_draw(const RunSpec *s, const Slice *slice, const char *split, uint64_t seed, uint64_t first, int n,
                int group, bool train, Arena *a, Batch *out)
{
    const Task *task = s->task;
    const int stride = slice->shape.max_len;
    const size_t cells = (size_t)n * (size_t)stride;
    char law_split[64];
    snprintf(law_split, sizeof law_split, "%s.length", split);
    *out = (Batch){ .n = n,
                    .stride = stride,
                    .len = ARENA_NEW(a, int, n),
                    .input = ARENA_NEW(a, int, cells),
                    .target = ARENA_RAW(a, int, cells),
                    .slice_of = ARENA_RAW(a, int, cells) };
    memset(out->target, 0xff, cells * sizeof(int)); /* IGNORE is -1: all bits set */
    memset(out->slice_of, 0xff, cells * sizeof(int));
    int *train_target = ARENA_RAW(a, int, stride);
    void *cfg = ARENA_NEW(a, char, task->cfg_size);
    uint64_t drawn = UINT64_MAX;
    for (int i = 0; i < n; i++) {
        uint64_t index = first + (uint64_t)i;
        if (index / (uint64_t)group != drawn) {
            drawn = index / (uint64_t)group;
            memcpy(cfg, slice->cfg, task->cfg_size);
            Rng law = rng_example(task->name, law_split, slice->name, seed, drawn);
            options_draw_lengths(task->options, cfg, &law);
        }
        Rng rng = rng_example(task->name, split, slice->name, seed, index);
        memset(train_target, 0xff, sizeof(int) * (size_t)stride);
        size_t at = (size_t)i * (size_t)stride;
        Example e = { .input = out->input + at,
                      .target = out->target + at,
                      .train_target = train_target,
                      .slice_of = out->slice_of + at,
                      .split = split_of(split),
                      .index = index };
        task->sample(cfg, s->task_data, &rng, &e);
        CHECK(e.len >= 1 && e.len <= stride, "task %s drew %d positions, shape said %d", task->name, e.len, stride);
        out->has_train |= e.has_train_target;
        if (train && e.has_train_target) memcpy(e.target, train_target, sizeof(int) * (size_t)stride);
        if (!e.has_slice) memset(e.slice_of, 0xff, sizeof(int) * (size_t)stride);
        out->len[i] = e.len;
        for (int t = 0; t < e.len; t++) out->scored += e.target[t] != IGNORE;
    }
}

/* The mixture entry of a step: drawn by weight from the step's own stream. */
static const Slice *mixture_pick(const RunSpec *s, int step)
{
    if (s->n_mixture == 1) return s->mixture;
    char name[64];
    snprintf(name, sizeof name, "mixture/%d", step);
    Rng rng = rng_named(s->seed, name);
    double total = 0, at;
    for (int i = 0; i < s->n_mixture; i++) total += s->mixture[i].weight;
    at = total * rng_uniform(&rng);
    for (int i = 0; i < s->n_mixture - 1; i++) {
        at -= s->mixture[i].weight;
        if (at < 0) return &s->mixture[i];
    }
    return &s->mixture[s->n_mixture - 1];
}

/* A batch of a static set of N: example number g of the run is the permuted element g mod N of epoch g / N. */
static void batch_static(const RunSpec *s, const Slice *slice, uint64_t first, Arena *a, Batch *out)
{
    const int n = s->train.batch, N = s->train.examples;
    int *perm = ARENA_RAW(a, int, N);
    uint64_t epoch = UINT64_MAX;
    Batch one;
    *out = (Batch){ .n = n, .stride = slice->shape.max_len, .len = ARENA_NEW(a, int, n) };
    size_t row = (size_t)out->stride, cells = (size_t)n * row;
    out->input = ARENA_NEW(a, int, cells);
    out->target = ARENA_RAW(a, int, cells);
    out->slice_of = ARENA_RAW(a, int, cells);
    for (int i = 0; i < n; i++) {
        uint64_t g = first + (uint64_t)i;
        if (g / (uint64_t)N != epoch) {
            char name[64];
            epoch = g / (uint64_t)N;
            snprintf(name, sizeof name, "epoch/%llu", (unsigned long long)epoch);
            Rng rng = rng_named(s->seed, name);
            for (int j = 0; j < N; j++) perm[j] = j;
            rng_shuffle(&rng, perm, N);
        }
        batch_draw(s, slice, "train", s->seed, (uint64_t)perm[g % (uint64_t)N], 1, n, true, a, &one);
        memcpy(out->input + (size_t)i * row, one.input, row * sizeof(int));
        memcpy(out->target + (size_t)i * row, one.target, row * sizeof(int));
        memcpy(out->slice_of + (size_t)i * row, one.slice_of, row * sizeof(int));
        out->len[i] = one.len[0];
        out->scored += one.scored;
    }
}

void batch_train(const RunSpec *s, int step, Arena *a, Batch *out)
{
    const Slice *slice = mixture_pick(s, step);
    uint64_t first = (uint64_t)step * (uint64_t)s->train.batch;
    if (s->train.examples > 0)
        batch_static(s, slice, first, a, out);
    else
        batch_draw(s, slice, "train", s->seed, first, s->train.batch, s->train.batch, true, a, out);
}

void shard_cut(const Batch *b, int from, int n, Arena *a, Shard *out)
{
    int T = 1;
    if (from + n > b->n) n = b->n - from;
    for (int i = 0; i < n; i++)
        if (b->len[from + i] > T) T = b->len[from + i];
    *out = (Shard){
        .B = n, .T = T, .id = ARENA_RAW(a, int, n *T), .row = ARENA_RAW(a, int, n *T), .target = ARENA_RAW(a, int, n *T)
    };
    for (int i = 0; i < n; i++) {
        const size_t at = (size_t)(from + i) * (size_t)b->stride;
        memcpy(out->id + i * T, b->input + at, sizeof(int) * (size_t)T);
        for (int t = 0; t < T; t++)
            if (b->target[at + (size_t)t] != IGNORE) {
                out->row[out->n] = i * T + t;
                out->target[out->n++] = b->target[at + (size_t)t];
            }
    }
}
