/* SPDX-License-Identifier: Apache-2.0
 * backbone.c - the model around the mixers.
 *
 *   x = Emb[token]                                          Emb (C,D) ~ N(0, 1/D)
 *   for each block: x += Mixer(Norm x); x += Channel(Norm x)
 *   logits = Norm(x) U'                                     U (C,D) ~ N(0, 1/D), untied, no bias
 *
 * The defaults are models-attention section 20; every other choice replays a published suite (its section 19).
 * The head runs on scored positions only: with MQAR's one label in eight the rest would be most of the time.
 */
#include "train/backbone.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { CONV_FIRST_WIDTH = 3 };

static Norm norm_declare(const Model *m, Params *p, const char *name)
{
    Norm n = { 0 };
    params_enter(p, "%s", name);
    n.w = param(p, "weight", INIT_CONST(1), m->cfg->d_model);
    if (m->cfg->norm == NORM_LAYER) n.b = param(p, "bias", INIT_CONST(0), m->cfg->d_model);
    params_leave(p);
    return n;
}

static Tensor *norm_run(const Model *m, Tape *t, const Norm *n, Tensor *x)
{
    if (m->cfg->norm == NORM_LAYER) return op_layernorm(t, x, n->w, n->b, m->cfg->norm_eps);
    return op_rmsnorm(t, x, n->w, m->cfg->norm_eps);
}

static int channel_width(const ModelCfg *c)
{
    if (c->mlp_width) return c->mlp_width;
    return c->channel_mixer == CHANNEL_SWIGLU ? 16 * ((8 * c->d_model + 47) / 48) : 4 * c->d_model;
}

static void channel_declare(const Model *m, Params *p, Block *b)
{
    const int D = m->cfg->d_model, F = channel_width(m->cfg), kind = m->cfg->channel_mixer;
    if (kind == CHANNEL_NONE) return;
    b->norm2 = norm_declare(m, p, "norm2");
    if (kind == CHANNEL_NORM_SKIP) return;
    params_enter(p, "mlp");
    if (kind == CHANNEL_SWIGLU) b->gate = param(p, "gate", INIT_LINEAR, D, F);
    b->up = param(p, "up", INIT_LINEAR, D, F);
    b->down = param(p, "down", INIT_OUT, F, D);
    if (kind == CHANNEL_GELU || kind == CHANNEL_RELU) { /* the published forms of these two have biases */
        b->up_bias = param(p, "up_bias", INIT_CONST(0), F);
        b->down_bias = param(p, "down_bias", INIT_CONST(0), D);
    }
    params_leave(p);
}

static Tensor *channel_run(const Model *m, Tape *t, const Block *b, Tensor *x)
{
    switch (m->cfg->channel_mixer) {
    case CHANNEL_SWIGLU:
        return op_linear(t, op_swiglu(t, op_linear(t, x, b->gate, NULL), op_linear(t, x, b->up, NULL)), b->down, NULL);
    case CHANNEL_GELU: return op_linear(t, op_gelu(t, op_linear(t, x, b->up, b->up_bias)), b->down, b->down_bias);
    case CHANNEL_RELU: return op_linear(t, op_relu(t, op_linear(t, x, b->up, b->up_bias)), b->down, b->down_bias);
    default: return x; /* norm_skip: the normalised input itself */
    }
}

