/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 *
 * Throws exceptions of its own and of the library deep inside, catches them all, nests and
 * rethrows them; what leaves the function is caught by the header.
 */
#include <curfew/curfew.hpp>

#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

struct broken : std::runtime_error {
    using std::runtime_error::runtime_error;
};

void deep(int depth, std::vector<int> &left) {
    struct counter {
        std::vector<int> &list;
        int depth;
        ~counter() { list.push_back(depth); }
    } guard{left, depth};
    if (depth == 0) throw broken("the ground is reached");
    deep(depth - 1, left);
}

std::string compute(curfew::task &task) {
    std::vector<int> left;
    std::string said;
    try {
        try {
            deep(10, left);
        } catch (const broken &) {
            std::throw_with_nested(std::logic_error("outer"));
        }
    } catch (const std::exception &outer) {
        said = outer.what();
        try {
            std::rethrow_if_nested(outer);
        } catch (const broken &inner) {
            said += std::string(", ") + inner.what();
        }
    }
    try {
        said.at(task.text().size() + 1000);
    } catch (const std::out_of_range &) {
        said += ", and out of range";
    }
    if (left.size() != 11) throw std::runtime_error("a destructor was left out");
    return said;
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
