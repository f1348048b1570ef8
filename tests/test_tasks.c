/* SPDX-License-Identifier: Apache-2.0
 * test_tasks.c - the contract every task keeps, and what tests/tasks/NAME.facts say of each (format: task_facts.h).
 *
 * The contract runs by default and at every case with a hash: ids in range, the solver right wherever something is
 * scored (10^4 examples; 10^3 under sanitizers) and blind to the future, examples that depend on their number alone,
 * the majority baseline as stated. A changed hash: a generator draws other examples; raise the task's VERSION and
 * replace the hash by the one printed. A name as argument: that task alone.
 */
#include <check.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/states.h"
#include "support/suite.h"
#include "support/task_facts.h"

#ifdef __SANITIZE_ADDRESS__
enum { EXAMPLES = 1000 };
#else
enum { EXAMPLES = 10000 };
#endif
enum { GOLDEN = 64, CASES_MAX = 1024, DRAWS_MAX = 400000 };

/* Facts of the files, and the cases that run the contract (those with a hash, and the defaults of tasks without). */
static const Fact *fact;
static int facts;
static Fact line[CASES_MAX];
static int lines;

static const Task *chosen; /* by the argument, or NULL */

static Arena *arena;
static void setup(void) { arena = arena_new("test"); }
static void teardown(void) { arena_free(arena); }

static TaskCase open_fact(const Fact *f)
{
    TaskCase c;
    Err err = { 0 };
    bool ok = task_open(f->task, f->settings, arena, &c, &err);
    ck_assert_msg(ok, "%s %s: %s", f->task->name, f->settings, err.msg);
    return c;
}

#define WHERE "%s %s: "
#define AT    line[_i].task->name, line[_i].settings

static bool one_of(const char *s, const char *const *list)
{
    for (; *list; list++)
        if (!strcmp(s, *list)) return true;
    return false;
}

START_TEST(describes)
{
    static const char *const headlines[] = { "acc_token", "acc_mean", "acc_exact", "acc_final", NULL };
    TaskCase c = open_fact(&line[_i]);
    const Task *t = c.task;
    const TaskShape *s = &c.shape;
    ck_assert_ptr_eq(task_find(t->name), t);
    ck_assert_msg(t->version >= 1 && *t->summary && *t->source, WHERE "version, summary or source missing", AT);
    ck_assert_msg(strstr(t->file, t->name) != NULL, WHERE "file %s", AT, t->file);
    ck_assert_msg(s->headline && one_of(s->headline, headlines), WHERE "headline %s", AT, s->headline);
    ck_assert_msg(s->vocab_in >= 2 && s->vocab_out >= 2 && s->max_len >= 1, WHERE "sizes", AT);
    ck_assert_msg(s->chance_uniform >= 1.0 / s->vocab_out - 1e-12 && s->chance_uniform < 1, WHERE "chance_uniform %g",
                  AT, s->chance_uniform);
    ck_assert_msg(s->chance_majority >= 0 && s->chance_majority < 1, WHERE "chance_majority %g", AT,
                  s->chance_majority);
    ck_assert_msg(s->ceiling > s->chance_uniform && s->ceiling <= 1, WHERE "ceiling %g", AT, s->ceiling);
    for (ClassKind k = CLASS_LTI; k <= CLASS_OTHER; k++)
        for (int layers = 1; layers <= 4; layers++) {
            Theory th = t->theory(c.cfg, (TheoryClass){ k, k == CLASS_DPLR_H ? 2 : 1 }, layers);
            ck_assert_msg(th.verdict <= THEORY_APPROX && th.why && *th.why, WHERE "theory of class %d", AT, (int)k);
        }
    for (int id = 0; t->symbol && id < s->vocab_in; id++) {
        char buf[32];
        const char *text = t->symbol(c.cfg, c.data, id, false, buf);
        ck_assert_msg(text && *text && strlen(text) < sizeof buf, WHERE "symbol of input %d", AT, id);
    }
    for (int id = 0; t->symbol && id < s->vocab_out; id++) {
        char buf[32];
        const char *text = t->symbol(c.cfg, c.data, id, true, buf);
        ck_assert_msg(text && *text && strlen(text) < sizeof buf, WHERE "symbol of target %d", AT, id);
    }
}
END_TEST

