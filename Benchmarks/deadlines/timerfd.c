/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernel's timers, a timerfd for each deadline.
 *
 *     timerfd settime | create
 *
 * settime: a timer that is armed gets a new time, which cancels and arms in one.
 * create: a timer is closed, and another one created and set.
 *
 * ARMED timers need as many descriptors; with fewer to be had there are fewer, and `armed` tells how
 * many. No clock is read but by the kernel: the times are relative.
 */
#include <errno.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "deadlines.h"

static int timers[ARMED + IN_FLIGHT];

/* How many descriptors there may be, after asking for as many as it takes. */
static int descriptors(void) {
    const rlim_t wanted = ARMED + IN_FLIGHT + 100;
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) fail("timerfd: getrlimit: %s", strerror(errno));
    if (limit.rlim_cur >= wanted) return ARMED + IN_FLIGHT;
    const struct rlimit more = {.rlim_cur = wanted,
                                .rlim_max = limit.rlim_max > wanted ? limit.rlim_max : wanted};
    if (setrlimit(RLIMIT_NOFILE, &more) == 0) return ARMED + IN_FLIGHT;
    limit.rlim_cur = limit.rlim_max;
    if (setrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur < 2 * IN_FLIGHT)
        fail("timerfd: %ju descriptors are too few", (uintmax_t)limit.rlim_cur);
    return (int)limit.rlim_cur - 100;
}

static void set(int timer) {
    const struct itimerspec due = {.it_value.tv_sec = (time_t)(BUDGET_NS / 1000000000)};
    if (timerfd_settime(timer, 0, &due, NULL) != 0) fail("timerfd: settime: %s", strerror(errno));
}

static int arm(void) {
    const int timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    if (timer < 0) fail("timerfd: create: %s", strerror(errno));
    set(timer);
    return timer;
}

static void check(int timer) {
    uint64_t expirations;
    struct itimerspec left;
    if (timerfd_gettime(timer, &left) != 0 || (left.it_value.tv_sec | left.it_value.tv_nsec) == 0 ||
        read(timer, &expirations, sizeof expirations) >= 0 || errno != EAGAIN)
        fail("timerfd: one is not armed, or has fired");
}

int main(int argc, char **argv) {
    const bool settime = argc == 2 && strcmp(argv[1], "settime") == 0;
    if (!settime && (argc != 2 || strcmp(argv[1], "create") != 0))
        fail("usage: timerfd settime | create");
    const int count = descriptors();
    for (int i = 0; i < count; i++) timers[i] = arm();

    const uint64_t started = now_ns();
    for (int i = 0; i < SLOW_PAIRS; i++) {
        int *timer = &timers[count - IN_FLIGHT + i % IN_FLIGHT];
        if (settime) {
            set(*timer);
        } else {
            close(*timer);
            *timer = arm();
        }
    }
    const uint64_t ended = now_ns();

    for (int i = 0; i < count; i++) check(timers[i]);
    print_ns_per_pair(started, ended, SLOW_PAIRS);
    printf("armed %d\n", count - IN_FLIGHT);
    return 0;
}
