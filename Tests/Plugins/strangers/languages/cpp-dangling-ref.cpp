/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: CF0870
 *
 * It holds a reference to the first element of a vector, and writes to it after the vector has grown.
 */
#include "stranger.h"

#include <new>
#include <vector>

CURFEW_PLUGIN_NOTE();

struct Row {
    long cells[8];
};

__attribute__((noinline)) static void add(std::vector<Row> &rows) {
    rows.push_back(Row{});
}

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
        std::vector<Row> rows(1);
        Row &totals = rows.front();
        for (int i = 0; i < 3; i++) {
            add(rows);
            totals.cells[5]++;
        }
        if (rows.size() != 4) return failed(host_error, "a row is missing");
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
