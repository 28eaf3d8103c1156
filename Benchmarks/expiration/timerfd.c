/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The limit: the lateness the kernel itself leaves to a thread that does nothing but wait for a
 * timerfd.
 *
 *     timerfd running | pending [SLACK_NS]
 *
 * running: the spans one after the other, beside two threads that burn CPU.
 * pending: the deadlines in the order in which they are due; the thread knows that order
 * beforehand, so that nothing but waiting is left.
 *
 * With SLACK_NS the waiting thread sets its timer slack to it first (PR_SET_TIMERSLACK).
 */
#include <errno.h>
#include <sys/prctl.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "burners.h"
#include "lateness.h"

static uint64_t spans[SPANS_MAX];
static int64_t lateness[SPANS_MAX];

/* What the waiting thread is given. */
struct wait {
    int count;
    bool is_chain; /* a span begins when the one before is over; else all begin at once */
    const char *slack;
};

static struct timespec timespec_of(uint64_t ns) {
    return (struct timespec){.tv_sec = (time_t)(ns / 1000000000),
                             .tv_nsec = (long)(ns % 1000000000)};
}

static void *wait_spans(void *data) {
    const struct wait *wait = data;
    if (wait->slack != NULL &&
        prctl(PR_SET_TIMERSLACK, strtoul(wait->slack, NULL, 10), 0, 0, 0) != 0)
        fail("timerfd: PR_SET_TIMERSLACK: %s", strerror(errno));
    const int timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
    if (timer < 0) fail("timerfd: timerfd_create: %s", strerror(errno));
    const uint64_t started = now_ns();
    for (int i = 0; i < wait->count; i++) {
        const uint64_t deadline = (wait->is_chain ? now_ns() : started) + spans[i];
        const struct itimerspec due = {.it_value = timespec_of(deadline)};
        uint64_t expirations;
        if (timerfd_settime(timer, TFD_TIMER_ABSTIME, &due, NULL) != 0 ||
            read(timer, &expirations, sizeof expirations) != sizeof expirations)
            fail("timerfd: %s", strerror(errno));
        lateness[i] = (int64_t)(now_ns() - deadline);
    }
    close(timer);
    return NULL;
}

static int compare_spans(const void *left, const void *right) {
    const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

int main(int count, char **arguments) {
    if (count != 2 && count != 3) fail("usage: timerfd running | pending [SLACK_NS]");
    struct wait wait = {.count = make_spans(arguments[1], spans), .slack = arguments[2]};
    wait.is_chain = wait.count == RUNNING;
    if (!wait.is_chain) qsort(spans, (size_t)wait.count, sizeof spans[0], compare_spans);

    static struct burners burners;
    start_burners(&burners, wait.is_chain);
    pthread_t waiter;
    if (pthread_create(&waiter, NULL, wait_spans, &wait) != 0) fail("timerfd: no thread");
    pthread_join(waiter, NULL);
    stop_burners(&burners);
    print_lateness(lateness, wait.count);
    return 0;
}
