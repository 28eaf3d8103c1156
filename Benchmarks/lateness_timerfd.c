/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lateness the kernel itself leaves: a thread that does nothing but wait for a timerfd, beside
 * two threads that burn CPU. Same spans as lateness_curfew.c, one after
 * the other.
 *
 *     lateness_timerfd [SLACK_NS]
 *
 * With an argument the waiting thread sets its timer slack to it first (PR_SET_TIMERSLACK).
 */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "measure.h"

enum { BURNERS = 2 };

static _Atomic bool stop;

static void *burn(void *unused) {
    while (!atomic_load_explicit(&stop, memory_order_relaxed)) spin_once();
    return unused;
}

static struct timespec timespec_of(uint64_t ns) {
    return (struct timespec){.tv_sec = (time_t)(ns / 1000000000),
                             .tv_nsec = (long)(ns % 1000000000)};
}

static void *wait_spans(void *slack) {
    static uint64_t spans[SPANS];
    static int64_t lateness[SPANS];
    make_spans(spans);
    if (slack != NULL && prctl(PR_SET_TIMERSLACK, strtoul(slack, NULL, 10), 0, 0, 0) != 0)
        fail("lateness_timerfd: PR_SET_TIMERSLACK: %s", strerror(errno));
    const int timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
    if (timer < 0) fail("lateness_timerfd: timerfd_create: %s", strerror(errno));
    for (int i = 0; i < SPANS; i++) {
        const uint64_t deadline = now_ns() + spans[i];
        const struct itimerspec due = {.it_value = timespec_of(deadline)};
        uint64_t expirations;
        if (timerfd_settime(timer, TFD_TIMER_ABSTIME, &due, NULL) != 0 ||
            read(timer, &expirations, sizeof expirations) != sizeof expirations)
            fail("lateness_timerfd: timerfd: %s", strerror(errno));
        lateness[i] = (int64_t)(now_ns() - deadline);
    }
    close(timer);
    print_lateness(lateness);
    return NULL;
}

int main(int count, char **arguments) {
    pthread_t burners[BURNERS], waiter;
    for (int i = 0; i < BURNERS; i++)
        if (pthread_create(&burners[i], NULL, burn, NULL) != 0) fail("lateness_timerfd: no thread");
    if (pthread_create(&waiter, NULL, wait_spans, count > 1 ? arguments[1] : NULL) != 0)
        fail("lateness_timerfd: no thread");
    pthread_join(waiter, NULL);
    stop = true;
    for (int i = 0; i < BURNERS; i++) pthread_join(burners[i], NULL);
    return 0;
}
