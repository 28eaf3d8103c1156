/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What it costs, through Curfew's public C ABI, that a task has a deadline while it is pending.
 *
 *     curfew LIBRARY PLUGIN_DIRECTORY
 *
 * No function of the ABI arms a deadline or cancels one: that is a part of a task's life. A budget
 * is armed when a task is entered, in a cell of its worker, which costs next to nothing. It is only
 * when the function returns CURFEW_PENDING that the deadline moves to where it must be found among
 * many, and when the task is completed that it is taken out. So the pair is measured as the
 * difference between tasks that are completed while they are pending (`pending`) and tasks that are
 * completed in the same way, by api->complete, but from inside their function (`inside`). In it is
 * arming and cancelling and whatever else Curfew does for a task because it is pending.
 * `returned` are tasks that do neither, for comparison.
 *
 * All the while ARMED other tasks are pending, with a budget of 30 s. Launcher and worker take turns,
 * since otherwise the one that takes longer would hide what the other does: IN_FLIGHT tasks are
 * launched while their handler is paused, then it is resumed. What is counted for a batch is the
 * time of launching, and the worker's time from the first line of the first task to the end of the
 * last one. Pausing, resuming and waking are left out. A pending task is completed by one of the
 * next batch, so that as many are pending besides the others. The three kinds take turns batch by
 * batch, and the median batch of each counts: a difference of two sums would be that of the batches
 * during which the machine did something else.
 *
 * The host has its default configuration but for its task limit, 65,536, which is less than ARMED.
 */
#include <errno.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>

#include "../libcurfew.h"
#include "deadline-plugin/record.h"
#include "deadlines.h"

enum { BATCHES = SLOW_PAIRS / IN_FLIGHT + 1, TASK_LIMIT = 1 << 17, KINDS = 3 };

static const char *const names[KINDS] = {"returned", "inside", "pending"};

static struct libcurfew curfew;
static struct deadline_record record = {.batch = IN_FLIGHT};

static void wait_until_over(void) {
    while (sem_wait(&record.over) != 0)
        if (errno != EINTR) fail("sem_wait: %s", strerror(errno));
}

static uint32_t find(const char *name, char identifier[64]) {
    uint32_t index;
    snprintf(identifier, 64, "org.example.deadline.%s", name);
    const curfew_status status = curfew.host_find_handler(curfew.host, identifier, &index, NULL);
    if (status != CURFEW_OK) fail("%s: %s", identifier, curfew.status_text(status));
    return index;
}

static void launch(uint32_t handler, const curfew_launch_options *options) {
    curfew_status status;
    while ((status = curfew.host_launch_by_index(curfew.host, handler, options, NULL, NULL)) ==
           CURFEW_BUSY)
        sched_yield();
    if (status != CURFEW_OK) fail("not launched: %s", curfew.status_text(status));
}

static void launch_one(const char *name) {
    char identifier[64];
    struct deadline_record *address = &record;
    const curfew_launch_options options = {
        .struct_size = sizeof options, .payload = &address, .payload_bytes = sizeof address};
    launch(find(name, identifier), &options);
    wait_until_over();
}

static void hold_others(void) {
    char identifier[64];
    const uint32_t handler = find("held", identifier);
    for (int i = 0; i < ARMED; i++) launch(handler, NULL);
    wait_until_over();
}

/* Returns the nanoseconds that one batch took, launcher and worker together. */
static uint64_t run_batch(const char *name) {
    char identifier[64];
    const uint32_t handler = find(name, identifier);
    curfew_status status = curfew.host_pause_handler(curfew.host, identifier, NULL);
    if (status != CURFEW_OK) fail("not paused: %s", curfew.status_text(status));
    const uint64_t started = now_ns();
    for (int i = 0; i < IN_FLIGHT; i++) {
        status = curfew.host_launch_by_index(curfew.host, handler, NULL, NULL, NULL);
        if (status != CURFEW_OK) fail("not launched: %s", curfew.status_text(status));
    }
    const uint64_t launched = now_ns();
    status = curfew.host_resume_handler(curfew.host, identifier, NULL);
    if (status != CURFEW_OK) fail("not resumed: %s", curfew.status_text(status));
    wait_until_over();
    if (record.first_ns < launched) fail("%s: a task was entered before all were launched", name);
    return launched - started + record.last_ns - record.first_ns;
}

static int compare_times(const void *left, const void *right) {
    const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

/* The last function may have just returned, and its task not be counted yet. */
static void check_outcomes(void) {
    const uint64_t expected = ARMED + 2 + KINDS * (BATCHES + 1) * (uint64_t)IN_FLIGHT;
    curfew_counts counts = {.struct_size = sizeof counts};
    const uint64_t begun = now_ns();
    do {
        sched_yield();
        if (curfew.host_get_counts(curfew.host, &counts, NULL) != CURFEW_OK) fail("no counts");
    } while (counts.ended[CURFEW_OUTCOME_SUCCEEDED] < expected && now_ns() - begun < 1000000000);
    if (counts.launched != expected || counts.ended[CURFEW_OUTCOME_SUCCEEDED] != expected)
        fail("%" PRIu64 " tasks were launched and %" PRIu64 " succeeded, not %" PRIu64,
             counts.launched, counts.ended[CURFEW_OUTCOME_SUCCEEDED], expected);
    if (record.refused != 0 || record.completed != (BATCHES + 1) * (uint64_t)IN_FLIGHT)
        fail("%" PRIu64 " pending tasks were completed, %" PRIu64 " completions refused",
             record.completed, record.refused);
}

int main(int argc, char **argv) {
    if (argc != 3) fail("usage: curfew LIBRARY PLUGIN_DIRECTORY");
    alarm(60);
    const curfew_host_config config = {.struct_size = sizeof config, .task_limit = TASK_LIMIT};
    curfew = open_libcurfew(argv[1], argv[2], "org.example.deadline.held", &config);
    sem_init(&record.over, 0, 0);
    launch_one("begin");
    hold_others();
    /* One round that does not count: the first batch of `pending` has none to complete. */
    static uint64_t times[KINDS][BATCHES];
    for (int kind = 0; kind < KINDS; kind++) run_batch(names[kind]);
    for (int batch = 0; batch < BATCHES; batch++)
        for (int kind = 0; kind < KINDS; kind++) times[kind][batch] = run_batch(names[kind]);
    launch_one("end");
    check_outcomes();
    close_libcurfew(&curfew);

    double each[KINDS];
    for (int kind = 0; kind < KINDS; kind++) {
        qsort(times[kind], BATCHES, sizeof times[kind][0], compare_times);
        each[kind] = (double)times[kind][BATCHES / 2] / IN_FLIGHT;
        printf("%s_ns %.2f\n", names[kind], each[kind]);
    }
    printf("ns_per_pair %.2f\n", each[2] - each[1]);
    return 0;
}
