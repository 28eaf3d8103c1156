/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tasks of a plugin in a process of its own, through Curfew's public C ABI.
 *
 *     child/curfew busy | rested | row | calls | start | crash LIBRARY PLUGIN_DIRECTORY HELPER
 *
 * busy and rested: a task is launched, kept and waited for, back to back or after 1 ms of rest.
 * row: 100,000 tasks are launched as fast as they are taken, until the last one is over.
 * calls: a task makes 1,000 calls of a kind; its time is divided by their number. A result has 1 MiB.
 * start: from the order to load the plugin until its first task is over; its host has had another
 * process before, so that curfew-child runs. crash: from the launch of a task that ends its process
 * until the next task is over; its pause of 100 ms is taken off.
 */
#include "../libcurfew.h"
#include "../round-trip/round-trips.h"

#include <sched.h>

enum { ROW = 100000, STARTS = 20, PAUSE_MS = 100, CALLS = 1000, LOOKS = 21 };

/* Waits for one task, whose payload is a word or nothing. Returns its outcome. */
static curfew_outcome run(const struct libcurfew *curfew, const char *word) {
    const curfew_launch_options keep = {.struct_size = sizeof keep,
                                        .keep = true,
                                        .payload = word,
                                        .payload_bytes = word == NULL ? 0 : strlen(word)};
    curfew_task_state state = {.struct_size = sizeof state};
    curfew_error error = {.struct_size = sizeof error};
    curfew_task task;
    curfew_status status =
        curfew->host_launch_by_index(curfew->host, curfew->handler, &keep, &task, &error);
    if (status != CURFEW_OK) fail("not launched: %s", error.message);
    status = curfew->host_wait_task(curfew->host, task, 60000000000, &state, NULL);
    if (status != CURFEW_OK) fail("not waited for: %s", curfew->status_text(status));
    curfew->host_release_task(curfew->host, task, NULL);
    return state.outcome;
}

static void need(curfew_outcome seen, curfew_outcome wanted) {
    if (seen != wanted) fail("a task has outcome %d, not %d", seen, wanted);
}

static uint64_t ended(const struct libcurfew *curfew) {
    curfew_counts counts = {.struct_size = sizeof counts};
    if (curfew->host_get_counts(curfew->host, &counts, NULL) != CURFEW_OK) fail("no counts");
    return counts.ended[CURFEW_OUTCOME_SUCCEEDED];
}

static void measure_row(const struct libcurfew *curfew) {
    curfew_task task;
    const uint64_t before = ended(curfew);
    const uint64_t started = now_ns();
    for (int i = 0; i < ROW;) {
        const curfew_status status =
            curfew->host_launch_by_index(curfew->host, curfew->handler, NULL, &task, NULL);
        if (status == CURFEW_OK) i++;
        else if (status == CURFEW_BUSY) sched_yield();
        else fail("not launched: %s", curfew->status_text(status));
    }
    while (ended(curfew) - before < ROW) sched_yield();
    printf("us_per_task %.3f\n", (double)(now_ns() - started) / 1000 / ROW);
}

/* Returns the median time of a task with a payload, in nanoseconds. */
static double measure_task(const struct libcurfew *curfew, const char *word) {
    static uint64_t spans[LOOKS];
    for (int i = 0; i < LOOKS; i++) {
        const uint64_t started = now_ns();
        need(run(curfew, word), CURFEW_OUTCOME_SUCCEEDED);
        spans[i] = now_ns() - started;
    }
    qsort(spans, LOOKS, sizeof spans[0], compare_spans);
    return (double)spans[LOOKS / 2];
}

int main(int count, char **arguments) {
    static const char usage[] =
        "child/curfew busy | rested | row | calls | start | crash LIBRARY PLUGIN_DIRECTORY HELPER";
    if (count != 5) fail("usage: %s", usage);
    const char *mode = arguments[1];
    const curfew_host_config config = {.struct_size = sizeof config,
                                       .isolation = CURFEW_ISOLATION_PROCESS,
                                       .helper = arguments[4]};
    if (strcmp(mode, "start") == 0 || strcmp(mode, "crash") == 0) {
        static uint64_t spans[STARTS];
        alarm(120);
        struct libcurfew curfew =
            open_libcurfew(arguments[2], arguments[3], "org.example.ending", &config);
        need(run(&curfew, NULL), CURFEW_OUTCOME_SUCCEEDED);
        for (int i = 0; i < STARTS; i++) {
            if (mode[0] == 's') {
                close_libcurfew(&curfew);
                curfew = look_up_libcurfew(arguments[2]);
                const uint64_t started = now_ns();
                start_libcurfew(&curfew, arguments[3], "org.example.ending", &config);
                need(run(&curfew, NULL), CURFEW_OUTCOME_SUCCEEDED);
                spans[i] = now_ns() - started;
                continue;
            }
            /* So many successes that the pause is the first one again. */
            for (int task = 0; task < 100; task++) need(run(&curfew, NULL), CURFEW_OUTCOME_SUCCEEDED);
            const uint64_t started = now_ns();
            need(run(&curfew, "end"), CURFEW_OUTCOME_CRASHED);
            need(run(&curfew, NULL), CURFEW_OUTCOME_SUCCEEDED);
            spans[i] = now_ns() - started - (uint64_t)PAUSE_MS * 1000000;
        }
        qsort(spans, STARTS, sizeof spans[0], compare_spans);
        printf("ms %.3f\n", (double)spans[STARTS / 2] / 1e6);
        close_libcurfew(&curfew);
        return 0;
    }
    struct libcurfew curfew =
        open_libcurfew(arguments[2], arguments[3], "org.example.ending", &config);
    need(run(&curfew, NULL), CURFEW_OUTCOME_SUCCEEDED);
    if (strcmp(mode, "row") == 0) {
        alarm(60);
        measure_row(&curfew);
    } else if (strcmp(mode, "calls") == 0) {
        alarm(60);
        printf("us_per_raise %.3f\n", measure_task(&curfew, "raise") / 1000 / CALLS);
        printf("us_per_submit %.3f\n", measure_task(&curfew, "submit") / 1000 / CALLS);
        printf("us_per_result %.3f\n", measure_task(&curfew, "result") / 1000);
    } else {
        struct round_trips *trips = make_round_trips(mode, usage);
        for (int i = 0; i < trips->count; i++) {
            rest(trips);
            const uint64_t started = now_ns();
            need(run(&curfew, NULL), CURFEW_OUTCOME_SUCCEEDED);
            trips->spans_ns[i] = now_ns() - started;
        }
        print_round_trips(trips);
    }
    close_libcurfew(&curfew);
    return 0;
}
