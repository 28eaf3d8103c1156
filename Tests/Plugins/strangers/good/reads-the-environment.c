/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 *
 * Looks up variables of the environment and walks through all of them; sets none, and copies
 * what it changes.
 */
#include "stranger.h"

CURFEW_PLUGIN_NOTE();

extern char **environ;

static curfew_status work(const curfew_host_api *api, curfew_task task) {
    char path[4096] = "";
    const char *found = getenv("PATH");
    if (found != NULL) snprintf(path, sizeof path, "%s", found);
    unsigned directories = 0, variables = 0;
    char *rest = NULL;
    for (char *each = strtok_r(path, ":", &rest); each != NULL; each = strtok_r(NULL, ":", &rest))
        directories += each[0] == '/';
    for (char **each = environ; each != NULL && *each != NULL; each++) variables++;
    char text[80];
    snprintf(text, sizeof text, "%u variables, %u directories", variables, directories);
    api->log(api, task, CURFEW_LOG_DEBUG, CURFEW_TEXT(text));
    return CURFEW_OK;
}

static curfew_status wait_for_the_end(const curfew_host_api *api, curfew_task task,
                                      curfew_error *host_error) {
    while (!api->is_expired(api, task)) pause_ms(1);
    return failed(host_error, "interrupted");
}

static curfew_status run(void *unused, const curfew_host_api *api, curfew_task task,
                         curfew_error *host_error) {
    (void)unused;
    curfew_task_info input = {.struct_size = sizeof(curfew_task_info)};
    if (api->task_info(api, task, &input) != CURFEW_OK) return failed(host_error, "no such task");
    if (payload_is(&input, "slow")) return wait_for_the_end(api, task, host_error);
    return payload_is(&input, "fail") ? failed(host_error, "told to fail")
                                      : work(api, task);
}

static const curfew_handler the_handler = {
    .struct_size = sizeof(curfew_handler),
    .identifier = "org.example.stranger.work",
    .run = run,
};

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *host_info,
                                                       curfew_error *host_error) {
    host_info->abi = CURFEW_ABI_VERSION;
    return api->register_handler(api, &the_handler, host_error);
}
