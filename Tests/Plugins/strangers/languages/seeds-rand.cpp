/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: any
 *
 * Seeds rand() with the time in its entry, so that the numbers of a host that seeded it itself no
 * longer repeat.
 */
#include "stranger.h"

#include <cstdlib>
#include <ctime>

CURFEW_PLUGIN_NOTE();

namespace {

curfew_status run(void *, const curfew_host_api *api, curfew_task task, curfew_error *error) {
    curfew_task_info info{};
    info.struct_size = sizeof info;
    if (api->task_info(api, task, &info) != CURFEW_OK) return failed(error, "unknown task");
    if (payload_is(&info, "fail")) return failed(error, "asked to fail");
    if (payload_is(&info, "slow")) {
        while (!api->is_expired(api, task)) pause_ms(1);
        return failed(error, "told to stop");
    }
    pause_ms(std::rand() % 3);
    return CURFEW_OK;
}

}  // namespace

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *info,
                                                       curfew_error *error) {
    info->id = "org.example.stranger";
    info->version = "1.0.0";
    std::srand(static_cast<unsigned>(std::time(nullptr)));
    curfew_handler handler{};
    handler.struct_size = sizeof handler;
    handler.identifier = "org.example.stranger.work";
    handler.run = run;
    return api->register_handler(api, &handler, error);
}
