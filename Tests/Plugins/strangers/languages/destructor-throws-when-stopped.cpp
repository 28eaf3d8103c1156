/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: CF0840 CF0841 CF0860
 *
 * The destructor of a guard asks whether there is time left, by a function that throws:
 * std::terminate ends the process when a task is stopped.
 */
#include <curfew/curfew.hpp>

#include <thread>

using namespace std::chrono_literals;

namespace {

void require_time(const curfew::task &task) {
    if (task.is_expired()) throw curfew::error(CURFEW_EXPIRED, "no time is left");
}

class Phase {
  public:
    explicit Phase(curfew::task &task) : task_(task) { require_time(task); }
    ~Phase() { require_time(task_); }
    Phase(const Phase &) = delete;

  private:
    curfew::task &task_;
};

void work(curfew::task &task) {
    const Phase phase(task);
    if (task.text() == "fail") throw curfew::error(CURFEW_FAILED, "asked to fail");
    while (task.text() == "slow" && !task.is_expired()) std::this_thread::sleep_for(1ms);
    task.progress(task.text() == "slow" ? 0.5 : 1, "done");
}

}  // namespace

CURFEW_PLUGIN(plugin) { plugin.handle<work>("org.example.stranger.work"); }