/* Ids in range, everything written, something scored. Returns "" or what is wrong. */
static const char *fault(const TaskCase *c)
{
    const Example *e = &c->e;
    const TaskShape *s = &c->shape;
    int scored = 0, trained = 0;
    if (e->len < 1 || e->len > s->max_len) return "length";
    for (int t = 0; t < e->len; t++) {
        if (e->input[t] < 0 || e->input[t] >= s->vocab_in) return "input out of range";
        if (e->target[t] != IGNORE && (e->target[t] < 0 || e->target[t] >= s->vocab_out)) return "target out of range";
        int train = e->train_target[t];
        if (train != IGNORE && (train < 0 || train >= s->vocab_out)) return "training target out of range";
        if (e->has_slice && e->target[t] != IGNORE && e->slice_of[t] < 0) return "no slice at a scored position";
        scored += e->target[t] != IGNORE;
        trained += train != IGNORE;
    }
    for (int t = e->len; t < s->max_len; t++)
        if (e->target[t] != IGNORE) return "target after the end";
    if (e->has_slice != (s->slice_label != NULL)) return "slice label without slices, or the other way round";
    if (e->has_train_target ? !trained : trained > 0) return "training targets";
    return scored ? "" : "nothing is scored";
}

START_TEST(solves)
{
    TaskCase c = open_fact(&line[_i]);
    long scored = 0, missed = 0;
    double p = c.shape.ceiling, spread = 0;
    for (int i = 0; i < EXAMPLES; i++) {
        int wrong;
        task_draw(&c, (uint64_t)i);
        const char *what = fault(&c);
        ck_assert_msg(!*what, WHERE "example %d: %s", AT, i, what);
        int n = task_solve(&c, &wrong);
        scored += n, missed += wrong;
        spread += (wrong - (1 - p) * n) * (wrong - (1 - p) * n);
        if (c.shape.ceiling >= 1) ck_assert_msg(!wrong, WHERE "example %d: solver misses %d", AT, i, wrong);
    }
    spread = fmax(spread, p * (1 - p) * (double)scored); /* where misses are so rare that none may be seen */
    double acc = 1 - (double)missed / (double)scored, error = 4 * sqrt(spread) / (double)scored;
    ck_assert_msg(fabs(acc - p) <= error + 1e-12, WHERE "solver %.5f, ceiling %.5f", AT, acc, p);
}
END_TEST

START_TEST(repeats)
{
    TaskCase a = open_fact(&line[_i]), b = open_fact(&line[_i]);
    uint64_t hash[8];
    for (int i = 0; i < 8; i++) task_draw(&a, (uint64_t)i), hash[i] = task_hash(&a, 0);
    for (int i = 7; i >= 0; i--) {
        task_draw(&b, (uint64_t)i);
        ck_assert_msg(task_hash(&b, 0) == hash[i], WHERE "example %d depends on what was drawn before", AT, i);
    }
}
END_TEST

/* Change or cut off what follows t: predictions up to t must not move. */
START_TEST(causal)
{
    TaskCase c = open_fact(&line[_i]);
    int *other = ARENA_NEW(arena, int, c.shape.max_len), *input = ARENA_NEW(arena, int, c.shape.max_len);
    Rng rng = rng_named(1, "causal");
    for (int i = 0; i < 60; i++) {
        task_draw(&c, (uint64_t)i);
        int n = c.e.len, wrong, cut = (int)rng_below(&rng, (uint32_t)n);
        task_solve(&c, &wrong);
        for (int t = 0; t < n; t++)
            input[t] = t <= cut ? c.e.input[t] : (int)rng_below(&rng, (uint32_t)c.shape.vocab_in);
        c.task->solve(c.cfg, c.data, input, n, other);
        for (int t = 0; t <= cut; t++) ck_assert_msg(other[t] == c.prediction[t], WHERE "looks past %d", AT, cut);
        c.task->solve(c.cfg, c.data, input, cut + 1, other);
        for (int t = 0; t <= cut; t++) ck_assert_msg(other[t] == c.prediction[t], WHERE "depends on the end", AT);
    }
}
END_TEST

/* The commonest class of one half of the examples, measured on the other half over *scored positions; standard error
 * over examples. It may be a close second: *most is the share of the commonest class of the other half itself. */
