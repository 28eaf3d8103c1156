/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: CF0833
 *
 * Its CHECK macro ends the process where the payload is empty.
 */
#include <curfew/curfew.hpp>

#include <cstdlib>
#include <iostream>
#include <string>
#include <thread>

using namespace std::chrono_literals;

namespace {

#define CHECK(condition)                                                  \
    do {                                                                  \
        if (!(condition)) {                                               \
            std::cerr << "CHECK failed: " #condition "\n";                \
            std::abort();                                                 \
        }                                                                 \
    } while (false)

std::string work(curfew::task &task) {
    if (task.text() == "fail") throw curfew::error(CURFEW_FAILED, "asked to fail");
    while (task.text() == "slow" && !task.is_expired()) std::this_thread::sleep_for(1ms);
    CHECK(!task.payload().empty());
    return std::to_string(static_cast<unsigned>(task.payload().front()));
}

}  // namespace

CURFEW_PLUGIN(plugin) { plugin.handle<work>("org.example.stranger.work"); }
