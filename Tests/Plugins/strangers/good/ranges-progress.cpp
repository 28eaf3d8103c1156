/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 *
 * Filters with ranges, prints with to_chars whatever the locale is, and reports progress that
 * only grows.
 */
#include "stranger.h"

#include <algorithm>
#include <charconv>
#include <curfew/curfew.hpp>
#include <random>
#include <ranges>
#include <string>

static std::string work(curfew::task &task) {
    if (task.text() == "fail") throw std::out_of_range("the payload asks for a failure");
    const bool slow = task.text() == "slow";
    std::mt19937 numbers(42); /* its own; rand() is everyone's */
    double sum = 0;
    for (int step = 0; slow || step < 20; ++step) {
        auto squares = std::views::iota(1, 100) | std::views::filter([](int n) { return n % 3 == 0; }) |
                       std::views::transform([](int n) { return n * 0.5; });
        for (const double value : squares) sum += value;
        sum += static_cast<double>(numbers() % 2);
        if (task.is_expired()) throw std::runtime_error("told to stop");
        /* The last step may be cut off by the end of the task, so no status is an error here. */
        if (!slow)
            task.api()->progress(task.api(), task.id(), std::min(1.0, (step + 1) * 0.05), nullptr, 0);
        else pause_ms(2);
    }
    char text[32];
    const auto end = std::to_chars(text, text + sizeof text, sum, std::chars_format::fixed, 1);
    if (end.ec != std::errc()) throw std::length_error("the number is too long");
    return std::string(text, end.ptr);
}

CURFEW_PLUGIN(plugin) { plugin.handle<work>("org.example.stranger.work"); }
