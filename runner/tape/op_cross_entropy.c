/* SPDX-License-Identifier: Apache-2.0
 * op_cross_entropy - negative log-likelihood of one class per row, and the argmax.
 *
 *   z (n,C), y: n classes or IGNORE -> loss (1) = scale * sum over scored rows of (lse(z) - z[y])
 *   dz += dloss scale (softmax(z) - onehot(y)), 0 for ignored rows
 *
 * The caller puts 1/(scored positions of the whole batch) into scale. *nll receives the unscaled sum; pred the lowest
 * index of the largest logit, for ignored rows too. Exponentials in `real`, their sums and the logarithm in double.
 * Cost: 4 flops per logit. Saves maximum and sum of exponentials per row; the softmax is computed anew going back.
 */
#include "tape/tape.h"
#include "tape/vec.h"

typedef struct {
    int *target;
    double scale;
    real *row;
} Saved; /* row: maximum, 1/sum of exponentials */

static real row_max(const real *z, size_t C)
{
    vreal m = v_set(-(real)INFINITY);
    size_t i = 0;
    for (; i + (size_t)VLEN <= C; i += (size_t)VLEN) m = v_max(m, v_load(z + i));
    if (i < C) m = v_max(m, v_load_part(z + i, C - i, -(real)INFINITY));
    real best = m[0];
    for (int j = 1; j < VLEN; j++) best = m[j] > best ? m[j] : best;
    return best;
}

/* Sum of e^(z-max): short runs in vectors, the runs in double. */
static double sum_exp(const real *z, real max, size_t C)
{
    double sum = 0;
    for (size_t i = 0; i < C;) {
        vreal s = v_set(0);
        size_t stop = C - i > 256 ? i + 256 : C;
        for (; i + (size_t)VLEN <= stop; i += (size_t)VLEN) s += v_exp(v_load(z + i) - max);
        for (int j = 0; j < VLEN; j++) sum += (double)s[j];
        if (i == stop) continue;
        vreal e = v_exp(v_load_part(z + i, stop - i, max) - max);
        for (size_t j = 0; j < stop - i; j++) sum += (double)e[j];
        i = stop;
    }
    return sum;
}

static int first_at(const real *z, real best, int C)
{
    for (int i = 0; i < C; i++)
        if (z[i] == best) return i;
    return 0; /* NaN */
}

static void back(Node *n)
{
    Tensor *logits = n->in[0];
    const Saved *s = n->saved;
    size_t C = (size_t)logits->dim[1];
    const real d = (real)(s->scale * (double)n->out->g[0]);
    if (!logits->g) return;
    for (size_t r = 0; r < (size_t)logits->dim[0]; r++) {
        if (s->target[r] == IGNORE) continue;
        const real *z = logits->x + r * C, max = s->row[2 * r], f = d * s->row[2 * r + 1];
        real *dz = logits->g + r * C;
        size_t i = 0;
        for (; i + (size_t)VLEN <= C; i += (size_t)VLEN)
            v_store(dz + i, v_load(dz + i) + f * v_exp(v_load(z + i) - max));
        if (i < C) {
            vreal e = v_exp(v_load_part(z + i, C - i, max) - max);
            v_store_part(dz + i, v_load_part(dz + i, C - i, 0) + f * e, C - i);
        }
        dz[s->target[r]] -= d;
    }
}

Tensor *op_cross_entropy(Tape *t, Tensor *logits, const int *target, double scale, double *nll, int *pred)
{
    CHECK(logits->rank == 2 && logits->dim[1] > 0, "cross_entropy: logits %s, want (n,C)", shape_str(logits));
    int n = logits->dim[0], C = logits->dim[1];
    Tensor *loss = TENSOR(t, 1);
    Saved *s = ARENA_NEW(t->arena, Saved, 1);
    *s = (Saved){ .target = ARENA_RAW(t->arena, int, n), .scale = scale, .row = ARENA_RAW(t->arena, real, 2 * n) };
    double sum = 0;
    for (int r = 0; r < n; r++) {
        const real *z = logits->x + (size_t)r * (size_t)C;
        int y = s->target[r] = target[r];
        CHECK(y == IGNORE || (y >= 0 && y < C), "cross_entropy: target %d at row %d, logits %s", y, r,
              shape_str(logits));
        real max = row_max(z, (size_t)C);
        if (pred) pred[r] = first_at(z, max, C);
        if (y == IGNORE) continue;
        double e = sum_exp(z, max, (size_t)C);
        sum += log(e) + (double)max - (double)z[y];
        s->row[2 * r] = max;
        s->row[2 * r + 1] = (real)(1 / e);
    }
    if (nll) *nll = sum;
    loss->x[0] = (real)(scale * sum);
    tape_flops(t, 4.0 * n * C);
    return PUSH(t, "cross_entropy", loss, s, logits);
}
