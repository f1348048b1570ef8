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
#include "common/start.h"

enum { ACT_SILU, ACT_NONE, ACT_WITH_CONV };
#define ACT_CHOICES  "silu|none|with_conv"
#define ACT_HELP     "of q, k, v: silu, none, or silu only after a convolution"
enum { NORM_NONE, NORM_L2 };
#define NORM_CHOICES "none|l2"
#define NORM_HELP    "of q and k per head: none or l2"
enum { GATE_SILU, GATE_SIGMOID, GATE_NONE };
#define GATE_CHOICES "silu|sigmoid|none"
#define GATE_HELP    "of the output, from the layer's input: silu, sigmoid or none"
#define HEADS_HELP   "number of heads H"
#define HEAD_K_HELP  "key width K per head; 0: d_model / heads"
#define HEAD_V_HELP  "value width V per head; 0: d_model / heads"

/* The options every such mixer has, a member `head` of its Cfg. What has no row in the table is 0: kv_heads = heads,
 * n_h = 1, qk_norm none. */
typedef struct Heads {
    int heads, kv_heads, head_k, head_v, n_h, short_conv, activation, qk_norm, output_gate, initial_state;
} Heads;

/* Rows of an option table: HEAD_WIDTHS first, then what is the mixer's own, then HEAD_SHELL with its defaults. */
#define HEAD_INT(f, def, lo, hi, help)      { #f, OPT_INT, offsetof(Cfg, head.f), def, lo, hi, NULL, help }
#define HEAD_ENUM(f, def, choices, help)    { #f, OPT_ENUM, offsetof(Cfg, head.f), def, 0, 0, choices, help }
#define HEAD_COUNT                          HEAD_INT(heads, "2", 1, 1024, HEADS_HELP)
#define HEAD_SIZES                          HEAD_INT(head_k, "0", 0, 4096, HEAD_K_HELP), \
                                            HEAD_INT(head_v, "0", 0, 4096, HEAD_V_HELP)
#define HEAD_WIDTHS                         HEAD_COUNT, HEAD_SIZES
#define HEAD_CONV(width, act)               HEAD_INT(short_conv, width, 0, SHORT_CONV_MAX, SHORT_CONV_HELP), \
                                            HEAD_ENUM(activation, act, ACT_CHOICES, ACT_HELP)
#define HEAD_END(gate)                      HEAD_ENUM(output_gate, gate, GATE_CHOICES, GATE_HELP), \
                                            HEAD_ENUM(initial_state, "zero", START_CHOICES, START_HELP)
#define HEAD_SHELL(width, act, norm, gate)  HEAD_CONV(width, act), HEAD_ENUM(qk_norm, norm, NORM_CHOICES, NORM_HELP), \
                                            HEAD_END(gate)

typedef struct Qkv {
    int H, HK, K, V, n_h;
    bool silu, l2;
    Tensor *wq, *wk, *wv;
    ShortConv cq, ck, cv;
} Qkv;

/* Declare wq, wk, wv, conv_q, conv_k, conv_v. Fails when heads do not divide d_model and no width is given. */
bool qkv_build(const Heads *o, const Place *at, Params *p, Qkv *out, Err *err);
void qkv_run(const Qkv *s, Ctx *c, Tensor *x, Tensor **q, Tensor **k, Tensor **v);

typedef struct HeadOut { int gate; Tensor *norm, *wg0, *wg, *bg, *wo; } HeadOut;

/* The start of a matrix state, s0 (H,K,V), or NULL for zeros: option initial_state. */
Tensor *head_start_build(const Heads *o, const Qkv *s, Params *p);
/* op_scan_dplr that carries the state (B,H,K,V) in slot "s", from s0; in.scale is 1 / sqrt(K) unless set. */
Tensor *head_scan(const Qkv *s, Ctx *c, Tensor *s0, DplrIn in);

/* Declare norm, wg (unless GATE_NONE) and wo. */
void    head_out_build(int gate, const Qkv *s, const Place *at, Params *p, HeadOut *out);
/* The same with a gate of low rank, act(x Wg0 Wg + bg): Wg0 (D,R), Wg (R,H V), bg (H V). */
void    head_out_low_build(int gate, int rank, const Qkv *s, const Place *at, Params *p, HeadOut *out);
Tensor *head_out_run(const HeadOut *s, Ctx *c, Tensor *o, Tensor *x);

/* Option `eigenvalues`: [0, 1] or [-1, 1], nothing else. */
#define EIGEN_HELP "range of the transition's eigenvalues: [0, 1] or [-1, 1]"
bool eigen_check(const Reals *range, Err *err);
static inline bool eigen_negative(const Reals *range) { return range->v[0] < 0; }

/* Write strength beta = sigmoid(x Wb), doubled for eigenvalues 1 - beta in [-1,1]; Wb (D, n_h H) -> x's rows by
 * n_h H, shaped (B,T,H), or (B,T,n_h,H) for n_h > 1. */
Tensor *beta_run(Ctx *c, const Qkv *s, Tensor *x, Tensor *wb, bool negative);

#endif
