/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: CF0825
 *
 * Measures its journal when it is retired. There is none unless a task wrote one, and the
 * exception of file_size leaves retire.
 */
#include "stranger.h"

#include <filesystem>
#include <string>

CURFEW_PLUGIN_NOTE();

namespace {

class Plugin {
  public:
    Plugin()
        : journal_(std::filesystem::temp_directory_path() /
                   ("stranger-" + std::to_string(getpid()) + ".journal")) {}

    void close() {
        if (std::filesystem::file_size(journal_) == 0) std::filesystem::remove(journal_);
    }

    curfew_status run(const curfew_host_api *api, curfew_task task, curfew_error *error) {
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

  private:
    std::filesystem::path journal_;
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
    info->retire = [](void *data) {
        auto *done = static_cast<Plugin *>(data);
        done->close();
        delete done;
    };
    return CURFEW_OK;
}
