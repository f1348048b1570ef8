/* SPDX-License-Identifier: Apache-2.0
 * op_attention.c - causal softmax attention with grouped heads, a cache, a window and additive score biases.
 *
 *   q (B,T,H,K), k (B,S,HK,K), v (B,S,HK,V), S >= T, HK divides H -> o (B,T,H,V); head h reads key head h / (H/HK)
 *   s_tj = scale <q_t, k_j> + b_tj,  lo_t <= j <= p_t,  p_t = S-T+t,  lo_t = window > 0 ? max(0, p_t-window+1) : 0
 *   b_tj = distance[p_t - j] + sum_{j<m<=p_t} log_f[m] + full[t,j]       each per head, any may be absent
 *   e_tj = exp(s_tj - m_t),  m_t = max_j s_tj,  z_t = sum_j e_tj,  p_tj = e_tj / z_t,  o_t = sum_j p_tj v_j
 *   dv_j += p_tj do_t;  delta_t = <do_t, o_t>;  ds_tj = p_tj (<do_t, v_j> - delta_t)
 *   dq_t += scale sum_j ds_tj k_j;  dk_j += scale sum_t ds_tj q_t        (dk, dv summed over the heads of a group)
 *   dfull_tj += ds_tj;  ddistance[n] += sum of ds_tj with p_t - j = n;  dlog_f[m] += sum_{j>=m} dc_j, where
 *   c_j = sum_{m<=j} log_f[m], b_tj = c_p - c_j, and dc_j = -sum_t ds_tj (the sum of ds_tj over j is 0)
 *
 * Forward: blocks of query rows against the keys they see. Backward: blocks of ROWS x KEYS whose p are computed anew
 * from m and 1/z, all that is kept (the pair, not m + log z, whose rounding grows with m). Keys nobody in a tile sees
 * are skipped, others are masked to an exact 0, so no large negative number is ever added. Row sums z in double.
 * The c_j are sums in double: at gates of 1/2 they reach -700 after 1000 positions, and differences count.
 * A row always sees itself. A few rows on a long cache (streaming) take a path that packs nothing. CHECKs on shapes.
 *
 * Source: Vaswani et al. 2017 (arXiv:1706.03762); recomputation in blocks: Dao et al. 2022 (arXiv:2205.14135); grouped
 * heads: Ainslie et al. 2023 (arXiv:2305.13245); forget gates as a bias: Lin et al. 2025 (arXiv:2503.02130).
 */
#include "tape/tape.h"
#include "tape/tile.h"

enum { PANEL = 2, ROWS = 48, KEYS = 64, FEW_ROWS = 3, LONG = 1 << 14, EDGE = 6 }; /* EDGE: rows of the tallest tile */

typedef struct Heads {
    int B, T, S, H, HK, K, V, KP, VP, window;
    real scale;
} Heads; /* KP, VP: padded to vectors */
typedef struct Saved {
    Heads n;
    real *max, *inv;
} Saved;              /* (B,H,T) each */
typedef struct Bias { /* of one head of one sequence */
    const real *distance, *full;
    const double *c;
    real *d_distance, *d_full;
    double *d_c; /* distance (S), the greatest first: it runs with j; c (S); full (T,S) */
} Bias;

static inline int least(int a, int b) { return a < b ? a : b; }
static inline int most(int a, int b) { return a > b ? a : b; }
static inline int key_last(const Heads *n, int t) { return n->S - n->T + t; }
static inline int key_first(const Heads *n, int t)
{
    return n->window > 0 ? most(0, key_last(n, t) - n->window + 1) : 0;
}
/* The query rows that see at least one key of [from, to), clipped to [t0, t1). */
static inline int row_first(const Heads *n, int from, int t0) { return most(t0, from - (n->S - n->T)); }
static inline int row_end(const Heads *n, int to, int t1)
{
    return n->window > 0 ? least(t1, to - 1 + n->window - (n->S - n->T)) : t1;
}

static inline size_t q_at(const Heads *n, int b, int t, int h)
{
    return ((size_t)b * (size_t)n->T + (size_t)t) * (size_t)n->H + (size_t)h;
}
static inline size_t k_at(const Heads *n, int b, int j, int hk)
{
    return ((size_t)b * (size_t)n->S + (size_t)j) * (size_t)n->HK + (size_t)hk;
}

