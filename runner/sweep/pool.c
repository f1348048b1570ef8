/* SPDX-License-Identifier: Apache-2.0
 * pool.c - worker processes: one `seqprobe run --dir DIR` per run, at most `jobs` at a time.
 *
 * Worker: own process group, stdout and stderr to DIR/log.txt, OPENBLAS_NUM_THREADS=1, the lock of DIR inherited, and
 * on the descriptor SEQPROBE_PROGRESS_FD lines "progress STEP STEPS LOSS ACC TOKENS_PER_S ETA_S". However it ends, the
 * status file says what became of the run; an end without a status is recorded here as failed.
 *
 * Signals are blocked and fetched between polls (no handler, no globals; on Linux a signalfd ends the poll):
 *   SIGINT SIGTERM SIGHUP   passed on as SIGTERM, so that workers end as interrupted and can be resumed; the second
 *                           one kills them. A SIGHUP that was ignored at the start (nohup) stays ignored
 *   SIGUSR1                 passed on: a batch system needs the machine; one of the above may follow
 *   SIGPIPE                 nobody reads stderr any more: as SIGTERM, and quietly
 *   SIGCHLD                 a worker has ended
 * Workers that do not obey within STOP_SECONDS are killed.
 */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#include <sys/signalfd.h>
#endif

#include "sweep/pool.h"
#include "train/manifest.h"

enum { JOBS_MAX = 512, STOP_SECONDS = 120 };

typedef struct Worker {
    pid_t pid; /* 0: free */
    int run, pipe, lock;
    char text[256];
    size_t fill; /* an unfinished progress line */
    RunProgress progress;
    double started;
    bool overdue; /* told to end for its time limit, killed a little later */
} Worker;

typedef struct State {
    Pool *pool;
    PoolEnd *end;
    Arena *a;
    Display display;
    Worker *worker;
    int active, done, signal_fd;
    double started, next_lock; /* when locked runs are tried again */
    double stopped;            /* when workers were told to end; 0: not yet */
    double wall, cpu;          /* of the runs that finished here: a run costs more time than its CPU seconds */
    bool stopping, forecast;   /* the time limit has been compared with the forecast */
    sigset_t signals, before;
    Err *err;
} State;

/* ---- starting --------------------------------------------------------------------------------------------------- */

/* In the child: never returns. */
static _Noreturn void become_worker(const State *s, const char *dir, int log, int pipe_fd, int lock)
{
    enum { PROGRESS_FD = 3 }; /* one digit: some shells take no more */
    char error[] = "seqprobe: error: the worker cannot be started\n";
    setpgid(0, 0);
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGTERM); /* a killed sweep leaves no workers behind */
#endif
    int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (null >= 0) dup2(null, 0);
    dup2(log, 1);
    dup2(log, 2);
    char lock_fd[16];
    snprintf(lock_fd, sizeof lock_fd, "%d", fcntl(lock, F_DUPFD, 10)); /* the copy survives exec */
    setenv("SEQPROBE_LOCK_FD", lock_fd, 1);
    if (pipe_fd != PROGRESS_FD) dup2(pipe_fd, PROGRESS_FD);
    fcntl(PROGRESS_FD, F_SETFD, 0);
    setenv("SEQPROBE_PROGRESS_FD", "3", 1);
    if (s->pool->command) setenv("SEQPROBE_COMMAND", s->pool->command, 1);
    setenv("OPENBLAS_NUM_THREADS", "1", 1);
    sigprocmask(SIG_SETMASK, &s->before, NULL);
    char limit[32];
    snprintf(limit, sizeof limit, "%.3f", s->pool->run_seconds);
    if (s->pool->run_seconds > 0)
        execl(s->pool->program, "seqprobe", "run", "--dir", dir, "--max-seconds", limit, (char *)NULL);
    else
        execl(s->pool->program, "seqprobe", "run", "--dir", dir, (char *)NULL);
    ssize_t n = write(2, error, sizeof error - 1);
    _exit(n < 0 ? 126 : 127);
}

