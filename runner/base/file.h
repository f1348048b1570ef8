/* SPDX-License-Identifier: Apache-2.0
 * file.h - text buffers, atomic files, hashes, CSV cells, .npy arrays.
 */
#ifndef SEQPROBE_FILE_H
#define SEQPROBE_FILE_H

#include <stdio.h>

#include "base/base.h"

/* Growing text on an arena. */
typedef struct Buf { Arena *a; char *s; size_t len, cap; } Buf;
Buf  buf_new(Arena *a);
void buf_printf(Buf *b, const char *fmt, ...) PRINTF_LIKE(2, 3);
void buf_puts(Buf *b, const char *s);
void buf_csv(Buf *b, const char *cell);               /* quoted as RFC 4180 only when needed */
void buf_real(Buf *b, double v);                      /* %.9g; empty for NaN and infinities (CSV rule) */
void buf_shell(Buf *b, const char *word);             /* quoted for a POSIX shell only when needed */

/* Whole file as a NUL-terminated string (len may be NULL); fails for missing, unreadable or > max_bytes files, with
 * EXIT_MEMORY where not the file but the machine is in trouble (descriptors, memory, a disk that cannot be read). */
bool  file_read(const char *path, size_t max_bytes, Arena *a, char **out, size_t *len, Err *err);
/* Write path.tmp.PID, fsync, rename over path, fsync the folder. */
bool  file_write_atomic(const char *path, const void *data, size_t len, Err *err);
/* The same for less waiting. A killed process harms the file in no case; a crash of the machine may: */
typedef enum {
    WRITE_SOON,                        /* neither fsync: leave it old, empty or missing; for what is made again */
    WRITE_DATA,                        /* not the folder's: leave it old or missing, until dir_sync */
    WRITE_DURABLE                      /* as file_write_atomic */
} WriteKind;
bool  file_write(const char *path, const void *data, size_t len, WriteKind kind, Err *err);
bool  dir_sync(const char *dir, Err *err);            /* fsync; what was renamed into it stays */
bool  file_exists(const char *path);
bool  dir_make(const char *path, Err *err);           /* mkdir -p */
void  dir_clean(const char *path);                    /* remove what killed file_write_atomic left (NAME.tmp.PID) */
char *path_join(Arena *a, const char *dir, const char *name);
char *path_dir(Arena *a, const char *path);

/* "plots" and the like, files that come with the program: $SEQPROBE_DATA, the working directory, the installed or the
 * source tree of the program; path itself if there is no such file. */
char *data_find(Arena *a, const char *path);

/* Stable 64-bit content hash, the same on every platform and version of this program. */
uint64_t hash_bytes(const void *data, size_t len, uint64_t seed);

/* CSV with a header line: cells by column name. Rejects ragged rows with file:line. */
typedef struct Csv { int rows, cols; char **head, ***cell; } Csv;
bool csv_read(const char *path, Arena *a, Csv *out, Err *err);
bool csv_parse(const char *name, const char *text, Arena *a, Csv *out, Err *err);
int  csv_col(const Csv *c, const char *name);         /* -1 if absent */
const char *csv_get(const Csv *c, int row, const char *name);   /* "" if the column is absent */
double csv_num(const Csv *c, int row, const char *name);        /* NaN when empty or absent */

/* .npy version 1.0, C order; f4 f8, i1 i2 i4 i8, u1 u2 u4 u8 and b1 are read, everything comes out as double. */
typedef struct Npy {
    int rank, dim[8]; size_t count; double *x;
    char kind; size_t item, start;     /* 'f' 'i' 'u' 'b' and bytes of an element; where the data begin */
} Npy;
typedef enum { NPY_F4, NPY_F8, NPY_I4, NPY_I8 } NpyType;
bool npy_read(const char *path, Arena *a, Npy *out, Err *err);
/* The same from memory; name is for messages. */
bool npy_parse(const char *name, const char *data, size_t len, Arena *a, Npy *out, Err *err);
/* data is float, double, int32_t or int64_t by type. */
bool npy_write(const char *path, NpyType type, int rank, const int *dim, const void *data, Err *err);

/* The same piece by piece, for arrays larger than memory. What is read comes in the order of the file; a read of
 * integers fails for reals and for what no int holds. A path is kept, not copied. */
typedef struct NpyReader { const char *path; FILE *f; Npy is; size_t at; } NpyReader;
bool npy_open(const char *path, NpyReader *out, Err *err);
bool npy_ints(NpyReader *r, size_t n, int *out, Err *err);
bool npy_reals(NpyReader *r, size_t n, double *out, Err *err);
void npy_close(NpyReader *r);                         /* also of a reader that is zero or failed to open */
/* Not atomic: for a folder that is renamed when it is whole. finish() syncs; CHECKs that all has been put. */
typedef struct NpyWriter { const char *path; FILE *f; NpyType type; size_t left; } NpyWriter;
bool npy_create(const char *path, NpyType type, int rank, const int *dim, NpyWriter *out, Err *err);
bool npy_put(NpyWriter *w, size_t n, const void *data, Err *err);
bool npy_finish(NpyWriter *w, Err *err);
void npy_drop(NpyWriter *w);                          /* close without asking whether it is whole */

#endif
