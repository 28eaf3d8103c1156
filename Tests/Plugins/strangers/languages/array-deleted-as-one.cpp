/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: CF0830
 *
 * Puts an array of objects with destructors into a shared_ptr for one object: delete gets a
 * pointer that new[] did not return to the allocator.
 */
#include "stranger.h"

#include <memory>
#include <string>

CURFEW_PLUGIN_NOTE();

namespace {

struct Row {
    std::string name;
    int value = 0;
};

__attribute__((noinline)) Row *rows(size_t count) { return new Row[count]; }

curfew_status run(void *, const curfew_host_api *api, curfew_task task, curfew_error *error) {
    curfew_task_info info{};
    info.struct_size = sizeof info;
    if (api->task_info(api, task, &info) != CURFEW_OK) return failed(error, "unknown task");
    if (payload_is(&info, "fail")) return failed(error, "asked to fail");
    if (payload_is(&info, "slow")) {
        while (!api->is_expired(api, task)) pause_ms(1);
        return failed(error, "told to stop");
    }
    const std::shared_ptr<Row> table(rows(info.payload_bytes % 8 + 2));
    table.get()[1].name = "second";
    return table.get()[1].value == 0 ? CURFEW_OK : failed(error, "a row is not empty");
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
