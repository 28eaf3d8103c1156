/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 *
 * Runs threads in phases with a latch, a barrier and a semaphore, and joins them also where one
 * cannot start.
 */
#include "stranger.h"

#include <atomic>
#include <barrier>
#include <curfew/curfew.hpp>
#include <latch>
#include <semaphore>
#include <string>
#include <thread>
#include <vector>

static std::string work(curfew::task &task) {
    constexpr int threads = 3;
    if (task.text() == "fail") throw std::runtime_error("the payload asks for a failure");
    const bool slow = task.text() == "slow";
    std::atomic<int> phases = 0, sum = 0;
    std::atomic<bool> go = false, ends = false;
    std::latch ready(threads);
    std::counting_semaphore<2> places(2);
    std::barrier phase(threads, [&]() noexcept {
        ++phases;
        if (slow ? task.is_expired() : phases == 4) ends = true;
    });
    struct started {
        std::vector<std::thread> all;
        std::atomic<bool> &gate, &end;
        ~started() {
            /* Where not all of them were started, none has passed the gate. */
            if (!gate) end = true;
            gate = true;
            gate.notify_all();
            for (auto &thread : all) thread.join();
        }
    };
    {
        started set{{}, go, ends};
        set.all.reserve(threads);
        for (int i = 0; i < threads; ++i)
            set.all.emplace_back([&, i] {
                go.wait(false);
                if (ends) return;
                ready.count_down();
                do {
                    places.acquire();
                    sum += i;
                    places.release();
                    if (slow) pause_ms(2);
                    phase.arrive_and_wait();
                } while (!ends);
            });
        go = true;
        go.notify_all();
        ready.wait();
    }
    if (slow) throw std::runtime_error("told to stop");
    if (phases != 4 || sum != 12) throw std::logic_error("a phase is missing");
    return std::to_string(sum.load());
}

CURFEW_PLUGIN(plugin) { plugin.handle<work>("org.example.stranger.work"); }
