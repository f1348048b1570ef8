/* SPDX-License-Identifier: Apache-2.0
 * test_pool.c - workers that succeed, diverge, crash, fail, meet a lock or are stopped; each is a shell script.
 */
#include <check.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/suite.h"
#include "sweep/pool.h"

static Arena *arena;
static char folder[] = "/tmp/test_pool.XXXXXX";
static Plan plan;
static Pool pool;
static PoolEnd end;
static Err err;

/* What the seed of the run asks for. */
static const char worker[] =
    "#!/bin/sh\n"
    "[ \"$1 $2\" = 'run --dir' ] && [ \"$OPENBLAS_NUM_THREADS\" = 1 ] || exit 9\n"
    "cd \"$3\" || exit 9\n"
    "echo x >> started\n"
    "seed=$(sed -n 's/^seed: //p' config.yaml)\n"
    "done_as() { printf 'run_id,status,test_headline\\nr,%s,0.5\\n' $1 > result.csv; echo $1 > status; }\n"
    "[ $seed -gt 100 ] && seed=9\n"
    "case $seed in\n"
    "1) done_as ok;;\n"
    "2) done_as diverged;;\n"
    "3) echo running > status; kill -9 $$;;\n"
    "4) echo noise; echo 'seqprobe: error: no such thing' >&2; echo failed > status; exit 1;;\n"
    "5) printf 'progress 10 20 0.5 0.7 1000 3\\ngarbage\\n' >/dev/fd/$SEQPROBE_PROGRESS_FD; done_as ok;;\n"
    "6) exit 0;;\n"
    "7) echo timeout > status; exit 1;;\n"
    "8) trap 'echo interrupted > status; exit 143' TERM\n"
    "   echo running > status; kill -TERM $PPID; sleep 20 & wait;;\n"
    "9) sleep 0.2; done_as ok;;\n"
    "10) trap 'echo interrupted > status; exit 75' USR1; kill -USR1 $PPID; kill -USR1 $PPID; sleep 20 & wait;;\n"
    "11) trap 'echo interrupted > status; exit 143' TERM; kill -HUP $PPID; sleep 20 & wait;;\n"
    "12) trap '' TERM; kill -TERM $PPID; sleep 0.5; kill -INT $PPID; sleep 20;;\n"
    "13) trap '' TERM; echo \"$4 $5\"; echo running > status; sleep 20;;\n"
    "14) trap 'echo interrupted > status; exit 143' TERM; sleep 20 & wait;;\n"
    "15) trap 'kill -TERM $PPID' USR1; trap 'echo interrupted > status; exit 143' TERM\n"
    "    kill -USR1 $PPID; while :; do sleep 20 & wait; done;;\n"
    "esac\n";

