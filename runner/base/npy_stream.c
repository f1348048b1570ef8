/* SPDX-License-Identifier: Apache-2.0
 * npy_stream.c - .npy arrays piece by piece, in memory that does not depend on their size.
 */
#include "base/npy.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PIECE = 2048 }; /* elements that are converted at a time */

static bool fail(Err *err, const char *what, const char *path, int code)
{
    return err_set(err, EXIT_FAILED, "cannot %s %s: %s", what, path, strerror(code));
}

/* ---- reading ---- */

bool npy_open(const char *path, NpyReader *out, Err *err)
{
    struct stat st;
    char *head;
    *out = (NpyReader){ .path = path, .f = fopen(path, "rb") };
    if (!out->f) return fail(err, "read", path, errno);
    if (fstat(fileno(out->f), &st) != 0) return fail(err, "read", path, errno);
    if (!S_ISREG(st.st_mode)) return err_set(err, EXIT_FAILED, "cannot read %s: not a file", path);
    Arena *tmp = arena_new("npy_open");
    head = ARENA_RAW(tmp, char, NPY_HEAD_MAX);
    const size_t len = fread(head, 1, NPY_HEAD_MAX, out->f);
    bool ok = !ferror(out->f) || fail(err, "read", path, errno);
    ok = ok && npy_header(path, head, len, (size_t)st.st_size, &out->is, err);
    if (ok && fseek(out->f, (long)out->is.start, SEEK_SET) != 0) ok = fail(err, "read", path, errno);
    arena_free(tmp);
    return ok;
}

/* n elements of the file, at most PIECE, into raw. */
static bool next(NpyReader *r, size_t n, unsigned char *raw, Err *err)
{
    CHECK(n <= r->is.count - r->at, "%s: read beyond its end", r->path);
    if (fread(raw, r->is.item, n, r->f) == n) {
        r->at += n;
        return true;
    }
    if (ferror(r->f)) return fail(err, "read", r->path, errno);
    return err_set(err, EXIT_FAILED, "%s: has become shorter while it was read", r->path);
}

/* An integer of the file as an int. */
static bool int_at(const NpyReader *r, const unsigned char *p, int *out)
{
    const uint64_t x = npy_load(p, r->is.item), sign = (uint64_t)1 << (8 * r->is.item - 1);
    if (r->is.kind != 'i') {
        *out = (int)x;
        return x <= INT_MAX;
    }
    const int64_t v = (int64_t)((x ^ sign) - sign);
    *out = (int)v;
    return v >= INT_MIN && v <= INT_MAX;
}

bool npy_ints(NpyReader *r, size_t n, int *out, Err *err)
{
    unsigned char raw[PIECE * 8];
    if (r->is.kind == 'f')
        return err_set(err, EXIT_FAILED, "%s: its dtype is f%zu, integers are needed", r->path, r->is.item);
    for (size_t done = 0; done < n;) {
        const size_t m = n - done < PIECE ? n - done : PIECE, first = r->at;
        TRY(next(r, m, raw, err));
        for (size_t i = 0; i < m; i++)
            if (!int_at(r, raw + i * r->is.item, &out[done + i]))
                return err_set(err, EXIT_FAILED, "%s: element %zu is %.17g, more than 32 bits hold", r->path, first + i,
                               npy_element(raw + i * r->is.item, r->is.kind, r->is.item));
        done += m;
    }
    return true;
}

bool npy_reals(NpyReader *r, size_t n, double *out, Err *err)
{
    unsigned char raw[PIECE * 8];
    for (size_t done = 0; done < n;) {
        const size_t m = n - done < PIECE ? n - done : PIECE;
        TRY(next(r, m, raw, err));
        for (size_t i = 0; i < m; i++) out[done + i] = npy_element(raw + i * r->is.item, r->is.kind, r->is.item);
        done += m;
    }
    return true;
}

void npy_close(NpyReader *r)
{
    if (r->f) fclose(r->f);
    r->f = NULL;
}

/* ---- writing ---- */

static bool put_bytes(NpyWriter *w, const void *p, size_t n, Err *err)
{
    errno = 0;
    return fwrite(p, 1, n, w->f) == n || fail(err, "write", w->path, errno ? errno : ENOSPC);
}

bool npy_create(const char *path, NpyType type, int rank, const int *dim, NpyWriter *out, Err *err)
{
    unsigned char head[NPY_HEAD_WRITTEN];
    *out = (NpyWriter){ .path = path, .type = type, .left = 1, .f = fopen(path, "wb") };
    if (!out->f) return fail(err, "write", path, errno);
    for (int i = 0; i < rank; i++) out->left *= (size_t)dim[i];
    const size_t n = npy_head(type, rank, dim, head);
    return put_bytes(out, head, n, err);
}

bool npy_put(NpyWriter *w, size_t n, const void *data, Err *err)
{
    unsigned char raw[PIECE * 8];
    const size_t item = npy_item(w->type);
    CHECK(n <= w->left, "%s: more elements than its shape holds", w->path);
    for (size_t done = 0; done < n;) {
        const size_t m = n - done < PIECE ? n - done : PIECE;
        npy_store(raw, (const char *)data + done * item, m, item);
        TRY(put_bytes(w, raw, m * item, err));
        done += m;
    }
    w->left -= n;
    return true;
}

bool npy_finish(NpyWriter *w, Err *err)
{
    CHECK(w->left == 0, "%s: %zu elements are missing", w->path, w->left);
    bool ok = fflush(w->f) == 0 && fsync(fileno(w->f)) == 0;
    int code = errno;
    if (fclose(w->f) != 0 && ok) ok = false, code = errno;
    w->f = NULL;
    return ok || fail(err, "write", w->path, code);
}

void npy_drop(NpyWriter *w)
{
    if (w->f) fclose(w->f);
    w->f = NULL;
}
