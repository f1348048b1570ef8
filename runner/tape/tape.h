/* SPDX-License-Identifier: Apache-2.0
 * tape.h - tensors, the tape, named parameters, and every differentiable op.
 *
 * Define by run: an op computes its output at once and pushes a node; tape_backward replays the nodes from the last to
 * the first. Tensors are row-major (B,T,...), up to five axes, no strides. Everything a pass makes lies on the tape's
 * arena and is forgotten by tape_reset. Gradients accumulate with +=; g == NULL means that nobody wants a gradient.
 *
 * Shape letters, suite-wide: B batch, T time, D d_model, H heads, K key width, V value width, N state width,
 * E inner width, C classes or channels, W window or filter width, n_h micro-steps (Householder factors) per token.
 */
#ifndef SEQPROBE_TAPE_H
#define SEQPROBE_TAPE_H

#include "base/base.h"

enum { RANK_MAX = 5 };

typedef struct Tensor { real *x, *g; int rank, dim[RANK_MAX]; } Tensor;

typedef struct Node Node;
typedef void (*BackFn)(Node *n);
struct Node { const char *op; BackFn back; Tensor *out, **in; int n_in; void *saved; Arena *arena; Node *prev; };

typedef struct Tape {
    Arena *arena;                      /* step-lived: values, gradients, what ops save */
    bool grad;                         /* record nodes and allocate gradients; false in evaluation */
    Node *last;
    double flops;                      /* forward FLOPs of the ops so far (a multiply-add counts two) */
} Tape;

Tape   *tape_new(const char *name, bool grad);
void    tape_free(Tape *t);
void    tape_reset(Tape *t);                                         /* forget all nodes and tensors */
Tensor *tape_tensor(Tape *t, int rank, const int *dim);              /* x uninitialised; g zeroed iff t->grad */
#define TENSOR(t, ...) tape_tensor((t), (int)(sizeof((int[]){ __VA_ARGS__ }) / sizeof(int)), (int[]){ __VA_ARGS__ })
Tensor *tape_like(Tape *t, const Tensor *like);
Tensor *tape_const(Tape *t, int rank, const int *dim);               /* zeroed x, never a gradient */
/* Record a node (no-op without t->grad) and return out. in[] is copied; entries may be NULL (absent inputs). */
Tensor *tape_push(Tape *t, const char *op, BackFn back, Tensor *out, void *saved, int n_in, Tensor *const *in);
#define PUSH(t, op, out, saved, ...) \
    tape_push((t), (op), back, (out), (saved), (int)(sizeof((Tensor *[]){ __VA_ARGS__ }) / sizeof(Tensor *)), \
              (Tensor *[]){ __VA_ARGS__ })
/* d loss / d loss = 1 for every element of out, then replay. The caller has zeroed parameter gradients. */
void    tape_backward(Tape *t, Tensor *out);
static inline void tape_flops(Tape *t, double n) { t->flops += n; }

size_t  tensor_size(const Tensor *t);                                /* number of elements */
int     tensor_rows(const Tensor *t);                                /* product of all axes but the last */
static inline int tensor_last(const Tensor *t) { return t->dim[t->rank - 1]; }
bool    same_shape(const Tensor *a, const Tensor *b);
const char *shape_str(const Tensor *t);                              /* "(2,7,64)"; a few may be used in one message */

/* ---- parameters ------------------------------------------------------------------------------------------------ */

/* How a parameter starts. LINEAR and OUT follow the backbone's `init` option (default N(0, 1/fan_in), fan_in = the
 * first axis of (in,out)); OUT, for the last linear of a residual branch, is also divided by the residual scale. */
