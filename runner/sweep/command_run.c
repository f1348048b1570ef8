/* SPDX-License-Identifier: Apache-2.0
 * command_run.c - `seqprobe run`: train one configuration. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "sweep/pool.h"
#include "train/checkpoint.h"
#include "train/results.h"

enum { TOUCH_SECONDS = 30 };

/* All that a signal handler can reach. */
static volatile int stop_signal; /* why to stop; SIGUSR1 only until a more urgent one */
static volatile int lock_fd = -1;

static void on_stop(int sig)
{
    if (stop_signal && stop_signal != SIGUSR1 && sig != SIGUSR1) _exit(128 + sig); /* the second one leaves at once */
    if (!stop_signal || sig != SIGUSR1) stop_signal = sig;
}

/* The lock is alive, whatever the run is busy with (futimens may be called from a handler). */
static void on_alarm(int sig)
{
    (void)sig;
    const int code = errno;
    if (lock_fd >= 0) futimens(lock_fd, NULL);
    errno = code;
}

static void catch_signals(void)
{
    static const int stops[] = { SIGINT, SIGTERM, SIGUSR1, SIGHUP };
    struct sigaction stop = { .sa_handler = on_stop }, alarm = { .sa_handler = on_alarm, .sa_flags = SA_RESTART }, was;
    sigemptyset(&stop.sa_mask);
    sigemptyset(&alarm.sa_mask);
    for (size_t i = 0; i < sizeof stops / sizeof *stops; i++)
        if (stops[i] != SIGHUP || (sigaction(SIGHUP, NULL, &was) == 0 && was.sa_handler != SIG_IGN)) /* nohup */
            sigaction(stops[i], &stop, NULL);
    sigaction(SIGALRM, &alarm, NULL);
    setitimer(ITIMER_REAL, &(struct itimerval){ { TOUCH_SECONDS, 0 }, { TOUCH_SECONDS, 0 } }, NULL);
    signal(SIGPIPE, SIG_IGN); /* whoever reads the progress may go; the run goes on */
}

typedef struct Reporter {
    int fd;
    bool tty, quiet;
    double last_line;
} Reporter;

static void on_progress(void *self, const RunProgress *p)
{
    Reporter *r = self;
    if (r->fd >= 0) {
        char line[160];
        int n = snprintf(line, sizeof line, "progress %d %d %.6g %.6g %.6g %.6g\n", p->step, p->steps, p->loss,
                         p->valid_acc, p->tokens_per_s, p->eta_s);
        if (write(r->fd, line, (size_t)n) < 0) r->fd = -1; /* nobody listens any more */
        return;
    }
    const double now = wall_seconds();
    if (r->quiet || (!r->tty && now - r->last_line < 10 && p->step < p->steps)) return;
    r->last_line = now;
    fprintf(stderr, "%sstep %d/%d  loss %.4f  valid %.3f  %.0f tokens/s  %.0f s left%s", r->tty ? "\r\033[K" : "",
            p->step, p->steps, p->loss, p->valid_acc, p->tokens_per_s, p->eta_s, r->tty ? "" : "\n");
}

static int exit_code_of(const char *dir, Arena *a, Err *err)
{
    char *status;
    if (!file_read(path_join(a, dir, "status"), 64, a, &status, NULL, err)) return err->code;
    if (!strncmp(status, "ok", 2) || !strncmp(status, "diverged", 8)) return EXIT_OK;
    if (!strncmp(status, "interrupted", 11)) return stop_signal == SIGUSR1 ? EXIT_CONTINUE : 128 + stop_signal;
    return EXIT_FAILED;
}

/* Print the row of result.csv that a person wants to see. */
static void print_result(const char *dir, Format format, Arena *a)
{
    Csv c;
    Err none = { 0 };
    const RunState state = run_state(dir);
    if (!csv_read(path_join(a, dir, "result.csv"), a, &c, &none) || c.rows != 1) return;
    if (format != FORMAT_TABLE) {
        Grid g = grid_of_csv(a, &c);
        grid_print(&g, format);
        return;
    }
    if (!run_state_final(state)) {
        printf("%s  %s after %s steps; the same command goes on from there%s\n", csv_get(&c, 0, "run_id"),
               run_state_name(state), csv_get(&c, 0, "steps_done"),
               state == RUN_TIMEOUT ? " with a larger --max-seconds" : "");
        return;
    }
    printf("%s  %s on %s  %s  %s %s [%s, %s]  chance %s  steps %s  parameters %s  state %s reals\n",
           csv_get(&c, 0, "run_id"), csv_get(&c, 0, "mixer"), csv_get(&c, 0, "task"), csv_get(&c, 0, "status"),
           csv_get(&c, 0, "headline"), csv_get(&c, 0, "test_headline"), csv_get(&c, 0, "test_headline_lo"),
           csv_get(&c, 0, "test_headline_hi"), csv_get(&c, 0, "chance"), csv_get(&c, 0, "steps_done"),
           csv_get(&c, 0, "params"), csv_get(&c, 0, "state_reals"));
    printf("files in %s\n", dir);
}

/* Take the lock of dir, unless the sweep that started us holds it. */
static bool take_lock(Cli *cli, const char *dir, Err *err)
{
    LockOwner who;
    lock_fd = run_lock_inherited(dir);
    if (lock_fd >= 0) return true;
    int fd = run_lock(dir, cli_real(cli, "lock-timeout"), &who, err);
    if (fd == -1 && who.host[0])
        err_set(err, EXIT_FAILED, "%s: locked by process %ld on %s, which works on this run", dir, who.pid, who.host);
    else if (fd == -1)
        err_set(err, EXIT_FAILED, "%s: locked by another process, which works on this run", dir);
    lock_fd = fd;
    return fd >= 0;
}

