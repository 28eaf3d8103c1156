/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: CF0854
 *
 * Makes another locale the global one of C++ and C, for every thread of the process.
 */
#include <curfew/curfew.hpp>

#include <locale>
#include <sstream>
#include <string>
#include <thread>

using namespace std::chrono_literals;

namespace {

std::string work(curfew::task &task) {
    if (task.text() == "fail") throw curfew::error(CURFEW_FAILED, "asked to fail");
    while (task.text() == "slow" && !task.is_expired()) std::this_thread::sleep_for(1ms);
    std::locale::global(std::locale("C.UTF-8"));
    std::ostringstream out;
    out << task.text().size() << " bytes";
    return out.str();
}

}  // namespace

CURFEW_PLUGIN(plugin) { plugin.handle<work>("org.example.stranger.work"); }
