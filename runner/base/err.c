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
    char old[sizeof e->msg];
    memcpy(old, e->msg, sizeof old);
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(e->msg, sizeof e->msg, fmt, ap);
    va_end(ap);
    if (n >= 0 && (size_t)n < sizeof e->msg) snprintf(e->msg + n, sizeof e->msg - (size_t)n, ": %s", old);
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
