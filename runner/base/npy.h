/* SPDX-License-Identifier: Apache-2.0
 * npy.h - the parts of npy.c that npy_stream.c shares; everyone else uses file.h.
 */
#ifndef SEQPROBE_NPY_H
#define SEQPROBE_NPY_H

#include "base/file.h"

/* Bytes before the header; all before the data, at most; the same of files written here. */
enum { NPY_PREFIX = 10, NPY_HEAD_MAX = NPY_PREFIX + 65535, NPY_HEAD_WRITTEN = 320 };

/* Read the header at data (len bytes of a file of `size`); all of out but x. */
bool     npy_header(const char *path, const char *data, size_t len, size_t size, Npy *out, Err *err);
uint64_t npy_load(const unsigned char *p, size_t n);      /* little-endian */
double   npy_element(const unsigned char *p, char kind, size_t size);

size_t   npy_item(NpyType type);
/* All bytes before the data, at most NPY_HEAD_WRITTEN; returns their number. */
size_t   npy_head(NpyType type, int rank, const int *dim, unsigned char *out);
void     npy_store(unsigned char *to, const void *data, size_t n, size_t item);

#endif
