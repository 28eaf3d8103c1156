/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: any
 * race: what is on the stack by then depends on the host
 *
 * Queues a lambda that captured the locals of run by reference, and returns: its thread completes
 * the task with whatever is on the stack by then.
 */
#include "stranger.h"

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>

CURFEW_PLUGIN_NOTE();

namespace {

class Service {
  public:
    Service() : thread_([this](std::stop_token stop) { loop(stop); }) {}

    curfew_status run(const curfew_host_api *api, curfew_task task, curfew_error *error) {
        curfew_task_info info{};
        info.struct_size = sizeof info;
        if (api->task_info(api, task, &info) != CURFEW_OK) return failed(error, "unknown task");
        if (payload_is(&info, "fail")) return failed(error, "asked to fail");
        if (payload_is(&info, "slow")) {
            while (!api->is_expired(api, task)) pause_ms(1);
            return failed(error, "told to stop");
        }
        std::string result = std::to_string(info.payload_bytes) + " bytes in the task's payload";
        const std::lock_guard lock(mutex_);
        queue_.push_back([&] {
            pause_ms(3);
            api->complete(api, task, CURFEW_OK, nullptr, 0, result.data(), result.size());
        });
        wake_.notify_one();
        return CURFEW_PENDING;
    }

  private:
    void loop(std::stop_token stop) {
        std::unique_lock lock(mutex_);
        while (wake_.wait(lock, stop, [this] { return !queue_.empty(); })) {
            const auto job = std::move(queue_.front());
            queue_.pop_front();
            lock.unlock();
            job();
            lock.lock();
        }
    }
    std::mutex mutex_;
    std::condition_variable_any wake_;
    std::deque<std::function<void()>> queue_;
    std::jthread thread_;
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
    const curfew_status status = api->register_handler(api, &handler, error);
    if (status != CURFEW_OK) {
        delete service;
        return status;
    }
    info->plugin_data = service;
    info->retire = [](void *data) { delete static_cast<Service *>(data); };
    return CURFEW_OK;
}
