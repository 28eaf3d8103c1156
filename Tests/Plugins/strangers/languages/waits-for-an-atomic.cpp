/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: CF0840 CF0841 CF0860
 *
 * Waits on an atomic until the task is told to stop; the callback stores the new value and forgets
 * to notify, so that run never returns.
 */
#include "stranger.h"

#include <atomic>
#include <map>
#include <memory>
#include <mutex>

CURFEW_PLUGIN_NOTE();

namespace {

class Plugin {
  public:
    curfew_status run(const curfew_host_api *api, curfew_task task, curfew_error *error) {
        curfew_task_info info{};
        info.struct_size = sizeof info;
        if (api->task_info(api, task, &info) != CURFEW_OK) return failed(error, "unknown task");
        if (payload_is(&info, "fail")) return failed(error, "asked to fail");
        if (!payload_is(&info, "slow")) return CURFEW_OK;
        const auto over = std::make_shared<std::atomic<bool>>(api->is_expired(api, task));
        {
            const std::lock_guard lock(mutex_);
            flags_[task] = over;
        }
        over->wait(false);
        const std::lock_guard lock(mutex_);
        flags_.erase(task);
        return failed(error, "told to stop");
    }

    void stop(curfew_task task) {
        const std::lock_guard lock(mutex_);
        const auto found = flags_.find(task);
        if (found != flags_.end()) found->second->store(true);
    }

  private:
    std::mutex mutex_;
    std::map<curfew_task, std::shared_ptr<std::atomic<bool>>> flags_;
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
