/* SPDX-License-Identifier: Apache-2.0
 * op_cope - contextual positions: a bias for attention whose distances count gates that content opens.
 *
 *   q (B,T,H,K), k (B,S,HK,K), z (B,T,H,P) -> y (B,H,T,S); head h reads key head h / (H/HK); query t stands at S-T+t
 *   s_tj = scale <q_t, k_j>,  g_tj = sigmoid(s_tj)                     for the keys j that t sees, lo_t <= j <= S-T+t
 *   n_tj = min(sum_{m>=j} g_tm, P-1)                                   counted back from the query
 *   y_tj = w z_t[ceil n] + (1-w) z_t[floor n],  w = n - floor n;  0 where t does not see j
 *   dz_t[ceil n] += w dy_tj;  dz_t[floor n] += (1-w) dy_tj;  dn_tj = dy_tj (z_t[ceil n] - z_t[floor n]), 0 beyond P-1
 *   dg_tm = sum_{j<=m} dn_tj;  ds = dg g (1-g);  dq_t += scale sum_j ds_tj k_j;  dk_j += scale sum_t ds_tj q_t
 *
 * Piecewise linear in n: at whole n the gradient of n is taken as 0 (there ceil = floor). Sums of gates in double.
 * Cost: one product (T,K,S) per head and about eight flops a pair; backward makes scores and gates anew. Saves nothing
 * but sizes. Source: Golovneva et al. 2024 (arXiv:2405.18719).
 */
#include "tape/tape.h"
#include "tape/vec.h"

typedef struct Saved {
    int window;
    double scale;
} Saved;

static int key_first(const Tensor *y, int window, int t)
{
    int first = y->dim[3] - y->dim[2] + t - window + 1;
    return window > 0 && first > 0 ? first : 0;
}

/* gate (T,S) = sigmoid(scale q k') of head h of sequence b; ld of q and k are H K and HK K. */
static void gates(const Tensor *q, const Tensor *k, double scale, int b, int h, real *gate)
{
    int T = q->dim[1], H = q->dim[2], K = q->dim[3], S = k->dim[1], HK = k->dim[2];
    const real *qh = q->x + ((size_t)b * (size_t)T * (size_t)H + (size_t)h) * (size_t)K;
    const real *kh = k->x + ((size_t)b * (size_t)S * (size_t)HK + (size_t)(h / (H / HK))) * (size_t)K;
    gemm(false, true, T, S, K, (real)scale, qh, H * K, kh, HK * K, 0, gate, S);
    vec_sigmoid(gate, gate, (size_t)T * (size_t)S);
}

/* Where a sum of gates falls among P numbers: between lo and hi, w of the way; free: short of the last. */
typedef struct Spot {
    int lo, hi;
    real w;
    bool free;
} Spot;

static Spot spot_at(double n, int P)
{
    if (n >= P - 1) return (Spot){ P - 1, P - 1, 0, false };
    int lo = (int)n;
    double w = n - lo;
    return (Spot){ lo, w > 0 ? lo + 1 : lo, (real)w, true };
}

static const real *z_row(const Tensor *z, int b, int t, int h)
{
    return z->x + (((size_t)b * (size_t)z->dim[1] + (size_t)t) * (size_t)z->dim[2] + (size_t)h) * (size_t)z->dim[3];
}

static Tensor *cope_forward(Tape *tape, const Tensor *q, const Tensor *k, const Tensor *z, const Saved *s)
{
    int B = q->dim[0], T = q->dim[1], H = q->dim[2], S = k->dim[1], P = z->dim[3];
    Tensor *y = TENSOR(tape, B, H, T, S);
    size_t mark = arena_mark(tape->arena);
    real *gate = ARENA_RAW(tape->arena, real, (size_t)T * (size_t)S);
    memset(y->x, 0, tensor_size(y) * sizeof(real));
    for (int b = 0; b < B; b++)
        for (int h = 0; h < H; h++) {
            gates(q, k, s->scale, b, h, gate);
            for (int t = 0; t < T; t++) {
                const real *g = gate + (size_t)t * (size_t)S, *zt = z_row(z, b, t, h);
                real *row = y->x + (((size_t)b * (size_t)H + (size_t)h) * (size_t)T + (size_t)t) * (size_t)S;
                double n = 0;
                for (int j = S - T + t, lo = key_first(y, s->window, t); j >= lo; j--) {
                    n += (double)g[j];
                    Spot at = spot_at(n, P);
                    row[j] = at.w * zt[at.hi] + (1 - at.w) * zt[at.lo];
                }
            }
        }
    arena_reset(tape->arena, mark);
    return y;
}

