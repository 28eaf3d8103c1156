/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 *
 * A pool of std::function with two threads, started with the first task, which waits there for
 * its parts; the pool belongs to a host and is joined by its destructor in retire.
 */
#include "stranger.h"

#include <atomic>
#include <condition_variable>
#include <exception>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <queue>
#include <thread>
#include <vector>

CURFEW_PLUGIN_NOTE();

namespace {

class Pool {
  public:
    ~Pool() {
        {
            std::lock_guard guard(lock_);
            ends_ = true;
        }
        changed_.notify_all();
        for (auto &thread : threads_) thread.join();
    }

    std::future<size_t> add(std::function<size_t()> function) {
        auto part = std::make_shared<std::packaged_task<size_t()>>(std::move(function));
        auto future = part->get_future();
        {
            std::lock_guard guard(lock_);
            while (threads_.size() < 2) threads_.emplace_back([this] { serve(); });
            parts_.push([part] { (*part)(); });
        }
        changed_.notify_one();
        return future;
    }

  private:
    void serve() {
        std::unique_lock guard(lock_);
        for (;;) {
            changed_.wait(guard, [this] { return ends_ || !parts_.empty(); });
            if (parts_.empty()) return;
            auto part = std::move(parts_.front());
            parts_.pop();
            guard.unlock();
            part();
            part = nullptr;
            guard.lock();
        }
    }

    std::mutex lock_;
    std::condition_variable changed_;
    std::queue<std::function<void()>> parts_;
    std::vector<std::thread> threads_;
    bool ends_ = false;
};

curfew_status run(void *data, const curfew_host_api *api, curfew_task task,
                  curfew_error *error) noexcept {
    curfew_task_info info{};
    info.struct_size = sizeof info;
    if (api->task_info(api, task, &info) != CURFEW_OK) return failed(error, "unknown task");
    if (payload_is(&info, "fail")) return failed(error, "asked to fail");
    const bool slow = payload_is(&info, "slow");
    try {
        std::vector<std::future<size_t>> futures;
        const auto *bytes = static_cast<const unsigned char *>(info.payload);
        auto copy = std::make_shared<std::vector<unsigned char>>(bytes, bytes + info.payload_bytes);
        for (size_t bit = 0; bit < 4; bit++)
            futures.push_back(static_cast<Pool *>(data)->add([=] {
                size_t count = 0;
                for (unsigned char each : *copy) count += each >> bit & 1;
                while (slow && !api->is_expired(api, task)) pause_ms(1);
                return count;
            }));
        size_t sum = 0;
        for (auto &future : futures) sum += future.get();
        if (slow) return failed(error, "told to stop");
        return sum <= 4 * info.payload_bytes ? CURFEW_OK : failed(error, "too many bits");
    } catch (const std::exception &problem) {
        return failed(error, problem.what());
    }
}

void retire(void *data) noexcept {
    delete static_cast<Pool *>(data);
}

}  // namespace

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *info,
                                                       curfew_error *error) {
    auto *pool = new (std::nothrow) Pool;
    if (pool == nullptr) return failed(error, "no memory");
    curfew_handler handler{};
    handler.struct_size = sizeof handler;
    handler.identifier = "org.example.stranger.work";
    handler.handler_data = pool;
    handler.run = run;
    const curfew_status status = api->register_handler(api, &handler, error);
    if (status != CURFEW_OK) {
        delete pool;
        return status;
    }
    info->plugin_data = pool;
    info->retire = retire;
    return CURFEW_OK;
}
