/* SPDX-License-Identifier: Apache-2.0
 * ngram_lookup - find a given n-gram in a string and go on from there, token by token.
 *
 *   suffix   $ w | g a .        the n-gram g comes after the string w: w must be remembered
 *   prefix   $ g | w | a .      g comes first: only what follows it in w must be
 *   input    the string without its end
 *   target   the answer a and the end, each one position earlier; a follows the first g in w
 *
 *   alphabet 4, ngram 2, length_answer 1, len 5
 *   suffix   $ c a d b a | d b a .          input 4 2 0 3 1 0 5 3 1 0      target _ _ _ _ _ _ _ _ 0 6
 *   prefix   $ d b | c a d b a | a .        input 4 3 1 5 2 0 3 1 0 5 0    target _ _ _ _ _ _ _ _ _ 0 6
 *
 * Ids: letters 0..v-1, `$` v, `|` v+1, `.` v+2, with v = alphabet; V_in = V_out = v+3. w has len uniform letters; g is
 * the n-gram at a uniform place that leaves room for the answer, length_answer letters or (0) all up to the end of w.
 * duplicate: true writes g once more at a later place that does not overlap; the first one counts. context: L positions
 * are filled with strings, each with its own len; the one that is cut off is not scored. Answers are read back, so
 * acc_exact (the headline; over the context, if there is one) is that of a greedy decoder.
 *
 * Chance per token: the end is 1 of length_answer + 1 targets, a letter the rest / v; the larger share is the best
 * constant (measured for length_answer: 0). Slices: quarter of the answer.
 *
 * Memory: prefix: log2 v bits for each letter that an answer can have. suffix: that, or, if more, len - n letters at
 * the bar, less those strings with an n-gram twice: (len-n) log2 v + log2(1 - m(m-1) / (2 v^n)), m = len-n+1, for two
 * strings that begin alike and hold no n-gram twice differ after some n-gram. (duplicate: the letters that are left.)
 *
 * Fails if n-gram and answer have no room in len (duplicate: the n-gram twice), or the longest string none in context.
 *
 * Source: Jelassi et al. 2024 (arXiv:2402.01032), repository transformers_ssm_copy, synthetic experiments, tasks
 * prefix_ngram and suffix_ngram: alphabet 26, ngram 3, length_answer 0 (-1 there), context 220. Deviations: all places
 * that leave room are drawn (there not the last two, with length_answer not the last three); a string without any
 * unique n-gram is kept; no pad id; duplicate is ours (there it is a form of string_copy).
 */
#include "common/letters.h"
#include "common/solvable.h"

#include <math.h>
#include <string.h>

enum { VERSION = 1 };

enum { SUFFIX, PREFIX };

enum { LEN_MAX = 8192, NGRAM_MAX = 32 };

typedef struct {
    Length len;
    int variant, alphabet, ngram, length_answer, context;
    bool duplicate;
} Cfg;

static const Option options[] = {
    OPT_L(Cfg, len, "[8, 20]", 2, LEN_MAX, "letters of the string"),
    OPT_E(Cfg, variant, "suffix", "suffix|prefix", "n-gram behind the string, or in front of it"),
    OPT_I(Cfg, alphabet, "26", 2, LETTERS_MAX, "letters that occur"),
    OPT_I(Cfg, ngram, "3", 1, NGRAM_MAX, "letters of the n-gram"),
    OPT_I(Cfg, length_answer, "4", 0, LEN_MAX, "letters of the answer; 0: all that follow"),
    OPT_B(Cfg, duplicate, "false", "the n-gram occurs at least twice; the first one counts"),
    OPT_I(Cfg, context, "0", 0, 1 << 20, "positions filled with strings one after another; 0: one string"),
    OPT_END,
};

static int longest_answer(const Cfg *c, int len) { return c->length_answer ? c->length_answer : len - c->ngram; }

static bool shape(const void *cfg, const void *data, TaskShape *out, Err *err)
{
    (void)data;
    const Cfg *c = cfg;
    int len = length_max(&c->len), shortest = length_min(&c->len);
    int needed = c->ngram + (c->length_answer ? c->length_answer : 1);
    if (needed > shortest)
        return err_set(err, EXIT_USAGE, "ngram_lookup: ngram: %d and length_answer: %d need len of %d or more, not %d",
                       c->ngram, c->length_answer, needed, shortest);
    if (c->duplicate && 2 * c->ngram > shortest)
        return err_set(err, EXIT_USAGE, "ngram_lookup: ngram: %d with duplicate: true needs len of %d or more, not %d",
                       c->ngram, 2 * c->ngram, shortest);
    int tokens = 3 + (c->variant == PREFIX) + len + c->ngram + longest_answer(c, len);
    TRY(letters_fit("ngram_lookup", c->context, tokens, err));
    double end = 1.0 / (c->length_answer + 1), letter = (1 - end) / c->alphabet;
    *out = (TaskShape){
        .vocab_in = c->alphabet + LETTERS_MARKS,
        .vocab_out = c->alphabet + LETTERS_MARKS,
        .max_len = c->context ? c->context : tokens - 1,
        .chance_uniform = 1.0 / (c->alphabet + 1),
        .chance_majority = c->length_answer ? fmax(end, letter) : 0,
        .ceiling = 1,
        .headline = "acc_exact",
        .slice_label = "quarter",
    };
    return true;
}

