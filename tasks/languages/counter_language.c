/* SPDX-License-Identifier: Apache-2.0
 * counter_language - languages that need a counter and no stack: a^n b^n and its kin, Boolean expressions in prefix
 * notation. What may come next?
 *
 *   language    words                       classes after each symbol
 *   anbn        a^n b^n                     0 {a, b}  1 {b}  2 {end}
 *   anbncn      a^n b^n c^n                 0 {a, b}  1 {b}  2 {c}  3 {end}
 *   anbncndn    a^n b^n c^n d^n             0 {a, b}  1 {b}  2 {c}  3 {d}  4 {end}
 *   boolean3    prefix expressions of       0 {any symbol}  1 {end}
 *   boolean5    arity up to 3, 5            the same
 *
 *   anbn        a a b b                     input 0 0 1 1          target 0 0 1 2
 *   anbncn      a a b b c c                 input 0 0 1 1 2 2      target 0 0 1 2 2 3
 *   boolean3    + ~ 1 0                     input 3 2 1 0          target 0 0 0 1
 *
 * Ids: letters a.. from 0; values 0 and 1, then ~ 2, + 3, > 4, * 5, ^ 6 of 1, 2, 3, 4, 5 operands (boolean3 without the
 * last two). end is a class only, never an input. Words have exactly len symbols: a multiple of the number of letters
 * (a range such as the default draws those in it, equally likely), any length for Boolean expressions, of which each is
 * drawn in proportion to (1/2)^values (1/(2 arity))^operators, `arity` the largest; the value of a leaf is fair.
 *
 * negatives: with this probability one symbol, uniformly chosen, is replaced by another, uniformly chosen (the result
 * may still be a word); where no word starts like this any more the class is the last one, dead. V_out is the number of
 * classes above, one more with negatives.
 *
 * All positions are scored. The headline is the share of words right at every position, as published, for the share of
 * positions says little: Boolean expressions are `any symbol` but at their end, and a^n b^n by the last letter alone is
 * wrong just once in each word. A constant answer is right for 1/letters of the positions of a word, exactly, and for
 * all but one of an expression's; measured with negatives.
 *
 * Needs lengths in steps of the letters.
 *
 * Memory: with N the largest n, after N symbols: as many counts of b as there are n in the law above N/2. Boolean: as
 * many counts of missing operands as can stand at one place and end at different lengths of the law, a floor.
 *
 * Source: Bhattamishra et al. 2020 (arXiv:2009.11264), repository Transformer-Formal-Languages; Sarrof et al. 2024
 * (arXiv:2405.17394), repository ssm_expressivity, counter_generator, boolean_generator: letters with n uniform; train
 * lengths 2..50, then the next 50. Boolean expressions there have the lengths that independent symbols give (value 1/2,
 * each arity 1/(2 arity)), within the window: ours have the same law given the length, but the lengths of `len`. The
 * second repository writes an operator in the place of a value, by a slip; not ours. Equal words are not removed.
 */
#include "task.h"
#include "common/solvable.h"
#include "common/walk.h"

#include <math.h>

enum { VERSION = 1 };

enum { ANBN, ANBNCN, ANBNCNDN, BOOLEAN3, BOOLEAN5 };

enum { LETTERS_MAX = 4, ARITY_MAX = 5 };

typedef struct {
    Length len;
    int language;
    double negatives;
} Cfg;

static const Option options[] = {
    OPT_L(Cfg, len, "[12, 59]", 1, WALK_MAX, "symbols of the word"),
    OPT_E(Cfg, language, "anbn", "anbn|anbncn|anbncndn|boolean3|boolean5", "words"),
    OPT_R(Cfg, negatives, "0", 0, 0.9, "share of words with one symbol replaced"),
    OPT_END,
};

/* Letters of a word, or 0 for expressions; the largest arity. */
static int letters(const Cfg *c) { return c->language <= ANBNCNDN ? c->language + 2 : 0; }
static int arity(const Cfg *c) { return c->language == BOOLEAN3 ? 3 : 5; }
static int step(const Cfg *c) { return letters(c) ? letters(c) : 1; }
static int vocab(const Cfg *c) { return letters(c) ? letters(c) : arity(c) + 2; }
static int class_end(const Cfg *c) { return letters(c) ? letters(c) : 1; }
static int class_dead(const Cfg *c) { return class_end(c) + 1; }

static double positions_per_word(const Cfg *c)
{
    double words = 0, positions = 0;
    for (int n = 1; n <= length_max(&c->len); n++) {
        int weight = walk_weight(&c->len, 1, n);
        words += weight;
        positions += (double)weight * n;
    }
    return positions / words;
}

static bool shape(const void *cfg, const void *data, TaskShape *out, Err *err)
{
    (void)data;
    const Cfg *c = cfg;
    int longest = length_max(&c->len), classes = class_end(c) + 1 + (c->negatives > 0);
    TRY(walk_check_lengths("counter_language", &c->len, step(c), err));
    if (!letters(c) && longest < 2)
        return err_set(err, EXIT_USAGE, "counter_language: expressions need len of 2 or more");
    double ends = 1 / positions_per_word(c);
    *out = (TaskShape){
        .vocab_in = vocab(c),
        .vocab_out = classes,
        .max_len = walk_length(longest, step(c)),
        .chance_uniform = 1.0 / classes,
        .chance_majority = c->negatives > 0 ? 0
                           : letters(c)     ? 1.0 / letters(c)
                                            : fmax(ends, 1 - ends),
        .ceiling = 1,
        .headline = "acc_exact",
    };
    return true;
}

/* An expression of n symbols. Of n independent symbols that together close what they open just one rotation is an
 * expression (cycle lemma); so draw symbols until they do, and turn them. `tilt` changes no probability given n, but
 * balances operands opened and closed, so that one draw in a few sqrt(n) succeeds. */
