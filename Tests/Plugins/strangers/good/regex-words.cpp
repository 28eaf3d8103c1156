/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 *
 * Splits text with std::regex and reads its numbers with from_chars, whose faults it catches.
 */
#include "stranger.h"

#include <charconv>
#include <curfew/curfew.hpp>
#include <map>
#include <regex>
#include <string>

static std::string work(curfew::task &task) {
    if (task.text() == "fail") {
        try {
            const std::regex broken("(unclosed");
        } catch (const std::regex_error &fault) {
            throw std::runtime_error(std::string("the payload asks for a failure: ") + fault.what());
        }
    }
    const bool slow = task.text() == "slow";
    const std::regex pair(R"(([a-z]+)=(-?\d+))", std::regex::ECMAScript | std::regex::optimize);
    const std::string line = "a=1; bee=-20, c=x; dd=300";
    std::map<std::string, int> values;
    do {
        values.clear();
        for (std::sregex_iterator at(line.begin(), line.end(), pair), end; at != end; ++at) {
            const std::string digits = (*at)[2];
            int value = 0;
            if (std::from_chars(digits.data(), digits.data() + digits.size(), value).ec == std::errc())
                values[(*at)[1]] = value;
        }
        if (slow) pause_ms(2);
    } while (slow && !task.is_expired());
    if (slow) throw std::runtime_error("told to stop");
    std::string result;
    for (const auto &[name, value] : values) result += name + ":" + std::to_string(value) + " ";
    return result;
}

CURFEW_PLUGIN(plugin) { plugin.handle<work>("org.example.stranger.work"); }
