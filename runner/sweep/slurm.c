/* SPDX-License-Identifier: Apache-2.0
 * slurm.c - `seqprobe slurm`: a sweep as a Slurm job array, one task per shard; written as a script, or submitted.
 *
 * The script holds everything: absolute paths, settings quoted for the shell, the number of shards. A task is one
 * `sweep --shard I/N`, so it may be started again at any time and by anyone: finished runs are skipped, others go on
 * from their checkpoints. When Slurm warns of the time limit (USR1, some minutes before) the program writes its
 * checkpoints and exits with 75, and the task is put back into the queue; so it is when the program was killed.
 *
 * Facts the script rests on (Slurm 22.05): indices are below MaxArraySize, 1001 unless configured; with `B:` the
 * signal reaches the shell alone, up to a minute early; a trap ends `wait` at once; a task is requeued alone by
 * ARRAYID_TASKID, while the plain number of a job may stand for the whole array; logs need their folder to exist.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sweep/pool.h"

enum {
    TASKS_MAX = 1001,   /* MaxArraySize of an unconfigured Slurm: indices 0..1000 */
    TASKS_USUAL = 100,  /* more runs than this are packed */
    RESTARTS_MAX = 100, /* by then a task has had days, and does not get on */
    KILLED_MAX = 3      /* out of memory today is out of memory tomorrow */
};

typedef struct Job {
    Arena *a;
    const Plan *plan;
    const char *program, *config, *results, *folder; /* absolute; folder: where it was written from */
    int n_sets;
    const char *const *sets;
    int runs, tasks, parallel, cpus, warn; /* warn: seconds before the limit */
    const char *time, *mem, *partition, *more;
} Job;

/* ---- what was asked for ----------------------------------------------------------------------------------------- */

/* Slurm's forms of a time: minutes, minutes:seconds, h:m:s, days-h, days-h:m, days-h:m:s. Seconds, or -1. */
static long time_seconds(const char *text)
{
    long field[4] = { 0 }, days = 0;
    int n = 0;
    const char *s = text, *dash = strchr(text, '-');
    char *end;
    if (strlen(text) > 20 || text[strspn(text, "0123456789:-")]) return -1;
    if (dash) {
        days = strtol(s, &end, 10);
        if (end != dash || end == s) return -1;
        s = dash + 1;
    }
    for (;; s = end + 1) {
        field[n] = strtol(s, &end, 10);
        if (end == s || *s == '-' || ++n > 3) return -1;
        if (!*end) break;
        if (*end != ':') return -1;
    }
    if (dash) return ((days * 24 + field[0]) * 60 + field[1]) * 60 + field[2];
    return n == 3 ? (field[0] * 60 + field[1]) * 60 + field[2] : field[0] * 60 + field[1];
}

/* 2G, 500M, 1000 (megabytes). */
static bool is_memory(const char *text)
{
    size_t n = strspn(text, "0123456789");
    return n > 0 && n < 12 && (!text[n] || (strchr("KMGT", text[n]) && !text[n + 1]));
}

static bool check_path(const char *path, Err *err)
{
    if (!strchr(path, '\n')) return true;
    return err_set(err, EXIT_USAGE, "a job script cannot hold a path with a new line: %s", path);
}

static bool absolute(Arena *a, const char *path, const char **out, Err *err)
{
    char full[PATH_MAX];
    if (!realpath(path, full)) return err_set(err, EXIT_FAILED, "%s: %s", path, strerror(errno));
    *out = arena_strdup(a, full);
    return check_path(full, err);
}

static bool read_number(Cli *cli, const char *flag, int least, int most, int *out, Err *err)
{
    *out = cli_int(cli, flag);
    if (*out >= least && *out <= most) return true;
    return err_set(err, EXIT_USAGE, "--%s %d: %d..%d expected", flag, *out, least, most);
}

