/* SPDX-License-Identifier: Apache-2.0
 * qkv.h - the shell around every mixer that reads queries, keys and values per head.
 *
 *   q = x Wq (B,T,H,K)    k = x Wk (B,T,Hk,K)    v = x Wv (B,T,Hk,V)       n_h > 1: k (B,T,n_h,H,K), v (B,T,n_h,H,V)
 *   each through its own short convolution, then the activation, then (q, k) the norm over K
 *   y = norm(o; w) [* act(x Wg)] Wo                                        o (B,T,H,V), w (V) shared by the heads
 *
 * Columns of Wk, Wv are ordered (n_h, head, channel). Norms: q, k / sqrt(sum x^2 + 1e-6); output RMSNorm, eps 1e-5.
 * Source: the layers of flash-linear-attention. Deviation: head widths default to d_model / heads for keys and values.
 */
#ifndef SEQPROBE_MODELS_QKV_H
#define SEQPROBE_MODELS_QKV_H

#include "mixer.h"

#include "common/short_conv.h"

enum { ACT_SILU, ACT_NONE, ACT_WITH_CONV };
#define ACT_CHOICES  "silu|none|with_conv"
#define ACT_HELP     "of q, k, v: silu, none, or silu only after a convolution"
enum { NORM_L2, NORM_NONE };
#define NORM_CHOICES "l2|none"
#define NORM_HELP    "of q and k per head: l2 or none"
enum { GATE_SILU, GATE_SIGMOID, GATE_NONE };
#define GATE_CHOICES "silu|sigmoid|none"
#define GATE_HELP    "of the output, from the layer's input: silu, sigmoid or none"
#define HEADS_HELP   "number of heads H"
#define HEAD_K_HELP  "key width K per head; 0: d_model / heads"
#define HEAD_V_HELP  "value width V per head; 0: d_model / heads"

/* What a mixer asks for. Zeros: kv_heads = heads, head_k = head_v = d_model / heads, micro = 1. */
typedef struct QkvSpec { int heads, kv_heads, head_k, head_v, micro, short_conv, activation, norm; } QkvSpec;

typedef struct Qkv {
    int H, HK, K, V, n_h;
    bool silu, l2;
    Tensor *wq, *wk, *wv;
    ShortConv cq, ck, cv;
} Qkv;

/* Declare wq, wk, wv, conv_q, conv_k, conv_v. Fails when heads do not divide d_model and no width is given. */
bool qkv_build(const QkvSpec *spec, const Place *at, Params *p, Qkv *out, Err *err);
void qkv_run(const Qkv *s, Ctx *c, Tensor *x, Tensor **q, Tensor **k, Tensor **v);

typedef struct HeadOut { int gate; Tensor *norm, *wg, *wo; } HeadOut;

/* Declare norm, wg (unless GATE_NONE) and wo. */
void    head_out_build(int gate, const Qkv *s, const Place *at, Params *p, HeadOut *out);
Tensor *head_out_run(const HeadOut *s, Ctx *c, Tensor *o, Tensor *x);

/* Option `eigenvalues`: [0, 1] or [-1, 1], nothing else. */
#define EIGEN_HELP "range of the transition's eigenvalues: [0, 1] or [-1, 1]"
bool eigen_check(const Reals *range, Err *err);
static inline bool eigen_negative(const Reals *range) { return range->v[0] < 0; }

/* Write strength beta = sigmoid(x Wb), doubled for eigenvalues 1 - beta in [-1,1]; Wb (D, n_h H) -> x's rows by
 * n_h H, shaped (B,T,H), or (B,T,n_h,H) for n_h > 1. */
Tensor *beta_run(Ctx *c, const Qkv *s, Tensor *x, Tensor *wb, bool negative);

#endif