static void setup(void)
{
    arena = arena_new("test");
    strcpy(strrchr(folder, '.'), ".XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    err = (Err){ 0 };
}

static void teardown(void)
{
    ck_assert_int_eq(system(arena_printf(arena, "rm -r '%s'", folder)), 0);
    arena_free(arena);
}

/* Plan one run per seed; the pool's lines on stderr go to a file. */
static void open_pool(const char *seeds, int jobs)
{
    char *config = path_join(arena, folder, "p.yaml"), *program = path_join(arena, folder, "worker");
    char *text = arena_printf(arena, "task: parity\nmixer: lstm\nsweep: {seed: [%s]}\n", seeds);
    ck_assert(file_write_atomic(config, text, strlen(text), &err));
    ck_assert(file_write_atomic(program, worker, strlen(worker), &err));
    ck_assert_int_eq(chmod(program, 0755), 0);
    ck_assert_msg(plan_read(config, 0, NULL, arena, &plan, &err), "%s", err.msg);
    pool = (Pool){ .results = folder, .program = program, .jobs = jobs };
    pool_open(&pool, &plan, arena);
    ck_assert_ptr_nonnull(freopen(path_join(arena, folder, "stderr"), "w", stderr));
}

static char *said(void)
{
    char *text;
    fflush(stderr);
    ck_assert(file_read(path_join(arena, folder, "stderr"), 1 << 16, arena, &text, NULL, &err));
    return arena_strdup(arena, text);
}

static int starts(int k)
{
    struct stat st;
    return stat(arena_printf(arena, "%s/started", run_dir(arena, folder, pool.run[k].row->id)), &st)
               ? 0
               : (int)st.st_size / 2;
}

static const char *message_of(int k)
{
    Csv csv;
    ck_assert_msg(csv_read(arena_printf(arena, "%s/result.csv", run_dir(arena, folder, pool.run[k].row->id)), arena,
                           &csv, &err),
                  "%s", err.msg);
    return csv_get(&csv, 0, "message");
}

START_TEST(all_ends)
{
    static const RunState want[] = { RUN_OK, RUN_DIVERGED, RUN_FAILED, RUN_FAILED, RUN_OK, RUN_FAILED, RUN_TIMEOUT };
    open_pool("1, 2, 3, 4, 5, 6, 7", 2 + 2 * _i);
    ck_assert_msg(pool_run(&pool, &end, &err), "%s", err.msg);
    for (int k = 0; k < 7; k++) {
        ck_assert_msg(pool.run[k].state == want[k], "run %d is %s", k, run_state_name(pool.run[k].state));
        ck_assert(pool.run[k].ended && !pool.run[k].active && !pool.run[k].skipped);
        ck_assert_int_eq(starts(k), 1);
        ck_assert_int_eq(run_state(run_dir(arena, folder, pool.run[k].row->id)), want[k]);
    }
    ck_assert_str_eq(message_of(2), "killed by signal 9 (Killed)");
    ck_assert_str_eq(message_of(3), "no such thing");
    ck_assert_str_eq(message_of(5), "ended with exit code 0 and no message");
    ck_assert_int_eq(end.signal, 0);
    const char *text = said();
    ck_assert_ptr_nonnull(strstr(text, "failed  parity lstm seed=4"));
    ck_assert_ptr_nonnull(strstr(text, "no such thing ("));
    ck_assert_ptr_nonnull(strstr(text, "ok  parity lstm seed=1  acc 0.500"));
    ck_assert(!strchr(text, '\033'));
    /* again: what is finished stays, the rest is tried once more */
    pool_open(&pool, &plan, arena);
    ck_assert(pool.run[0].skipped && pool.run[1].skipped && !pool.run[2].skipped);
    ck_assert(pool_run(&pool, &end, &err));
    for (int k = 0; k < 7; k++) ck_assert_int_eq(starts(k), want[k] == RUN_OK || want[k] == RUN_DIVERGED ? 1 : 2);
}
END_TEST

START_TEST(fail_fast)
{
    open_pool("1, 4, 9, 5, 2", 1);
    pool.fail_fast = true;
    ck_assert(pool_run(&pool, &end, &err));
    ck_assert(end.gave_up);
    ck_assert_int_eq(pool.run[0].state, RUN_OK);
    ck_assert_int_eq(pool.run[1].state, RUN_FAILED);
    for (int k = 2; k < 5; k++) ck_assert_int_eq(starts(k), 0);
}
END_TEST

START_TEST(stops_on_signal)
{
    open_pool("1, 8, 2", 1);
    double t = clock_seconds();
    ck_assert(pool_run(&pool, &end, &err));
    ck_assert_int_eq(end.signal, SIGTERM);
    ck_assert_double_lt(clock_seconds() - t, 10);
    ck_assert_int_eq(pool.run[0].state, RUN_OK);
    ck_assert_int_eq(pool.run[1].state, RUN_INTERRUPTED);
    ck_assert_int_eq(starts(2), 0);
    ck_assert_ptr_nonnull(strstr(said(), "terminated: stopping 1 running"));
}
END_TEST

START_TEST(other_signals)
{
    static const struct {
        const char *seeds;
        int signal;
        const char *said;
    } cases[] = {
        { "10, 2", SIGUSR1, "asked to continue later: stopping 1 running" },
        { "11, 2", SIGHUP, "terminated: stopping 1 running" },
        { "12, 2", SIGTERM, "terminated: stopping 1 running" }, /* does not obey: a second signal kills it */
        { "15, 2", SIGTERM, "asked to continue later: stopping 1 running" }, /* a graceful one after SIGUSR1 */
    };
    double t = clock_seconds();
    open_pool(cases[_i].seeds, 1);
    ck_assert(pool_run(&pool, &end, &err));
    ck_assert_int_eq(end.signal, cases[_i].signal);
    ck_assert_double_lt(clock_seconds() - t, 15);
    ck_assert_int_eq(pool.run[0].state, RUN_INTERRUPTED);
    ck_assert_int_eq(starts(1), 0);
    ck_assert_ptr_nonnull(strstr(said(), cases[_i].said));
}
END_TEST

/* Nobody reads what the sweep says: it ends after what runs, and what was finished stays. */
START_TEST(broken_pipe)
{
    int fd[2], keep = dup(2);
    open_pool("1, 9, 2", 1);
    ck_assert_int_eq(pipe(fd), 0);
    close(fd[0]);
    dup2(fd[1], 2);
    bool ok = pool_run(&pool, &end, &err);
    dup2(keep, 2);
    ck_assert(ok);
    ck_assert_int_eq(end.signal, SIGPIPE);
    ck_assert_int_eq(pool.run[0].state, RUN_OK);
    ck_assert_int_eq(starts(2), 0);
}
END_TEST

START_TEST(run_limits)
{
    open_pool("13, 14, 1", 1);
    pool.run_seconds = 0.1;
    pool.grace = 0.4;
    ck_assert(pool_run(&pool, &end, &err));
    for (int k = 0; k < 2; k++) {
        ck_assert_int_eq(pool.run[k].state, RUN_TIMEOUT);
        ck_assert_int_eq(run_state(run_dir(arena, folder, pool.run[k].row->id)), RUN_TIMEOUT);
        ck_assert_str_eq(message_of(k), "did not end within its time limit of 0.1 s");
    }
    ck_assert_int_eq(pool.run[2].state, RUN_OK);
    ck_assert_str_eq(run_log_message(arena, run_dir(arena, folder, pool.run[0].row->id)), "--max-seconds 0.100");
    pool_open(&pool, &plan, arena); /* tried again by the next sweep */
    ck_assert(!pool.run[0].ended && pool.run[0].state == RUN_TIMEOUT && pool.run[2].ended);
}
END_TEST

START_TEST(forecasts)
{
    open_pool("1, 2, 3, 4, 5, 6", 1);
    double rest[2] = { 3, 0.5 };
    Forecast f = pool_forecast(&pool, 2, rest, 0, 1, (double)NAN, 10, arena);
    ck_assert(isnan(f.seconds)); /* nothing is known */
    f = pool_forecast(&pool, 2, rest, 0, 1, 4, 8, arena);
    ck_assert_double_eq(f.seconds, 12); /* three rounds of two */
    ck_assert_int_eq(f.within, 4);
    pool.run[0].ended = pool.run[1].ended = true;
    pool.run[0].seconds = 1;
    pool.run[1].seconds = 3;
    pool.run[0].wall = 2;
    pool.run[1].wall = 8;
    ck_assert_double_eq(cost_factor(&pool), 1);
    cost_add(&pool, &pool.run[0]);
    cost_add(&pool, &pool.run[1]);
    ck_assert_double_eq(cost_expected(&pool, &pool.run[2]), 2);
    ck_assert_double_eq(cost_factor(&pool), 2.5);
    f = pool_forecast(&pool, 2, NULL, 0, 1.5, (double)NAN, 5, arena);
    ck_assert_double_eq(f.seconds, 6);
    ck_assert_int_eq(f.within, 2);
    pool.run[2].active = pool.run[3].active =
        true; /* ends at 3 and 0.5; the others at 0.5 + 2, then 3 + 2 or 2.5 + 2 */
    f = pool_forecast(&pool, 2, rest, 2, 1, (double)NAN, 2.5, arena);
    ck_assert_double_eq(f.seconds, 4.5);
    ck_assert_int_eq(f.within, 2);
    rest[0] = -1; /* overdue counts as about to end */
    ck_assert_double_eq(pool_forecast(&pool, 2, rest, 2, 1, (double)NAN, 0, arena).seconds, 2.5);
    rest[0] = (double)NAN;
    ck_assert(isnan(pool_forecast(&pool, 2, rest, 2, 1, (double)NAN, 0, arena).seconds));
}
END_TEST

/* Costs are those of like runs, from the nearest kind that has finished. */
START_TEST(like_runs)
{
    open_pool("1, 2, 3, 4, 5", 1);
    static const char *const names[5][2] = { { "a", "x" }, { "a", "y" }, { "b", "x" }, { "b", "z" }, { "a", "x" } };
    for (int k = 0; k < 5; k++) {
        plan.row[k].case_label = names[k][0];
        plan.row[k].mixer_label = names[k][1];
    }
    pool_open(&pool, &plan, arena);
    for (int k = 0; k < 3; k++) {
        pool.run[k].wall = pool.run[k].seconds = k == 0 ? 1 : k == 1 ? 2 : 6;
        cost_add(&pool, &pool.run[k]);
    }
    ck_assert_double_eq(cost_expected(&pool, &pool.run[4]), 1); /* case a, mixer x */
    ck_assert_double_eq(cost_expected(&pool, &pool.run[3]), 3); /* any */
    plan.row[3].mixer_label = "x";
    plan.row[3].case_label = "c";
    pool_open(&pool, &plan, arena);
    for (int k = 0; k < 3; k++) {
        pool.run[k].wall = pool.run[k].seconds = k == 0 ? 1 : k == 1 ? 2 : 6;
        cost_add(&pool, &pool.run[k]);
    }
    ck_assert_double_eq(cost_expected(&pool, &pool.run[3]), 3.5); /* mixer x */
}
END_TEST

/* Forty runs of a fifth of a second do not fit into three seconds; that is said once, before they are over. */
START_TEST(limit_forecast)
{
    char seeds[400] = "9";
    for (int i = 0; i < 40; i++) sprintf(seeds + strlen(seeds), ", %d", 109 + 100 * i);
    open_pool(seeds, 1);
    pool.max_seconds = 3;
    ck_assert(pool_run(&pool, &end, &err));
    ck_assert(end.out_of_time);
    const char *text = said(), *note = strstr(text, "note: forecast ");
    ck_assert_msg(note && strstr(note, " s for 41 runs exceeds --max-hours 0.000833333: about "), "%s", text);
    ck_assert_ptr_nonnull(strstr(note, " runs will be done; the same command resumes\n"));
    ck_assert_ptr_null(strstr(note + 1, "note: "));
}
END_TEST

START_TEST(max_seconds)
{
    open_pool("9, 1", 1);
    pool.max_seconds = 1e-3;
    ck_assert(pool_run(&pool, &end, &err));
    ck_assert(end.out_of_time);
    ck_assert_int_eq(pool.run[0].state, RUN_INTERRUPTED); /* killed by our SIGTERM before it wrote anything */
    ck_assert_int_eq(starts(1), 0);
}
END_TEST

/* Every distinct run is in exactly one shard, whatever repeats. */
START_TEST(shards)
{
    open_pool("1, 2, 3, 4, 5, 6, 7", 1);
    PlanRow *row = ARENA_NEW(arena, PlanRow, 9);
    for (int i = 0; i < 9; i++) row[i] = plan.row[i < 3 ? i : i == 3 ? 1 : i == 8 ? 0 : i - 1];
    plan.row = row; /* 1 2 3 2 4 5 6 7 1 */
    plan.rows = 9;
    static const int want[] = { 0, 1, 2, 1, 3, 4, 5, 6, 0 };
    int distinct, *index = plan_run_index(&plan, arena, &distinct);
    ck_assert_int_eq(distinct, 7);
    for (int i = 0; i < 9; i++) ck_assert_int_eq(index[i], want[i]);
    for (int n = 1; n <= 8; n++) {
        int seen[8] = { 0 };
        for (int i = 0; i < n; i++) {
            pool.shard = i;
            pool.shards = n;
            pool_open(&pool, &plan, arena);
            for (int k = 0; k < pool.n; k++) {
                seen[pool.run[k].row->seed]++;
                ck_assert_int_eq((int)(pool.run[k].row->seed - 1) % n, i);
            }
        }
        for (int k = 1; k <= 7; k++) ck_assert_int_eq(seen[k], 1);
    }
}
END_TEST

START_TEST(locks)
{
    open_pool("1, 2", 2);
    const char *dir = run_dir(arena, folder, pool.run[0].row->id);
    int fd = run_lock(dir, 600, NULL, &err);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(run_lock(dir, 600, NULL, &err), -1);
    pid_t pid = fork();
    if (pid == 0) { /* the other sweep: holds the lock for a second, then finishes the run */
        sleep(1);
        bool ok = file_write_atomic(path_join(arena, dir, "result.csv"), "run_id,status\nr,ok\n", 19, NULL) &&
                  file_write_atomic(path_join(arena, dir, "status"), "ok\n", 3, NULL);
        _exit(ok ? 0 : 1);
    }
    close(fd);
    ck_assert(pool_run(&pool, &end, &err));
    ck_assert_int_eq(pool.run[0].state, RUN_OK);
    ck_assert(pool.run[0].skipped);
    ck_assert_int_eq(starts(0), 0);
    ck_assert_int_eq(starts(1), 1);
}
END_TEST

START_TEST(states)
{
    char *dir = path_join(arena, folder, "r");
    ck_assert_int_eq(run_state(dir), RUN_NEW);
    ck_assert(dir_make(dir, &err));
    ck_assert_int_eq(run_state(dir), RUN_NEW);
    char *status = path_join(arena, dir, "status");
    ck_assert(file_write_atomic(status, "ok\n", 3, &err));
    ck_assert_int_eq(run_state(dir), RUN_INTERRUPTED); /* without result.csv */
    ck_assert(file_write_atomic(path_join(arena, dir, "result.csv"), "a\n1\n", 4, &err));
    ck_assert_int_eq(run_state(dir), RUN_OK);
    ck_assert(file_write_atomic(status, "o", 1, &err));
    ck_assert_int_eq(run_state(dir), RUN_FAILED);
    ck_assert_str_eq(run_log_message(arena, dir), "");
    char *log = path_join(arena, dir, "log.txt");
    ck_assert(file_write_atomic(log, "one\ntwo\n\n", 9, &err));
    ck_assert_str_eq(run_log_message(arena, dir), "two");
    ck_assert(file_write_atomic(log, "seqprobe: error: x\nafter", 24, &err));
    ck_assert_str_eq(run_log_message(arena, dir), "x");
    ck_assert(isnan(run_cpu_seconds(dir, NULL)));
}
END_TEST

START_TEST(durations)
{
    char buf[32];
    ck_assert_str_eq(duration_text(0.04, buf), "0.0 s");
    ck_assert_str_eq(duration_text(12.4, buf), "12 s");
    ck_assert_str_eq(duration_text(200, buf), "3 min 20 s");
    ck_assert_str_eq(duration_text(3720, buf), "1 h 02 min");
    ck_assert_str_eq(duration_text((double)NAN, buf), "?");
}
END_TEST

int main(void)
{
    Suite *s = suite_create("pool");
    TCase *c = tcase_create("pool");
    tcase_set_timeout(c, 60);
    tcase_add_checked_fixture(c, setup, teardown);
    tcase_add_test(c, states);
    tcase_add_test(c, durations);
    if (task_find("parity") && mixer_find("lstm")) {
        tcase_add_loop_test(c, all_ends, 0, 2);
        tcase_add_test(c, fail_fast);
        tcase_add_test(c, stops_on_signal);
        tcase_add_test(c, max_seconds);
        tcase_add_loop_test(c, other_signals, 0, 4);
        tcase_add_test(c, broken_pipe);
        tcase_add_test(c, run_limits);
        tcase_add_test(c, forecasts);
        tcase_add_test(c, like_runs);
        tcase_add_test(c, limit_forecast);
        tcase_add_test(c, shards);
        tcase_add_test(c, locks);
    } else {
        puts("skipped: the pool tests use parity and lstm; not built");
    }
    suite_add_tcase(s, c);
    return suite_run(s);
}
