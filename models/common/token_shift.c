/* SPDX-License-Identifier: Apache-2.0
 * token_shift.c - the previous token's row, and start values of RWKV. See token_shift.h. */
#include "common/token_shift.h"

#include <math.h>

Tensor *previous_token(Ctx *c, const char *slot, Tensor *x, Tensor *first)
{
    int C = tensor_last(x);
    Tensor *before = tape_const(c->tape, 2, (int[]){ 2, C }); /* the filter that takes all from one step back */
    for (int i = 0; i < C; i++) before->x[i] = 1;
    Tensor *past = carry_in(c, slot, first, x->dim[0], 1, C);
    return op_short_conv(c->tape, x, before, NULL, past, carry_out(c, slot));
}

void init_mix(real *x, const int *dim, int rank, double exponent, double less, Rng *rng)
{
    (void)rank;
    (void)rng;
    for (int i = 0; i < dim[0]; i++) x[i] = (real)(1 - less - pow((double)i / dim[0], exponent));
}

void ramp(real *x, int n, double low, double span, double exponent)
{
    for (int i = 0; i < n; i++) x[i] = (real)(low + span * (n > 1 ? pow((double)i / (n - 1), exponent) : 0));
}
