/* SPDX-License-Identifier: Apache-2.0
 * run_lock.c - one process at a time works on a run: the file `lock` of its folder, "HOST PID" while it is held.
 *
 * On one host flock decides; the kernel releases it when the last holder ends, however it ends. Where flock does not
 * reach other hosts the text of the file decides: another host's name in a file that was touched less than `timeout`
 * seconds ago means held. Holders touch it every half minute (command_run.c) and empty it when they let go. Ages are
 * measured on the clock of the file system, by a file written next to the lock: no local clock is involved.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sweep/pool.h"

enum { PATH_BYTES = 4096 };

static LockOwner this_process(void)
{
    LockOwner me = { .pid = (long)getpid() };
    if (gethostname(me.host, sizeof me.host - 1) != 0 || !me.host[0]) strcpy(me.host, "localhost");
    return me;
}

/* What the lock file says; host is "" if nobody holds it. */
static LockOwner read_owner(int fd)
{
    LockOwner who = { .pid = 0 };
    char text[192];
    ssize_t n = pread(fd, text, sizeof text - 1, 0);
    text[n > 0 ? n : 0] = '\0';
    if (sscanf(text, "%127s %ld", who.host, &who.pid) != 2) who = (LockOwner){ .pid = 0 };
    return who;
}

static bool write_owner(int fd, const LockOwner *me)
{
    char text[192];
    int n = snprintf(text, sizeof text, "%s %ld\n", me->host, me->pid);
    return pwrite(fd, text, (size_t)n, 0) == n && ftruncate(fd, n) == 0;
}

/* Seconds since the lock was touched, by the file system's own clock; negative if it was touched in its future. */
static bool lock_age(int fd, const char *dir, double *age)
{
    char path[PATH_BYTES];
    struct stat lock, probe;
    int n = snprintf(path, sizeof path, "%s/lock.tmp.%ld", dir, (long)getpid());
    if (n < 0 || (size_t)n >= sizeof path) return false;
    int now = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (now < 0) return false;
    bool ok = fstat(now, &probe) == 0 && fstat(fd, &lock) == 0;
    close(now);
    unlink(path);
    if (ok)
        *age = (double)(probe.st_mtim.tv_sec - lock.st_mtim.tv_sec) +
               1e-9 * (double)(probe.st_mtim.tv_nsec - lock.st_mtim.tv_nsec);
    return ok;
}

/* Is the lock held by a process that flock cannot tell us about? If not: *stale seconds old, where left behind. */
static bool held_elsewhere(int fd, const char *dir, bool flocked, double timeout, const LockOwner *who, double *stale)
{
    const LockOwner me = this_process();
    double age;
    *stale = 0;
    if (!who->host[0]) return false;
    if (!strcmp(who->host, me.host)) /* flock is the truth; without one ask for the process */
        return !flocked && who->pid != me.pid && (kill((pid_t)who->pid, 0) == 0 || errno == EPERM);
    if (!lock_age(fd, dir, &age) || (age < timeout && age > -timeout)) return true;
    *stale = age;
    return false;
}

/* A lock that others only look at (run_lock_held) is free again at once. */
static bool flock_now(int fd)
{
    for (int try = 0;; try++) {
        if (flock(fd, LOCK_EX | LOCK_NB) == 0) return true;
        if (errno != EWOULDBLOCK || try == 2) return false;
        poll(NULL, 0, 2);
        errno = EWOULDBLOCK;
    }
}

/* Are we the ones the file names, seen through a fresh descriptor? */
static bool owned(const char *path, const LockOwner *me)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return false;
    LockOwner who = read_owner(fd);
    close(fd);
    return who.pid == me->pid && !strcmp(who.host, me->host);
}

int run_lock(const char *dir, double timeout, LockOwner *owner, Err *err)
{
    char path[PATH_BYTES];
    LockOwner ignored;
    if (!owner) owner = &ignored;
    if (!dir_make(dir, err)) return -2;
    int n = snprintf(path, sizeof path, "%s/lock", dir);
    if (n < 0 || (size_t)n >= sizeof path) return err_set(err, EXIT_FAILED, "%s: path too long", dir), -2;
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (fd < 0) return err_set(err, EXIT_FAILED, "%s: cannot be opened: %s", path, strerror(errno)), -2;
    bool flocked = flock_now(fd), held = !flocked && errno == EWOULDBLOCK;
    if (!flocked && !held && errno != ENOSYS && errno != ENOTSUP && errno != ENOLCK) {
        err_set(err, EXIT_FAILED, "%s: cannot be locked: %s", path, strerror(errno));
        close(fd);
        return -2;
    }
    double stale = 0;
    *owner = read_owner(fd);
    if (!held) held = held_elsewhere(fd, dir, flocked, timeout, owner, &stale);
    if (stale != 0)
        fprintf(stderr, "seqprobe: note: %s: lock of host %s, process %ld, not touched for %.0f s: taken over\n", dir,
                owner->host, owner->pid, stale);
    if (!held) {
        *owner = this_process();
        bool wrote = write_owner(fd, owner);
        if (!wrote && !flocked) {
            err_set(err, EXIT_FAILED, "%s: cannot be written: %s", path, strerror(errno));
            close(fd);
            return -2;
        }
        held = wrote && !owned(path, owner); /* another host came at the same moment */
    }
    if (!held) return fd;
    close(fd);
    return -1;
}

bool run_lock_held(const char *dir, double timeout, LockOwner *owner)
{
    char path[PATH_BYTES];
    double stale;
    *owner = (LockOwner){ .pid = 0 };
    int n = snprintf(path, sizeof path, "%s/lock", dir);
    if (n < 0 || (size_t)n >= sizeof path) return false;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return false;
    *owner = read_owner(fd);
    bool ours = flock(fd, LOCK_SH | LOCK_NB) == 0, held = !ours && errno == EWOULDBLOCK;
    if (ours) flock(fd, LOCK_UN);
    if (!held) held = held_elsewhere(fd, dir, ours, timeout, owner, &stale);
    close(fd);
    if (!held) *owner = (LockOwner){ .pid = 0 };
    return held;
}

int run_lock_inherited(const char *dir)
{
    char path[PATH_BYTES];
    struct stat own, lock;
    const char *text = getenv("SEQPROBE_LOCK_FD");
    int fd = text ? atoi(text) : -1, n = snprintf(path, sizeof path, "%s/lock", dir);
    if (fd < 0 || n < 0 || (size_t)n >= sizeof path || fstat(fd, &own) != 0 || stat(path, &lock) != 0) return -1;
    if (own.st_dev != lock.st_dev || own.st_ino != lock.st_ino) return -1;
    const LockOwner me = this_process();
    if (!write_owner(fd, &me)) return -1; /* who works on it, rather than who started that */
    return fd;
}

void run_unlock(int fd)
{
    int cut = ftruncate(fd, 0); /* other hosts need not wait for the timeout */
    (void)cut;
    close(fd);
}
