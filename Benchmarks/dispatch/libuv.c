/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Dispatch through libuv: uv_queue_work to its pool, here of two threads.
 *
 *     dispatch/libuv plain | timer
 *
 * plain: no deadline. timer: each task with a uv_timer of 30 s that would tell it to stop, started
 * at launch, stopped and closed when the task ends.
 *
 * Work is queued, and its end is told, on the loop's thread alone, so the launcher turns the loop
 * itself: it queues what has room and then turns it once. At most IN_FLIGHT tasks are in flight,
 * and their memory is used again and again.
 */
#include <string.h>
#include <unistd.h>
#include <uv.h>

#include "../measure.h"

struct task {
    uv_work_t work;
    uv_timer_t timer;
    struct task *next_free;
    bool has_run; /* the pool's, until the task's end is told on the loop's thread */
};

static struct task tasks[IN_FLIGHT];
static struct {
    uv_loop_t *loop;
    bool timer;
    struct task *free;
    uint64_t launched, over, expired, unrun;
} launcher;

static void release(struct task *task) {
    task->next_free = launcher.free;
    launcher.free = task;
    launcher.over++;
}

static void empty(uv_work_t *work) { ((struct task *)work->data)->has_run = true; }

static void expire(uv_timer_t *timer) {
    (void)timer;
    launcher.expired++;
}

static void timer_closed(uv_handle_t *timer) { release(timer->data); }

static void over(uv_work_t *work, int status) {
    struct task *task = work->data;
    if (status != 0 || !task->has_run) launcher.unrun++;
    if (!launcher.timer) {
        release(task);
        return;
    }
    uv_timer_stop(&task->timer);
    uv_close((uv_handle_t *)&task->timer, timer_closed);
}

static void launch(struct task *task) {
    task->has_run = false;
    if (launcher.timer) {
        int fault = uv_timer_init(launcher.loop, &task->timer);
        if (fault == 0) fault = uv_timer_start(&task->timer, expire, 30000, 0);
        if (fault != 0) fail("dispatch/libuv: no timer: %s", uv_strerror(fault));
    }
    const int fault = uv_queue_work(launcher.loop, &task->work, empty, over);
    if (fault != 0) fail("dispatch/libuv: not queued: %s", uv_strerror(fault));
    launcher.launched++;
}

static void launch_what_has_room(void) {
    while (launcher.launched < TASKS && launcher.free != NULL) {
        struct task *task = launcher.free;
        launcher.free = task->next_free;
        launch(task);
    }
}

int main(int count, char **arguments) {
    alarm(60); /* rather than hang */
    const char *variant = count == 2 ? arguments[1] : "";
    launcher.timer = strcmp(variant, "timer") == 0;
    if (!launcher.timer && strcmp(variant, "plain") != 0)
        fail("usage: dispatch/libuv plain | timer");
    setenv("UV_THREADPOOL_SIZE", "2", true); /* read when the pool starts, with the first task */
    launcher.loop = uv_default_loop();
    for (int i = IN_FLIGHT - 1; i >= 0; i--) {
        tasks[i].work.data = tasks[i].timer.data = &tasks[i];
        tasks[i].next_free = launcher.free;
        launcher.free = &tasks[i];
    }

    const uint64_t started = now_ns();
    while (launcher.over < TASKS) {
        launch_what_has_room();
        uv_run(launcher.loop, UV_RUN_ONCE);
    }
    const uint64_t ended = now_ns();

    if (launcher.over != TASKS || launcher.unrun != 0 || launcher.expired != 0)
        fail("dispatch/libuv: %" PRIu64 " tasks over, %" PRIu64 " of them not run, %" PRIu64
             " expired",
             launcher.over, launcher.unrun, launcher.expired);
    print_ns_per_task(started, ended);
    return 0;
}
