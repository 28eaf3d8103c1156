/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 *
 * Prints and reads numbers with charconv, draws some of an engine that is seeded from
 * random_device, and computes with durations.
 */
#include "stranger.h"

#include <charconv>
#include <chrono>
#include <cmath>
#include <exception>
#include <random>
#include <stdexcept>
#include <string_view>

CURFEW_PLUGIN_NOTE();

namespace {

bool compute(std::string_view payload) {
    std::random_device device;
    std::mt19937_64 engine(device());
    std::normal_distribution<double> normal(static_cast<double>(payload.size()), 3);
    for (int i = 0; i < 200; i++) {
        char text[64];
        const double number = normal(engine);
        const auto written = std::to_chars(text, text + sizeof text, number);
        double again = 0;
        const auto read = std::from_chars(text, written.ptr, again);
        if (read.ec != std::errc() || again != number) return false;
    }
    using namespace std::chrono_literals;
    constexpr auto whole = 1h + 2min + 3s;
    return std::chrono::duration_cast<std::chrono::seconds>(whole).count() == 3723;
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
