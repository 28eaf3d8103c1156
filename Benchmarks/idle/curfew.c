/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A host that has nothing to do, through the public C ABI, for count.py to look at.
 *
 *     curfew nothing LIBRARY PLUGIN_DIRECTORY
 *     curfew waiting LIBRARY PLUGIN_DIRECTORY STORE
 *
 * nothing: a host with the default configuration has loaded a plugin and run one task.
 * waiting: 1,000 tasks are pending besides, with a budget of two hours each, and 1,000 requests in
 * STORE, which must not exist, are due in an hour.
 *
 * Prints "ready" and leaves once standard input ends, after checking that nothing came due. The
 * plugin is memory/pending-plugin.
 */
#include <sched.h>
#include <string.h>
#include <unistd.h>

#include "../libcurfew.h"

enum { WAITING = 1000 };
static const char identifier[] = "org.example.pending";
static const uint64_t hour_ns = 3600000000000;

static struct libcurfew curfew;

/* Launches a task that succeeds at once, so that there is a worker that has worked. */
static void run_one(void) {
    const curfew_launch_options options = {
        .struct_size = sizeof options, .keep = true, .payload = "1", .payload_bytes = 1};
    curfew_task_state state = {.struct_size = sizeof state};
    curfew_task task;
    curfew_status status =
        curfew.host_launch_by_index(curfew.host, curfew.handler, &options, &task, NULL);
    if (status == CURFEW_OK)
        status = curfew.host_wait_task(curfew.host, task, 60000000000, &state, NULL);
    if (status != CURFEW_OK || state.outcome != CURFEW_OUTCOME_SUCCEEDED)
        fail("the first task: %s, outcome %d", curfew.status_text(status), state.outcome);
    curfew.host_release_task(curfew.host, task, NULL);
}

static void add_task(void) {
    const curfew_launch_options options = {.struct_size = sizeof options, .budget_ns = 2 * hour_ns};
    curfew_status status;
    while ((status = curfew.host_launch_by_index(curfew.host, curfew.handler, &options, NULL,
                                                 NULL)) == CURFEW_BUSY)
        sched_yield();
    if (status != CURFEW_OK) fail("not launched: %s", curfew.status_text(status));
}

static void add_request(void) {
    const curfew_submit_options options = {
        .struct_size = sizeof options,
        .earliest_ns = curfew.host_get_wall_ns(curfew.host) + (int64_t)hour_ns,
        .on_pending = CURFEW_ON_PENDING_ADD};
    curfew_error error = {.struct_size = sizeof error};
    if (curfew.host_submit(curfew.host, identifier, &options, NULL, NULL, &error) != CURFEW_OK)
        fail("not submitted: %s", error.message);
}

static void check(uint64_t launched) {
    curfew_counts counts = {.struct_size = sizeof counts};
    if (curfew.host_get_counts(curfew.host, &counts, NULL) != CURFEW_OK) fail("no counts");
    uint64_t ended = 0;
    for (size_t i = 0; i < sizeof counts.ended / sizeof counts.ended[0]; i++)
        ended += counts.ended[i];
    if (counts.launched != launched || ended != 1)
        fail("%" PRIu64 " launched and %" PRIu64 " ended", counts.launched, ended);
}

int main(int argc, char **argv) {
    const bool is_waiting = argc == 5 && strcmp(argv[1], "waiting") == 0;
    if (!is_waiting && (argc != 4 || strcmp(argv[1], "nothing") != 0))
        fail("usage: curfew nothing LIBRARY PLUGIN | waiting LIBRARY PLUGIN STORE");
    const curfew_request_config requests = {.struct_size = sizeof requests,
                                            .identifier_limit = WAITING};
    const curfew_host_config config = {
        .struct_size = sizeof config, .store = is_waiting ? argv[4] : NULL, .requests = &requests};
    if (is_waiting && access(argv[4], F_OK) == 0) fail("%s exists", argv[4]);
    curfew = open_libcurfew(argv[2], argv[3], identifier, is_waiting ? &config : NULL);
    run_one();
    for (int i = 0; is_waiting && i < WAITING; i++) {
        add_task();
        add_request();
    }
    puts("ready");
    fflush(stdout);
    char byte;
    while (read(STDIN_FILENO, &byte, 1) > 0) {
    }
    check(is_waiting ? WAITING + 1 : 1);
    close_libcurfew(&curfew);
    return 0;
}