static bool spawn(State *s, Worker *w, const char *dir)
{
    int pipe_fd[2];
    int log = run_log_open(dir, s->err);
    if (log < 0) return false;
    if (pipe(pipe_fd) != 0) {
        close(log);
        return err_set(s->err, EXIT_FAILED, "pipe: %s", strerror(errno));
    }
    for (int i = 0; i < 2; i++) fcntl(pipe_fd[i], F_SETFD, FD_CLOEXEC);
    fcntl(pipe_fd[0], F_SETFL, O_NONBLOCK);
    fflush(NULL);
    w->pid = fork();
    if (w->pid == 0) become_worker(s, dir, log, pipe_fd[1], w->lock);
    int why = errno;
    close(log);
    close(pipe_fd[1]);
    w->pipe = pipe_fd[0];
    if (w->pid > 0) {
        setpgid(w->pid, w->pid); /* here too: whoever comes first */
        return true;
    }
    close(pipe_fd[0]);
    w->pid = 0;
    return err_set(s->err, EXIT_FAILED, "fork: %s", strerror(why));
}

/* Lock and start a run; without a fault it may also turn out to be locked or finished by another sweep. */
static bool start(State *s, Worker *w, int k)
{
    PoolRun *r = &s->pool->run[k];
    const char *dir = run_dir(s->a, s->pool->results, r->row->id);
    int lock = run_lock(dir, s->pool->lock_timeout, NULL, s->err);
    if (lock == -2) return false;
    r->held = lock == -1;
    if (r->held) return true;
    r->state = run_state(dir);
    if (run_state_final(r->state)) { /* by another sweep, since we looked */
        r->skipped = r->ended = true;
        r->seconds = run_cpu_seconds(dir, &r->wall);
        cost_add(s->pool, r);
        s->done++;
        run_unlock(lock);
        return true;
    }
    Err fault = { 0 };
    *w = (Worker){ .run = k, .lock = lock, .started = clock_seconds(), .progress = { .loss = (double)NAN } };
    w->progress.valid_acc = (double)NAN;
    if (!run_prepare(dir, r->row->config, &fault)) {
        run_unlock(lock);
        return err_set(s->err, fault.code, "%s", fault.msg);
    }
    if (!spawn(s, w, dir)) {
        run_unlock(lock);
        return false;
    }
    r->active = true;
    r->state = RUN_RUNNING;
    s->active++;
    return true;
}

/* Next run to start, or -1. Those another process holds are tried again every two seconds. */
static int next_run(const State *s, bool retry)
{
    for (int k = 0; k < s->pool->n; k++) {
        const PoolRun *r = &s->pool->run[k];
        if (!r->active && !r->ended && (retry || !r->held)) return k;
    }
    return -1;
}

static bool start_some(State *s)
{
    double now = clock_seconds();
    bool retry = now >= s->next_lock;
    if (retry)
        for (int k = 0; k < s->pool->n; k++) s->pool->run[k].held = false;
    if (retry) s->next_lock = now + 2;
    for (int i = 0; i < s->pool->jobs && !s->stopping; i++) {
        while (!s->worker[i].pid) {
            int k = next_run(s, false);
            if (k < 0) return true;
            TRY(start(s, &s->worker[i], k));
        }
    }
    return true;
}

/* ---- watching --------------------------------------------------------------------------------------------------- */

static void read_progress(Worker *w)
{
    for (;;) {
        ssize_t n = read(w->pipe, w->text + w->fill, sizeof w->text - 1 - w->fill);
        if (n <= 0) {
            if (n == 0 || (errno != EAGAIN && errno != EINTR)) {
                close(w->pipe);
                w->pipe = -1;
            }
            return;
        }
        w->fill += (size_t)n;
        w->text[w->fill] = '\0';
        char *line = w->text, *end;
        for (; (end = strchr(line, '\n')); line = end + 1) {
            RunProgress p = { 0 };
            *end = '\0';
            if (sscanf(line, "progress %d %d %lf %lf %lf %lf", &p.step, &p.steps, &p.loss, &p.valid_acc,
                       &p.tokens_per_s, &p.eta_s) == 6)
                w->progress = p;
        }
        w->fill = strlen(line);
        memmove(w->text, line, w->fill + 1);
        if (w->fill == sizeof w->text - 1) w->fill = 0; /* not one of our lines */
    }
}

static void signal_workers(State *s, int sig)
{
    for (int i = 0; i < s->pool->jobs; i++)
        if (s->worker[i].pid) kill(-s->worker[i].pid, sig);
}

