/* SPDX-License-Identifier: Apache-2.0
 * fault.c - the program with one call to the system failing: calls of our code and of libyaml to the names in the
 * Makefile's WRAPPED come here (--wrap), while this file and the other libraries call the system itself.
 *
 *   FAULT_LOG=FILE    write "number what site" of every call that could fail; site hashes the callers
 *   FAULT_AT=N        call N fails: memory and descriptors run out, the disk is full, a read or a lock breaks
 *   FAULT_TRACE=1     and who made it is printed on standard error, as addr2line takes it
 *   FAULT_SHORT=1     instead, a write takes half of its bytes (which is no fault: the rest has to follow)
 *
 * Buffered output fails as it does on a full disk: the stream is pointed at /dev/full while it is written out. What
 * goes to standard error never fails, and neither does anything in a child process.
 */
#include <dirent.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

extern char __executable_start;

static struct {
    bool on, inside, shorten, trace;
    long at, n;
    int log;
} state;

void *__wrap_malloc(size_t);
void *__wrap_calloc(size_t, size_t);
void *__wrap_realloc(void *, size_t);
void *__wrap_aligned_alloc(size_t, size_t);
void *__wrap_mmap(void *, size_t, int, int, int, off_t);
int __wrap_open(const char *, int, ...);
ssize_t __wrap_read(int, void *, size_t);
ssize_t __wrap_write(int, const void *, size_t);
int __wrap_close(int);
int __wrap_fsync(int);
int __wrap_ftruncate(int, off_t);
int __wrap_rename(const char *, const char *);
int __wrap_mkdir(const char *, mode_t);
int __wrap_flock(int, int);
int __wrap_pipe(int *);
pid_t __wrap_fork(void);
DIR *__wrap_opendir(const char *);
FILE *__wrap_fopen(const char *, const char *);
int __wrap_fclose(FILE *);
int __wrap_fflush(FILE *);
size_t __wrap_fwrite(const void *, size_t, size_t, FILE *);
int __wrap_fputs(const char *, FILE *);
int __wrap_fputc(int, FILE *);
int __wrap_puts(const char *);
int __wrap_putchar(int);
int __wrap_printf(const char *, ...);
int __wrap_fprintf(FILE *, const char *, ...);

__attribute__((constructor)) static void begin(void)
{
    const char *log = getenv("FAULT_LOG"), *at = getenv("FAULT_AT");
    state.log = log ? open(log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666) : -1;
    state.at = at ? atol(at) : 0;
    state.shorten = getenv("FAULT_SHORT") != NULL;
    state.trace = getenv("FAULT_TRACE") != NULL;
    state.on = log || at;
    unsetenv("FAULT_LOG"); /* workers run undisturbed */
    unsetenv("FAULT_AT");
    unsetenv("FAULT_SHORT");
}

/* Who called, wherever the program was loaded. */
static uint64_t site(void)
{
    void *frame[24];
    uint64_t h = 1469598103934665603u;
    const int n = backtrace(frame, 24);
    for (int i = 2; i < n; i++)
        h = (h ^ (uint64_t)((uintptr_t)frame[i] - (uintptr_t)&__executable_start) % 0x7fffffff) * 1099511628211u;
    return h;
}

/* Is this the call that fails? */
static bool fails(const char *what)
{
    char line[96];
    if (!state.on || state.inside) return false;
    state.n++;
    if (state.log >= 0) {
        state.inside = true;
        int n = snprintf(line, sizeof line, "%ld %s %016llx\n", state.n, what, (unsigned long long)site());
        if (write(state.log, line, (size_t)n) != n) abort();
        state.inside = false;
    }
    if (state.trace && state.n == state.at) {
        void *frame[24];
        state.inside = true;
        backtrace_symbols_fd(frame, backtrace(frame, 24), 2);
        state.inside = false;
    }
    return state.n == state.at && !state.shorten;
}

static bool fails_with(const char *what, int code)
{
    if (!fails(what)) return false;
    errno = code;
    return true;
}

/* ---- memory ---- */

void *__wrap_malloc(size_t n) { return fails_with("malloc", ENOMEM) ? NULL : malloc(n); }

void *__wrap_calloc(size_t n, size_t size) { return fails_with("calloc", ENOMEM) ? NULL : calloc(n, size); }

void *__wrap_realloc(void *p, size_t n) { return fails_with("realloc", ENOMEM) ? NULL : realloc(p, n); }

void *__wrap_aligned_alloc(size_t align, size_t n)
{
    return fails_with("aligned_alloc", ENOMEM) ? NULL : aligned_alloc(align, n);
}

void *__wrap_mmap(void *at, size_t n, int prot, int flags, int fd, off_t from)
{
    return fails_with("mmap", ENOMEM) ? MAP_FAILED : mmap(at, n, prot, flags, fd, from);
}

