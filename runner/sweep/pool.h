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
/* From the status file. An unknown word counts as failed, a finished status without whole CSVs as interrupted: such a
 * run is run again. Damage is described in why (may be NULL). */
RunState    run_state_why(const char *dir, Err *why);
RunState    run_state(const char *dir);
/* Write config.yaml: the row with every option, as `run --dir` reads it. */
bool        run_prepare(const char *dir, const Value *config, Err *err);
/* Record a run that could not report for itself, as failed or timeout: status and a result.csv of run_id, status,
 * message. */
bool        run_fail(const char *dir, const char *id, RunState state, const char *message, Err *err);
/* log.txt to append to, with a line that separates this attempt from earlier ones; -1 with err set. */
int         run_log_open(const char *dir, Err *err);
/* Of the last attempt in log.txt: its last error, else its last line, else "". */
char       *run_log_message(Arena *a, const char *dir);
/* CPU seconds of timing.csv, NaN if there is none; wall (may be NULL) likewise. */
double      run_cpu_seconds(const char *dir, double *wall);

/* ---- run_lock.c: one process at a time works on a run ----------------------------------------------------------- */

typedef struct LockOwner { char host[128]; long pid; } LockOwner;    /* host "": not known */
/* Make the folder and take its lock: the descriptor, -1 if another process holds it (then owner, which may be NULL,
 * says which), -2 with err set. Another host's lock that was not touched for `timeout` seconds is taken over with a
 * note. The lock goes when every process that has the descriptor has closed it or ended. */
int  run_lock(const char *dir, double timeout, LockOwner *owner, Err *err);
/* Is the lock of dir held, and by whom? Nothing is written; flock knows no other question than to take a shared lock
 * for an instant. Another host's lock counts for `timeout` seconds after it was touched, by our clock. */
bool run_lock_held(const char *dir, double timeout, LockOwner *owner);
/* The descriptor of the lock of dir that our parent took for us and named in SEQPROBE_LOCK_FD; -1: none. */
int  run_lock_inherited(const char *dir);
void run_unlock(int fd);

/* ---- forecast.c: distinct runs, what they cost, how long they take ----------------------------------------------- */

/* One distinct run of a plan. */
typedef struct PoolRun {
    const PlanRow *row;
    const char *label;                 /* "parity gla seed=1" */
    RunState state;
    bool active, ended;                /* running here; nothing more to do, whatever the state */
    bool skipped, held;                /* was finished before; locked by another process */
    double seconds, wall;              /* CPU and wall seconds of a finished run, NaN if unknown */
    int like[3];                       /* indices of Pool.cost: runs of its case and mixer, of its mixer, all */
} PoolRun;

typedef struct RunCost { double seconds, wall; int runs; } RunCost;  /* sums over finished runs */

typedef struct Pool {
    const char *results;               /* folder */
    const char *program;               /* worker binary */
    const char *command;               /* our command line, for the manifests; may be NULL */
    int jobs;
    int shard, shards;                 /* only the distinct runs with index % shards == shard; shards 0: all */
    bool fail_fast;
    double max_seconds;                /* 0: no limit */
    double run_seconds;                /* training time of a run, 0: no limit; it is killed if it has not ended */
    double grace;                      /* after run_seconds + grace */
    double lock_timeout;               /* seconds after which another host's lock counts as stale */
    int n; PoolRun *run; RunCost *cost;
} Pool;

/* By row of the plan: index of its run among the distinct runs, which are numbered by their first rows. */
int *plan_run_index(const Plan *plan, Arena *a, int *distinct);
/* Distinct runs of a plan (of the pool's shard), with their states on disk. */
void pool_open(Pool *pool, const Plan *plan, Arena *a);

void   cost_add(Pool *pool, const PoolRun *r);             /* of a run that has finished */
double cost_expected(const Pool *pool, const PoolRun *r);  /* CPU seconds; NaN if nothing has finished */
double cost_factor(const Pool *pool);                      /* wall over CPU seconds of finished runs, else 1 */
typedef struct Forecast { double seconds; int within; } Forecast;
/* Wall seconds until everything has ended (NaN if unknown) and the runs that end within `limit` seconds. `running` of
 * the `jobs` workers are busy for rest[i] seconds more; a waiting run takes factor x its expected cost, or `unknown`
 * (may be NaN) where that is not known. */
Forecast pool_forecast(const Pool *pool, int jobs, const double *rest, int running, double factor, double unknown,
                       double limit, Arena *a);

/* ---- pool.c ----------------------------------------------------------------------------------------------------- */

#define OUT_OF_TIME "ran out of time; a larger limit continues it"
/* "seqprobe sweep x.yaml train.lr=1e-3 --jobs 2", as a shell takes it. Workers find it in SEQPROBE_COMMAND. */
char *command_line(const Cli *cli);

/* What is left to the caller: exit code and why the pool stopped early. */
typedef struct PoolEnd { int signal; bool out_of_time, gave_up; double seconds; } PoolEnd;
/* Run what is not finished. Failures are recorded and printed, never an error; err is for the pool's own troubles. */
bool pool_run(Pool *pool, PoolEnd *end, Err *err);

/* ---- display.c: progress on stderr ------------------------------------------------------------------------------ */

typedef struct DisplayLine { const char *label; const RunProgress *progress; double seconds; } DisplayLine;
typedef struct Display { bool tty, color; int width, drawn; double last; } Display;

Display display_open(void);
/* Is it time to redraw? Five times a second on a terminal, elsewhere once a minute. */
bool display_due(const Display *d, double now);
/* `head` and a line per running worker. */
void display_update(Display *d, double now, const char *head, const DisplayLine *line, int lines);
/* One line that stays, above the moving ones. */
void display_print(Display *d, const char *text);
void display_close(Display *d);                            /* erase what moves */
/* "1 h 02 min", "3 min 20 s", "12 s"; "?" for NaN. buf holds 32. */
const char *duration_text(double seconds, char *buf);
double clock_seconds(void);                                /* monotonic */

#endif
