/* SPDX-License-Identifier: Apache-2.0 */
/* A well-behaved handler that is never done before its time is up: it works in small steps, and
 * leaves at the step after its expiration, saying so. */
#define _POSIX_C_SOURCE 200809L
#include <curfew/plugin.h>

#include <stdatomic.h>
#include <string.h>
#include <time.h>

CURFEW_PLUGIN_NOTE();

/* How often the expiration callback was called; what the function says depends on it. */
static atomic_uint expirations;

static curfew_status patient_run(void *handler_data, const curfew_host_api *api, curfew_task task,
                                 curfew_error *host_error) {
    (void)handler_data;
    const struct timespec step = {.tv_nsec = 1000000};
    const unsigned before = atomic_load(&expirations);
    while (!api->is_expired(api, task)) nanosleep(&step, NULL);
    /* The callback comes on another thread, and may still be on its way. */
    for (int steps = 0; atomic_load(&expirations) == before && steps < 1000; steps++)
        nanosleep(&step, NULL);
    const char *said = atomic_load(&expirations) == before ? "Left, but nobody told me to."
                                                           : "Left when I was told to.";
    strcpy(host_error->message, said);
    return CURFEW_FAILED;
}

static void patient_expired(void *handler_data, const curfew_host_api *api, curfew_task task,
                            curfew_reason reason) {
    (void)handler_data, (void)api, (void)task, (void)reason;
    atomic_fetch_add(&expirations, 1);
}

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *host_info,
                                                       curfew_error *host_error) {
    (void)host_info;
    const curfew_handler handler = {.struct_size = sizeof handler,
                                    .identifier = "org.curfew.test.patient",
                                    .run = patient_run,
                                    .expired = patient_expired};
    return api->register_handler(api, &handler, host_error);
}
