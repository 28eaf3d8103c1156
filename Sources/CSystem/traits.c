/* SPDX-License-Identifier: Apache-2.0 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "include/csystem_traits.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/kcmp.h>
#include <locale.h>
#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

static uint64_t hash(const void *bytes, size_t count) {
    const unsigned char *each = bytes;
    uint64_t value = UINT64_C(0xcbf29ce484222325); /* FNV-1a */
    for (size_t at = 0; at < count; at++) value = (value ^ each[at]) * UINT64_C(0x100000001b3);
    return value;
}

/* A number of /proc/self/status; 0 without one. */
static uint64_t status_number(const char *text, const char *key, int base) {
    const char *line = strstr(text, key);
    return line == NULL ? 0 : strtoull(line + strlen(key), NULL, base);
}

static size_t read_text(const char *path, char *text, size_t room) {
    size_t count = 0;
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file >= 0) {
        ssize_t got;
        while (count < room - 1 && (got = read(file, text + count, room - 1 - count)) > 0)
            count += (size_t)got;
        close(file);
    }
    text[count] = 0;
    return count;
}

/* The timers of timer_create(2), of which /proc has a few lines each. */
static uint64_t timer_count(void) {
    char text[4096];
    read_text("/proc/self/timers", text, sizeof text);
    uint64_t count = 0;
    for (const char *at = text; (at = strstr(at, "ID:")) != NULL; at += 3) count++;
    return count;
}

static uint64_t interval_timer(int which) {
    struct itimerval timer;
    if (getitimer((__itimer_which_t)which, &timer) != 0) return 0;
    return timer.it_value.tv_sec != 0 || timer.it_value.tv_usec != 0 ||
           timer.it_interval.tv_sec != 0 || timer.it_interval.tv_usec != 0;
}

/* A function of the C++ library. It is loaded here if this program has none, or its own one: a plugin that loads
 * it first would seem to have changed everything. */
static void *function_of_cpp(const char *name) {
    static void *library;
    static bool is_looked_for;
    if (!is_looked_for) library = dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_LOCAL);
    is_looked_for = true;
    return library == NULL ? NULL : dlsym(library, name);
}

/* The value of a function without parameters of the C++ library, which returns another function. */
static uint64_t handler_of_cpp(const char *getter) {
    void *(*get)(void) = NULL;
    void *found = function_of_cpp(getter);
    if (found == NULL) return 0;
    memcpy(&get, &found, sizeof get);
    return (uint64_t)(uintptr_t)get();
}

/* std::ios_base::sync_with_stdio(true), which returns how it was, and changes nothing. */
static uint64_t is_synced_with_stdio(void) {
    bool (*sync)(bool) = NULL;
    void *found = function_of_cpp("_ZNSt8ios_base15sync_with_stdioEb");
    if (found == NULL) return 0;
    memcpy(&sync, &found, sizeof sync);
    return sync(true);
}

static uint64_t hash_of_file(const char *path) {
    char text[256];
    return hash(text, read_text(path, text, sizeof text));
}

static uint64_t supplementary_groups(void) {
    gid_t groups[1024];
    const int count = getgroups(1024, groups);
    return hash(groups, count > 0 ? (size_t)count * sizeof groups[0] : 0);
}

/* Whether malloc maps large blocks, as it does up to M_MMAP_MAX of them, from M_MMAP_THRESHOLD bytes
 * on: that grows by itself, but not to 32 MiB. The bit is that of glibc's chunks. */
static uint64_t maps_large_blocks(void) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    return 0;
#else
    void *block = malloc((size_t)40 << 20);
    if (block == NULL) return 0;
    const uint64_t is_mapped = ((const size_t *)block)[-1] & 2;
    free(block);
    return is_mapped;
#endif
}

static uint64_t default_stack(void) {
    pthread_attr_t attributes;
    size_t size = 0;
    if (pthread_getattr_default_np(&attributes) != 0) return 0;
    pthread_attr_getstacksize(&attributes, &size);
    pthread_attr_destroy(&attributes);
    return size;
}

/* How often the numbers of rand() were begun anew. To draw numbers is no change: that leads from one
 * state to a later one, which is looked for here. */
