/* SPDX-License-Identifier: Apache-2.0
 * test_tasks.c - the contract every task keeps, by default and at every line of tests/golden/tasks.hash.
 *
 * A line of that file is `task <tab> options <tab> hash of the first 64 examples`. A changed hash: a generator
 * draws other examples; raise the task's VERSION and replace the hash by the one printed. Lines of absent tasks are
 * reported and skipped; a task without a line is reported.
 */
#include <check.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/task_case.h"

enum { EXAMPLES = 10000, GOLDEN = 64, CASES_MAX = 1024 };

static const char HASHES[] = "tests/golden/tasks.hash";

typedef struct Line {
    const Task *task;
    const char *settings, *hash;
} Line;

static Line line[CASES_MAX];
static int lines;

static Arena *arena;
static void setup(void) { arena = arena_new("test"); }
static void teardown(void) { arena_free(arena); }

static TaskCase open_line(int i)
{
    TaskCase c;
    Err err = { 0 };
    bool ok = task_open(line[i].task, line[i].settings, arena, &c, &err);
    ck_assert_msg(ok, "%s %s: %s", line[i].task->name, line[i].settings ? line[i].settings : "", err.msg);
    return c;
}

#define WHERE "%s %s: "
#define AT    line[_i].task->name, line[_i].settings ? line[_i].settings : ""

static bool one_of(const char *s, const char *const *list)
{
    for (; *list; list++)
        if (!strcmp(s, *list)) return true;
    return false;
}

START_TEST(describes)
{
    static const char *const headlines[] = { "acc_token", "acc_mean", "acc_exact", "acc_final", NULL };
    TaskCase c = open_line(_i);
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
    TaskCase c = open_line(_i);
    long scored = 0, missed = 0;
    for (int i = 0; i < EXAMPLES; i++) {
        int wrong;
        task_draw(&c, (uint64_t)i);
        const char *what = fault(&c);
        ck_assert_msg(!*what, WHERE "example %d: %s", AT, i, what);
        scored += task_solve(&c, &wrong);
        missed += wrong;
        if (c.shape.ceiling >= 1) ck_assert_msg(!wrong, WHERE "example %d: solver misses %d", AT, i, wrong);
    }
    double acc = 1 - (double)missed / (double)scored, p = c.shape.ceiling;
    double error = 4 * sqrt(p * (1 - p) / (double)scored);
    ck_assert_msg(fabs(acc - p) <= error + 1e-12, WHERE "solver %.5f, ceiling %.5f", AT, acc, p);
}
END_TEST

START_TEST(repeats)
{
    TaskCase a = open_line(_i), b = open_line(_i);
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
    TaskCase c = open_line(_i);
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

/* The commonest class of one half of the examples, measured on the other half; standard error over examples. */
START_TEST(majority)
{
    TaskCase c = open_line(_i);
    if (c.shape.chance_majority <= 0) return;
    long *count = ARENA_NEW(arena, long, c.shape.vocab_out);
    int half = EXAMPLES / 2, best = 0;
    double hits[EXAMPLES / 2], sizes[EXAMPLES / 2], hit = 0, size = 0, spread = 0;
    for (int i = 0; i < EXAMPLES; i++) {
        task_draw(&c, (uint64_t)i);
        double h = 0, n = 0;
        for (int t = 0; t < c.e.len; t++) {
            if (c.e.target[t] == IGNORE) continue;
            if (i < half) count[c.e.target[t]]++;
            h += c.e.target[t] == best, n++;
        }
        if (i >= half) hits[i - half] = h, sizes[i - half] = n, hit += h, size += n;
        for (int k = 0; i == half - 1 && k < c.shape.vocab_out; k++)
            if (count[k] > count[best]) best = k;
    }
    double share = hit / size, want = c.shape.chance_majority;
    for (int i = 0; i < half; i++) spread += (hits[i] - share * sizes[i]) * (hits[i] - share * sizes[i]);
    ck_assert_msg(fabs(share - want) <= 4 * sqrt(spread) / size + 1e-9,
                  WHERE "class %d has %.5f, said %.5f (s.e. %.5f)", AT, best, share, want, sqrt(spread) / size);
}
END_TEST

/* With one option at a value: it works, or the message names the option. */
static void try_option(const Task *task, const Option *o, const char *value)
{
    TaskCase c;
    Err err = { 0 };
    int wrong;
    char settings[128];
    snprintf(settings, sizeof settings, "{%s: %s}", o->name, value);
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
    TaskCase c = open_line(_i);
    snprintf(now, sizeof now, "%016" PRIx64, golden_hash(&c));
    ck_assert_msg(!strcmp(now, line[_i].hash), WHERE "examples differ: hash %s, file says %s; line: %s\t%s\t%s", AT,
                  now, line[_i].hash, c.task->name, line[_i].settings ? line[_i].settings : "{}", now);
}
END_TEST

/* Fill line[] from the file, then with the defaults of tasks that have no "{}" line. Returns the file's share. */
static int read_lines(Arena *a)
{
    Err err = { 0 };
    char *text;
    if (!file_read(HASHES, 1 << 20, a, &text, NULL, &err)) {
        fprintf(stderr, "%s\n", err.msg);
        exit(EXIT_FAILURE);
    }
    for (char *s = text, *next; s && *s; s = next) {
        next = strchr(s, '\n');
        if (next) *next++ = 0;
        if (*s == '#' || !*s) continue;
        char *settings = strchr(s, '\t'), *hash = settings ? strchr(settings + 1, '\t') : NULL;
        if (!hash || lines == CASES_MAX) {
            fprintf(stderr, "%s: bad line '%s'\n", HASHES, s);
            exit(EXIT_FAILURE);
        }
        *settings++ = *hash++ = 0;
        const Task *t = task_find(s);
        if (t)
            line[lines++] = (Line){ t, settings, hash };
        else if (!strcmp(settings, "{}"))
            printf("skipped: not built: %s\n", s);
    }
    int from_file = lines;
    for (int i = 0; all_tasks[i] && lines < CASES_MAX; i++) {
        bool listed = false;
        for (int j = 0; j < from_file; j++) listed |= line[j].task == all_tasks[i] && !strcmp(line[j].settings, "{}");
        if (listed) continue;
        line[lines++] = (Line){ all_tasks[i], NULL, NULL };
        TaskCase c;
        if (task_open(all_tasks[i], NULL, a, &c, &err))
            printf("note: no golden hash; add to %s: %s\t{}\t%016" PRIx64 "\n", HASHES, all_tasks[i]->name,
                   golden_hash(&c));
    }
    return from_file;
}

int main(void)
{
    Arena *a = arena_new("lines");
    int from_file = read_lines(a), tasks = 0;
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
    tcase_add_loop_test(c, golden, 0, from_file);
    suite_add_tcase(s, c);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_ENV);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    arena_free(a);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
