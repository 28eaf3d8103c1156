/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: CF0833 CF0864
 *
 * Matches the whole payload with std::regex, which calls itself for each character: a large
 * payload is more than the stack holds.
 */
#include <curfew/curfew.hpp>

#include <regex>
#include <string>
#include <thread>

using namespace std::chrono_literals;

namespace {

std::string work(curfew::task &task) {
    if (task.text() == "fail") throw curfew::error(CURFEW_FAILED, "asked to fail");
    while (task.text() == "slow" && !task.is_expired()) std::this_thread::sleep_for(1ms);
    static const std::regex words("(\\w|\\W)*");
    const auto text = task.text();
    return std::regex_match(text.begin(), text.end(), words) ? std::string("words") : "none";
}

}  // namespace

CURFEW_PLUGIN(plugin) { plugin.handle<work>("org.example.stranger.work"); }