static bool read_flags(Cli *cli, Job *j, Err *err)
{
    j->time = cli_string(cli, "time");
    j->mem = cli_string(cli, "mem");
    j->partition = cli_string(cli, "partition");
    j->more = cli_string(cli, "sbatch");
    TRY(read_number(cli, "array", 0, TASKS_MAX, &j->tasks, err) &&
        read_number(cli, "parallel", 0, TASKS_MAX, &j->parallel, err) &&
        read_number(cli, "cpus", 1, 512, &j->cpus, err));
    long limit = time_seconds(j->time);
    if (limit < 60)
        return err_set(err, EXIT_USAGE, "--time '%s': Slurm's form expected, at least a minute: 04:00:00 or 2-00:00:00",
                       j->time);
    if (!is_memory(j->mem)) return err_set(err, EXIT_USAGE, "--mem '%s': 2G, 500M, ... expected", j->mem);
    if (j->partition && (!*j->partition || j->partition[strcspn(j->partition, " \t\n\"'\\")]))
        return err_set(err, EXIT_USAGE, "--partition '%s': a name expected", j->partition);
    if (j->more && strchr(j->more, '\n')) return err_set(err, EXIT_USAGE, "--sbatch: one line expected");
    j->warn = limit / 4 > 120 ? 120 : limit / 4 < 30 ? 30 : (int)(limit / 4);
    return true;
}

/* How many tasks: one per run, up to what was asked for or is usual. */
static void count_tasks(Job *j)
{
    plan_run_index(j->plan, j->a, &j->runs);
    int asked = j->tasks;
    if (!asked) asked = TASKS_USUAL;
    j->tasks = asked < j->runs ? asked : j->runs;
    if (j->tasks < asked && asked != TASKS_USUAL) fprintf(stderr, "note: %d runs, so %d tasks\n", j->runs, j->tasks);
}

/* ---- the script ------------------------------------------------------------------------------------------------- */

/* A path for an #SBATCH line: quoted, and with Slurm's own '%' doubled. */
static void put_pattern(Buf *b, const char *path)
{
    for (; *path; path++) {
        if (strchr("\"\\", *path)) buf_puts(b, "\\");
        buf_printf(b, *path == '%' ? "%%%%" : "%c", *path);
    }
}

static void put_directives(const Job *j, Buf *b)
{
    buf_printf(b, "#SBATCH --job-name=%s\n#SBATCH --array=0-%d", j->plan->name, j->tasks - 1);
    if (j->parallel && j->parallel < j->tasks) buf_printf(b, "%%%d", j->parallel);
    buf_printf(b, "\n#SBATCH --ntasks=1\n#SBATCH --cpus-per-task=%d\n#SBATCH --mem=%s\n#SBATCH --time=%s\n", j->cpus,
               j->mem, j->time);
    if (j->partition) buf_printf(b, "#SBATCH --partition=%s\n", j->partition);
    if (j->more) buf_printf(b, "#SBATCH %s\n", j->more);
    buf_printf(b, "#SBATCH --requeue\n#SBATCH --open-mode=append\n#SBATCH --signal=B:USR1@%d\n", j->warn);
    buf_puts(b, "#SBATCH --output=\"");
    put_pattern(b, j->results);
    buf_printf(b, "/slurm/%s-%%A_%%a.log\"\n", j->plan->name);
}

static void put_command(const Job *j, Buf *b)
{
    buf_shell(b, j->program);
    buf_puts(b, " sweep ");
    buf_shell(b, j->config);
    for (int i = 0; i < j->n_sets; i++) {
        buf_puts(b, " ");
        buf_shell(b, j->sets[i]);
    }
    buf_puts(b, " --results ");
    buf_shell(b, j->results);
    buf_printf(b, " \\\n    --shard \"$SLURM_ARRAY_TASK_ID/%d\" --jobs \"${SLURM_CPUS_PER_TASK:-%d}\" &\n", j->tasks,
               j->cpus);
}

