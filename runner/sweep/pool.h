/* SPDX-License-Identifier: Apache-2.0
 * pool.h - runs on disk (status, lock, failure), the worker processes that fill them, and the progress display.
 */
#ifndef SEQPROBE_POOL_H
#define SEQPROBE_POOL_H

#include "sweep/sweep.h"

/* ---- run_dir.c: results/runs/<id>/ ------------------------------------------------------------------------------ */

typedef enum {
    RUN_NEW, RUN_RUNNING, RUN_OK, RUN_DIVERGED, RUN_FAILED, RUN_TIMEOUT, RUN_INTERRUPTED
} RunState;

const char *run_state_name(RunState s);                    /* "new", "ok", ... */
bool        run_state_final(RunState s);                   /* ok or diverged: never run again */
char       *run_dir(Arena *a, const char *results, const char *id);
/* From the status file; unknown words count as failed, a finished status without result.csv as interrupted. */
RunState    run_state(const char *dir);
/* Write config.yaml: the row with every option, as `run --dir` reads it. */
bool        run_prepare(const char *dir, const Value *config, Err *err);
/* Record a run that could not report for itself: status and a result.csv of run_id, status, message. */
bool        run_fail(const char *dir, const char *id, const char *message, Err *err);
/* log.txt to append to, with a line that separates this attempt from earlier ones; -1 with err set. */
int         run_log_open(const char *dir, Err *err);
/* Of the last attempt in log.txt: its last error, else its last line, else "". */
char       *run_log_message(Arena *a, const char *dir);
double      run_cpu_seconds(const char *dir);              /* from timing.csv; NaN if there is none */

/* ---- run_lock.c: one process at a time works on a run ------------------------------------------------------------ */

typedef struct LockOwner { char host[128]; long pid; } LockOwner;    /* host "": not known */
/* Make the folder and take its lock: the descriptor, -1 if another process holds it (then owner, which may be NULL,
 * says which), -2 with err set. Another host's lock that was not touched for `timeout` seconds is taken over with a
 * note. The lock goes when every process that has the descriptor has closed it or ended. */
int  run_lock(const char *dir, double timeout, LockOwner *owner, Err *err);
/* The descriptor of the lock of dir that our parent took for us and named in SEQPROBE_LOCK_FD; -1: none. */
int  run_lock_inherited(const char *dir);
void run_unlock(int fd);

/* ---- pool.c ----------------------------------------------------------------------------------------------------- */

/* One distinct run of a plan. */
typedef struct PoolRun {
    const PlanRow *row;
    const char *label;                 /* "parity gla seed=1" */
    RunState state;
    bool active, ended;                /* running here; nothing more to do, whatever the state */
    bool skipped, held;                /* was finished before; locked by another process */
    double seconds;                    /* CPU seconds of a finished run, NaN if unknown */
} PoolRun;

typedef struct Pool {
    const char *results;               /* folder */
    const char *program;               /* worker binary */
    const char *command;               /* our command line, for the manifests; may be NULL */
    int jobs;
    int shard, shards;                 /* only the distinct runs with index % shards == shard; shards 0: all */
    bool fail_fast;
    double max_seconds;                /* 0: no limit */
    double lock_timeout;               /* seconds after which another host's lock counts as stale */
    int n; PoolRun *run;
} Pool;

/* By row of the plan: index of its run among the distinct runs, which are numbered by their first rows. */
int *plan_run_index(const Plan *plan, Arena *a, int *distinct);
/* "seqprobe sweep x.yaml train.lr=1e-3 --jobs 2", as a shell takes it. Workers find it in SEQPROBE_COMMAND. */
char *command_line(const Cli *cli);
/* Distinct runs of a plan (of the pool's shard), with their states on disk. */
void pool_open(Pool *pool, const Plan *plan, Arena *a);

/* What is left to the caller: exit code and why the pool stopped early. */
typedef struct PoolEnd { int signal; bool out_of_time, gave_up; double seconds; } PoolEnd;
/* Run what is not finished. Failures are recorded and printed, never an error; err is for the pool's own troubles. */
bool pool_run(Pool *pool, PoolEnd *end, Err *err);

/* ---- display.c: progress on stderr ------------------------------------------------------------------------------ */

typedef struct DisplayLine { const char *label; const RunProgress *progress; double seconds; } DisplayLine;
typedef struct Display { bool tty, color; int width, drawn; double last; } Display;

Display display_open(void);
/* Redraw at most five times a second on a terminal; elsewhere one line a minute. eta_s is NaN if unknown. */
void display_update(Display *d, double now, int done, int n, double eta_s, const DisplayLine *line, int lines);
/* One line that stays, above the moving ones. */
void display_print(Display *d, const char *text);
void display_close(Display *d);                            /* erase what moves */
/* "1 h 02 min", "3 min 20 s", "12 s"; "?" for NaN. buf holds 32. */
const char *duration_text(double seconds, char *buf);
double clock_seconds(void);                                /* monotonic */

#endif