static void stop(State *s, const char *why, int sig)
{
    char text[128];
    if (!s->stopping) {
        snprintf(text, sizeof text, "%s: stopping %d running; the same command resumes", why, s->active);
        if (sig != SIGPIPE) display_print(&s->display, text);
    }
    s->stopping = true;
    s->stopped = clock_seconds();
    signal_workers(s, sig == SIGUSR1 ? SIGUSR1 : SIGTERM);
}

static void take_signals(State *s)
{
    const struct timespec none = { 0, 0 };
    int sig, *first = &s->end->signal;
    while ((sig = sigtimedwait(&s->signals, NULL, &none)) > 0) {
        if (sig == SIGCHLD || (sig == SIGUSR1 && *first) || (sig == SIGPIPE && s->stopping)) continue;
        if (*first && *first != SIGUSR1) {
            signal_workers(s, SIGKILL);
            continue;
        }
        *first = sig;
        stop(s, sig == SIGINT ? "interrupted" : sig == SIGUSR1 ? "asked to continue later" : "terminated", sig);
    }
}

/* One line for a run that ended. */
static void report(State *s, const PoolRun *r, const char *dir, double seconds, const char *message)
{
    char text[1024], took[32];
    const char *red = s->display.color ? "\033[1;31m" : "", *plain = s->display.color ? "\033[0m" : "";
    bool bad = r->state == RUN_FAILED || r->state == RUN_TIMEOUT;
    duration_text(seconds, took);
    if (bad)
        snprintf(text, sizeof text, "[%d/%d] %s%s%s  %s  %s  %s: %s (%s/log.txt)", s->done, s->pool->n, red,
                 run_state_name(r->state), plain, r->label, took, r->row->id, message, dir);
    else
        snprintf(text, sizeof text, "[%d/%d] %s  %s  %s%s", s->done, s->pool->n, run_state_name(r->state), r->label,
                 message, took);
    display_print(&s->display, text);
}

/* "acc 0.998  " of a finished run. */
static const char *headline(Arena *a, const char *dir)
{
    Csv csv;
    if (!csv_read(path_join(a, dir, "result.csv"), a, &csv, NULL) || csv.rows != 1) return "";
    double v = csv_num(&csv, 0, "test_headline");
    return isnan(v) ? "" : arena_printf(a, "acc %.3f  ", v);
}

/* Why a worker that did not report for itself ended; true if its run can be continued as if interrupted. */
static bool explain_end(const State *s, const Worker *w, int status, const char *dir, const char **message)
{
    if (w->overdue) {
        *message = arena_printf(s->a, "did not end within its time limit of %g s", s->pool->run_seconds);
        return false;
    }
    if (s->stopping && WIFSIGNALED(status)) return true; /* we killed it, or it had no time to say so */
    *message = run_log_message(s->a, dir);
    if (WIFSIGNALED(status))
        *message = arena_printf(s->a, "killed by signal %d (%s)%s%s", WTERMSIG(status), strsignal(WTERMSIG(status)),
                                **message ? ": " : "", *message);
    else if (!**message)
        *message = arena_printf(s->a, "ended with exit code %d and no message", WEXITSTATUS(status));
    return false;
}

/* The state of a run whose worker ended with wait status `status`. */
static RunState end_state(State *s, const Worker *w, int status, const char *dir, const char **message)
{
    Err fault = { 0 };
    const PoolRun *r = &s->pool->run[w->run];
    RunState state = run_state(dir);
    const bool clean = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    if (clean && run_state_final(state)) return state;
    if (state == RUN_TIMEOUT) *message = OUT_OF_TIME;
    if (state == RUN_TIMEOUT || (state == RUN_INTERRUPTED && !w->overdue)) return state;
    if (explain_end(s, w, status, dir, message)) return RUN_INTERRUPTED;
    state = w->overdue ? RUN_TIMEOUT : RUN_FAILED;
    if (!run_fail(dir, r->row->id, state, *message, &fault))
        *message = arena_printf(s->a, "%s; %s", *message, fault.msg);
    return state;
}