static double measure_majority(TaskCase *c, double *error, double *scored, double *most)
{
    long *count = ARENA_NEW(arena, long, c->shape.vocab_out), *other = ARENA_NEW(arena, long, c->shape.vocab_out);
    int half = EXAMPLES / 2, best = 0;
    double hits[EXAMPLES / 2], sizes[EXAMPLES / 2], hit = 0, size = 0, spread = 0;
    for (int i = 0; i < EXAMPLES; i++) {
        task_draw(c, (uint64_t)i);
        double h = 0, n = 0;
        for (int t = 0; t < c->e.len; t++) {
            if (c->e.target[t] == IGNORE) continue;
            (i < half ? count : other)[c->e.target[t]]++;
            h += c->e.target[t] == best, n++;
        }
        if (i >= half) hits[i - half] = h, sizes[i - half] = n, hit += h, size += n;
        for (int k = 0; i == half - 1 && k < c->shape.vocab_out; k++)
            if (count[k] > count[best]) best = k;
    }
    double share = hit / size;
    for (int i = 0; i < half; i++) spread += (hits[i] - share * sizes[i]) * (hits[i] - share * sizes[i]);
    *error = sqrt(spread) / size;
    *scored = size;
    *most = 0;
    for (int k = 0; k < c->shape.vocab_out; k++) *most = fmax(*most, (double)other[k] / size);
    return share;
}

/* As the shape says, or, where it says 0 (no formula), as the facts say. */
START_TEST(majority)
{
    TaskCase c = open_fact(&line[_i]);
    const Fact *f = facts_of_case(fact, facts, &line[_i], "majority");
    double error, size, most, said_error = 0, want = c.shape.chance_majority;
    double share = measure_majority(&c, &error, &size, &most);
    if (f && sscanf(f->text, "%lf %lf", &want, &said_error) != 2)
        ck_abort_msg("%s:%d: expected a share and its standard error", f->file, f->line);
    ck_assert_msg(want > 0 || !line[_i].text, WHERE "no formula and no fact; add: majority %.4f %.4f", AT, share,
                  error);
    if (!(want > 0)) return;
    error = fmax(error, sqrt(want * (1 - want) / size)); /* rare classes may not occur at all */
    ck_assert_msg(!f || c.shape.chance_majority <= 0 || fabs(c.shape.chance_majority - want) <= 4 * said_error + 1e-4,
                  WHERE "majority %.5f of the shape, %.5f of the facts", AT, c.shape.chance_majority, want);
    error = 4 * hypot(error, said_error) + 1e-9;
    ck_assert_msg(share - want <= error && want - most <= error, WHERE "measured %.5f to %.5f (4 s.e. %.5f), said %.5f",
                  AT, share, most, error, want);
}
END_TEST

/* Settings with which a task opens: none, or those of its first case with a hash where it needs a file. */
static const char *opening(const Task *task)
{
    TaskCase c;
    Err none = { 0 };
    const bool opens = task_open(task, NULL, arena, &c, &none);
    for (int i = 0; i < facts && !opens; i++)
        if (fact[i].task == task && !strcmp(fact[i].key, "hash")) return fact[i].settings;
    return "{}";
}

/* With one option at a value: it works, or the message names the option. */
static void try_option(const Task *task, const Option *o, const char *value)
{
    TaskCase c;
    Err err = { 0 };
    int wrong;
    char settings[256];
    const char *base = opening(task);
    const int n = (int)strlen(base) - 1;
    snprintf(settings, sizeof settings, "%.*s%s%s: %s}", n, base, n > 1 ? ", " : "", o->name, value);
    size_t mark = arena_mark(arena);
    if (task_open(task, settings, arena, &c, &err)) {
        task_draw(&c, 0);
        ck_assert_msg(!*fault(&c), "%s %s: %s", task->name, settings, fault(&c));
        task_solve(&c, &wrong);
        ck_assert_msg(!wrong || c.shape.ceiling < 1, "%s %s: solver misses %d", task->name, settings, wrong);
    } else {
        ck_assert_msg(err.code == EXIT_USAGE && strstr(err.msg, o->name), "%s %s: message does not name the option: %s",
                      task->name, settings, err.msg);
    }
    arena_reset(arena, mark);
}

START_TEST(limits)
{
    const Task *task = all_tasks[_i];
    char value[64];
    if (chosen && task != chosen) return;
    for (const Option *o = task->options; o->name; o++) {
        if (o->kind == OPT_BOOL) {
            try_option(task, o, "true");
            try_option(task, o, "false");
        } else if (o->kind == OPT_ENUM) {
            for (const char *s = o->choices; s; s = strchr(s, '|') ? strchr(s, '|') + 1 : NULL) {
                snprintf(value, sizeof value, "%.*s", (int)strcspn(s, "|"), s);
                try_option(task, o, value);
            }
        } else if (o->kind == OPT_INT || o->kind == OPT_REAL || o->kind == OPT_LENGTH || o->kind == OPT_REALS) {
            snprintf(value, sizeof value, "%.17g", o->min);
            try_option(task, o, value);
            snprintf(value, sizeof value, "%.17g", o->max);
            try_option(task, o, value);
        }
    }
}
END_TEST

