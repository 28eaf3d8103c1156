/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 *
 * Carries an exception from a thread to the run function with exception_ptr; every payload with
 * an odd number of bytes takes this way, and is mended.
 */
#include "stranger.h"

#include <exception>
#include <stdexcept>
#include <string>
#include <thread>

CURFEW_PLUGIN_NOTE();

namespace {

class odd : public std::domain_error {
  public:
    explicit odd(uint64_t count) : std::domain_error(std::to_string(count) + " is odd") {}
};

uint64_t half(uint64_t count) {
    if (count % 2 != 0) throw odd(count);
    return count / 2;
}

uint64_t half_in_a_thread(uint64_t count) {
    std::exception_ptr thrown;
    uint64_t result = 0;
    std::thread thread([&] {
        try {
            result = half(count);
        } catch (...) {
            thrown = std::current_exception();
        }
    });
    thread.join();
    if (thrown) std::rethrow_exception(thrown);
    return result;
}

curfew_status run(void *, const curfew_host_api *api, curfew_task task, curfew_error *error) {
    curfew_task_info info{};
    info.struct_size = sizeof info;
    if (api->task_info(api, task, &info) != CURFEW_OK) return failed(error, "unknown task");
    if (payload_is(&info, "fail")) return failed(error, "asked to fail");
    if (payload_is(&info, "slow")) {
        while (!api->is_expired(api, task)) pause_ms(1);
        return failed(error, "told to stop");
    }
    try {
        try {
            half_in_a_thread(info.payload_bytes);
        } catch (const odd &) {
            half_in_a_thread(info.payload_bytes + 1);
        }
        return CURFEW_OK;
    } catch (const std::exception &problem) {
        return failed(error, problem.what());
    }
}

}  // namespace

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *info,
                                                       curfew_error *error) {
    info->id = "org.example.stranger";
    curfew_handler handler{};
    handler.struct_size = sizeof handler;
    handler.identifier = "org.example.stranger.work";
    handler.run = &run;
    return api->register_handler(api, &handler, error);
}
