/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: CF0840 CF0841 CF0860 CF0829 CF0868
 *
 * Raises SIGINT where a task was told to stop, as its program did before it was a plugin: that
 * ends the process.
 */
#include <curfew/curfew.hpp>

#include <csignal>
#include <thread>

using namespace std::chrono_literals;

namespace {

void work(curfew::task &task) {
    if (task.text() == "fail") throw curfew::error(CURFEW_FAILED, "asked to fail");
    while (task.text() == "slow" && !task.is_expired()) std::this_thread::sleep_for(1ms);
    if (task.is_expired()) std::raise(SIGINT);
}

}  // namespace

CURFEW_PLUGIN(plugin) { plugin.handle<work>("org.example.stranger.work"); }
