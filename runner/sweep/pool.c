/* SPDX-License-Identifier: Apache-2.0
 * pool.c - worker processes: one `seqprobe run --dir DIR` per run, at most `jobs` at a time.
 *
 * Worker: own process group, stdout and stderr to DIR/log.txt, OPENBLAS_NUM_THREADS=1, the lock of DIR inherited, and
 * on the descriptor SEQPROBE_PROGRESS_FD lines "progress STEP STEPS LOSS ACC TOKENS_PER_S ETA_S". However it ends, the
 * status file says what became of the run; an end without a status is recorded here as failed.
 *
 * SIGINT and SIGTERM are blocked and fetched between polls (no handler, no globals): the first is passed on as SIGTERM,
 * so that workers end as interrupted and can be resumed; a second one kills them.
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
#endif

#include "sweep/pool.h"

enum { JOBS_MAX = 512 };

typedef struct Worker {
    pid_t pid; /* 0: free */
    int run, pipe, lock;
    char text[256];
    size_t fill; /* an unfinished progress line */
    RunProgress progress;
    double started;
} Worker;

typedef struct State {
    Pool *pool;
    PoolEnd *end;
    Arena *a;
    Display display;
    Worker *worker;
    int active;
    double started, next_lock; /* when locked runs are tried again */
    bool stopping;
    sigset_t signals, before;
    Err *err;
} State;

int *plan_run_index(const Plan *plan, Arena *a, int *distinct)
{
    size_t size = 16; /* of a table of row + 1 by hash of the id, open addressing */
    while (size < 2 * (size_t)plan->rows) size *= 2;
    int *table = ARENA_NEW(a, int, size), *index = ARENA_NEW(a, int, plan->rows + 1);
    *distinct = 0;
    for (int i = 0; i < plan->rows; i++) {
        size_t at = fnv1a64(plan->row[i].id) & (size - 1);
        while (table[at] && strcmp(plan->row[table[at] - 1].id, plan->row[i].id) != 0) at = (at + 1) & (size - 1);
        if (table[at]) {
            index[i] = index[table[at] - 1];
        } else {
            table[at] = i + 1;
            index[i] = (*distinct)++;
        }
    }
    return index;
}

/* "parity gla seed=1 lr=1.0e-3" */
static const char *run_label(const Plan *plan, const PlanRow *row, Arena *a)
{
    Buf label = buf_new(a);
    buf_printf(&label, "%s %s seed=%llu", row->case_label, row->mixer_label, (unsigned long long)row->seed);
    for (int c = 0; c < plan->axes; c++) {
        const char *dot = strrchr(plan->axis[c], '.');
        if (row->cell[c][0]) buf_printf(&label, " %s=%s", dot ? dot + 1 : plan->axis[c], row->cell[c]);
    }
    return label.s;
}

void pool_open(Pool *pool, const Plan *plan, Arena *a)
{
    int distinct, next = 0;
    const int *index = plan_run_index(plan, a, &distinct);
    pool->n = 0;
    pool->run = ARENA_NEW(a, PoolRun, distinct + 1);
    for (int i = 0; i < plan->rows; i++) {
        const PlanRow *row = &plan->row[i];
        if (index[i] != next) continue; /* an earlier row has this run */
        next++;
        if (pool->shards && index[i] % pool->shards != pool->shard) continue;
        const char *dir = run_dir(a, pool->results, row->id);
        RunState s = run_state(dir);
        pool->run[pool->n++] = (PoolRun){ .row = row,
                                          .label = run_label(plan, row, a),
                                          .state = s,
                                          .skipped = run_state_final(s),
                                          .ended = run_state_final(s),
                                          .seconds = run_state_final(s) ? run_cpu_seconds(dir) : (double)NAN };
    }
}

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
        r->seconds = run_cpu_seconds(dir);
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

static void stop(State *s, const char *why)
{
    char text[128];
    if (s->stopping) return;
    s->stopping = true;
    snprintf(text, sizeof text, "%s: stopping %d running; the same command resumes", why, s->active);
    display_print(&s->display, text);
    signal_workers(s, SIGTERM);
}

