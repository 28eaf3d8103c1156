/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: CF0813 CF0846
 *
 * A global std::jthread counts seconds from the moment of loading to the end of the process.
 */
#include <curfew/curfew.hpp>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <thread>

using namespace std::chrono_literals;

namespace {

std::atomic<unsigned> seconds;

std::jthread ticker([](std::stop_token stop) {
    std::mutex mutex;
    std::condition_variable_any wake;
    std::unique_lock lock(mutex);
    while (!stop.stop_requested()) {
        wake.wait_for(lock, stop, 1s, [] { return false; });
        seconds++;
    }
});

void work(curfew::task &task) {
    if (task.text() == "fail") throw curfew::error(CURFEW_FAILED, "asked to fail");
    while (task.text() == "slow" && !task.is_expired()) std::this_thread::sleep_for(1ms);
    task.progress(seconds > 5 ? 1 : 0.5);
}

}  // namespace

CURFEW_PLUGIN(plugin) { plugin.handle<work>("org.example.stranger.work"); }
