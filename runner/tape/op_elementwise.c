/* SPDX-License-Identifier: Apache-2.0
 * op_elementwise - maps of one tensor, and sums, differences and products of two of one shape.
 *
 *   op_add, op_sub, op_mul   y = a + b, a - b, a b
 *   op_affine                y = a x + b, constants a, b
 *   op_sigmoid               y = 1/(1+e^-x)             dx += dy y (1-y)
 *   op_tanh                                             dx += dy (1-y^2)
 *   op_silu                  y = x s, s = sigmoid(x)    dx += dy s (1 + x (1-s))
 *   op_relu                  y = max(x,0)               dx += dy [x > 0]
 *   op_gelu                  y = x P, P = (1 + erf(x/sqrt 2))/2       dx += dy (P + x e^(-x^2/2)/sqrt(2 pi))
 *   op_exp                                              dx += dy y
 *   op_softplus              y = log(1+e^x)             dx += dy sigmoid(x)
 *   op_logsigmoid            y = -softplus(-x)          dx += dy sigmoid(-x)
 *   op_mingru_g              y = x + 1/2 for x >= 0, else sigmoid(x)  dx += dy (1 for x >= 0, else y (1-y))
 *
 * Cost: counted as one flop per element. Nothing is saved: slopes follow from x and y. Sources: GELU arXiv:1606.08415
 * (exact form), SiLU arXiv:1702.03118, the positive activation of minGRU arXiv:2410.01201 (appendix, log-space form).
 */
#include "tape/tape.h"
#include "tape/vec.h"

#define INLINE static inline __attribute__((always_inline))

/* y = f(x); the tail takes the same path as full vectors, so an element's bits do not depend on its place. */
INLINE void map(real *y, const real *x, size_t n, vreal (*f)(vreal))
{
    size_t i = 0;
    for (; i + (size_t)VLEN <= n; i += (size_t)VLEN) v_store(y + i, f(v_load(x + i)));
    if (i < n) v_store_part(y + i, f(v_load_part(x + i, n - i, 1)), n - i);
}

/* dx += dy slope(x, y) */
INLINE void map_back(const Node *node, vreal (*slope)(vreal, vreal))
{
    const real *x = node->in[0]->x, *y = node->out->x, *dy = node->out->g;
    real *dx = node->in[0]->g;
    size_t n = tensor_size(node->out), i = 0;
    if (!dx) return;
    for (; i + (size_t)VLEN <= n; i += (size_t)VLEN)
        v_store(dx + i, v_load(dx + i) + v_load(dy + i) * slope(v_load(x + i), v_load(y + i)));
    if (i == n) return;
    vreal s = slope(v_load_part(x + i, n - i, 1), v_load_part(y + i, n - i, 1));
    v_store_part(dx + i, v_load_part(dx + i, n - i, 0) + v_load_part(dy + i, n - i, 0) * s, n - i);
}

/* The standard normal distribution function; *density receives e^(-x^2/2)/sqrt(2 pi). */
INLINE vreal v_normal(vreal x, vreal *density)
{
    vreal e = v_exp(x * x * (real)-0.5);
    *density = e * (real)0.39894228040143267794;
#if REAL_BITS == 64
    vreal p;
    for (int i = 0; i < VLEN; i++) p[i] = 0.5 * erfc(-x[i] * 0.70710678118654752440);
    return p;
#else
    /* erfc(z) e^(z^2) = k P(k), k = 1/(1 + 0.38 z), P through Chebyshev nodes: relative error 2.5e-8, z <= 10. */
    static const real c[] = { (real)0.0596302628,  (real)-0.2655923084, (real)0.3708773963,
                              (real)-0.1696749715, (real)0.2358203854,  (real)0.1361375018,
                              (real)0.2045581527,  (real)0.2138272108,  (real)0.2144163904 };
    vreal z = v_abs(x) * (real)0.70710678118654752440, k = 1 / (1 + z * (real)0.38), p = v_set(c[0]);
    for (int i = 1; i < 9; i++) p = p * k + c[i];
    p *= k * e * (real)0.5;
    return v_select((vint)(x < 0), p, 1 - p);
#endif
}