static void take_signals(State *s)
{
    const struct timespec none = { 0, 0 };
    int sig;
    while ((sig = sigtimedwait(&s->signals, NULL, &none)) > 0) {
        if (s->end->signal) signal_workers(s, SIGKILL);
        s->end->signal = sig;
        stop(s, sig == SIGINT ? "interrupted" : "terminated");
    }
}

/* One line for a run that ended. */
static void report(State *s, const PoolRun *r, const char *dir, double seconds, const char *message)
{
    char text[1024], took[32];
    int done = 0;
    const char *red = s->display.color ? "\033[1;31m" : "", *plain = s->display.color ? "\033[0m" : "";
    for (int k = 0; k < s->pool->n; k++) done += s->pool->run[k].ended;
    bool bad = r->state == RUN_FAILED || r->state == RUN_TIMEOUT;
    duration_text(seconds, took);
    if (bad)
        snprintf(text, sizeof text, "[%d/%d] %s%s%s  %s  %s  %s: %s (%s/log.txt)", done, s->pool->n, red,
                 run_state_name(r->state), plain, r->label, took, r->row->id, message, dir);
    else
        snprintf(text, sizeof text, "[%d/%d] %s  %s  %s%s", done, s->pool->n, run_state_name(r->state), r->label,
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

/* What became of a run whose worker ended with wait status `status`. */
static void finish(State *s, Worker *w, int status)
{
    PoolRun *r = &s->pool->run[w->run];
    const char *dir = run_dir(s->a, s->pool->results, r->row->id), *message = "";
    double took = clock_seconds() - w->started;
    if (w->pipe >= 0) close(w->pipe);
    r->active = false;
    s->active--;
    r->state = run_state(dir);
    bool clean = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    bool reported = clean ? run_state_final(r->state) || r->state == RUN_TIMEOUT || r->state == RUN_INTERRUPTED
                          : r->state == RUN_TIMEOUT || r->state == RUN_INTERRUPTED;
    if (!reported && s->stopping && WIFSIGNALED(status)) {
        r->state = RUN_INTERRUPTED; /* we killed it, or it had no time to say so */
    } else if (!reported) {
        Err fault = { 0 };
        message = run_log_message(s->a, dir);
        if (WIFSIGNALED(status))
            message = arena_printf(s->a, "killed by signal %d (%s)%s%s", WTERMSIG(status), strsignal(WTERMSIG(status)),
                                   *message ? ": " : "", message);
        else if (!*message)
            message = arena_printf(s->a, "ended with exit code %d and no message", WEXITSTATUS(status));
        r->state = RUN_FAILED;
        if (!run_fail(dir, r->row->id, message, &fault)) message = arena_printf(s->a, "%s; %s", message, fault.msg);
    } else if (r->state == RUN_TIMEOUT) {
        message = "ran out of time";
    }
    double cpu = run_cpu_seconds(dir);
    if (run_state_final(r->state)) r->seconds = isnan(cpu) ? took : cpu;
    r->ended = true;
    if (run_state_final(r->state)) message = headline(s->a, dir);
    report(s, r, dir, took, message);
    run_unlock(w->lock);
    w->pid = 0;
    if (s->pool->fail_fast && (r->state == RUN_FAILED || r->state == RUN_TIMEOUT) && !s->stopping) {
        s->end->gave_up = true;
        stop(s, "--fail-fast");
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

/* Mean cost of finished runs like this one: same case and mixer, else same mixer, else any; NaN without any. */
static double expected_seconds(const Pool *pool, const PlanRow *row)
{
    double sum[3] = { 0 };
    int n[3] = { 0 };
    for (int k = 0; k < pool->n; k++) {
        const PoolRun *o = &pool->run[k];
        if (!(o->seconds >= 0)) continue;
        bool mixer = strcmp(o->row->mixer_label, row->mixer_label) == 0;
        bool both = mixer && strcmp(o->row->case_label, row->case_label) == 0;
        for (int c = both ? 0 : mixer ? 1 : 2; c < 3; c++) {
            sum[c] += o->seconds;
            n[c]++;
        }
    }
    for (int c = 0; c < 3; c++)
        if (n[c]) return sum[c] / n[c];
    return (double)NAN;
}

static void show(State *s)
{
    double now = clock_seconds(), left = 0;
    DisplayLine *line = ARENA_NEW(s->a, DisplayLine, s->pool->jobs);
    int lines = 0, done = 0, heard = 0;
    double running = 0; /* whole cost of running ones, by their own account */
    if (now - s->display.last < (s->display.tty ? 0.2 : 60)) return;
    for (int i = 0; i < s->pool->jobs; i++) {
        const Worker *w = &s->worker[i];
        if (!w->pid) continue;
        const PoolRun *r = &s->pool->run[w->run];
        line[lines++] = (DisplayLine){ r->label, &w->progress, now - w->started };
        double rest = expected_seconds(s->pool, r->row) - (now - w->started);
        if (w->progress.steps > 0 && w->progress.eta_s >= 0) {
            running += now - w->started + w->progress.eta_s;
            heard++;
            if (!(rest < w->progress.eta_s)) rest = w->progress.eta_s;
        }
        left += rest > 0 || isnan(rest) ? rest : 0;
    }
    for (int k = 0; k < s->pool->n; k++) {
        const PoolRun *r = &s->pool->run[k];
        done += r->ended;
        if (r->ended || r->active) continue;
        double cost = expected_seconds(s->pool, r->row);
        left += isnan(cost) && heard ? running / heard : cost;
    }
    int parallel = s->pool->n - done < s->pool->jobs ? s->pool->n - done : s->pool->jobs;
    display_update(&s->display, now, done, s->pool->n, parallel > 0 ? left / parallel : 0, line, lines);
}

static void wait_events(State *s, struct pollfd *fds)
{
    nfds_t n = 0;
    bool closing = false;
    for (int i = 0; i < s->pool->jobs; i++) {
        if (!s->worker[i].pid) continue;
        if (s->worker[i].pipe < 0)
            closing = true;
        else
            fds[n++] = (struct pollfd){ .fd = s->worker[i].pipe, .events = POLLIN };
    }
    poll(fds, n, closing ? 10 : 200);
    for (int i = 0; i < s->pool->jobs; i++)
        if (s->worker[i].pid && s->worker[i].pipe >= 0) read_progress(&s->worker[i]);
}

static bool loop(State *s)
{
    struct pollfd *fds = ARENA_NEW(s->a, struct pollfd, s->pool->jobs);
    size_t mark = arena_mark(s->a);
    bool ok = true;
    while (s->active > 0 || (!s->stopping && next_run(s, true) >= 0)) {
        if (!s->stopping && !start_some(s)) {
            ok = false;
            stop(s, "error");
        }
        wait_events(s, fds);
        reap(s);
        take_signals(s);
        if (s->pool->max_seconds > 0 && clock_seconds() - s->started > s->pool->max_seconds && !s->stopping) {
            s->end->out_of_time = true;
            stop(s, "--max-hours");
        }
        show(s);
        arena_reset(s->a, mark);
    }
    return ok;
}

bool pool_run(Pool *pool, PoolEnd *end, Err *err)
{
    CHECK(pool->jobs >= 1 && pool->jobs <= JOBS_MAX, "%d jobs", pool->jobs);
    State s = { .pool = pool, .end = end, .a = arena_new("pool"), .display = display_open(), .err = err };
    *end = (PoolEnd){ 0 };
    s.worker = ARENA_NEW(s.a, Worker, pool->jobs);
    s.started = clock_seconds();
    sigemptyset(&s.signals);
    sigaddset(&s.signals, SIGINT);
    sigaddset(&s.signals, SIGTERM);
    sigprocmask(SIG_BLOCK, &s.signals, &s.before);
    bool ok = loop(&s);
    display_close(&s.display);
    take_signals(&s);
    sigprocmask(SIG_SETMASK, &s.before, NULL);
    end->seconds = clock_seconds() - s.started;
    arena_free(s.a);
    return ok;
}
