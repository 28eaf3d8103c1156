/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lateness of libuv's timers, a uv_timer_t for each span on a loop with a thread of its own.
 *
 *     libuv running | pending
 *
 * libuv counts in milliseconds, from the loop's time, which is cut off to one; uv_update_time comes
 * before each start, and a span is rounded up to the next millisecond. A timer may be early all the
 * same, by what was cut off. That is libuv's way and no error: `early` tells how many were.
 *
 * running: two spans at a time, as Curfew has two tasks at a time, each begun by the end of the one
 * before, beside two threads that burn CPU.
 * pending: all deadlines are armed before the first is due, in a process that does nothing else.
 */
#include <unistd.h>
#include <uv.h>

#include "burners.h"
#include "lateness.h"

enum { AT_A_TIME = 2 };

static uint64_t spans[SPANS_MAX], deadlines[SPANS_MAX];
static int64_t lateness[SPANS_MAX];
static uv_timer_t timers[SPANS_MAX];
static uv_loop_t loop;
static int spans_count, begun, over;

static void begin(int number);

static void fired(uv_timer_t *timer) {
    const uint64_t now = now_ns();
    const int number = (int)(timer - timers);
    lateness[number] = (int64_t)(now - deadlines[number]);
    over++;
    uv_close((uv_handle_t *)timer, NULL);
    if (begun < spans_count) begin(begun++);
}

static void begin(int number) {
    uv_timer_init(&loop, &timers[number]);
    uv_update_time(&loop);
    deadlines[number] = now_ns() + spans[number];
    if (uv_timer_start(&timers[number], fired, (spans[number] + 999999) / 1000000, 0) != 0)
        fail("libuv: no timer");
}

static void *turn(void *unused) {
    const bool is_chain = spans_count == RUNNING;
    const uint64_t started = now_ns();
    while (begun < (is_chain ? AT_A_TIME : spans_count)) begin(begun++);
    if (!is_chain && now_ns() > started + PENDING_FIRST_NS) fail("armed too late");
    uv_run(&loop, UV_RUN_DEFAULT);
    return unused;
}

int main(int argc, char **argv) {
    if (argc != 2) fail("usage: libuv running | pending");
    alarm(60);
    spans_count = make_spans(argv[1], spans);
    if (uv_loop_init(&loop) != 0) fail("libuv: no loop");
    static struct burners burners;
    start_burners(&burners, spans_count == RUNNING);
    pthread_t turner;
    if (pthread_create(&turner, NULL, turn, NULL) != 0) fail("libuv: no thread");
    pthread_join(turner, NULL);
    stop_burners(&burners);
    if (over != spans_count) fail("libuv: %d timers fired, not %d", over, spans_count);
    print_lateness(lateness, spans_count);
    return 0;
}
