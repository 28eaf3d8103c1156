/* SPDX-License-Identifier: Apache-2.0 */
/*
 * requests_curfew: durable requests through the public C ABI, with a store on disk.
 *
 *     requests_curfew submit CALLERS COUNT LIBRARY PLUGIN DIRECTORY   submits a second
 *     requests_curfew life CALLERS COUNT LIBRARY PLUGIN DIRECTORY     whole lives a second
 *
 * `submit`: each caller submits, with a payload of 100 bytes, and has its number before it submits
 * the next. `life`: from submission to the done event, which comes after the end was written down,
 * with as many in flight as there are callers. DIRECTORY must not exist.
 */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <string.h>
#include <unistd.h>

#include "libcurfew.h"

static struct libcurfew curfew;
static int64_t earliest;
static int each;
static sem_t room, all_over;
static uint64_t over, wanted;

static void wait_for(sem_t *semaphore) {
    while (sem_wait(semaphore) != 0)
        if (errno != EINTR) fail("sem_wait: %s", strerror(errno));
}

static void submit(void) {
    static const char payload[100] = "as large as a small job";
    const curfew_submit_options options = {.struct_size = sizeof options,
                                           .earliest_ns = earliest,
                                           .on_pending = CURFEW_ON_PENDING_ADD,
                                           .payload = payload,
                                           .payload_bytes = sizeof payload};
    curfew_error error = {.struct_size = sizeof error};
    const curfew_status status =
        curfew.host_submit(curfew.host, "org.example.empty", &options, NULL, NULL, &error);
    if (status != CURFEW_OK) fail("not submitted: %s", error.message);
}

static void *call(void *data) {
    (void)data;
    for (int i = 0; i < each; i++) {
        if (earliest == 0) wait_for(&room);
        submit();
    }
    return NULL;
}

static void empty_done(bool success, const char *error) {
    if (!success) fail("a task failed: %s", error);
    sem_post(&room);
    if (++over == wanted) sem_post(&all_over);
}

int main(int argc, char **argv) {
    if (argc != 7) fail("usage: requests_curfew submit|life CALLERS COUNT LIBRARY PLUGIN STORE");
    const int callers = atoi(argv[2]), count = atoi(argv[3]);
    const bool is_life = strcmp(argv[1], "life") == 0;
    if (callers < 1 || callers > 1024 || count < callers) fail("odd numbers");
    const curfew_request_config requests = {.struct_size = sizeof requests,
                                            .processing_limit = 100000000};
    const curfew_host_config config = {
        .struct_size = sizeof config, .store = argv[6], .requests = &requests};
    curfew = open_libcurfew(argv[4], argv[5], "org.example.empty", &config);
    each = count / callers;
    wanted = (uint64_t)each * (uint64_t)callers;
    sem_init(&room, 0, (unsigned)callers);
    sem_init(&all_over, 0, 0);
    curfew_error error = {.struct_size = sizeof error};
    if (is_life) {
        curfew_subscription subscription;
        const curfew_status status =
            curfew.host_subscribe(curfew.host, "empty_done::", (curfew_any_function)empty_done,
                                  &subscription, &error);
        if (status != CURFEW_OK) fail("not subscribed: %s", error.message);
    } else {
        earliest = curfew.host_wall_ns(curfew.host) + 86400000000000;
    }

    pthread_t threads[1024];
    const uint64_t started = now_ns();
    for (int i = 0; i < callers; i++)
        if (pthread_create(&threads[i], NULL, call, NULL) != 0) fail("no thread");
    for (int i = 0; i < callers; i++) pthread_join(threads[i], NULL);
    if (is_life) wait_for(&all_over);
    printf("per_second %.1f\n", (double)wanted * 1e9 / (double)(now_ns() - started));
    close_libcurfew(&curfew);
    return 0;
}
