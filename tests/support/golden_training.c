/* SPDX-License-Identifier: Apache-2.0
 * golden_training.c - adapters for what a training step does after backward: clipping, schedules, AdamW.
 *
 * The optimiser cases minimise 0.5 |A w + C u - y|^2 for ten steps; every row of an output is one step. */
#include "golden.h"

#include <math.h>
#include <string.h>

#include "train/optim.h"

enum { STEPS_MAX = 64, SIZE_MAX_W = 64 };

typedef struct Problem {
    Npy a, c, y;
    int rows, nw, nu;
    real p[SIZE_MAX_W], g[SIZE_MAX_W];
} Problem;

static Problem problem_open(Golden *g)
{
    Problem m = { .a = golden_array(g, "A"), .c = golden_array(g, "C"), .y = golden_array(g, "y") };
    Npy w0 = golden_array(g, "w0"), u0 = golden_array(g, "u0");
    m.rows = m.a.dim[0];
    m.nw = m.a.dim[1];
    m.nu = m.c.dim[1];
    CHECK(m.nw + m.nu <= SIZE_MAX_W, "%s: too many unknowns", g->dir);
    for (int i = 0; i < m.nw; i++) m.p[i] = (real)w0.x[i];
    for (int i = 0; i < m.nu; i++) m.p[m.nw + i] = (real)u0.x[i];
    return m;
}

/* Fills the gradient and returns the loss. */
static double problem_gradient(Problem *m)
{
    double loss = 0, g[SIZE_MAX_W] = { 0 };
    for (int r = 0; r < m->rows; r++) {
        double e = -m->y.x[r];
        for (int i = 0; i < m->nw; i++) e += m->a.x[r * m->nw + i] * (double)m->p[i];
        for (int i = 0; i < m->nu; i++) e += m->c.x[r * m->nu + i] * (double)m->p[m->nw + i];
        for (int i = 0; i < m->nw; i++) g[i] += e * m->a.x[r * m->nw + i];
        for (int i = 0; i < m->nu; i++) g[m->nw + i] += e * m->c.x[r * m->nu + i];
        loss += 0.5 * e * e;
    }
    for (int i = 0; i < m->nw + m->nu; i++) m->g[i] = (real)g[i];
    return loss;
}

static void update(Golden *g, Problem *m, AdamW *opt, double lr)
{
    adamw_tick(opt);
    adamw_update(opt, 0, (size_t)m->nw, m->p, m->g, lr, golden_number(g, "weight_decay_w"));
    adamw_update(opt, (size_t)m->nw, (size_t)m->nu, m->p + m->nw, m->g + m->nw, lr, golden_number(g, "weight_decay_u"));
}

static AdamW optimiser(Golden *g, const Problem *m)
{
    AdamW opt;
    memset(&opt, 0, sizeof opt);
    adamw_init(&opt, (size_t)(m->nw + m->nu), golden_number(g, "beta1"), golden_number(g, "beta2"),
               golden_number(g, "eps"), g->arena);
    return opt;
}

/* Row `step` of a trajectory of n reals. */
static void record(double *to, int step, const real *x, int n)
{
    for (int i = 0; i < n; i++) to[step * n + i] = (double)x[i];
}

static bool adamw(Golden *g)
{
    Problem m = problem_open(g);
    AdamW opt = optimiser(g, &m);
    int steps = golden_array(g, "loss").dim[0], nw = m.nw, nu = m.nu;
    const char *const name[] = { "w", "gw", "mw", "vw", "u", "gu", "mu", "vu" };
    double *out[8], *loss = ARENA_NEW(g->arena, double, steps);
    for (int i = 0; i < 8; i++) out[i] = ARENA_NEW(g->arena, double, steps *(i < 4 ? nw : nu));
    for (int s = 0; s < steps; s++) {
        loss[s] = problem_gradient(&m);
        update(g, &m, &opt, golden_number(g, "lr"));
        const real *now[4] = { m.p, m.g, opt.m, opt.v };
        for (int i = 0; i < 8; i++) record(out[i], s, now[i % 4] + (i < 4 ? 0 : nw), i < 4 ? nw : nu);
    }
    for (int i = 0; i < 8; i++) golden_value(g, name[i], out[i], (size_t)(steps * (i < 4 ? nw : nu)));
    golden_value(g, "loss", loss, (size_t)steps);
    return true;
}

