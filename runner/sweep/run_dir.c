/* SPDX-License-Identifier: Apache-2.0
 * run_dir.c - the folder of one run, seen from outside: its status, its lock, and the record of a failure.
 *
 *   results/runs/<id>/  config.yaml status result.csv metrics.csv curve.csv timing.csv manifest.json log.txt lock
 *
 * A run counts as finished when its status says so and its CSVs are whole; anything else is run again.
 */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "sweep/pool.h"
#include "train/results.h"

static const char *const state_names[] = { "new", "running", "ok", "diverged", "failed", "timeout", "interrupted" };

const char *run_state_name(RunState s) { return state_names[s]; }

bool run_state_final(RunState s) { return s == RUN_OK || s == RUN_DIVERGED; }

char *run_dir(Arena *a, const char *results, const char *id) { return arena_printf(a, "%s/runs/%s", results, id); }

/* Is the CSV whole, with rows: a number of them, or -1 for any? One that is not there is another matter. */
static bool csv_whole(Arena *a, const char *path, int rows, Err *why)
{
    Csv csv;
    if (!file_exists(path)) return true;
    TRY(csv_read(path, a, &csv, why));
    return rows < 0 || csv.rows == rows || err_set(why, EXIT_FAILED, "%s: %d rows, expected %d", path, csv.rows, rows);
}

static RunState read_state(Arena *a, const char *dir, Err *why)
{
    char *text;
    size_t len;
    const char *status = path_join(a, dir, "status"), *result = path_join(a, dir, "result.csv");
    if (!file_exists(status)) return RUN_NEW;
    if (!file_read(status, 256, a, &text, &len, why)) return RUN_FAILED;
    text[strcspn(text, "\r\n ")] = '\0';
    for (int s = RUN_RUNNING; s <= RUN_INTERRUPTED; s++) {
        if (strcmp(text, state_names[s]) != 0) continue;
        if (!run_state_final((RunState)s)) return (RunState)s;
        bool whole = file_exists(result) && csv_whole(a, result, 1, why) &&
                     csv_whole(a, path_join(a, dir, "metrics.csv"), -1, why);
        return whole ? (RunState)s : RUN_INTERRUPTED;
    }
    err_set(why, EXIT_FAILED, "%s: '%.20s' is no status", status, text);
    return RUN_FAILED;
}

RunState run_state_why(const char *dir, Err *why)
{
    Arena *a = arena_new("run state");
    RunState s = read_state(a, dir, why);
    arena_free(a);
    return s;
}

RunState run_state(const char *dir) { return run_state_why(dir, NULL); }

bool run_prepare(const char *dir, const Value *config, Err *err)
{
    Arena *a = arena_new("run config");
    RunSpec spec;
    bool ok = run_resolve(config, a, &spec, err) && config_write(&spec, dir, err);
    const RunState before = run_state(dir);
    if (before == RUN_FAILED || before == RUN_TIMEOUT || before == RUN_INTERRUPTED)
        ok = ok && status_write(dir, run_state_name(RUN_RUNNING), err);
    arena_free(a);
    return ok;
}

bool run_fail(const char *dir, const char *id, RunState state, const char *message, Err *err)
{
    Arena *a = arena_new("failure");
    Buf b = buf_new(a);
    const char *status = arena_printf(a, "%s\n", run_state_name(state));
    buf_printf(&b, "run_id,status,message\n%s,%s,", id, run_state_name(state));
    buf_csv(&b, message);
    buf_puts(&b, "\n");
    bool ok = file_write_atomic(path_join(a, dir, "result.csv"), b.s, b.len, err) &&
              file_write_atomic(path_join(a, dir, "status"), status, strlen(status), err);
    arena_free(a);
    return ok;
}

/* Attempts follow each other in log.txt, each under such a line. */
#define ATTEMPT "---- attempt by "

int run_log_open(const char *dir, Err *err)
{
    char path[4096], host[128] = "", line[256];
    snprintf(path, sizeof path, "%s/log.txt", dir);
    int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (fd < 0) return err_set(err, EXIT_FAILED, "%s: cannot be written: %s", path, strerror(errno)), -1;
    gethostname(host, sizeof host - 1);
    int n = snprintf(line, sizeof line, ATTEMPT "process %ld on %s\n", (long)getpid(), host);
    ssize_t put = write(fd, line, (size_t)n);
    if (put > 0 && put < n) put += write(fd, line + put, (size_t)(n - put));
    if (put == n) return fd;
    err_set(err, EXIT_FAILED, "%s: cannot be written: %s", path, strerror(errno));
    close(fd);
    return -1;
}

char *run_log_message(Arena *a, const char *dir)
{
    enum { TAIL = 1 << 14 };
    char text[TAIL + 1];
    int fd = open(path_join(a, dir, "log.txt"), O_RDONLY | O_CLOEXEC);
    if (fd < 0) return arena_strdup(a, "");
    off_t end = lseek(fd, 0, SEEK_END);
    if (end > TAIL)
        lseek(fd, end - TAIL, SEEK_SET);
    else
        lseek(fd, 0, SEEK_SET);
    ssize_t n = read(fd, text, TAIL);
    close(fd);
    if (n < 0) n = 0;
    text[n] = '\0';
    const char *error = NULL, *last = "";
    size_t last_n = 0;
    for (const char *line = text; *line;) {
        size_t len = strcspn(line, "\n");
        if (!strncmp(line, ATTEMPT, strlen(ATTEMPT))) { /* what came before is history */
            error = NULL;
            last = "";
            last_n = 0;
            line += len + (line[len] == '\n');
            continue;
        }
        if (len) {
            last = line;
            last_n = len;
            if (strstr(line, "error: ") && strstr(line, "error: ") < line + len) error = strstr(line, "error: ") + 7;
        }
        line += len + (line[len] == '\n');
    }
    return error ? arena_printf(a, "%.*s", (int)strcspn(error, "\n"), error)
                 : arena_printf(a, "%.*s", (int)last_n, last);
}

double run_cpu_seconds(const char *dir, double *wall)
{
    Arena *a = arena_new("timing");
    Csv csv;
    double s = (double)NAN;
    const char *path = path_join(a, dir, "timing.csv");
    const bool known = file_exists(path) && csv_read(path, a, &csv, NULL) && csv.rows == 1;
    if (known) s = csv_num(&csv, 0, "cpu_s");
    if (wall) *wall = known ? csv_num(&csv, 0, "wall_s") : (double)NAN;
    arena_free(a);
    return s;
}
