/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cost of a task and of a request against the bytes of its payload.
 *
 *     payload launch BYTES LIBRARY PLUGIN_DIRECTORY
 *     payload submit BYTES LIBRARY PLUGIN_DIRECTORY STORE
 *
 * launch: from the first launch until all tasks have succeeded, per task. The payload is copied
 * once, by the launch; the handler reads its length only. At most 64 MiB of payloads are on their
 * way at a time, and as many tasks as the handler's queue takes.
 * submit: the median time of a durable request for tomorrow, by one caller. STORE must not exist.
 *
 * Bytes that must be copied or written cost what they cost: that the curves turn to a straight line
 * at the end is right.
 */
#include "growth.h"

enum { PAYLOAD_LIMIT = 1 << 20, SUBMISSIONS = 200 };
static const uint64_t on_their_way = 64 << 20, in_all = 512 << 20;
static char payload[PAYLOAD_LIMIT];

static uint64_t least(uint64_t left, uint64_t right) { return left < right ? left : right; }

static uint64_t total_of_lengths(const struct libcurfew *curfew) {
    const curfew_launch_options keep = {.struct_size = sizeof keep, .keep = true};
    curfew_task task;
    uint64_t sum = 0, bytes = 0;
    curfew_error error = {.struct_size = sizeof error};
    expect_ok(curfew,
              curfew->host_launch(curfew->host, "org.example.growth.total", &keep, &task, &error),
              "total", &error);
    expect_ok(curfew, curfew->host_wait_task(curfew->host, task, 10000000000, NULL, NULL), "total",
              NULL);
    expect_ok(curfew,
              curfew->host_read_task_result(curfew->host, task, &sum, sizeof sum, &bytes, NULL),
              "total", NULL);
    expect_ok(curfew, curfew->host_release_task(curfew->host, task, NULL), "total", NULL);
    return sum;
}

static void launch_all(const struct libcurfew *curfew, uint64_t size) {
    const uint64_t tasks = size == 0 ? 200000 : least(200000, in_all / size);
    const uint64_t bound = size == 0 ? IN_FLIGHT : least(IN_FLIGHT, on_their_way / size);
    const curfew_launch_options options = {
        .struct_size = sizeof options, .payload = payload, .payload_bytes = size};
    uint64_t over = 0;
    const uint64_t started = now_ns();
    for (uint64_t i = 0; i < tasks; i++) {
        while (bound < IN_FLIGHT && i - over >= bound) {
            over = state_of_handler(curfew, curfew->handler).ended[CURFEW_OUTCOME_SUCCEEDED];
            if (i - over >= bound) sched_yield();
        }
        launch_patiently(curfew, curfew->handler, &options, NULL);
    }
    wait_for_successes(curfew, curfew->handler, tasks);
    const uint64_t ended = now_ns();
    if (total_of_lengths(curfew) != tasks * size) fail("payloads of another length have come");
    printf("ns_per_task %.1f\n", (double)(ended - started) / (double)tasks);
}

static void submit_all(const struct libcurfew *curfew, uint64_t size) {
    const curfew_submit_options options = {
        .struct_size = sizeof options,
        .earliest_ns = curfew->host_get_wall_ns(curfew->host) + 86400000000000,
        .on_pending = CURFEW_ON_PENDING_ADD,
        .payload = payload,
        .payload_bytes = size};
    uint64_t times[SUBMISSIONS];
    curfew_request request = 0;
    for (int i = 0; i < SUBMISSIONS; i++) {
        curfew_error error = {.struct_size = sizeof error};
        const uint64_t started = now_ns();
        const curfew_status status = curfew->host_submit(
            curfew->host, "org.example.growth.length", &options, &request, NULL, &error);
        times[i] = now_ns() - started;
        expect_ok(curfew, status, "submit", &error);
    }
    curfew_request_state info = {.struct_size = sizeof info};
    curfew_error error = {.struct_size = sizeof error};
    expect_ok(curfew, curfew->host_get_request(curfew->host, request, &info, &error), "query",
              &error);
    if (request != SUBMISSIONS || info.phase != CURFEW_REQUEST_PHASE_PENDING ||
        info.payload_bytes != size)
        fail("request %" PRIu64 " is not what was submitted", request);
    printf("us_submit %.1f\n", median_ns(times, SUBMISSIONS) / 1000);
}

int main(int count, char **arguments) {
    const bool submit = count == 6 && strcmp(arguments[1], "submit") == 0;
    if (!submit && (count != 5 || strcmp(arguments[1], "launch") != 0))
        fail("usage: payload launch BYTES LIBRARY PLUGIN | submit BYTES LIBRARY PLUGIN STORE");
    const uint64_t size = size_of_argument(arguments[2], PAYLOAD_LIMIT);
    memset(payload, 'p', sizeof payload);
    const curfew_request_config requests = {.struct_size = sizeof requests,
                                            .processing_limit = 100000000};
    const curfew_host_config config = {.struct_size = sizeof config,
                                       .store = submit ? arguments[5] : NULL,
                                       .requests = submit ? &requests : NULL};
    struct libcurfew curfew =
        open_libcurfew(arguments[3], arguments[4], "org.example.growth.length", &config);
    if (submit)
        submit_all(&curfew, size);
    else
        launch_all(&curfew, size);
    close_libcurfew(&curfew);
    return 0;
}
