/* SPDX-License-Identifier: Apache-2.0
 * chomsky.c - see chomsky.h. */
#include "common/chomsky.h"

#include <stdio.h>

static int id_query(const Chomsky *f) { return f->symbols + (f->blanks > 0); }

int chomsky_vocab(const Chomsky *f) { return id_query(f) + 1; }

int chomsky_len(const Chomsky *f, int n, int out) { return n + n * f->blanks + out; }

void chomsky_write(const Chomsky *f, int n, const int *y, int out, int scored, int trained, Example *e)
{
    int t = n;
    while (t < n + n * f->blanks) e->input[t++] = f->symbols;
    for (int q = 0; q < out; q++, t++) {
        e->input[t] = f->fed && q > 0 ? y[q - 1] : id_query(f);
        if (q < scored) e->target[t] = y[q], e->slice_of[t] = q;
        if (q < trained) e->train_target[t] = y[q];
    }
    e->has_train_target = trained > 0;
    e->len = t;
}

void chomsky_solve(const Chomsky *f, const void *cfg, ChomskyAnswer answer, const int *input, int len, int *prediction)
{
    int y[CHOMSKY_OUT_MAX], n = 0, out = -1, asked = 0;
    while (n < len && n < CHOMSKY_LEN_MAX && input[n] < f->symbols) n++;
    for (int t = 0; t < len; t++) {
        prediction[t] = 0;
        if (t < n || (input[t] != id_query(f) && (out < 0 || !f->fed))) continue;
        if (out < 0) out = answer(cfg, input, n, y);
        if (asked < out) prediction[t] = y[asked];
        asked++;
    }
}

const char *chomsky_symbol(const Chomsky *f, int id)
{
    if (id == id_query(f)) return "?";
    return f->blanks && id == f->symbols ? "." : NULL;
}

const char *chomsky_number(const Chomsky *f, int id, bool is_target, char *buf)
{
    const char *mark = is_target ? NULL : chomsky_symbol(f, id);
    if (mark) return mark;
    if (id >= chomsky_vocab(f)) return "<pad>";
    snprintf(buf, 32, "%d", id);
    return buf;
}
