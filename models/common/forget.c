/* SPDX-License-Identifier: Apache-2.0
 * forget.c - forget gates with a lower bound. See forget.h. */
#include "common/forget.h"

#include <math.h>

Tensor *forget_bound(double first, int n, const Place *at, Params *p)
{
    double lb = first + (1 - first) * at->layer / at->layers;
    return lb > 0 ? param(p, "bound", NO_DECAY(INIT_CONST(log(lb / (1 - lb)))), n) : NULL;
}

Tensor *forget_write(Tape *t, Tensor *z, Tensor *bound)
{
    Tensor *w = op_sigmoid(t, op_affine(t, z, -1, 0));
    return bound ? op_mul_last(t, w, op_sigmoid(t, op_affine(t, bound, -1, 0))) : w;
}
