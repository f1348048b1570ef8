/* SPDX-License-Identifier: Apache-2.0
 * op_phasor - cosine and sine of angles summed over time: rotations that depend on the data.
 *
 *   phase (B,T,...,K) radians, z0 (B,...,K) or NULL (zeros) -> y (B,T,...,2 K);  last (B,...,K) or NULL: last angle
 *   z[t] = z[t-1] + phase[t], kept in [-pi, pi];   y[t] = [cos z[t], sin z[t]]
 *   dz[t] = dz[t+1] - sin z[t] dcos[t] + cos z[t] dsin[t];   dphase[t] += dz[t];   dz0 += dz[0]
 *
 * With it a diagonal recurrence with factors m exp(i phase) is a real one, twice as wide, with factors m: written
 * with k [cos z, sin z] and read with q [cos z, sin z], since cos(z[t] - z[s]) = cos cos + sin sin.
 * Angles are summed in double. Saves nothing but its output.
 */
#include "tape/tape.h"

#include <math.h>
#include <string.h>

typedef struct {
    int B, T, H, K;
} Dims;

static Dims dims_of(const Tensor *x)
{
    Dims d = { .B = x->dim[0], .T = x->dim[1], .H = 1, .K = tensor_last(x) };
    for (int i = 2; i < x->rank - 1; i++) d.H *= x->dim[i];
    return d;
}

static void back(Node *n)
{
    const Tensor *phase = n->in[0], *z0 = n->in[1], *y = n->out;
    const Dims d = dims_of(phase);
    const size_t N = (size_t)(d.H * d.K);
    size_t mark = arena_mark(n->arena);
    real *dz = ARENA_RAW(n->arena, real, N);
    for (int b = 0; b < d.B; b++) {
        memset(dz, 0, sizeof(real) * N);
        for (int t = d.T - 1; t >= 0; t--) {
            size_t row = (size_t)(b * d.T + t);
            for (int h = 0; h < d.H; h++) {
                const size_t o = (row * (size_t)d.H + (size_t)h) * (size_t)(2 * d.K);
                const real *c = y->x + o, *s = c + d.K, *gc = y->g + o, *gs = gc + d.K;
                real *z = dz + h * d.K;
                for (int i = 0; i < d.K; i++) z[i] += c[i] * gs[i] - s[i] * gc[i];
            }
            for (size_t i = 0; phase->g && i < N; i++) phase->g[row * N + i] += dz[i];
        }
        for (size_t i = 0; z0 && z0->g && i < N; i++) z0->g[(size_t)b * N + i] += dz[i];
    }
    arena_reset(n->arena, mark);
}

static void put(double z, int K, real *y)
{
    y[0] = REAL_BITS == 32 ? (real)cosf((float)z) : (real)cos(z);
    y[K] = REAL_BITS == 32 ? (real)sinf((float)z) : (real)sin(z);
}

Tensor *op_phasor(Tape *t, Tensor *phase, Tensor *z0, real *last)
{
    CHECK(phase->rank >= 3, "phasor: phase %s, want (B,T,...,K)", shape_str(phase));
    const Dims d = dims_of(phase);
    const size_t N = (size_t)(d.H * d.K);
    const double turn = 2 * acos(-1.0);
    CHECK(!z0 || (z0->dim[0] == d.B && tensor_size(z0) == (size_t)d.B * N), "phasor: z0 %s, phase %s", shape_str(z0),
          shape_str(phase));
    int dim[RANK_MAX];
    memcpy(dim, phase->dim, sizeof dim);
    dim[phase->rank - 1] = 2 * d.K;
    Tensor *y = tape_tensor(t, phase->rank, dim);
    size_t mark = arena_mark(t->arena);
    double *z = ARENA_RAW(t->arena, double, N);
    for (int b = 0; b < d.B; b++) {
        for (size_t i = 0; i < N; i++) z[i] = z0 ? (double)z0->x[(size_t)b * N + i] : 0;
        for (int j = 0; j < d.T; j++) {
            const size_t row = (size_t)(b * d.T + j);
            for (size_t i = 0; i < N; i++) {
                const size_t h = i / (size_t)d.K, k = i % (size_t)d.K;
                z[i] += (double)phase->x[row * N + i];
                z[i] -= turn * rint(z[i] / turn);
                put(z[i], d.K, y->x + 2 * (row * N + h * (size_t)d.K) + k);
            }
        }
        for (size_t i = 0; last && i < N; i++) last[(size_t)b * N + i] = (real)z[i];
    }
    arena_reset(t->arena, mark);
    tape_flops(t, 16.0 * (double)tensor_size(y));
    return PUSH(t, "phasor", y, NULL, phase, z0);
}
