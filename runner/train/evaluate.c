/* SPDX-License-Identifier: Apache-2.0
 * evaluate.c - accuracy of a model on a slice, whole sequences or chunk by chunk. */
#include "train/evaluate.h"

#include <stdlib.h>
#include <string.h>

#include "train/batch.h"

/* Predictions for positions from..from+T-1 of B sequences, written to pred (B,stride) at scored positions. */
static void predict(const Model *m, Tape *tape, State *state, const Batch *b, int first, int B, int from, int T,
                    int *pred, double *nll)
{
    Arena *a = tape->arena;
    int *id = ARENA_NEW(a, int, B *T), *row = ARENA_RAW(a, int, B *T), *target = ARENA_RAW(a, int, B *T), n = 0;
    for (int i = 0; i < B; i++)
        for (int t = 0; t < T && from + t < b->stride; t++) {
            size_t at = (size_t)(first + i) * (size_t)b->stride + (size_t)(from + t);
            id[i * T + t] = b->input[at];
            if (b->target[at] == IGNORE) continue;
            row[n] = i * T + t;
            target[n++] = b->target[at];
        }
    Ctx c = { .tape = tape, .state = state, .pos0 = from };
    Tensor *logits = model_forward(m, &c, id, B, T, row, n);
    if (n > 0) {
        int *best = ARENA_RAW(a, int, n);
        double sum = 0;
        op_cross_entropy(tape, logits, target, 1, &sum, best);
        *nll += sum;
        for (int j = 0; j < n; j++) pred[(row[j] / T) * b->stride + from + row[j] % T] = best[j];
    }
    tape_reset(tape);
}

static bool evaluate_shard(const Model *m, Tape *tape, const Batch *b, int first, int B, int *pred,
                           const volatile int *stop, Score *out)
{
    const int chunk = m->spec->data.chunk;
    int len = 1;
    for (int i = 0; i < B; i++)
        if (b->len[first + i] > len) len = b->len[first + i];
    if (len <= chunk)
        predict(m, tape, NULL, b, first, B, 0, len, pred, &out->nll);
    else {
        State *state = state_new(B);
        int from = 0;
        for (; from < len && !(stop && *stop); from += chunk)
            predict(m, tape, state, b, first, B, from, len - from < chunk ? len - from : chunk, pred, &out->nll);
        state_free(state);
        if (from < len) return false;
    }
    for (int i = 0; i < B; i++) {
        size_t at = (size_t)(first + i) * (size_t)b->stride;
        score_add(out, b->target + at, pred + (size_t)i * (size_t)b->stride, b->slice_of + at, b->len[first + i]);
    }
    return true;
}

Score slice_score(const RunSpec *s, const Slice *slice, Arena *a)
{
    return score_new(s->model.tie ? s->vocab_in : s->vocab_out, slice->shape.max_len, a);
}

bool evaluate(const Model *m, const Slice *slice, const char *split, int count, Tape *tape, Arena *a,
              const volatile int *stop, Score *out)
{
    const RunSpec *s = m->spec;
    const int shard = s->train.shard;
    *out = slice_score(s, slice, a);
    size_t mark = arena_mark(a);
    for (int first = 0; first < count; first += shard) {
        int B = count - first < shard ? count - first : shard;
        if (stop && *stop) return false;
        Batch b;
        batch_draw(s, slice, split, s->data.eval_seed, (uint64_t)first, B, EVAL_GROUP, false, a, &b);
        int *pred = ARENA_RAW(a, int, (size_t)B *(size_t)b.stride);
        if (!evaluate_shard(m, tape, &b, 0, B, pred, stop, out)) return false;
        arena_reset(a, mark);
    }
    return true;
}
