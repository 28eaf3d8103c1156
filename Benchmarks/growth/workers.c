/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cost of a task against the number of workers.
 *
 *     workers burn | empty 1 | 2 | 4 | 8 LIBRARY PLUGIN_DIRECTORY
 *
 * One thread launches WORKER_TASKS tasks of a handler whose maxConcurrency is the number, in a host
 * that may have so many workers of its kind. burn: each task is about 2 µs of a fixed amount of
 * work, and the launcher sleeps while half a queue is left, so that the cores are the workers'.
 * empty: it is none. From the first launch until all have been counted as succeeded.
 *
 * With as many workers as cores burning tasks should cost less than with one; with more than that
 * they should not cost much more. Empty tasks show what workers cost each other.
 */
#include "growth.h"

enum { WORKER_TASKS = 200000 };

static void sleep_until_half_empty(const struct libcurfew *curfew) {
    const struct timespec pause = {.tv_nsec = 50000};
    while (state_of_handler(curfew, curfew->handler).queued > IN_FLIGHT / 2)
        nanosleep(&pause, NULL);
}

int main(int count, char **arguments) {
    if (count != 5 ||
        (strcmp(arguments[1], "burn") != 0 && strcmp(arguments[1], "empty") != 0))
        fail("usage: workers burn | empty 1 | 2 | 4 | 8 LIBRARY PLUGIN_DIRECTORY");
    const uint64_t workers = size_of_argument(arguments[2], 8);
    char identifier[64];
    snprintf(identifier, sizeof identifier, "org.example.growth.%s%" PRIu64, arguments[1],
             workers);
    const curfew_worker_config lane = {.struct_size = sizeof lane, .workers = (uint32_t)workers};
    const curfew_host_config config = {.struct_size = sizeof config, .processing = &lane};
    struct libcurfew curfew = open_libcurfew(arguments[3], arguments[4], identifier, &config);
    if (state_of_handler(&curfew, curfew.handler).max_concurrency != workers)
        fail("%s does not run %" PRIu64 " tasks at a time", identifier, workers);

    const bool burns = strcmp(arguments[1], "burn") == 0;
    const uint64_t started = now_ns();
    for (int i = 0; i < WORKER_TASKS; i++) {
        /* Half a queue is some milliseconds of work. */
        if (burns && i % (IN_FLIGHT / 2) == 0) sleep_until_half_empty(&curfew);
        launch_patiently(&curfew, curfew.handler, NULL, NULL);
    }
    if (burns) sleep_until_half_empty(&curfew);
    wait_for_successes(&curfew, curfew.handler, WORKER_TASKS);
    const uint64_t ended = now_ns();

    curfew_counts counts = {.struct_size = sizeof counts};
    expect_ok(&curfew, curfew.host_get_counts(curfew.host, &counts, NULL), "counts", NULL);
    if (counts.workers > workers)
        fail("%" PRIu32 " workers instead of %" PRIu64, counts.workers, workers);
    close_libcurfew(&curfew);
    printf("ns_per_task %.2f\n", (double)(ended - started) / WORKER_TASKS);
    printf("wakeups %" PRIu64 "\nworkers %" PRIu32 "\n", counts.wakeups, counts.workers);
    return 0;
}
