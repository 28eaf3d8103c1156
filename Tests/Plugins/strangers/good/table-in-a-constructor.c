/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 *
 * Fills a table in a constructor, and frees a copy of it in a destructor, which is memory and
 * nothing else.
 */
#include "stranger.h"

CURFEW_PLUGIN_NOTE();

static unsigned squares[64];
static unsigned *copy;

__attribute__((constructor)) static void fill(void) {
    for (unsigned i = 0; i < 64; i++) squares[i] = i * i;
    copy = malloc(sizeof squares);
    if (copy != NULL) memcpy(copy, squares, sizeof squares);
}

__attribute__((destructor)) static void drop(void) {
    free(copy);
    copy = NULL;
}

static curfew_status work(curfew_error *error) {
    if (copy == NULL) return failed(error, "no table");
    unsigned sum = 0;
    for (unsigned i = 0; i < 64; i++) sum += copy[i] - squares[i];
    return sum == 0 ? CURFEW_OK : failed(error, "the tables differ");
}

static curfew_status run(void *data, const curfew_host_api *api, curfew_task task,
                         curfew_error *error) {
    (void)data;
    curfew_task_info info = {.struct_size = sizeof info};
    if (api->task_info(api, task, &info) != CURFEW_OK) return failed(error, "unknown task");
    if (payload_is(&info, "fail")) return failed(error, "asked to fail");
    if (payload_is(&info, "slow")) {
        while (!api->is_expired(api, task)) pause_ms(1);
        return failed(error, "told to stop");
    }
    return work(error);
}

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *info,
                                                       curfew_error *error) {
    info->id = "org.example.stranger";
    info->version = "1.0.0";
    const curfew_handler handler = {
        .struct_size = sizeof handler, .identifier = "org.example.stranger.work", .run = run};
    return api->register_handler(api, &handler, error);
}
