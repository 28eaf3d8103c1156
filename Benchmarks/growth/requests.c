/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cost of a durable request against the number of those that are stored.
 *
 *     requests prepare same | different N LIBRARY PLUGIN_DIRECTORY STORE
 *     requests measure same | different N LIBRARY PLUGIN_DIRECTORY STORE
 *
 * prepare: makes STORE with N pending requests for days to come, all of one identifier or each of
 * one of its own, submitted by 64 threads so that commits are shared.
 * measure: opens a store that was so prepared, or a copy of it, which it changes. start_ms is what
 * making the host and loading one plugin take. Then one caller submits, queries, asks why of and
 * cancels OPERATIONS requests, one after the other; rss_kib is what the process has grown by until
 * then, from the library's loading on. Then it lists requests, and submits where a pending one is
 * to be kept (us_keep), FEW times. The median of each counts.
 *
 * The process is alone with its disk: an acknowledged submission or cancellation is one commit, and
 * what it costs is the disk's before it is Curfew's.
 */
#include <pthread.h>
#include <stdatomic.h>

#include "growth.h"

enum { STORED_LIMIT = 1000000, CALLERS = 64, OPERATIONS = 200, FEW = 10, PAGE = 50 };

static const int64_t day_ns = 86400000000000;
static struct libcurfew curfew;
static uint64_t size;
static bool same;
static _Atomic uint64_t next;
static int64_t tomorrow;

static curfew_status submit(uint64_t number, curfew_on_pending on_pending, curfew_request *request,
                            curfew_error *error) {
    static const char payload[100] = "as large as a small job";
    const curfew_submit_options options = {.struct_size = sizeof options,
                                           .kind = CURFEW_KIND_PROCESSING,
                                           .earliest_ns = tomorrow + (int64_t)number * 1000000,
                                           .on_pending = on_pending,
                                           .payload = payload,
                                           .payload_bytes = sizeof payload};
    char identifier[64] = "org.example.growth.empty1";
    if (!same) snprintf(identifier, sizeof identifier, "org.example.growth.n%" PRIu64, number);
    return curfew.host_submit(curfew.host, identifier, &options, request, NULL, error);
}

static void *submit_many(void *unused) {
    for (;;) {
        const uint64_t number = atomic_fetch_add_explicit(&next, 1, memory_order_relaxed);
        if (number >= size) return unused;
        curfew_error error = {.struct_size = sizeof error};
        expect_ok(&curfew, submit(number, CURFEW_ON_PENDING_ADD, NULL, &error), "submit", &error);
    }
}

static void prepare(void) {
    pthread_t threads[CALLERS];
    for (int i = 0; i < CALLERS; i++)
        if (pthread_create(&threads[i], NULL, submit_many, NULL) != 0) fail("no thread");
    for (int i = 0; i < CALLERS; i++) pthread_join(threads[i], NULL);
}

/* The requests that are measured, new ones among the stored ones by their dates, and the times. */
static curfew_request requests[OPERATIONS];
static uint64_t times[OPERATIONS];

static void print_median(const char *name, uint64_t count) {
    printf("%s %.1f\n", name, median_ns(times, count) / 1000);
}

static void time_submissions(void) {
    const uint64_t distance = size / OPERATIONS + 1;
    for (uint64_t i = 0; i < OPERATIONS; i++) {
        curfew_error error = {.struct_size = sizeof error};
        const uint64_t started = now_ns();
        const curfew_status status =
            submit(STORED_LIMIT + i * distance, CURFEW_ON_PENDING_ADD, &requests[i], &error);
        times[i] = now_ns() - started;
        expect_ok(&curfew, status, "submit", &error);
    }
    if (requests[0] != size + 1)
        fail("the store has had %" PRIu64 " requests instead of %" PRIu64, requests[0] - 1, size);
    print_median("us_submit", OPERATIONS);
}

/* Each finds one of its identifier pending, which stays. */
static void time_kept(void) {
    uint64_t random = 4;
    for (int i = 0; i < FEW; i++) {
        const uint64_t number = next_random(&random) % size;
        curfew_request request = 0;
        curfew_error error = {.struct_size = sizeof error};
        const uint64_t started = now_ns();
        const curfew_status status =
            submit(number, CURFEW_ON_PENDING_KEEP, &request, &error);
        times[i] = now_ns() - started;
        expect_ok(&curfew, status, "keep", &error);
        if (request == 0 || request > size) fail("request %" PRIu64 " was made", request);
    }
    print_median("us_keep", FEW);
}

