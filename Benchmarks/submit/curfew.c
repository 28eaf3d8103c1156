/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Durable requests through the public C ABI, with a store on disk.
 *
 *     curfew submit | life CALLERS COUNT LIBRARY PLUGIN_DIRECTORY STORE
 *
 * submit: each caller submits, with a payload of 100 bytes, and has its number before it submits
 * the next. Nothing of it is due.
 * life: from submission to the done event, which comes after the end was written down, with as many
 * in flight as there are callers.
 *
 * STORE must not exist. The default configuration, but for the number of pending requests of a
 * kind.
 */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "../libcurfew.h"

enum { MOST_CALLERS = 1024 };
static const char identifier[] = "org.example.parallel";

static struct libcurfew curfew;
static bool is_life;
static int64_t earliest; /* 0: at once */
static int each;
static sem_t room, all_over;
static uint64_t wanted, over; /* `over` is the event thread's */
static _Atomic uint64_t sum_of_numbers;

static void wait_for(sem_t *semaphore) {
    while (sem_wait(semaphore) != 0)
        if (errno != EINTR) fail("sem_wait: %s", strerror(errno));
}

static curfew_request submit(void) {
    static const char payload[100] = "as large as a small job";
    const curfew_submit_options options = {.struct_size = sizeof options,
                                           .earliest_ns = earliest,
                                           .on_pending = CURFEW_ON_PENDING_ADD,
                                           .payload = payload,
                                           .payload_bytes = sizeof payload};
    curfew_request request;
    curfew_submission submission;
    curfew_error error = {.struct_size = sizeof error};
    const curfew_status status =
        curfew.host_submit(curfew.host, identifier, &options, &request, &submission, &error);
    if (status != CURFEW_OK || submission != CURFEW_SUBMISSION_QUEUED)
        fail("not submitted: %s", error.message);
    return request;
}

static void *call(void *data) {
    (void)data;
    uint64_t sum = 0;
    for (int i = 0; i < each; i++) {
        if (is_life) wait_for(&room);
        sum += submit();
    }
    atomic_fetch_add(&sum_of_numbers, sum);
    return NULL;
}

static void parallel_done(void *event_data, bool success, const char *error) {
    (void)event_data;
    if (!success) fail("a task failed: %s", error);
    sem_post(&room);
    if (++over == wanted) sem_post(&all_over);
}

static void subscribe(void) {
    curfew_error error = {.struct_size = sizeof error};
    const curfew_status status = curfew.host_subscribe(
        curfew.host, "parallel_done::", (curfew_any_function)parallel_done, NULL, NULL, &error);
    if (status != CURFEW_OK) fail("not subscribed: %s", error.message);
}

/* Every number was given once, and all tasks that should have been were launched and succeeded. */
static void check(void) {
    if (sum_of_numbers != wanted * (wanted + 1) / 2)
        fail("the requests are not those from 1 to %" PRIu64, wanted);
    const uint64_t expected = is_life ? wanted : 0;
    curfew_counts counts = {.struct_size = sizeof counts};
    if (curfew.host_get_counts(curfew.host, &counts, NULL) != CURFEW_OK) fail("no counts");
    if (counts.launched != expected || counts.ended[CURFEW_OUTCOME_SUCCEEDED] != expected)
        fail("%" PRIu64 " tasks launched and %" PRIu64 " succeeded instead of %" PRIu64,
             counts.launched, counts.ended[CURFEW_OUTCOME_SUCCEEDED], expected);
}

int main(int argc, char **argv) {
    const char *usage = "usage: curfew submit|life CALLERS COUNT LIBRARY PLUGIN_DIRECTORY STORE";
    if (argc != 7) fail("%s", usage);
    is_life = strcmp(argv[1], "life") == 0;
    if (!is_life && strcmp(argv[1], "submit") != 0) fail("%s", usage);
    const int callers = atoi(argv[2]), count = atoi(argv[3]);
    if (callers < 1 || callers > MOST_CALLERS || count < callers) fail("%s", usage);
    if (access(argv[6], F_OK) == 0) fail("%s exists", argv[6]);
    alarm(60);
    const curfew_request_config requests = {.struct_size = sizeof requests,
                                            .identifier_limit = 100000000,
                                            .pending_limit = 100000000};
    const curfew_host_config config = {
        .struct_size = sizeof config, .store = argv[6], .requests = &requests};
    curfew = open_libcurfew(argv[4], argv[5], identifier, &config);
    each = count / callers;
    wanted = (uint64_t)each * (uint64_t)callers;
    sem_init(&room, 0, (unsigned)callers);
    sem_init(&all_over, 0, 0);
    if (is_life)
        subscribe();
    else
        earliest = curfew.host_get_wall_ns(curfew.host) + 86400000000000;

    pthread_t threads[MOST_CALLERS];
    const uint64_t started = now_ns();
    for (int i = 0; i < callers; i++)
        if (pthread_create(&threads[i], NULL, call, NULL) != 0) fail("no thread");
    for (int i = 0; i < callers; i++) pthread_join(threads[i], NULL);
    if (is_life) wait_for(&all_over);
    const uint64_t ended = now_ns();
    check();
    close_libcurfew(&curfew);
    printf("per_second %.1f\n", (double)wanted * 1e9 / (double)(ended - started));
    return 0;
}
