/* SPDX-License-Identifier: Apache-2.0
 * op_swiglu - gated unit: y = silu(a) b, a the gate.
 *
 *   a, b, y of one shape, s = sigmoid(a)      da += dy b s (1 + a (1-s));  db += dy a s
 *
 * Cost: counted as two flops per element. Saves nothing. Source: Shazeer 2020 (arXiv:2002.05202).
 */
#include "tape/tape.h"
#include "tape/vec.h"

#define INLINE static inline __attribute__((always_inline))

/* w elements from i on; called with w = VLEN, a constant, and once for the tail. */
INLINE void back_at(const Tensor *a, const Tensor *b, const Tensor *y, size_t i, size_t w)
{
    vreal x = v_load_part(a->x + i, w, 0), s = v_sigmoid(x), dy = v_load_part(y->g + i, w, 0);
    if (a->g) {
        vreal da = dy * v_load_part(b->x + i, w, 0) * s * (1 + x * (1 - s));
        v_store_part(a->g + i, v_load_part(a->g + i, w, 0) + da, w);
    }
    if (b->g) v_store_part(b->g + i, v_load_part(b->g + i, w, 0) + dy * x * s, w);
}

static void back(Node *n)
{
    const Tensor *a = n->in[0], *b = n->in[1], *y = n->out;
    size_t size = tensor_size(y), i = 0;
    for (; i + (size_t)VLEN <= size; i += (size_t)VLEN) back_at(a, b, y, i, (size_t)VLEN);
    if (i < size) back_at(a, b, y, i, size - i);
}

INLINE void forward_at(const Tensor *a, const Tensor *b, const Tensor *y, size_t i, size_t w)
{
    v_store_part(y->x + i, v_silu(v_load_part(a->x + i, w, 0)) * v_load_part(b->x + i, w, 0), w);
}

Tensor *op_swiglu(Tape *t, Tensor *a, Tensor *b)
{
    CHECK(same_shape(a, b), "swiglu: a %s, b %s, want one shape", shape_str(a), shape_str(b));
    Tensor *y = tape_like(t, a);
    size_t size = tensor_size(y), i = 0;
    for (; i + (size_t)VLEN <= size; i += (size_t)VLEN) forward_at(a, b, y, i, (size_t)VLEN);
    if (i < size) forward_at(a, b, y, i, size - i);
    tape_flops(t, 2.0 * (double)size);
    return PUSH(t, "swiglu", y, NULL, a, b);
}
