/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: CF0836
 *
 * Passes an array of a class that is larger than curfew_value, with the struct_size of the smaller
 * one: the host finds other parameters than the declared ones.
 */
#include "stranger.h"

#include <array>

CURFEW_PLUGIN_NOTE();

namespace {

struct Named : curfew_value {
    const char *name;

    Named(const char *called, curfew_type of) : curfew_value(), name(called) {
        struct_size = sizeof(curfew_value);
        type = of;
    }
};

curfew_status run(void *, const curfew_host_api *api, curfew_task task, curfew_error *error) {
    curfew_task_info info{};
    info.struct_size = sizeof info;
    if (api->task_info(api, task, &info) != CURFEW_OK) return failed(error, "unknown task");
    if (payload_is(&info, "fail")) return failed(error, "asked to fail");
    if (payload_is(&info, "slow")) {
        while (!api->is_expired(api, task)) pause_ms(1);
        return failed(error, "told to stop");
    }
    std::array values{Named("bytes", CURFEW_TYPE_INT64), Named("kind", CURFEW_TYPE_INT32)};
    values[0].integer = static_cast<int64_t>(info.payload_bytes);
    values[1].integer = info.kind;
    const curfew_status raised = api->raise(api, task, "work_seen", values.data(), values.size());
    if (raised != CURFEW_OK) api->log(api, task, CURFEW_LOG_WARNING, CURFEW_TEXT("not raised"));
    return CURFEW_OK;
}

}  // namespace

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *info,
                                                       curfew_error *error) {
    info->id = "org.example.stranger";
    info->version = "1.0.0";
    curfew_handler handler{};
    handler.struct_size = sizeof handler;
    handler.identifier = "org.example.stranger.work";
    handler.run = run;
    return api->register_handler(api, &handler, error);
}
