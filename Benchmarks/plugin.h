/* SPDX-License-Identifier: Apache-2.0 */
/* plugin.h: what the plugins of the benchmarks share. */
#ifndef CURFEW_BENCH_PLUGIN_H
#define CURFEW_BENCH_PLUGIN_H

#include <curfew/plugin.h>
#include <stddef.h>
#include <string.h>
#include <time.h>

/* The nanoseconds of CLOCK_MONOTONIC. */
static inline uint64_t now_ns(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

/* Returns the address that is the payload of a task; NULL if the payload is none. */
static inline void *address_in_payload(const curfew_host_api *api, curfew_task task) {
    curfew_task_info info = {.struct_size = sizeof info};
    void *address = NULL;
    if (api->task_info(api, task, &info) == CURFEW_OK && info.payload_bytes == sizeof address)
        memcpy(&address, info.payload, sizeof address);
    return address;
}

struct bench_handler {
    const char *identifier;
    curfew_run_function run;
};

/* Registers `count` handlers; stops at the first that is refused. */
static inline curfew_status register_all(const curfew_host_api *api,
                                         const struct bench_handler *handlers, size_t count,
                                         curfew_error *host_error) {
    for (size_t i = 0; i < count; i++) {
        const curfew_handler handler = {.struct_size = sizeof handler,
                                        .identifier = handlers[i].identifier,
                                        .run = handlers[i].run};
        const curfew_status status = api->register_handler(api, &handler, host_error);
        if (status != CURFEW_OK) return status;
    }
    return CURFEW_OK;
}

#endif /* CURFEW_BENCH_PLUGIN_H */