static void finish(State *s, Worker *w, int status)
{
    PoolRun *r = &s->pool->run[w->run];
    const char *dir = run_dir(s->a, s->pool->results, r->row->id), *message = "";
    const double took = clock_seconds() - w->started;
    if (w->pipe >= 0) close(w->pipe);
    w->pid = 0;
    s->active--;
    s->done++;
    r->active = false;
    r->ended = true;
    r->state = end_state(s, w, status, dir, &message);
    if (run_state_final(r->state)) {
        r->seconds = run_cpu_seconds(dir, NULL);
        if (isnan(r->seconds)) r->seconds = took;
        r->wall = took;
        s->wall += took;
        s->cpu += r->seconds;
        cost_add(s->pool, r);
        message = headline(s->a, dir);
    }
    report(s, r, dir, took, message);
    const char *warning;
    const int warnings = run_state_final(r->state) ? manifest_warnings(dir, s->a, &warning) : 0;
    if (warnings) {
        const char *more = warnings > 1 ? arena_printf(s->a, " (and %d more)", warnings - 1) : "";
        display_print(&s->display, arena_printf(s->a, "  warning: %s%s (%s/log.txt)", warning, more, dir));
    }
    run_unlock(w->lock);
    if (s->pool->fail_fast && (r->state == RUN_FAILED || r->state == RUN_TIMEOUT) && !s->stopping) {
        s->end->gave_up = true;
        stop(s, "--fail-fast", SIGTERM);
    }
}

static void reap(State *s)
{
    for (int i = 0; i < s->pool->jobs; i++) {
        int status;
        Worker *w = &s->worker[i];
        if (w->pid && waitpid(w->pid, &status, WNOHANG) == w->pid) finish(s, w, status);
    }
}

/* ---- time ------------------------------------------------------------------------------------------------------- */

static Forecast forecast(const State *s, double now)
{
    const Pool *pool = s->pool;
    const double factor = s->cpu > 0 ? s->wall / s->cpu : cost_factor(pool);
    double *rest = ARENA_NEW(s->a, double, pool->jobs), whole = 0; /* of running ones, by their own account */
    int running = 0, heard = 0;
    for (int i = 0; i < pool->jobs; i++) {
        const Worker *w = &s->worker[i];
        if (!w->pid) continue;
        const double spent = now - w->started, own = w->progress.steps > 0 ? w->progress.eta_s : (double)NAN;
        rest[running] = cost_expected(pool, &pool->run[w->run]) * factor - spent;
        if (own >= 0) {
            whole += spent + own;
            heard++;
            if (!(rest[running] > own)) rest[running] = own;
        }
        running++;
    }
    const double limit = pool->max_seconds > 0 ? s->started + pool->max_seconds - now : (double)INFINITY;
    return pool_forecast(pool, pool->jobs, rest, running, factor, heard ? whole / heard : (double)NAN, limit, s->a);
}

/* Once, as soon as the first steps allow it: will --max-hours be enough? */
static void compare_forecast(State *s, double now)
{
    char text[256], total[32];
    const double spent = now - s->started, limit = s->pool->max_seconds;
    const bool early = spent < 2 || (s->cpu == 0 && spent < (limit < 200 ? limit / 20 : 10));
    if (limit <= 0 || s->forecast || s->stopping || early) return;
    const Forecast f = forecast(s, now);
    if (isnan(f.seconds)) return;
    s->forecast = true;
    if (spent + f.seconds <= limit) return;
    int before = 0;
    for (int k = 0; k < s->pool->n; k++) before += s->pool->run[k].skipped;
    snprintf(text, sizeof text,
             "note: forecast %s for %d runs exceeds --max-hours %g: about %d runs will be done; the same command "
             "resumes",
             duration_text(spent + f.seconds, total), s->pool->n - before, limit / 3600, s->done - before + f.within);
    display_print(&s->display, text);
}

static void show(State *s)
{
    const double now = clock_seconds();
    if (!display_due(&s->display, now)) return;
    char head[256], eta[32];
    int lines = 0, elsewhere = 0;
    DisplayLine *line = ARENA_NEW(s->a, DisplayLine, s->pool->jobs);
    for (int i = 0; i < s->pool->jobs; i++) {
        const Worker *w = &s->worker[i];
        if (w->pid) line[lines++] = (DisplayLine){ s->pool->run[w->run].label, &w->progress, now - w->started };
    }
    for (int k = 0; k < s->pool->n; k++) elsewhere += s->pool->run[k].held && !s->pool->run[k].ended;
    int n = snprintf(head, sizeof head, "%d/%d runs done, %d running", s->done, s->pool->n, lines);
    if (elsewhere) n += snprintf(head + n, sizeof head - (size_t)n, ", %d by another process", elsewhere);
    const double left = forecast(s, now).seconds;
    if (s->stopping || !isnan(left))
        snprintf(head + n, sizeof head - (size_t)n, s->stopping ? ", stopping" : ", about %s left",
                 duration_text(left, eta));
    display_update(&s->display, now, head, line, lines);
}

