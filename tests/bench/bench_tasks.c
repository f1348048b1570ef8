/* SPDX-License-Identifier: Apache-2.0
 * bench_tasks.c - examples and positions per CPU second of every task's generator and solver, at the defaults.
 *
 * One core. Timings vary on a shared host: compare lines of one run.
 * Usage: bench_tasks [CPU milliseconds per task] [task {options}]
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "../support/task_case.h"

static double cpu_ms(void)
{
    struct timespec s;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &s);
    return 1e3 * (double)s.tv_sec + 1e-6 * (double)s.tv_nsec;
}

/* The same work without calling the clock more often than every 64 examples. */
static int bench(const Task *task, const char *settings, double ms)
{
    Arena *a = arena_new("bench");
    TaskCase c;
    Err err = { 0 };
    if (!task_open(task, settings, a, &c, &err)) {
        fprintf(stderr, "%s\n", err.msg);
        arena_free(a);
        return EXIT_FAILURE;
    }
    long n = 0, positions = 0, solved = 0;
    double start = cpu_ms(), drawn, end;
    do {
        for (int i = 0; i < 64; i++, n++) task_draw(&c, (uint64_t)n), positions += c.e.len;
        drawn = cpu_ms() - start;
    } while (drawn < ms);
    start = cpu_ms();
    do {
        int wrong;
        for (int i = 0; i < 64; i++, solved++) task_solve(&c, &wrong);
        end = cpu_ms() - start;
    } while (end < ms / 4);
    printf("%-20s %8d %14.0f %14.2f %14.0f\n", task->name, c.shape.max_len, 1e3 * (double)n / drawn,
           1e-3 * (double)positions / drawn, 1e3 * (double)solved / end);
    arena_free(a);
    return EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
    double ms = argc > 1 ? atof(argv[1]) : 200;
    int code = EXIT_SUCCESS;
    printf("%-20s %8s %14s %14s %14s\n", "task", "max_len", "examples/s", "Mpositions/s", "solved/s");
    if (argc > 2) {
        const Task *t = task_find(argv[2]);
        if (t) return bench(t, argc > 3 ? argv[3] : NULL, ms);
        fprintf(stderr, "no task '%s'\n", argv[2]);
        return EXIT_FAILURE;
    }
    for (int i = 0; all_tasks[i]; i++) code |= bench(all_tasks[i], NULL, ms);
    return code;
}
