/* SPDX-License-Identifier: Apache-2.0 */
/* The handlers whose cost is looked at while something else grows. */
#include <stdatomic.h>

#include "../../plugin.h"
#include "slip.h"

CURFEW_PLUGIN_NOTE();

enum { BURN_STEPS = 750 }; /* about 2 µs: a fixed amount of work, not of time */

static _Atomic uint64_t lengths; /* of all payloads that `length` was given */

static curfew_status empty(void *handler_data, const curfew_host_api *api, curfew_task task,
                           curfew_error *host_error) {
    (void)handler_data, (void)api, (void)task, (void)host_error;
    return CURFEW_OK;
}

/* One step needs the one before, so that no compiler and no processor takes several at once. */
static curfew_status burn(void *handler_data, const curfew_host_api *api, curfew_task task,
                          curfew_error *host_error) {
    (void)handler_data, (void)api, (void)host_error;
    uint64_t state = task | 1;
    for (int i = 0; i < BURN_STEPS; i++) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
    }
    /* Never 0, which the compiler does not know. */
    return state != 0 ? CURFEW_OK : CURFEW_FAILED;
}

/* Goes on until its launcher completes it, through the table it leaves in the slip: that of its
 * payload, or the last one there was. */
static curfew_status pending(void *handler_data, const curfew_host_api *api, curfew_task task,
                             curfew_error *host_error) {
    (void)handler_data;
    static struct growth_slip *slip; /* one task runs at a time */
    struct growth_slip *given = address_in_payload(api, task);
    if (given != NULL) slip = given;
    if (slip == NULL) {
        static const char text[] = "the first payload must be the address of a growth_slip";
        memcpy(host_error->message, text, sizeof text);
        return CURFEW_INVALID;
    }
    slip->api = api;
    atomic_store_explicit(&slip->entered, slip->entered + 1, memory_order_release);
    return CURFEW_PENDING;
}

static curfew_status length(void *handler_data, const curfew_host_api *api, curfew_task task,
                            curfew_error *host_error) {
    (void)handler_data, (void)host_error;
    curfew_task_info info = {.struct_size = sizeof info};
    const curfew_status status = api->task_info(api, task, &info);
    if (status != CURFEW_OK) return status;
    if ((info.payload == NULL) != (info.payload_bytes == 0)) return CURFEW_INVALID;
    atomic_fetch_add_explicit(&lengths, info.payload_bytes, memory_order_relaxed);
    return CURFEW_OK;
}

/* Its result is what all payloads of `length` were together. */
static curfew_status total(void *handler_data, const curfew_host_api *api, curfew_task task,
                           curfew_error *host_error) {
    (void)handler_data, (void)host_error;
    const uint64_t sum = atomic_load_explicit(&lengths, memory_order_relaxed);
    return api->complete(api, task, CURFEW_OK, NULL, 0, &sum, sizeof sum);
}

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *host_info,
                                                       curfew_error *host_error) {
    (void)host_info;
    /* The number is the handler's maxConcurrency, which is the manifest's to say. */
    static const struct bench_handler handlers[] = {
        {"org.example.growth.empty1", empty}, {"org.example.growth.empty2", empty},
        {"org.example.growth.empty4", empty}, {"org.example.growth.empty8", empty},
        {"org.example.growth.burn1", burn},   {"org.example.growth.burn2", burn},
        {"org.example.growth.burn4", burn},   {"org.example.growth.burn8", burn},
        {"org.example.growth.pending", pending}, {"org.example.growth.length", length},
        {"org.example.growth.total", total},
    };
    return register_all(api, handlers, sizeof handlers / sizeof handlers[0], host_error);
}
