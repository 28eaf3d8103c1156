/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 *
 * Builds a ring of shared_ptr with weak_ptr backwards, breaks it, and checks that every node is
 * freed.
 */
#include <curfew/curfew.hpp>

#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

struct node : std::enable_shared_from_this<node> {
    explicit node(int &alive) : alive(alive) { alive++; }
    ~node() { alive--; }
    int &alive;
    std::shared_ptr<node> next;
    std::weak_ptr<node> previous;
};

std::string compute(curfew::task &task) {
    int alive = 0, steps = 0;
    {
        auto first = std::make_shared<node>(alive), last = first;
        for (std::size_t i = 0; i < task.text().size() % 100 + 5; i++) {
            last->next = std::make_shared<node>(alive);
            last->next->previous = last->weak_from_this();
            last = last->next;
        }
        last->next = first;
        first->previous = last;
        for (auto each = last; each != first; each = each->previous.lock()) steps++;
        first->previous.reset();
        last->next.reset();
    }
    if (alive != 0) throw std::logic_error("a node is left");
    return std::to_string(steps);
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
