/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: CF0831
 *
 * Hands its report over with std::move, and adds a line to it where the task fails: a null pointer
 * by then.
 */
#include "stranger.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

CURFEW_PLUGIN_NOTE();

namespace {

struct Report {
    std::vector<std::string> lines;
};

__attribute__((noinline)) size_t file(std::unique_ptr<Report> &&report) {
    const auto mine = std::move(report);
    return mine->lines.size();
}

curfew_status run(void *, const curfew_host_api *api, curfew_task task, curfew_error *error) {
    curfew_task_info info{};
    info.struct_size = sizeof info;
    if (api->task_info(api, task, &info) != CURFEW_OK) return failed(error, "unknown task");
    while (payload_is(&info, "slow") && !api->is_expired(api, task)) pause_ms(1);
    auto report = std::make_unique<Report>();
    report->lines.push_back("began");
    const size_t lines = file(std::move(report));
    if (payload_is(&info, "fail")) {
        report->lines.push_back("asked to fail");
        return failed(error, report->lines.back().c_str());
    }
    return lines == 1 ? CURFEW_OK : failed(error, "no line was filed");
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