typedef enum {
    INIT_LINEAR_KIND, INIT_OUT_KIND, INIT_NORMAL_KIND, INIT_UNIFORM_KIND, INIT_CONST_KIND, INIT_FN_KIND
} InitKind;
typedef struct Init {
    InitKind kind; double a, b;
    void (*fn)(real *x, const int *dim, int rank, double a, double b, Rng *rng);
    bool no_decay;                     /* never weight-decayed (gates, decays, tables); rank-1 parameters never are */
} Init;
#define INIT_LINEAR        ((Init){ .kind = INIT_LINEAR_KIND })
#define INIT_OUT           ((Init){ .kind = INIT_OUT_KIND })
#define INIT_NORMAL(std)   ((Init){ .kind = INIT_NORMAL_KIND, .a = (std) })
#define INIT_UNIFORM(l, h) ((Init){ .kind = INIT_UNIFORM_KIND, .a = (l), .b = (h) })
#define INIT_CONST(v)      ((Init){ .kind = INIT_CONST_KIND, .a = (v) })
#define INIT_FN(f, a_, b_) ((Init){ .kind = INIT_FN_KIND, .fn = (f), .a = (a_), .b = (b_), .no_decay = true })
#define NO_DECAY(i)        ((Init){ .kind = (i).kind, .a = (i).a, .b = (i).b, .fn = (i).fn, .no_decay = true })

typedef enum { LINEAR_FAN_IN_NORMAL, LINEAR_FAN_IN_UNIFORM, LINEAR_NORMAL_002 } LinearInit;

typedef struct Param { const char *name; Tensor t; Init init; size_t offset; } Param;

/* All parameters of a model in one block of values; a view shares the values and has gradients of its own. */
typedef struct Params Params;

Params *params_new(Arena *a, LinearInit linear, double residual_scale);
/* A view for another worker: the same build calls must follow; they return tensors on the owner's values. */
Params *params_view(Arena *a, const Params *owner);
void    params_enter(Params *p, const char *fmt, ...) PRINTF_LIKE(2, 3);   /* name prefix, nested with '.' */
void    params_leave(Params *p);
/* Declare "prefix.name" of the given axes; the tensor's x and g are set by params_finish. */
Tensor *param_dims(Params *p, const char *name, Init init, int rank, const int *dim);
#define param(p, name, init, ...) \
    param_dims((p), (name), (init), (int)(sizeof((int[]){ __VA_ARGS__ }) / sizeof(int)), (int[]){ __VA_ARGS__ })
/* Allocate values (owner) and gradients, and initialise values from streams "init/<name>" of seed. */
void    params_finish(Params *p, uint64_t seed);
void    params_bind(Params *p, real *grad);                          /* point every gradient into grad[params_count] */
size_t  params_count(const Params *p);                               /* reals */
size_t  params_under(const Params *p, const char *prefix);           /* reals of those whose names start with it */
int     params_number(const Params *p);                              /* named tensors */
Param  *params_at(const Params *p, int i);
Param  *params_find(const Params *p, const char *name);              /* NULL if absent */
real   *params_values(const Params *p);
real   *params_grads(const Params *p);

/* ---- products -------------------------------------------------------------------------------------------------- */

/* C[m,n] = alpha op(A) op(B) + beta C, row-major with leading dimensions; ta, tb: transposed. LIBXSMM for small float
 * shapes, CBLAS for the rest; bits depend on sizes alone. */
void gemm(bool ta, bool tb, int m, int n, int k, real alpha, const real *a, int lda, const real *b, int ldb,
          real beta, real *c, int ldc);
void gemm_setup(void);                                               /* one BLAS thread; call first in main */
const char *gemm_config(void);                                       /* what OpenBLAS says of itself */
const char *gemm_name(void);                                         /* "libxsmm 1.17 hsw + openblas 0.3.21 Zen" */
void real_setup(void);                                               /* flush denormals; once per thread */

/* ---- ops: shapes, formulas and sources are at the head of op_NAME.c -------------------------------------------- */