/* ---- additive biases -------------------------------------------------------------------------------------------- */

/* The biases of head h of sequence b, and with `grad` zeroed sums for their gradients. */
static Bias bias_open(const Heads *n, Arena *a, const ScoreBias *in, int b, int h, bool grad)
{
    Bias s = { 0 };
    size_t S = (size_t)n->S, H = (size_t)n->H;
    if (in->distance) {
        real *x = ARENA_RAW(a, real, S);
        for (size_t i = 0; i < S; i++) x[S - 1 - i] = in->distance->x[i * H + (size_t)h];
        s.distance = x;
        if (grad && in->distance->g) s.d_distance = ARENA_NEW(a, real, S);
    }
    if (in->log_f) {
        double *c = ARENA_RAW(a, double, S), sum = 0;
        for (size_t i = 0; i < S; i++) c[i] = sum += (double)in->log_f->x[((size_t)b * S + i) * H + (size_t)h];
        s.c = c;
        if (grad && in->log_f->g) s.d_c = ARENA_NEW(a, double, S);
    }
    if (in->full) {
        size_t at = ((size_t)b * H + (size_t)h) * (size_t)n->T * S;
        s.full = in->full->x + at;
        if (grad && in->full->g) s.d_full = in->full->g + at;
    }
    return s;
}

/* s[j - from] += the bias of row t at key j, j in [from,to), all of them seen. */
static void bias_add(const Heads *n, const Bias *bias, int t, int from, int to, real *restrict s)
{
    int len = to - from, p = key_last(n, t);
    if (bias->distance) {
        const real *x = bias->distance + (n->S - 1 - p) + from;
        for (int i = 0; i < len; i++) s[i] += x[i];
    }
    if (bias->c) {
        const double *c = bias->c + from, now = bias->c[p];
        for (int i = 0; i < len; i++) s[i] += (real)(now - c[i]);
    }
    if (bias->full) {
        const real *x = bias->full + (size_t)t * (size_t)n->S + (size_t)from;
        for (int i = 0; i < len; i++) s[i] += x[i];
    }
}

/* The gradient of the same: ds[j - from] of row t. */
static void bias_back(const Heads *n, const Bias *bias, int t, int from, int to, const real *restrict ds)
{
    int len = to - from;
    if (bias->d_distance) {
        real *restrict d = bias->d_distance + (n->S - 1 - key_last(n, t)) + from;
        for (int i = 0; i < len; i++) d[i] += ds[i];
    }
    if (bias->d_c) {
        double *restrict d = bias->d_c + from;
        for (int i = 0; i < len; i++) d[i] -= (double)ds[i];
    }
    if (bias->d_full) {
        real *restrict d = bias->d_full + (size_t)t * (size_t)n->S + (size_t)from;
        for (int i = 0; i < len; i++) d[i] += ds[i];
    }
}

/* Sums over a head go to the tensors. */
static void bias_close(const Heads *n, const Bias *s, const ScoreBias *in, int b, int h)
{
    size_t S = (size_t)n->S, H = (size_t)n->H;
    for (size_t i = 0; s->d_distance && i < S; i++) in->distance->g[i * H + (size_t)h] += s->d_distance[S - 1 - i];
    double sum = 0;
    for (size_t i = S; s->d_c && i-- > 0;) {
        sum += s->d_c[i];
        in->log_f->g[((size_t)b * S + i) * H + (size_t)h] += (real)sum;
    }
}

/* ---- forward ---------------------------------------------------------------------------------------------------- */

/* to (rows,padded) = f * x, rows `stride` apart, columns beyond width 0. */
static void rows_pack(real *to, const real *x, int rows, size_t stride, int width, int padded, real f)
{
    for (int r = 0; r < rows; r++, x += stride, to += padded)
        for (int i = 0; i < padded; i += VLEN) v_store(to + i, f * v_load_row(x + i, width - i));
}

