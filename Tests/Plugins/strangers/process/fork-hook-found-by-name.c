/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: CF0858 CF0859
 *
 * Finds the function that registers fork handlers by its name, and has itself called at every
 * fork.
 */
#include "stranger.h"

#include <dlfcn.h>

CURFEW_PLUGIN_NOTE();

typedef int (*register_function)(void (*)(void), void (*)(void), void (*)(void), void *);

extern void *__dso_handle __attribute__((visibility("hidden")));
static volatile unsigned forks;

static void forked(void) { forks++; }

static curfew_status run(void *data, const curfew_host_api *api, curfew_task task,
                         curfew_error *error) {
    (void)data;
    curfew_task_info info = {.struct_size = sizeof info};
    if (api->task_info(api, task, &info) != CURFEW_OK) return failed(error, "unknown task");
    if (payload_is(&info, "fail")) return failed(error, "asked to fail");
    if (payload_is(&info, "slow")) {
        while (!api->is_expired(api, task)) pause_ms(1);
        return failed(error, "told to stop");
    }
    return CURFEW_OK;
}

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *info,
                                                       curfew_error *error) {
    register_function at_fork = (register_function)dlsym(RTLD_DEFAULT, "__register_atfork");
    if (at_fork != NULL) at_fork(NULL, NULL, forked, &__dso_handle);
    info->id = "org.example.stranger";
    info->version = "1.0.0";
    const curfew_handler handler = {
        .struct_size = sizeof handler, .identifier = "org.example.stranger.work", .run = run};
    return api->register_handler(api, &handler, error);
}
