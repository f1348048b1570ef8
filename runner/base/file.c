/* SPDX-License-Identifier: Apache-2.0
 * file.c - text buffers, whole files in and out, folders, paths, and a stable content hash.
 *
 * Every failure names the path and what the system said. A file written here is either the old one or the whole new
 * one, at any moment and after a crash.
 */
#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef PATH_MAX
#define PATH_MAX 4096
#endif

/* ---- text buffers ---- */

Buf buf_new(Arena *a)
{
    Buf b = { .a = a, .cap = 256 };
    b.s = ARENA_RAW(a, char, b.cap);
    b.s[0] = 0;
    return b;
}

/* Make room for n more bytes and the NUL. */
static void buf_reserve(Buf *b, size_t n)
{
    if (b->len + n + 1 <= b->cap) return;
    size_t cap = b->cap * 2 > b->len + n + 1 ? b->cap * 2 : b->len + n + 1;
    char *s = ARENA_RAW(b->a, char, cap);
    memcpy(s, b->s, b->len + 1);
    b->s = s;
    b->cap = cap;
}

static void buf_bytes(Buf *b, const char *s, size_t n)
{
    buf_reserve(b, n);
    memcpy(b->s + b->len, s, n);
    b->s[b->len += n] = 0;
}

void buf_puts(Buf *b, const char *s) { buf_bytes(b, s, strlen(s)); }

void buf_printf(Buf *b, const char *fmt, ...)
{
    va_list ap, again;
    va_start(ap, fmt);
    va_copy(again, ap);
    int n = vsnprintf(b->s + b->len, b->cap - b->len, fmt, ap);
    va_end(ap);
    CHECK(n >= 0, "buf_printf: bad format '%s'", fmt);
    if ((size_t)n >= b->cap - b->len) {
        b->s[b->len] = 0;
        buf_reserve(b, (size_t)n);
        vsnprintf(b->s + b->len, b->cap - b->len, fmt, again);
    }
    va_end(again);
    b->len += (size_t)n;
}

void buf_csv(Buf *b, const char *cell)
{
    if (!cell[strcspn(cell, ",\"\r\n")] && strncmp(cell, "\xef\xbb\xbf", 3) != 0) { /* no byte order mark either */
        buf_puts(b, cell);
        return;
    }
    buf_puts(b, "\"");
    for (;;) {
        size_t n = strcspn(cell, "\"");
        buf_bytes(b, cell, n);
        if (!cell[n]) break;
        buf_puts(b, "\"\"");
        cell += n + 1;
    }
    buf_puts(b, "\"");
}

void buf_real(Buf *b, double v)
{
    if (isfinite(v)) buf_printf(b, "%.9g", v);
}

/* ---- whole files ---- */

static bool io_error(Err *err, const char *what, const char *path, int code)
{
    return err_set(err, EXIT_FAILED, "cannot %s %s: %s", what, path, strerror(code));
}

/* Of a machine in trouble rather than of a file that is not as expected: EXIT_MEMORY, as for memory. */
static bool read_error(Err *err, const char *path, int code)
{
    const bool new = err && !err->code, trouble = code == EIO || code == EMFILE || code == ENFILE || code == ENOMEM;
    io_error(err, "read", path, code);
    if (new &&trouble) err->code = EXIT_MEMORY;
    return false;
}

/* Everything of fd, at most max_bytes; *out is NUL-terminated. */
static bool read_all(int fd, const char *path, size_t hint, size_t max_bytes, Arena *a, char **out, size_t *len,
                     Err *err)
{
    size_t cap = hint < max_bytes ? hint + 2 : max_bytes + 2, n = 0; /* one to see the end, one for the NUL */
    char *s = ARENA_RAW(a, char, cap);
    for (;;) {
        if (n + 1 == cap) {
            if (n > max_bytes) return err_set(err, EXIT_FAILED, "%s: larger than %zu bytes", path, max_bytes);
            size_t more = cap < max_bytes / 2 ? cap * 2 : max_bytes + 2;
            char *t = ARENA_RAW(a, char, more);
            memcpy(t, s, n);
            s = t;
            cap = more;
        }
        ssize_t got = read(fd, s + n, cap - 1 - n);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return read_error(err, path, errno);
        if (got == 0) break;
        n += (size_t)got;
    }
    if (n > max_bytes) return err_set(err, EXIT_FAILED, "%s: larger than %zu bytes", path, max_bytes);
    s[n] = 0;
    *out = s;
    if (len) *len = n;
    return true;
}

bool file_read(const char *path, size_t max_bytes, Arena *a, char **out, size_t *len, Err *err)
{
    CHECK(max_bytes < SIZE_MAX / 8, "file_read: limit %zu", max_bytes);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return read_error(err, path, errno);
    struct stat st;
    bool ok = fstat(fd, &st) == 0 || io_error(err, "read", path, errno);
    if (ok && S_ISDIR(st.st_mode)) ok = io_error(err, "read", path, EISDIR);
    size_t hint = ok && S_ISREG(st.st_mode) && st.st_size > 0 ? (size_t)st.st_size : 4096;
    if (ok && S_ISREG(st.st_mode) && hint > max_bytes && hint != 4096)
        ok = err_set(err, EXIT_FAILED, "%s: larger than %zu bytes", path, max_bytes);
    if (ok) ok = read_all(fd, path, hint, max_bytes, a, out, len, err);
    close(fd);
    return ok;
}

