/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: CF0833 CF0864
 * level: 3
 *
 * Takes the first eight bytes of a payload for the size of a table: std::length_error or
 * std::bad_alloc leaves run.
 */
#include "stranger.h"

#include <cstdint>
#include <vector>

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
    std::uint64_t count = 0;
    std::vector<double> samples;
    if (info.payload_bytes >= sizeof count) memcpy(&count, info.payload, sizeof count);
    samples.reserve(count);
    for (std::uint64_t at = sizeof count; at + 8 <= info.payload_bytes && at < 4096; at += 8) {
        double sample = 0;
        memcpy(&sample, static_cast<const char *>(info.payload) + at, sizeof sample);
        samples.push_back(sample);
    }
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
