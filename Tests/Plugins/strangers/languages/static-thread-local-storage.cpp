/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: CF0810
 * flags: -ftls-model=initial-exec
 *
 * Is compiled with the TLS model initial-exec, which takes a part of the small room that all
 * loaded libraries share.
 */
#include <curfew/curfew.hpp>

#include <string>
#include <thread>

using namespace std::chrono_literals;

namespace {

thread_local char line[200];
thread_local unsigned tasks;

std::string work(curfew::task &task) {
    if (task.text() == "fail") throw curfew::error(CURFEW_FAILED, "asked to fail");
    while (task.text() == "slow" && !task.is_expired()) std::this_thread::sleep_for(1ms);
    const auto length = task.text().copy(line, sizeof line);
    return std::to_string(++tasks) + ": " + std::to_string(length) + " bytes kept";
}

}  // namespace

CURFEW_PLUGIN(plugin) { plugin.handle<work>("org.example.stranger.work"); }
