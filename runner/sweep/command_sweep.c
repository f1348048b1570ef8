/* SPDX-License-Identifier: Apache-2.0
 * command_sweep.c - `seqprobe sweep`: plan, run what is missing, collect.
 *
 * results/NAME/plan.csv is written first. Exit code: 0, or 4 if a run failed or ran out of time, 75 if stopped to be
 * continued, 128 + signal.
 */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "sweep/pool.h"

/* Rows (of a shard) with the state of their run, to stdout. */
static void print_rows(const Plan *plan, const Pool *pool, Arena *a)
{
    int wide_case = 4, wide_mixer = 5, distinct;
    const int *index = plan_run_index(plan, a, &distinct);
    for (int i = 0; i < plan->rows; i++) {
        int n = (int)strlen(plan->row[i].case_label), m = (int)strlen(plan->row[i].mixer_label);
        if (n > wide_case) wide_case = n;
        if (m > wide_mixer) wide_mixer = m;
    }
    printf("%5s  %-13s  %-11s  %-*s  %-*s  seed", "row", "run", "status", wide_case, "case", wide_mixer, "mixer");
    for (int c = 0; c < plan->axes; c++) printf("  %s", plan->axis[c]);
    printf("\n");
    for (int i = 0; i < plan->rows; i++) {
        const PlanRow *r = &plan->row[i];
        if (pool->shards && index[i] % pool->shards != pool->shard) continue;
        printf("%5d  %-13s  %-11s  %-*s  %-*s  %4llu", r->row, r->id,
               run_state_name(run_state(run_dir(a, pool->results, r->id))), wide_case, r->case_label, wide_mixer,
               r->mixer_label, (unsigned long long)r->seed);
        for (int c = 0; c < plan->axes; c++) printf("  %*s", (int)strlen(plan->axis[c]), r->cell[c]);
        printf("\n");
    }
}

/* What is left to do, by what finished runs took; nothing if there are none. */
static void print_cost(const Pool *pool, Arena *a)
{
    char total[32], wall[32];
    double seconds = 0;
    for (int k = 0; k < pool->n; k++)
        if (!pool->run[k].ended) seconds += cost_expected(pool, &pool->run[k]);
    if (isnan(seconds)) return;
    const Forecast f = pool_forecast(pool, pool->jobs, NULL, 0, cost_factor(pool), (double)NAN, (double)INFINITY, a);
    printf("about %s of processor time, %s with -j %d, by what finished runs took\n", duration_text(seconds, total),
           duration_text(f.seconds, wall), pool->jobs);
}

static void print_dry(const Plan *plan, const Pool *pool, Arena *a)
{
    int finished = 0, retry = 0;
    for (int k = 0; k < pool->n; k++) {
        finished += pool->run[k].ended;
        retry += !pool->run[k].ended && pool->run[k].state != RUN_NEW;
    }
    printf("%s: %d rows, ", plan->name, plan->rows);
    if (pool->shards) printf("shard %d/%d has ", pool->shard, pool->shards);
    printf("%d run%s: %d finished, %d to do", pool->n, pool->n == 1 ? "" : "s", finished, pool->n - finished);
    printf(retry ? " (%d of them not for the first time)\n" : "\n", retry);
    if (finished < pool->n) print_cost(pool, a);
}

/* Failures once more, where they can be found after a long night. */
static void print_failures(const Pool *pool, const char *results, Arena *a)
{
    for (int k = 0; k < pool->n; k++) {
        const PoolRun *r = &pool->run[k];
        Csv csv = { 0 };
        if (r->state != RUN_FAILED && r->state != RUN_TIMEOUT) continue;
        const char *dir = run_dir(a, results, r->row->id), *path = path_join(a, dir, "result.csv");
        const char *message = csv_read(path, a, &csv, NULL) && csv.rows ? csv_get(&csv, 0, "message") : "";
        if (!*message && r->state == RUN_TIMEOUT) message = OUT_OF_TIME;
        printf("  %s  %s: %s (%s/log.txt)\n", run_state_name(r->state), r->label, message, dir);
    }
}

