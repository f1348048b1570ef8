/* SPDX-License-Identifier: Apache-2.0
 * npy.c - NumPy's array files, version 1.0, C order, little-endian.
 *
 *   "\x93NUMPY" 1 0 | u16 header length | {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), } spaces \n | data
 *
 * Read: f4 f8, i1 i2 i4 i8, u1 u2 u4 u8 and b1, at most 8 axes, as double (i8 and u8 beyond 2^53 round). Written: the
 * header padded so that the data start at a multiple of 64. Anything else, and a size that differs from the header's,
 * is refused by name. npy_stream.c does the same piece by piece.
 * Source: numpy.lib.format (NEP 1).
 */
#include "base/npy.h"

#include <ctype.h>
#include <limits.h>
#include <string.h>

enum { RANK_MAX = 8 };
static const char magic[] = "\x93NUMPY\x01";

typedef struct Reader {
    const char *path, *p, *end;
    Err *err;
} Reader;

static bool refuse(const Reader *r, const char *what) { return err_set(r->err, EXIT_FAILED, "%s: %s", r->path, what); }

static void skip_spaces(Reader *r)
{
    while (r->p < r->end && isspace((unsigned char)*r->p)) r->p++;
}

static bool take(Reader *r, char c)
{
    skip_spaces(r);
    if (r->p == r->end || *r->p != c) return false;
    r->p++;
    return true;
}

/* 'text' or "text" into s, which holds 32. */
static bool take_string(Reader *r, char *s)
{
    size_t n = 0;
    char quote = take(r, '\'') ? '\'' : '"';
    if (quote == '"' && !take(r, '"')) return refuse(r, "malformed header: expected a quoted word");
    for (; r->p < r->end && *r->p != quote && n < 31; r->p++) s[n++] = *r->p;
    s[n] = 0;
    if (r->p == r->end || *r->p++ != quote) return refuse(r, "malformed header: unclosed quote");
    return true;
}

static bool take_word(Reader *r, const char *word)
{
    size_t n = strlen(word);
    skip_spaces(r);
    if ((size_t)(r->end - r->p) < n || memcmp(r->p, word, n) != 0) return false;
    r->p += n;
    return true;
}

/* () (5,) (2, 3) */
static bool take_shape(Reader *r, Npy *out)
{
    if (!take(r, '(')) return refuse(r, "malformed header: shape is no tuple");
    for (out->rank = 0; !take(r, ')');) {
        long long n = 0;
        if (out->rank == RANK_MAX) return refuse(r, "more than 8 axes");
        skip_spaces(r);
        if (r->p == r->end || !isdigit((unsigned char)*r->p)) return refuse(r, "malformed header: bad axis in shape");
        for (; r->p < r->end && isdigit((unsigned char)*r->p); r->p++)
            if ((n = n * 10 + (*r->p - '0')) > INT_MAX) return refuse(r, "an axis is longer than 2147483647");
        out->dim[out->rank++] = (int)n;
        if (!take(r, ',') && (skip_spaces(r), r->p == r->end || *r->p != ')'))
            return refuse(r, "malformed header: bad shape");
    }
    return true;
}

/* The dictionary; its keys come in any order and all three must be there. */
static bool take_header(Reader *r, char *descr, Npy *out)
{
    int seen = 0;
    if (!take(r, '{')) return refuse(r, "malformed header: no dictionary");
    while (!take(r, '}')) {
        char key[32];
        TRY(take_string(r, key));
        if (!take(r, ':')) return refuse(r, "malformed header: expected ':'");
        if (!strcmp(key, "descr")) {
            skip_spaces(r);
            if (r->p < r->end && *r->p == '[') return refuse(r, "arrays of records are not supported");
            TRY(take_string(r, descr));
            seen |= 1;
        } else if (!strcmp(key, "fortran_order")) {
            if (take_word(r, "True")) return refuse(r, "fortran_order is True; save the array in C order");
            if (!take_word(r, "False")) return refuse(r, "malformed header: fortran_order is neither True nor False");
            seen |= 2;
        } else if (!strcmp(key, "shape")) {
            TRY(take_shape(r, out));
            seen |= 4;
        } else {
            return err_set(r->err, EXIT_FAILED, "%s: malformed header: unknown key '%s'", r->path, key);
        }
        if (!take(r, ',') && (skip_spaces(r), r->p == r->end || *r->p != '}'))
            return refuse(r, "malformed header: expected ',' or '}'");
    }
    if (seen != 7) return refuse(r, "malformed header: needs descr, fortran_order and shape");
    skip_spaces(r);
    return r->p == r->end || refuse(r, "malformed header: text after the dictionary");
}

uint64_t npy_load(const unsigned char *p, size_t n)
{
    uint64_t x = 0;
    for (size_t i = 0; i < n; i++) x |= (uint64_t)p[i] << (8 * i);
    return x;
}

double npy_element(const unsigned char *p, char kind, size_t size)
{
    uint64_t x = npy_load(p, size);
    uint32_t low = (uint32_t)x;
    float f;
    double d;
    if (kind == 'f' && size == 4) return memcpy(&f, &low, 4), (double)f;
    if (kind == 'f') return memcpy(&d, &x, 8), d;
    if (kind != 'i') return (double)x;
    const uint64_t sign = (uint64_t)1 << (8 * size - 1);
    return (double)(int64_t)((x ^ sign) - sign);
}

