/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: CF0846
 *
 * The object that owns its std::jthread is made with new for the first task and never deleted, so
 * that nobody asks the thread to stop.
 */
#include <curfew/curfew.hpp>

#include <atomic>
#include <mutex>
#include <stop_token>
#include <thread>

using namespace std::chrono_literals;

namespace {

class Heartbeat {
  public:
    Heartbeat() : thread_([this](std::stop_token stop) { beat(stop); }) {}
    unsigned beats() const { return beats_; }

  private:
    void beat(std::stop_token stop) {
        for (; !stop.stop_requested(); beats_++) std::this_thread::sleep_for(20ms);
    }
    std::atomic<unsigned> beats_{0};
    std::jthread thread_;
};

Heartbeat &heartbeat() {
    static auto *one = new Heartbeat;
    return *one;
}

void work(curfew::task &task) {
    if (task.text() == "fail") throw curfew::error(CURFEW_FAILED, "asked to fail");
    while (task.text() == "slow" && !task.is_expired()) std::this_thread::sleep_for(1ms);
    task.progress(heartbeat().beats() > 100 ? 1 : 0.9);
}

}  // namespace

CURFEW_PLUGIN(plugin) { plugin.handle<work>("org.example.stranger.work"); }
