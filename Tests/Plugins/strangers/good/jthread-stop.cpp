/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 *
 * Works in a std::jthread that waits on a condition_variable_any with its stop token, which the
 * expired callback stops.
 */
#include "stranger.h"

#include <chrono>
#include <condition_variable>
#include <curfew/curfew.hpp>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>

namespace {

/* Of the tasks that run now; constant-initialised, with trivial destructors. */
constinit std::mutex guard;
constinit struct running {
    curfew_task task;
    std::stop_source *source;
    running *next;
} *first = nullptr;

class listed {
  public:
    listed(curfew_task task, std::stop_source &source) : entry_{task, &source, nullptr} {
        const std::lock_guard lock(guard);
        entry_.next = first;
        first = &entry_;
    }
    ~listed() {
        const std::lock_guard lock(guard);
        running **at = &first;
        while (*at != &entry_) at = &(*at)->next;
        *at = entry_.next;
    }
    listed(const listed &) = delete;

  private:
    running entry_;
};

std::string work(curfew::task &task) {
    if (task.text() == "fail") throw std::runtime_error("the payload asks for a failure");
    const bool slow = task.text() == "slow";
    int rounds = 0;
    {
        /* Made here, where a lack of memory is an exception of the handler and not of the thread. */
        std::mutex own;
        std::condition_variable_any changed;
        std::jthread thread([&own, &changed, &rounds, slow](std::stop_token stop) {
            std::unique_lock lock(own);
            while (!stop.stop_requested() && (slow || rounds < 5)) {
                changed.wait_for(lock, stop, std::chrono::milliseconds(2), [] { return false; });
                ++rounds;
            }
        });
        std::stop_source source = thread.get_stop_source();
        const listed entry(task.id(), source);
        if (task.is_expired()) source.request_stop();
        thread.join();
    }
    if (task.is_expired()) throw std::runtime_error("told to stop");
    return std::to_string(rounds);
}

void expired(curfew::task &task, curfew_reason) {
    const std::lock_guard lock(guard);
    for (running *entry = first; entry != nullptr; entry = entry->next)
        if (entry->task == task.id()) entry->source->request_stop();
}

}  // namespace

CURFEW_PLUGIN(plugin) { plugin.handle<work, expired>("org.example.stranger.work"); }
