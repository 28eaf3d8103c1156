/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A round trip through Curfew's public C ABI: a task of an empty C handler is launched and kept,
 * waited for, and released, in a host with the default configuration.
 *
 *     round-trip/curfew busy | rested LIBRARY PLUGIN_DIRECTORY
 *
 * Timed is from before the launch until the wait has returned with the task's state; the release
 * comes after that.
 */
#include "../libcurfew.h"
#include "round-trips.h"

static uint64_t make_round_trip(const struct libcurfew *curfew) {
    const curfew_launch_options keep = {.struct_size = sizeof keep, .keep = true};
    curfew_task_state state = {.struct_size = sizeof state};
    curfew_error error = {.struct_size = sizeof error};
    curfew_task task;

    const uint64_t started = now_ns();
    curfew_status status =
        curfew->host_launch_by_index(curfew->host, curfew->handler, &keep, &task, &error);
    if (status != CURFEW_OK)
        fail("not launched: %s: %s", curfew->status_text(status), error.message);
    status = curfew->host_wait_task(curfew->host, task, 60000000000, &state, NULL);
    const uint64_t ended = now_ns();

    if (status != CURFEW_OK) fail("not waited for: %s", curfew->status_text(status));
    if (state.outcome != CURFEW_OUTCOME_SUCCEEDED) fail("a task has outcome %d", state.outcome);
    status = curfew->host_release_task(curfew->host, task, NULL);
    if (status != CURFEW_OK) fail("not released: %s", curfew->status_text(status));
    return ended - started;
}

int main(int count, char **arguments) {
    static const char usage[] = "round-trip/curfew busy | rested LIBRARY PLUGIN_DIRECTORY";
    if (count != 4) fail("usage: %s", usage);
    struct round_trips *trips = make_round_trips(arguments[1], usage);
    struct libcurfew curfew = open_libcurfew(arguments[2], arguments[3], "org.example.empty", NULL);
    for (int i = 0; i < trips->count; i++) {
        rest(trips);
        trips->spans_ns[i] = make_round_trip(&curfew);
    }

    curfew_counts counts = {.struct_size = sizeof counts};
    if (curfew.host_get_counts(curfew.host, &counts, NULL) != CURFEW_OK) fail("no counts");
    if (counts.launched != (uint64_t)trips->count ||
        counts.ended[CURFEW_OUTCOME_SUCCEEDED] != (uint64_t)trips->count)
        fail("the host counts %" PRIu64 " tasks launched and %" PRIu64 " succeeded",
             counts.launched, counts.ended[CURFEW_OUTCOME_SUCCEEDED]);
    close_libcurfew(&curfew);
    print_round_trips(trips);
    printf("wakeups_per_trip %.2f\n", (double)counts.wakeups / trips->count);
    return 0;
}
