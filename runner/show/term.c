/* SPDX-License-Identifier: Apache-2.0
 * term.c - what a stream's terminal can do.
 *
 * Colour, first rule that applies: SEQPROBE_COLOR (set by --color) always or never; NO_COLOR present and not empty: no;
 * CLICOLOR_FORCE present, not empty and not "0": yes; else if the stream is a terminal and TERM is set and not "dumb".
 */
#include "cli.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static const char *variable(const char *name)
{
    const char *s = getenv(name);
    return s && *s ? s : NULL;
}

bool term_is_tty(int fd) { return isatty(fd) == 1; }

bool term_color(int fd)
{
    const char *when = variable("SEQPROBE_COLOR"), *force = variable("CLICOLOR_FORCE"), *term = variable("TERM");
    if (when && !strcmp(when, "always")) return true;
    if (when && !strcmp(when, "never")) return false;
    if (variable("NO_COLOR")) return false;
    if (force && strcmp(force, "0")) return true;
    return term_is_tty(fd) && term && strcmp(term, "dumb");
}

int term_width(int fd)
{
    struct winsize size;
    const char *columns = variable("COLUMNS");
    int n = columns ? atoi(columns) : 0;
    if (n >= 20 && n <= 10000) return n;
    if (ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col >= 20) return size.ws_col;
    return 80;
}
