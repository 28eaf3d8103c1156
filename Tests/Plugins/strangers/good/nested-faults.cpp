/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 *
 * Nests exceptions, carries one from a thread in an exception_ptr, and flattens them to the text
 * of the failure.
 */
#include "stranger.h"

#include <curfew/curfew.hpp>
#include <exception>
#include <string>
#include <system_error>
#include <thread>

namespace {

void open_it(bool fails) {
    if (fails) throw std::system_error(std::make_error_code(std::errc::no_such_file_or_directory), "open");
}

void read_it(bool fails) {
    try {
        open_it(fails);
    } catch (...) {
        std::throw_with_nested(std::runtime_error("could not read"));
    }
}

std::string flatten(const std::exception &fault) {
    std::string text = fault.what();
    try {
        std::rethrow_if_nested(fault);
    } catch (const std::exception &inner) {
        text += ": " + flatten(inner);
    }
    return text;
}

std::exception_ptr in_thread(bool fails) {
    std::exception_ptr fault;
    std::thread thread([&]() noexcept {
        try {
            read_it(fails);
        } catch (...) {
            fault = std::current_exception();
        }
    });
    thread.join();
    return fault;
}

curfew_status run(void *, const curfew_host_api *api, curfew_task task,
                  curfew_error *error) noexcept {
    try {
        curfew_task_info info{};
        info.struct_size = sizeof info;
        if (api->task_info(api, task, &info) != CURFEW_OK) return failed(error, "the task is unknown");
        const bool slow = payload_is(&info, "slow");
        do {
            if (in_thread(true) == nullptr) return failed(error, "nothing was thrown");
            if (const auto fault = in_thread(payload_is(&info, "fail"))) std::rethrow_exception(fault);
            if (slow) pause_ms(5);
        } while (slow && !api->is_expired(api, task));
        return slow ? failed(error, "told to stop") : CURFEW_OK;
    } catch (const std::exception &fault) {
        try {
            return failed(error, flatten(fault).c_str());
        } catch (...) {
            return failed(error, "no memory for the text of the failure");
        }
    } catch (...) {
        return failed(error, "something else was thrown");
    }
}

}  // namespace

CURFEW_PLUGIN_NOTE();

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *host_info,
                                                       curfew_error *host_error) {
    host_info->abi = CURFEW_ABI_VERSION;
    host_info->id = "org.example.stranger";
    host_info->version = "1.0.0";
    curfew_handler handler{};
    handler.struct_size = sizeof handler;
    handler.identifier = "org.example.stranger.work";
    handler.run = run;
    return api->register_handler(api, &handler, host_error);
}
