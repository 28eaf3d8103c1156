/* SPDX-License-Identifier: Apache-2.0 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "include/csystem_dispatch_monitor.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>
#include <sys/resource.h>

#include "replaced_calls.h"

static pthread_mutex_t only_one = PTHREAD_MUTEX_INITIALIZER;

static bool is_state_of_thread(const char *path) {
    static const char before[] = "/proc/", of_process[] = "self/task/", after[] = "/stat";
    if (strncmp(path, before, sizeof before - 1) != 0) return false;
    path += sizeof before - 1;
    if (strncmp(path, of_process, sizeof of_process - 1) == 0) path += sizeof of_process - 1;
    return strcmp(path + strspn(path, "0123456789"), after) == 0;
}

/* While the limit is raised, other threads can open a few files, too. */
static int open_beyond_limit(const char *path, int flags) {
    enum { more = 8 };
    int file = -1;
    struct rlimit limit;
    pthread_mutex_lock(&only_one);
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        struct rlimit raised = {limit.rlim_cur + more, limit.rlim_max};
        if (raised.rlim_cur > raised.rlim_max) raised.rlim_cur = raised.rlim_max;
        setrlimit(RLIMIT_NOFILE, &raised);
        file = openat(AT_FDCWD, path, flags);
        const int error = errno;
        setrlimit(RLIMIT_NOFILE, &limit);
        errno = error;
    }
    pthread_mutex_unlock(&only_one);
    return file;
}

static int open_for_all(const char *path, int flags, ...) {
    mode_t mode = 0;
    if ((flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE) {
        va_list rest;
        va_start(rest, flags);
        mode = va_arg(rest, mode_t);
        va_end(rest);
    }
    /* Not by open, which would be this function. */
    const int file = openat(AT_FDCWD, path, flags, mode);
    return file < 0 && errno == EMFILE && is_state_of_thread(path) ? open_beyond_limit(path, flags) : file;
}

void csys_spare_dispatch_monitor(void) {
    static const struct replacement opening[] = {
        {"open", (void (*)(void))open_for_all, NULL},
        {"open64", (void (*)(void))open_for_all, NULL},
    };
    replace_calls((struct replaced_in){0}, opening, sizeof opening / sizeof opening[0]);
}
