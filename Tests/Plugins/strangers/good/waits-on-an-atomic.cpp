/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 *
 * Two threads hand over a number with the waiting operations of std::atomic, a latch and a
 * semaphore, and are joined.
 */
#include "stranger.h"

#include <atomic>
#include <exception>
#include <latch>
#include <semaphore>
#include <string_view>
#include <thread>

CURFEW_PLUGIN_NOTE();

namespace {

bool compute(std::string_view payload) {
    std::atomic<int> turn{0};
    std::latch both(2);
    std::counting_semaphore<8> ready(0);
    std::size_t sum = 0;
    std::jthread even([&] {
        both.arrive_and_wait();
        for (int i = 0; i < 20; i += 2) {
            for (int now = turn.load(); now != i; now = turn.load()) turn.wait(now);
            sum += payload.size();
            turn.store(i + 1);
            turn.notify_all();
        }
        ready.release();
    });
    both.arrive_and_wait();
    for (int i = 1; i < 20; i += 2) {
        for (int now = turn.load(); now != i; now = turn.load()) turn.wait(now);
        sum -= payload.size();
        turn.store(i + 1);
        turn.notify_all();
    }
    ready.acquire();
    return sum == 0;
}

curfew_status run(void *, const curfew_host_api *api, curfew_task task,
                  curfew_error *error) noexcept {
    try {
        curfew_task_info info{};
        info.struct_size = sizeof info;
        if (api->task_info(api, task, &info) != CURFEW_OK) return failed(error, "unknown task");
        const std::string_view payload(static_cast<const char *>(info.payload),
                                       info.payload_bytes);
        if (payload == "fail") return failed(error, "asked to fail");
        while (payload == "slow") {
            if (api->is_expired(api, task)) return failed(error, "told to stop");
            pause_ms(1);
        }
        return compute(payload) ? CURFEW_OK : failed(error, "it came out differently");
    } catch (const std::exception &problem) {
        return failed(error, problem.what());
    } catch (...) {
        return failed(error, "something was thrown");
    }
}

}  // namespace

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *info,
                                                       curfew_error *error) {
    info->id = "org.example.stranger";
    info->version = "1.0.0";
    curfew_handler handler{};
    handler.struct_size = sizeof handler;
    handler.identifier = "org.example.stranger.work";
    handler.run = run;
    return api->register_handler(api, &handler, error);
}
