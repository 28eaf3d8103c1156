/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: CF0857
 *
 * Tells on standard output what it did.
 */
#include <curfew/curfew.hpp>

#include <iostream>
#include <thread>

using namespace std::chrono_literals;

namespace {

void work(curfew::task &task) {
    if (task.text() == "fail") throw curfew::error(CURFEW_FAILED, "asked to fail");
    while (task.text() == "slow" && !task.is_expired()) std::this_thread::sleep_for(1ms);
    std::cout << "stranger: " << task.text().size() << " bytes, attempt " << task.attempt() << '\n';
}

}  // namespace

CURFEW_PLUGIN(plugin) { plugin.handle<work>("org.example.stranger.work"); }
