/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 *
 * Builds a result of 512 KiB in mapped memory that it grows with mremap, and unmaps it after the
 * answer.
 */
#include "stranger.h"

#include <sys/mman.h>
#include <sys/random.h>

CURFEW_PLUGIN_NOTE();

static curfew_status run(void *data, const curfew_host_api *api, curfew_task task,
                         curfew_error *error) {
    (void)data;
    curfew_task_info info = {.struct_size = sizeof info};
    if (api->task_info(api, task, &info) != CURFEW_OK) return failed(error, "the task is unknown");
    if (payload_is(&info, "fail")) return failed(error, "the payload asks for a failure");
    const bool slow = payload_is(&info, "slow");
    (void)slow;
    while (slow && !api->is_expired(api, task)) pause_ms(5);
    if (slow) return failed(error, "told to stop");
    size_t bytes = 4096;
    unsigned char *result =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (result == MAP_FAILED) return failed(error, "no memory");
    while (bytes < 512 * 1024) {
        unsigned char *larger = mremap(result, bytes, bytes * 2, MREMAP_MAYMOVE);
        if (larger == MAP_FAILED) {
            munmap(result, bytes);
            return failed(error, "no more memory");
        }
        result = larger;
        bytes *= 2;
    }
    unsigned char seed[8];
    if (getrandom(seed, sizeof seed, 0) != (ssize_t)sizeof seed) memset(seed, 1, sizeof seed);
    for (size_t i = 0; i < bytes; i++) result[i] = (unsigned char)(seed[i % 8] + i);
    const curfew_status answer = api->complete(api, task, CURFEW_OK, NULL, 0, result, bytes);
    munmap(result, bytes);
    if (answer == CURFEW_TOO_LARGE) return failed(error, "the host takes no result of 512 KiB");
    if (answer == CURFEW_EXHAUSTED) return failed(error, "the host has no memory for the result");
    return CURFEW_OK;
}

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *host_info,
                                                       curfew_error *host_error) {
    (void)host_info;
    const curfew_handler handler = {.struct_size = sizeof handler,
                                    .identifier = "org.example.stranger.work",
                                    .run = run};
    return api->register_handler(api, &handler, host_error);
}