static bool block_declare(Model *m, int i, Err *err)
{
    const ModelCfg *c = m->cfg;
    const RunSpec *s = m->spec;
    Block *b = &m->block[i];
    Params *p = m->params;
    params_enter(p, "%d", i);
    b->norm1 = norm_declare(m, p, "norm1");
    if (c->conv_first && i == 0) {
        params_enter(p, "conv_first");
        double bound = 1 / sqrt(CONV_FIRST_WIDTH);
        b->conv_w = param(p, "conv", INIT_UNIFORM(-bound, bound), CONV_FIRST_WIDTH, c->d_model);
        b->conv_lin = param(p, "linear", INIT_LINEAR, c->d_model, c->d_model);
        b->conv_bias = param(p, "bias", INIT_CONST(0), c->d_model);
        params_leave(p);
    } else {
        Place at = {
            .d_model = c->d_model, .layer = i, .layers = c->layers, .max_len = s->max_train_len, .vocab = s->vocab_in
        };
        const Value *spec = s->mixers[i % s->n_mixers];
        if (!mixer_open(&at, spec, p, "mixer", m->arena, &b->mixer, err))
            return options_blame(b->mixer.mixer->options, spec, err);
    }
    channel_declare(m, p, b);
    params_leave(p);
    return true;
}

static bool declare_all(Model *m, Err *err)
{
    const ModelCfg *c = m->cfg;
    const RunSpec *s = m->spec;
    Params *p = m->params;
    double std = c->emb_std > 0 ? c->emb_std : 1 / sqrt(c->d_model);
    m->embed = param(p, "embed", NO_DECAY(INIT_NORMAL(std)), s->vocab_in, c->d_model);
    if (c->pos == POS_LEARNED) m->pos = param(p, "pos", NO_DECAY(INIT_NORMAL(std)), s->max_train_len, c->d_model);
    m->block = ARENA_NEW(m->arena, Block, c->layers);
    params_enter(p, "blocks");
    for (int i = 0; i < c->layers; i++) TRY(block_declare(m, i, err));
    params_leave(p);
    if (c->norm_place == NORM_PRE) m->norm = norm_declare(m, p, "norm");
    if (!c->tie) m->unembed = param(p, "unembed", NO_DECAY(INIT_NORMAL(std)), s->vocab_out, c->d_model);
    if (c->unembed_bias) m->unembed_bias = param(p, "unembed_bias", INIT_CONST(0), c->tie ? s->vocab_in : s->vocab_out);
    return true;
}

/* Blocks repeat with the mixers; a first block of its own kind may hide one of them. */
bool model_check(const RunSpec *spec, Arena *a, size_t *params, Err *err)
{
    const ModelCfg *c = &spec->model;
    const int cycle = spec->n_mixers, few = c->layers < cycle + 1 ? c->layers : cycle + 1;
    const size_t mark = arena_mark(a);
    ModelCfg cfg = *c;
    RunSpec s = *spec;
    cfg.layers = few;
    Model m = { .spec = &s, .cfg = &cfg, .arena = a, .params = params_new(a, (LinearInit)c->init, 1) };
    bool ok = declare_all(&m, err);
    size_t n = params_count(m.params);
    for (int i = few; i < c->layers && ok; i++) {
        char prefix[32];
        snprintf(prefix, sizeof prefix, "blocks.%d.", i % cycle + (i % cycle == 0 ? cycle : 0));
        n += params_under(m.params, prefix);
    }
    arena_reset(a, mark);
    *params = n;
    return ok;
}

bool model_build(Model *m, const RunSpec *spec, Arena *a, Err *err)
{
    const ModelCfg *c = &spec->model;
    double scale =
        c->residual_scale == RESIDUAL_NONE ? 1 : 1 / sqrt((c->residual_scale == RESIDUAL_SQRT_L ? 1 : 2) * c->layers);
    *m = (Model){ .spec = spec, .cfg = c, .arena = a, .params = params_new(a, (LinearInit)c->init, scale) };
    TRY(declare_all(m, err));
    params_finish(m->params, spec->seed);
    return true;
}

bool model_view(Model *m, const Model *owner, Arena *a, Err *err)
{
    *m = (Model){ .spec = owner->spec, .cfg = owner->cfg, .arena = a, .params = params_view(a, owner->params) };
    TRY(declare_all(m, err));
    params_finish(m->params, owner->spec->seed);
    return true;
}

