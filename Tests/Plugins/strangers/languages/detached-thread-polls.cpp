/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: CF0846
 *
 * The first task starts a thread that samples the load average for ever, and detaches it.
 */
#include <curfew/curfew.hpp>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <mutex>
#include <thread>

using namespace std::chrono_literals;

namespace {

std::atomic<double> load;

void sample() {
    for (;;) {
        double one = 0;
        if (getloadavg(&one, 1) == 1) load = one;
        std::this_thread::sleep_for(200ms);
    }
}

void work(curfew::task &task) {
    if (task.text() == "fail") throw curfew::error(CURFEW_FAILED, "asked to fail");
    while (task.text() == "slow" && !task.is_expired()) std::this_thread::sleep_for(1ms);
    static std::once_flag once;
    std::call_once(once, [] { std::thread(sample).detach(); });
    if (load > 1000) throw curfew::error(CURFEW_BUSY, "the machine is busy");
}

}  // namespace

CURFEW_PLUGIN(plugin) { plugin.handle<work>("org.example.stranger.work"); }