/* Number of elements, if their bytes are exactly the `have` that follow the header. */
static bool check_size(const Reader *r, Npy *out, size_t have)
{
    const size_t item = out->item;
    out->count = 1;
    bool empty = false, huge = false;
    for (int i = 0; i < out->rank; i++) empty |= out->dim[i] == 0;
    for (int i = 0; i < out->rank && !empty && !huge; i++) {
        huge = out->count > SIZE_MAX / 16 / (size_t)out->dim[i];
        if (!huge) out->count *= (size_t)out->dim[i];
    }
    if (empty) out->count = 0;
    if (!huge && out->count == have / item && have % item == 0) return true;
    if (huge || out->count > have / item)
        return err_set(r->err, EXIT_FAILED, "%s: truncated: %zu bytes of data, the shape needs %s", r->path, have,
                       huge ? "more than any memory" : "more");
    return err_set(r->err, EXIT_FAILED, "%s: %zu bytes of data, the shape needs only %zu", r->path, have,
                   out->count * item);
}

bool npy_header(const char *path, const char *data, size_t len, size_t size, Npy *out, Err *err)
{
    static const char *const known[] = { "<f4", "<f8", "|i1", "<i2", "<i4", "<i8",
                                         "|u1", "<u2", "<u4", "<u8", "|b1", NULL };
    Reader r = { path, data, data + len, err };
    char descr[32] = "";
    *out = (Npy){ 0 };
    if (len == 0 || (len < NPY_PREFIX && memcmp(data, magic, len < 6 ? len : 6) == 0))
        return refuse(&r, "truncated: no header");
    if (len < NPY_PREFIX || memcmp(data, magic, 6) != 0) return refuse(&r, "not an .npy file (wrong magic)");
    if (data[6] != 1 || data[7] != 0)
        return err_set(err, EXIT_FAILED, "%s: .npy version %d.%d, only 1.0 is read", path, data[6], data[7]);
    const size_t head = (size_t)npy_load((const unsigned char *)data + 8, 2);
    if (len - NPY_PREFIX < head) return refuse(&r, "truncated: the header is cut off");
    r.p = data + NPY_PREFIX;
    r.end = r.p + head;
    TRY(take_header(&r, descr, out));
    int type = 0;
    while (known[type] && strcmp(known[type], descr) != 0) type++;
    if (!known[type])
        return err_set(err, EXIT_FAILED, "%s: dtype '%s', only f4 f8 i1-i8 u1-u8 b1, little-endian, are read", path,
                       descr);
    out->kind = descr[1];
    out->item = (size_t)(descr[2] - '0');
    out->start = NPY_PREFIX + head;
    return check_size(&r, out, size - out->start);
}

bool npy_parse(const char *path, const char *data, size_t len, Arena *a, Npy *out, Err *err)
{
    TRY(npy_header(path, data, len, len, out, err));
    out->x = ARENA_RAW(a, double, out->count);
    for (size_t i = 0; i < out->count; i++)
        out->x[i] = npy_element((const unsigned char *)data + out->start + i * out->item, out->kind, out->item);
    return true;
}

bool npy_read(const char *path, Arena *a, Npy *out, Err *err)
{
    Arena *tmp = arena_new("npy_read");
    char *data;
    size_t len;
    *out = (Npy){ 0 };
    bool ok = file_read(path, SIZE_MAX / 16, tmp, &data, &len, err) && npy_parse(path, data, len, a, out, err);
    arena_free(tmp);
    return ok;
}

size_t npy_item(NpyType type) { return type == NPY_F4 || type == NPY_I4 ? 4 : 8; }

size_t npy_head(NpyType type, int rank, const int *dim, unsigned char *out)
{
    static const char *const descr[] = { [NPY_F4] = "<f4", [NPY_F8] = "<f8", [NPY_I4] = "<i4", [NPY_I8] = "<i8" };
    char *s = (char *)out + NPY_PREFIX;
    size_t n = (size_t)sprintf(s, "{'descr': '%s', 'fortran_order': False, 'shape': (", descr[type]);
    CHECK(rank >= 0 && rank <= RANK_MAX, "npy_write: %d axes", rank);
    for (int i = 0; i < rank; i++) {
        CHECK(dim[i] >= 0, "npy_write: axis %d is %d", i, dim[i]);
        n += (size_t)sprintf(s + n, "%d%s", dim[i], rank == 1 ? "," : i + 1 < rank ? ", " : "");
    }
    n += (size_t)sprintf(s + n, "), }");
    while ((NPY_PREFIX + n + 1) % 64) s[n++] = ' ';
    s[n++] = '\n';
    memcpy(out, magic, 8); /* with its NUL: version 1.0 */
    out[8] = (unsigned char)(n & 255);
    out[9] = (unsigned char)(n >> 8);
    return NPY_PREFIX + n;
}

void npy_store(unsigned char *to, const void *data, size_t n, size_t item)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t x = 0;
        uint32_t low = 0;
        const char *from = (const char *)data + i * item;
        if (item == 8)
            memcpy(&x, from, 8);
        else
            memcpy(&low, from, 4), x = low;
        for (size_t k = 0; k < item; k++) to[i * item + k] = (unsigned char)(x >> (8 * k));
    }
}

bool npy_write(const char *path, NpyType type, int rank, const int *dim, const void *data, Err *err)
{
    Arena *tmp = arena_new("npy_write");
    unsigned char head[NPY_HEAD_WRITTEN];
    size_t item = npy_item(type), count = 1, start = npy_head(type, rank, dim, head);
    for (int i = 0; i < rank; i++) count *= (size_t)dim[i];
    unsigned char *file = ARENA_RAW(tmp, unsigned char, start + count * item);
    memcpy(file, head, start);
    npy_store(file + start, data, count, item);
    bool ok = file_write(path, file, start + count * item, WRITE_DATA, err);
    arena_free(tmp);
    return ok;
}
