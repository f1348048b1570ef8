/* SPDX-License-Identifier: Apache-2.0
 * multi_stack - several stacks at once: push an element on one, pop one and say what came off.
 *
 *   operation   push <stack> <element>    or    pop <stack> <blank>        three tokens; len tokens in all
 *   target      at the stack of a pop: the element on top of it
 *
 *   stacks 2, elements 3, len 12:  push A 2, push A 0, pop A, pop A
 *   input    0 2 6  0 2 4  1 2 7  1 2 7
 *   target   _ _ _  _ _ _  _ 0 _  _ 2 _
 *
 * Ids: push 0, pop 1, stacks 2.., elements stacks+2.., blank last; V_in = stacks + elements + 3. Classes are elements
 * 0..elements-1. An operation is a pop with probability p_pop, from one of the stacks that hold something (if none does
 * it is a push), else a push of a uniform element on one of the stacks that have room (depth; if none has it is a pop),
 * uniform both times. The last operation is a pop if anything is left. Elements are independent of all else, so a
 * constant is right for 1 of elements, exactly. Slices: floor(log2(distance from the push)).
 *
 * Memory: i log2(elements) bits after i pushes in turn on all stacks, as many as leave room to take the deepest element
 * off again: i + ceil(i / stacks) operations, and i at most stacks * depth.
 *
 * Fails for len that is no multiple of 3.
 *
 * Source: after Kimi Linear, technical report (arXiv:2510.26692), synthetic tests, "stack": 64 stacks, lengths 256 to
 * 2048, 20000 steps (UNVERIFIED). Layout, probabilities, depth and the default size are ours.
 */
#include "task.h"

#include "common/solvable.h"

#include <math.h>
#include <stdio.h>

enum { VERSION = 1 };

enum { PUSH, POP, STACK };

enum { OPS_MAX = 16384, STACKS_MAX = 256 };

typedef struct {
    Length len;
    int stacks, elements, depth;
    double p_pop;
} Cfg;

static const Option options[] = {
    OPT_L(Cfg, len, "96", 6, 3 * OPS_MAX, "tokens, three for each operation"),
    OPT_I(Cfg, stacks, "4", 1, STACKS_MAX, "stacks"),
    OPT_I(Cfg, elements, "8", 2, 4096, "different elements"),
    OPT_I(Cfg, depth, "0", 0, OPS_MAX, "elements that a stack can hold; 0: any number"),
    OPT_R(Cfg, p_pop, "0.5", 0.05, 0.95, "probability of a pop, where push and pop are possible"),
    OPT_END,
};

static bool shape(const void *cfg, const void *data, TaskShape *out, Err *err)
{
    (void)data;
    const Cfg *c = cfg;
    bool odd = c->len.kind == LENGTH_UNIFORM;
    for (int i = 0; i < c->len.n; i++) odd |= c->len.v[i] % 3 != 0;
    if (odd)
        return err_set(err, EXIT_USAGE,
                       "multi_stack: len must be a multiple of 3 (a law over lengths: {set: [48, 96]})");
    *out = (TaskShape){
        .vocab_in = STACK + c->stacks + c->elements + 1,
        .vocab_out = c->elements,
        .max_len = length_max(&c->len),
        .chance_uniform = 1.0 / c->elements,
        .chance_majority = 1.0 / c->elements,
        .ceiling = 1,
        .headline = "acc_token",
        .slice_label = "log2_gap",
    };
    return true;
}

/* Stacks as chains: the operation that pushed the top, and the one that pushed what lies below each. */
typedef struct {
    int top[STACKS_MAX], height[STACKS_MAX], below[OPS_MAX];
} Stacks;

/* How many stacks a pop, or a push, can take; the chosen one if `which` is not negative. */
static int find_stack(const Cfg *c, const Stacks *s, bool pop, int which)
{
    int n = 0;
    for (int k = 0; k < c->stacks; k++) {
        if (pop ? s->height[k] == 0 : c->depth && s->height[k] == c->depth) continue;
        if (n++ == which) return k;
    }
    return n;
}

static void sample(const void *cfg, const void *data, Rng *rng, Example *e)
{
    (void)data;
    const Cfg *c = cfg;
    Stacks s;
    int ops = c->len.now / 3, element = STACK + c->stacks;
    for (int k = 0; k < c->stacks; k++) s.top[k] = -1, s.height[k] = 0;
    for (int i = 0, t = 0; i < ops; i++, t += 3) {
        int full = find_stack(c, &s, true, -1), room = find_stack(c, &s, false, -1);
        bool pop = full > 0 && (room == 0 || i == ops - 1 || rng_uniform(rng) < c->p_pop);
        int k = find_stack(c, &s, pop, (int)rng_below(rng, (uint32_t)(pop ? full : room)));
        e->input[t] = pop ? POP : PUSH;
        e->input[t + 1] = STACK + k;
        if (pop) {
            int pushed = 3 * s.top[k] + 2;
            e->input[t + 2] = element + c->elements;
            e->target[t + 1] = e->input[pushed] - element;
            e->slice_of[t + 1] = ilogb((double)(t + 1 - pushed));
            s.top[k] = s.below[s.top[k]];
            s.height[k]--;
        } else {
            e->input[t + 2] = element + (int)rng_below(rng, (uint32_t)c->elements);
            s.below[i] = s.top[k];
            s.top[k] = i;
            s.height[k]++;
        }
    }
    e->len = 3 * ops;
    e->has_slice = true;
}

static double memory_bits(const void *cfg, const void *data)
{
    (void)data;
    const Cfg *c = cfg;
    int ops = length_max(&c->len) / 3, i = 0;
    while (i + 1 + i / c->stacks + 1 <= ops && (!c->depth || i < c->stacks * c->depth)) i++;
    return i * log2(c->elements);
}

/* Look back from a pop: every other pop of the same stack skips one push. */
static void solve(const void *cfg, const void *data, const int *input, int len, int *prediction)
{
    (void)data;
    const Cfg *c = cfg;
    int element = STACK + c->stacks;
    for (int t = 0; t < len; t++) {
        int skip = 0, at = t - 4;
        prediction[t] = 0;
        if (t % 3 != 1 || input[t - 1] != POP) continue;
        for (; at >= 0; at -= 3) {
            if (input[at + 1] != input[t]) continue;
            if (input[at] == POP) skip++;
            if (input[at] == PUSH && skip-- == 0) break;
        }
        int found = at >= 0 ? input[at + 2] - element : -1;
        if (found >= 0 && found < c->elements) prediction[t] = found;
    }
}

static const char *symbol(const void *cfg, const void *data, int id, bool is_target, char *buf)
{
    (void)data;
    const Cfg *c = cfg;
    int element = is_target ? id : id - STACK - c->stacks;
    if (!is_target && id < STACK) return id == PUSH ? "push" : "pop";
    if (element == c->elements) return ".";
    snprintf(buf, 32, element < 0 ? "s%d" : "%d", element < 0 ? id - STACK : element);
    return buf;
}

static Theory theory(const void *cfg, TheoryClass cls, int layers)
{
    return solvable_row(((const Cfg *)cfg)->depth ? SOLVABLE_BOUNDED_STACK : SOLVABLE_STACK, cls, layers);
}

TASK_WITH(multi_stack, "several stacks at once: push, pop, say what came off", "arXiv:2510.26692", .symbol = symbol,
          .memory_bits = memory_bits)
