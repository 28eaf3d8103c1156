/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: CF0847
 *
 * Keeps lines for each thread, and writes them in a thread-local destructor with a stream that
 * throws: the end of a worker is the end of the process.
 */
#include <curfew/curfew.hpp>

#include <fstream>
#include <string>
#include <thread>
#include <vector>

using namespace std::chrono_literals;

namespace {

struct Ledger {
    std::vector<std::string> lines;

    ~Ledger() {
        std::ofstream out;
        out.exceptions(std::ios::failbit | std::ios::badbit);
        out.open("/var/spool/stranger/of/no/such/place");
        for (const auto &line : lines) out << line << '\n';
    }
};

thread_local Ledger ledger;

void work(curfew::task &task) {
    if (task.text() == "fail") throw curfew::error(CURFEW_FAILED, "asked to fail");
    while (task.text() == "slow" && !task.is_expired()) std::this_thread::sleep_for(1ms);
    if (ledger.lines.size() < 64) ledger.lines.emplace_back(task.text().substr(0, 40));
}

}  // namespace

CURFEW_PLUGIN(plugin) { plugin.handle<work>("org.example.stranger.work"); }
