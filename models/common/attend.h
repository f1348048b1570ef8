/* SPDX-License-Identifier: Apache-2.0
 * attend.h - what every softmax attention shares: positions, a window, the cache, grouped heads.
 *
 *   q, k <- rms(q; wq) , rms(k; wk) if qk_norm, each head on its own       q (B,T,H,K), k (B,S,HK,K), v (B,S,HK,V)
 *   o = softmax_j( <q[t], k[j]> / sqrt(K) + c b[t,j] ) v[j]                o (B,T,H,V); head h reads key head h/(H/HK)
 *   rope   turns pair i of q and k at position t by t base^(-2i/K); b = 0
 *   nope   b = 0: order comes from the causal mask alone
 *   alibi  b = -m_h (t-j); m_h = 2^(-8(h+1)/H) for H a power of two, else the slopes of the largest power C below H,
 *          then the 1st, 3rd, 5th, ... slope of 2C
 *   t5     b = table[bucket(t-j), h]; bucket(n) = n below N/2, then logarithmic up to distance M:
 *          min(N-1, N/2 + floor(log(n/(N/2)) / log(M/(N/2)) (N - N/2)))
 *   cope   b = z[t, n] between whole n, z[t,p] = <q[t], e[p]>, n = min(sum_{m=j..t} sigmoid(<q[t], k[m]>/sqrt(K)), P-1)
 *   c = 1, or 1/sqrt(K) with pos_scaled
 *
 * N, M: pos_size, pos_reach (default 32, 128); P: pos_size (64). Tables start N(0, 0.02) for t5, 0 for cope, and are
 * never decayed; one table per layer. State: keys (rotated, normed) and values, HK (K + V) for each position kept.
 * Sources: rotations, Su et al. 2021 (arXiv:2104.09864); ALiBi, Press et al. 2022 (arXiv:2108.12409) with the slopes of
 * their code; T5, Raffel et al. 2020 (arXiv:1910.10683), there one table for all layers; CoPE, Golovneva et al. 2024
 * (arXiv:2405.18719), whose code adds the bias before the division (pos_scaled: true). UNVERIFIED: c = 1 as in the
 * paper's listing; T5 without 1/sqrt(K); 64 positions as CoPE's usual size.
 */
#ifndef SEQPROBE_MODELS_ATTEND_H
#define SEQPROBE_MODELS_ATTEND_H

#include "mixer.h"

#include "common/qkv.h"

enum { POS_ROPE, POS_T5, POS_ALIBI, POS_COPE, POS_NOPE };
#define POS_CHOICES "rope|t5|alibi|cope|nope"
enum { LAYOUT_HALF, LAYOUT_INTERLEAVED };
enum { QK_NONE, QK_RMS };

/* Options, a member `at` of Cfg; what has no row in the table is off. */
typedef struct AttendCfg {
    int pos, pos_size, pos_reach, rope_layout, window, qk_norm;
    bool pos_scaled;
    double rope_base;
} AttendCfg;

#define AT_INT(f, def, lo, hi, help)   { #f, OPT_INT, offsetof(Cfg, at.f), def, lo, hi, NULL, help }
#define AT_ENUM(f, def, choices, help) { #f, OPT_ENUM, offsetof(Cfg, at.f), def, 0, 0, choices, help }
#define KV_HEADS                                                                                                       \
    HEAD_INT(kv_heads, "0", 0, 1024, "number of key and value heads, a divisor of heads; 0: heads")
#define POS_OPTIONS(pos_def)                                                                                           \
    AT_ENUM(pos, pos_def, POS_CHOICES, "positions: rotary, biases by distance, contextual, or none"),                  \
        AT_INT(pos_size, "0", 0, 65536, "t5: number of buckets (0: 32); cope: number of positions (0: 64)"),           \
        AT_INT(pos_reach, "0", 0, 1048576, "t5: distance from which on all share the last bucket; 0: 128"),            \
        { "pos_scaled", OPT_BOOL, offsetof(Cfg, at.pos_scaled), "false", 0, 1, NULL,                                   \
          "divide the biases of t5, alibi and cope by sqrt(head_k), as the scores are" }
#define ROPE_OPTIONS(layout)                                                                                           \
    { "rope_base", OPT_REAL, offsetof(Cfg, at.rope_base), "10000", 1, 1e9, NULL, "base of the rotary angles" },        \
        AT_ENUM(rope_layout, layout, "half|interleaved", "which channels of a head form a rotary pair")
#define WINDOW_OPTION AT_INT(window, "0", 0, 1048576, "positions seen, the current one included; 0: all")
#define QK_NORM_OPTION(norm)                                                                                           \
    AT_ENUM(qk_norm, norm, "none|rms", "norm of q and k per head: none, or RMS with a gain per channel")

typedef struct Attend {
    const AttendCfg *o;
    int size, reach;                   /* resolved pos_size, pos_reach */
    double scale, base;                /* 1 / sqrt(K); of the angles, 10000 if there is no option */
    Tensor *table;                     /* t5 (N,H), cope (P,K), or NULL */
    Tensor *norm_q, *norm_k;           /* (K) or NULL */
} Attend;

/* heads divisible by kv_heads. */
bool kv_heads_check(const Heads *o, Err *err);
/* Declare pos_table, norm_q, norm_k where the options want them; H query heads of key width K. */
bool attend_build(const AttendCfg *o, int H, int K, Params *p, Attend *out, Err *err);
/* v with the values of earlier chunks, (B,S,HK,V), slot "v". */
Tensor *attend_values(const Attend *s, Ctx *c, Tensor *v);
/* o (B,T,H,V) on v of attend_values. Keys and log_f grow in slots "k" and "f" followed by `slot`. log_f (B,T,H) or
 * NULL: log forget gates, added as sum_{j<m<=t} log_f[m]. */
Tensor *attend_run(const Attend *s, Ctx *c, const char *slot, Tensor *q, Tensor *k, Tensor *v, Tensor *log_f);

/* The pieces, for tests: slope of head h of H; bucket of distance n. */
double alibi_slope(int h, int H);
int    t5_bucket(int n, int buckets, int reach);

#endif
