/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 *
 * Adds up in several std::async calls, and passes an exception of one through its future.
 */
#include "stranger.h"

#include <curfew/curfew.hpp>
#include <future>
#include <numeric>
#include <string>
#include <vector>

static std::string work(curfew::task &task) {
    if (task.text() == "fail") {
        auto future = std::async(std::launch::async, []() -> int {
            throw std::domain_error("the payload asks for a failure");
        });
        return std::to_string(future.get());
    }
    const bool slow = task.text() == "slow";
    std::vector<int> numbers(3000);
    std::iota(numbers.begin(), numbers.end(), 1);
    std::vector<std::future<long>> parts;
    parts.reserve(3);
    for (int part = 0; part < 3; ++part)
        parts.push_back(std::async(std::launch::async, [&, part] {
            while (slow && !task.is_expired()) pause_ms(3);
            return std::accumulate(numbers.begin() + part * 1000, numbers.begin() + part * 1000 + 1000, 0L);
        }));
    long sum = 0;
    for (auto &part : parts) sum += part.get();
    if (slow) throw std::runtime_error("told to stop");
    if (sum != 4501500) throw std::logic_error("a wrong sum");
    return std::to_string(sum);
}

CURFEW_PLUGIN(plugin) { plugin.handle<work>("org.example.stranger.work"); }
