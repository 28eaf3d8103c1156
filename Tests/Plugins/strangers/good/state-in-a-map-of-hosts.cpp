/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 *
 * Finds the state of a host in a static map by the address of its table, makes it in the entry
 * and erases it in retire; there is no handler_data.
 */
#include "stranger.h"

#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <string>

CURFEW_PLUGIN_NOTE();

namespace {

struct state {
    std::mutex lock;
    unsigned long tasks = 0;
    std::string last;
};

std::mutex hosts_lock;

std::map<const curfew_host_api *, std::shared_ptr<state>> &hosts() {
    static auto *all = new std::map<const curfew_host_api *, std::shared_ptr<state>>;
    return *all;
}

std::shared_ptr<state> of(const curfew_host_api *api) {
    const std::lock_guard guard(hosts_lock);
    const auto found = hosts().find(api);
    return found == hosts().end() ? nullptr : found->second;
}

void forget(void *api) noexcept {
    const std::lock_guard guard(hosts_lock);
    hosts().erase(static_cast<const curfew_host_api *>(api));
}

curfew_status run(void *, const curfew_host_api *api, curfew_task task,
                  curfew_error *error) noexcept {
    try {
        const auto mine = of(api);
        curfew_task_info info{};
        info.struct_size = sizeof info;
        if (mine == nullptr) return failed(error, "a host that never loaded this");
        if (api->task_info(api, task, &info) != CURFEW_OK) return failed(error, "unknown task");
        if (payload_is(&info, "fail")) return failed(error, "asked to fail");
        while (payload_is(&info, "slow") && !api->is_expired(api, task)) pause_ms(1);
        if (payload_is(&info, "slow")) return failed(error, "told to stop");
        const std::lock_guard guard(mine->lock);
        mine->tasks++;
        mine->last.assign(static_cast<const char *>(info.payload),
                          std::min<std::size_t>(info.payload_bytes, 100));
        return CURFEW_OK;
    } catch (const std::exception &problem) {
        return failed(error, problem.what());
    }
}

}  // namespace

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *info,
                                                       curfew_error *error) {
    try {
        {
            const std::lock_guard guard(hosts_lock);
            hosts()[api] = std::make_shared<state>();
        }
        curfew_handler handler{};
        handler.struct_size = sizeof handler;
        handler.identifier = "org.example.stranger.work";
        handler.run = run;
        const curfew_status status = api->register_handler(api, &handler, error);
        if (status != CURFEW_OK) {
            forget(const_cast<curfew_host_api *>(api));
            return status;
        }
        info->plugin_data = const_cast<curfew_host_api *>(api);
        info->retire = forget;
        return CURFEW_OK;
    } catch (const std::exception &problem) {
        return failed(error, problem.what());
    }
}
