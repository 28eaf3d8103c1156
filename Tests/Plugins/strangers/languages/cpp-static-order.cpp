/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: CF0861
 *
 * At the exit the destructor of one static object reads what that of another has deleted before.
 */
#include "stranger.h"

#include <new>
#include <string>
#include <vector>

CURFEW_PLUGIN_NOTE();

namespace {

struct Journal {
    std::vector<std::string> lines;
};

Journal *volatile journal;
volatile std::size_t total;

struct Reporter {
    ~Reporter() { total = journal->lines.size(); }
} reporter;

struct Owner {
    Owner() { journal = new (std::nothrow) Journal; }
    ~Owner() {
        delete journal;
        journal = nullptr;
    }
} owner;

}  // namespace

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