static void draw_expression(const Cfg *c, Rng *rng, int *word, int n)
{
    const int most = arity(c);
    const double tilt = most == 3 ? 1 : 0.8375;
    double weight[ARITY_MAX + 1] = { 0 }, total = 0, power = 1 / tilt;
    int operands[WALK_MAX], last, sum;
    for (int k = 0; k <= most; k++, power *= tilt) total += weight[k] = (k ? 0.5 / most : 0.5) * power;
    do {
        sum = 0;
        for (int i = 0; i < n - 1; i++) {
            double u = rng_uniform(rng) * total;
            int k = 0;
            for (; k < most && u >= weight[k]; k++) u -= weight[k];
            operands[i] = k;
            sum += k - 1;
        }
        last = -sum;
    } while (last < 0 || last > most || rng_uniform(rng) * weight[0] >= weight[last]);
    operands[n - 1] = last;

    int start = 0, least = 0;
    sum = 0;
    for (int i = 0; i < n; i++) {
        sum += operands[i] - 1;
        if (sum < least) least = sum, start = (i + 1) % n;
    }
    for (int i = 0; i < n; i++) {
        int k = operands[(start + i) % n];
        word[i] = k ? 1 + k : (int)rng_below(rng, 2);
    }
}

/* Follow the counters: letters of the block before that are still to be matched, or operands still missing. */
static void label(const Cfg *c, const int *word, int n, int *target)
{
    int block = 0, owed = letters(c) ? 0 : 1, next = 0;
    bool dead = false;
    for (int t = 0; t < n; t++) {
        int id = word[t];
        if (!letters(c)) {
            dead |= owed == 0;
            owed += id < 2 ? -1 : id - 2;
            target[t] = dead ? class_dead(c) : owed > 0 ? 0 : class_end(c);
            continue;
        }
        if (id == block + 1 && owed == 0 && t > 0) { /* a new block: all of the one before are owed */
            block++;
            owed = next;
            next = 0;
        }
        dead |= id != block || (block > 0 && owed == 0);
        next++;
        owed -= block > 0;
        target[t] = dead ? class_dead(c) : block + (block > 0 && owed == 0);
    }
}

static void sample(const void *cfg, const void *data, Rng *rng, Example *e)
{
    (void)data;
    const Cfg *c = cfg;
    int n = walk_length(c->len.now, step(c));
    if (letters(c))
        for (int t = 0; t < n; t++) e->input[t] = t / (n / letters(c));
    else
        draw_expression(c, rng, e->input, n);
    if (c->negatives > 0 && rng_uniform(rng) < c->negatives) {
        int t = (int)rng_below(rng, (uint32_t)n), id = (int)rng_below(rng, (uint32_t)vocab(c) - 1);
        e->input[t] = id + (id >= e->input[t]);
    }
    label(c, e->input, n, e->target);
    e->len = n;
}

static double memory_bits(const void *cfg, const void *data)
{
    (void)data;
    const Cfg *c = cfg;
    int longest = walk_length(length_max(&c->len), step(c)), most = 1;
    if (letters(c)) {
        int states = 0, big = longest / letters(c);
        for (int n = big / 2 + 1; n <= big; n++) states += walk_weight(&c->len, step(c), n * letters(c)) > 0;
        return log2(states > 1 ? states : 1);
    }
    for (int t = 1; t < longest; t++) {
        int states = 0, missing = (arity(c) - 1) * t + 1;
        for (int owed = 1; owed < missing && t + owed < longest; owed++)
            states += walk_weight(&c->len, 1, t + owed) > 0;
        if (states + 1 > most) most = states + 1;
    }
    return log2(most);
}

/* Letters: from how often each has occurred so far and whether they came in order. Expressions: a tree of as many nodes
 * as it has edges and one more is complete. */
static void solve(const void *cfg, const void *data, const int *input, int len, int *prediction)
{
    (void)data;
    const Cfg *c = cfg;
    int count[LETTERS_MAX] = { 0 }, edges = 0;
    bool ordered = true, complete = false;
    for (int t = 0; t < len; t++) {
        int id = input[t];
        if (!letters(c)) {
            bool over = complete;
            edges += id < 2 ? 0 : id - 1;
            complete |= edges == t;
            prediction[t] = over ? class_dead(c) : complete;
        } else {
            count[id]++;
            for (int k = 0; k < id; k++) ordered &= count[k] == count[0];
            ordered &= count[id] <= count[0];
            for (int k = id + 1; k < letters(c); k++) ordered &= count[k] == 0;
            prediction[t] = !ordered ? class_dead(c) : id == 0 ? 0 : id + (count[id] == count[0]);
        }
        if (c->negatives <= 0 && prediction[t] == class_dead(c)) prediction[t] = 0;
    }
}

static const char *symbol(const void *cfg, const void *data, int id, bool is_target, char *buf)
{
    (void)data, (void)buf;
    const Cfg *c = cfg;
    static const char *const letter[] = { "a", "b", "c", "d" };
    static const char *const boolean[] = { "0", "1", "~", "+", ">", "*", "^" };
    if (!is_target) return letters(c) ? letter[id] : boolean[id];
    if (id == class_dead(c)) return "dead";
    if (id == class_end(c)) return "end";
    return !letters(c) ? "any" : id == 0 ? "a|b" : letter[id];
}

static Theory theory(const void *cfg, TheoryClass cls, int layers)
{
    (void)cfg;
    return solvable_row(SOLVABLE_COUNTERS, cls, layers);
}

TASK_WITH(counter_language, "a^n b^n and its kin, Boolean expressions: what may come next",
          "arXiv:2009.11264, 2405.17394", .symbol = symbol, .memory_bits = memory_bits)
