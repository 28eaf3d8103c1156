/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 *
 * Sorts, filters and hashes with the algorithms, ranges and containers of C++20.
 */
#include "stranger.h"

#include <algorithm>
#include <array>
#include <exception>
#include <ranges>
#include <set>
#include <string_view>
#include <unordered_set>
#include <vector>

CURFEW_PLUGIN_NOTE();

namespace {

bool compute(std::string_view payload) {
    std::array<std::size_t, 256> histogram{};
    for (unsigned char c : payload) histogram[c]++;
    std::vector<unsigned char> letters(payload.begin(), payload.end());
    std::ranges::sort(letters);
    const std::unordered_set<unsigned char> hashed(letters.begin(), letters.end());
    const std::set<unsigned char> ordered(letters.begin(), letters.end());
    auto present = histogram | std::views::filter([](std::size_t count) { return count > 0; });
    return static_cast<std::size_t>(std::ranges::distance(present)) == hashed.size() &&
           hashed.size() == ordered.size() && std::ranges::is_sorted(letters);
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
