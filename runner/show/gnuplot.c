/* SPDX-License-Identifier: Apache-2.0
 * gnuplot.c - assignments in gnuplot's language, and the program itself.
 *
 * A gnuplot that says "warning" has failed, whatever its exit status: it warns of an empty range and still exits 0.
 */
#include "show/figure_parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* A double-quoted gnuplot string. */
void set_text(Buf *b, const char *name, const char *text)
{
    buf_printf(b, "%s=\"", name);
    for (; *text; text++) buf_printf(b, *text == '"' || *text == '\\' || *text == '`' ? "\\%c" : "%c", *text);
    buf_puts(b, "\"; ");
}

/* 'a' 'b c': what word(NAME, i) takes apart, with a typographic apostrophe inside. */
void set_words(Buf *b, const char *name, const char *const *word, int n)
{
    Buf words = buf_new(b->a);
    buf_puts(&words, "");
    for (int i = 0; i < n; i++) {
        buf_puts(&words, i ? " '" : "'");
        for (const char *s = word[i]; *s; s++)
            *s == '\'' ? buf_puts(&words, "’") : buf_printf(&words, "%c", (unsigned char)*s < ' ' ? ' ' : *s);
        buf_puts(&words, "'");
    }
    set_text(b, name, words.s);
}

static _Noreturn void become_gnuplot(const int ends[2], const char *assignments, const char *script)
{
    setenv("LC_ALL", "C.UTF-8", 1); /* else `set encoding utf8` warns in the C locale */
    dup2(ends[1], 2);
    close(ends[0]);
    close(ends[1]);
    execlp("gnuplot", "gnuplot", "-e", assignments, script, (char *)NULL);
    _exit(127);
}

static bool complain(int status, const char *script, const char *said, Err *err)
{
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
        return err_set(err, EXIT_FAILED, "gnuplot is not installed: apt-get install gnuplot-nox (or make deps)");
    if (status == 0 && !strstr(said, "arning")) return true;
    /* Its last line but for the place says what is wrong; the first may be the script's own line. */
    const char *text = said + strspn(said, "\n ");
    const char *warning = strstr(said, "arning");
    if (warning) {
        text = warning;
        while (text > said && text[-1] != '\n') text--;
        text += strspn(text, " ");
    }
    return err_set(err, EXIT_FAILED, "gnuplot %s: %.*s", script, (int)strcspn(text, "\n"),
                   *text ? text : "failed without a word");
}

bool gnuplot_run(const char *assignments, const char *script, Arena *a, Err *err)
{
    int ends[2], status = 0;
    char part[512];
    Buf said = buf_new(a);
    buf_puts(&said, "");
    fflush(stdout);
    if (pipe(ends)) return err_set(err, EXIT_FAILED, "cannot make a pipe: %s", strerror(errno));
    pid_t pid = fork();
    if (pid < 0) {
        close(ends[0]);
        close(ends[1]);
        return err_set(err, EXIT_FAILED, "cannot start gnuplot: %s", strerror(errno));
    }
    if (pid == 0) become_gnuplot(ends, assignments, script);
    close(ends[1]);
    for (ssize_t n; (n = read(ends[0], part, sizeof part - 1)) != 0;) {
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) break;
        part[n] = 0;
        buf_puts(&said, part);
    }
    close(ends[0]);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
    return complain(status, script, said.s, err);
}
