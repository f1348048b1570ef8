/* SPDX-License-Identifier: Apache-2.0
 * test_checkpoint.c - runs that are stopped, killed, timed out and continued end in the same bytes; damaged checkpoints
 * cost a warning and a fresh start, and nothing else.
 */
#include <check.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/suite.h"
#include "sweep/sweep.h"
#include "train/checkpoint.h"
#include "train/results.h"

static const char *const same[] = { "config.yaml", "curve.csv", "metrics.csv", "result.csv", "weights.npy" };
enum { SAME = sizeof same / sizeof *same };

static Arena *arena;
static char folder[] = "/tmp/test_checkpoint.XXXXXX";

static void setup(void)
{
    arena = arena_new("test");
    strcpy(strrchr(folder, '.'), ".XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
}

static void teardown(void)
{
    ck_assert_int_eq(system(arena_printf(arena, "rm -r '%s'", folder)), 0);
    arena_free(arena);
}

/* What is trained: 200 steps, twenty validations, two test sets; every way in which a step can depend on the past. */
static const struct {
    const char *task, *mixer, *text;
} cases[] = {
    { "parity", "lstm", "train: {steps: 200, batch: 16, eval_every: 10, stop_at: 2}" },
    { "parity", "delta_net", "train: {steps: 200, batch: 16, eval_every: 7, stop_at: 2, examples: 48}" },
    { "parity", "gla",
      "train: {steps: 200, batch: 8, eval_every: 10, stop_at: 2, schedule: cosine_step, warmup: 0}\n"
      "train_mixture: [{weight: 2, len: [2, 6]}, {weight: 1, len: 12}]" },
    { "parity", "mamba", "train: {steps: 200, batch: 24, eval_every: 50, stop_at: 0.3, stop_patience: 4}" },
    { "parity", "attention",
      "train: {steps: 200, batch: 16, eval_every: 10, stop_at: 2}\n"
      "model: {d_model: 8, layers: 1, dropout_emb: 0.2, dropout_resid: 0.1, pos: none}" },
};
enum { CASES = sizeof cases / sizeof *cases };

static bool built(int i)
{
    if (task_find(cases[i].task) && mixer_find(cases[i].mixer)) return true;
    printf("skipped: not built: %s or %s\n", cases[i].task, cases[i].mixer);
    return false;
}

static RunSpec resolve(int i)
{
    Value *v;
    RunSpec s;
    Err err = { 0 };
    const char *model = strstr(cases[i].text, "model:") ? "" : "model: {d_model: 8, layers: 1, channel_mixer: none}\n";
    const char *text = arena_printf(arena,
                                    "task: {name: %s, len: [2, 12]}\nmixer: {name: %s}\ndata: {valid: 32, test: 48}\n"
                                    "eval: {x2: {len: 24}}\n%s%s\n",
                                    cases[i].task, cases[i].mixer, model, cases[i].text);
    ck_assert_msg(yaml_parse("test", text, arena, &v, &err), "%s", err.msg);
    ck_assert_msg(run_resolve(v, arena, &s, &err), "%s", err.msg);
    return s;
}

static char *at(const char *dir, const char *name) { return path_join(arena, path_join(arena, folder, dir), name); }

static char *read_bytes(const char *path, size_t *len)
{
    char *text;
    Err err = { 0 };
    ck_assert_msg(file_read(path, 1 << 26, arena, &text, len, &err), "%s", err.msg);
    return text;
}

static void write_bytes(const char *path, const char *data, size_t len)
{
    Err err = { 0 };
    ck_assert_msg(file_write_atomic(path, data, len, &err), "%s", err.msg);
}

/* A run in folder/dir; the status it ends with. */
static const char *run(const RunSpec *s, const char *dir, double max_seconds, const RunHooks *hooks)
{
    Err err = { 0 };
    ck_assert_msg(run_execute(s, path_join(arena, folder, dir), max_seconds, hooks, &err), "%s", err.msg);
    char *status = read_bytes(at(dir, "status"), NULL);
    status[strcspn(status, "\n")] = 0;
    return status;
}

static void assert_same(const char *a, const char *b)
{
    for (int i = 0; i < SAME; i++) {
        size_t n[2];
        const char *x = read_bytes(at(a, same[i]), &n[0]), *y = read_bytes(at(b, same[i]), &n[1]);
        ck_assert_msg(n[0] == n[1] && !memcmp(x, y, n[0]), "%s of %s and %s differ", same[i], a, b);
    }
    ck_assert(!file_exists(at(b, "checkpoint.bin")));
}

/* ---- stopping --------------------------------------------------------------------------------------------------- */

static volatile int stop_now;
static int stop_step;

static void stop_at_step(void *self, const RunProgress *p)
{
    (void)self;
    if (p->step == stop_step) stop_now = 1;
}

/* Stops at a step right after a validation there; 1e9: no checkpoint but that of the end. */
static const RunHooks stopping = { .progress = stop_at_step, .stop = &stop_now, .checkpoint_seconds = 1e9 };

START_TEST(ninety_and_a_hundred_and_ten)
{
    if (!built(_i)) return;
    RunSpec s = resolve(_i);
    ck_assert_str_eq(run(&s, "whole", 0, NULL), "ok");
    stop_step = _i == 3 ? 100 : _i == 1 ? 91 : 90; /* a multiple of eval_every */
    stop_now = 0;
    ck_assert_str_eq(run(&s, "parts", 0, &stopping), "interrupted");
    ck_assert(file_exists(at("parts", "checkpoint.bin")));
    stop_step = -1;
    stop_now = 1; /* at once: nothing is lost, nothing is gained */
    ck_assert_str_eq(run(&s, "parts", 0, &stopping), "interrupted");
    Csv c;
    Err err = { 0 };
    ck_assert(csv_read(at("parts", "result.csv"), arena, &c, &err));
    ck_assert_str_eq(csv_get(&c, 0, "steps_done"), _i == 3 ? "100" : _i == 1 ? "91" : "90");
    stop_now = 0;
    ck_assert_str_eq(run(&s, "parts", 0, &stopping), "ok");
    assert_same("whole", "parts");
}
END_TEST

static void on_alarm(int sig)
{
    (void)sig;
    stop_now = 1;
}

/* Stopped at any moment: in a step, in a validation, in the test sets. */
START_TEST(stopped_anywhere)
{
    if (!built(_i)) return;
    RunSpec s = resolve(_i);
    ck_assert_str_eq(run(&s, "whole", 0, NULL), "ok");
    struct sigaction alarm = { .sa_handler = on_alarm };
    sigaction(SIGALRM, &alarm, NULL);
    Rng rng = rng_seed(1, (uint64_t)_i);
    const RunHooks hooks = { .stop = &stop_now, .checkpoint_seconds = 1e9 };
    int stops = 0;
    for (const char *status = ""; strcmp(status, "ok") != 0; stops++) {
        stop_now = 0;
        int us = stops < 20 ? 200 + (int)rng_below(&rng, 20000) : 1000000;
        ck_assert_int_lt(stops, 80);
        setitimer(ITIMER_REAL, &(struct itimerval){ .it_value = { us / 1000000, us % 1000000 } }, NULL);
        status = run(&s, "parts", 0, &hooks);
        setitimer(ITIMER_REAL, &(struct itimerval){ 0 }, NULL);
    }
    assert_same("whole", "parts");
}
END_TEST

/* Killed at any moment by a signal that nobody can catch. */
START_TEST(killed_anywhere)
{
    if (!built(_i)) return;
    RunSpec s = resolve(_i);
    ck_assert_str_eq(run(&s, "whole", 0, NULL), "ok");
    Rng rng = rng_seed(2, (uint64_t)_i);
    const RunHooks hooks = { .checkpoint_seconds = 2e-3 };
    int status = 1;
    for (int kills = 0; status != 0; kills++) {
        ck_assert_int_lt(kills, 40);
        fflush(NULL);
        pid_t pid = fork();
        if (pid == 0) _exit(run_execute(&s, path_join(arena, folder, "parts"), 0, &hooks, NULL) ? 0 : 1);
        int ms = kills < 8 ? 2 + (int)rng_below(&rng, 40) : 100000;
        while (waitpid(pid, &status, WNOHANG) == 0) {
            if (ms-- == 0) kill(pid, SIGKILL);
            poll(NULL, 0, 1);
        }
        ck_assert(WIFSIGNALED(status) || WEXITSTATUS(status) == 0);
    }
    assert_same("whole", "parts");
    ck_assert(!file_exists(at("parts", "checkpoint.bad")));
    ck_assert_int_eq(system(arena_printf(arena, "! ls '%s/parts' | grep -q tmp", folder)), 0);
}
END_TEST

START_TEST(time_adds_up)
{
    if (!built(0)) return;
    RunSpec s = resolve(0);
    ck_assert_str_eq(run(&s, "whole", 0, NULL), "ok");
    ck_assert_str_eq(run(&s, "parts", 1e-3, NULL), "timeout");
    ck_assert(file_exists(at("parts", "checkpoint.bin")));
    const char *before = read_bytes(at("parts", "result.csv"), NULL);
    ck_assert_str_eq(run(&s, "parts", 1e-3, NULL), "timeout"); /* the first attempt has used it up */
    ck_assert_str_eq(read_bytes(at("parts", "result.csv"), NULL), before);
    ck_assert_str_eq(run(&s, "parts", 1000, NULL), "ok");
    assert_same("whole", "parts");
}
END_TEST

START_TEST(divergence_comes_back)
{
    if (!built(0)) return;
    RunSpec s = resolve(0);
    s.train.lr = 1e30;
    s.train.warmup = 1;
    ck_assert_str_eq(run(&s, "whole", 0, NULL), "diverged");
    stop_now = 0;
    s.train.steps = 1 << 20; /* the rate rises more slowly: some steps come before the end */
    ck_assert_str_eq(run(&s, "whole", 0, NULL), "diverged");
    stop_step = 10;
    const char *first = run(&s, "parts", 0, &stopping);
    if (!strcmp(first, "interrupted")) {
        stop_step = -1;
        stop_now = 0;
        ck_assert_str_eq(run(&s, "parts", 0, &stopping), "diverged");
    }
    assert_same("whole", "parts");
}
END_TEST

/* ---- damage ----------------------------------------------------------------------------------------------------- */

/* A run that was stopped at step 90 (anew at each call), and one that was not. */
static RunSpec stopped(void)
{
    RunSpec s = resolve(0);
    if (!file_exists(at("whole", "status"))) {
        ck_assert_str_eq(run(&s, "whole", 0, NULL), "ok");
        stop_step = 90;
        stop_now = 0;
        ck_assert_str_eq(run(&s, "stopped", 0, &stopping), "interrupted");
    }
    ck_assert_int_eq(system(arena_printf(arena, "cd '%s'; rm -rf parts; cp -r stopped parts", folder)), 0);
    stop_now = 0;
    stop_step = -1;
    return s;
}

/* Run what is in folder/parts to its end; the messages. */
static const char *finish(const RunSpec *s)
{
    fflush(stderr);
    ck_assert_ptr_nonnull(freopen(path_join(arena, folder, "stderr"), "w", stderr));
    ck_assert_str_eq(run(s, "parts", 0, &stopping), "ok");
    fflush(stderr);
    assert_same("whole", "parts");
    return read_bytes(path_join(arena, folder, "stderr"), NULL);
}

START_TEST(curve_is_made_whole)
{
    static const char torn[] = "\n200,1,2";
    if (!built(0)) return;
    for (int k = 0; k < 4; k++) {
        RunSpec s = stopped();
        size_t n;
        char *curve = read_bytes(at("parts", "curve.csv"), &n);
        if (k == 0)
            write_bytes(at("parts", "curve.csv"), arena_printf(arena, "%s100,1,1,1,1,1,1,1%s", curve, torn),
                        n + 16 + sizeof torn - 1);
        if (k == 1) write_bytes(at("parts", "curve.csv"), curve, n - 20);
        if (k == 2) write_bytes(at("parts", "curve.csv"), "", 0);
        if (k == 3) ck_assert_int_eq(unlink(at("parts", "curve.csv")), 0);
        ck_assert_str_eq(finish(&s), arena_printf(arena, "seqprobe: note: %s: resumed at step 90 of 200\n", s.id));
    }
}
END_TEST

/* Offsets of fields: magic 0, version 8, length 16, id 24, epoch 40, bits 48, build 56, parameters 64. */
START_TEST(damaged_files_start_anew)
{
    static const struct {
        const char *what, *said;
        int at, value;
        bool hashed; /* with a checksum that fits */
    } damage[] = {
        { "magic", "not a checkpoint", 0, 'x', true },
        { "version", "format 2, this program reads 1", 8, 2, true },
        { "run id", "of run r", 25, 'z', true },
        { "epoch", "numbers epoch is 77, expected 1..1", 40, 77, true },
        { "precision", "bits of a weight is 64, expected 32..32", 48, 64, true },
        { "parameters", "number of parameters is ", 64, 1, true },
        { "step", "step is 201, expected 0..200", 72, 201, true },
        { "a weight", "damaged: the checksum does not match", -100, 1, false },
        { "the checksum", "damaged: the checksum does not match", -1, 1, false },
        { "empty", "only 0 bytes", 0, -1, false },
        { "cut", "5000 bytes, written were ", 5000, -1, false },
        { "another build", NULL, 56, 1, true },
    };
    if (!built(0)) return;
    for (size_t k = 0; k < sizeof damage / sizeof *damage; k++) {
        RunSpec s = stopped();
        size_t n;
        char *data = read_bytes(at("parts", "checkpoint.bin"), &n), *copy = ARENA_RAW(arena, char, n);
        memcpy(copy, data, n);
        if (damage[k].value < 0)
            n = (size_t)damage[k].at;
        else
            copy[damage[k].at < 0 ? (int)n + damage[k].at : damage[k].at] ^=
                damage[k].hashed ? (char)(copy[damage[k].at] ^ damage[k].value) : (char)damage[k].value;
        if (damage[k].hashed) {
            uint64_t hash = hash_bytes(copy, n - 8, 1);
            memcpy(copy + n - 8, &hash, 8);
        }
        write_bytes(at("parts", "checkpoint.bin"), copy, n);
        const char *said = finish(&s);
        if (damage[k].said) {
            const char *want =
                arena_printf(arena, "seqprobe: warning: %s: %s", at("parts", "checkpoint.bin"), damage[k].said);
            ck_assert_msg(!strncmp(said, want, strlen(want)), "%s: %s", damage[k].what, said);
            ck_assert_msg(strstr(said, "; kept as checkpoint.bad, training begins at step 0\n") != NULL, "%s", said);
            ck_assert_ptr_eq(strchr(said, '\n'), said + strlen(said) - 1); /* one line */
            size_t bad;
            ck_assert_mem_eq(read_bytes(at("parts", "checkpoint.bad"), &bad), copy, n);
            ck_assert_uint_eq(bad, n);
        } else {
            ck_assert_ptr_nonnull(strstr(said, "another build; numbers may differ in rounding\n"));
            ck_assert_ptr_nonnull(strstr(said, "resumed at step 90"));
        }
    }
}
END_TEST

START_TEST(a_folder_in_its_place)
{
    if (!built(0)) return;
    RunSpec s = stopped();
    ck_assert_int_eq(unlink(at("parts", "checkpoint.bin")), 0);
    ck_assert_int_eq(mkdir(at("parts", "checkpoint.bin"), 0777), 0);
    const char *said = finish(&s);
    ck_assert_msg(strstr(said, "checkpoint.bin: Is a directory; kept as checkpoint.bad") != NULL, "%s", said);
}
END_TEST

/* The checkpoint of another seed, task or size, with its own name on it. */
START_TEST(foreign_checkpoints_start_anew)
{
    if (!built(0)) return;
    RunSpec s = stopped(), other = resolve(0);
    ck_assert_str_ne(other.id, "");
    memcpy(other.id + 1, "0123456789ab", 12);
    other.seed++;
    const char *said;
    stop_step = 90;
    ck_assert_str_eq(run(&other, "other", 0, &stopping), "interrupted");
    stop_now = 0;
    stop_step = -1;
    ck_assert_int_eq(rename(at("other", "checkpoint.bin"), at("parts", "checkpoint.bin")), 0);
    said = finish(&s);
    ck_assert_msg(strstr(said, arena_printf(arena, "of run r0123456789ab, this is %s;", s.id)) != NULL, "%s", said);
}
END_TEST

/* ---- bytes ------------------------------------------------------------------------------------------------------ */

static Checkpoint keep;

static char *stopped_bytes(RunSpec *s, size_t *n)
{
    *s = stopped();
    Model m;
    Err err = { 0 };
    ck_assert(model_build(&m, s, arena, &err));
    checkpoint_none(&keep, s, params_count(m.params));
    return read_bytes(at("parts", "checkpoint.bin"), n);
}

START_TEST(bytes_round_trip)
{
    if (!built(0)) return;
    RunSpec s;
    Model m;
    AdamW opt;
    Err err = { 0 };
    size_t n, again;
    const char *data = stopped_bytes(&s, &n);
    ck_assert_msg(checkpoint_decode(&keep, data, n, &err), "%s", err.msg);
    ck_assert_int_eq(keep.state.out.steps_done, 90);
    ck_assert_int_eq(keep.adam_t, 90);
    ck_assert_int_eq(keep.state.out.valid_score.examples, 32);
    ck_assert_double_eq(keep.state.out.tokens > 0, 1);
    ck_assert_double_eq_tol(keep.adam_beta[0], pow(s.train.beta1, 90), 1e-12);
    ck_assert(model_build(&m, &s, arena, &err));
    adamw_init(&opt, params_count(m.params), s.train.beta1, s.train.beta2, s.train.eps, arena);
    checkpoint_restore(&keep, m.params, &opt);
    ck_assert_mem_eq(params_values(m.params), keep.weights, params_count(m.params) * sizeof(real));
    keep.wall -= wall_seconds() - keep.began; /* all but the time is as it was */
    const char *copy = checkpoint_encode(&keep, m.params, &opt, arena, &again);
    ck_assert_uint_eq(n, again);
    size_t differ = 0;
    for (size_t i = 0; i < n - 8; i++) differ += data[i] != copy[i];
    ck_assert_uint_le(differ, 16);
    checkpoint_free(&keep);
}
END_TEST

/* Every truncation and many flipped bits are refused; with a fitting checksum they may pass but do no harm. */
START_TEST(no_file_does_harm)
{
    if (!built(0)) return;
    RunSpec s;
    size_t n;
    const char *data = stopped_bytes(&s, &n);
    size_t mark = arena_mark(keep.arena), here = arena_mark(arena);
    int passed = 0, refused = 0;
    for (size_t len = 0; len < n; len += len < 3000 ? 1 : 101) {
        char *copy = ARENA_RAW(arena, char, len + 1); /* the sanitizer sees any byte read beyond */
        Err err = { 0 };
        memcpy(copy, data, len);
        ck_assert(!checkpoint_decode(&keep, copy, len, &err));
        ck_assert_int_eq(err.code, EXIT_FAILED);
        arena_reset(keep.arena, mark);
        arena_reset(arena, here);
    }
    char *copy = ARENA_RAW(arena, char, n);
    for (size_t bit = 0; bit < 8 * n; bit += bit < 8 * 3000 ? 1 : 997) {
        for (int hashed = 0; hashed < 2; hashed++) {
            Err err = { 0 };
            memcpy(copy, data, n);
            copy[bit / 8] = (char)(copy[bit / 8] ^ (1 << bit % 8));
            uint64_t hash = hash_bytes(copy, n - 8, 1);
            if (hashed) memcpy(copy + n - 8, &hash, 8);
            Checkpoint before = keep;
            bool ok = checkpoint_decode(&keep, copy, n, &err);
            if (!hashed) ck_assert_msg(!ok, "bit %zu passed", bit);
            if (!ok) ck_assert_int_eq(memcmp(&before, &keep, sizeof keep), 0);
            passed += ok;
            refused += !ok;
            keep = before;
            arena_reset(keep.arena, mark);
        }
    }
    ck_assert_int_gt(passed, 100); /* weights, say */
    ck_assert_int_gt(refused, 20000);
    checkpoint_free(&keep);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("checkpoint");
    TCase *t = tcase_create("checkpoint");
    real_setup();
    gemm_setup();
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_set_timeout(t, 300);
    tcase_add_loop_test(t, ninety_and_a_hundred_and_ten, 0, CASES);
    tcase_add_loop_test(t, stopped_anywhere, 0, 3);
    tcase_add_loop_test(t, killed_anywhere, 0, 3);
    tcase_add_test(t, time_adds_up);
    tcase_add_test(t, divergence_comes_back);
    tcase_add_test(t, curve_is_made_whole);
    tcase_add_test(t, damaged_files_start_anew);
    tcase_add_test(t, a_folder_in_its_place);
    tcase_add_test(t, foreign_checkpoints_start_anew);
    tcase_add_test(t, bytes_round_trip);
    tcase_add_test(t, no_file_does_harm);
    suite_add_tcase(s, t);
    return suite_run(s);
}
