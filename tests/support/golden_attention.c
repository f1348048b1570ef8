/* SPDX-License-Identifier: Apache-2.0
 * golden_attention.c - adapters for softmax attention: windows, grouped keys, rotations, gates, differences. */
#include "golden.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/attend.h"

static bool softmax(Golden *g)
{
    Tape *t = g->tape;
    Tensor *q = golden_in(g, "q"), *k = golden_in(g, "k"), *v = golden_in(g, "v");
    int window = !strcmp(g->op, "softmax_attention_swa") ? (int)golden_number(g, "window") : 0;
    if (!strncmp(g->op, "softmax_attention_rope", 22)) {
        int first = (int)golden_number(g, "first_position");
        bool pairs = golden_is(g, "layout", "interleaved");
        q = op_rope(t, q, first, golden_number(g, "base"), pairs);
        k = op_rope(t, k, first, golden_number(g, "base"), pairs);
        golden_want(g, "q_rot", q);
        golden_want(g, "k_rot", k);
    }
    golden_want(g, "o", op_attention(t, q, k, v, 1 / sqrt(tensor_last(q)), window, NULL));
    return true;
}

static bool gated(Golden *g)
{
    Tape *t = g->tape;
    Tensor *o =
        op_attention(t, golden_in(g, "q"), golden_in(g, "k"), golden_in(g, "v"), golden_number(g, "scale"), 0, NULL);
    Tensor *gate = op_sigmoid(t, golden_in(g, "g"));
    golden_want(g, "o", golden_is(g, "gate", "headwise") ? op_mul_rows(t, o, gate) : op_mul(t, o, gate));
    return true;
}

/* exp(a . b), shape (1,1) */
static Tensor *exp_dot(Golden *g, const char *a, const char *b)
{
    Tape *t = g->tape;
    Tensor *x = golden_in(g, a), *y = golden_in(g, b);
    int n = tensor_last(x);
    return op_exp(t, op_linear(t, op_reshape(t, x, 1, n), op_reshape(t, y, n, 1), NULL));
}

/* Query and key heads 2h and 2h+1 form pair h. */
static bool differential(Golden *g)
{
    Tape *t = g->tape;
    Tensor *q = golden_in(g, "q"), *k = golden_in(g, "k"), *v = golden_in(g, "v"), *o[2];
    int B = q->dim[0], T = q->dim[1], H = v->dim[2], K = q->dim[3], V = v->dim[3];
    double start = golden_number(g, "lambda_init"), scale = golden_number(g, "scale");
    for (int i = 0; i < 2; i++) {
        Tensor *qi = op_slice(t, op_reshape(t, q, B, T, H, 2 * K), i * K, K);
        Tensor *ki = op_slice(t, op_reshape(t, k, B, T, H, 2 * K), i * K, K);
        o[i] = op_attention(t, qi, ki, v, scale, 0, NULL);
    }
    Tensor *lam = op_affine(t, op_sub(t, exp_dot(g, "lq1", "lk1"), exp_dot(g, "lq2", "lk2")), 1, start);
    Tensor *second = op_linear(t, op_reshape(t, o[1], B * T * H * V, 1), lam, NULL);
    Tensor *y =
        op_rmsnorm(t, op_sub(t, o[0], op_reshape(t, second, B, T, H, V)), golden_in(g, "w"), golden_number(g, "eps"));
    golden_want(g, "o", op_affine(t, y, 1 - start, 0));
    golden_want(g, "lam", lam);
    return true;
}

static Tensor *attend(Golden *g, const ScoreBias *bias, const char *log_f)
{
    ScoreBias b = bias ? *bias : (ScoreBias){ 0 };
    if (log_f) b.log_f = golden_in(g, log_f);
    return op_attention(g->tape, golden_in(g, "q"), golden_in(g, "k"), golden_in(g, "v"), golden_number(g, "scale"), 0,
                        &b);
}

static int golden_dim(Golden *g, const char *key) { return atoi(value_text(value_get(g->yaml, "dims"), key, "0")); }

/* The constants hold slopes for as many heads as their names say; the case's own are of H heads. */
static bool alibi(Golden *g)
{
    static const char *const name[] = { "slopes", "slopes_h8", "slopes_h12" };
    int T = golden_dim(g, "T"), H = golden_dim(g, "H");
    for (int i = 0; i < 3; i++) {
        Npy slopes = golden_array(g, name[i]);
        for (size_t h = 0; h < slopes.count; h++)
            CHECK(fabs(alibi_slope((int)h, (int)slopes.count) - slopes.x[h]) < 1e-15, "%s: %s[%zu] is %g", g->dir,
                  name[i], h, alibi_slope((int)h, (int)slopes.count));
    }
    ScoreBias b = { .distance = FILL(g, 0, T, H) };
    for (int i = 0; i < T * H; i++) b.distance->x[i] = (real)(-alibi_slope(i % H, H) * (i / H));
    golden_want(g, "o", attend(g, &b, NULL));
    return true;
}

static bool t5(Golden *g)
{
    int T = golden_dim(g, "T"), N = (int)golden_number(g, "num_buckets"), M = (int)golden_number(g, "max_distance");
    Npy bucket = golden_array(g, "bucket"), usual = golden_array(g, "bucket_32_128_distance_0_to_199");
    int row[64];
    CHECK(T <= 64, "%s: T is %d", g->dir, T);
    for (int n = 0; n < T; n++) {
        row[n] = t5_bucket(n, N, M);
        CHECK(row[n] == (int)bucket.x[(T - 1) * T + T - 1 - n], "%s: bucket of %d", g->dir, n);
    }
    for (int n = 0; n < (int)usual.count; n++)
        CHECK(t5_bucket(n, 32, 128) == (int)usual.x[n], "%s: bucket of %d in 32, 128", g->dir, n);
    ScoreBias b = { .distance = op_gather_rows(g->tape, golden_in(g, "table"), row, T) };
    golden_want(g, "o", attend(g, &b, NULL));
    return true;
}

