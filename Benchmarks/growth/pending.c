/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cost of one more task against the number of tasks that are pending.
 *
 *     pending plain | own N LIBRARY PLUGIN_DIRECTORY
 *
 * N tasks have returned CURFEW_PENDING, each with its deadline armed: plain ones with the handler's
 * budget of 24 h, or each with a budget of its own, spread over an hour, and a payload of 8 bytes.
 * Then BATCHES batches of BATCH more are launched, have returned CURFEW_PENDING and are completed,
 * which is timed; the median batch counts. A batch, because the wake-up of a sleeping worker is no
 * part of what is asked here. The host's task limit is raised for N.
 *
 * bytes_each is what the process has grown by for each of the N; below some 10,000 that is mostly
 * the page. After the measurement all of them are completed, which is timed too (ns_complete): none
 * can have been missing.
 */
#include "growth-plugin/slip.h"
#include "growth.h"

enum { PENDING_LIMIT = 1000000, BATCH = 64, BATCHES = 100 };

static struct growth_slip slip;
static curfew_task tasks[PENDING_LIMIT + BATCH];
static uint64_t launched;
static bool own;

/* The first task brings the handler the slip, and so does each that has options of its own. */
static void launch_pending(const struct libcurfew *curfew, uint64_t place) {
    const struct growth_slip *address = &slip;
    const uint64_t hour_ns = 3600000000000;
    const curfew_launch_options options = {.struct_size = sizeof options,
                                           .payload = &address,
                                           .payload_bytes = sizeof address,
                                           .budget_ns = hour_ns + launched * 3571429 % hour_ns};
    launch_patiently(curfew, curfew->handler, own || launched == 0 ? &options : NULL,
                     &tasks[place]);
    launched++;
}

static void wait_until_pending(const struct libcurfew *curfew, curfew_task last) {
    while (atomic_load_explicit(&slip.entered, memory_order_acquire) != launched) sched_yield();
    curfew_task_state state = {.struct_size = sizeof state};
    do expect_ok(curfew, curfew->host_get_task(curfew->host, last, &state, NULL), "query", NULL);
    while (state.phase == CURFEW_TASK_PHASE_RUNNING);
    if (state.phase != CURFEW_TASK_PHASE_PENDING) fail("a task is in phase %d", state.phase);
}

static void complete(const struct libcurfew *curfew, uint64_t first, uint64_t end) {
    for (uint64_t i = first; i < end; i++)
        expect_ok(curfew, slip.api->complete(slip.api, tasks[i], CURFEW_OK, NULL, 0, NULL, 0),
                  "complete", NULL);
}

int main(int count, char **arguments) {
    own = count == 5 && strcmp(arguments[1], "own") == 0;
    if (!own && (count != 5 || strcmp(arguments[1], "plain") != 0))
        fail("usage: pending plain | own N LIBRARY PLUGIN_DIRECTORY");
    const uint64_t size = size_of_argument(arguments[2], PENDING_LIMIT);
    const curfew_host_config config = {.struct_size = sizeof config, .task_limit = 1 << 20};
    struct libcurfew curfew =
        open_libcurfew(arguments[3], arguments[4], "org.example.growth.pending", &config);

    memset(tasks, 0xff, sizeof tasks); /* so that they are no part of the growth */
    uint64_t times[BATCHES];
    launch_pending(&curfew, size); /* whatever is made once, is made now */
    wait_until_pending(&curfew, tasks[size]);
    complete(&curfew, size, size + 1);
    const uint64_t before = resident_bytes();
    for (uint64_t i = 0; i < size; i++) launch_pending(&curfew, i);
    if (size > 0) wait_until_pending(&curfew, tasks[size - 1]);
    const uint64_t after = resident_bytes();

    for (int batch = 0; batch < BATCHES; batch++) {
        const uint64_t started = now_ns();
        for (uint64_t i = 0; i < BATCH; i++) launch_pending(&curfew, size + i);
        wait_until_pending(&curfew, tasks[size + BATCH - 1]);
        complete(&curfew, size, size + BATCH);
        times[batch] = now_ns() - started;
    }
    if (state_of_handler(&curfew, curfew.handler).ended[CURFEW_OUTCOME_SUCCEEDED] >
        1 + BATCH * BATCHES)
        fail("more tasks have ended than were completed");

    const uint64_t started = now_ns();
    complete(&curfew, 0, size);
    const uint64_t ended = now_ns();
    wait_for_successes(&curfew, curfew.handler, launched);
    close_libcurfew(&curfew);
    printf("ns_per_operation %.1f\n", median_ns(times, BATCHES) / BATCH);
    if (size > 0) {
        printf("bytes_each %.1f\n", (double)(after - before) / (double)size);
        printf("ns_complete %.1f\n", (double)(ended - started) / (double)size);
    }
    return 0;
}
