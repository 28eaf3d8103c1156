/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: CF0849
 * level: 3
 *
 * Keeps the report of every task in a map, under the id of the task, and removes none.
 */
#include <curfew/curfew.hpp>

#include <map>
#include <mutex>
#include <string>
#include <thread>

using namespace std::chrono_literals;

namespace {

std::mutex mutex;
std::map<curfew_task, std::string> reports;

void work(curfew::task &task) {
    if (task.text() == "fail") throw curfew::error(CURFEW_FAILED, "asked to fail");
    while (task.text() == "slow" && !task.is_expired()) std::this_thread::sleep_for(1ms);
    std::string report(task.text().substr(0, 512));
    for (int line = 0; line < 100; line++) report += "\nline " + std::to_string(line) + ": nothing";
    const std::lock_guard lock(mutex);
    reports.emplace(task.id(), std::move(report));
}

}  // namespace

CURFEW_PLUGIN(plugin) { plugin.handle<work>("org.example.stranger.work"); }
