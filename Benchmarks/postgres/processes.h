/* SPDX-License-Identifier: Apache-2.0 */
/*
 * processes.h: processes of one program, and what they share. They are forked before any of them opens
 * a library or a connection, and end with the process that has started them.
 */
#ifndef CURFEW_BENCH_PROCESSES_H
#define CURFEW_BENCH_PROCESSES_H

#include <errno.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../measure.h"

enum { MOST_PROCESSES = 64 };

/* Memory that all processes have at the same address. */
static inline void *shared_memory(size_t bytes) {
    void *place = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (place == MAP_FAILED) fail("mmap: %s", strerror(errno));
    return place;
}

static inline void wait_for(sem_t *semaphore) {
    while (sem_wait(semaphore) != 0)
        if (errno != EINTR) fail("sem_wait: %s", strerror(errno));
}

/* Starts a process that runs `body` and leaves with 0. */
static inline pid_t start_process(void (*body)(int number), int number) {
    const pid_t process = fork();
    if (process < 0) fail("fork: %s", strerror(errno));
    if (process == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
        if (getppid() == 1) _exit(1);
        body(number);
        exit(0);
    }
    return process;
}

static inline void finish_process(pid_t process) {
    int status;
    if (waitpid(process, &status, 0) != process) fail("waitpid: %s", strerror(errno));
    if (status != 0) fail("a process has ended with status %d", status);
}

/* A start for all processes at once. */
struct gate {
    sem_t ready, open;
};

static inline void init_gate(struct gate *gate) {
    sem_init(&gate->ready, 1, 0);
    sem_init(&gate->open, 1, 0);
}

/* A process is ready, and waits until all are. */
static inline void pass_gate(struct gate *gate) {
    sem_post(&gate->ready);
    wait_for(&gate->open);
}

/* Waits until `count` processes are ready and lets them go. Fails where one of them has ended. */
static inline uint64_t open_gate(struct gate *gate, int count) {
    for (int i = 0; i < count;) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += 50000000;
        if (until.tv_nsec >= 1000000000) until.tv_sec++, until.tv_nsec -= 1000000000;
        if (sem_timedwait(&gate->ready, &until) == 0) i++;
        else if (waitpid(-1, NULL, WNOHANG) > 0) fail("a process has ended early");
    }
    const uint64_t started = now_ns();
    for (int i = 0; i < count; i++) sem_post(&gate->open);
    return started;
}

static inline int compare_times(const void *a, const void *b) {
    const uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return (left > right) - (left < right);
}

/* Sorts `count` times in nanoseconds and prints their median and 99th percentile in `divisor`s. */
static inline void print_times(uint64_t *times, int count, const char *unit, double divisor) {
    qsort(times, (size_t)count, sizeof times[0], compare_times);
    printf("p50_%s %.3f\np99_%s %.3f\n", unit, (double)times[count / 2] / divisor, unit,
           (double)times[(count * 99) / 100] / divisor);
}

#endif /* CURFEW_BENCH_PROCESSES_H */