static int train_here(Cli *cli, const RunSpec *spec, const char *dir, Err *err)
{
    const char *fd = getenv("SEQPROBE_PROGRESS_FD"), *command = getenv("SEQPROBE_COMMAND"); /* of the sweep */
    Reporter reporter = { .fd = fd ? atoi(fd) : -1, .tty = term_is_tty(2), .quiet = cli_bool(cli, "quiet") };
    RunHooks hooks = { .progress = on_progress, .self = &reporter, .stop = &stop_signal };
    hooks.checkpoint_seconds = cli_real(cli, "checkpoint-seconds");
    hooks.command = command ? command : command_line(cli);
    if (!run_execute(spec, dir, cli_real(cli, "max-seconds"), &hooks, err)) return EXIT_FAILED;
    if (reporter.tty && reporter.fd < 0 && !reporter.quiet) fprintf(stderr, "\r\033[K");
    signal(SIGPIPE, SIG_DFL);
    if (!reporter.quiet) print_result(dir, cli_format(cli), cli->arena);
    return exit_code_of(dir, cli->arena, err);
}

static int run_here(Cli *cli, const RunSpec *spec, const char *dir, Err *err)
{
    if (!take_lock(cli, dir, err)) return EXIT_FAILED;
    catch_signals();
    int fd = lock_fd, code;
    if (cli_bool(cli, "force")) checkpoint_remove(dir);
    if (run_state_final(run_state(dir)) && !cli_bool(cli, "force")) {
        fprintf(stderr, "seqprobe: note: %s is finished; --force trains it again\n", spec->id);
        if (!cli_bool(cli, "quiet")) print_result(dir, cli_format(cli), cli->arena);
        code = EXIT_OK;
    } else
        code = train_here(cli, spec, dir, err);
    lock_fd = -1;
    run_unlock(fd);
    return code;
}

static bool seconds_given(Cli *cli, Err *err)
{
    static const char *const flags[] = { "max-seconds", "checkpoint-seconds", "lock-timeout" };
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        if (cli_real(cli, flags[i]) < 0) return err_set(err, EXIT_USAGE, "--%s: cannot be negative", flags[i]);
    return true;
}

static int run_command(Cli *cli, Err *err)
{
    if (!seconds_given(cli, err)) return EXIT_USAGE;
    Arena *a = cli->arena;
    RunSpec spec;
    const char *dir = cli_string(cli, "dir");
    if (dir && cli->n_args == 0) { /* a folder prepared by a sweep */
        Value *config;
        if (!yaml_read(path_join(a, dir, "config.yaml"), a, &config, err)) return EXIT_USAGE;
        if (!run_resolve(config, a, &spec, err)) return EXIT_USAGE;
        return run_here(cli, &spec, dir, err);
    }
    if (cli->n_args != 1) {
        err_set(err, EXIT_USAGE, "run: one config expected (or --dir of a prepared run)");
        return EXIT_USAGE;
    }
    Plan plan;
    if (!plan_read(cli->args[0], cli->n_sets, cli->sets, a, &plan, err)) return EXIT_USAGE;
    int row = cli_int(cli, "row");
    if (plan.rows > 1 && row < 0) {
        err_set(err, EXIT_USAGE, "%s expands to %d runs: choose one with --row N (see `seqprobe sweep %s --list`)",
                cli->args[0], plan.rows, cli->args[0]);
        return EXIT_USAGE;
    }
    if (row < 0) row = 0;
    if (row >= plan.rows) {
        err_set(err, EXIT_USAGE, "--row %d: the plan has rows 0..%d", row, plan.rows - 1);
        return EXIT_USAGE;
    }
    if (!run_resolve(plan.row[row].config, a, &spec, err)) return EXIT_USAGE;
    if (!dir) dir = arena_printf(a, "%s/runs/%s", cli_string(cli, "results"), spec.id);
    return run_here(cli, &spec, dir, err);
}

static const Flag run_flags[] = {
    { "dir", 0, FLAG_STRING, NULL, "DIR", "folder of the run; alone: run DIR/config.yaml" },
    { "results", 0, FLAG_STRING, "results", "DIR", "parent of runs/" },
    { "row", 0, FLAG_INT, "-1", "N", "row of a config that expands to several runs" },
    { "max-seconds", 0, FLAG_REAL, "0", "S", "end as `timeout` after S seconds of training; 0: no limit" },
    { "checkpoint-seconds", 0, FLAG_REAL, "60", "S", "between checkpoints; 0: after every step" },
    { "lock-timeout", 0, FLAG_REAL, "600", "S",
      "another host's lock counts as left behind if not touched for S seconds" },
    { "force", 0, FLAG_BOOL, NULL, NULL, "train a finished run again" },
    { "quiet", 'q', FLAG_BOOL, NULL, NULL, "no progress, no summary" },
    { "format", 'f', FLAG_STRING, "table", "table|csv|json", "of the summary; csv and json: the row of result.csv" },
    FLAG_END
};

const Command command_run = {
    .name = "run",
    .synopsis = "CONFIG [key=value...] [--row N]",
    .summary = "train and evaluate one configuration",
    .description =
        "examples:\n"
        "  seqprobe run configs/quick.yaml --row 3      one row of a sweep (sweep --list numbers them)\n"
        "\n"
        "Trains, evaluates and writes results/runs/<id>/{config.yaml,curve.csv,metrics.csv,result.csv,timing.csv,\n"
        "manifest.json,weights.npy}. The id hashes everything that can change the numbers.",
    .flags = run_flags,
    .run = run_command,
};
