/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 *
 * Builds a table once in a static local with a destructor, under its guard, and a variant visitor
 * over it.
 */
#include "stranger.h"

#include <curfew/curfew.hpp>
#include <string>
#include <variant>
#include <vector>

namespace {

using cell = std::variant<int, double, std::string>;

const std::vector<cell> &table() {
    static const std::vector<cell> cells = {1, 2.5, std::string("three, in more letters than fit"), 4};
    return cells;
}

struct weigh {
    double operator()(int number) const { return number; }
    double operator()(double number) const { return number; }
    double operator()(const std::string &text) const { return static_cast<double>(text.size()); }
};

void work(curfew::task &task) {
    if (task.text() == "fail") {
        (void)std::get<int>(table()[1]); /* bad_variant_access is the text of the failure */
    }
    const bool slow = task.text() == "slow";
    do {
        double sum = 0;
        for (const cell &one : table()) sum += std::visit(weigh(), one);
        if (sum != 38.5) throw std::logic_error("a wrong sum");
        if (slow) pause_ms(2);
    } while (slow && !task.is_expired());
    if (slow) throw std::runtime_error("told to stop");
}

}  // namespace

CURFEW_PLUGIN(plugin) { plugin.handle<work>("org.example.stranger.work"); }
