/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A libuv loop with 1,000 timers that are due in an hour, for count.py to look at.
 */
#include <uv.h>

#include "../measure.h"

enum { WAITING = 1000 };

static void due(uv_timer_t *timer) {
    (void)timer;
    fail("a timer was due");
}

int main(void) {
    static uv_timer_t timers[WAITING];
    uv_loop_t *loop = uv_default_loop();
    for (int i = 0; i < WAITING; i++)
        if (uv_timer_init(loop, &timers[i]) != 0 ||
            uv_timer_start(&timers[i], due, 3600000 + (uint64_t)i, 0) != 0)
            fail("no timer");
    puts("ready");
    fflush(stdout);
    return uv_run(loop, UV_RUN_DEFAULT);
}
