/* SPDX-License-Identifier: Apache-2.0
 * backbone.h - the model around the mixers: embedding, blocks, head at scored positions.
 */
#ifndef SEQPROBE_BACKBONE_H
#define SEQPROBE_BACKBONE_H

#include "train/train.h"

typedef struct Norm { Tensor *w, *b; } Norm;
typedef struct Block {
    Norm norm1, norm2;
    MixerUse mixer;
    Tensor *conv_w, *conv_lin, *conv_bias;                /* conv_first only: replaces the mixer of block 0 */
    Tensor *gate, *up, *down, *up_bias, *down_bias;       /* channel mixer */
} Block;

typedef struct Model {
    const RunSpec *spec;
    const ModelCfg *cfg;
    Params *params;
    Tensor *embed, *pos, *unembed, *unembed_bias;
    Block *block;
    Norm norm;
    Arena *arena;
} Model;

/* Declare all parameters and initialise them from the run's seed. */
bool model_build(Model *m, const RunSpec *spec, Arena *a, Err *err);
/* Declare them only: what the mixers refuse is an error with its place; their number goes to *params. */
bool model_check(const RunSpec *spec, Arena *a, size_t *params, Err *err);
/* A second set of gradients (and selfs) on the same values, for another worker. */
bool model_view(Model *m, const Model *owner, Arena *a, Err *err);

/* id (B,T) row-major -> logits (n,C) at the n rows (b*T + t) listed; NULL if n == 0. ctx carries state and position. */
Tensor *model_forward(const Model *m, Ctx *ctx, const int *id, int B, int T, const int *row, int n);

/* Reals kept per sequence after one sequence of `len` positions: the sum of the carried slots. */
size_t model_state_reals(const Model *m, Tape *tape, int len);

#endif
