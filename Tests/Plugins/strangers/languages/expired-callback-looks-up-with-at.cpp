/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: CF0840 CF0841 CF0860
 *
 * Only tasks with a timer are in its map; its expiration callback looks up each one with at(), and
 * an exception leaves the callback.
 */
#include "stranger.h"

#include <map>
#include <mutex>
#include <string_view>

CURFEW_PLUGIN_NOTE();

namespace {

class Plugin {
  public:
    curfew_status run(const curfew_host_api *api, curfew_task task, curfew_error *error) {
        curfew_task_info info{};
        info.struct_size = sizeof info;
        if (api->task_info(api, task, &info) != CURFEW_OK) return failed(error, "unknown task");
        const std::string_view text(static_cast<const char *>(info.payload), info.payload_bytes);
        if (text == "fail") return failed(error, "asked to fail");
        if (text.substr(0, 6) == "timer:") {
            const std::lock_guard lock(mutex_);
            alarms_[task] = 1;
        }
        while (text == "slow" && !api->is_expired(api, task)) pause_ms(1);
        const std::lock_guard lock(mutex_);
        alarms_.erase(task);
        return CURFEW_OK;
    }

    void stop(curfew_task task) {
        const std::lock_guard lock(mutex_);
        alarms_.at(task) = 0;
    }

  private:
    std::mutex mutex_;
    std::map<curfew_task, int> alarms_;
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
    handler.expired = [](void *data, const curfew_host_api *, curfew_task task, curfew_reason) {
        static_cast<Plugin *>(data)->stop(task);
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
