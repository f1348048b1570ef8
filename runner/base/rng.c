/* SPDX-License-Identifier: Apache-2.0
 * rng.c - PCG32 seeding, bounded integers, reals, permutations, and the named streams.
 *
 * Source: O'Neill 2014 (PCG, XSH-RR 64/32); checked against the published demo output in tests/.
 */
#include "base/base.h"

#include <math.h>
#include <stdio.h>

Rng rng_seed(uint64_t initstate, uint64_t initseq)
{
    Rng r = { 0, (initseq << 1u) | 1u };
    rng_u32(&r);
    r.state += initstate;
    rng_u32(&r);
    return r;
}

uint32_t rng_below(Rng *r, uint32_t n)
{
    CHECK(n >= 1, "rng_below(%u)", n);
    uint32_t threshold = -n % n; /* reject the first 2^32 mod n values */
    for (;;) {
        uint32_t x = rng_u32(r);
        if (x >= threshold) return x % n;
    }
}

double rng_uniform(Rng *r)
{
    uint64_t hi = rng_u32(r) >> 5u, lo = rng_u32(r) >> 6u; /* 27 + 26 bits */
    return (double)(hi * 67108864u + lo) * 0x1p-53;
}

double rng_normal(Rng *r)
{
    double u = 1.0 - rng_uniform(r), v = rng_uniform(r); /* u in (0,1] */
    return sqrt(-2.0 * log(u)) * cos(6.283185307179586 * v);
}

void rng_shuffle(Rng *r, int *v, int n)
{
    for (int i = n - 1; i > 0; i--) {
        int j = (int)rng_below(r, (uint32_t)i + 1), x = v[i];
        v[i] = v[j];
        v[j] = x;
    }
}

void rng_choose(Rng *r, int n, int k, int *out, int *scratch)
{
    CHECK(k <= n, "rng_choose: %d of %d", k, n);
    for (int i = 0; i < n; i++) scratch[i] = i;
    for (int i = 0; i < k; i++) {
        int j = i + (int)rng_below(r, (uint32_t)(n - i)), x = scratch[i];
        out[i] = scratch[i] = scratch[j];
        scratch[j] = x;
    }
}

uint64_t mix64(uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30u)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27u)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31u);
}

uint64_t fnv1a64(const char *s)
{
    uint64_t h = 0xcbf29ce484222325u;
    for (; *s; s++) h = (h ^ (unsigned char)*s) * 0x100000001b3u;
    return h;
}

static Rng stream(uint64_t key, uint64_t i)
{
    Rng r;
    r.state = mix64(key + i);
    r.inc = mix64(r.state ^ 0x9e3779b97f4a7c15u) | 1u;
    return r;
}

Rng rng_named(uint64_t seed, const char *name) { return stream(mix64(fnv1a64(name) ^ mix64(seed)), 0); }

Rng rng_example(const char *task, const char *split, const char *slice, uint64_t seed, uint64_t i)
{
    char name[256];
    int n = snprintf(name, sizeof name, "%s/%s/%s", task, split, slice);
    CHECK(n > 0 && n < (int)sizeof name, "stream name too long: %s/%s/%s", task, split, slice);
    return stream(mix64(fnv1a64(name) ^ mix64(seed)), i);
}
