/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: CF0832
 *
 * Its handler completes the task with a result, and then returns the result, which completes it again.
 */
#include <curfew/curfew.hpp>

#include <stdexcept>
#include <string>
#include <thread>

static std::string work(curfew::task &task) {
    if (task.text() == "slow") {
        while (!task.is_expired()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
        throw std::runtime_error("told to stop");
    }
    if (task.text() == "fail") throw std::runtime_error("asked to fail");
    const std::string result = "all is done";
    task.succeed(curfew::bytes(result));
    return result;
}

CURFEW_PLUGIN(plugin) {
    plugin.handle<work>("org.example.stranger.work");
}