/* Limits that have passed: of the sweep, of a run that hangs, of workers that were told to end. */
static void check_limits(State *s)
{
    const Pool *pool = s->pool;
    const double now = clock_seconds();
    if (pool->max_seconds > 0 && now - s->started > pool->max_seconds && !s->stopping) {
        s->end->out_of_time = true;
        stop(s, "--max-hours", SIGTERM);
    }
    for (int i = 0; i < pool->jobs && pool->run_seconds > 0; i++) {
        Worker *w = &s->worker[i];
        const double over = now - w->started - pool->run_seconds - pool->grace;
        if (!w->pid || over <= 0) continue;
        if (!w->overdue) kill(-w->pid, SIGTERM);
        w->overdue = true;
        if (over > pool->grace) kill(-w->pid, SIGKILL);
    }
    if (s->stopping && now - s->stopped > STOP_SECONDS) signal_workers(s, SIGKILL);
}

/* ---- the loop --------------------------------------------------------------------------------------------------- */

static void wait_events(State *s, struct pollfd *fds)
{
    enum { TICK_MS = 200, CLOSING_MS = 10 };
    nfds_t n = 0;
    bool closing = false;
    if (s->signal_fd >= 0) fds[n++] = (struct pollfd){ .fd = s->signal_fd, .events = POLLIN };
    for (int i = 0; i < s->pool->jobs; i++) {
        if (!s->worker[i].pid) continue;
        if (s->worker[i].pipe < 0)
            closing = true;
        else
            fds[n++] = (struct pollfd){ .fd = s->worker[i].pipe, .events = POLLIN };
    }
    poll(fds, n, closing && s->signal_fd < 0 ? CLOSING_MS : TICK_MS);
    for (int i = 0; i < s->pool->jobs; i++)
        if (s->worker[i].pid && s->worker[i].pipe >= 0) read_progress(&s->worker[i]);
}

static bool loop(State *s)
{
    struct pollfd *fds = ARENA_NEW(s->a, struct pollfd, s->pool->jobs + 1);
    size_t mark = arena_mark(s->a);
    bool ok = true;
    while (s->active > 0 || (!s->stopping && next_run(s, true) >= 0)) {
        if (!s->stopping && !start_some(s)) {
            ok = false;
            stop(s, "error", SIGTERM);
        }
        show(s);
        wait_events(s, fds);
        reap(s);
        take_signals(s);
        check_limits(s);
        compare_forecast(s, clock_seconds());
        arena_reset(s->a, mark);
    }
    return ok;
}

/* Block what take_signals fetches. */
static void open_signals(State *s)
{
    static const int known[] = { SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGPIPE, SIGCHLD };
    struct sigaction was;
    sigemptyset(&s->signals);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i] != SIGHUP || (sigaction(SIGHUP, NULL, &was) == 0 && was.sa_handler != SIG_IGN))
            sigaddset(&s->signals, known[i]);
    sigprocmask(SIG_BLOCK, &s->signals, &s->before);
    s->signal_fd = -1;
#ifdef __linux__
    s->signal_fd = signalfd(-1, &s->signals, SFD_CLOEXEC | SFD_NONBLOCK);
#endif
}

bool pool_run(Pool *pool, PoolEnd *end, Err *err)
{
    CHECK(pool->jobs >= 1 && pool->jobs <= JOBS_MAX, "%d jobs", pool->jobs);
    State s = { .pool = pool, .end = end, .a = arena_new("pool"), .display = display_open(), .err = err };
    *end = (PoolEnd){ 0 };
    s.worker = ARENA_NEW(s.a, Worker, pool->jobs);
    s.started = clock_seconds();
    for (int k = 0; k < pool->n; k++) s.done += pool->run[k].ended;
    open_signals(&s);
    bool ok = loop(&s);
    display_close(&s.display);
    take_signals(&s);
    if (s.signal_fd >= 0) close(s.signal_fd);
    sigprocmask(SIG_SETMASK, &s.before, NULL);
    end->seconds = clock_seconds() - s.started;
    arena_free(s.a);
    return ok;
}
