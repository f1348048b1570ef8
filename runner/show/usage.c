/* SPDX-License-Identifier: Apache-2.0
 * usage.c - what `seqprobe`, `seqprobe --help`, `seqprobe COMMAND --help` print, from the tables of commands and flags.
 */
#include "show/show.h"

#include <string.h>

static const char intro[] = "seqprobe - what can a sequence model express, and what does it learn to express?\n";

const Entry program_examples[] = {
    { "seqprobe sweep configs/quick.yaml -j 2", "train every row; interrupted, it resumes where it stopped" },
    { "seqprobe table quick", "what was learnt, beside chance and theory" },
    { "seqprobe show parity len=12", "a few examples of a task" },
    { NULL, NULL },
};

const char program_description[] =
    "seqprobe generates the synthetic tasks on which sequence models are told apart, trains sequence mixers on them "
    "with\n"
    "one minimal loop, and turns YAML sweeps into tidy CSVs, tables, figures and pass/fail verdicts.\n"
    "\n"
    "Words of the form key=value are settings: they override the config, or are the options of a task. Flags may "
    "stand\n"
    "anywhere; -- ends them. Nothing may be abbreviated. Results go to standard output, messages and progress to\n"
    "standard error.\n";

enum { LEFT_MAX = 24, WIDTH_MIN = 60, WIDTH_MAX = 110 };

int help_width(void)
{
    int width = term_width(1);
    return width < WIDTH_MIN ? WIDTH_MIN : width > WIDTH_MAX ? WIDTH_MAX : width;
}

void buf_item(Buf *b, const char *left, int indent, const char *text, int width)
{
    Buf lines = buf_new(b->a);
    int at = text_width(left);
    buf_wrap(&lines, text, width - indent > 30 ? width - indent : 30);
    buf_puts(b, left);
    if (at >= indent) {
        buf_puts(b, "\n");
        at = 0;
    }
    for (const char *s = lines.len ? lines.s : "\n"; *s; at = 0) {
        size_t n = strcspn(s, "\n");
        buf_printf(b, "%*s%.*s\n", indent - at, "", (int)n, s);
        s += n + 1;
    }
}

void buf_paragraphs(Buf *b, const char *text, int width)
{
    while (*text) {
        const char *end = text;
        const bool keep = *text == ' ' || *text == '\n';
        while (*end && (*end == ' ' || *end == '\n') == keep) end += strcspn(end, "\n") + (strchr(end, '\n') != NULL);
        const char *part = arena_printf(b->a, "%.*s", (int)(end - text), text);
        if (keep)
            buf_puts(b, part);
        else
            buf_wrap(b, part, width);
        text = end;
    }
}

char *flag_text(Arena *a, const Flag *flag)
{
    const char *value = flag->value ? flag->value : "", *space = flag->value ? " " : "";
    if (flag->brief) return arena_printf(a, "-%c, --%s%s%s", flag->brief, flag->name, space, value);
    return arena_printf(a, "    --%s%s%s", flag->name, space, value);
}

static int flags_width(Arena *a, const Flag *flag)
{
    int width = 0;
    for (; flag && flag->name; flag++) {
        int n = text_width(flag_text(a, flag));
        if (n > width && n <= LEFT_MAX) width = n;
    }
    return width;
}

static void write_flags(Buf *b, const Flag *flag, int left)
{
    for (; flag && flag->name; flag++) {
        const char *def = flag->def && *flag->def ? arena_printf(b->a, " (default %s)", flag->def) : "";
        buf_item(b, arena_printf(b->a, "  %s", flag_text(b->a, flag)), left + 4,
                 arena_printf(b->a, "%s%s", flag->help, def), help_width());
    }
}

void cli_print_command(const Command *c, FILE *f)
{
    Arena *a = arena_new("help");
    Buf b = buf_new(a);
    int own = flags_width(a, c->flags), common = flags_width(a, cli_common_flags), left = own > common ? own : common;
    buf_printf(&b, "seqprobe %s - %s\n\nusage: seqprobe %s%s%s\n", c->name, c->summary, c->name,
               *c->synopsis ? " " : "", c->synopsis);
    if (c->description) {
        buf_puts(&b, "\n");
        buf_paragraphs(&b, c->description, help_width());
        if (b.s[b.len - 1] != '\n') buf_puts(&b, "\n");
    }
    buf_puts(&b, "\nflags:\n");
    write_flags(&b, c->flags, left);
    write_flags(&b, cli_common_flags, left);
    fputs(b.s, f);
    arena_free(a);
}

void cli_print_help(const Command *const *commands, FILE *f)
{
    int width = 0;
    for (int i = 0; commands[i]; i++)
        if ((int)strlen(commands[i]->name) > width) width = (int)strlen(commands[i]->name);
    fputs(intro, f);
    fputs("\nexamples:\n", f);
    for (const Entry *e = program_examples; e->name; e++) fprintf(f, "  %-41s  %s\n", e->name, e->text);
    fputs("\n"
          "usage: seqprobe COMMAND [argument ...] [key=value ...] [--flags]\n"
          "\n"
          "commands:\n",
          f);
    for (; *commands; commands++) fprintf(f, "  %-*s  %s\n", width, (*commands)->name, (*commands)->summary);
    fputs("\n"
          "more:\n"
          "  seqprobe COMMAND --help                    one command, its flags and examples\n"
          "  seqprobe help task NAME | mixer NAME       options, with ranges, defaults and sources\n"
          "  seqprobe help topics                       config files, exit codes, metrics, environment, ...\n",
          f);
}

void cli_print_short(const Command *const *commands, FILE *f)
{
    Arena *a = arena_new("help");
    Buf names = buf_new(a), b = buf_new(a);
    for (int i = 0; commands[i]; i++) buf_printf(&names, "%s ", commands[i]->name);
    buf_item(&b, "commands:", 10, names.s, help_width());
    fputs(intro, f);
    fprintf(f,
            "\n"
            "  make quick                                 build, sweep, table and figures in one go\n"
            "  seqprobe show parity len=12                look at a task\n"
            "\n"
            "%sseqprobe --help says more.\n",
            b.s);
    arena_free(a);
}