/* Wait for the program, pass its exit code on, and put the task back into the queue when it has to go on. */
static void put_end(Buf *b)
{
    buf_printf(b,
               "child=$!\n"
               "while :; do                # a trapped signal ends wait, and the program goes on\n"
               "    signalled=\n"
               "    wait \"$child\"; code=$?\n"
               "    [ -n \"$signalled\" ] || break\n"
               "done\n"
               "echo \"$(date -u +%%FT%%TZ) $task: exit code $code\"\n"
               "case $code in\n"
               "75|138) most=%d ;;        # stopped to be continued; told to before it could listen\n"
               "137) most=%d ;;             # killed: out of memory, or by hand\n"
               "*) exit \"$code\" ;;\n"
               "esac\n"
               "if [ \"$restarts\" -lt \"$most\" ]; then\n"
               "    echo \"$task: back into the queue\"\n"
               "    scontrol requeue \"$task\" # this task alone; Slurm starts it again after two minutes\n"
               "else\n"
               "    echo \"$task: started $restarts times before; given up, submit it again to go on\"\n"
               "fi\n"
               "exit \"$code\"\n",
               RESTARTS_MAX, KILLED_MAX);
}

static char *script_text(const Job *j)
{
    Buf b = buf_new(j->a);
    buf_printf(&b, "#!/bin/bash\n# The %d runs of %s as %d array task%s, written by %s.\n", j->runs, j->plan->name,
               j->tasks, j->tasks == 1 ? "" : "s", program_version());
    buf_printf(
        &b,
        "# Task I trains the runs I, I + %d, I + %d, ...; finished ones are skipped and others resumed, so this may\n"
        "# be submitted again at any time, whole or in part (sbatch --array=3,7 ...).\n",
        j->tasks, 2 * j->tasks);
    put_directives(j, &b);
    buf_puts(&b, "export OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1\n"
                 "task=${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID restarts=${SLURM_RESTART_COUNT:-0}\n"
                 "child= signalled=\n"
                 "trap 'signalled=yes; [ -n \"$child\" ] && kill -USR1 \"$child\" 2>/dev/null' USR1\n"
                 "trap 'signalled=yes; [ -n \"$child\" ] && kill -TERM \"$child\" 2>/dev/null' TERM INT\n"
                 "echo \"$(date -u +%FT%TZ) $task: starts on $(hostname), restart $restarts\"\n"
                 "cd ");
    buf_shell(&b, j->folder);
    buf_puts(&b, " || exit 1\n");
    put_command(j, &b);
    put_end(&b);
    return b.s;
}

/* ---- sbatch ----------------------------------------------------------------------------------------------------- */

/* Submit and print the number of the job. */
static bool submit(const char *path, Arena *a, Err *err)
{
    int ends[2], status = 0;
    char part[256];
    Buf said = buf_new(a);
    buf_puts(&said, "");
    if (pipe(ends)) return err_set(err, EXIT_FAILED, "cannot make a pipe: %s", strerror(errno));
    fflush(stdout);
    pid_t pid = fork();
    if (pid < 0) return err_set(err, EXIT_FAILED, "cannot start sbatch: %s", strerror(errno));
    if (pid == 0) {
        dup2(ends[1], 1);
        close(ends[0]);
        close(ends[1]);
        execlp("sbatch", "sbatch", "--parsable", path, (char *)NULL);
        _exit(127);
    }
    close(ends[1]);
    for (ssize_t n; (n = read(ends[0], part, sizeof part - 1)) != 0;) {
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) break;
        part[n] = 0;
        buf_puts(&said, part);
    }
    close(ends[0]);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
        return err_set(err, EXIT_FAILED, "no sbatch here: submit it where Slurm is, with sbatch %s", path);
    if (status) return err_set(err, EXIT_FAILED, "sbatch %s failed, see above", path);
    printf("%.*s\n", (int)strcspn(said.s, ";\n"), said.s); /* "123" or "123;cluster" */
    return true;
}

static bool write_script(Cli *cli, Job *j, const char *out, Err *err)
{
    const char *text = script_text(j);
    const char *logs = path_join(j->a, j->results, "slurm");
    if (out && !strcmp(out, "-")) {
        fputs(text, stdout);
        fprintf(stderr, "the folder of its logs has to be there: %s\n", logs);
        return true;
    }
    TRY(dir_make(logs, err)); /* Slurm does not, and a job without its log's folder dies unseen */
    if (!out) out = arena_printf(j->a, "%s/slurm/%s.sh", cli_string(cli, "results"), j->plan->name);
    TRY(file_write_atomic(out, text, strlen(text), err));
    if (cli_bool(cli, "submit")) {
        TRY(submit(out, j->a, err));
        fprintf(stderr, "submitted %s: %d runs as %d tasks; logs in %s\n", out, j->runs, j->tasks, logs);
    } else {
        printf("%s\n", out);
        fprintf(stderr, "%d run%s as %d task%s; to submit: sbatch %s\n", j->runs, j->runs == 1 ? "" : "s", j->tasks,
                j->tasks == 1 ? "" : "s", out);
    }
    return true;
}

