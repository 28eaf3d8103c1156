/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 *
 * Every second task takes a megabyte that the one after it frees; retire frees what is left.
 * Measured after an odd number of tasks it has grown, but never further.
 */
#include "stranger.h"

#include <stdatomic.h>

CURFEW_PLUGIN_NOTE();

typedef struct {
    _Atomic(char *) block;
} state;

static curfew_status run(void *data, const curfew_host_api *api, curfew_task task,
                         curfew_error *error) {
    state *mine = data;
    curfew_task_info info = {.struct_size = sizeof info};
    if (api->task_info(api, task, &info) != CURFEW_OK) return failed(error, "unknown task");
    if (payload_is(&info, "fail")) return failed(error, "asked to fail");
    while (payload_is(&info, "slow") && !api->is_expired(api, task)) pause_ms(1);
    if (payload_is(&info, "slow")) return failed(error, "told to stop");

    char *old = atomic_exchange(&mine->block, NULL);
    if (old == NULL) {
        char *block = malloc(1 << 20);
        if (block == NULL) return failed(error, "no memory");
        memset(block, 42, 1 << 20);
        old = atomic_exchange(&mine->block, block);
    }
    free(old);
    return CURFEW_OK;
}

static void retire(void *data) {
    state *mine = data;
    free(atomic_load(&mine->block));
    free(mine);
}

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *info,
                                                       curfew_error *error) {
    state *mine = calloc(1, sizeof *mine);
    if (mine == NULL) return failed(error, "no memory");
    const curfew_handler handler = {.struct_size = sizeof handler,
                                    .identifier = "org.example.stranger.work",
                                    .handler_data = mine,
                                    .run = run};
    curfew_status status = api->register_handler(api, &handler, error);
    if (status == CURFEW_OK) {
        info->plugin_data = mine;
        info->retire = retire;
    } else {
        free(mine);
    }
    return status;
}
