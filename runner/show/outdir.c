/* SPDX-License-Identifier: Apache-2.0
 * outdir.c - a folder of files that appears whole or not at all.
 *
 * A new folder is written as PATH.tmp.PID beside it and renamed. In a folder that exists, everything is written to
 * PATH/tmp.PID first; then the last of the known files is removed, the others are renamed into place, and it comes
 * last: while it is there, the set is of one piece. Other files of the folder are never touched.
 */
#include "show/outdir.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool fail(Err *err, const char *what, const char *path)
{
    return err_set(err, EXIT_FAILED, "cannot %s %s: %s", what, path, strerror(errno));
}

static void remove_set(const OutDir *d, const char *folder)
{
    for (int i = 0; d->files[i]; i++) unlink(path_join(d->a, folder, d->files[i]));
    rmdir(folder);
}

/* Folders PREFIX.PID in `parent` of processes that are gone. */
static void remove_leftovers(const OutDir *d, const char *parent, const char *prefix)
{
    DIR *dir = opendir(parent);
    const size_t n = strlen(prefix);
    if (!dir) return;
    for (struct dirent *e; (e = readdir(dir));) {
        char *end;
        if (strncmp(e->d_name, prefix, n) != 0) continue;
        const long pid = strtol(e->d_name + n, &end, 10);
        if (pid > 0 && !*end && kill((pid_t)pid, 0) != 0 && errno == ESRCH)
            remove_set(d, path_join(d->a, parent, e->d_name));
    }
    closedir(dir);
}

static bool refuse_old(const OutDir *d, Err *err)
{
    for (int i = 0; d->files[i]; i++)
        if (file_exists(path_join(d->a, d->path, d->files[i])))
            return err_set(err, EXIT_USAGE, "%s holds a %s already; --force replaces it", d->path, d->files[i]);
    return true;
}

bool outdir_open(const char *path, const char *const *files, bool force, Arena *a, OutDir *out, Err *err)
{
    struct stat st;
    size_t n = strlen(path);
    while (n > 1 && path[n - 1] == '/') n--;
    const char *clean = arena_printf(a, "%.*s", (int)n, path), *slash = strrchr(clean, '/');
    *out = (OutDir){ .a = a, .path = clean, .files = files, .exists = stat(clean, &st) == 0 };
    if (out->exists && !S_ISDIR(st.st_mode)) return err_set(err, EXIT_FAILED, "%s is a file, not a folder", clean);
    if (out->exists && !force) TRY(refuse_old(out, err));
    const char *parent = out->exists ? clean : path_dir(a, clean);
    const char *prefix = out->exists ? "tmp." : arena_printf(a, "%s.tmp.", slash ? slash + 1 : clean);
    TRY(dir_make(parent, err));
    remove_leftovers(out, parent, prefix);
    out->tmp = out->exists ? path_join(a, clean, arena_printf(a, "tmp.%ld", (long)getpid()))
                           : arena_printf(a, "%s.tmp.%ld", clean, (long)getpid());
    return mkdir(out->tmp, 0777) == 0 || fail(err, "make folder", out->tmp);
}

const char *outdir_file(const OutDir *d, const char *name) { return path_join(d->a, d->tmp, name); }

bool outdir_commit(OutDir *d, Err *err)
{
    TRY(dir_sync(d->tmp, err));
    if (!d->exists) {
        if (rename(d->tmp, d->path) != 0) return fail(err, "make folder", d->path);
        return dir_sync(path_dir(d->a, d->path), err);
    }
    int last = 0;
    while (d->files[last + 1]) last++;
    const char *mark = path_join(d->a, d->path, d->files[last]);
    if (unlink(mark) != 0 && errno != ENOENT) return fail(err, "remove", mark);
    for (int i = 0; d->files[i]; i++) {
        const char *from = outdir_file(d, d->files[i]), *to = path_join(d->a, d->path, d->files[i]);
        if (file_exists(from) ? rename(from, to) != 0 : unlink(to) != 0 && errno != ENOENT)
            return fail(err, "write", to);
    }
    rmdir(d->tmp);
    return dir_sync(d->path, err);
}

void outdir_drop(OutDir *d)
{
    if (d->tmp) remove_set(d, d->tmp);
}