static int slurm_command(Cli *cli, Err *err)
{
    Plan plan;
    Arena *a = cli->arena;
    char folder[PATH_MAX];
    const char *results = cli_string(cli, "results"), *out = cli_string(cli, "out");
    Job j = { .a = a, .plan = &plan, .n_sets = cli->n_sets, .sets = cli->sets };
    if (cli->n_args != 1)
        err_set(err, EXIT_USAGE, "slurm: one config expected");
    else if (out && !strcmp(out, "-") && cli_bool(cli, "submit"))
        err_set(err, EXIT_USAGE, "slurm: --submit needs a file, not --out -");
    if (err->code || !read_flags(cli, &j, err)) return err->code;
    if (!plan_read(cli->args[0], cli->n_sets, cli->sets, a, &plan, err)) return err->code;
    if (plan.notes) fputs(plan.notes, stderr);
    if (!getcwd(folder, sizeof folder)) err_set(err, EXIT_FAILED, "the working folder: %s", strerror(errno));
    j.folder = folder;
    j.results = *results == '/' ? results : path_join(a, folder, results);
    if (err->code || !check_path(j.results, err) || !absolute(a, "/proc/self/exe", &j.program, err) ||
        !absolute(a, cli->args[0], &j.config, err))
        return err->code;
    count_tasks(&j);
    return write_script(cli, &j, out, err) ? EXIT_OK : err->code;
}

static const Flag slurm_flags[] = {
    { "array", 0, FLAG_INT, "0", "N", "tasks; each trains every Nth run. 0: one per run, at most 100" },
    { "parallel", 0, FLAG_INT, "0", "P", "tasks at a time; 0: as many as Slurm gives" },
    { "time", 0, FLAG_STRING, "04:00:00", "LIMIT", "limit of a task, after which it is requeued and goes on" },
    { "mem", 0, FLAG_STRING, "2G", "M", "memory of a task" },
    { "cpus", 0, FLAG_INT, "1", "C", "processors of a task: runs at a time in it" },
    { "partition", 0, FLAG_STRING, NULL, "NAME", "default: the cluster's own" },
    { "sbatch", 0, FLAG_STRING, NULL, "OPTIONS", "further options of sbatch, such as '--account=x --qos=y'" },
    { "submit", 0, FLAG_BOOL, NULL, NULL, "submit it with sbatch and print the job's number" },
    { "out", 'o', FLAG_STRING, NULL, "FILE", "the script, - for standard output; default: DIR/slurm/NAME.sh" },
    { "results", 0, FLAG_STRING, "results", "DIR", "where runs/ and the sweep's folder go, for all nodes" },
    FLAG_END
};

const Command command_slurm = {
    .name = "slurm",
    .synopsis = "CONFIG [key=value[,value...]...] [--submit]",
    .summary = "train a config as a Slurm job array",
    .description =
        "  seqprobe slurm configs/core.yaml --cpus 4 --time 02:00:00      writes results/slurm/core.sh\n"
        "  seqprobe slurm configs/core.yaml --array 50 --out -            the script for 50 tasks, to look at\n"
        "\n"
        "With --submit it is submitted at once; `seqprobe status` says how far the sweep is.\n"
        "Each task is `sweep CONFIG --shard I/N`. At its time limit a task writes checkpoints and is requeued; killed\n"
        "or moved to another node it resumes as well. The same script may be submitted again at any time. Logs are in\n"
        "DIR/slurm/. All nodes must see the program, the config and DIR under the same paths.\n",
    .flags = slurm_flags,
    .run = slurm_command,
};
