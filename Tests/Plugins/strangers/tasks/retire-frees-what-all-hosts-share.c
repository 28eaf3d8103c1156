/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: any
 *
 * Makes a table at the first load, and unmaps it when any of its hosts retires it; the other
 * hosts' tasks crash then.
 */
#include "stranger.h"

#include <sys/mman.h>

CURFEW_PLUGIN_NOTE();

static volatile unsigned char *table;

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
    return table[info.payload_bytes % 4096] == 7 ? CURFEW_OK : failed(error, "bad table");
}

static void retire(void *data) {
    (void)data;
    if (table != NULL) munmap((void *)table, 4096);
    table = NULL;
}

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *info,
                                                       curfew_error *error) {
    if (table == NULL) {
        void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (page == MAP_FAILED) return failed(error, "no memory");
        table = memset(page, 7, 4096);
    }
    info->retire = retire;
    const curfew_handler handler = {
        .struct_size = sizeof handler, .identifier = "org.example.stranger.work", .run = run};
    return api->register_handler(api, &handler, error);
}
