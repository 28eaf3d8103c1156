/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: CF0861
 *
 * A static object flushes the first of its sinks when the process exits. There is none left, since
 * retire has removed them.
 */
#include "stranger.h"

#include <memory>
#include <mutex>
#include <vector>

CURFEW_PLUGIN_NOTE();

namespace {

struct Sink {
    virtual ~Sink() = default;
    virtual void flush() { lines = 0; }
    virtual void add() { lines = lines + 1; }
    volatile long lines = 0;
};

std::mutex mutex;
std::vector<std::unique_ptr<Sink>> sinks;

struct Flusher {
    ~Flusher() { sinks.data()->get()->flush(); }
} flusher;

void retire(void *) {
    const std::lock_guard lock(mutex);
    std::vector<std::unique_ptr<Sink>>().swap(sinks);
}

curfew_status run(void *, const curfew_host_api *api, curfew_task task, curfew_error *error) {
    curfew_task_info info{};
    info.struct_size = sizeof info;
    if (api->task_info(api, task, &info) != CURFEW_OK) return failed(error, "unknown task");
    if (payload_is(&info, "fail")) return failed(error, "asked to fail");
    if (payload_is(&info, "slow")) {
        while (!api->is_expired(api, task)) pause_ms(1);
        return failed(error, "told to stop");
    }
    const std::lock_guard lock(mutex);
    if (sinks.empty()) sinks.push_back(std::make_unique<Sink>());
    sinks.front()->add();
    return CURFEW_OK;
}

}  // namespace

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *info,
                                                       curfew_error *error) {
    info->id = "org.example.stranger";
    info->version = "1.0.0";
    info->retire = retire;
    curfew_handler handler{};
    handler.struct_size = sizeof handler;
    handler.identifier = "org.example.stranger.work";
    handler.run = run;
    return api->register_handler(api, &handler, error);
}
