/* SPDX-License-Identifier: Apache-2.0
 * qkv.c - queries, keys, values, write strengths and the output of matrix-state mixers. See qkv.h. */
#include "common/qkv.h"

#include <math.h>

/* One of q, k, v as (rows, heads * width): projection, convolution, activation. */
static Tensor *project(const Qkv *s, Ctx *c, Tensor *x, Tensor *w, const ShortConv *conv)
{
    Tensor *y = short_conv_run(conv, c, op_linear(c->tape, x, w, NULL));
    return s->silu ? op_silu(c->tape, y) : y;
}

static bool head_width(int given, const char *option, int heads, int d_model, int *out, Err *err)
{
    *out = given ? given : d_model / heads;
    if (given || d_model % heads == 0) return true;
    return err_set(err, EXIT_USAGE, "heads: %d does not divide d_model %d, and %s is 0 (d_model / heads): set %s",
                   heads, d_model, option, option);
}

bool qkv_build(const Heads *o, const Place *at, Params *p, Qkv *out, Err *err)
{
    Qkv s = { .H = o->heads, .HK = o->kv_heads ? o->kv_heads : o->heads, .n_h = o->n_h ? o->n_h : 1 };
    TRY(head_width(o->head_k, "head_k", s.H, at->d_model, &s.K, err));
    TRY(head_width(o->head_v, "head_v", s.H, at->d_model, &s.V, err));
    s.silu = o->activation == ACT_SILU || (o->activation == ACT_WITH_CONV && o->short_conv > 0);
    s.l2 = o->qk_norm == NORM_L2;
    int nq = s.H * s.K, nk = s.n_h * s.HK * s.K, nv = s.n_h * s.HK * s.V;
    s.wq = param(p, "wq", INIT_LINEAR, at->d_model, nq);
    s.wk = param(p, "wk", INIT_LINEAR, at->d_model, nk);
    s.wv = param(p, "wv", INIT_LINEAR, at->d_model, nv);
    s.cq = short_conv_build(p, "conv_q", o->short_conv, nq, false);
    s.ck = short_conv_build(p, "conv_k", o->short_conv, nk, false);
    s.cv = short_conv_build(p, "conv_v", o->short_conv, nv, false);
    *out = s;
    return true;
}

/* Split the last axis of (B,T,n) into heads, and micro-steps if there are several. */
static Tensor *split(const Qkv *s, Tape *t, Tensor *x, int heads, int width, bool micro)
{
    int B = x->dim[0], T = x->dim[1];
    return micro && s->n_h > 1 ? op_reshape(t, x, B, T, s->n_h, heads, width) : op_reshape(t, x, B, T, heads, width);
}

void qkv_run(const Qkv *s, Ctx *c, Tensor *x, Tensor **q, Tensor **k, Tensor **v)
{
    Tape *t = c->tape;
    *q = split(s, t, project(s, c, x, s->wq, &s->cq), s->H, s->K, false);
    *k = split(s, t, project(s, c, x, s->wk, &s->ck), s->HK, s->K, true);
    *v = split(s, t, project(s, c, x, s->wv, &s->cv), s->HK, s->V, true);
    if (!s->l2) return;
    *q = op_l2norm(t, *q, 1e-6);
    *k = op_l2norm(t, *k, 1e-6);
}

Tensor *head_start_build(const Heads *o, const Qkv *s, Params *p)
{
    return start_build(p, "s0", o->initial_state, s->H, s->K, s->V);
}

Tensor *head_scan(const Qkv *s, Ctx *c, Tensor *s0, DplrIn in)
{
    if (in.scale == 0) in.scale = 1 / sqrt(s->K);
    in.s0 = carry_in(c, "s", s0, in.q->dim[0], s->H, s->K, s->V);
    in.last = carry_out(c, "s");
    return op_scan_dplr(c->tape, &in);
}

void head_out_build(int gate, const Qkv *s, const Place *at, Params *p, HeadOut *out)
{
    *out = (HeadOut){ .gate = gate };
    out->norm = param(p, "norm", INIT_CONST(1), s->V);
    if (gate != GATE_NONE) out->wg = param(p, "wg", INIT_LINEAR, at->d_model, s->H * s->V);
    out->wo = param(p, "wo", INIT_OUT, s->H * s->V, at->d_model);
}

void head_out_low_build(int gate, int rank, const Qkv *s, const Place *at, Params *p, HeadOut *out)
{
    *out = (HeadOut){ .gate = gate };
    out->norm = param(p, "norm", INIT_CONST(1), s->V);
    if (gate != GATE_NONE) {
        out->wg0 = param(p, "wg0", INIT_LINEAR, at->d_model, rank);
        out->wg = param(p, "wg", INIT_LINEAR, rank, s->H * s->V);
        out->bg = param(p, "bg", INIT_CONST(0), s->H * s->V);
    }
    out->wo = param(p, "wo", INIT_OUT, s->H * s->V, at->d_model);
}

Tensor *head_out_run(const HeadOut *s, Ctx *c, Tensor *o, Tensor *x)
{
    Tape *t = c->tape;
    Tensor *y = op_rmsnorm(t, o, s->norm, 1e-5);
    y = op_reshape(t, y, o->dim[0], o->dim[1], o->dim[2] * o->dim[3]);
    if (s->wg) {
        Tensor *z = op_linear(t, s->wg0 ? op_linear(t, x, s->wg0, NULL) : x, s->wg, s->bg);
        y = s->gate == GATE_SILU ? op_swiglu(t, z, y) : op_mul(t, op_sigmoid(t, z), y);
    }
    return op_linear(t, y, s->wo, NULL);
}

bool eigen_check(const Reals *r, Err *err)
{
    if (r->n == 2 && r->v[1] == 1 && (r->v[0] == 0 || r->v[0] == -1)) return true;
    return err_set(err, EXIT_USAGE, "eigenvalues: must be [0, 1] or [-1, 1]");
}

Tensor *beta_run(Ctx *c, const Qkv *s, Tensor *x, Tensor *wb, bool negative)
{
    Tape *t = c->tape;
    Tensor *beta = op_sigmoid(t, op_linear(t, x, wb, NULL));
    if (negative) beta = op_affine(t, beta, 2, 0);
    return s->n_h > 1 ? op_reshape(t, beta, x->dim[0], x->dim[1], s->n_h, s->H) : beta;
}
