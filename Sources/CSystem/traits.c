/* SPDX-License-Identifier: Apache-2.0 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "include/csystem_traits.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

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

/* The function that std::terminate calls, of the C++ library that is loaded. */
static uint64_t terminate_function(void) {
    void *(*get)(void) = NULL;
    void *found = dlsym(RTLD_DEFAULT, "_ZSt13get_terminatev");
    if (found == NULL) return 0;
    memcpy(&get, &found, sizeof get);
    return (uint64_t)(uintptr_t)get();
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
        {"the function that std::terminate calls", terminate_function()},
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
        /* Not those that wait for the process. */
        {"the signals that wait for it", status_number(status, "\nSigPnd:", 16)},
        {"its name", hash(name, strlen(name))},
        {"its timer slack", (uint64_t)prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0)},
    };
    const uint32_t count = sizeof all / sizeof all[0];
    memcpy(traits, all, sizeof all);
    return count;
}
