/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: CF0851 CF0833
 *
 * Makes a std::string of the payload without its length: it reads on until there is a zero.
 */
#include <curfew/curfew.hpp>

#include <string>
#include <thread>

using namespace std::chrono_literals;

namespace {

std::string work(curfew::task &task) {
    const auto *bytes = reinterpret_cast<const char *>(task.payload().data());
    const std::string text = bytes == nullptr ? "" : bytes;
    if (task.text() == "fail") throw curfew::error(CURFEW_FAILED, "asked to fail");
    while (task.text() == "slow" && !task.is_expired()) std::this_thread::sleep_for(1ms);
    return std::to_string(text.size());
}

}  // namespace

CURFEW_PLUGIN(plugin) { plugin.handle<work>("org.example.stranger.work"); }
