/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: CF0825
 *
 * The destructor of its base class closes the service, by a function that only the derived class
 * had: "pure virtual method called" in retire.
 */
#include "stranger.h"

#include <atomic>

CURFEW_PLUGIN_NOTE();

class Base {
  public:
    virtual ~Base() { close(); }

  protected:
    virtual void flush() = 0;
    __attribute__((noinline)) void close() { flush(); }
};

namespace {

class Service final : public Base {
  public:
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
    void flush() override { tasks_ = 0; }
    std::atomic<long> tasks_{0};
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