/* products and tables */
Tensor *op_linear(Tape *t, Tensor *x, Tensor *w, Tensor *bias);      /* (...,I) x (I,O) + (O) or NULL -> (...,O) */
Tensor *op_linear_t(Tape *t, Tensor *x, Tensor *w);                  /* (...,I) x (O,I)' -> (...,O) */
Tensor *op_embed(Tape *t, const int *id, int B, int T, Tensor *table);   /* table (C,D) -> (B,T,D); ids copied */
Tensor *op_gather_rows(Tape *t, Tensor *x, const int *row, int n);   /* x seen as (rows,D) -> (n,D) */
/* elementwise, same shape */
Tensor *op_add(Tape *t, Tensor *a, Tensor *b);
Tensor *op_sub(Tape *t, Tensor *a, Tensor *b);
Tensor *op_mul(Tape *t, Tensor *a, Tensor *b);
Tensor *op_affine(Tape *t, Tensor *x, double a, double b);           /* a x + b */
Tensor *op_sigmoid(Tape *t, Tensor *x);
Tensor *op_tanh(Tape *t, Tensor *x);
Tensor *op_silu(Tape *t, Tensor *x);
Tensor *op_relu(Tape *t, Tensor *x);
Tensor *op_gelu(Tape *t, Tensor *x);                                 /* exact, erf */
Tensor *op_exp(Tape *t, Tensor *x);
Tensor *op_softplus(Tape *t, Tensor *x);
Tensor *op_logsigmoid(Tape *t, Tensor *x);
Tensor *op_swiglu(Tape *t, Tensor *a, Tensor *b);                    /* silu(a) b */
Tensor *op_mingru_g(Tape *t, Tensor *x);                             /* x + 1/2 if x >= 0, else sigmoid(x) */
Tensor *op_dropout(Tape *t, Tensor *x, double p, Rng rng);           /* inverted dropout; p = 0 returns x */
/* broadcasts */
Tensor *op_add_last(Tape *t, Tensor *x, Tensor *v);                  /* (...,N) + (N) */
Tensor *op_mul_last(Tape *t, Tensor *x, Tensor *v);                  /* (...,N) * (N) */
Tensor *op_mul_rows(Tape *t, Tensor *x, Tensor *s);                  /* (...,N) * (...) : one factor per row */
/* shape */
Tensor *op_reshape_dims(Tape *t, Tensor *x, int rank, const int *dim);   /* shares x and g; no copy */
#define op_reshape(t, x, ...) \
    op_reshape_dims((t), (x), (int)(sizeof((int[]){ __VA_ARGS__ }) / sizeof(int)), (int[]){ __VA_ARGS__ })
Tensor *op_slice(Tape *t, Tensor *x, int from, int n);               /* of the last axis, copied */
Tensor *op_concat(Tape *t, Tensor *a, Tensor *b);                    /* along the last axis */
/* norms over the last axis; w, b may be NULL */
Tensor *op_rmsnorm(Tape *t, Tensor *x, Tensor *w, double eps);
Tensor *op_layernorm(Tape *t, Tensor *x, Tensor *w, Tensor *b, double eps);
Tensor *op_l2norm(Tape *t, Tensor *x, double eps);                   /* x / sqrt(sum x^2 + eps) */
/* loss: logits (n,C), target n ints (IGNORE skipped); sum over rows of (lse - z_y), times scale; scalar (1).
 * *nll (may be NULL) receives the unscaled sum in double; pred (may be NULL) n argmaxes, ties to the lowest. */
Tensor *op_cross_entropy(Tape *t, Tensor *logits, const int *target, double scale, double *nll, int *pred);
/* positions */
Tensor *op_rope(Tape *t, Tensor *x, int pos0, double base, bool interleaved);   /* (B,T,H,K), K even */
typedef enum { SINUSOID_PAIRS, SINUSOID_HALVES, SINUSOID_STRETCHED } Sinusoid;
void    sinusoid_row(Sinusoid kind, double base, int position, int D, real *out);   /* out (D), D even */
Tensor *op_sinusoid(Tape *t, Tensor *x, Sinusoid kind, double base, int pos0);  /* (B,T,D) plus row pos0 + t */
/* time: s0 NULL = zeros, else differentiable start, (B,...) or (...) broadcast over B; last NULL = not kept */
Tensor *op_short_conv(Tape *t, Tensor *x, Tensor *w, Tensor *bias, Tensor *s0, real *last);
                                                                     /* x (B,T,C), w (W,C), s0/last (B,W-1,C) */
Tensor *op_scan_diag(Tape *t, Tensor *a, Tensor *u, Tensor *h0, real *last);    /* (B,T,N) each; h0/last (B,N) */
Tensor *op_cell_lstm(Tape *t, Tensor *xw, Tensor *u, Tensor *h0, Tensor *c0, real *last_h, real *last_c);
                                                                     /* xw (B,T,4N): gates ifgo; u (N,4N) -> (B,T,N) */