static uint64_t rand_seedings(void) {
    enum { words = 32, most_draws = 1000000 };
    static char own[words * sizeof(int32_t)], known[sizeof own];
    static struct random_data shadow;
    static uint64_t seedings;
    if (shadow.state == NULL) {
        initstate_r(1, known, sizeof known, &shadow);
        initstate(1, own, sizeof own);
    }
    /* The first word has the place in the others, when another state is put in place. */
    for (int draw = 0; draw < most_draws; draw++) {
        if (memcmp(own + sizeof(int32_t), known + sizeof(int32_t),
                   sizeof own - sizeof(int32_t)) == 0)
            return seedings;
        int32_t number;
        random_r(&shadow, &number);
    }
    srandom(1);
    memset(known, 0, sizeof known);
    memset(&shadow, 0, sizeof shadow);
    initstate_r(1, known, sizeof known, &shadow);
    return ++seedings;
}

/* Whether a stream has a buffer that was given to it, has none, or ends it with each line: the bits of glibc's
 * libio.h, which no function tells before the stream is used. */
static uint64_t buffering(const FILE *stream) {
    enum { user_buffer = 1, unbuffered = 2, by_lines = 0x200 };
    return (uint64_t)(stream->_flags & (user_buffer | unbuffered | by_lines));
}

static uint64_t told(int option) {
    int value = 0;
    return prctl(option, &value, 0, 0, 0) == 0 ? (uint64_t)value : 0;
}

/* Those that each thread has for itself, though people take them for the process'. */
#define THREADS_OWN(status)                                                                        \
    {"whether it may gain privileges (no_new_privs)",                                              \
     (uint64_t)prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0)},                                            \
    {"its filters of system calls (seccomp)",                                                      \
     status_number(status, "\nSeccomp:", 10) << 32 |                                               \
         status_number(status, "\nSeccomp_filters:", 10)},                                         \
    {"the signal that it gets when its parent dies", told(PR_GET_PDEATHSIG)}

uint32_t csys_process_traits(csys_trait traits[csys_most_traits]) {
    char status[4096];
    /* The first localtime(3) of a process reads the time zone, which is no change. A later call here would be
     * one. */
    static bool has_zone;
    if (!has_zone) tzset();
    has_zone = true;
    read_text("/proc/thread-self/status", status, sizeof status);
    const csys_trait all[] = {
        THREADS_OWN(status),
        {"whether its memory may be dumped (dumpable)", (uint64_t)prctl(PR_GET_DUMPABLE, 0, 0, 0, 0)},
        {"whether it adopts orphans (child subreaper)", told(PR_GET_CHILD_SUBREAPER)},
        {"its session", (uint64_t)getsid(0)},
        {"its process group", (uint64_t)getpgid(0)},
        {"the memory that is locked (mlock)", status_number(status, "\nVmLck:", 10)},
        {"the flags of descriptor 0", (uint64_t)(uint32_t)fcntl(0, F_GETFL)},
        {"the flags of descriptor 1", (uint64_t)(uint32_t)fcntl(1, F_GETFL)},
        {"the flags of descriptor 2", (uint64_t)(uint32_t)fcntl(2, F_GETFL)},
        {"the timer of alarm and setitimer (ITIMER_REAL)", interval_timer(ITIMER_REAL)},
        {"the timer ITIMER_VIRTUAL", interval_timer(ITIMER_VIRTUAL)},
        {"the timer ITIMER_PROF", interval_timer(ITIMER_PROF)},
        {"the timers of timer_create that are left", timer_count()},
        {"the function that std::terminate calls", handler_of_cpp("_ZSt13get_terminatev")},
        {"the function that operator new calls without memory (std::set_new_handler)",
         handler_of_cpp("_ZSt15get_new_handlerv")},
        {"whether std::cout is in step with stdout (sync_with_stdio)", is_synced_with_stdio()},
        {"the supplementary groups", supplementary_groups()},
        {"whether it may have huge pages (PR_SET_THP_DISABLE)",
         (uint64_t)prctl(PR_GET_THP_DISABLE, 0, 0, 0, 0)},
        {"the name of the process", hash_of_file("/proc/self/comm")},
        {"who is ended first without memory (oom_score_adj)",
         hash_of_file("/proc/self/oom_score_adj")},
        {"what a core file has in it (coredump_filter)",
         hash_of_file("/proc/self/coredump_filter")},
        {"the stack of threads to come (pthread_setattr_default_np)", default_stack()},
        {"the time zone that localtime knows (tzset)",
         hash(tzname[0], strlen(tzname[0])) * 31 + (uint64_t)timezone},
        {"whether programs inherit descriptor 0", (uint64_t)(uint32_t)fcntl(0, F_GETFD)},
        {"whether programs inherit descriptor 1", (uint64_t)(uint32_t)fcntl(1, F_GETFD)},
        {"whether programs inherit descriptor 2", (uint64_t)(uint32_t)fcntl(2, F_GETFD)},
        {"whether stdin is a stream of wide characters", fwide(stdin, 0) > 0},
        {"whether stdout is a stream of wide characters", fwide(stdout, 0) > 0},
        {"whether stderr is a stream of wide characters", fwide(stderr, 0) > 0},
        {"how stdin is buffered (setvbuf)", buffering(stdin)},
        {"how stdout is buffered (setvbuf)", buffering(stdout)},
        {"how stderr is buffered (setvbuf)", buffering(stderr)},
        {"how malloc maps large blocks (mallopt)", maps_large_blocks()},
        {"the numbers of rand(), which begin anew (srand)", rand_seedings()},
    };
    const uint32_t count = sizeof all / sizeof all[0];
    memcpy(traits, all, sizeof all);
    return count;
}

