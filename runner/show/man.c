/* SPDX-License-Identifier: Apache-2.0
 * man.c - the manual page seqprobe(1), in the man(7) language, from the tables of commands, flags, options and topics.
 */
#include "show/show.h"

#include <ctype.h>
#include <string.h>

/* The page so far; a paragraph macro right after a heading would be an error. */
typedef struct Page {
    Buf b;
    bool after_heading;
} Page;

/* n bytes that mean themselves: no escapes, no hyphens for minus, no macro at the start of a line. */
static void put(Buf *b, const char *s, size_t n)
{
    if (n && (*s == '.' || *s == '\'')) buf_puts(b, "\\&");
    for (size_t i = 0; i < n; i++) {
        if (s[i] == '\\')
            buf_puts(b, "\\e");
        else if (s[i] == '-')
            buf_puts(b, "\\-");
        else
            buf_printf(b, "%c", s[i]);
    }
}

static void put_text(Page *p, const char *s)
{
    put(&p->b, s, strlen(s));
    p->after_heading = false;
}

static void heading(Page *p, const char *macro, const char *title)
{
    buf_printf(&p->b, ".%s ", macro);
    put_text(p, title);
    buf_puts(&p->b, "\n");
    p->after_heading = true;
}

static void paragraph(Page *p)
{
    if (!p->after_heading) buf_puts(&p->b, ".PP\n");
    p->after_heading = false;
}

/* Words in lines of at most 78 columns. */
static void put_filled(Page *p, const char *text)
{
    Buf lines = buf_new(p->b.a);
    buf_wrap(&lines, text, 78);
    for (const char *s = lines.s; *s;) {
        size_t n = strcspn(s, "\n");
        put(&p->b, s, n);
        buf_puts(&p->b, "\n");
        s += n + 1;
    }
    p->after_heading = false;
}

/* Lines of help: a blank line starts a paragraph, indented lines keep their form. */
static void put_lines(Page *p, const char *text)
{
    while (*text) {
        const char *end = text;
        const bool keep = *text == ' ';
        while (*end && *end != '\n' && (*end == ' ') == keep) end += strcspn(end, "\n") + (strchr(end, '\n') != NULL);
        if (end > text) {
            paragraph(p);
            if (keep) {
                buf_puts(&p->b, ".nf\n");
                put(&p->b, text, (size_t)(end - text));
                buf_puts(&p->b, ".fi\n");
            } else
                put_filled(p, arena_printf(p->b.a, "%.*s", (int)(end - text), text));
        }
        text = end + (*end == '\n');
    }
}

static void item(Page *p, const char *name, const char *more, const char *text)
{
    buf_puts(&p->b, ".TP\n\\fB");
    put_text(p, name);
    buf_puts(&p->b, "\\fR");
    if (*more) buf_puts(&p->b, " ");
    put_text(p, more);
    buf_puts(&p->b, "\n");
    put_filled(p, text);
}

static void put_flags(Page *p, const Flag *flag)
{
    for (; flag && flag->name; flag++) {
        const char *name = flag_text(p->b.a, flag);
        const char *def = flag->def && *flag->def ? arena_printf(p->b.a, "(default %s)", flag->def) : "";
        item(p, name + strspn(name, " "), def, flag->help);
    }
}

static void put_options(Page *p, const Option *o)
{
    Arena *a = p->b.a;
    for (; o && o->name; o++) {
        const char *def = o->def && *o->def ? arena_printf(a, "; default %s", o->def) : "";
        item(p, o->name, arena_printf(a, "(%s%s)", option_type(o, a), def), o->help);
    }
}

static void put_topic(Page *p, const Topic *t)
{
    heading(p, t->options ? "SS" : "SH", t->title);
    if (t->options) put_lines(p, arena_printf(p->b.a, "%s\n", t->summary));
    if (t->before) put_lines(p, t->before);
    for (const Entry *e = topic_entries(t, p->b.a); e && e->name; e++)
        item(p, e->name + strspn(e->name, " "), "", e->text);
    put_options(p, t->options);
    if (t->after) put_lines(p, t->after);
}

static void put_command(Page *p, const Command *c)
{
    heading(p, "SS", c->name);
    buf_puts(&p->b, "\\fBseqprobe ");
    put_text(p, c->name);
    buf_puts(&p->b, "\\fR ");
    put_text(p, c->synopsis);
    buf_puts(&p->b, "\n");
    put_lines(p, arena_printf(p->b.a, "%c%s.\n", toupper((unsigned char)c->summary[0]), c->summary + 1));
    if (c->description) put_lines(p, c->description);
    put_flags(p, c->flags);
}

char *man_page(const Command *const *commands, Arena *a)
{
    Page p = { .b = buf_new(a) };
    const char *version = program_version();
    buf_puts(&p.b, ".\\\" SPDX-License-Identifier: Apache-2.0\n");
    buf_printf(&p.b, ".TH SEQPROBE 1 \"%s\" \"%.*s\" \"User Commands\"\n", program_date(), (int)strcspn(version, "("),
               version);
    heading(&p, "SH", "NAME");
    buf_puts(&p.b, "seqprobe \\- what can a sequence model express, and what does it learn to express?\n");
    heading(&p, "SH", "SYNOPSIS");
    buf_puts(&p.b, "\\fBseqprobe\\fR \\fICOMMAND\\fR [\\fIargument\\fR ...] [\\fIkey\\fR=\\fIvalue\\fR ...] "
                   "[\\-\\-\\fIflags\\fR]\n.br\n\\fBseqprobe\\fR \\-\\-help | \\-\\-version\n");
    heading(&p, "SH", "DESCRIPTION");
    put_lines(&p, program_description);
    heading(&p, "SH", "COMMANDS");
    for (; *commands; commands++) put_command(&p, *commands);
    heading(&p, "SS", "flags of every command");
    put_flags(&p, cli_common_flags);
    for (const Topic *t = topics; t->name; t++) put_topic(&p, t);
    heading(&p, "SH", "EXAMPLES");
    for (const Entry *e = program_examples; e->name; e++) item(&p, e->name, "", e->text);
    heading(&p, "SH", "SEE ALSO");
    buf_puts(&p.b, "\\fBgnuplot\\fR(1)\n");
    return p.b.s;
}
