/* SPDX-License-Identifier: Apache-2.0
 * short_conv.c - parameters and carried state of the short convolution. See short_conv.h. */
#include "common/short_conv.h"

#include <math.h>
#include <stdio.h>

ShortConv short_conv_build(Params *p, const char *name, int width, int channels, bool biased)
{
    ShortConv s = { 0 };
    if (width == 0) return s;
    double bound = 1 / sqrt((double)width);
    char bias[32];
    snprintf(s.slot, sizeof s.slot, "%s", name);
    snprintf(bias, sizeof bias, "%s_bias", name);
    s.w = param(p, name, INIT_UNIFORM(-bound, bound), width, channels);
    if (biased) s.bias = param(p, bias, INIT_UNIFORM(-bound, bound), channels);
    return s;
}

Tensor *short_conv_run(const ShortConv *s, Ctx *c, Tensor *x)
{
    if (!s->w) return x;
    int W = s->w->dim[0];
    if (W == 1) return op_short_conv(c->tape, x, s->w, s->bias, NULL, NULL);
    Tensor *past = carry_in(c, s->slot, NULL, x->dim[0], W - 1, tensor_last(x));
    return op_short_conv(c->tape, x, s->w, s->bias, past, carry_out(c, s->slot));
}