/* log of the decayed sum of exp(x) before each token: x (B,T,N), w (N) rates or NULL, z0/last (B,N) -> (B,T,N) */
Tensor *op_log_past(Tape *t, Tensor *x, Tensor *w, Tensor *z0, real *last);
/* scan_slots: M slots of keys and values side by side, S = diag(a) S + w kv', read by softmax attention over slots */
typedef struct SlotsIn {
    Tensor *q, *kv;                    /* (B,T,H,K), (B,T,H,K+V) */
    Tensor *w, *a;                     /* (B,T,H,M): what a slot takes and keeps */
    double scale;
    Tensor *s0;                        /* (B,H,M,K+V), (H,M,K+V) or NULL */
    real *last;                        /* (B,H,M,K+V) or NULL */
} SlotsIn;
Tensor *op_scan_slots(Tape *t, const SlotsIn *in);                   /* -> (B,T,H,V) */
/* cos and sin of angles summed over time: phase (B,T,...,K), z0/last (B,...,K) -> (B,T,...,2K) */
Tensor *op_phasor(Tape *t, Tensor *phase, Tensor *z0, real *last);
/* scan_selective: u, dt (B,T,E) (dt > 0), a_log (E,N), b, c (B,T,N), skip (E) or NULL, h0/last (B,E,N) -> (B,T,E) */
Tensor *op_scan_selective(Tape *t, Tensor *u, Tensor *dt, Tensor *a_log, Tensor *b, Tensor *c, Tensor *skip,
                          bool negative, Tensor *h0, real *last);
/* scan_dplr, per head, state S (K,V): S = diag(a) S once per token; then for each of n_h micro-steps
 * S += w (v - S' r)' ; o = scale S' q after the last. */
typedef struct DplrIn {
    Tensor *q;                         /* (B,T,H,K) */
    Tensor *w;                         /* write key (B,T,H,K) or (B,T,n_h,H,K) */
    Tensor *v;                         /* value     (B,T,H,V) or (B,T,n_h,H,V) */
    Tensor *r;                         /* erase key, shape of w; NULL: additive */
    Tensor *a;                         /* decay: NULL, (B,T,H) scalar or (B,T,H,K) per channel; a factor, not a log */
    double scale;
    Tensor *s0;                        /* (B,H,K,V), (H,K,V) or NULL */
    real *last;                        /* (B,H,K,V) or NULL */
} DplrIn;
Tensor *op_scan_dplr(Tape *t, const DplrIn *in);                     /* -> (B,T,H,V) */
/* The same with n_h = 1 and a NULL or per head, its past in L levels that lam (B,T,H,L) weighs; pos0 is the position of
 * the first token; s0, last (B,H,max(L-1,1),K,V). */
Tensor *op_scan_levels(Tape *t, const DplrIn *in, Tensor *lam, int pos0);
/* attention: causal softmax. q (B,T,H,K), k (B,S,HK,K), v (B,S,HK,V) with S >= T: query t sees keys 0..S-T+t;
 * HK divides H. window > 0: only the last `window` keys (itself included). bias: added to the scores, may be NULL. */
typedef struct ScoreBias {
    Tensor *distance;                  /* (S,H): entry n for keys n positions back */
    Tensor *log_f;                     /* (B,S,H): for key j the sum over j < m <= position of the query */
    Tensor *full;                      /* (B,H,T,S): one number per pair; read only where t sees j */
} ScoreBias;
Tensor *op_attention(Tape *t, Tensor *q, Tensor *k, Tensor *v, double scale, int window, const ScoreBias *bias);
/* cope: contextual positions as a bias (B,H,T,S): z (B,T,H,P), one number per position, read between two of them at
 * the sum of the gates sigmoid(scale <q_t, k_m>), m = j..t, at most P-1. Shapes and window as in attention. */
Tensor *op_cope(Tape *t, Tensor *q, Tensor *k, Tensor *z, double scale, int window);

#endif
