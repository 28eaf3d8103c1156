/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 *
 * Has function-local statics, one of which is never destroyed on purpose and one that is
 * destroyed when the process exits, with memory only.
 */
#include "stranger.h"

#include <exception>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

CURFEW_PLUGIN_NOTE();

namespace {

struct registry {
    std::mutex lock;
    std::map<std::string, unsigned long> counts;
};

registry &shared() {
    static registry *forever = new registry;
    return *forever;
}

const std::string &alphabet() {
    static const std::string letters = [] {
        std::string made;
        for (char c = 'a'; c <= 'z'; c++) made += std::string(2, c);
        return made;
    }();
    return letters;
}

bool compute(std::string_view payload) {
    auto &all = shared();
    const std::lock_guard guard(all.lock);
    const std::string key(payload.substr(0, 1));
    all.counts[key]++;
    return alphabet().size() == 52 && all.counts.size() <= 257;
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
