/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 *
 * An object owns the answer to a pending task: what is dropped without one is answered with a
 * failure by its destructor. A thread of this host answers, and is joined in retire.
 */
#include "stranger.h"

#include <condition_variable>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <string_view>
#include <thread>
#include <utility>

CURFEW_PLUGIN_NOTE();

namespace {

class answer {
  public:
    answer(const curfew_host_api *api, curfew_task task) : api_(api), task_(task) {}
    answer(answer &&other) noexcept : api_(other.api_), task_(std::exchange(other.task_, 0)) {}
    answer &operator=(answer &&) = delete;
    ~answer() { fail("nobody answered"); }
    void succeed() {
        if (const curfew_task task = std::exchange(task_, 0))
            api_->complete(api_, task, CURFEW_OK, nullptr, 0, nullptr, 0);
    }
    void fail(std::string_view text) {
        if (const curfew_task task = std::exchange(task_, 0))
            api_->complete(api_, task, CURFEW_FAILED, text.data(), text.size(), nullptr, 0);
    }
    bool must_stop() const { return api_->is_expired(api_, task_); }

  private:
    const curfew_host_api *api_;
    curfew_task task_;
};

struct job {
    answer reply;
    bool fails, slow;
};

class office {
  public:
    office() : clerk_([this](std::stop_token stop) { serve(stop); }) {}
    void take(job &&work) {
        const std::lock_guard guard(lock_);
        waiting_.push_back(std::move(work));
        changed_.notify_one();
    }

  private:
    void serve(std::stop_token stop) {
        std::unique_lock guard(lock_);
        while (changed_.wait(guard, stop, [this] { return !waiting_.empty(); })) {
            std::deque<job> round;
            round.swap(waiting_);
            guard.unlock();
            std::deque<job> later;
            for (job &each : round) {
                if (each.fails) each.reply.fail("asked to fail");
                else if (each.reply.must_stop()) each.reply.fail("told to stop");
                else if (!each.slow) each.reply.succeed();
                else if (!stop.stop_requested()) later.push_back(std::move(each));
            }
            if (!later.empty()) pause_ms(1);
            guard.lock();
            while (!later.empty()) {
                waiting_.push_back(std::move(later.front()));
                later.pop_front();
            }
        }
    }

    std::mutex lock_;
    std::condition_variable_any changed_;
    std::deque<job> waiting_;
    std::jthread clerk_;
};

curfew_status run(void *data, const curfew_host_api *api, curfew_task task,
                  curfew_error *error) noexcept {
    curfew_task_info info{};
    info.struct_size = sizeof info;
    if (api->task_info(api, task, &info) != CURFEW_OK) return failed(error, "unknown task");
    try {
        job work{answer(api, task), payload_is(&info, "fail"), payload_is(&info, "slow")};
        static_cast<office *>(data)->take(std::move(work));
    } catch (const std::exception &) {
        /* The destructor has answered. */
    }
    return CURFEW_PENDING;
}

void retire(void *data) noexcept {
    delete static_cast<office *>(data);
}

}  // namespace

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *info,
                                                       curfew_error *error) {
    try {
        auto made = std::make_unique<office>();
        curfew_handler handler{};
        handler.struct_size = sizeof handler;
        handler.identifier = "org.example.stranger.work";
        handler.handler_data = made.get();
        handler.run = run;
        const curfew_status status = api->register_handler(api, &handler, error);
        if (status != CURFEW_OK) return status;
        info->plugin_data = made.release();
        info->retire = retire;
        return CURFEW_OK;
    } catch (const std::exception &problem) {
        return failed(error, problem.what());
    }
}
