/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 *
 * Builds containers in a polymorphic arena on the stack, with pools of its own above it.
 */
#include "stranger.h"

#include <array>
#include <curfew/curfew.hpp>
#include <memory_resource>
#include <string>
#include <unordered_map>
#include <vector>

static std::string work(curfew::task &task) {
    if (task.text() == "fail") {
        /* An arena without an upstream: what does not fit is an exception, which becomes a text. */
        std::array<std::byte, 64> room;
        std::pmr::monotonic_buffer_resource arena(room.data(), room.size(),
                                                  std::pmr::null_memory_resource());
        std::pmr::vector<int> numbers(&arena);
        try {
            numbers.resize(1000);
        } catch (const std::bad_alloc &) {
            throw std::length_error("the payload asks for a failure, and the arena is full");
        }
    }
    const bool slow = task.text() == "slow";
    std::size_t letters = 0;
    do {
        std::array<std::byte, 16384> room;
        std::pmr::monotonic_buffer_resource arena(room.data(), room.size());
        std::pmr::unsynchronized_pool_resource pool({.max_blocks_per_chunk = 16,
                                                     .largest_required_pool_block = 256},
                                                    &arena);
        std::pmr::unordered_map<int, std::pmr::string> names(&pool);
        for (int i = 0; i < 100; ++i)
            names.emplace(i, std::pmr::string("a name that is too long for the object", &pool));
        letters = 0;
        for (const auto &[number, name] : names) letters += name.size() + (number < 0);
        if (slow) pause_ms(2);
    } while (slow && !task.is_expired());
    if (slow) throw std::runtime_error("told to stop");
    return std::to_string(letters);
}

CURFEW_PLUGIN(plugin) { plugin.handle<work>("org.example.stranger.work"); }
