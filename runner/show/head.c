/* SPDX-License-Identifier: Apache-2.0
 * head.c - the head comments of tasks and mixers as pages of help: a plug-in is documented in its own file only.
 */
#include "show/show.h"

#include <ctype.h>
#include <string.h>

static const Head *head_of(const char *file)
{
    for (const Head *h = all_heads; h->file; h++)
        if (!strcmp(h->file, file)) return h;
    return NULL;
}

/* "Source: ..." begins a paragraph of its own, like a blank or an indented line. */
static bool starts_paragraph(const char *s)
{
    size_t n = strspn(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz");
    return *s == 0 || *s == ' ' || (isupper((unsigned char)*s) && s[n] == ':');
}

/* Lines from *at on that are one paragraph; *at moves behind them. */
static char *take_paragraph(const char *const **at, Arena *a)
{
    Buf b = buf_new(a);
    do buf_printf(&b, "%s\n", *(*at)++);
    while (**at && !starts_paragraph(**at));
    return b.s;
}

static void print_body(Buf *b, const char *const *line)
{
    while (*line)
        if (**line == 0 || **line == ' ')
            buf_printf(b, "%s\n", *line++);
        else
            buf_paragraphs(b, take_paragraph(&line, b->a), help_width());
}

/* "name - what it is", the first paragraph: what it is, unless that is the summary already. */
static void print_title(Buf *b, const char *text, const char *summary)
{
    const char *dash = strstr(text, " - ");
    size_t n = strlen(summary);
    if (!dash || (!strncmp(dash + 3, summary, n) && !strcmp(dash + 3 + n, ".\n"))) return;
    char *what = arena_printf(b->a, "%s", dash + 3);
    *what = (char)toupper((unsigned char)*what);
    buf_paragraphs(b, what, help_width());
    buf_puts(b, "\n");
}

const char *head_text(const char *file, const char *summary, Arena *a)
{
    const Head *h = head_of(file);
    Buf b = buf_new(a);
    if (!h) return "";
    const char *const *line = h->line;
    print_title(&b, take_paragraph(&line, a), summary);
    if (*line) print_body(&b, line + 1);
    return b.len ? b.s : "";
}

/* Does the head name this file of a common folder ("common/qkv.h")? */
static bool head_names(const Head *h, const char *file)
{
    const char *name = strstr(file, "common/");
    for (const char *const *line = h->line; name && *line; line++)
        if (strstr(*line, name)) return true;
    return false;
}

const char *head_shared(const char *file, Arena *a)
{
    const Head *h = head_of(file);
    const size_t tree = strcspn(file, "/"); /* tasks or models */
    Buf b = buf_new(a);
    for (const Head *other = all_heads; h && other->file; other++) {
        if (other == h || strncmp(other->file, file, tree + 1) != 0 || !head_names(h, other->file)) continue;
        const char *const *line = other->line;
        const char *folder = arena_printf(a, "%.*s", (int)(strrchr(other->file, '/') + 1 - other->file), other->file);
        buf_puts(&b, "\n");
        buf_paragraphs(&b, arena_printf(a, "%s%s", folder, take_paragraph(&line, a)), help_width());
        print_body(&b, line);
    }
    return b.len ? b.s : "";
}
