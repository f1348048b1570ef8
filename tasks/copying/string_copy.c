/* SPDX-License-Identifier: Apache-2.0
 * string_copy - write a random string out again, token by token, each read before the next is asked for.
 *
 *   string   $ w | w .                         w: len letters
 *   input    the string without its end        L = 2 len + 2
 *   target   the second w and the end, each one position earlier
 *
 *   alphabet 4, len 3           $ c a d | c a d .
 *   input    4 2 0 3 5 2 0 3    target _ _ _ _ 2 0 3 6
 *
 * Ids: letters 0..a-1, `$` a, `|` a+1, `.` a+2, with a = alphabet; V_in = V_out = a+3. Letters are uniform. The answer
 * is read back as in free running: a string is written right by a greedy decoder if and only if all its targets are
 * right, so the headline is acc_exact. duplicate: n makes a string that holds an n-gram twice, at two places apart,
 * which misleads those who look the next letter up by the last n. context: L positions are filled with strings, each
 * with its own len; the one that is cut off is not scored, and acc_exact is then over the context.
 *
 * Chance per token: the end is 1 of mean len + 1 targets, a letter the rest of them / a; the larger share is the best
 * constant (measured with context). Slices: quarter of the answer.
 *
 * Memory: len log2 a bits at the bar (duplicate: n letters less).
 *
 * Fails for duplicate above len / 2 and a context in which the longest string has no room.
 *
 * Source: Jelassi et al. 2024 (arXiv:2402.01032), repository transformers_ssm_copy, synthetic experiments, tasks copy
 * and duplicate_ngram: alphabet 26, len 5..20 in training (context 220), 20 and more in the test (one string each);
 * also copying in Movahedi et al. 2025 (arXiv:2503.10799). Deviations: no pad id; the two places of duplicate do not
 * overlap and only one of them is overwritten; the copy is always of the whole string.
 */
#include "common/letters.h"
#include "common/lengths.h"
#include "common/solvable.h"

#include <math.h>
#include <string.h>

enum { VERSION = 1 };

enum { LEN_MAX = 16384 };

typedef struct {
    Length len;
    int alphabet, duplicate, context;
} Cfg;

static const Option options[] = {
    OPT_L(Cfg, len, "[5, 20]", 1, LEN_MAX, "letters of the string"),
    OPT_I(Cfg, alphabet, "26", 2, LETTERS_MAX, "letters that occur"),
    OPT_I(Cfg, duplicate, "0", 0, 64, "every string holds a duplicate n-gram of this n; 0: as it comes"),
    OPT_I(Cfg, context, "0", 0, 1 << 20, "positions filled with strings one after another; 0: one string"),
    OPT_END,
};

static bool shape(const void *cfg, const void *data, TaskShape *out, Err *err)
{
    (void)data;
    const Cfg *c = cfg;
    int len = length_max(&c->len), shortest = length_min(&c->len);
    if (2 * c->duplicate > shortest)
        return err_set(err, EXIT_USAGE, "string_copy: duplicate: %d needs len of %d or more, not %d", c->duplicate,
                       2 * c->duplicate, shortest);
    TRY(letters_fit("string_copy", c->context, 2 * len + 3, err));
    double mean = 0;
    for (int n = shortest; n <= len; n++) mean += n * length_share(&c->len, n);
    double end = 1 / (mean + 1), letter = (1 - end) / c->alphabet;
    *out = (TaskShape){
        .vocab_in = c->alphabet + LETTERS_MARKS,
        .vocab_out = c->alphabet + LETTERS_MARKS,
        .max_len = c->context ? c->context : 2 * len + 2,
        .chance_uniform = 1.0 / (c->alphabet + 1),
        .chance_majority = c->context ? 0 : fmax(end, letter),
        .ceiling = 1,
        .headline = "acc_exact",
        .slice_label = "quarter",
    };
    return true;
}

/* Copy the n-gram at one place to another; all pairs of places that do not overlap are equally likely. */
static void repeat_ngram(int *w, int len, int n, Rng *rng)
{
    int places = len - 2 * n + 2;
    int p = (int)rng_below(rng, (uint32_t)places), q = (int)rng_below(rng, (uint32_t)places - 1);
    if (q >= p) q++;
    int from = p < q ? p : q, to = (p < q ? q : p) + n - 1;
    memcpy(w + to, w + from, sizeof(int) * (size_t)n);
}

static void draw_string(const void *cfg, int len, Rng *rng, Letters *out)
{
    const Cfg *c = cfg;
    int *s = out->token;
    s[0] = c->alphabet + LETTERS_BEGIN;
    for (int i = 1; i <= len; i++) s[i] = (int)rng_below(rng, (uint32_t)c->alphabet);
    if (c->duplicate) repeat_ngram(s + 1, len, c->duplicate, rng);
    s[len + 1] = c->alphabet + LETTERS_BAR;
    memcpy(s + len + 2, s + 1, sizeof(int) * (size_t)len);
    s[2 * len + 2] = c->alphabet + LETTERS_END;
    out->n = 2 * len + 3;
    out->answer = len + 2;
}

static void sample(const void *cfg, const void *data, Rng *rng, Example *e)
{
    (void)data;
    const Cfg *c = cfg;
    int token[2 * LEN_MAX + 3];
    letters_sample(c, &c->len, c->context, draw_string, token, rng, e);
}

static double memory_bits(const void *cfg, const void *data)
{
    (void)data;
    const Cfg *c = cfg;
    return (length_max(&c->len) - c->duplicate) * log2(c->alphabet);
}

/* A finger that sets out behind the last `$` when the bar comes. */
static void solve(const void *cfg, const void *data, const int *input, int len, int *prediction)
{
    (void)data;
    const Cfg *c = cfg;
    int begin = -1, bar = -1;
    for (int t = 0; t < len; t++) {
        if (input[t] == c->alphabet + LETTERS_BEGIN) begin = t, bar = -1;
        if (input[t] == c->alphabet + LETTERS_BAR && bar < 0) bar = t;
        int finger = begin + 1 + t - bar;
        prediction[t] = bar < 0 ? 0 : finger < bar ? input[finger] : c->alphabet + LETTERS_END;
    }
}

static const char *symbol(const void *cfg, const void *data, int id, bool is_target, char *buf)
{
    (void)data, (void)is_target;
    return letters_symbol(((const Cfg *)cfg)->alphabet, id, buf);
}

static Theory theory(const void *cfg, TheoryClass cls, int layers)
{
    (void)cfg;
    return solvable_row(SOLVABLE_COPY, cls, layers);
}

TASK_WITH(string_copy, "copy a random string, token by token", "arXiv:2402.01032", .symbol = symbol,
          .memory_bits = memory_bits)
