/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: CF0833
 *
 * Cuts two characters off in a function that is noexcept. substr throws where the payload is
 * shorter, and std::terminate ends the process.
 */
#include <curfew/curfew.hpp>

#include <string_view>
#include <thread>

using namespace std::chrono_literals;

namespace {

std::string_view without_mark(std::string_view line) noexcept { return line.substr(2); }

void work(curfew::task &task) {
    if (task.text() == "fail") throw curfew::error(CURFEW_FAILED, "asked to fail");
    while (task.text() == "slow" && !task.is_expired()) std::this_thread::sleep_for(1ms);
    task.log(without_mark(task.text()).empty() ? "nothing after the mark" : "a line");
}

}  // namespace

CURFEW_PLUGIN(plugin) { plugin.handle<work>("org.example.stranger.work"); }
