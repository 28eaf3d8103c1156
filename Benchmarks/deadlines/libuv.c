/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libuv: uv_timer_stop and uv_timer_start, on the thread of the loop, the only one that may.
 *
 * The clock is not read: libuv counts from the time at which the loop began its turn.
 */
#include <uv.h>

#include "deadlines.h"

static uv_timer_t timers[ARMED + IN_FLIGHT];
static int fired;

static void on_timeout(uv_timer_t *timer) {
    (void)timer;
    fired++;
}

static void start(uv_timer_t *timer) {
    if (uv_timer_start(timer, on_timeout, BUDGET_NS / 1000000, 0) != 0) fail("libuv: no timer");
}

int main(void) {
    uv_loop_t loop;
    if (uv_loop_init(&loop) != 0) fail("libuv: no loop");
    for (int i = 0; i < ARMED + IN_FLIGHT; i++) {
        uv_timer_init(&loop, &timers[i]);
        start(&timers[i]);
    }

    const uint64_t started = now_ns();
    for (int i = 0; i < PAIRS; i++) {
        uv_timer_t *timer = &timers[ARMED + i % IN_FLIGHT];
        uv_timer_stop(timer);
        start(timer);
    }
    const uint64_t ended = now_ns();

    uv_run(&loop, UV_RUN_NOWAIT);
    for (int i = 0; i < ARMED + IN_FLIGHT; i++)
        if (!uv_is_active((uv_handle_t *)&timers[i])) fail("libuv: %d is not armed", i);
    if (fired != 0) fail("libuv: %d timers fired", fired);
    print_ns_per_pair(started, ended, PAIRS);
    return 0;
}
