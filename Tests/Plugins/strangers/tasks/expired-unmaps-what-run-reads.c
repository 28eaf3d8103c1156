/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: CF0840 CF0841 CF0842 CF0860
 *
 * Unmaps the buffer of its run in the expiration callback, while run still reads it.
 */
#include "stranger.h"

#include <sys/mman.h>

CURFEW_PLUGIN_NOTE();

static _Atomic(unsigned char *) buffer;

static curfew_status run(void *data, const curfew_host_api *api, curfew_task task,
                         curfew_error *error) {
    (void)data;
    curfew_task_info info = {.struct_size = sizeof info};
    if (api->task_info(api, task, &info) != CURFEW_OK) return failed(error, "unknown task");
    if (payload_is(&info, "fail")) return failed(error, "asked to fail");
    if (payload_is(&info, "slow")) {
        void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (page == MAP_FAILED) return failed(error, "no memory");
        volatile unsigned char *mine = page;
        buffer = page;
        for (;;) {
            for (int i = 0; i < 4096; i++) mine[i]++;
            if (api->is_expired(api, task)) break;
            pause_ms(1);
        }
        pause_ms(30);
        mine[0] = 0;
        return failed(error, "told to stop");
    }
    return CURFEW_OK;
}

static void expired(void *data, const curfew_host_api *api, curfew_task task,
                    curfew_reason reason) {
    (void)data, (void)api, (void)task, (void)reason;
    unsigned char *page = buffer;
    buffer = NULL;
    if (page != NULL) munmap(page, 4096);
}

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *info,
                                                       curfew_error *error) {
    info->id = "org.example.stranger";
    const curfew_handler handler = {.struct_size = sizeof handler,
                                    .identifier = "org.example.stranger.work",
                                    .run = run,
                                    .expired = expired};
    return api->register_handler(api, &handler, error);
}
