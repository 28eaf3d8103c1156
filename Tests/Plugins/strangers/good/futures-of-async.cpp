/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 *
 * Uses std::async, a promise and a packaged_task, whose futures are all waited for.
 */
#include <curfew/curfew.hpp>

#include <chrono>
#include <future>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>

namespace {

std::string compute(curfew::task &task) {
    const std::string copy(task.text());
    auto first = std::async(std::launch::async, [&] {
        return std::accumulate(copy.begin(), copy.end(), 0ull,
                               [](auto sum, unsigned char c) { return sum + c; });
    });
    auto second = std::async(std::launch::deferred, [&] { return copy.size(); });
    std::packaged_task<int(int)> doubled([](int number) { return 2 * number; });
    auto third = doubled.get_future();
    doubled(21);
    return std::to_string(first.get()) + " " + std::to_string(second.get()) + " " +
           std::to_string(third.get());
}

std::string work(curfew::task &task) {
    if (task.text() == "fail") throw std::runtime_error("asked to fail");
    while (task.text() == "slow") {
        if (task.is_expired()) throw std::runtime_error("told to stop");
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return compute(task);
}

}  // namespace

CURFEW_PLUGIN(plugin) {
    plugin.handle<work>("org.example.stranger.work");
}