/* Transposed panels (n/(PANEL VLEN), width, PANEL VLEN) of n rows `stride` apart; rows beyond n are 0. */
static void panels_pack(real *to, const real *x, int n, size_t stride, int width)
{
    const int wide = PANEL * VLEN;
    for (int j = 0; j < n; j += VLEN) {
        real *panel = to + (size_t)(j / wide * width * wide + j % wide);
        const real *rows = x + (size_t)j * stride;
        int k = 0;
        for (; j + VLEN <= n && k + VLEN <= width; k += VLEN)
            v_transpose(panel + k * wide, (size_t)wide, rows + k, stride);
        for (; k < width; k++)
            for (int i = 0; i < VLEN; i++) panel[k * wide + i] = j + i < n ? rows[(size_t)i * stride + (size_t)k] : 0;
    }
    for (int j = v_pad(n); j % wide; j += VLEN)
        for (int k = 0; k < width; k++) v_store(to + (size_t)(j / wide * width * wide + k * wide + j % wide), v_set(0));
}

/* y (rows,width) += f * from (rows,padded) */
static void rows_add(real *y, const real *from, int rows, size_t stride, int width, int padded, real f)
{
    for (int r = 0; r < rows; r++, y += stride, from += padded)
        for (int i = 0; i < width; i += VLEN)
            v_store_row(y + i, v_load_row(y + i, width - i) + f * v_load(from + i), width - i);
}

/* tile_mul with any number of vectors. */
static void mul_wide(int m, int width, int len, const real *a, size_t ra, size_t ca, const real *b, real *out, bool add)
{
    size_t ld = (size_t)width;
    for (int i = 0; i < width; i += TILE_WIDTH * VLEN) {
        int c = least(TILE_WIDTH, (width - i) / VLEN);
        tile_mul(m, c, len, a, ra, ca, b + i, ld, out + i, ld, add);
    }
}

static inline int tile_tall(int width) { return width <= 2 * VLEN ? 6 : 3; }

/* Scores of rows [t0,t1) against keys [from,to), from on a panel edge: out[t - t0][j - from], panels by panels. */
static void scores(const Heads *n, const real *q, int width, int ldq, const real *panels, int t0, int t1, int from,
                   int to, real *out, int ld)
{
    const int wide = PANEL * VLEN;
    for (int j = from; j < to; j += wide) {
        int r0 = row_first(n, j, t0), r1 = row_end(n, least(j + wide, n->S), t1);
        if (r0 < r1)
            tile_mul(r1 - r0, PANEL, width, q + (r0 - t0) * ldq, (size_t)ldq, 1, panels + (size_t)j * (size_t)width,
                     (size_t)wide, out + (size_t)(r0 - t0) * (size_t)ld + (j - from), (size_t)ld, false);
    }
}

/* All ones where lo <= j + lane <= last. */
static inline vint lanes(int j, int lo, int last)
{
    vint at;
    for (int i = 0; i < VLEN; i++) at[i] = j + i;
    return (at >= lo) & (at <= last);
}

/* s[j] = exp(s[j] - max) over [from,to), 0 where j is outside [lo,last]; from and the width read are whole vectors. */
static void softmax_row(real *s, int from, int to, int lo, int last, real *max_out, real *inv_out)
{
    vreal top = v_set((real)-INFINITY), none = top;
    for (int j = from; j < to; j += VLEN) {
        bool edge = j < lo || j + VLEN > last + 1;
        vreal x = v_load(s + j);
        top = v_max(top, edge ? v_select(lanes(j, lo, last), x, none) : x);
    }
    real max = top[0];
    for (int i = 1; i < VLEN; i++) max = top[i] > max ? top[i] : max;
    double sum = 0;
    for (int block = from; block < to; block += 8 * VLEN) {
        vreal part = v_set(0);
        for (int j = block; j < least(to, block + 8 * VLEN); j += VLEN) {
            vreal e = v_exp(v_load(s + j) - max);
            if (j < lo || j + VLEN > last + 1) e = v_select(lanes(j, lo, last), e, v_set(0));
            v_store(s + j, e);
            part += e;
        }
        sum += (double)v_sum(part);
    }
    *max_out = max;
    *inv_out = (real)(1 / sum);
}

