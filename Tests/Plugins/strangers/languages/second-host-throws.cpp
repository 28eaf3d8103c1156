/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: CF0827
 *
 * Keeps a list of its handlers for the whole process, and throws out of its entry when a second
 * host loads it.
 */
#include "stranger.h"

#include <mutex>
#include <set>
#include <stdexcept>
#include <string>

CURFEW_PLUGIN_NOTE();

namespace {

class Directory {
  public:
    static Directory &shared() {
        static Directory one;
        return one;
    }
    const char *add(const std::string &name) {
        const std::lock_guard lock(mutex_);
        const auto [place, added] = names_.insert(name);
        if (!added) throw std::logic_error(name + " is registered already");
        return place->c_str();
    }

  private:
    std::mutex mutex_;
    std::set<std::string> names_;
};

curfew_status run(void *, const curfew_host_api *api, curfew_task task, curfew_error *error) {
    curfew_task_info info{};
    info.struct_size = sizeof info;
    if (api->task_info(api, task, &info) != CURFEW_OK) return failed(error, "unknown task");
    if (payload_is(&info, "fail")) return failed(error, "asked to fail");
    if (payload_is(&info, "slow")) {
        while (!api->is_expired(api, task)) pause_ms(1);
        return failed(error, "told to stop");
    }
    return CURFEW_OK;
}

}  // namespace

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *info,
                                                       curfew_error *error) {
    info->id = "org.example.stranger";
    info->version = "1.0.0";
    const char *name = Directory::shared().add("org.example.stranger.work");
    curfew_handler handler{};
    handler.struct_size = sizeof handler;
    handler.identifier = name;
    handler.run = run;
    return api->register_handler(api, &handler, error);
}
