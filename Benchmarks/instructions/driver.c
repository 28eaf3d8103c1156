/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes callgrind count the instructions of one operation, many times over, on one thread, and
 * nothing else: it is told where to begin and where to end, and nobody waits in between.
 *
 *     driver OPERATION LIBRARY PLUGIN_DIRECTORY STORE
 *
 * launch: curfew_host_launch_by_index, while its handler is paused.
 * run: what a worker does from one task to the next, of a function that returns CURFEW_OK.
 * complete: the same of a function that completes its task itself.
 * arm: the same of a function that returns CURFEW_PENDING.
 * finish: completing such a task later.
 * raise: curfew_host_raise_event of an event with a number and a text.
 * deliver: delivering it to one C function through libffi.
 * submit: curfew_host_submit into STORE, which must not exist.
 *
 * Prints how many operations were counted. Run under valgrind --tool=callgrind
 * --collect-atstart=no; without it nothing is counted, and it does the same.
 */
#include <errno.h>
#include <semaphore.h>
#include <string.h>
#include <unistd.h>
#include <valgrind/callgrind.h>

#include "../libcurfew.h"
#include "count-plugin/record.h"

enum { BATCH = 4000, SUBMITS = 200 };

static struct libcurfew curfew;
static struct count_record record = {.batch = BATCH};

static void must(curfew_status status, const char *what) {
    if (status != CURFEW_OK) fail("%s: %s", what, curfew.status_text(status));
}

static void wait_until_over(void) {
    while (sem_wait(&record.over) != 0)
        if (errno != EINTR) fail("sem_wait: %s", strerror(errno));
}

static uint32_t find(const char *identifier) {
    uint32_t handler;
    must(curfew.host_find_handler(curfew.host, identifier, &handler, NULL), identifier);
    return handler;
}

/* Launches a whole batch while nothing of it can run; `counted` counts that. */
static void launch_batch(const char *identifier, bool counted) {
    const uint32_t handler = find(identifier);
    must(curfew.host_pause_handler(curfew.host, identifier, NULL), "pause");
    if (counted) CALLGRIND_TOGGLE_COLLECT;
    for (int i = 0; i < BATCH; i++)
        must(curfew.host_launch_by_index(curfew.host, handler, NULL, NULL, NULL), "launch");
    if (counted) CALLGRIND_TOGGLE_COLLECT;
}

static void run_batch(const char *identifier, bool counted) {
    record.counts = counted;
    launch_batch(identifier, false);
    must(curfew.host_resume_handler(curfew.host, identifier, NULL), "resume");
    wait_until_over();
}

static void begin(void) {
    struct count_record *address = &record;
    const curfew_launch_options options = {
        .struct_size = sizeof options, .payload = &address, .payload_bytes = sizeof address};
    sem_init(&record.over, 0, 0);
    must(curfew.host_launch_by_index(curfew.host, find("org.example.count.begin"), &options, NULL,
                                     NULL),
         "begin");
    wait_until_over();
}

static int received;

static void changed(void *event_data, int64_t number, const char *text) {
    (void)event_data, (void)number, (void)text;
    received++;
}

static void raise_and_deliver(bool counts_raising) {
    curfew_error error = {.struct_size = sizeof error};
    const char *selector = "changed::";
    const curfew_value values[2] = {
        {.struct_size = sizeof values[0], .type = CURFEW_TYPE_INT64, .integer = 7},
        {.struct_size = sizeof values[0], .type = CURFEW_TYPE_TEXT, .text = "seven",
         .text_bytes = 5}};
    uint32_t delivered = 0;
    must(curfew.host_raise_event(curfew.host, selector, values, 2, NULL), "declared by the first");
    must(curfew.host_subscribe(curfew.host, selector, (curfew_any_function)changed, NULL, NULL,
                               &error),
         error.message);
    must(curfew.host_dispatch(curfew.host, 0, &delivered, NULL), "dispatch");
    if (counts_raising) CALLGRIND_TOGGLE_COLLECT;
    for (int i = 0; i < BATCH; i++)
        must(curfew.host_raise_event(curfew.host, selector, values, 2, NULL), "raise");
    CALLGRIND_TOGGLE_COLLECT;
    if (counts_raising) return;
    must(curfew.host_dispatch(curfew.host, 0, &delivered, NULL), "dispatch");
    CALLGRIND_TOGGLE_COLLECT;
    if (received < BATCH) fail("%d of %d events came", received, BATCH);
}

static void submit(void) {
    static const char payload[100] = "as large as a small job";
    curfew_submit_options options = {
        .struct_size = sizeof options,
        .earliest_ns = curfew.host_get_wall_ns(curfew.host) + 86400 * INT64_C(1000000000),
        .on_pending = CURFEW_ON_PENDING_ADD,
        .payload = payload,
        .payload_bytes = sizeof payload};
    for (int i = 0; i <= SUBMITS; i++) {
        /* The first one prepares statements. */
        if (i == 1) CALLGRIND_TOGGLE_COLLECT;
        must(curfew.host_submit(curfew.host, "org.example.count.returned", &options, NULL, NULL,
                                NULL),
             "submit");
    }
    CALLGRIND_TOGGLE_COLLECT;
}

int main(int argc, char **argv) {
    if (argc != 5) fail("usage: driver OPERATION LIBRARY PLUGIN_DIRECTORY STORE");
    alarm(300);
    const char *operation = argv[1];
    const bool submits = strcmp(operation, "submit") == 0;
    const bool raises = strcmp(operation, "raise") == 0 || strcmp(operation, "deliver") == 0;
    const curfew_worker_config one = {.struct_size = sizeof one, .workers = 1};
    const curfew_request_config requests = {
        .struct_size = sizeof requests, .app_refresh_limit = 1000000};
    const curfew_host_config config = {.struct_size = sizeof config,
                                       .manual_dispatch = raises,
                                       .app_refresh = &one,
                                       .processing = &one,
                                       .store = submits ? argv[4] : NULL,
                                       .requests = &requests};
    curfew = open_libcurfew(argv[2], argv[3], "org.example.count.begin", &config);
    begin();
    if (strcmp(operation, "launch") == 0) {
        launch_batch("org.example.count.returned", true);
    } else if (strcmp(operation, "run") == 0) {
        run_batch("org.example.count.returned", true);
    } else if (strcmp(operation, "complete") == 0) {
        run_batch("org.example.count.inside", true);
    } else if (strcmp(operation, "arm") == 0) {
        run_batch("org.example.count.pending", true);
    } else if (strcmp(operation, "finish") == 0) {
        run_batch("org.example.count.pending", false);
        record.counts = true;
        must(curfew.host_launch_by_index(curfew.host, find("org.example.count.later"), NULL, NULL,
                                         NULL),
             "later");
        wait_until_over();
    } else if (raises) {
        raise_and_deliver(strcmp(operation, "raise") == 0);
    } else if (submits) {
        submit();
    } else {
        fail("no operation is called %s", operation);
    }
    if (record.failed != 0) fail("%" PRIu64 " calls failed", record.failed);
    printf("operations %d\n", submits ? SUBMITS : BATCH);
    /* Pending tasks would hold the host up. */
    _exit(fflush(stdout));
}
