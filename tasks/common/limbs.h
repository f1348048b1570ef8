/* SPDX-License-Identifier: Apache-2.0
 * limbs.h - large natural numbers as arrays of 32-bit limbs, least significant first.
 */
#ifndef SEQPROBE_TASKS_LIMBS_H
#define SEQPROBE_TASKS_LIMBS_H

#include <stdint.h>

static inline int limbs_of(int bits) { return (bits + 31) / 32; }

static inline int limbs_bit(const uint32_t *x, int i) { return (int)(x[i / 32] >> (i % 32) & 1); }

static inline void limbs_set(uint32_t *x, int i) { x[i / 32] |= (uint32_t)1 << (i % 32); }

/* x = a * b, of na and nb limbs; x has na + nb. */
static inline void limbs_multiply(uint32_t *x, const uint32_t *a, int na, const uint32_t *b, int nb)
{
    for (int i = 0; i < na + nb; i++) x[i] = 0;
    for (int i = 0; i < na; i++) {
        uint64_t carry = 0;
        for (int j = 0; j < nb; j++) {
            carry += (uint64_t)a[i] * b[j] + x[i + j];
            x[i + j] = (uint32_t)carry;
            carry >>= 32;
        }
        x[i + nb] = (uint32_t)carry;
    }
}

#endif
