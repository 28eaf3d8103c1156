/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: CF0830
 *
 * Moves its job into a queue and calls it through the pointer it kept, after the queue has been
 * emptied.
 */
#include <curfew/curfew.hpp>

#include <deque>
#include <memory>
#include <thread>

using namespace std::chrono_literals;

namespace {

struct Job {
    virtual ~Job() = default;
    virtual double done() const { return 0.5; }
    volatile char space[200] = {};
};

struct Last : Job {
    double done() const override { return 1; }
};

__attribute__((noinline)) std::unique_ptr<Job> make(std::size_t size) {
    if (size > 4) return std::make_unique<Last>();
    return std::make_unique<Job>();
}

void work(curfew::task &task) {
    if (task.text() == "fail") throw curfew::error(CURFEW_FAILED, "asked to fail");
    while (task.text() == "slow" && !task.is_expired()) std::this_thread::sleep_for(1ms);
    std::deque<std::unique_ptr<Job>> queue;
    auto job = make(task.text().size());
    const Job *current = job.get();
    queue.push_back(std::move(job));
    queue.clear();
    task.progress(current->done(), "the last job");
}

}  // namespace

CURFEW_PLUGIN(plugin) { plugin.handle<work>("org.example.stranger.work"); }
