/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 *
 * Splits its payload among four threads, which are joined before the task ends; where a thread
 * cannot be had it does that part itself.
 */
#include "stranger.h"

#include <pthread.h>

CURFEW_PLUGIN_NOTE();

struct part {
    const unsigned char *first;
    uint64_t count;
    uint64_t ones;
};

static void *count_ones(void *argument) {
    struct part *part = argument;
    for (uint64_t i = 0; i < part->count; i++)
        part->ones += (uint64_t)__builtin_popcount(part->first[i]);
    return NULL;
}

static curfew_status work(const curfew_host_api *api, curfew_task task,
                          const curfew_task_info *input) {
    enum { PARTS = 4 };
    struct part parts[PARTS] = {0};
    pthread_t threads[PARTS];
    bool started[PARTS];
    uint64_t each = input->payload_bytes / PARTS, ones = 0;
    for (unsigned i = 0; i < PARTS; i++) {
        const unsigned char *bytes = input->payload;
        if (bytes != NULL) parts[i].first = bytes + i * each;
        parts[i].count = i + 1 < PARTS ? each : input->payload_bytes - i * each;
        started[i] = pthread_create(&threads[i], NULL, count_ones, &parts[i]) == 0;
    }
    for (unsigned i = 0; i < PARTS; i++) {
        if (started[i]) pthread_join(threads[i], NULL);
        else count_ones(&parts[i]);
        ones += parts[i].ones;
    }
    char line[64];
    snprintf(line, sizeof line, "%llu bits are set", (unsigned long long)ones);
    api->log(api, task, CURFEW_LOG_INFO, CURFEW_TEXT(line));
    return CURFEW_OK;
}

static curfew_status wait_for_the_end(const curfew_host_api *api, curfew_task task,
                                      curfew_error *host_error) {
    while (!api->is_expired(api, task)) pause_ms(1);
    return failed(host_error, "interrupted");
}

static curfew_status run(void *unused, const curfew_host_api *api, curfew_task task,
                         curfew_error *host_error) {
    (void)unused;
    curfew_task_info input = {.struct_size = sizeof(curfew_task_info)};
    if (api->task_info(api, task, &input) != CURFEW_OK) return failed(host_error, "no such task");
    if (payload_is(&input, "slow")) return wait_for_the_end(api, task, host_error);
    return payload_is(&input, "fail") ? failed(host_error, "told to fail")
                                      : work(api, task, &input);
}

static const curfew_handler the_handler = {
    .struct_size = sizeof(curfew_handler),
    .identifier = "org.example.stranger.work",
    .run = run,
};

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *host_info,
                                                       curfew_error *host_error) {
    host_info->abi = CURFEW_ABI_VERSION;
    return api->register_handler(api, &the_handler, host_error);
}
