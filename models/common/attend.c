/* SPDX-License-Identifier: Apache-2.0
 * attend.c - positions, window and cache of softmax attention. See attend.h. */
#include "common/attend.h"

#include <math.h>
#include <stdio.h>

bool kv_heads_check(const Heads *o, Err *err)
{
    if (!o->kv_heads || o->heads % o->kv_heads == 0) return true;
    return err_set(err, EXIT_USAGE, "kv_heads: %d does not divide heads %d", o->kv_heads, o->heads);
}

double alibi_slope(int h, int H)
{
    int C = 1;
    while (2 * C <= H) C *= 2;
    return h < C ? exp2(-8.0 * (h + 1) / C) : exp2(-8.0 * (2 * (h - C) + 1) / (2 * C));
}

int t5_bucket(int n, int buckets, int reach)
{
    int exact = buckets / 2;
    if (n < exact) return n;
    double part = log((double)n / exact) / log((double)reach / exact) * (buckets - exact);
    return part >= buckets - 1 - exact ? buckets - 1 : exact + (int)floor(part);
}

/* What an option asks that this position scheme has not. */
static bool pos_check(const AttendCfg *o, Err *err)
{
    bool table = o->pos == POS_T5 || o->pos == POS_COPE, bias = table || o->pos == POS_ALIBI;
    if (o->pos_size && !table) return err_set(err, EXIT_USAGE, "pos_size: only pos: t5 and cope have a table");
    if (o->pos_reach && o->pos != POS_T5) return err_set(err, EXIT_USAGE, "pos_reach: only pos: t5 has a reach");
    if (o->pos_scaled && !bias)
        return err_set(err, EXIT_USAGE, "pos_scaled: only pos: t5, alibi and cope are added to the scores");
    return true;
}

bool attend_build(const AttendCfg *o, int H, int K, Params *p, Attend *out, Err *err)
{
    Attend s = { .o = o, .scale = 1 / sqrt(K), .base = o->rope_base > 0 ? o->rope_base : 10000 };
    TRY(pos_check(o, err));
    s.size = o->pos_size ? o->pos_size : o->pos == POS_T5 ? 32 : 64;
    s.reach = o->pos_reach ? o->pos_reach : 128;
    if (o->pos == POS_ROPE && K % 2)
        return err_set(err, EXIT_USAGE, "pos: rope needs an even key width, not %d: set head_k, heads or pos: nope", K);
    if (o->pos == POS_T5) {
        if (s.size < 2) return err_set(err, EXIT_USAGE, "pos_size: t5 needs two buckets, not %d", s.size);
        if (s.reach <= s.size / 2)
            return err_set(err, EXIT_USAGE, "pos_reach: %d is not beyond pos_size/2 = %d", s.reach, s.size / 2);
        s.table = param(p, "pos_table", NO_DECAY(INIT_NORMAL(0.02)), s.size, H);
    }
    if (o->pos == POS_COPE) {
        if (s.size < 2) return err_set(err, EXIT_USAGE, "pos_size: cope needs two positions, not %d", s.size);
        s.table = param(p, "pos_table", NO_DECAY(INIT_CONST(0)), s.size, K);
    }
    if (o->qk_norm == QK_RMS) {
        s.norm_q = param(p, "norm_q", INIT_CONST(1), K);
        s.norm_k = param(p, "norm_k", INIT_CONST(1), K);
    }
    *out = s;
    return true;
}

static Tensor *alibi_bias(Tape *t, int S, int H, double by)
{
    Tensor *d = tape_const(t, 2, (int[]){ S, H });
    for (int h = 0; h < H; h++)
        for (int n = 0; n < S; n++) d->x[n * H + h] = (real)(-by * alibi_slope(h, H) * n);
    return d;
}

static Tensor *t5_bias(const Attend *s, Tape *t, int S, double by)
{
    int *bucket = ARENA_RAW(t->arena, int, S);
    for (int n = 0; n < S; n++) bucket[n] = t5_bucket(n, s->size, s->reach);
    Tensor *d = op_gather_rows(t, s->table, bucket, S);
    return by == 1 ? d : op_affine(t, d, by, 0);
}

static Tensor *cope_bias(const Attend *s, Tape *t, Tensor *q, Tensor *k, double by)
{
    Tensor *z = op_linear_t(t, q, s->table);
    return op_cope(t, q, k, by == 1 ? z : op_affine(t, z, by, 0), s->scale, s->o->window);
}

static Tensor *grow(Ctx *c, const char *name, const char *slot, Tensor *x, int keep)
{
    char full[24];
    snprintf(full, sizeof full, "%s%s", name, slot);
    return carry_grow(c, full, x, keep);
}

Tensor *attend_values(const Attend *s, Ctx *c, Tensor *v) { return carry_grow(c, "v", v, s->o->window); }

Tensor *attend_run(const Attend *s, Ctx *c, const char *slot, Tensor *q, Tensor *k, Tensor *v, Tensor *log_f)
{
    const AttendCfg *o = s->o;
    Tape *t = c->tape;
    double by = o->pos_scaled ? s->scale : 1;
    if (s->norm_q) {
        q = op_rmsnorm(t, q, s->norm_q, 1e-6);
        k = op_rmsnorm(t, k, s->norm_k, 1e-6);
    }
    if (o->pos == POS_ROPE) {
        q = op_rope(t, q, c->pos0, s->base, o->rope_layout == LAYOUT_INTERLEAVED);
        k = op_rope(t, k, c->pos0, s->base, o->rope_layout == LAYOUT_INTERLEAVED);
    }
    k = grow(c, "k", slot, k, o->window);
    ScoreBias bias = { .log_f = log_f ? grow(c, "f", slot, log_f, o->window) : NULL };
    if (o->pos == POS_ALIBI) bias.distance = alibi_bias(t, k->dim[1], q->dim[2], by);
    if (o->pos == POS_T5) bias.distance = t5_bias(s, t, k->dim[1], by);
    if (o->pos == POS_COPE) bias.full = cope_bias(s, t, q, k, by);
    return op_attention(t, q, k, v, s->scale, o->window, &bias);
}
