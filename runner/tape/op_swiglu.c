/* SPDX-License-Identifier: Apache-2.0
 * op_swiglu - gated unit: y = silu(a) b, a the gate.
 *
 *   a, b, y of one shape, s = sigmoid(a)      da += dy b s (1 + a (1-s));  db += dy a s
 *
 * Cost: counted as two flops per element. Saves nothing. Source: Shazeer 2020 (arXiv:2002.05202).
 */
#include "tape/tape.h"
#include "tape/vec.h"

static void back(Node *n)
{
    Tensor *a = n->in[0], *b = n->in[1], *y = n->out;
    for (size_t i = 0, size = tensor_size(y), w; i < size; i += w) {
        w = size - i < (size_t)VLEN ? size - i : (size_t)VLEN;
        vreal x = v_load_part(a->x + i, w, 0), s = v_sigmoid(x), dy = v_load_part(y->g + i, w, 0);
        if (a->g) {
            vreal da = dy * v_load_part(b->x + i, w, 0) * s * (1 + x * (1 - s));
            v_store_part(a->g + i, v_load_part(a->g + i, w, 0) + da, w);
        }
        if (b->g) v_store_part(b->g + i, v_load_part(b->g + i, w, 0) + dy * x * s, w);
    }
}

Tensor *op_swiglu(Tape *t, Tensor *a, Tensor *b)
{
    CHECK(same_shape(a, b), "swiglu: a %s, b %s, want one shape", shape_str(a), shape_str(b));
    Tensor *y = tape_like(t, a);
    for (size_t i = 0, size = tensor_size(y), w; i < size; i += w) {
        w = size - i < (size_t)VLEN ? size - i : (size_t)VLEN;
        v_store_part(y->x + i, v_silu(v_load_part(a->x + i, w, 0)) * v_load_part(b->x + i, w, 0), w);
    }
    tape_flops(t, 2.0 * (double)tensor_size(y));
    return PUSH(t, "swiglu", y, NULL, a, b);
}