static Tensor *conv_first_run(const Block *b, Ctx *c, Tensor *x)
{
    const int B = x->dim[0], D = x->dim[2];
    Tensor *s0 = carry_in(c, "conv_first", NULL, B, CONV_FIRST_WIDTH - 1, D);
    Tensor *conv = op_short_conv(c->tape, x, b->conv_w, NULL, s0, carry_out(c, "conv_first"));
    return op_add(c->tape, op_mul(c->tape, conv, op_linear(c->tape, x, b->conv_lin, b->conv_bias)), x);
}

/* x + f(norm x), or norm(x + f(x)). */
static Tensor *residual(const Model *m, Ctx *c, const Block *b, bool channel, Tensor *x)
{
    Tape *t = c->tape;
    const Norm *n = channel ? &b->norm2 : &b->norm1;
    const bool pre = m->cfg->norm_place == NORM_PRE;
    Tensor *in = pre ? norm_run(m, t, n, x) : x;
    Tensor *y = channel ? channel_run(m, t, b, in) : b->conv_w ? conv_first_run(b, c, in) : mixer_run(&b->mixer, c, in);
    if (c->training && m->cfg->dropout_resid > 0)
        y = op_dropout(t, y, m->cfg->dropout_resid, ctx_rng(c, channel ? "channel" : "mixer"));
    x = op_add(t, x, y);
    return pre ? x : norm_run(m, t, n, x);
}

static Tensor *embed_run(const Model *m, Ctx *c, const int *id, int B, int T)
{
    Tape *t = c->tape;
    Tensor *x = op_embed(t, id, B, T, m->embed);
    if (m->cfg->emb_scale_sqrt_d) x = op_affine(t, x, sqrt(m->cfg->d_model), 0);
    if (m->pos) {
        int *at = ARENA_RAW(t->arena, int, B *T);
        for (int i = 0; i < B * T; i++) at[i] = c->pos0 + i % T;
        CHECK(c->pos0 + T <= m->pos->dim[0], "learned positions: %d of %d", c->pos0 + T, m->pos->dim[0]);
        x = op_add(t, x, op_embed(t, at, B, T, m->pos));
    }
    if (m->cfg->pos == POS_SINUSOIDAL) x = op_sinusoid(t, x, SINUSOID_PAIRS, 10000, c->pos0);
    if (c->training && m->cfg->dropout_emb > 0) x = op_dropout(t, x, m->cfg->dropout_emb, ctx_rng(c, "embed"));
    return x;
}

Tensor *model_forward(const Model *m, Ctx *c, const int *id, int B, int T, const int *row, int n)
{
    Tape *t = c->tape;
    Tensor *x = embed_run(m, c, id, B, T);
    for (int loop = 0; loop < m->cfg->loops; loop++)
        for (int i = 0; i < m->cfg->layers; i++) {
            c->layer = loop * m->cfg->layers + i;
            snprintf(c->prefix, sizeof c->prefix, "loop%d.blocks.%d.", loop, i);
            x = residual(m, c, &m->block[i], false, x);
            if (m->cfg->channel_mixer != CHANNEL_NONE) x = residual(m, c, &m->block[i], true, x);
        }
    if (n == 0) return NULL;
    x = op_gather_rows(t, x, row, n);
    if (m->cfg->norm_place == NORM_PRE) x = norm_run(m, t, &m->norm, x);
    x = op_linear_t(t, x, m->cfg->tie ? m->embed : m->unembed);
    return m->unembed_bias ? op_add_last(t, x, m->unembed_bias) : x;
}

size_t model_state_reals(const Model *m, Tape *tape, int len)
{
    State *state = state_new(1);
    Ctx c = { .tape = tape, .state = state };
    int *id = ARENA_NEW(tape->arena, int, len);
    model_forward(m, &c, id, 1, len, NULL, 0);
    size_t n = state_reals(state);
    state_free(state);
    tape_reset(tape);
    return n;
}
