/* SPDX-License-Identifier: Apache-2.0
 * arena.c - chained blocks with linear marks.
 *
 * A mark is the number of bytes handed out so far, counted over all blocks as if they were one. Blocks are kept on
 * reset, so that after the first step of a training loop no allocation happens.
 */
#include "base/base.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGN = 64, BLOCK_MIN = 1 << 20 };

typedef struct Block {
    struct Block *next;
    size_t base, cap;
    char *mem;
} Block; /* base: offset of its first byte */

struct Arena {
    const char *name;
    Block *first, *cur;
    size_t used, peak, reserved;
};

void out_of_memory(const char *what, size_t want, size_t have)
{
    fprintf(stderr, "seqprobe: error: out of memory: %s wants %zu bytes and holds %zu\n", what, want, have);
    exit(EXIT_MEMORY);
}

Arena *arena_new(const char *name)
{
    Arena *a = calloc(1, sizeof *a);
    if (!a) out_of_memory(name, sizeof *a, 0);
    a->name = name;
    return a;
}

void arena_free(Arena *a)
{
    if (!a) return;
    for (Block *b = a->first, *next; b; b = next) {
        next = b->next;
        free(b->mem);
        free(b);
    }
    free(a);
}

static Block *block_new(Arena *a, size_t base, size_t bytes)
{
    size_t cap = bytes > BLOCK_MIN ? bytes : BLOCK_MIN;
    if (a->reserved / 2 > cap) cap = (a->reserved / 2 + ALIGN - 1) / ALIGN * ALIGN; /* few blocks for big arenas */
    Block *b = malloc(sizeof *b);
    if (!b) out_of_memory(a->name, sizeof *b, a->reserved);
    *b = (Block){ .base = base, .cap = cap, .mem = aligned_alloc(ALIGN, cap / ALIGN * ALIGN + ALIGN) };
    if (!b->mem) {
        free(b);
        out_of_memory(a->name, cap, a->reserved);
    }
    a->reserved += cap;
    return b;
}

/* The block that can take `bytes` at the current position, moving on (or making one) as needed. */
static Block *block_for(Arena *a, size_t bytes)
{
    if (!a->cur) a->cur = a->first = block_new(a, 0, bytes);
    while (a->used - a->cur->base + bytes > a->cur->cap) {
        if (a->cur->next && a->cur->next->cap < bytes) { /* a kept block that is too small: drop it */
            Block *drop = a->cur->next;
            a->cur->next = drop->next;
            a->reserved -= drop->cap;
            free(drop->mem);
            free(drop);
            continue;
        }
        size_t base = a->cur->base + a->cur->cap;
        if (!a->cur->next) a->cur->next = block_new(a, base, bytes);
        a->cur = a->cur->next;
        a->cur->base = a->used = base;
    }
    return a->cur;
}

void *arena_alloc(Arena *a, size_t count, size_t size)
{
    if (size && count > (SIZE_MAX / 4) / size) out_of_memory(a->name, SIZE_MAX, a->reserved);
    size_t bytes = (count * size + ALIGN - 1) / ALIGN * ALIGN;
    if (bytes == 0) bytes = ALIGN;
    Block *b = block_for(a, bytes);
    char *p = b->mem + (a->used - b->base);
    a->used += bytes;
    if (a->used > a->peak) a->peak = a->used;
#ifdef POISON
    for (real *r = (real *)(void *)p, *end = r + bytes / sizeof(real); r < end; r++) *r = (real)NAN;
#endif
    return p;
}

void *arena_zalloc(Arena *a, size_t count, size_t size)
{
    void *p = arena_alloc(a, count, size);
    memset(p, 0, count * size);
    return p;
}

size_t arena_mark(const Arena *a) { return a->used; }

void arena_reset(Arena *a, size_t mark)
{
    CHECK(mark <= a->used, "arena %s: mark %zu beyond %zu used", a->name, mark, a->used);
    Block *b = a->first;
    while (b && b != a->cur && mark > b->base + b->cap) b = b->next;
    a->cur = b;
    a->used = mark;
}

size_t arena_peak(const Arena *a) { return a->peak; }

char *arena_strdup(Arena *a, const char *s)
{
    size_t n = strlen(s) + 1;
    return memcpy(arena_alloc(a, n, 1), s, n);
}

char *arena_printf(Arena *a, const char *fmt, ...)
{
    va_list ap, again;
    va_start(ap, fmt);
    va_copy(again, ap);
    int n = vsnprintf(NULL, 0, fmt, ap);
    va_end(ap);
    CHECK(n >= 0, "arena_printf: bad format '%s'", fmt);
    char *s = arena_alloc(a, (size_t)n + 1, 1);
    vsnprintf(s, (size_t)n + 1, fmt, again);
    va_end(again);
    return s;
}
