/* SPDX-License-Identifier: Apache-2.0
 * task_facts.c - see task_facts.h. */
#include "task_facts.h"

#include <check.h>
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FACTS_MAX = 8192 };

static const char FOLDER[] = "tests/tasks";

static void die(const char *file, int line, const char *what)
{
    fprintf(stderr, "%s:%d: %s\n", file, line, what);
    exit(EXIT_FAILURE);
}

/* The balanced map at the start of s, cut off; *rest is what follows. NULL if there is none. */
static char *cut_map(char *s, char **rest)
{
    int depth = 0;
    for (char *p = s; *p; p++) {
        depth += (*p == '{') - (*p == '}');
        if (depth > 0) continue;
        if (*p != '}') return NULL;
        *rest = p[1] ? p + 2 : p + 1;
        p[1] = 0;
        return s;
    }
    return NULL;
}

/* One line into *f, which holds the task, file and current settings. False if it states no fact. */
static bool read_line(char *s, Fact *f)
{
    static const char *const keys[] = { "hash", "worked", "solved", "majority", "states", "bits", "theory", NULL };
    char *rest;
    if (!*s || *s == '#') return false;
    if (!strncmp(s, "case ", 5)) {
        if (!(f->settings = cut_map(s + 5, &rest)) || *rest) die(f->file, f->line, "expected: case {options}");
        return false;
    }
    if (!strncmp(s, "refuses ", 8)) {
        char *map = cut_map(s + 8, &rest);
        if (!map || *rest != ' ' || !rest[1]) die(f->file, f->line, "expected: refuses {options}: part of the message");
        f->key = "refuses", f->settings = map, f->text = rest + 1;
        return true;
    }
    if (strncmp(s, "  ", 2) != 0 || !f->settings) die(f->file, f->line, "expected case, refuses, or a fact of a case");
    f->key = s += 2;
    s = strchr(s, ' ');
    if (!s) die(f->file, f->line, "a fact without a value");
    *s++ = 0;
    f->text = s;
    for (const char *const *k = keys; *k; k++)
        if (!strcmp(*k, f->key)) return true;
    die(f->file, f->line, "unknown fact");
    return false;
}

static int read_file(const Task *task, Arena *a, Fact *fact, int n)
{
    Err err = { 0 };
    char *text;
    Fact f = { .task = task, .file = arena_printf(a, "%s/%s.facts", FOLDER, task->name) };
    if (!file_exists(f.file)) {
        printf("note: no facts: %s\n", f.file);
        return n;
    }
    if (!file_read(f.file, 1 << 20, a, &text, NULL, &err)) die(f.file, 0, err.msg);
    for (char *s = text, *next; s && *s; s = next) {
        next = strchr(s, '\n');
        if (next) *next++ = 0;
        f.line++;
        const char *settings = f.settings;
        if (!read_line(s, &f)) continue;
        if (n == FACTS_MAX) die(f.file, f.line, "too many facts");
        fact[n++] = f;
        if (!strcmp(f.key, "refuses")) f.settings = settings;
    }
    return n;
}

static void tell_absent(void)
{
    DIR *dir = opendir(FOLDER);
    if (!dir) die(FOLDER, 0, "cannot be read");
    for (const struct dirent *e; (e = readdir(dir));) {
        char name[256];
        const char *end = strstr(e->d_name, ".facts");
        if (!end || end[6]) continue;
        snprintf(name, sizeof name, "%.*s", (int)(end - e->d_name), e->d_name);
        if (!task_find(name)) printf("skipped: not built: %s\n", name);
    }
    closedir(dir);
}

const Fact *facts_load(const char *only, Arena *a, int *n)
{
    Fact *fact = ARENA_NEW(a, Fact, FACTS_MAX);
    *n = 0;
    for (int i = 0; all_tasks[i]; i++)
        if (!only || !strcmp(only, all_tasks[i]->name)) *n = read_file(all_tasks[i], a, fact, *n);
    if (!only) tell_absent();
    fflush(stdout);
    return fact;
}

const Fact *facts_of_case(const Fact *all, int n, const Fact *of, const char *key)
{
    for (int i = 0; i < n; i++)
        if (all[i].task == of->task && !strcmp(all[i].settings, of->settings) && !strcmp(all[i].key, key))
            return &all[i];
    return NULL;
}

Arena *facts_arena;
void facts_setup(void) { facts_arena = arena_new("test"); }
void facts_teardown(void) { arena_free(facts_arena); }

bool facts_open(const char *task, const char *settings, TaskCase *out)
{
    Err err = { 0 };
    const Task *t = task_find(task);
    if (!t) {
        printf("skipped: not built: %s\n", task);
        fflush(stdout);
        return false;
    }
    bool ok = task_open(t, settings, facts_arena, out, &err);
    ck_assert_msg(ok, "%s %s: %s", task, settings ? settings : "", err.msg);
    return true;
}

void facts_share(double hits, double n, double p, const char *what, int index)
{
    double z = (hits - n * p) / sqrt(n * p * (1 - p) + 1e-12);
    ck_assert_msg(fabs(z) < 4, "%s %d: %g of %g, expected %.5f, z = %.1f", what, index, hits, n, p, z);
}

void facts_mean(double sum, double squares, double n, double want, const char *what)
{
    double mean = sum / n, error = sqrt((squares / n - mean * mean) / n);
    ck_assert_msg(fabs(mean - want) < 4 * error + 1e-12, "%s: mean %.6g, expected %.6g (s.e. %.2g)", what, mean, want,
                  error);
}
