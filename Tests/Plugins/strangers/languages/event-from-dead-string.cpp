/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: CF0824
 *
 * Raises its event with a view of a std::string that is gone by then: bytes of freed memory.
 */
#include <curfew/curfew.hpp>

#include <string>
#include <string_view>
#include <thread>

using namespace std::chrono_literals;

namespace {

std::string describe(std::string_view text) {
    return "a payload of " + std::to_string(text.size()) + " bytes, seen by the stranger's worker";
}

std::string_view shorten(const std::string &text) { return std::string_view(text).substr(0, 32); }

void work(curfew::task &task) {
    if (task.text() == "fail") throw curfew::error(CURFEW_FAILED, "asked to fail");
    while (task.text() == "slow" && !task.is_expired()) std::this_thread::sleep_for(1ms);
    const std::string_view summary = shorten(describe(task.text()));
    task.raise("work_summary", {summary});
}

}  // namespace

CURFEW_PLUGIN(plugin) { plugin.handle<work>("org.example.stranger.work"); }