/* Count by state and print the last words; returns the exit code. */
static int summary(const Plan *plan, const Pool *pool, const PoolEnd *end, const char *results, Arena *a)
{
    int count[RUN_INTERRUPTED + 1] = { 0 }, skipped = 0, open = 0;
    char took[32];
    const char *separator = ": ";
    for (int k = 0; k < pool->n; k++) {
        count[pool->run[k].state] += pool->run[k].ended;
        skipped += pool->run[k].skipped;
        open += !pool->run[k].ended;
    }
    printf("%s: %d run%s", plan->name, pool->n, pool->n == 1 ? "" : "s");
    if (pool->shards) printf(" of shard %d/%d", pool->shard, pool->shards);
    for (int s = RUN_OK; s <= RUN_INTERRUPTED; s++) {
        if (!count[s]) continue;
        printf("%s%d %s", separator, count[s], run_state_name((RunState)s));
        separator = ", ";
    }
    if (open) printf("%s%d not run", separator, open);
    if (skipped) printf(" (%d finished before)", skipped);
    printf(", %s\n", duration_text(end->seconds, took));
    print_failures(pool, results, a);
    printf("%s/%s/{runs,metrics,selected}.csv\n", results, plan->name);
    if (end->signal == SIGUSR1) printf("stopped to be continued: the same command resumes\n");
    if (end->signal) return end->signal == SIGUSR1 ? EXIT_CONTINUE : 128 + end->signal;
    if (count[RUN_FAILED] + count[RUN_TIMEOUT]) return EXIT_SOME_FAILED;
    if (end->out_of_time || open || count[RUN_INTERRUPTED]) return EXIT_CONTINUE;
    printf("next: seqprobe table %s\n", plan->name);
    return EXIT_OK;
}

static void put_word(Buf *b, const char *word)
{
    buf_puts(b, " ");
    buf_shell(b, word);
}

char *command_line(const Cli *cli)
{
    Buf b = buf_new(cli->arena);
    buf_printf(&b, "seqprobe %s", cli->command->name);
    for (int i = 0; i < cli->n_args; i++) put_word(&b, cli->args[i]);
    for (int i = 0; i < cli->n_sets; i++) put_word(&b, cli->sets[i]);
    for (int i = 0; cli->command->flags[i].name; i++) {
        if (!cli->flag_text[i]) continue;
        buf_printf(&b, " --%s", cli->command->flags[i].name);
        if (cli->command->flags[i].kind != FLAG_BOOL) put_word(&b, cli->flag_text[i]);
    }
    return b.s;
}

static int read_jobs(Cli *cli, Err *err)
{
    int jobs = cli_int(cli, "jobs");
    if (jobs == 0) jobs = (int)sysconf(_SC_NPROCESSORS_ONLN);
    if (jobs < 1 || jobs > 512) {
        err_set(err, EXIT_USAGE, "--jobs %d: 1..512, or 0 for one per processor", jobs);
        return -1;
    }
    return jobs;
}

/* --shard I/N */
static bool read_shard(Cli *cli, Pool *pool, Err *err)
{
    char end;
    const char *text = cli_string(cli, "shard");
    if (!text) return true;
    if (text[strspn(text, "0123456789/")] || sscanf(text, "%6d/%6d%c", &pool->shard, &pool->shards, &end) != 2)
        return err_set(err, EXIT_USAGE, "--shard '%s': I/N expected, such as 0/4 for the first of four", text);
    if (pool->shards < 1 || pool->shard >= pool->shards)
        return err_set(err, EXIT_USAGE, "--shard %s: shards are counted from 0: 0 <= I < N", text);
    return true;
}

