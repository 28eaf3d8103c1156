/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: CF0833
 *
 * Splits the payload into lines and takes the last of them, also where there are none: it reads
 * before an empty vector.
 */
#include <curfew/curfew.hpp>

#include <string>
#include <string_view>
#include <thread>
#include <vector>

using namespace std::chrono_literals;

namespace {

std::vector<std::string> lines_of(std::string_view text) {
    std::vector<std::string> lines;
    while (!text.empty()) {
        const auto end = std::min(text.find('\n'), text.size());
        lines.emplace_back(text.substr(0, std::min<std::size_t>(end, 200)));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return lines;
}

std::string work(curfew::task &task) {
    if (task.text() == "fail") throw curfew::error(CURFEW_FAILED, "asked to fail");
    while (task.text() == "slow" && !task.is_expired()) std::this_thread::sleep_for(1ms);
    const auto lines = lines_of(task.text());
    return lines[lines.size() - 1];
}

}  // namespace

CURFEW_PLUGIN(plugin) { plugin.handle<work>("org.example.stranger.work"); }