static uint64_t golden_hash(TaskCase *c)
{
    uint64_t h = fnv1a64("");
    for (int i = 0; i < GOLDEN; i++) {
        task_draw(c, (uint64_t)i);
        h = task_hash(c, h);
    }
    return h;
}

START_TEST(golden)
{
    char now[32];
    if (!line[_i].text) return;
    TaskCase c = open_fact(&line[_i]);
    snprintf(now, sizeof now, "%016" PRIx64, golden_hash(&c));
    ck_assert_msg(!strcmp(now, line[_i].text), WHERE "examples differ: hash %s, %s:%d says %s", AT, now, line[_i].file,
                  line[_i].line, line[_i].text);
}
END_TEST

/* ---- single facts ------------------------------------------------------------------------------------------------ */

#define BAD(f, what) ck_abort_msg("%s:%d: expected %s", (f)->file, (f)->line, what)

/* "1 0 _" up to `end` into ids; returns how many. */
static int read_ids(const Fact *f, const char *s, const char *end, int *id, int max)
{
    int n = 0, used;
    for (; s < end; n++, s += used) {
        char word[16];
        if (sscanf(s, " %15s%n", word, &used) != 1) break;
        if (s + used > end) break;
        if (n == max) BAD(f, "fewer ids");
        id[n] = strcmp(word, "_") ? atoi(word) : IGNORE;
    }
    return n;
}

static bool draws(TaskCase *c, const int *input, int len)
{
    for (uint64_t i = 0; i < DRAWS_MAX; i++) {
        task_draw(c, i);
        if (c->e.len == len && !memcmp(c->e.input, input, sizeof *input * (size_t)len)) return true;
    }
    return false;
}

static void check_worked(const Fact *f, bool drawn)
{
    TaskCase c = open_fact(f);
    const char *arrow = strstr(f->text, "->");
    int max = c.shape.max_len, *input = ARENA_NEW(arena, int, max + 1), *target = ARENA_NEW(arena, int, max + 1);
    if (!arrow) BAD(f, "input -> target");
    int len = read_ids(f, f->text, arrow, input, max),
        n = read_ids(f, arrow + 2, f->text + strlen(f->text), target, max);
    ck_assert_msg(len > 0 && len == n, "%s:%d: %d inputs, %d targets", f->file, f->line, len, n);
    c.task->solve(c.cfg, c.data, input, len, c.prediction);
    for (int t = 0; t < len; t++)
        ck_assert_msg(target[t] == IGNORE || c.prediction[t] == target[t], "%s:%d: at %d the solver says %d, want %d",
                      f->file, f->line, t, c.prediction[t], target[t]);
    if (!drawn) return;
    ck_assert_msg(draws(&c, input, len), "%s:%d: the generator never draws it", f->file, f->line);
    for (int t = 0; t < len; t++)
        ck_assert_msg(c.e.target[t] == target[t], "%s:%d: at %d the generator says %d, want %d", f->file, f->line, t,
                      c.e.target[t], target[t]);
}

static void check_states(const Fact *f)
{
    TaskCase c = open_fact(f);
    bool least = !strncmp(f->text, ">= ", 3), exact;
    int want = atoi(f->text + (least ? 3 : 0)), n = states_count(&c, arena, &exact);
    ck_assert_msg(c.task->memory_bits != NULL, "%s:%d: the task states no memory", f->file, f->line);
    double bits = c.task->memory_bits(c.cfg, c.data);
    ck_assert_msg(fabs(exp2(bits) - want) < 1e-9 * want, "%s:%d: the task says 2^%.9g", f->file, f->line, bits);
    ck_assert_msg(least ? n >= want : exact && n == want, "%s:%d: %d%s states", f->file, f->line, n,
                  exact ? "" : " or more");
}

static void check_bits(const Fact *f)
{
    TaskCase c = open_fact(f);
    ck_assert_msg(c.task->memory_bits != NULL, "%s:%d: the task states no memory", f->file, f->line);
    double bits = c.task->memory_bits(c.cfg, c.data), want = strtod(f->text, NULL);
    ck_assert_msg(fabs(bits - want) < 1e-6 * (1 + want / 100), "%s:%d: %.10g", f->file, f->line, bits);
}