static bool adamw_clip_schedule(Golden *g)
{
    Problem m = problem_open(g);
    AdamW opt = optimiser(g, &m);
    int steps = golden_array(g, "lr").dim[0], n = m.nw + m.nu;
    double *w = ARENA_NEW(g->arena, double, steps *m.nw), *u = ARENA_NEW(g->arena, double, steps *m.nu);
    double *lr = ARENA_NEW(g->arena, double, steps), *norm = ARENA_NEW(g->arena, double, steps);
    for (int s = 0; s < steps; s++) {
        lr[s] =
            schedule_lr(SCHEDULE_WARMUP_COSINE, s, (long)golden_number(g, "total"), (long)golden_number(g, "warmup"), 1,
                        golden_number(g, "peak_lr"), golden_number(g, "min_lr"));
        problem_gradient(&m);
        norm[s] = grad_norm(m.g, (size_t)n);
        grad_clip(m.g, (size_t)n, norm[s], golden_number(g, "max_norm"));
        update(g, &m, &opt, lr[s]);
        record(w, s, m.p, m.nw);
        record(u, s, m.p + m.nw, m.nu);
    }
    golden_value(g, "w", w, (size_t)(steps * m.nw));
    golden_value(g, "u", u, (size_t)(steps * m.nu));
    golden_value(g, "lr", lr, (size_t)steps);
    golden_value(g, "norm", norm, (size_t)steps);
    return true;
}

/* The form that starts at zero is ours, one step late during the warm-up. */
static bool lr_schedule(Golden *g)
{
    Npy step = golden_array(g, "step");
    double peak = golden_number(g, "peak"), floor_ = golden_number(g, "floor");
    long w = (long)golden_number(g, "warmup"), n = (long)golden_number(g, "total");
    double ours[STEPS_MAX], late[STEPS_MAX], epoch[STEPS_MAX];
    CHECK(step.count <= STEPS_MAX, "%s: too many steps", g->dir);
    for (size_t i = 0; i < step.count; i++) {
        long s = (long)step.x[i];
        ours[i] = schedule_lr(SCHEDULE_WARMUP_COSINE, s, n, w, 1, peak, floor_);
        late[i] = s == 0 ? 0 : s < w ? schedule_lr(SCHEDULE_WARMUP_COSINE, s - 1, n, w, 1, peak, floor_) : ours[i];
        epoch[i] = schedule_lr(SCHEDULE_COSINE_EPOCH, s, n, 0, 1, peak, golden_number(g, "cosine_per_epoch_floor"));
    }
    golden_value(g, "warmup_cosine", ours, step.count);
    golden_value(g, "zero_start_warmup_cosine", late, step.count);
    golden_value(g, "cosine_per_epoch", epoch, step.count);
    return true;
}

/* One norm over three tensors, which lie behind each other as gradients do. */
static bool clip(Golden *g)
{
    const char *const name[] = { "a", "b", "c" }, *const kind[] = { "clipped", "untouched" };
    for (int k = 0; k < 2; k++) {
        real x[SIZE_MAX_W * 4];
        size_t at[4] = { 0 };
        for (int i = 0; i < 3; i++) {
            Npy a = golden_array(g, name[i]);
            at[i + 1] = at[i] + a.count;
            CHECK(at[i + 1] <= sizeof x / sizeof *x, "%s: too many gradients", g->dir);
            for (size_t j = 0; j < a.count; j++) x[at[i] + j] = (real)a.x[j];
        }
        double norm = grad_norm(x, at[3]);
        if (k == 0) golden_value(g, "norm", &norm, 1);
        grad_clip(x, at[3], norm, golden_number(g, arena_printf(g->arena, "max_norm_%s", kind[k])));
        for (int i = 0; i < 3; i++)
            golden_reals(g, arena_printf(g->arena, "%s_%s", name[i], kind[k]), x + at[i], at[i + 1] - at[i]);
    }
    return true;
}

const Adapter golden_training[] = {
    { "adamw", adamw },
    { "adamw_clip_schedule", adamw_clip_schedule },
    { "lr_schedule", lr_schedule },
    { "grad_clip", clip },
    { NULL, NULL },
};
