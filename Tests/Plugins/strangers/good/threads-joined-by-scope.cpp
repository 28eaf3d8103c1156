/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 *
 * Sums with std::jthread in a scope, which joins them; one that could not be started is an
 * exception, which is caught by then.
 */
#include <curfew/curfew.hpp>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

std::string compute(curfew::task &task) {
    std::atomic<std::uint64_t> sum{0};
    {
        std::vector<std::jthread> threads;
        for (int part = 0; part < 3; part++)
            threads.emplace_back([&sum, part, text = task.text()] {
                for (std::size_t i = static_cast<std::size_t>(part); i < text.size(); i += 3)
                    sum.fetch_add(static_cast<unsigned char>(text[i]), std::memory_order_relaxed);
            });
    }
    return std::to_string(sum.load());
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
