/* SPDX-License-Identifier: Apache-2.0 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "include/csystem_crash_place.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <link.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { most_frames = 64 };

static int crash_descriptor;
static char crash_prefix[201], crash_inner_prefix[201], crash_library[201];
static atomic_bool was_told;

static const char *file_name(const char *path) {
    const char *end = strrchr(path, '/');
    return end == NULL ? path : end + 1;
}

static void tell(const char *prefix, const void *place, const Dl_info *info) {
    char line[700];
    int count = snprintf(line, sizeof line, "%s%s+0x%lx", prefix, file_name(info->dli_fname),
                         (unsigned long)((uintptr_t)place - (uintptr_t)info->dli_fbase));
    if (count < 0 || count >= (int)sizeof line - 1) return;
    if (info->dli_sname != NULL) {
        const int more = snprintf(line + count, sizeof line - (size_t)count - 1, " (%.200s+0x%lx)",
                                  info->dli_sname,
                                  (unsigned long)((uintptr_t)place - (uintptr_t)info->dli_saddr));
        if (more > 0 && count + more < (int)sizeof line - 1) count += more;
    }
    line[count++] = '\n';
    if (write(crash_descriptor, line, (size_t)count) < 0) return;
}

/* Every plugin calls it, for abort(3) as well. */
static bool is_c_library(const Dl_info *info) {
    const char *name = file_name(info->dli_fname);
    return strncmp(name, "libc.so", 7) == 0 || strncmp(name, "libc_malloc", 11) == 0 ||
           strncmp(name, "ld-", 3) == 0;
}

/* The calls are not those that POSIX allows in a handler. The process dies in any case, and one that
 * does not come to its end is killed. */
static void fault(int number, siginfo_t *info, void *context) {
    (void)number, (void)info, (void)context;
    if (atomic_exchange(&was_told, 1)) return;
    void *frames[most_frames];
    const int count = backtrace(frames, most_frames);
    Dl_info found, first = {0}, other = {0};
    const void *first_place = NULL, *others_place = NULL;
    /* The first two frames are this function and the system's return from it. */
    for (int at = 2; at < count; at++) {
        /* The frame of the fault has its instruction; those above have what comes after their calls, which may
         * be the next function. */
        const void *place = (const char *)frames[at] - (at > 2);
        if (dladdr(place, &found) == 0 || found.dli_fname == NULL) continue;
        if (strcmp(file_name(found.dli_fname), crash_library) == 0) {
            if (others_place != NULL) tell(crash_inner_prefix, others_place, &other);
            return tell(crash_prefix, place, &found);
        }
        if (first_place == NULL) {
            first_place = place;
            first = found;
        }
        if (is_c_library(&found)) continue;
        if (others_place == NULL) {
            others_place = place;
            other = found;
        }
    }
    if (first_place != NULL) tell(crash_prefix, first_place, &first);
}

void csys_tell_crash_place(int32_t descriptor, const char *prefix, const char *inner_prefix,
                           const char *library) {
    static const int signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGSYS};
    crash_descriptor = descriptor;
    snprintf(crash_prefix, sizeof crash_prefix, "%s", prefix);
    snprintf(crash_inner_prefix, sizeof crash_inner_prefix, "%s", inner_prefix);
    snprintf(crash_library, sizeof crash_library, "%s", file_name(library));
    /* Loads what it needs, which a handler had better not. */
    void *frames[2];
    backtrace(frames, 2);
    for (size_t at = 0; at < sizeof signals / sizeof signals[0]; at++) {
        struct sigaction action;
        if (sigaction(signals[at], NULL, &action) != 0 || action.sa_handler != SIG_DFL) continue;
        action = (struct sigaction){.sa_sigaction = fault,
                                    .sa_flags = (int)SA_RESETHAND | SA_ONSTACK | SA_SIGINFO};
        sigaction(signals[at], &action, NULL);
    }
}