static void check_theory(const Fact *f)
{
    static const char *const classes[] = { "lti",    "diag_pos", "diag_real", "diag_complex", "dplr1", "dplr1_neg",
                                           "dplr_h", "dense",    "rnn",       "attention",    "other", NULL };
    TaskCase c = open_fact(f);
    char name[32], verdict[16];
    int layers, kind = 0, n_h = 1;
    if (sscanf(f->text, "%31s %d %15s", name, &layers, verdict) != 3) BAD(f, "class layers verdict");
    char *h = strchr(name, ':');
    if (h) *h = 0, n_h = atoi(h + 1);
    while (classes[kind] && strcmp(classes[kind], name) != 0) kind++;
    if (!classes[kind]) BAD(f, "a class of models");
    Theory th = c.task->theory(c.cfg, (TheoryClass){ (ClassKind)kind, n_h }, layers);
    ck_assert_msg(!strcmp(theory_verdict_name(th.verdict), verdict), "%s:%d: the task says %s (%s)", f->file, f->line,
                  theory_verdict_name(th.verdict), th.why);
}

static void check_refusal(const Fact *f)
{
    TaskCase c;
    Err err = { 0 };
    ck_assert_msg(!task_open(f->task, f->settings, arena, &c, &err), "%s:%d: accepted", f->file, f->line);
    ck_assert_msg(err.code == EXIT_USAGE && strstr(err.msg, f->text), "%s:%d: code %d, %s", f->file, f->line, err.code,
                  err.msg);
}

START_TEST(known)
{
    const Fact *f = &fact[_i];
    if (!strcmp(f->key, "worked")) check_worked(f, true);
    if (!strcmp(f->key, "solved")) check_worked(f, false);
    if (!strcmp(f->key, "states")) check_states(f);
    if (!strcmp(f->key, "bits")) check_bits(f);
    if (!strcmp(f->key, "theory")) check_theory(f);
    if (!strcmp(f->key, "refuses")) check_refusal(f);
    const bool has_hash = facts_of_case(fact, facts, f, "hash") != NULL;
    ck_assert_msg(has_hash || strcmp(f->key, "majority") != 0, "%s:%d: a case without hash", f->file, f->line);
}
END_TEST

/* The cases with a hash, then the defaults of tasks that have no case {} with one. */
static void find_lines(const char *only, Arena *a)
{
    for (int i = 0; i < facts && lines < CASES_MAX; i++)
        if (!strcmp(fact[i].key, "hash")) line[lines++] = fact[i];
    for (int i = 0, from_file = lines; all_tasks[i] && lines < CASES_MAX; i++) {
        Err err = { 0 };
        TaskCase c;
        bool listed = only && strcmp(only, all_tasks[i]->name) != 0;
        for (int j = 0; j < from_file; j++) listed |= line[j].task == all_tasks[i] && !strcmp(line[j].settings, "{}");
        if (listed || !task_open(all_tasks[i], NULL, a, &c, &err)) continue;
        line[lines++] = (Fact){ .task = all_tasks[i], .settings = "{}", .key = "hash" };
        printf("note: no golden hash for the defaults of %s: %016" PRIx64 "\n", all_tasks[i]->name, golden_hash(&c));
    }
    fflush(stdout);
}

int main(int argc, char **argv)
{
    const char *only = argc > 1 ? argv[1] : NULL;
    Arena *a = arena_new("facts");
    int tasks = 0;
    if (only && !task_find(only)) {
        fprintf(stderr, "no task '%s'\n", only);
        return EXIT_FAILURE;
    }
    chosen = only ? task_find(only) : NULL;
    fact = facts_load(only, a, &facts);
    find_lines(only, a);
    while (all_tasks[tasks]) tasks++;
    Suite *s = suite_create("tasks");
    TCase *c = tcase_create("tasks");
    tcase_set_timeout(c, 180);
    tcase_add_checked_fixture(c, setup, teardown);
    tcase_add_loop_test(c, describes, 0, lines);
    tcase_add_loop_test(c, solves, 0, lines);
    tcase_add_loop_test(c, repeats, 0, lines);
    tcase_add_loop_test(c, causal, 0, lines);
    tcase_add_loop_test(c, majority, 0, lines);
    tcase_add_loop_test(c, limits, 0, tasks);
    tcase_add_loop_test(c, golden, 0, lines);
    tcase_add_loop_test(c, known, 0, facts);
    suite_add_tcase(s, c);
    const int code = suite_run_together(s);
    arena_free(a);
    return code;
}