static void time_queries(void) {
    uint64_t random = 1;
    for (int i = 0; i < OPERATIONS; i++) {
        const curfew_request request = 1 + next_random(&random) % (size + OPERATIONS);
        curfew_request_state info = {.struct_size = sizeof info};
        curfew_error error = {.struct_size = sizeof error};
        const uint64_t started = now_ns();
        const curfew_status status =
            curfew.host_get_request(curfew.host, request, &info, &error);
        times[i] = now_ns() - started;
        expect_ok(&curfew, status, "query", &error);
        if (info.request != request || info.phase != CURFEW_REQUEST_PHASE_PENDING)
            fail("request %" PRIu64 " is in phase %d", request, info.phase);
    }
    print_median("us_query", OPERATIONS);
}

static void time_reasons(void) {
    uint64_t random = 2;
    for (int i = 0; i < OPERATIONS; i++) {
        const curfew_request request = 1 + next_random(&random) % (size + OPERATIONS);
        curfew_factor_report reports[32] = {{.struct_size = sizeof reports[0]}};
        for (int j = 0; j < 32; j++) reports[j].struct_size = sizeof reports[j];
        curfew_error error = {.struct_size = sizeof error};
        uint32_t count = 0;
        int64_t earliest = 0;
        const uint64_t started = now_ns();
        const curfew_status status = curfew.host_explain_request(curfew.host, request, reports, 32,
                                                                 &count, &earliest, &error);
        times[i] = now_ns() - started;
        expect_ok(&curfew, status, "why", &error);
        if (count == 0) fail("nothing is said about request %" PRIu64, request);
    }
    print_median("us_why", OPERATIONS);
}

/* A page of the pending ones of one identifier, from anywhere. */
static void time_lists(void) {
    static curfew_request_state infos[PAGE];
    uint64_t random = 3;
    for (int i = 0; i < FEW; i++) {
        for (int j = 0; j < PAGE; j++) infos[j].struct_size = sizeof infos[j];
        const uint64_t number = next_random(&random) % size;
        char identifier[64] = "org.example.growth.empty1";
        if (!same) snprintf(identifier, sizeof identifier, "org.example.growth.n%" PRIu64, number);
        const curfew_request_filter filter = {.struct_size = sizeof filter,
                                              .phases = 1u << CURFEW_REQUEST_PHASE_PENDING,
                                              .after = same ? number : 0,
                                              .identifier = identifier};
        curfew_error error = {.struct_size = sizeof error};
        uint32_t count = 0;
        const uint64_t started = now_ns();
        const curfew_status status =
            curfew.host_list_requests(curfew.host, &filter, infos, PAGE, &count, &error);
        times[i] = now_ns() - started;
        expect_ok(&curfew, status, "list", &error);
        if (count == 0 || (!same && count != 1)) fail("%s: %" PRIu32 " listed", identifier, count);
    }
    print_median("us_list", FEW);
}

static void time_cancellations(void) {
    for (int i = 0; i < OPERATIONS; i++) {
        /* 77 and 200 have no common divisor: each once, in no order. */
        const curfew_request request = requests[i * 77 % OPERATIONS];
        curfew_error error = {.struct_size = sizeof error};
        const uint64_t started = now_ns();
        const curfew_status status =
            curfew.host_cancel_request(curfew.host, request, &error);
        times[i] = now_ns() - started;
        expect_ok(&curfew, status, "cancel", &error);
    }
    print_median("us_cancel", OPERATIONS);
}

int main(int count, char **arguments) {
    const bool prepares = count == 7 && strcmp(arguments[1], "prepare") == 0;
    same = count == 7 && strcmp(arguments[2], "same") == 0;
    if (count != 7 || (!prepares && strcmp(arguments[1], "measure") != 0) ||
        (!same && strcmp(arguments[2], "different") != 0))
        fail("usage: requests prepare | measure same | different N LIBRARY PLUGIN STORE");
    size = size_of_argument(arguments[3], STORED_LIMIT);
    if (size == 0) fail("at least one request");
    const curfew_request_config limits = {.struct_size = sizeof limits,
                                          .identifier_limit = 100000000,
                                          .pending_limit = 100000000};
    const curfew_host_config config = {
        .struct_size = sizeof config, .store = arguments[6], .requests = &limits};
    curfew = look_up_libcurfew(arguments[4]);

    const uint64_t before = resident_bytes(), started = now_ns();
    start_libcurfew(&curfew, arguments[5], "org.example.growth.empty1", &config);
    const uint64_t ready = now_ns();
    tomorrow = curfew.host_get_wall_ns(curfew.host) + day_ns;
    if (prepares) {
        prepare();
        printf("us_each %.1f\n", (double)(now_ns() - ready) / 1000 / (double)size);
    } else {
        printf("start_ms %.2f\n", (double)(ready - started) / 1000000);
        time_submissions();
        time_queries();
        time_reasons();
        time_cancellations();
        printf("rss_kib %" PRIu64 "\n", (resident_bytes() - before) / 1024);
        time_lists();
        time_kept();
    }
    close_libcurfew(&curfew);
    return 0;
}
