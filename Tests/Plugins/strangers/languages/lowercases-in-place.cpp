/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: CF0850
 *
 * Casts the const of its payload away and makes its letters small where they are.
 */
#include <curfew/curfew.hpp>

#include <algorithm>
#include <cctype>
#include <string>
#include <thread>

using namespace std::chrono_literals;

namespace {

void work(curfew::task &task) {
    if (task.text() == "fail") throw curfew::error(CURFEW_FAILED, "asked to fail");
    while (task.text() == "slow" && !task.is_expired()) std::this_thread::sleep_for(1ms);
    auto *first = const_cast<char *>(task.text().data());
    std::transform(first, first + task.text().size(), first,
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    task.progress(1, "made small");
}

}  // namespace

CURFEW_PLUGIN(plugin) { plugin.handle<work>("org.example.stranger.work"); }