/* Draw the string and a place of the n-gram in it; returns the first place of that n-gram. */
static int draw_place(const Cfg *c, int *w, int len, Rng *rng)
{
    int n = c->ngram, last = len - n - (c->length_answer ? c->length_answer : 1);
    size_t size = sizeof(int) * (size_t)n;
    if (c->duplicate && last > len - 2 * n) last = len - 2 * n;
    for (int i = 0; i < len; i++) w[i] = (int)rng_below(rng, (uint32_t)c->alphabet);
    int at = (int)rng_below(rng, (uint32_t)last + 1), first = 0;
    if (c->duplicate) memcpy(w + at + n + (int)rng_below(rng, (uint32_t)(len - 2 * n - at) + 1), w + at, size);
    while (memcmp(w + first, w + at, size) != 0) first++;
    return first;
}

static void draw_string(const void *cfg, int len, Rng *rng, Letters *out)
{
    const Cfg *c = cfg;
    int w[LEN_MAX], *s = out->token, n = c->ngram, t = 0;
    int at = draw_place(c, w, len, rng), answer = c->length_answer ? c->length_answer : len - n - at;
    s[t++] = c->alphabet + LETTERS_BEGIN;
    if (c->variant == PREFIX) {
        for (int i = 0; i < n; i++) s[t++] = w[at + i];
        s[t++] = c->alphabet + LETTERS_BAR;
    }
    for (int i = 0; i < len; i++) s[t++] = w[i];
    s[t++] = c->alphabet + LETTERS_BAR;
    if (c->variant == SUFFIX)
        for (int i = 0; i < n; i++) s[t++] = w[at + i];
    out->answer = t;
    for (int i = 0; i < answer; i++) s[t++] = w[at + n + i];
    s[t++] = c->alphabet + LETTERS_END;
    out->n = t;
}

static void sample(const void *cfg, const void *data, Rng *rng, Example *e)
{
    (void)data;
    const Cfg *c = cfg;
    int token[2 * LEN_MAX + NGRAM_MAX + LETTERS_MARKS + 1];
    letters_sample(c, &c->len, c->context, draw_string, token, rng, e);
}

static double memory_bits(const void *cfg, const void *data)
{
    (void)data;
    const Cfg *c = cfg;
    int len = length_max(&c->len), n = c->ngram, answer = longest_answer(c, len);
    double letter = log2(c->alphabet), m = len - n + 1, unique = 1 - m * (m - 1) / 2 / pow(c->alphabet, n);
    if (c->duplicate) return (answer < len - 2 * n ? answer : len - 2 * n) * letter;
    double bits = answer * letter;
    return c->variant == SUFFIX && unique > 0 ? fmax(bits, (len - n) * letter + log2(unique)) : bits;
}

/* First match of pattern[0..m) in text[0..n), all starts at once: bit i of `live` is a match of i+1 letters so far. */
static int find_first(const int *pattern, int m, const int *text, int n)
{
    uint64_t at[LETTERS_MAX + LETTERS_MARKS] = { 0 }, live = 0;
    if (m < 1 || m > 63) return -1;
    for (int i = 0; i < m; i++) at[pattern[i]] |= (uint64_t)1 << i;
    for (int i = 0; i < n; i++) {
        live = (live << 1 | 1) & at[text[i]];
        if (live >> (m - 1) & 1) return i - m + 1;
    }
    return -1;
}

static void solve(const void *cfg, const void *data, const int *input, int len, int *prediction)
{
    (void)data;
    const Cfg *c = cfg;
    int begin = -1, bar[2] = { 0, 0 }, bars = 0, end = c->alphabet + LETTERS_END, next = -1, stop = 0, limit = 0;
    for (int t = 0; t < len; t++) {
        if (input[t] == c->alphabet + LETTERS_BEGIN) begin = t, bars = 0, next = -1;
        if (input[t] == c->alphabet + LETTERS_BAR && bars < 2) bar[bars++] = t;
        const int *w = input + begin + 1, *after = input + bar[0] + 1;
        int before = bar[0] - begin - 1, n = c->variant == PREFIX ? before : c->ngram, at = -1;
        if (c->variant == PREFIX && bars == 2 && t == bar[1]) {
            at = find_first(w, n, after, t - bar[0] - 1);
            next = at < 0 ? t : bar[0] + 1 + at + n, stop = t;
        } else if (c->variant == SUFFIX && bars == 1 && t == bar[0] + n) {
            at = find_first(after, n, w, before);
            next = at < 0 ? bar[0] : begin + 1 + at + n, stop = bar[0];
        }
        if (at >= 0) limit = c->length_answer ? next + c->length_answer : stop;
        prediction[t] = next >= 0 && next < stop && next < limit ? input[next++] : end;
    }
}

static const char *symbol(const void *cfg, const void *data, int id, bool is_target, char *buf)
{
    (void)data, (void)is_target;
    return letters_symbol(((const Cfg *)cfg)->alphabet, id, buf);
}

static Theory theory(const void *cfg, TheoryClass cls, int layers)
{
    const Cfg *c = cfg;
    if (c->variant == PREFIX && c->length_answer && cls.kind == CLASS_RNN)
        return (Theory){ THEORY_YES, "a finite automaton: the n-gram, how much of it matches, the answer" };
    if (c->variant == PREFIX && c->length_answer && cls.kind == CLASS_DENSE)
        return (Theory){ THEORY_YES, "any finite automaton in one layer (arXiv:2404.08819)" };
    return solvable_row(c->variant == PREFIX && c->length_answer ? SOLVABLE_STAR_FREE : SOLVABLE_COPY, cls, layers);
}

TASK_WITH(ngram_lookup, "find an n-gram in a string and go on from there", "arXiv:2402.01032", .symbol = symbol,
          .memory_bits = memory_bits)
