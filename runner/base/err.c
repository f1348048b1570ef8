/* SPDX-License-Identifier: Apache-2.0
 * err.c - errors and failed checks. */
#include "base/base.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool err_set(Err *e, int code, const char *fmt, ...)
{
    if (!e || e->code) return false;
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(e->msg, sizeof e->msg, fmt, ap);
    va_end(ap);
    e->code = code;
    return false;
}

bool err_prefix(Err *e, const char *fmt, ...)
{
    if (!e || !e->code) return false;
    char old[sizeof e->msg + 2] = ": ";
    memcpy(old + 2, e->msg, sizeof e->msg);
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(e->msg, sizeof e->msg, fmt, ap);
    va_end(ap);
    if (n >= 0 && (size_t)n < sizeof e->msg - 1) { /* what does not fit is cut at the end */
        size_t room = sizeof e->msg - 1 - (size_t)n, len = strlen(old);
        memcpy(e->msg + n, old, len < room ? len : room);
        e->msg[n + (int)(len < room ? len : room)] = 0;
    }
    return false;
}

_Noreturn void check_fail(const char *file, int line, const char *cond, const char *fmt, ...)
{
    fflush(stdout);
    fprintf(stderr, "seqprobe: %s:%d: check failed: %s: ", file, line, cond);
    va_list ap;
    va_start(ap, fmt);
    vfprintf(stderr, fmt, ap);
    va_end(ap);
    fputc('\n', stderr);
    abort();
}
