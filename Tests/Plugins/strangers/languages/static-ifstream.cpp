/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: CF0813
 *
 * A global std::ifstream is open from loading on, whether a task ever reads from it or not.
 */
#include <curfew/curfew.hpp>

#include <fstream>
#include <mutex>
#include <string>
#include <thread>

using namespace std::chrono_literals;

namespace {

std::ifstream users("/etc/passwd");
std::mutex users_mutex;

void work(curfew::task &task) {
    if (task.text() == "fail") throw curfew::error(CURFEW_FAILED, "asked to fail");
    while (task.text() == "slow" && !task.is_expired()) std::this_thread::sleep_for(1ms);
    const std::lock_guard lock(users_mutex);
    users.clear();
    users.seekg(0);
    std::string line;
    if (!std::getline(users, line)) throw curfew::error(CURFEW_SYSTEM, "no users");
}

}  // namespace

CURFEW_PLUGIN(plugin) { plugin.handle<work>("org.example.stranger.work"); }
