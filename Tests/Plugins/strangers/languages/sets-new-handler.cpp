/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: any
 *
 * Has the whole process abort where operator new finds no memory, also for the embedder, who may
 * catch std::bad_alloc.
 */
#include <curfew/curfew.hpp>

#include <cstdlib>
#include <new>
#include <string>
#include <thread>

using namespace std::chrono_literals;

namespace {

std::string work(curfew::task &task) {
    if (task.text() == "fail") throw curfew::error(CURFEW_FAILED, "asked to fail");
    while (task.text() == "slow" && !task.is_expired()) std::this_thread::sleep_for(1ms);
    std::set_new_handler([] { std::abort(); });
    const std::string copy(task.text());
    return std::to_string(copy.size());
}

}  // namespace

CURFEW_PLUGIN(plugin) { plugin.handle<work>("org.example.stranger.work"); }
