/* SPDX-License-Identifier: Apache-2.0
 * token_shift.c - the previous token's row, and start values of RWKV. See token_shift.h. */
#include "common/token_shift.h"

#include <math.h>

Tensor *shift_rows(Tape *t, Tensor *x, Tensor *first, real *last)
{
    int C = tensor_last(x);
    Tensor *before = tape_const(t, 2, (int[]){ 2, C }); /* the filter that takes all from one step back */
    for (int i = 0; i < C; i++) before->x[i] = 1;
    return op_short_conv(t, x, before, NULL, first, last);
}

Tensor *previous_token(Ctx *c, const char *slot, Tensor *x, Tensor *first)
{
    Tensor *past = carry_in(c, slot, first, x->dim[0], 1, tensor_last(x));
    return shift_rows(c->tape, x, past, carry_out(c, slot));
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