/* dy of one row: into dz (P, may be NULL), and over the gates g in their place the gradients of the scores. */
static void row_back(const real *dy, const real *z, int P, int lo, int last, real *g, real *dn, real *dz)
{
    double n = 0, sum = 0;
    for (int j = last; j >= lo; j--) {
        n += (double)g[j];
        Spot at = spot_at(n, P);
        dn[j] = at.free ? dy[j] * (z[at.hi] - z[at.lo]) : 0;
        if (!dz) continue;
        dz[at.hi] += at.w * dy[j];
        dz[at.lo] += (1 - at.w) * dy[j];
    }
    for (int j = lo; j <= last; j++) {
        sum += (double)dn[j];
        g[j] = (real)sum * g[j] * (1 - g[j]);
    }
}

static void head_back(const Node *node, int b, int h, real *gate, real *dn)
{
    Tensor *q = node->in[0], *k = node->in[1], *z = node->in[2], *y = node->out;
    const Saved *s = node->saved;
    int T = q->dim[1], H = q->dim[2], K = q->dim[3], S = k->dim[1], HK = k->dim[2], P = z->dim[3];
    size_t at_q = ((size_t)b * (size_t)T * (size_t)H + (size_t)h) * (size_t)K;
    size_t at_k = ((size_t)b * (size_t)S * (size_t)HK + (size_t)(h / (H / HK))) * (size_t)K;
    gates(q, k, s->scale, b, h, gate);
    for (int t = 0; t < T; t++) {
        int lo = key_first(y, s->window, t), last = S - T + t;
        real *g = gate + (size_t)t * (size_t)S;
        const real *zt = z_row(z, b, t, h);
        size_t at = (((size_t)b * (size_t)H + (size_t)h) * (size_t)T + (size_t)t) * (size_t)S;
        row_back(y->g + at, zt, P, lo, last, g, dn, z->g ? z->g + (zt - z->x) : NULL);
        memset(g, 0, (size_t)lo * sizeof(real));
        memset(g + last + 1, 0, (size_t)(S - 1 - last) * sizeof(real));
    }
    real scale = (real)s->scale;
    if (q->g) gemm(false, false, T, K, S, scale, gate, S, k->x + at_k, HK * K, 1, q->g + at_q, H * K);
    if (k->g) gemm(true, false, S, K, T, scale, gate, S, q->x + at_q, H * K, 1, k->g + at_k, HK * K);
}

static void back(Node *n)
{
    const Tensor *y = n->out;
    size_t mark = arena_mark(n->arena);
    real *gate = ARENA_RAW(n->arena, real, (size_t)y->dim[2] * (size_t)y->dim[3]);
    real *dn = ARENA_RAW(n->arena, real, y->dim[3]);
    for (int b = 0; b < y->dim[0]; b++)
        for (int h = 0; h < y->dim[1]; h++) head_back(n, b, h, gate, dn);
    arena_reset(n->arena, mark);
}

Tensor *op_cope(Tape *t, Tensor *q, Tensor *k, Tensor *z, double scale, int window)
{
    CHECK(q->rank == 4 && k->rank == 4 && z->rank == 4 && k->dim[0] == q->dim[0] && k->dim[3] == q->dim[3] &&
              k->dim[1] >= q->dim[1] && q->dim[2] % k->dim[2] == 0 && !memcmp(q->dim, z->dim, 3 * sizeof(int)),
          "cope: q %s, k %s, z %s, want (B,T,H,K), (B,S,HK,K), (B,T,H,P), S >= T", shape_str(q), shape_str(k),
          shape_str(z));
    CHECK(window >= 0, "cope: window %d", window);
    Saved *s = ARENA_NEW(t->arena, Saved, 1);
    *s = (Saved){ .window = window, .scale = scale };
    Tensor *y = cope_forward(t, q, k, z, s);
    tape_flops(t, (double)tensor_size(y) * (2.0 * q->dim[3] + 8));
    return PUSH(t, "cope", y, s, q, k, z);
}
