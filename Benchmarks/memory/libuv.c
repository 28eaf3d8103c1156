/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a libuv timer takes of memory: COUNT of them, each from malloc(3) as a program has them that
 * makes one when it needs one, due in an hour.
 *
 *     libuv COUNT
 */
#include <uv.h>

#include "rollup.h"

static void due(uv_timer_t *timer) {
    (void)timer;
    fail("a timer was due");
}

static void arm(uv_loop_t *loop) {
    uv_timer_t *timer = malloc(sizeof *timer);
    if (timer == NULL || uv_timer_init(loop, timer) != 0 ||
        uv_timer_start(timer, due, 3600000, 0) != 0)
        fail("no timer");
}

static void add(uv_handle_t *handle, void *count) {
    if (handle->type == UV_TIMER && uv_is_active(handle)) ++*(int *)count;
}

int main(int argc, char **argv) {
    const int count = argc == 2 ? atoi(argv[1]) : 0;
    if (count < 1) fail("usage: libuv COUNT");
    uv_loop_t *loop = uv_default_loop();
    arm(loop);
    uv_run(loop, UV_RUN_NOWAIT);
    const struct rollup before = read_rollup();
    for (int i = 0; i < count; i++) arm(loop);
    uv_run(loop, UV_RUN_NOWAIT);
    const struct rollup after = read_rollup();
    int armed = 0;
    uv_walk(loop, add, &armed);
    if (armed != count + 1) fail("%d timers are armed", armed);
    print_bytes_each(&before, &after, count);
    return 0;
}
