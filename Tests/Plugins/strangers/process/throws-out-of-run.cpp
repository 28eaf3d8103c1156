/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: CF0831
 *
 * Throws an exception out of its function when it fails, through the frames of its host.
 */
#include "stranger.h"

#include <stdexcept>
#include <string>

CURFEW_PLUGIN_NOTE();

static void work(std::string_view text) {
    if (text == "fail") throw std::runtime_error("asked to fail");
}

static curfew_status run(void *, const curfew_host_api *api, curfew_task task,
                         curfew_error *error) {
    curfew_task_info info{};
    info.struct_size = sizeof info;
    if (api->task_info(api, task, &info) != CURFEW_OK) return failed(error, "unknown task");
    if (payload_is(&info, "slow")) {
        while (!api->is_expired(api, task)) pause_ms(1);
        return failed(error, "told to stop");
    }
    work({static_cast<const char *>(info.payload), info.payload_bytes});
    return CURFEW_OK;
}

extern "C" CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                                  curfew_plugin_info *,
                                                                  curfew_error *error) {
    curfew_handler handler{};
    handler.struct_size = sizeof handler;
    handler.identifier = "org.example.stranger.work";
    handler.run = run;
    return api->register_handler(api, &handler, error);
}
