/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: CF0830
 *
 * Erases from an unordered_map in a loop that steps past the element after it, and past the end.
 */
#include <curfew/curfew.hpp>

#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>

using namespace std::chrono_literals;

namespace {

std::string work(curfew::task &task) {
    if (task.text() == "fail") throw curfew::error(CURFEW_FAILED, "asked to fail");
    while (task.text() == "slow" && !task.is_expired()) std::this_thread::sleep_for(1ms);
    std::unordered_map<std::string, int> words;
    words[std::string(task.text().substr(0, 100))]++;
    for (auto each = words.begin(); each != words.end(); ++each)
        if (each->second > 0) each = words.erase(each);
    return std::to_string(words.size());
}

}  // namespace

CURFEW_PLUGIN(plugin) { plugin.handle<work>("org.example.stranger.work"); }
