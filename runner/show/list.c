/* SPDX-License-Identifier: Apache-2.0
 * list.c - `seqprobe list`: the tasks, the mixers, the configs, what theory says of tasks, the commands.
 *
 * Tasks: sizes at their default options; chance is that of the best constant answer. Mixers: class of the expressivity
 * literature at default options, and the recurrent state of one layer of width 64, measured by running it ("4096"
 * reals, "128/token" grows). Configs: their titles. Commands: as in their help.
 */
#include "show/show.h"
#include "sweep/sweep.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

/* "layout: every, final; score: reads, all": what an option chooses by name. */
static const char *variants(Arena *a, const Option *o)
{
    Buf b = buf_new(a);
    for (; o->name; o++) {
        if (o->kind != OPT_ENUM) continue;
        buf_printf(&b, "%s%s: ", b.len ? "; " : "", o->name);
        for (const char *s = o->choices; *s; s++)
            if (*s == '|')
                buf_puts(&b, ", ");
            else
                buf_printf(&b, "%c", *s);
    }
    return b.len ? b.s : "";
}

/* Sizes at the default options; a task that needs a file or the like has none. Variants are too wide for a terminal:
 * `help task NAME` has them. */
static Grid list_tasks(Arena *a, bool with_variants)
{
    static const char *const head[] = { "family",  "task",   "length",  "vocabulary", "classes", "chance",
                                        "ceiling", "metric", "summary", "source",     "variants" };
    Grid g = grid_new(a, with_variants ? 11 : 10, head, with_variants ? "llrrrrrllll" : "llrrrrrlll");
    for (int i = 0; all_tasks[i]; i++) {
        const Task *t = all_tasks[i];
        TaskUse use;
        Err none = { 0 };
        const char **row = grid_row(&g);
        row[0] = family_of(a, t->file);
        row[1] = t->name;
        row[8] = t->summary;
        row[9] = t->source;
        if (with_variants) row[10] = variants(a, t->options);
        if (!task_use_open(t->name, 0, NULL, 0, a, &use, &none)) continue;
        row[2] = arena_printf(a, "%d", use.shape.max_len);
        row[3] = arena_printf(a, "%d", use.shape.vocab_in);
        row[4] = arena_printf(a, "%d", use.shape.vocab_out);
        row[5] = arena_printf(a, "%.3g", majority_of(&use, a));
        row[6] = arena_printf(a, "%.3g", use.shape.ceiling);
        row[7] = use.shape.headline;
    }
    return g;
}

/* What a class can do with two layers, as the task says at its default options. */
static Grid list_theory(Arena *a)
{
    static const char *const head[] = { "family",    "task",      "LTI",      "diag +", "diag \u00b1", "diag C",
                                        "DPLR 0..1", "DPLR 0..2", "DPLR h=2", "dense",  "RNN",         "softmax" };
    Grid g = grid_new(a, 12, head, "llllllllllll");
    for (int i = 0; all_tasks[i]; i++) {
        const Task *t = all_tasks[i];
        TaskUse use;
        Err none = { 0 };
        const char **row = grid_row(&g);
        row[0] = family_of(a, t->file);
        row[1] = t->name;
        if (!task_use_open(t->name, 0, NULL, 0, a, &use, &none)) continue;
        for (ClassKind k = CLASS_LTI; k < CLASS_OTHER; k++)
            row[2 + k] =
                theory_verdict_name(t->theory(use.cfg, (TheoryClass){ k, k == CLASS_DPLR_H ? 2 : 1 }, 2).verdict);
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

enum { TASKS, MIXERS, CONFIGS, THEORY, COMMANDS, KINDS };

static bool list_kind(Cli *c, int kind, Format format, Grid *out, Err *err)
{
    Arena *a = c->arena;
    switch (kind) {
    case TASKS: *out = list_tasks(a, format != FORMAT_TABLE); break;
    case MIXERS: *out = list_mixers(a); break;
    case CONFIGS: return list_configs(a, out, err);
    case THEORY: *out = list_theory(a); break;
    default: *out = list_commands(a, c->commands); break;
    }
    return true;
}

static int run(Cli *c, Err *err)
{
    static const char *const kinds[] = { "tasks", "mixers", "configs", "theory", "commands", NULL };
    static const char *const headings[] = { "Tasks", "Mixers", "Configs" };
    static const char all[] = "tasks, mixers, configs, theory or commands";
    const Format format = cli_format(c);
    const char *kind = c->n_args ? c->args[0] : NULL;
    int at = 0;
    if (kind && !strcmp(kind, "models")) kind = "mixers";
    while (kind && kinds[at] && strcmp(kind, kinds[at]) != 0) at++;
    if (c->n_args > 1 || c->n_sets)
        err_set(err, EXIT_USAGE, "usage: seqprobe list %s", c->command->synopsis);
    else if (!kinds[at])
        fail_unknown(err, "list", kind, kinds, all);
    else if (!kind && (format == FORMAT_CSV || format == FORMAT_JSON))
        err_set(err, EXIT_USAGE, "--format %s lists one kind: %s", cli_string(c, "format"), all);
    if (err->code) return EXIT_USAGE;
    const char *heading = format == FORMAT_MARKDOWN ? "### %s\n\n" : "%s\n";
    for (int i = 0; i < KINDS; i++) {
        Grid g;
        if (kind ? i != at : i > CONFIGS) continue;
        if (i == CONFIGS && !kind && !file_exists(data_find(c->arena, "configs"))) continue;
        if (!list_kind(c, i, format, &g, err)) return EXIT_USAGE;
        if (!kind) printf(heading, headings[i]);
        print_grid(&g, format, i == TASKS || i == MIXERS || i == THEORY);
        if (!kind && i < CONFIGS) fputs("\n", stdout);
    }
    return EXIT_OK;
}

static const Flag flags[] = {
    { "format", 'f', FLAG_STRING, "table", "table|csv|json|markdown", "form of the lists" },
    FLAG_END,
};

const Command command_list = {
    .name = "list",
    .synopsis = "[tasks | mixers | configs | theory | commands] [--format csv]",
    .summary = "the tasks, mixers and configs there are",
    .description =
        "examples:\n"
        "  seqprobe list tasks\n"
        "  seqprobe list mixers --format csv\n"
        "  seqprobe list theory\n"
        "\n"
        "Tasks are shown at their default options: longest example, input vocabulary, target classes, accuracy of\n"
        "the best constant answer, headline metric. Mixers with the reals of recurrent state that one layer of width\n"
        "64 carries from token to token (\"/token\": it grows). Theory: can a model of a class solve the task at "
        "every\n"
        "length, with two layers; `seqprobe help task NAME` has the reasons.\n",
    .flags = flags,
    .run = run,
};
