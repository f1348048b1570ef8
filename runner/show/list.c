/* SPDX-License-Identifier: Apache-2.0
 * list.c - `seqprobe list`: the tasks, the mixers, the configs and the commands there are.
 *
 * Tasks: sizes at their default options. Mixers: class of the expressivity literature at default options, and the
 * recurrent state of one layer of width 64, measured by running it ("4096" reals, "128/token" grows). Configs: their
 * titles. Commands: as in their help.
 */
#include "show/show.h"
#include "sweep/sweep.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

static Grid list_tasks(Arena *a, Err *err)
{
    static const char *const head[] = { "family", "task",   "length",  "vocabulary", "classes",
                                        "chance", "metric", "summary", "source" };
    Grid g = grid_new(a, 9, head, "llrrrrlll");
    for (int i = 0; all_tasks[i]; i++) {
        const Task *t = all_tasks[i];
        TaskUse use;
        if (!task_open(t->name, 0, NULL, 0, a, &use, err)) break;
        const char **row = grid_row(&g);
        row[0] = family_of(a, t->file);
        row[1] = t->name;
        row[2] = arena_printf(a, "%d", use.shape.max_len);
        row[3] = arena_printf(a, "%d", use.shape.vocab_in);
        row[4] = arena_printf(a, "%d", use.shape.vocab_out);
        double chance = use.shape.chance_majority > 0 ? use.shape.chance_majority : use.shape.chance_uniform;
        row[5] = arena_printf(a, "%.3g", chance);
        row[6] = use.shape.headline;
        row[7] = t->summary;
        row[8] = t->source;
    }
    return g;
}

static Grid list_mixers(Arena *a)
{
    static const char *const head[] = { "family", "mixer", "state", "class", "summary", "source" };
    Grid g = grid_new(a, 6, head, "llrlll");
    for (int i = 0; all_mixers[i]; i++) {
        const Mixer *m = all_mixers[i];
        MixerUse use;
        size_t fixed, per_token;
        const char **row = grid_row(&g);
        row[0] = family_of(a, m->file);
        row[1] = m->name;
        if (!mixer_state(m, a, &fixed, &per_token))
            row[2] = "";
        else if (!per_token)
            row[2] = arena_printf(a, "%zu", fixed);
        else if (!fixed)
            row[2] = arena_printf(a, "%zu/token", per_token);
        else
            row[2] = arena_printf(a, "%zu+%zu/token", fixed, per_token);
        if (mixer_read(value_scalar(a, m->name), a, &use, NULL))
            row[3] = theory_class_name(m->theory_class(use.cfg).kind);
        row[4] = m->summary;
        row[5] = m->source;
    }
    return g;
}

/* Its title, else the question it asks, else nothing (a part that others include). */
static const char *config_title(Arena *a, const char *path)
{
    Err none = { 0 };
    Value *v;
    if (!yaml_read(path, a, &v, &none) || !value_get(v, "name")) return "(a part that others include)";
    return value_text(v, "title", value_text(v, "question", ""));
}

static int by_text(const void *x, const void *y) { return strcmp(*(const char *const *)x, *(const char *const *)y); }

static bool list_configs(Arena *a, Grid *out, Err *err)
{
    static const char *const head[] = { "config", "title" };
    enum { MOST = 1000 };
    const char **name = ARENA_NEW(a, const char *, MOST);
    int n = 0;
    const char *folder = data_find(a, "configs");
    DIR *dir = opendir(folder);
    if (!dir) return err_set(err, EXIT_USAGE, "no folder %s; SEQPROBE_DATA names the one it is in", folder);
    for (struct dirent *d; (d = readdir(dir)) && n < MOST;) {
        size_t len = strlen(d->d_name);
        if (len > 5 && !strcmp(d->d_name + len - 5, ".yaml")) name[n++] = path_join(a, folder, d->d_name);
    }
    closedir(dir);
    qsort(name, (size_t)n, sizeof *name, by_text);
    *out = grid_new(a, 2, head, "ll");
    for (int i = 0; i < n; i++) {
        const char **row = grid_row(out);
        row[0] = name[i];
        row[1] = config_title(a, name[i]);
    }
    return true;
}

static Grid list_commands(Arena *a, const Command *const *commands)
{
    static const char *const head[] = { "command", "arguments", "summary" };
    Grid g = grid_new(a, 3, head, "lll");
    for (; *commands; commands++) {
        const char **row = grid_row(&g);
        row[0] = (*commands)->name;
        row[1] = (*commands)->synopsis;
        row[2] = (*commands)->summary;
    }
    return g;
}

static int by_family(const void *x, const void *y)
{
    const char *const *a = *(const char *const *const *)x, *const *b = *(const char *const *const *)y;
    int order = strcmp(a[0], b[0]);
    return order ? order : strcmp(a[1], b[1]);
}

static void print_grid(Grid *g, Format format, bool family)
{
    if (family) qsort(g->cell, (size_t)g->rows, sizeof *g->cell, by_family);
    fputs(grid_text(g, format, family && format == FORMAT_TABLE ? 0 : -1), stdout);
}

static int run(Cli *c, Err *err)
{
    static const char *const kinds[] = { "tasks", "mixers", "configs", "commands", NULL };
    Arena *a = c->arena;
    const Format format = cli_format(c);
    const char *kind = c->n_args ? c->args[0] : NULL;
    int at = 0;
    while (kind && kinds[at] && strcmp(kind, kinds[at]) != 0) at++;
    if (c->n_args > 1 || c->n_sets)
        err_set(err, EXIT_USAGE, "usage: seqprobe list %s", c->command->synopsis);
    else if (!kinds[at])
        fail_unknown(err, "list", kind, kinds, "tasks, mixers, configs or commands");
    else if (!kind && (format == FORMAT_CSV || format == FORMAT_JSON))
        err_set(err, EXIT_USAGE, "--format %s lists one kind: tasks, mixers, configs or commands",
                cli_string(c, "format"));
    if (err->code) return EXIT_USAGE;
    const char *heading = format == FORMAT_MARKDOWN ? "### %s\n\n" : "%s\n";
    for (int i = 0; i < 4; i++) {
        Grid g;
        if (kind ? i != at : i == 3) continue;
        if (i == 2 && !kind && !file_exists(data_find(a, "configs"))) continue;
        if (i == 2 && !list_configs(a, &g, err)) return EXIT_USAGE;
        if (i == 0) g = list_tasks(a, err);
        if (i == 1) g = list_mixers(a);
        if (i == 3) g = list_commands(a, c->commands);
        if (err->code) return err->code;
        if (!kind) printf(heading, (const char *[]){ "Tasks", "Mixers", "Configs" }[i]);
        print_grid(&g, format, i < 2);
        if (!kind && i < 2) fputs("\n", stdout);
    }
    return EXIT_OK;
}

static const Flag flags[] = {
    { "format", 'f', FLAG_STRING, "table", "table|csv|json|markdown", "form of the lists" },
    FLAG_END,
};

const Command command_list = {
    .name = "list",
    .synopsis = "[tasks | mixers | configs | commands] [--format csv]",
    .summary = "the tasks, mixers and configs there are",
    .description =
        "examples:\n"
        "  seqprobe list tasks\n"
        "  seqprobe list mixers --format csv\n"
        "\n"
        "Tasks are shown at their default options: longest example, input vocabulary, target classes, accuracy of\n"
        "the best constant answer, headline metric. Mixers with the reals of recurrent state that one layer of width\n"
        "64 carries from token to token (\"/token\": it grows).\n",
    .flags = flags,
    .run = run,
};