/* Rows [t0,t1) of one head: scores, softmax, values. */
static void block_forward(const Heads *n, const Bias *bias, const real *q, const real *kt, const real *v, int t0,
                          int t1, real *score, real *acc, real *max, real *inv)
{
    const int wide = PANEL * VLEN, base = key_first(n, t0) / wide * wide, end = key_last(n, t1 - 1) + 1;
    const int ld = (end - base + wide - 1) / wide * wide + wide, tall = tile_tall(n->VP);
    scores(n, q, n->K, n->KP, kt, t0, t1, base, end, score, ld);
    for (int t = t0, tn; t < t1; t = tn) {
        tn = least(t + tall, t1);
        int from = (key_first(n, t) - base) / VLEN * VLEN, to = key_last(n, tn - 1) + 1 - base;
        real *s = score + (size_t)(t - t0) * (size_t)ld;
        for (int r = t; r < tn; r++) {
            int lo = key_first(n, r), last = key_last(n, r);
            real *row = s + (size_t)(r - t) * (size_t)ld;
            bias_add(n, bias, r, lo, last + 1, row + (lo - base));
            softmax_row(row, from, to, lo - base, last - base, max + r - t0, inv + r - t0);
        }
        mul_wide(tn - t, n->VP, to - from, s + from, (size_t)ld, 1, v + (size_t)(base + from) * (size_t)n->VP,
                 acc + (t - t0) * n->VP, false);
    }
}

/* All heads that read key head hk of sequence b. */
static void group_forward(const Heads *n, Arena *a, const ScoreBias *in, const Tensor *q, const Tensor *k,
                          const Tensor *v, Tensor *o, int b, int hk, Saved *s)
{
    const int wide = PANEL * VLEN, rows = n->S > LONG ? 6 : ROWS, SP = (n->S + wide - 1) / wide * wide;
    size_t mark = arena_mark(a);
    real *kt = ARENA_RAW(a, real, (size_t)SP * (size_t)n->K), *vr = ARENA_RAW(a, real, (size_t)n->S * (size_t)n->VP);
    real *score = ARENA_RAW(a, real, (size_t)rows * (size_t)(SP + 2 * wide));
    real *qr = ARENA_RAW(a, real, rows * n->KP), *acc = ARENA_RAW(a, real, rows * n->VP);
    panels_pack(kt, k->x + k_at(n, b, 0, hk) * (size_t)n->K, n->S, (size_t)n->HK * (size_t)n->K, n->K);
    rows_pack(vr, v->x + k_at(n, b, 0, hk) * (size_t)n->V, n->S, (size_t)n->HK * (size_t)n->V, n->V, n->VP, 1);
    for (int h = hk * (n->H / n->HK); h < (hk + 1) * (n->H / n->HK); h++) {
        size_t mark_head = arena_mark(a);
        Bias bias = bias_open(n, a, in, b, h, false);
        for (int t0 = 0, t1; t0 < n->T; t0 = t1) {
            t1 = least(t0 + rows, n->T);
            size_t at = ((size_t)b * (size_t)n->H + (size_t)h) * (size_t)n->T + (size_t)t0;
            rows_pack(qr, q->x + q_at(n, b, t0, h) * (size_t)n->K, t1 - t0, (size_t)n->H * (size_t)n->K, n->K, n->KP,
                      n->scale);
            block_forward(n, &bias, qr, kt, vr, t0, t1, score, acc, s->max + at, s->inv + at);
            for (int t = t0; t < t1; t++) {
                real *y = o->x + q_at(n, b, t, h) * (size_t)n->V;
                for (int i = 0; i < n->V; i++) y[i] = acc[(t - t0) * n->VP + i] * s->inv[at + (size_t)(t - t0)];
            }
        }
        arena_reset(a, mark_head);
    }
    arena_reset(a, mark);
}

/* One query row straight from the tensors: for a few rows packing would cost more than the products. */
static void row_forward(const Heads *n, const Bias *bias, const Tensor *q, const Tensor *k, const Tensor *v, Tensor *o,
                        int b, int t, int h, real *score, Saved *s)
{
    int lo = key_first(n, t), last = key_last(n, t), hk = h / (n->H / n->HK), from = lo / VLEN * VLEN;
    size_t at = ((size_t)b * (size_t)n->H + (size_t)h) * (size_t)n->T + (size_t)t, ldk = (size_t)(n->HK * n->K);
    const real *qr = q->x + q_at(n, b, t, h) * (size_t)n->K, *kr = k->x + k_at(n, b, lo, hk) * (size_t)n->K;
    for (int j = lo; j <= last; j++, kr += ldk) score[j - from] = n->scale * vec_dot(qr, kr, (size_t)n->K);
    bias_add(n, bias, t, lo, last + 1, score + (lo - from));
    softmax_row(score, 0, last + 1 - from, lo - from, last - from, s->max + at, s->inv + at);
    real *y = o->x + q_at(n, b, t, h) * (size_t)n->V;
    memset(y, 0, sizeof(real) * (size_t)n->V);
    const real *vr = v->x + k_at(n, b, lo, hk) * (size_t)n->V;
    for (int j = lo; j <= last; j++, vr += n->HK * n->V) vec_axpy(y, score[j - from], vr, (size_t)n->V);
    for (int i = 0; i < n->V; i++) y[i] *= s->inv[at];
}

