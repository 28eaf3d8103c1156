/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: any
 *
 * Registers a function with std::at_quick_exit that looks at a counter which is gone once the
 * plugin is retired: a host that ends with quick_exit crashes.
 */
#include "stranger.h"

#include <atomic>
#include <cstdlib>

CURFEW_PLUGIN_NOTE();

namespace {

std::atomic<std::atomic<long> *> counter;

void say_goodbye() {
    if (counter.load()->load() > 1000000) fputs("stranger: it was busy\n", stderr);
}

void retire(void *data) {
    counter = nullptr;
    delete static_cast<std::atomic<long> *>(data);
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
    if (auto *count = counter.load()) count->fetch_add(1);
    return CURFEW_OK;
}

}  // namespace

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *info,
                                                       curfew_error *error) {
    info->id = "org.example.stranger";
    info->version = "1.0.0";
    auto *count = new std::atomic<long>(0);
    if (counter.exchange(count) == nullptr) std::at_quick_exit(say_goodbye);
    info->plugin_data = count;
    info->retire = retire;
    curfew_handler handler{};
    handler.struct_size = sizeof handler;
    handler.identifier = "org.example.stranger.work";
    handler.run = run;
    return api->register_handler(api, &handler, error);
}
