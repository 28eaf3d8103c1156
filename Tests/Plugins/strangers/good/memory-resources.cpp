/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 *
 * Allocates from a monotonic buffer on its stack and from a pool resource, both of which are
 * gone with the scope.
 */
#include "stranger.h"

#include <array>
#include <cstddef>
#include <exception>
#include <memory_resource>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

CURFEW_PLUGIN_NOTE();

namespace {

bool compute(std::string_view payload) {
    std::array<std::byte, 4096> buffer;
    std::pmr::monotonic_buffer_resource stack(buffer.data(), buffer.size());
    std::pmr::unsynchronized_pool_resource pool(&stack);
    std::pmr::unordered_map<unsigned char, std::pmr::vector<std::uint32_t>> places(&pool);
    std::uint32_t place = 0;
    for (unsigned char c : payload.substr(0, 50000)) places[c].push_back(place++);
    std::size_t sum = 0;
    for (const auto &[letter, list] : places) sum += list.size();
    return sum == place;
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