/* ---- backward --------------------------------------------------------------------------------------------------- */

typedef struct Work {                   /* one key head, and one block of rows of one head */
    real *kt, *vt, *k, *dk, *dv;        /* panels of k and v; rows of k; sums over the group */
    real *q, *dy, *dq, *delta, *p, *ds; /* q times scale; p, ds (ROWS,KEYS) */
    const real *max, *inv;
    Bias bias;
} Work;

static Work work_new(const Heads *n, Arena *a)
{
    const int wide = PANEL * VLEN, SP = (n->S + wide - 1) / wide * wide;
    size_t S = (size_t)SP;
    return (Work){ .kt = ARENA_RAW(a, real, S * (size_t)n->K),
                   .vt = ARENA_RAW(a, real, S * (size_t)n->V),
                   .k = ARENA_RAW(a, real, S * (size_t)n->KP),
                   .dk = ARENA_NEW(a, real, S * (size_t)n->KP),
                   .dv = ARENA_NEW(a, real, S * (size_t)n->VP),
                   .q = ARENA_RAW(a, real, ROWS * n->KP),
                   .dy = ARENA_RAW(a, real, ROWS * n->VP),
                   .dq = ARENA_RAW(a, real, ROWS * n->KP),
                   .delta = ARENA_RAW(a, real, ROWS),
                   .p = ARENA_RAW(a, real, ROWS * KEYS),
                   .ds = ARENA_RAW(a, real, ROWS * KEYS) };
}

/* w->p: scores become p; w->ds: dp becomes ds; both 0 outside what row t sees, as far as a tile may read. */
static void row_back(const Heads *n, const Work *w, int t, int t0, int from, int to)
{
    int lo = key_first(n, t), last = key_last(n, t), r = t - t0;
    int j0 = most(from, lo - EDGE) / VLEN * VLEN, j1 = least(to, last + 1 + EDGE);
    real *p = w->p + r * KEYS, *ds = w->ds + r * KEYS, max = w->max[r], inv = w->inv[r], delta = w->delta[r];
    int in0 = most(from, lo), in1 = least(to, last + 1);
    bias_add(n, &w->bias, t, in0, in1, p + (in0 - from));
    for (int j = j0; j < j1; j += VLEN) {
        vreal e = v_exp(v_load(p + j - from) - max) * inv, d = e * (v_load(ds + j - from) - delta);
        if (j < lo || j + VLEN > last + 1) {
            vint in = lanes(j, lo, last);
            e = v_select(in, e, v_set(0));
            d = v_select(in, d, v_set(0));
        }
        v_store(p + j - from, e);
        v_store(ds + j - from, d);
    }
    bias_back(n, &w->bias, t, in0, in1, ds + (in0 - from));
}

