/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libevent: event_del and event_add of an event that has nothing but a timeout.
 *
 *     libevent heap | common
 *
 * heap: the timeouts are kept in libevent's heap. common: in a queue of those that have the same
 * length (event_base_init_common_timeout), which is what its manual advises for many such.
 *
 * The base has no locks: only the thread of its loop may arm and cancel. event_add reads the clock.
 */
#include <event2/event.h>
#include <string.h>

#include "deadlines.h"

static struct event *events[ARMED + IN_FLIGHT];
static int fired;

static void on_timeout(evutil_socket_t none, short what, void *data) {
    (void)none, (void)what, (void)data;
    fired++;
}

int main(int argc, char **argv) {
    const bool common = argc == 2 && strcmp(argv[1], "common") == 0;
    if (!common && (argc != 2 || strcmp(argv[1], "heap") != 0))
        fail("usage: libevent heap | common");
    struct event_base *base = event_base_new();
    if (base == NULL) fail("libevent: no base");
    const struct timeval budget = {.tv_sec = (time_t)(BUDGET_NS / 1000000000)};
    const struct timeval *timeout = common ? event_base_init_common_timeout(base, &budget) : &budget;
    for (int i = 0; i < ARMED + IN_FLIGHT; i++) {
        events[i] = event_new(base, -1, 0, on_timeout, NULL);
        if (events[i] == NULL || event_add(events[i], timeout) != 0) fail("libevent: no event");
    }

    const uint64_t started = now_ns();
    for (int i = 0; i < PAIRS; i++) {
        struct event *event = events[ARMED + i % IN_FLIGHT];
        if (event_del(event) != 0 || event_add(event, timeout) != 0) fail("libevent: not armed");
    }
    const uint64_t ended = now_ns();

    event_base_loop(base, EVLOOP_NONBLOCK);
    for (int i = 0; i < ARMED + IN_FLIGHT; i++) {
        if (!event_pending(events[i], EV_TIMEOUT, NULL)) fail("libevent: %d is not armed", i);
        event_free(events[i]);
    }
    if (fired != 0) fail("libevent: %d timeouts fired", fired);
    event_base_free(base);
    print_ns_per_pair(started, ended, PAIRS);
    return 0;
}
