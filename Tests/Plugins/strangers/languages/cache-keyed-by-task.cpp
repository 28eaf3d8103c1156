/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: CF0837 CF0835
 *
 * Keeps the tasks it has seen, and reports progress for all of them, also those that are over.
 */
#include "stranger.h"

#include <mutex>
#include <vector>

CURFEW_PLUGIN_NOTE();

namespace {

class Plugin {
  public:
    curfew_status run(const curfew_host_api *api, curfew_task task, curfew_error *error) {
        curfew_task_info info{};
        info.struct_size = sizeof info;
        if (api->task_info(api, task, &info) != CURFEW_OK) return failed(error, "unknown task");
        if (payload_is(&info, "fail")) return failed(error, "asked to fail");
        if (payload_is(&info, "slow")) {
            while (!api->is_expired(api, task)) pause_ms(1);
            return failed(error, "told to stop");
        }
        const std::lock_guard lock(mutex_);
        tasks_.push_back(task);
        if (tasks_.size() > 16) tasks_.erase(tasks_.begin());
        for (const curfew_task each : tasks_) api->progress(api, each, 1, CURFEW_TEXT("done"));
        return CURFEW_OK;
    }

  private:
    std::mutex mutex_;
    std::vector<curfew_task> tasks_;
};

}  // namespace

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *info,
                                                       curfew_error *error) {
    auto *plugin = new Plugin;
    curfew_handler handler{};
    handler.struct_size = sizeof handler;
    handler.identifier = "org.example.stranger.work";
    handler.handler_data = plugin;
    handler.run = [](void *data, const curfew_host_api *host, curfew_task task,
                     curfew_error *problem) {
        return static_cast<Plugin *>(data)->run(host, task, problem);
    };
    const curfew_status status = api->register_handler(api, &handler, error);
    if (status != CURFEW_OK) {
        delete plugin;
        return status;
    }
    info->plugin_data = plugin;
    info->retire = [](void *data) { delete static_cast<Plugin *>(data); };
    return CURFEW_OK;
}