/* Rows [t0,t1) against keys [from,to): adds to dk, dv of the keys and dq of the rows. */
static void block_back(const Heads *n, const Work *w, int t0, int t1, int from, int to)
{
    int r0 = row_first(n, from, t0), r1 = row_end(n, to, t1), tall = tile_tall(most(n->KP, n->VP));
    scores(n, w->q, n->K, n->KP, w->kt, t0, t1, from, to, w->p, KEYS);
    scores(n, w->dy, n->V, n->VP, w->vt, t0, t1, from, to, w->ds, KEYS);
    for (int t = r0; t < r1; t++) row_back(n, w, t, t0, from, to);
    for (int j = from, jn; j < to; j = jn) {
        jn = least(j + tall, to);
        int a = row_first(n, j, t0), len = row_end(n, jn, t1) - a, at = (a - t0) * KEYS + j - from;
        if (len <= 0) continue;
        mul_wide(jn - j, n->VP, len, w->p + at, 1, KEYS, w->dy + (a - t0) * n->VP, w->dv + (size_t)j * (size_t)n->VP,
                 true);
        mul_wide(jn - j, n->KP, len, w->ds + at, 1, KEYS, w->q + (a - t0) * n->KP, w->dk + (size_t)j * (size_t)n->KP,
                 true);
    }
    for (int t = r0, tn; t < r1; t = tn) {
        tn = least(t + tall, r1);
        int j = most(from, key_first(n, t)), len = least(to, key_last(n, tn - 1) + 1) - j;
        mul_wide(tn - t, n->KP, len, w->ds + (t - t0) * KEYS + j - from, KEYS, 1, w->k + (size_t)j * (size_t)n->KP,
                 w->dq + (t - t0) * n->KP, true);
    }
}

/* Rows [t0,t1) of head h against all they see. */
static void rows_back(const Heads *n, Work *w, const Tensor *q, const Tensor *o, int b, int h, int t0, int t1,
                      const Saved *s)
{
    size_t at = ((size_t)b * (size_t)n->H + (size_t)h) * (size_t)n->T + (size_t)t0, row = q_at(n, b, t0, h);
    size_t ldq = (size_t)n->H * (size_t)n->K, ldv = (size_t)n->H * (size_t)n->V;
    w->max = s->max + at;
    w->inv = s->inv + at;
    rows_pack(w->q, q->x + row * (size_t)n->K, t1 - t0, ldq, n->K, n->KP, n->scale);
    rows_pack(w->dy, o->g + row * (size_t)n->V, t1 - t0, ldv, n->V, n->VP, 1);
    for (int t = t0; t < t1; t++)
        w->delta[t - t0] = vec_dot(w->dy + (t - t0) * n->VP, o->x + q_at(n, b, t, h) * (size_t)n->V, (size_t)n->V);
    memset(w->dq, 0, sizeof(real) * (size_t)((t1 - t0) * n->KP));
    const int wide = PANEL * VLEN, end = key_last(n, t1 - 1) + 1;
    for (int from = key_first(n, t0) / wide * wide; from < end; from += KEYS)
        block_back(n, w, t0, t1, from, least(from + KEYS, end));
    if (q->g) rows_add(q->g + row * (size_t)n->K, w->dq, t1 - t0, ldq, n->K, n->KP, n->scale);
}

static void back(Node *node)
{
    Tensor *q = node->in[0], *k = node->in[1], *v = node->in[2], *o = node->out;
    const Saved *s = node->saved;
    const Heads *n = &s->n;
    const ScoreBias in = { .distance = node->in[3], .log_f = node->in[4], .full = node->in[5] };
    size_t ldk = (size_t)n->HK * (size_t)n->K, ldv = (size_t)n->HK * (size_t)n->V;
    for (int b = 0; b < n->B; b++)
        for (int hk = 0; hk < n->HK; hk++) {
            size_t mark = arena_mark(node->arena), at = k_at(n, b, 0, hk);
            Work w = work_new(n, node->arena);
            panels_pack(w.kt, k->x + at * (size_t)n->K, n->S, ldk, n->K);
            panels_pack(w.vt, v->x + at * (size_t)n->V, n->S, ldv, n->V);
            rows_pack(w.k, k->x + at * (size_t)n->K, n->S, ldk, n->K, n->KP, 1);
            for (int h = hk * (n->H / n->HK); h < (hk + 1) * (n->H / n->HK); h++) {
                size_t mark_head = arena_mark(node->arena);
                w.bias = bias_open(n, node->arena, &in, b, h, true);
                for (int t0 = 0; t0 < n->T; t0 += ROWS) rows_back(n, &w, q, o, b, h, t0, least(t0 + ROWS, n->T), s);
                bias_close(n, &w.bias, &in, b, h);
                arena_reset(node->arena, mark_head);
            }
            if (k->g) rows_add(k->g + at * (size_t)n->K, w.dk, n->S, ldk, n->K, n->KP, 1);
            if (v->g) rows_add(v->g + at * (size_t)n->V, w.dv, n->S, ldv, n->V, n->VP, 1);
            arena_reset(node->arena, mark);
        }
}

