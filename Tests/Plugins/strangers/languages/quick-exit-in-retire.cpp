/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: CF0825
 *
 * Ends the process with std::quick_exit when it is retired, to save the time of destructors.
 */
#include "stranger.h"

#include <atomic>
#include <cstdlib>

CURFEW_PLUGIN_NOTE();

namespace {

class Plugin {
  public:
    ~Plugin() { std::quick_exit(tasks_ > 1000000 ? 1 : 0); }

    curfew_status run(const curfew_host_api *api, curfew_task task, curfew_error *error) {
        curfew_task_info info{};
        info.struct_size = sizeof info;
        if (api->task_info(api, task, &info) != CURFEW_OK) return failed(error, "unknown task");
        if (payload_is(&info, "fail")) return failed(error, "asked to fail");
        if (payload_is(&info, "slow")) {
            while (!api->is_expired(api, task)) pause_ms(1);
            return failed(error, "told to stop");
        }
        tasks_++;
        return CURFEW_OK;
    }

  private:
    std::atomic<long> tasks_{0};
};

}  // namespace

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *info,
                                                       curfew_error *error) {
    auto *plugin = new Plugin;
    curfew_handler handler{};
    handler.struct_size = sizeof handler;
    handler.identifier = "org.example.stranger.work";
    handler.handler_data = plugin;
    handler.run = [](void *data, const curfew_host_api *host, curfew_task task,
                     curfew_error *problem) {
        return static_cast<Plugin *>(data)->run(host, task, problem);
    };
    const curfew_status status = api->register_handler(api, &handler, error);
    if (status != CURFEW_OK) {
        delete plugin;
        return status;
    }
    info->plugin_data = plugin;
    info->retire = [](void *data) { delete static_cast<Plugin *>(data); };
    return CURFEW_OK;
}
