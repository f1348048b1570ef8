/* SPDX-License-Identifier: Apache-2.0
 * outdir.h - a folder of files that appears whole or not at all.
 */
#ifndef SEQPROBE_OUTDIR_H
#define SEQPROBE_OUTDIR_H

#include "base/file.h"

/* Files are written into `tmp` under their final names, then moved. */
typedef struct OutDir {
    Arena *a;
    const char *path, *tmp;
    const char *const *files;          /* all names there may be; the last one tells that the folder is whole */
    bool exists;                       /* path did before: files go into it one by one, else the folder is renamed */
} OutDir;

/* Make out->tmp. A folder that holds one of `files` (NULL-terminated) is refused unless `force`. What killed processes
 * left beside it is removed. */
bool outdir_open(const char *path, const char *const *files, bool force, Arena *a, OutDir *out, Err *err);
const char *outdir_file(const OutDir *d, const char *name);
/* Put everything in place; files of an earlier set that are not written anew are removed. */
bool outdir_commit(OutDir *d, Err *err);
void outdir_drop(OutDir *d);                              /* nothing happened */

#endif
