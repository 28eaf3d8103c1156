/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: CF0815 CF0816 CF0871
 *
 * Derives a class from curfew_task_info and gives the host its whole size: a newer host, which has
 * more members, writes over the std::string at its end.
 */
#include "stranger.h"

#include <string>

CURFEW_PLUGIN_NOTE();

namespace {

struct Info : curfew_task_info {
    std::string text;
    uint64_t seen = 0;

    Info() : curfew_task_info() { struct_size = sizeof *this; }
};

curfew_status run(void *, const curfew_host_api *api, curfew_task task, curfew_error *error) {
    Info info;
    if (api->task_info(api, task, &info) != CURFEW_OK) return failed(error, "unknown task");
    for (; info.seen < info.payload_bytes && info.seen < 100; info.seen++)
        info.text += static_cast<const char *>(info.payload)[info.seen];
    if (info.text == "fail") return failed(error, "asked to fail");
    while (info.text == "slow" && !api->is_expired(api, task)) pause_ms(1);
    return CURFEW_OK;
}

}  // namespace

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *info,
                                                       curfew_error *error) {
    info->abi = CURFEW_ABI_VERSION;
    curfew_handler handler{};
    handler.struct_size = sizeof handler;
    handler.identifier = "org.example.stranger.work";
    handler.run = run;
    return api->register_handler(api, &handler, error);
}