/* Shards of a sweep end in any order; one at a time reads and writes, so that the last one has seen every run. */
static bool collect_alone(const Plan *plan, const char *results, Arena *a, Err *err)
{
    int finished, fd = open(arena_printf(a, "%s/%s/lock", results, plan->name), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (fd >= 0)
        while (flock(fd, LOCK_EX) != 0 && errno == EINTR) {}
    bool ok = collect_results(plan, results, &finished, err);
    if (fd >= 0) close(fd);
    return ok;
}

static int sweep_command(Cli *cli, Err *err)
{
    Plan plan;
    Arena *a = cli->arena;
    const char *results = cli_string(cli, "results");
    if (cli->n_args != 1) {
        err_set(err, EXIT_USAGE, "sweep: one config expected");
        return EXIT_USAGE;
    }
    static const char *const times[] = { "max-hours", "run-seconds", "lock-timeout" };
    for (int i = 0; i < 3; i++)
        if (cli_real(cli, times[i]) < 0) {
            err_set(err, EXIT_USAGE, "--%s: cannot be negative", times[i]);
            return EXIT_USAGE;
        }
    Pool pool = { .results = results,
                  .program = "/proc/self/exe",
                  .command = command_line(cli),
                  .jobs = read_jobs(cli, err),
                  .fail_fast = cli_bool(cli, "fail-fast"),
                  .lock_timeout = cli_real(cli, "lock-timeout"),
                  .max_seconds = 3600 * cli_real(cli, "max-hours") };
    if (pool.jobs < 0 || !read_shard(cli, &pool, err)) return EXIT_USAGE;
    if (!plan_read(cli->args[0], cli->n_sets, cli->sets, a, &plan, err)) return EXIT_USAGE;
    if (plan.notes) fputs(plan.notes, stderr);
    pool.run_seconds = cli_given(cli, "run-seconds") ? cli_real(cli, "run-seconds") : plan.run_seconds;
    pool.grace = pool.run_seconds + 60; /* for the measurements after training */
    if (cli_bool(cli, "list")) {
        print_rows(&plan, &pool, a);
        return EXIT_OK;
    }
    pool_open(&pool, &plan, a);
    if (cli_bool(cli, "dry-run")) {
        print_dry(&plan, &pool, a);
        return EXIT_OK;
    }
    PoolEnd end;
    int left = 0;
    for (int k = 0; k < pool.n; k++) left += !pool.run[k].ended;
    if (left && !term_is_tty(2)) /* a terminal shows more, and at once */
        fprintf(stderr, "%s: %d of %d runs to do, %d at a time\n", plan.name, left, pool.n, pool.jobs);
    if (!plan_write(&plan, results, err) || !pool_run(&pool, &end, err)) return EXIT_FAILED;
    if (!collect_alone(&plan, results, a, err)) return EXIT_FAILED;
    return summary(&plan, &pool, &end, results, a);
}

static const Flag sweep_flags[] = {
    { "jobs", 'j', FLAG_INT, "0", "N", "runs at a time; 0: one per processor" },
    { "results", 0, FLAG_STRING, "results", "DIR", "where runs/ and the sweep's folder go" },
    { "list", 0, FLAG_BOOL, NULL, NULL, "print the rows and the state of their runs, run nothing" },
    { "dry-run", 'n', FLAG_BOOL, NULL, NULL, "check every row and say what would be run" },
    { "shard", 0, FLAG_STRING, NULL, "I/N", "only every Nth run, from the Ith on (0 <= I < N); for several machines" },
    { "fail-fast", 0, FLAG_BOOL, NULL, NULL, "stop at the first run that fails" },
    { "max-hours", 0, FLAG_REAL, "0", "H", "stop after H hours, to be continued by the same command; 0: no limit" },
    { "run-seconds", 0, FLAG_REAL, NULL, "S",
      "end a run as `timeout` after S seconds of training; 0: no limit; default: limits.run_hours of the config" },
    { "lock-timeout", 0, FLAG_REAL, "600", "S",
      "another host's lock counts as left behind if not touched for S seconds" },
    FLAG_END
};

const Command command_sweep = {
    .name = "sweep",
    .synopsis = "CONFIG [key=value[,value...]...] [-j N]",
    .summary = "train every row of a config; interrupted, it resumes where it stopped",
    .description =
        "  seqprobe sweep configs/quick.yaml -j 2\n"
        "  seqprobe sweep configs/quick.yaml seed=1,2,3 mixer=gla,attention   settings replace or add axes\n"
        "  seqprobe sweep configs/quick.yaml --list                           what would be run, what is done\n"
        "\n"
        "Every row is checked before anything runs. Finished runs are found by their id and not run again; a run that\n"
        "fails is recorded and the sweep goes on. Writes DIR/NAME/{plan,runs,metrics,selected}.csv and DIR/runs/ID/.\n"
        "A run that reaches its time limit, all its attempts taken together, is recorded as `timeout`; a sweep with a\n"
        "larger limit continues it. SIGUSR1 makes every run write a checkpoint, and the sweep ends with 75.\n"
        "Exit code: 0; 2 the config is wrong; 4 runs failed; 75 stopped, to be continued; 130 or 143 by a signal.\n",
    .flags = sweep_flags,
    .run = sweep_command,
};
