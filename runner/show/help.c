/* SPDX-License-Identifier: Apache-2.0
 * help.c - `seqprobe help`: commands, tasks, mixers, the topics of topics.c.
 */
#include "show/show.h"

#include <string.h>

static void print_options(const char *key, const Option *table, Arena *a)
{
    printf("\n%s\n%s", key, table->kind == OPT_END_KIND ? "  none\n" : options_help(table, a));
}

static void print_head(const char *file, const char *summary, Arena *a)
{
    const char *body = head_text(file, summary, a);
    if (*body) printf("\n%s", body);
}

static int help_task(const char *name, Arena *a, Err *err)
{
    TaskUse use;
    const Task *t = task_named(name, err);
    Err why = { 0 };
    if (!t) return EXIT_USAGE;
    const bool opens = task_use_open(name, 0, NULL, 0, a, &use, &why); /* not what needs a file */
    const TaskShape *s = &use.shape;
    printf("%s - %s\n\n  %s, version %d\n  source    %s\n", t->name, t->summary, t->file, t->version, t->source);
    if (!opens) printf("  default   none: %s\n", why.msg);
    if (opens) {
        printf("  default   %d input symbols, %d classes, at most %d positions\n", s->vocab_in, s->vocab_out,
               s->max_len);
        printf("  metric    %s; chance %.3g uniform", s->headline, s->chance_uniform);
        if (s->chance_majority > 0) printf(", %.3g best constant answer", s->chance_majority);
        if (s->ceiling < 1) printf("; ceiling %.3g", s->ceiling);
    }
    if (opens) fputs("\n", stdout);
    print_head(t->file, t->summary, a);
    print_options("options (task:)", t->options, a);
    fputs("\ncan a model of this class do it, with two layers, at every length?\n", stdout);
    for (int k = 0; k <= CLASS_OTHER; k++) {
        Theory th = t->theory(use.cfg, (TheoryClass){ .kind = (ClassKind)k, .n_h = 2 }, 2);
        printf("  %-38s %-7s %s\n", theory_class_name((ClassKind)k), theory_verdict_name(th.verdict),
               th.why ? th.why : "");
    }
    fputs(head_shared(t->file, a), stdout);
    printf("\nlook at it: seqprobe show %s\n", t->name);
    return EXIT_OK;
}

static int help_mixer(const char *name, Arena *a, Err *err)
{
    const Mixer *m = mixer_named(name, err);
    MixerUse use;
    size_t fixed, per_token;
    if (!m || !mixer_read(value_scalar(a, name), a, &use, err)) return EXIT_USAGE;
    printf("%s - %s\n\n  %s, version %d\n  source    %s\n", m->name, m->summary, m->file, m->version, m->source);
    printf("  class     %s\n", theory_class_name(m->theory_class(use.cfg).kind));
    if (mixer_state(m, a, &fixed, &per_token)) {
        printf("  state     %zu reals", fixed);
        if (per_token) printf(" and %zu more per token", per_token);
        fputs(", one layer of width 64\n", stdout);
    } else
        fputs("  state     cannot run token by token\n", stdout);
    if (m->approx) fputs("  causal up to rounding (FFT)\n", stdout);
    print_head(m->file, m->summary, a);
    print_options("options (mixer:)", m->options, a);
    fputs(head_shared(m->file, a), stdout);
    return EXIT_OK;
}

static void print_topic(const Topic *t, Arena *a)
{
    const Entry *list = topic_entries(t, a);
    Buf b = buf_new(a);
    int width = 0;
    for (const Entry *e = list; e && e->name; e++)
        if (text_width(e->name) > width) width = text_width(e->name);
    buf_printf(&b, "%s: %s\n", t->name, t->summary);
    if (t->before) {
        buf_puts(&b, "\n");
        buf_paragraphs(&b, t->before, help_width());
    }
    if (list) buf_puts(&b, "\n");
    for (const Entry *e = list; e && e->name; e++)
        buf_item(&b, arena_printf(a, "  %s", e->name), width + 4, e->text, help_width());
    if (t->options) buf_printf(&b, "\n%s", options_help(t->options, a));
    if (t->after) buf_printf(&b, "\n%s", t->after);
    fputs(b.s, stdout);
}

static void print_topics(Arena *a)
{
    Buf b = buf_new(a);
    buf_puts(&b, "topics:\n");
    for (const Topic *t = topics; t->name; t++)
        buf_item(&b, arena_printf(a, "  %s", t->name), 16, t->summary, help_width());
    buf_item(&b, "  task NAME", 16, "layout and options of a task, what theory says of it", help_width());
    buf_item(&b, "  mixer NAME", 16, "equations, options, class and state of a mixer", help_width());
    buf_item(&b, "  COMMAND", 16, "one command, as seqprobe COMMAND --help", help_width());
    fputs(b.s, stdout);
}

static const Topic *topic_named(const char *name)
{
    for (const Topic *t = topics; t->name; t++)
        if (!strcmp(t->name, name)) return t;
    return NULL;
}

static bool unknown_topic(const Cli *c, const char *topic, Err *err)
{
    enum { MOST = 100 };
    const char *known[MOST + 1] = { "task", "mixer", "topics" };
    int n = 3;
    for (const Topic *t = topics; t->name && n < MOST; t++) known[n++] = t->name;
    for (int i = 0; c->commands[i] && n < MOST; i++) known[n++] = c->commands[i]->name;
    known[n] = NULL;
    return fail_unknown(err, "topic", topic, known, "seqprobe help topics names them");
}

static int run(Cli *c, Err *err)
{
    const char *topic = c->n_args ? c->args[0] : NULL, *name = c->n_args > 1 ? c->args[1] : NULL;
    const bool man = cli_bool(c, "man");
    if (c->n_sets || c->n_args > 2 || (man && topic)) {
        err_set(err, EXIT_USAGE, "usage: seqprobe help %s", c->command->synopsis);
        return EXIT_USAGE;
    }
    if (man)
        fputs(man_page(c->commands, c->arena), stdout);
    else if (!topic)
        cli_print_help(c->commands, stdout);
    else if (!strcmp(topic, "task") && name)
        return help_task(name, c->arena, err);
    else if ((!strcmp(topic, "mixer") || !strcmp(topic, "model")) && name)
        return help_mixer(name, c->arena, err);
    else if (!strcmp(topic, "task") || !strcmp(topic, "mixer"))
        err_set(err, EXIT_USAGE, "help %s NAME (seqprobe list %ss names them)", topic, topic);
    else if (name)
        err_set(err, EXIT_USAGE, "help %s takes no name", topic);
    else if (!strcmp(topic, "topics"))
        print_topics(c->arena);
    else if (topic_named(topic))
        print_topic(topic_named(topic), c->arena);
    else if (cli_find(c->commands, topic, NULL))
        cli_print_command(cli_find(c->commands, topic, NULL), stdout);
    else
        unknown_topic(c, topic, err);
    return err->code ? err->code : EXIT_OK;
}

static const Flag flags[] = {
    { "man", 0, FLAG_BOOL, NULL, NULL, "the manual page, for man(1): seqprobe help --man | man -l -" },
    FLAG_END,
};

const Command command_help = {
    .name = "help",
    .synopsis = "[COMMAND | task NAME | mixer NAME | TOPIC]",
    .summary = "a command, a task, a mixer, config files, exit codes, metrics",
    .description = "examples:\n"
                   "  seqprobe help sweep\n"
                   "  seqprobe help task parity\n"
                   "  seqprobe help config\n"
                   "  seqprobe help topics                         what else there is\n",
    .flags = flags,
    .run = run,
};
