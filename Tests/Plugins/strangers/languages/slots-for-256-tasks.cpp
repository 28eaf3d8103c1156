/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: CF0849 CF0863 CF0842
 * level: 3
 *
 * Has an array with a slot for each of 256 tasks; the 257th throws out of a function that is
 * noexcept.
 */
#include <curfew/curfew.hpp>

#include <array>
#include <atomic>
#include <thread>

using namespace std::chrono_literals;

namespace {

std::array<std::atomic<std::size_t>, 256> sizes;
std::atomic<std::size_t> used;

void note(std::size_t bytes) noexcept { sizes.at(used++) = bytes; }

void work(curfew::task &task) {
    if (task.text() == "fail") throw curfew::error(CURFEW_FAILED, "asked to fail");
    while (task.text() == "slow" && !task.is_expired()) std::this_thread::sleep_for(1ms);
    note(task.payload().size());
}

}  // namespace

CURFEW_PLUGIN(plugin) { plugin.handle<work>("org.example.stranger.work"); }
