/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: CF0848
 *
 * Keeps a span of the last payload to see whether the next one is the same; by then the host may
 * have freed it.
 */
#include <curfew/curfew.hpp>

#include <algorithm>
#include <cstddef>
#include <map>
#include <mutex>
#include <span>
#include <thread>

using namespace std::chrono_literals;

namespace {

std::mutex mutex;
std::map<const curfew_host_api *, std::span<const std::byte>> previous;

void work(curfew::task &task) {
    if (task.text() == "fail") throw curfew::error(CURFEW_FAILED, "asked to fail");
    while (task.text() == "slow" && !task.is_expired()) std::this_thread::sleep_for(1ms);
    const std::lock_guard lock(mutex);
    auto &last = previous[task.api()];
    const bool same = std::ranges::mismatch(last, task.payload()).in1 == last.end();
    last = task.payload();
    task.log(same ? "the same payload again" : "another payload");
}

}  // namespace

CURFEW_PLUGIN(plugin) { plugin.handle<work>("org.example.stranger.work"); }
