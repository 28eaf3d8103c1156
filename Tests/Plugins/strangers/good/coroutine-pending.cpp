/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 *
 * Runs each task as a coroutine that a thread of its own resumes after a time or when it is told
 * to stop.
 */
#include "stranger.h"

#include <chrono>
#include <condition_variable>
#include <coroutine>
#include <curfew/curfew.hpp>
#include <list>
#include <memory>
#include <mutex>
#include <thread>

namespace {

using steady = std::chrono::steady_clock;

/* One thread that resumes what is due. The entry of a wait lives in the coroutine's frame. */
class scheduler {
  public:
    struct wait {
        wait *next = nullptr;
        curfew_task task = 0;
        steady::time_point due{};
        std::coroutine_handle<> handle{};
    };

    explicit scheduler(const curfew_host_api *host) : api(host), thread_([this] { serve(); }) {}
    ~scheduler() {
        {
            const std::lock_guard lock(guard_);
            ends_ = true;
        }
        changed_.notify_all();
        thread_.join();
        for (wait *left = first_; left != nullptr;) {
            const auto handle = left->handle;
            left = left->next;
            handle.destroy();
        }
    }
    /* After this the frame may be resumed, and gone, at any time. */
    void add(wait *entry) noexcept {
        {
            const std::lock_guard lock(guard_);
            if (api->is_expired(api, entry->task)) entry->due = {};
            entry->next = first_;
            first_ = entry;
        }
        changed_.notify_all();
    }
    void hurry(curfew_task task) noexcept {
        {
            const std::lock_guard lock(guard_);
            for (wait *entry = first_; entry != nullptr; entry = entry->next)
                if (entry->task == task) entry->due = {};
        }
        changed_.notify_all();
    }
    const curfew_host_api *const api;

  private:
    void serve() noexcept {
        std::unique_lock lock(guard_);
        while (!ends_) {
            wait **soonest = nullptr;
            for (wait **at = &first_; *at != nullptr; at = &(*at)->next)
                if (soonest == nullptr || (*at)->due < (*soonest)->due) soonest = at;
            if (soonest == nullptr) {
                changed_.wait(lock);
            } else if (const auto due = (*soonest)->due; due > steady::now()) {
                changed_.wait_until(lock, due);
            } else {
                const auto handle = (*soonest)->handle;
                *soonest = (*soonest)->next;
                lock.unlock();
                handle.resume();
                lock.lock();
            }
        }
    }

    std::mutex guard_;
    std::condition_variable changed_;
    wait *first_ = nullptr;
    bool ends_ = false;
    std::thread thread_;
};

struct pause {
    scheduler &on;
    scheduler::wait entry;
    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> handle) noexcept {
        entry.handle = handle;
        on.add(&entry);
    }
    void await_resume() const noexcept {}
};

struct fire {
    struct promise_type {
        fire get_return_object() noexcept { return {}; }
        std::suspend_never initial_suspend() noexcept { return {}; }
        std::suspend_never final_suspend() noexcept { return {}; }
        void return_void() noexcept {}
        void unhandled_exception() noexcept { std::terminate(); } /* nothing in it throws */
    };
};

fire work(scheduler &on, curfew_task task, bool slow, bool fails) {
    const curfew_host_api *api = on.api;
    for (int step = 0; slow || step < 3; ++step) {
        const auto due = steady::now() + std::chrono::milliseconds(slow ? 3600000 : 1);
        co_await pause{on, {nullptr, task, due, {}}};
        if (api->is_expired(api, task)) {
            api->complete(api, task, CURFEW_FAILED, CURFEW_TEXT("told to stop"), nullptr, 0);
            co_return;
        }
    }
    if (fails)
        api->complete(api, task, CURFEW_FAILED, CURFEW_TEXT("the payload asks for it"), nullptr, 0);
    else
        api->complete(api, task, CURFEW_OK, nullptr, 0, nullptr, 0);
}

curfew_status run(void *data, const curfew_host_api *api, curfew_task task,
                  curfew_error *error) noexcept {
    curfew_task_info info{};
    info.struct_size = sizeof info;
    if (api->task_info(api, task, &info) != CURFEW_OK) return failed(error, "the task is unknown");
    try {
        work(*static_cast<scheduler *>(data), task, payload_is(&info, "slow"),
             payload_is(&info, "fail"));
    } catch (const std::bad_alloc &) {
        return failed(error, "no memory for the coroutine");
    }
    return CURFEW_PENDING;
}

void expired(void *data, const curfew_host_api *, curfew_task task, curfew_reason) noexcept {
    static_cast<scheduler *>(data)->hurry(task);
}

void retire(void *data) { delete static_cast<scheduler *>(data); }

}  // namespace

CURFEW_PLUGIN_NOTE();

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *host_info,
                                                       curfew_error *host_error) {
    std::unique_ptr<scheduler> made;
    try {
        made = std::make_unique<scheduler>(api);
    } catch (const std::exception &) {
        return failed(host_error, "the thread of the coroutines could not be started");
    }
    curfew_handler handler{};
    handler.struct_size = sizeof handler;
    handler.identifier = "org.example.stranger.work";
    handler.handler_data = made.get();
    handler.run = run;
    handler.expired = expired;
    const curfew_status status = api->register_handler(api, &handler, host_error);
    if (status != CURFEW_OK) return status;
    host_info->plugin_data = made.release();
    host_info->retire = retire;
    return CURFEW_OK;
}