static bool write_all(int fd, const char *s, size_t len)
{
    while (len > 0) {
        ssize_t put = write(fd, s, len < 1u << 30 ? len : 1u << 30);
        if (put < 0 && errno == EINTR) continue;
        if (put == 0) errno = ENOSPC;
        if (put <= 0) return false;
        s += put;
        len -= (size_t)put;
    }
    return true;
}

/* Length of the folder part of path, 0 if it has none. "/x" has the folder "/". */
static size_t dir_len(const char *path)
{
    const char *slash = strrchr(path, '/');
    while (slash && slash > path && slash[-1] == '/') slash--;
    return !slash ? 0 : slash == path ? 1 : (size_t)(slash - path);
}

/* Filesystems that cannot are not asked twice. */
bool dir_sync(const char *dir, Err *err)
{
    int fd = open(dir, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return errno == EACCES || io_error(err, "sync folder", dir, errno);
    bool ok = fsync(fd) == 0 || errno == EINVAL || errno == EROFS || errno == ENOTSUP;
    if (!ok) io_error(err, "sync folder", dir, errno);
    close(fd);
    return ok;
}

bool file_write(const char *path, const void *data, size_t len, WriteKind kind, Err *err)
{
    char tmp[PATH_MAX];
    int n = snprintf(tmp, sizeof tmp, "%s.tmp.%ld", path, (long)getpid());
    if (n < 0 || n >= (int)sizeof tmp) return io_error(err, "write", path, ENAMETOOLONG);
    int fd = open(tmp, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0) return io_error(err, "write", path, errno);
    bool ok = write_all(fd, data, len) && (kind == WRITE_SOON || fsync(fd) == 0);
    int code = errno;
    if (close(fd) != 0 && ok) ok = false, code = errno;
    if (ok && rename(tmp, path) != 0) ok = false, code = errno;
    if (!ok) {
        unlink(tmp);
        return io_error(err, "write", path, code);
    }
    if (kind != WRITE_DURABLE) return true;
    const size_t folder = dir_len(path);
    snprintf(tmp, sizeof tmp, "%.*s", folder ? (int)folder : 1, folder ? path : ".");
    return dir_sync(tmp, err);
}

bool file_write_atomic(const char *path, const void *data, size_t len, Err *err)
{
    return file_write(path, data, len, WRITE_DURABLE, err);
}

bool file_exists(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0;
}

static bool dir_make_one(const char *path, Err *err)
{
    struct stat st;
    if (mkdir(path, 0777) == 0) return true;
    int code = errno;
    if (stat(path, &st) == 0) return S_ISDIR(st.st_mode) || io_error(err, "make folder", path, ENOTDIR);
    return io_error(err, "make folder", path, code);
}

bool dir_make(const char *path, Err *err)
{
    char part[PATH_MAX];
    size_t len = strlen(path);
    if (len == 0) return true;
    if (len >= sizeof part) return io_error(err, "make folder", path, ENAMETOOLONG);
    for (size_t i = 0; i < len; i++) {
        part[i] = path[i];
        part[i + 1] = 0;
        if (path[i] != '/' && (path[i + 1] == '/' || path[i + 1] == 0)) TRY(dir_make_one(part, err));
    }
    return true;
}

/* "NAME.tmp.123" */
static bool is_leftover(const char *name)
{
    const char *tmp = strstr(name, ".tmp.");
    if (!tmp) return false;
    for (const char *c = tmp + 5; *c; c++)
        if (*c < '0' || *c > '9') return false;
    return tmp[5] != 0;
}

void dir_clean(const char *path)
{
    DIR *d = opendir(path);
    if (!d) return;
    for (struct dirent *e; (e = readdir(d));)
        if (is_leftover(e->d_name)) unlinkat(dirfd(d), e->d_name, 0);
    closedir(d);
}

/* ---- paths ---- */

char *path_join(Arena *a, const char *dir, const char *name)
{
    size_t n = dir ? strlen(dir) : 0;
    if (n == 0 || name[0] == '/') return arena_strdup(a, name);
    return arena_printf(a, "%s%s%s", dir, dir[n - 1] == '/' ? "" : "/", name);
}

char *path_dir(Arena *a, const char *path)
{
    size_t n = dir_len(path);
    return n ? arena_printf(a, "%.*s", (int)n, path) : arena_strdup(a, ".");
}

/* ---- hash ---- */

/* One bijective 64-bit finaliser per little-endian word of 8 bytes, the last one padded with zeros; the length is
 * mixed in first, so that padding cannot be confused with content. */
uint64_t hash_bytes(const void *data, size_t len, uint64_t seed)
{
    const unsigned char *p = data;
    uint64_t h = mix64(seed ^ mix64((uint64_t)len));
    for (; len >= 8; len -= 8, p += 8) {
        uint64_t w = 0;
        for (int i = 0; i < 8; i++) w |= (uint64_t)p[i] << (8 * i);
        h = mix64(h ^ w);
    }
    uint64_t w = 0;
    for (size_t i = 0; i < len; i++) w |= (uint64_t)p[i] << (8 * i);
    return mix64(h ^ w);
}
