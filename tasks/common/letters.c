/* SPDX-License-Identifier: Apache-2.0
 * letters.c - see letters.h. */
#include "common/letters.h"

/* Write s from position t on, as far as `end`; its answer is scored if `scored`. */
static void put_string(Example *e, int t, int end, const Letters *s, bool scored)
{
    for (int i = 0; i < s->n; i++) {
        if (t + i < end) e->input[t + i] = s->token[i];
        if (!scored || i < s->answer) continue;
        e->target[t + i - 1] = s->token[i];
        e->slice_of[t + i - 1] = 4 * (i - s->answer) / (s->n - s->answer);
    }
}

void letters_sample(const void *cfg, const Length *len, int context, LettersDraw *draw, int *token, Rng *rng,
                    Example *e)
{
    Letters s = { .token = token };
    e->has_slice = true;
    if (!context) {
        draw(cfg, len->now, rng, &s);
        e->len = s.n - 1;
        put_string(e, 0, e->len, &s, true);
        return;
    }
    Length law = *len;
    for (int t = 0; t < context; t += s.n) {
        length_draw(&law, rng);
        draw(cfg, law.now, rng, &s);
        put_string(e, t, context, &s, t + s.n <= context);
    }
    e->len = context;
}

bool letters_fit(const char *task, int context, int longest, Err *err)
{
    if (!context || context >= longest) return true;
    return err_set(err, EXIT_USAGE, "%s: context: %d is less than the %d tokens of the longest string", task, context,
                   longest);
}

const char *letters_symbol(int alphabet, int id, char *buf)
{
    buf[0] = id < alphabet ? (char)('a' + id) : "$|."[id - alphabet];
    buf[1] = 0;
    return buf;
}
