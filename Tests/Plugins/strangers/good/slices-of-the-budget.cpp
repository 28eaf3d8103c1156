/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 *
 * Works in slices as long as enough of the budget is left, and answers with what it has; a slow
 * task goes on to the end and is told. Its budget is short.
 */
#include <curfew/curfew.hpp>

#include <chrono>
#include <string>
#include <thread>

namespace {

using namespace std::chrono_literals;

std::string work(curfew::task &task) {
    const auto text = task.text();
    if (text == "fail") throw std::invalid_argument("asked to fail");
    double best = 0;
    int slices = 0;
    while (text == "slow" || (slices < 5 && task.remaining() > 100ms)) {
        if (task.is_expired()) break;
        std::this_thread::sleep_for(2ms);
        best = std::max(best, slices / (slices + 1.0));
        slices++;
        if (slices % 4 == 0 && !task.is_expired()) {
            const std::string note = std::to_string(slices) + " slices";
            task.log(note, CURFEW_LOG_DEBUG);
        }
    }
    if (text == "slow") throw std::runtime_error("told to stop");
    return std::to_string(best);
}

}  // namespace

CURFEW_PLUGIN(plugin) { plugin.handle<work>("org.example.slices"); }
