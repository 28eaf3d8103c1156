/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: CF0840 CF0841 CF0860
 *
 * Both its expiration callback and the end of its run set the same promise: std::future_error
 * leaves one of the two.
 */
#include "stranger.h"

#include <chrono>
#include <future>
#include <map>
#include <memory>
#include <mutex>

CURFEW_PLUGIN_NOTE();

namespace {

class Service {
  public:
    curfew_status run(const curfew_host_api *api, curfew_task task, curfew_error *error) {
        curfew_task_info info{};
        info.struct_size = sizeof info;
        if (api->task_info(api, task, &info) != CURFEW_OK) return failed(error, "unknown task");
        auto promise = std::make_shared<std::promise<bool>>();
        auto stopped = promise->get_future();
        {
            const std::lock_guard lock(mutex_);
            waiting_[task] = promise;
        }
        const bool slow = payload_is(&info, "slow");
        while (slow && !api->is_expired(api, task))
            stopped.wait_for(std::chrono::milliseconds(2));
        if (slow) stopped.wait_for(std::chrono::milliseconds(100));
        promise->set_value(false);
        const std::lock_guard lock(mutex_);
        waiting_.erase(task);
        return payload_is(&info, "fail") ? failed(error, "asked to fail") : CURFEW_OK;
    }

    void stop(curfew_task task) {
        const std::lock_guard lock(mutex_);
        const auto found = waiting_.find(task);
        if (found != waiting_.end()) found->second->set_value(true);
    }

  private:
    std::mutex mutex_;
    std::map<curfew_task, std::shared_ptr<std::promise<bool>>> waiting_;
};

}  // namespace

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *info,
                                                       curfew_error *error) {
    auto *service = new Service;
    curfew_handler handler{};
    handler.struct_size = sizeof handler;
    handler.identifier = "org.example.stranger.work";
    handler.handler_data = service;
    handler.run = [](void *data, const curfew_host_api *host, curfew_task task,
                     curfew_error *problem) {
        return static_cast<Service *>(data)->run(host, task, problem);
    };
    handler.expired = [](void *data, const curfew_host_api *, curfew_task task, curfew_reason) {
        static_cast<Service *>(data)->stop(task);
    };
    const curfew_status status = api->register_handler(api, &handler, error);
    if (status != CURFEW_OK) {
        delete service;
        return status;
    }
    info->plugin_data = service;
    info->retire = [](void *data) { delete static_cast<Service *>(data); };
    return CURFEW_OK;
}