static uint64_t cancellation(void) {
    int state = 0, type = 0, unused;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
    pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &type);
    pthread_setcanceltype(type, &unused);
    pthread_setcancelstate(state, &unused);
    return (uint64_t)state << 32 | (uint64_t)type;
}

/* Whether the calling thread shares something with the first thread, as all do: see kcmp(2). */
static uint64_t is_shared(int what) {
    const long order = syscall(SYS_kcmp, getpid(), syscall(SYS_gettid), what, 0, 0);
    return order > 0;
}

static uint64_t namespaces(void) {
    static const char *const names[] = {"mnt", "net", "uts", "ipc", "user", "cgroup", "pid_for_children"};
    uint64_t value = 0;
    for (size_t at = 0; at < sizeof names / sizeof names[0]; at++) {
        char path[64], target[64];
        snprintf(path, sizeof path, "/proc/thread-self/ns/%s", names[at]);
        const ssize_t count = readlink(path, target, sizeof target);
        value = value * 31 + hash(target, count > 0 ? (size_t)count : 0);
    }
    return value;
}

uint32_t csys_thread_traits(csys_trait traits[csys_most_traits]) {
    unsigned long processors[64] = {0}; /* 4,096 processors */
    const long bytes = syscall(SYS_sched_getaffinity, 0, sizeof processors, processors);
    struct sched_param parameters = {0};
    sched_getparam(0, &parameters);
    char status[4096];
    read_text("/proc/thread-self/status", status, sizeof status);
    char name[16] = {0};
    prctl(PR_GET_NAME, name, 0, 0, 0);
    const csys_trait all[] = {
        THREADS_OWN(status),
        {"the processors that it may run on", hash(processors, bytes > 0 ? (size_t)bytes : 0)},
        {"its scheduling policy", (uint64_t)sched_getscheduler(0)},
        {"its priority", (uint64_t)parameters.sched_priority},
        {"its nice value", (uint64_t)(20 - getpriority(PRIO_PROCESS, 0))},
        {"its class of disk access (ionice)", (uint64_t)syscall(SYS_ioprio_get, 1, 0)},
        /* These two return what was before; an id that is none changes nothing. */
        {"its user id for files (setfsuid)", (uint64_t)setfsuid((uid_t)-1)},
        {"its group id for files (setfsgid)", (uint64_t)setfsgid((gid_t)-1)},
        {"whether and when it can be cancelled (pthread_setcancelstate)", cancellation()},
        /* Not those that wait for the process; nor SIGPIPE, which each write without a reader leaves
         * behind where it is blocked, as the host has it. */
        {"the signals that wait for it",
         status_number(status, "\nSigPnd:", 16) & ~(UINT64_C(1) << (SIGPIPE - 1))},
        {"its name", hash(name, strlen(name))},
        {"its timer slack", (uint64_t)prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0)},
        {"its execution domain (personality)", (uint64_t)personality(0xffffffff)},
        {"whether it keeps capabilities (PR_SET_KEEPCAPS, PR_SET_SECUREBITS)",
         (uint64_t)prctl(PR_GET_KEEPCAPS, 0, 0, 0, 0) << 32 |
             (uint64_t)prctl(PR_GET_SECUREBITS, 0, 0, 0, 0)},
        {"the capabilities that it can have (PR_CAPBSET_DROP)", status_number(status, "\nCapBnd:", 16)},
        {"its locale (uselocale)", (uint64_t)(uintptr_t)uselocale((locale_t)0)},
        {"its descriptors, which are not those of the process any more (unshare)", is_shared(KCMP_FILES)},
        {"its working directory, which is not that of the process any more (unshare)",
         is_shared(KCMP_FS)},
        {"its namespaces (unshare, setns)", namespaces()},
    };
    const uint32_t count = sizeof all / sizeof all[0];
    memcpy(traits, all, sizeof all);
    return count;
}