/* Read from a table that holds its own index the bias is the position. */
static bool cope(Golden *g)
{
    Tape *t = g->tape;
    Tensor *q = golden_in(g, "q"), *k = golden_in(g, "k"), *table = golden_in(g, "pos_emb");
    double scale = golden_number(g, "scale");
    int P = table->dim[0];
    Tensor *index = FILL(g, 0, q->dim[0], q->dim[1], q->dim[2], P);
    for (size_t i = 0; i < tensor_size(index); i++) index->x[i] = (real)(i % (size_t)P);
    golden_want(g, "pos", op_cope(t, q, k, index, scale, 0));
    Tensor *z = op_affine(t, op_linear_t(t, q, table), golden_number(g, "pos_logit_scale"), 0);
    ScoreBias b = { .full = op_cope(t, q, k, z, scale, 0) };
    golden_want(g, "o", op_attention(t, q, k, golden_in(g, "v"), scale, 0, &b));
    return true;
}

static bool position_tables(Golden *g)
{
    static const struct {
        const char *name;
        Sinusoid kind;
        bool down;
    } table[] = { { "vaswani", SINUSOID_PAIRS, false },
                  { "mad", SINUSOID_STRETCHED, false },
                  { "chomsky", SINUSOID_HALVES, true } };
    int T = golden_dim(g, "T"), D = golden_dim(g, "D");
    real *x = ARENA_RAW(g->arena, real, (size_t)T * (size_t)D);
    for (int i = 0; i < 3; i++) {
        for (int p = 0; p < T; p++)
            sinusoid_row(table[i].kind, golden_number(g, "base"), table[i].down ? T - p : p, D, x + p * D);
        golden_reals(g, table[i].name, x, (size_t)T * (size_t)D);
    }
    return true;
}

static bool forgetting(Golden *g)
{
    golden_want(g, "o", attend(g, NULL, "log_f"));
    return true;
}

/* The mixer itself, its parameters laid onto the inputs of the case. */
static bool forgetting_pro(Golden *g)
{
    static const char *const bound[][2] = {
        { "wq", "wq" },   { "wk", "wk" }, { "wv", "wv" }, { "wo", "wo" },     { "wf", "wf" },     { "wsk", "wsk" },
        { "wsv", "wsv" }, { "wg", "wg" }, { "bf", "bf" }, { "norm_q", "qn" }, { "norm_k", "kn" }, { "norm_o", "on" }
    };
    const Mixer *fox = mixer_find("fox");
    if (!fox) return false;
    Tape *t = g->tape;
    int D = golden_dim(g, "D"), H = golden_dim(g, "H");
    Value *spec = value_map(g->arena);
    Err err = { 0 };
    value_set(spec, "name", value_scalar(g->arena, "fox"));
    value_set(spec, "heads", value_scalar(g->arena, arena_printf(g->arena, "%d", H)));
    static const char *const on[] = { "kv_shift", "qk_norm", "output_norm", "output_gate" };
    for (int i = 0; i < 4; i++) value_set(spec, on[i], value_scalar(g->arena, "true"));
    MixerUse use;
    Place at = { .d_model = D, .layers = 1, .max_len = 64, .vocab = 8 };
    Params *p = params_new(g->arena, LINEAR_FAN_IN_NORMAL, 1);
    CHECK(mixer_open(&at, spec, p, "m", g->arena, &use, &err), "%s: %s", g->dir, err.msg);
    params_finish(p, 1);
    Tensor *x = golden_in(g, "x"), *wf = NULL, *bf = NULL;
    for (size_t i = 0; i < sizeof bound / sizeof *bound; i++) {
        Param *it = params_find(p, arena_printf(g->arena, "m.%s", bound[i][0]));
        CHECK(it, "%s: fox has no %s", g->dir, bound[i][0]);
        Tensor *in = it->t.rank == 2 ? golden_weight(g, bound[i][1]) : golden_in(g, bound[i][1]);
        CHECK(same_shape(in, &it->t), "%s: %s is %s, want %s", g->dir, bound[i][1], shape_str(in), shape_str(&it->t));
        it->t.x = in->x;
        it->t.g = in->g;
        if (!strcmp(bound[i][0], "wf")) wf = in;
        if (!strcmp(bound[i][0], "bf")) bf = in;
    }
    Ctx c = { .tape = t, .training = true };
    golden_want(g, "y", mixer_run(&use, &c, x));
    golden_want(g, "log_f", op_logsigmoid(t, op_linear(t, x, wf, bf)));
    return true;
}

const Adapter golden_attention[] = {
    { "softmax_attention", softmax },
    { "softmax_attention_t37", softmax },
    { "softmax_attention_gqa", softmax },
    { "softmax_attention_swa", softmax },
    { "softmax_attention_rope", softmax },
    { "softmax_attention_rope_interleaved", softmax },
    { "softmax_attention_alibi", alibi },
    { "softmax_attention_t5", t5 },
    { "softmax_attention_cope", cope },
    { "position_tables", position_tables },
    { "forgetting_attention", forgetting },
    { "forgetting_attention_t37", forgetting },
    { "forgetting_attention_pro_layer", forgetting_pro },
    { "gated_attention", gated },
    { "gated_attention_headwise", gated },
    { "differential_attention", differential },
    { NULL, NULL },
};
