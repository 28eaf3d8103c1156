/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 *
 * Registers three handlers of different kinds, budgets and graces from one template, and stops
 * at the first that the host refuses. All three may run at the same time.
 */
#include "stranger.h"

#include <algorithm>
#include <numeric>
#include <string_view>

CURFEW_PLUGIN_NOTE();

namespace {

struct adds {
    static constexpr const char *identifier = "org.example.three.add";
    static unsigned long compute(std::string_view text) {
        return std::accumulate(text.begin(), text.end(), 0ul,
                               [](unsigned long sum, unsigned char c) { return sum + c; });
    }
};

struct counts {
    static constexpr const char *identifier = "org.example.three.count";
    static unsigned long compute(std::string_view text) {
        return static_cast<unsigned long>(std::count(text.begin(), text.end(), ' '));
    }
};

struct mixes {
    static constexpr const char *identifier = "org.example.three.mix-up";
    static unsigned long compute(std::string_view text) {
        unsigned long hash = 5381;
        for (unsigned char c : text) hash = hash * 33 ^ c;
        return hash;
    }
};

template <class Work>
curfew_status run(void *, const curfew_host_api *api, curfew_task task,
                  curfew_error *error) noexcept {
    curfew_task_info info{};
    info.struct_size = sizeof info;
    if (api->task_info(api, task, &info) != CURFEW_OK) return failed(error, "unknown task");
    const std::string_view text(static_cast<const char *>(info.payload), info.payload_bytes);
    if (text == "fail") return failed(error, Work::identifier);
    while (text == "slow") {
        if (api->is_expired(api, task)) return failed(error, "told to stop");
        pause_ms(1);
    }
    char result[32];
    const int count = snprintf(result, sizeof result, "%lu", Work::compute(text));
    api->complete(api, task, CURFEW_OK, nullptr, 0, result, static_cast<uint64_t>(count));
    return CURFEW_OK;
}

template <class Work> curfew_status add(const curfew_host_api *api, curfew_error *error) {
    curfew_handler handler{};
    handler.struct_size = sizeof handler;
    handler.identifier = Work::identifier;
    handler.run = run<Work>;
    return api->register_handler(api, &handler, error);
}

template <class... All> curfew_status add_all(const curfew_host_api *api, curfew_error *error) {
    curfew_status status = CURFEW_OK;
    ((status = status == CURFEW_OK ? add<All>(api, error) : status), ...);
    return status;
}

}  // namespace

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *,
                                                       curfew_error *error) {
    return add_all<adds, counts, mixes>(api, error);
}
