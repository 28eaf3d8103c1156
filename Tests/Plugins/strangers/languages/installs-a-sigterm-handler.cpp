/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: CF0852
 *
 * Takes SIGTERM from the host, so that its tasks can end early.
 */
#include <curfew/curfew.hpp>

#include <atomic>
#include <csignal>
#include <thread>

using namespace std::chrono_literals;

namespace {

volatile std::sig_atomic_t interrupted = 0;

void interrupt(int) { interrupted = 1; }

void work(curfew::task &task) {
    std::signal(SIGTERM, interrupt);
    if (task.text() == "fail") throw curfew::error(CURFEW_FAILED, "asked to fail");
    while (task.text() == "slow" && !task.is_expired() && interrupted == 0)
        std::this_thread::sleep_for(1ms);
}

}  // namespace

CURFEW_PLUGIN(plugin) { plugin.handle<work>("org.example.stranger.work"); }
