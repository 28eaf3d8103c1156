/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: CF0849 CF0862
 * level: 3
 *
 * Each task makes two nodes that own each other, which are never freed.
 */
#include "stranger.h"

#include <memory>
#include <new>
#include <vector>

CURFEW_PLUGIN_NOTE();

struct Node {
    std::shared_ptr<Node> peer;
    std::vector<char> bytes = std::vector<char>(2048);
};

static curfew_status run(void *handler_data, const curfew_host_api *api, curfew_task task,
                         curfew_error *host_error) {
    (void)handler_data;
    curfew_task_info info{};
    info.struct_size = sizeof info;
    if (api->task_info(api, task, &info) != CURFEW_OK)
        return failed(host_error, "the task is not known");
    if (payload_is(&info, "slow")) {
        while (!api->is_expired(api, task)) pause_ms(5);
        return failed(host_error, "told to stop");
    }
    if (payload_is(&info, "fail")) {
        return failed(host_error, "asked to fail");
    }
    try {
        auto first = std::make_shared<Node>();
        auto second = std::make_shared<Node>();
        first->peer = second;
        second->peer = first;
    } catch (const std::bad_alloc &) {
        return failed(host_error, "no memory");
    }
    return CURFEW_OK;
}

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *host_info,
                                                       curfew_error *host_error) {
    curfew_handler handler{};
    handler.struct_size = sizeof handler;
    handler.identifier = "org.example.stranger.work";
    handler.run = run;
    (void)host_info;
    return api->register_handler(api, &handler, host_error);
}