/* ---- files and processes ---- */

int __wrap_open(const char *path, int flags, ...)
{
    va_list ap;
    va_start(ap, flags);
    const int mode = flags & O_CREAT ? va_arg(ap, int) : 0;
    va_end(ap);
    return fails_with("open", flags & O_CREAT ? ENOSPC : EMFILE) ? -1 : open(path, flags, mode);
}

ssize_t __wrap_read(int fd, void *p, size_t n) { return fails_with("read", EIO) ? -1 : read(fd, p, n); }

ssize_t __wrap_write(int fd, const void *p, size_t n)
{
    if (fd == 2) return write(fd, p, n);
    if (fails_with("write", ENOSPC)) return -1;
    return write(fd, p, state.on && state.shorten && state.n == state.at && n > 1 ? n / 2 : n);
}

int __wrap_close(int fd)
{
    const bool bad = fails("close");
    const int r = close(fd);
    if (bad) errno = EIO;
    return bad ? -1 : r;
}

int __wrap_fsync(int fd) { return fails_with("fsync", EIO) ? -1 : fsync(fd); }

int __wrap_ftruncate(int fd, off_t n) { return fails_with("ftruncate", ENOSPC) ? -1 : ftruncate(fd, n); }

int __wrap_rename(const char *a, const char *b) { return fails_with("rename", ENOSPC) ? -1 : rename(a, b); }

int __wrap_mkdir(const char *path, mode_t mode) { return fails_with("mkdir", ENOSPC) ? -1 : mkdir(path, mode); }

int __wrap_flock(int fd, int how) { return fails_with("flock", ENOLCK) ? -1 : flock(fd, how); }

int __wrap_pipe(int *fd) { return fails_with("pipe", EMFILE) ? -1 : pipe(fd); }

pid_t __wrap_fork(void)
{
    if (fails_with("fork", EAGAIN)) return -1;
    const pid_t pid = fork();
    if (pid == 0) state.on = false;
    return pid;
}

DIR *__wrap_opendir(const char *path) { return fails_with("opendir", EMFILE) ? NULL : opendir(path); }

/* ---- streams ---- */

FILE *__wrap_fopen(const char *path, const char *mode)
{
    return fails_with("fopen", mode[0] == 'r' ? EMFILE : ENOSPC) ? NULL : fopen(path, mode);
}

/* Point the stream at a full disk; what it was is returned, -1 if it is not to fail. */
static int fill(FILE *f, const char *what)
{
    if (f == stderr || !fails(what)) return -1;
    const int fd = fileno(f), was = dup(fd), full = open("/dev/full", O_WRONLY | O_CLOEXEC);
    dup2(full, fd);
    close(full);
    return was;
}

/* Write out what is buffered, so that the fault shows, and undo it. */
static bool drain(FILE *f, int was)
{
    if (was < 0) return false;
    fflush(f);
    dup2(was, fileno(f));
    close(was);
    errno = ENOSPC;
    return true;
}

int __wrap_fclose(FILE *f)
{
    const bool bad = drain(f, fill(f, "fclose"));
    const int r = fclose(f);
    if (bad) errno = ENOSPC;
    return bad ? EOF : r;
}

int __wrap_fflush(FILE *f) { return f && drain(f, fill(f, "fflush")) ? EOF : fflush(f); }

size_t __wrap_fwrite(const void *p, size_t size, size_t n, FILE *f)
{
    const int was = fill(f, "fwrite");
    const size_t r = fwrite(p, size, n, f);
    return drain(f, was) ? 0 : r;
}

int __wrap_fputs(const char *s, FILE *f)
{
    const int was = fill(f, "fputs"), r = fputs(s, f);
    return drain(f, was) ? EOF : r;
}

int __wrap_fputc(int c, FILE *f)
{
    const int was = fill(f, "fputc"), r = fputc(c, f);
    return drain(f, was) ? EOF : r;
}

int __wrap_puts(const char *s)
{
    const int was = fill(stdout, "puts"), r = puts(s);
    return drain(stdout, was) ? EOF : r;
}

int __wrap_putchar(int c)
{
    const int was = fill(stdout, "putchar"), r = putchar(c);
    return drain(stdout, was) ? EOF : r;
}

int __wrap_fprintf(FILE *f, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    const int was = fill(f, "fprintf"), r = vfprintf(f, fmt, ap);
    va_end(ap);
    return drain(f, was) ? -1 : r;
}

int __wrap_printf(const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    const int was = fill(stdout, "printf"), r = vprintf(fmt, ap);
    va_end(ap);
    return drain(stdout, was) ? -1 : r;
}
