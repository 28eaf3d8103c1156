/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: CF0861
 *
 * Has a report written by std::atexit, from an object that is gone once the plugin is retired.
 */
#include "stranger.h"

#include <atomic>
#include <cstdlib>
#include <memory>

CURFEW_PLUGIN_NOTE();

namespace {

class Service;
std::atomic<const Service *> current;

class Service {
  public:
    virtual ~Service() { current = nullptr; }
    virtual unsigned long tasks() const { return tasks_; }

    Service() {
        current = this;
        static const int once = std::atexit([] {
            if (current.load()->tasks() > 1000000) fputs("stranger: busy\n", stderr);
        });
        (void)once;
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
        tasks_++;
        return CURFEW_OK;
    }

  private:
    std::atomic<unsigned long> tasks_{0};
};

}  // namespace

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *info,
                                                       curfew_error *error) {
    auto *service = new Service;
    curfew_handler handler{};
    handler.struct_size = sizeof handler;
    handler.identifier = "org.example.stranger.work";
    handler.handler_data = service;
    handler.run = [](void *data, const curfew_host_api *host, curfew_task task,
                     curfew_error *problem) {
        return static_cast<Service *>(data)->run(host, task, problem);
    };
    const curfew_status status = api->register_handler(api, &handler, error);
    if (status != CURFEW_OK) {
        delete service;
        return status;
    }
    info->plugin_data = service;
    info->retire = [](void *data) { delete static_cast<Service *>(data); };
    return CURFEW_OK;
}
