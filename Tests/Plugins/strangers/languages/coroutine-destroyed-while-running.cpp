/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: CF0840 CF0841 CF0860
 *
 * Its expiration callback destroys the coroutine of the task, which run goes on to resume.
 */
#include "stranger.h"

#include <coroutine>
#include <exception>
#include <map>
#include <mutex>

CURFEW_PLUGIN_NOTE();

namespace {

struct Job {
    struct promise_type {
        Job get_return_object() {
            return {std::coroutine_handle<promise_type>::from_promise(*this)};
        }
        std::suspend_always initial_suspend() noexcept { return {}; }
        std::suspend_always final_suspend() noexcept { return {}; }
        void return_void() noexcept {}
        void unhandled_exception() { std::terminate(); }
    };
    std::coroutine_handle<promise_type> handle;
};

Job work(const curfew_host_api *api, curfew_task task, bool slow) {
    while (slow && !api->is_expired(api, task)) co_await std::suspend_always{};
}

class State {
  public:
    curfew_status run(const curfew_host_api *api, curfew_task task, curfew_error *error) {
        curfew_task_info info{};
        info.struct_size = sizeof info;
        if (api->task_info(api, task, &info) != CURFEW_OK) return failed(error, "unknown task");
        if (payload_is(&info, "fail")) return failed(error, "asked to fail");
        const Job job = work(api, task, payload_is(&info, "slow"));
        {
            const std::lock_guard lock(mutex_);
            jobs_[task] = job.handle;
        }
        while (!job.handle.done()) {
            job.handle.resume();
            pause_ms(5);
        }
        const std::lock_guard lock(mutex_);
        jobs_.erase(task);
        job.handle.destroy();
        return CURFEW_OK;
    }

    void stop(curfew_task task) {
        const std::lock_guard lock(mutex_);
        const auto found = jobs_.find(task);
        if (found != jobs_.end()) found->second.destroy();
    }

  private:
    std::mutex mutex_;
    std::map<curfew_task, std::coroutine_handle<>> jobs_;
};

}  // namespace

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *info,
                                                       curfew_error *error) {
    auto *state = new State;
    curfew_handler handler{};
    handler.struct_size = sizeof handler;
    handler.identifier = "org.example.stranger.work";
    handler.handler_data = state;
    handler.run = [](void *data, const curfew_host_api *host, curfew_task task,
                     curfew_error *problem) {
        return static_cast<State *>(data)->run(host, task, problem);
    };
    handler.expired = [](void *data, const curfew_host_api *, curfew_task task, curfew_reason) {
        static_cast<State *>(data)->stop(task);
    };
    const curfew_status status = api->register_handler(api, &handler, error);
    if (status != CURFEW_OK) {
        delete state;
        return status;
    }
    info->plugin_data = state;
    info->retire = [](void *data) { delete static_cast<State *>(data); };
    return CURFEW_OK;
}
