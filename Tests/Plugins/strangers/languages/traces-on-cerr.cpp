/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: CF0857
 *
 * Writes a trace of several kilobytes for each task to standard error.
 */
#include <curfew/curfew.hpp>

#include <iomanip>
#include <iostream>
#include <thread>

using namespace std::chrono_literals;

namespace {

void work(curfew::task &task) {
    if (task.text() == "fail") throw curfew::error(CURFEW_FAILED, "asked to fail");
    while (task.text() == "slow" && !task.is_expired()) std::this_thread::sleep_for(1ms);
    for (int step = 0; step < 200; step++)
        std::cerr << "stranger: trace: step " << std::setw(4) << step << " of 200 was passed\n";
}

}  // namespace

CURFEW_PLUGIN(plugin) { plugin.handle<work>("org.example.stranger.work"); }