static Heads heads_check(const Tensor *q, const Tensor *k, const Tensor *v, double scale, int window)
{
    CHECK(q->rank == 4 && k->rank == 4 && v->rank == 4, "attention: q %s, k %s, v %s, want rank 4", shape_str(q),
          shape_str(k), shape_str(v));
    Heads n = { .B = q->dim[0],
                .T = q->dim[1],
                .S = k->dim[1],
                .H = q->dim[2],
                .HK = k->dim[2],
                .K = q->dim[3],
                .V = v->dim[3],
                .KP = v_pad(q->dim[3]),
                .VP = v_pad(v->dim[3]),
                .window = window,
                .scale = (real)scale };
    CHECK(k->dim[0] == n.B && v->dim[0] == n.B && v->dim[1] == n.S && v->dim[2] == n.HK && k->dim[3] == n.K &&
              n.S >= n.T,
          "attention: q %s, k %s, v %s, want (B,T,H,K), (B,S,HK,K), (B,S,HK,V), S >= T", shape_str(q), shape_str(k),
          shape_str(v));
    CHECK(n.HK > 0 && n.H % n.HK == 0, "attention: %d query heads on %d key heads", n.H, n.HK);
    CHECK(window >= 0, "attention: window %d", window);
    return n;
}

static void bias_check(const Heads *n, const ScoreBias *in)
{
    const Tensor *d = in->distance, *f = in->log_f, *x = in->full;
    CHECK(!d || (d->rank == 2 && d->dim[0] == n->S && d->dim[1] == n->H), "attention: distance %s, want (S,H)",
          shape_str(d));
    CHECK(!f || (f->rank == 3 && f->dim[0] == n->B && f->dim[1] == n->S && f->dim[2] == n->H),
          "attention: log_f %s, want (B,S,H)", shape_str(f));
    CHECK(!x || (x->rank == 4 && x->dim[0] == n->B && x->dim[1] == n->H && x->dim[2] == n->T && x->dim[3] == n->S),
          "attention: full bias %s, want (B,H,T,S)", shape_str(x));
}

/* The few rows of a streaming step. */
static void rows_forward(const Heads *n, Arena *a, const ScoreBias *in, const Tensor *q, const Tensor *k,
                         const Tensor *v, Tensor *o, int b, Saved *s)
{
    size_t mark = arena_mark(a);
    real *score = ARENA_RAW(a, real, n->S + 2 * VLEN);
    for (int h = 0; h < n->H; h++) {
        Bias bias = bias_open(n, a, in, b, h, false);
        for (int t = 0; t < n->T; t++) row_forward(n, &bias, q, k, v, o, b, t, h, score, s);
    }
    arena_reset(a, mark);
}

Tensor *op_attention(Tape *t, Tensor *q, Tensor *k, Tensor *v, double scale, int window, const ScoreBias *bias)
{
    Heads n = heads_check(q, k, v, scale, window);
    const ScoreBias in = bias ? *bias : (ScoreBias){ 0 };
    bias_check(&n, &in);
    Tensor *o = TENSOR(t, n.B, n.T, n.H, n.V);
    size_t mark = arena_mark(t->arena), rows = (size_t)n.B * (size_t)n.H * (size_t)n.T;
    Saved *s = ARENA_NEW(t->arena, Saved, 1);
    *s = (Saved){ .n = n, .max = ARENA_RAW(t->arena, real, rows), .inv = ARENA_RAW(t->arena, real, rows) };
    for (int b = 0; b < n.B; b++)
        if (n.T <= FEW_ROWS)
            rows_forward(&n, t->arena, &in, q, k, v, o, b, s);
        else
            for (int hk = 0; hk < n.HK; hk++) group_forward(&n, t->arena, &in, q, k, v, o, b, hk, s);
    double pairs = 0;
    for (int i = 0; i < n.T; i++) pairs += key_last(&n, i) - key_first(&n, i) + 1;
    tape_flops(t, n.B * n.H * pairs * (2.0 * (n.K + n.V) + !!in.distance + !!in.log_f + !!in.full));
    if (!t->grad) arena_reset(t->arena, mark);
    return PUSH(t, "softmax_attention", o, s, q, k, v, in.distance, in.log_f, in.full);
}
