/* SPDX-License-Identifier: Apache-2.0
 * expression.c - see expression.h. */
#include "common/expression.h"

#include <string.h>

static int apply(int op, int a, int b, int m)
{
    if (op == PLUS) return (a + b) % m;
    return op == MINUS ? (a + m - b) % m : a * b % m;
}

/* ---- drawing ----------------------------------------------------------------------------------------------------- */

static void split(Expression *e, ExpressionNode *p, int left, int right)
{
    p->child = e->nodes;
    e->node[e->nodes++] = (ExpressionNode){ .len = left };
    e->node[e->nodes++] = (ExpressionNode){ .len = right };
}

void expression_draw(Expression *e, int m, int operators, int n, Rng *rng)
{
    e->m = m, e->operators = operators, e->nodes = 1;
    e->node[0] = (ExpressionNode){ .len = n };
    for (int i = 0; i < e->nodes; i++) {
        ExpressionNode *p = &e->node[i];
        if (p->len > 4) {
            const int left = 1 + (int)rng_below(rng, (uint32_t)p->len - 4);
            split(e, p, left, p->len - left - 3);
            p->op = (int)rng_below(rng, (uint32_t)operators);
            e->node[p->child].from = p->from + 1;
            e->node[p->child + 1].from = p->from + left + 2;
        } else {
            p->value = (int)rng_below(rng, (uint32_t)m);
        }
    }
}

void expression_grow(Expression *e, int m, int operators, int n, Rng *rng)
{
    int leaf[EXPRESSION_NODES_MAX];
    e->m = m, e->operators = operators, e->nodes = 1;
    e->node[0] = (ExpressionNode){ .len = 1 };
    leaf[0] = 0;
    for (int i = 0; i < n; i++) {
        int *at = &leaf[rng_below(rng, (uint32_t)i + 1)];
        split(e, &e->node[*at], 1, 1);
        *at = e->nodes - 2;
        leaf[i + 1] = e->nodes - 1;
    }
    for (int i = e->nodes - 1; i >= 0; i--) {
        ExpressionNode *p = &e->node[i];
        if (p->child) p->len = 3 + e->node[p->child].len + e->node[p->child + 1].len;
    }
    for (int i = 0; i < e->nodes; i++) {
        ExpressionNode *p = &e->node[i];
        if (p->child) {
            p->op = (int)rng_below(rng, (uint32_t)operators);
            e->node[p->child].from = p->from + 1;
            e->node[p->child + 1].from = p->from + e->node[p->child].len + 2;
        } else {
            p->value = (int)rng_below(rng, (uint32_t)m);
        }
    }
}

int expression_write(const Expression *e, const ExpressionIds *ids, int *out)
{
    int depth = 0, deepest = 0;
    for (int i = 0; i < e->nodes; i++) {
        const ExpressionNode *p = &e->node[i];
        int *at = out + p->from, *end = at + p->len - 1;
        if (p->len > 2) *at++ = ids->open, *end-- = ids->close;
        if (p->child)
            out[e->node[p->child + 1].from - 1] = ids->op[p->op];
        else
            *end = ids->digit + p->value;
        if (!p->child && at < end) *at = ids->op[MINUS];
    }
    for (int t = 0; t < e->node[0].len; t++) {
        depth += (out[t] == ids->open) - (out[t] == ids->close);
        if (depth > deepest) deepest = depth;
    }
    return deepest;
}

int expression_value(const Expression *e)
{
    int value[EXPRESSION_NODES_MAX];
    value[0] = 0;
    for (int i = e->nodes - 1; i >= 0; i--) {
        const ExpressionNode *p = &e->node[i];
        const bool negative = !p->child && p->len % 2 == 0;
        value[i] = negative ? (e->m - p->value) % e->m : p->value;
        if (p->child) value[i] = apply(p->op, value[p->child], value[p->child + 1], e->m);
    }
    return value[0];
}

/* ---- parsing ----------------------------------------------------------------------------------------------------- */

/* What is known of a bracket that is open: the value so far, the operator behind it, a sign before the next operand. */
typedef struct Pending {
    uint16_t a, b;
    uint8_t op;
    bool started, negative;
} Pending;

static void operand(Pending *p, Linear v, int m)
{
    if (p->negative) v = (Linear){ (m - v.a) % m, (m - v.b) % m };
    if (p->started && p->op == TIMES)
        v = (Linear){ (p->a * v.b + p->b * v.a) % m, p->b * v.b % m };
    else if (p->started && p->op < OPERATORS)
        v = (Linear){ apply(p->op, p->a, v.a, m), apply(p->op, p->b, v.b, m) };
    *p = (Pending){ (uint16_t)v.a, (uint16_t)v.b, OPERATORS, true, false };
}

Linear expression_parse(const ExpressionIds *ids, int m, const int *token, int n)
{
    Pending stack[EXPRESSION_LEN_MAX + 1];
    int top = 0;
    stack[0] = (Pending){ 0, 0, OPERATORS, false, false };
    for (int t = 0; t < n + top; t++) { /* in the end, close what is open */
        const int id = t < n ? token[t] : ids->close, digit = id - ids->digit;
        Pending *p = &stack[top];
        if (digit >= 0 && digit < m) {
            operand(p, (Linear){ 0, digit }, m);
        } else if (id == ids->x) {
            operand(p, (Linear){ 1, 0 }, m);
        } else if (id == ids->open && top < EXPRESSION_LEN_MAX) {
            stack[++top] = (Pending){ 0, 0, OPERATORS, false, false };
        } else if (id == ids->close && top > 0) {
            top--;
            operand(p - 1, (Linear){ p->a, p->b }, m);
        } else if (id == ids->op[MINUS] && (!p->started || p->op < OPERATORS)) {
            p->negative = !p->negative;
        } else {
            for (int op = 0; op < OPERATORS; op++)
                if (id == ids->op[op]) p->op = (uint8_t)op;
        }
    }
    return (Linear){ stack[0].a, stack[0].b };
}

/* ---- laws -------------------------------------------------------------------------------------------------------- */

/* Add w times the law of `left op right`, op uniform, to sum. */
static void convolve(double *sum, const double *left, const double *right, double w, int m, int operators)
{
    for (int x = 0; x < m; x++)
        for (int y = 0; y < m; y++) {
            const double p = w * left[x] * right[y] / operators;
            for (int op = 0; op < operators; op++) sum[apply(op, x, y, m)] += p;
        }
}

bool expression_laws(bool grown, int m, int operators, int most, double *law)
{
    if ((most + 1) * m > EXPRESSION_LAW_MAX || (double)most * most * m * m > 1e7) return false;
    memset(law, 0, sizeof *law * (size_t)((most + 1) * m));
    for (int n = grown ? 0 : 1; n <= most; n++) {
        double *sum = law + n * m;
        if (grown ? n == 0 : n <= 4)
            for (int v = 0; v < m; v++) sum[v] = 1.0 / m;
        else if (grown)
            for (int i = 0; i < n; i++) convolve(sum, law + i * m, law + (n - 1 - i) * m, 1.0 / n, m, operators);
        else
            for (int l = 1; l <= n - 4; l++)
                convolve(sum, law + l * m, law + (n - 3 - l) * m, 1.0 / (n - 4), m, operators);
    }
    return true;
}

int expression_levels(int n) { return n < 5 ? 0 : (n - 5) / 8 + 1; }

int expression_units(int m)
{
    int n = 0;
    for (int i = 1; i < m; i++) {
        int a = m, b = i;
        while (b) {
            const int r = a % b;
            a = b, b = r;
        }
        n += a == 1;
    }
    return n;
}
