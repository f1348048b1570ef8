/* SPDX-License-Identifier: Apache-2.0
 * test_ops.c - values and gradients of the products, maps, norms, loss, positions and the short convolution. */
#include "support/gradcheck.h"

static Tensor *linear(Tape *t, Tensor **in, const GradCase *c)
{
    return op_linear(t, in[0], in[1], c->in[2].name ? in[2] : NULL);
}

static const GradCase cases[] = {
    GRAD("op_linear", "one", linear, .in = { IN("x", 1), IN("w", 1, 1), IN("bias", 1) }),
    GRAD("op_linear", "odd", linear, .in = { IN("x", 2, 7, 5), IN("w", 5, 9), IN("bias", 9) }),
};

int main(int argc, char **argv) { return gradcheck_main(argc, argv, "ops", cases, (int)(sizeof cases / sizeof *cases), NULL); }
