/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 *
 * Matches a bounded part of its payload with std::regex, since the matcher of the library needs
 * stack for every byte.
 */
#include <curfew/curfew.hpp>

#include <chrono>
#include <regex>
#include <stdexcept>
#include <string>
#include <thread>

namespace {

std::string compute(curfew::task &task) {
    static const std::regex number(R"(([a-z_]+)=(-?[0-9]+))", std::regex::optimize);
    const std::string text(task.text().substr(0, 300));
    int found = 0;
    for (std::sregex_iterator each(text.begin(), text.end(), number), end; each != end; ++each)
        found++;
    return std::regex_replace("a=1 b=22 c=", number, "<$1>") + " " + std::to_string(found);
}

std::string work(curfew::task &task) {
    if (task.text() == "fail") throw std::runtime_error("asked to fail");
    while (task.text() == "slow") {
        if (task.is_expired()) throw std::runtime_error("told to stop");
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return compute(task);
}

}  // namespace

CURFEW_PLUGIN(plugin) {
    plugin.handle<work>("org.example.stranger.work");
}
