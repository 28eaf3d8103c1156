/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: CF0840 CF0841 CF0860
 *
 * Where a task is stopped, a second unique_ptr takes over the same buffer, and both free it.
 */
#include "stranger.h"

#include <memory>

CURFEW_PLUGIN_NOTE();

namespace {

struct Buffer {
    volatile int used = 0;
    char bytes[500] = {};
};

class State {
  public:
    curfew_status run(const curfew_host_api *api, curfew_task task, curfew_error *error) {
        curfew_task_info info{};
        info.struct_size = sizeof info;
        if (api->task_info(api, task, &info) != CURFEW_OK) return failed(error, "unknown task");
        std::unique_ptr<Buffer> buffer(new Buffer);
        if (payload_is(&info, "fail")) return failed(error, "asked to fail");
        while (payload_is(&info, "slow") && !api->is_expired(api, task)) {
            buffer->used = 1;
            pause_ms(1);
        }
        if (!api->is_expired(api, task)) return CURFEW_OK;
        rescue(std::unique_ptr<Buffer>(buffer.get()));
        return failed(error, "told to stop");
    }

  private:
    static __attribute__((noinline)) void rescue(std::unique_ptr<Buffer> rest) { rest->used = 0; }
};

}  // namespace

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *info,
                                                       curfew_error *error) {
    auto *state = new State;
    curfew_handler handler{};
    handler.struct_size = sizeof handler;
    handler.identifier = "org.example.stranger.work";
    handler.handler_data = state;
    handler.run = [](void *data, const curfew_host_api *host, curfew_task task,
                     curfew_error *problem) {
        return static_cast<State *>(data)->run(host, task, problem);
    };
    const curfew_status status = api->register_handler(api, &handler, error);
    if (status != CURFEW_OK) {
        delete state;
        return status;
    }
    info->plugin_data = state;
    info->retire = [](void *data) { delete static_cast<State *>(data); };
    return CURFEW_OK;
}
