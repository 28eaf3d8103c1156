/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 *
 * Sleeps on a condition variable and has a second function that wakes it when the task should
 * stop. Both find each other by the task's number in a table that is the library's, with a
 * lock.
 */
#include <curfew/curfew.hpp>

#include <condition_variable>
#include <map>
#include <mutex>

namespace {

/* Ids of different hosts are unrelated: the table is part of the key. */
using key = std::pair<const curfew_host_api *, curfew_task>;

std::mutex lock;
std::condition_variable changed;
std::map<key, curfew_reason> told;

std::string work(curfew::task &task) {
    if (task.text() == "fail") throw curfew::error(CURFEW_FAILED, "asked to fail");
    if (task.text() != "slow") return "nothing to wait for";
    const key mine(task.api(), task.id());
    std::unique_lock guard(lock);
    const auto place = told.emplace(mine, CURFEW_REASON_NONE).first;
    /* It may have been told before it was in the table. */
    while (place->second == CURFEW_REASON_NONE && !task.is_expired())
        changed.wait_for(guard, std::chrono::milliseconds(100));
    const curfew_reason reason = place->second;
    told.erase(place);
    throw curfew::error(CURFEW_FAILED, "woken for the reason " + std::to_string(reason));
}

void wake(curfew::task &task, curfew_reason reason) {
    const std::lock_guard guard(lock);
    const auto place = told.find(key(task.api(), task.id()));
    if (place == told.end()) return;
    place->second = reason;
    changed.notify_all();
}

}  // namespace

CURFEW_PLUGIN(plugin) { plugin.handle<work, wake>("org.example.stranger.work"); }
