/* SPDX-License-Identifier: Apache-2.0 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "include/csystem_private_objects.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

static bool write_file(const char *path, const char *text) {
    const int file = open(path, O_WRONLY | O_CLOEXEC);
    if (file < 0) return false;
    const bool is_written = write(file, text, strlen(text)) == (ssize_t)strlen(text);
    close(file);
    return is_written;
}

/* Namespaces of its own; without privileges only in a user namespace, in which the user is the same. */
static bool leave_namespaces(void) {
    const int kinds = CLONE_NEWNS | CLONE_NEWIPC;
    if (unshare(kinds) == 0) return true;
    const uid_t user = geteuid();
    const gid_t group = getegid();
    char map[64];
    if (unshare(kinds | CLONE_NEWUSER) != 0) return false;
    snprintf(map, sizeof map, "%u %u 1", (unsigned)user, (unsigned)user);
    if (!write_file("/proc/self/uid_map", map)) return false;
    snprintf(map, sizeof map, "%u %u 1", (unsigned)group, (unsigned)group);
    return write_file("/proc/self/setgroups", "deny") && write_file("/proc/self/gid_map", map);
}

/* Shows an entry of the old directory in the new one, which lies over it. */
static bool show(int old, const char *directory, const char *name) {
    char from[PATH_MAX], to[PATH_MAX];
    struct stat status;
    if (fstatat(old, name, &status, 0) != 0) return errno == ENOENT;
    snprintf(from, sizeof from, "/proc/self/fd/%d/%s", old, name);
    snprintf(to, sizeof to, "%s/%s", directory, name);
    if (S_ISDIR(status.st_mode)) {
        if (mkdir(to, 0700) != 0 && errno != EEXIST) return false;
    } else {
        const int file = open(to, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
        if (file < 0) return false;
        close(file);
    }
    return mount(from, to, NULL, MS_BIND | MS_REC, NULL) == 0;
}

bool csys_private_objects(const char *directory, const char *const *names, uint32_t count,
                          const char *queues) {
    if (!leave_namespaces() || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0) return false;
    const int old = open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (old < 0) return false;
    bool is_done = mount("tmpfs", directory, "tmpfs", MS_NOSUID | MS_NODEV, "mode=1777") == 0;
    for (uint32_t at = 0; is_done && at < count; at++) is_done = show(old, directory, names[at]);
    close(old);
    /* /dev/shm may be missing; then there are no such objects. */
    if (access("/dev/shm", F_OK) == 0)
        is_done = is_done &&
                  mount("tmpfs", "/dev/shm", "tmpfs", MS_NOSUID | MS_NODEV, "mode=1777") == 0;
    mount("mqueue", queues, "mqueue", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL);
    return is_done;
}
