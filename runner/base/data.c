/* SPDX-License-Identifier: Apache-2.0
 * data.c - where the files are that come with the program: gnuplot scripts, configs, published numbers.
 *
 *   1. $SEQPROBE_DATA/PATH         asked for; nothing else is looked at then
 *   2. PATH                        the working directory is the source tree
 *   3. BIN/../share/seqprobe/PATH  installed; BIN is the program's folder, so an installed tree may be moved
 *   4. BIN/../../PATH              built and called from elsewhere (build/gcc-release/seqprobe)
 */
#include "base/file.h"

#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#ifndef PATH_MAX
#define PATH_MAX 4096
#endif

char *data_find(Arena *a, const char *path)
{
    static const char *const from_program[] = { "../share/seqprobe", "../.." };
    const char *asked = getenv("SEQPROBE_DATA");
    char self[PATH_MAX];
    if (asked && *asked) return path_join(a, asked, path);
    if (file_exists(path)) return arena_strdup(a, path);
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (n <= 0) return arena_strdup(a, path);
    self[n] = 0;
    const char *bin = path_dir(a, self);
    for (int i = 0; i < 2; i++) {
        char *found = path_join(a, path_join(a, bin, from_program[i]), path), *plain;
        if (!file_exists(found)) continue;
        plain = realpath(found, NULL); /* without the dots, for messages */
        if (plain) found = arena_strdup(a, plain);
        free(plain);
        return found;
    }
    return arena_strdup(a, path);
}