/* Forward f(x) and slope(x, y) of one map, and its op. */
#define MAP(name, value, derivative)                                                                                   \
    INLINE vreal name##_value(vreal x) { return (value); }                                                             \
    INLINE vreal name##_slope(vreal x, vreal y)                                                                        \
    {                                                                                                                  \
        (void)x, (void)y;                                                                                              \
        return (derivative);                                                                                           \
    }                                                                                                                  \
    static void back_##name(Node *n) { map_back(n, name##_slope); }                                                    \
    Tensor *op_##name(Tape *t, Tensor *x)                                                                              \
    {                                                                                                                  \
        Tensor *y = tape_like(t, x);                                                                                   \
        map(y->x, x->x, tensor_size(x), name##_value);                                                                 \
        tape_flops(t, (double)tensor_size(x));                                                                         \
        return tape_push(t, #name, back_##name, y, NULL, 1, &x);                                                       \
    }

INLINE vreal silu_rate(vreal x, vreal s) { return s * (1 + x * (1 - s)); }

INLINE vreal gelu_of(vreal x)
{
    vreal density;
    return x * v_normal(x, &density);
}

INLINE vreal gelu_rate(vreal x)
{
    vreal density, p = v_normal(x, &density);
    return p + x * density;
}

MAP(sigmoid, v_sigmoid(x), y *(1 - y))
MAP(tanh, v_tanh(x), 1 - y * y)
MAP(silu, v_silu(x), silu_rate(x, v_sigmoid(x)))
MAP(relu, v_select((vint)(x < 0), v_set(0), x), v_select((vint)(x > 0), v_set(1), v_set(0)))
MAP(gelu, gelu_of(x), gelu_rate(x))
MAP(exp, v_exp(x), y)
MAP(softplus, v_softplus(x), v_sigmoid(x))
MAP(logsigmoid, -v_softplus(-x), v_sigmoid(-x))
MAP(mingru_g, v_select((vint)(x < 0), v_sigmoid(x), x + (real)0.5), v_select((vint)(x < 0), y *(1 - y), v_set(1)))

static void back_affine(Node *n)
{
    if (n->in[0]->g) vec_axpy(n->in[0]->g, *(real *)n->saved, n->out->g, tensor_size(n->out));
}

Tensor *op_affine(Tape *t, Tensor *x, double a, double b)
{
    Tensor *y = tape_like(t, x);
    const real scale = (real)a, shift = (real)b, *from = x->x;
    real *to = y->x;
    for (size_t i = 0, n = tensor_size(x); i < n; i++) to[i] = scale * from[i] + shift;
    tape_flops(t, (double)tensor_size(x));
    real *saved = t->grad ? ARENA_NEW(t->arena, real, 1) : NULL;
    if (saved) *saved = scale;
    return tape_push(t, "affine", back_affine, y, saved, 1, &x);
}

static Tensor *pair(Tape *t, const char *op, const Tensor *a, const Tensor *b)
{
    CHECK(same_shape(a, b), "%s: a %s, b %s, want one shape", op, shape_str(a), shape_str(b));
    tape_flops(t, (double)tensor_size(a));
    return tape_like(t, a);
}

static void back_add(Node *n)
{
    Tensor *a = n->in[0], *b = n->in[1], *y = n->out;
    if (a->g) vec_add(a->g, y->g, tensor_size(y));
    if (b->g) vec_add(b->g, y->g, tensor_size(y));
}

Tensor *op_add(Tape *t, Tensor *a, Tensor *b)
{
    Tensor *y = pair(t, "add", a, b);
    const real *p = a->x, *q = b->x;
    real *to = y->x;
    for (size_t i = 0, n = tensor_size(y); i < n; i++) to[i] = p[i] + q[i];
    return tape_push(t, "add", back_add, y, NULL, 2, (Tensor *[]){ a, b });
}

static void back_sub(Node *n)
{
    Tensor *a = n->in[0], *b = n->in[1], *y = n->out;
    if (a->g) vec_add(a->g, y->g, tensor_size(y));
    if (b->g) vec_axpy(b->g, -1, y->g, tensor_size(y));
}

Tensor *op_sub(Tape *t, Tensor *a, Tensor *b)
{
    Tensor *y = pair(t, "sub", a, b);
    const real *p = a->x, *q = b->x;
    real *to = y->x;
    for (size_t i = 0, n = tensor_size(y); i < n; i++) to[i] = p[i] - q[i];
    return tape_push(t, "sub", back_sub, y, NULL, 2, (Tensor *[]){ a, b });
}

static void back_mul(Node *n)
{
    Tensor *a = n->in[0], *b = n->in[1], *y = n->out;
    if (a->g) vec_fma(a->g, y->g, b->x, tensor_size(y));
    if (b->g) vec_fma(b->g, y->g, a->x, tensor_size(y));
}

Tensor *op_mul(Tape *t, Tensor *a, Tensor *b)
{
    Tensor *y = pair(t, "mul", a, b);
    const real *p = a->x, *q = b->x;
    real *to = y->x;
    for (size_t i = 0, n = tensor_size(y); i < n; i++) to[i] = p[i] * q[i];
    return tape_push(t, "mul", back_mul, y, NULL, 2, (Tensor *[]){ a, b });
}
