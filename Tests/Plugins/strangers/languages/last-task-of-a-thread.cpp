/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: CF0837 CF0835
 *
 * Says that all is done for the last task of a thread in a thread-local destructor, when that task
 * is long over.
 */
#include <curfew/curfew.hpp>

#include <thread>

using namespace std::chrono_literals;

namespace {

struct Farewell {
    const curfew_host_api *api = nullptr;
    curfew_task task = 0;

    ~Farewell() {
        if (api != nullptr) api->progress(api, task, 1, "all done", 8);
    }
};

thread_local Farewell farewell;

void work(curfew::task &task) {
    if (task.text() == "fail") throw curfew::error(CURFEW_FAILED, "asked to fail");
    while (task.text() == "slow" && !task.is_expired()) std::this_thread::sleep_for(1ms);
    farewell.api = task.api();
    farewell.task = task.id();
}

}  // namespace

CURFEW_PLUGIN(plugin) { plugin.handle<work>("org.example.stranger.work"); }
