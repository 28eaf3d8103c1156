/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 *
 * Looks up the address of localhost with getaddrinfo and a numeric one, and frees the lists.
 * What it does not find is a line of the log.
 */
#include "stranger.h"

#include <netdb.h>
#include <sys/socket.h>

CURFEW_PLUGIN_NOTE();

static curfew_status work(const curfew_host_api *api, curfew_task task, curfew_error *host_error) {
    const struct addrinfo hints = {.ai_family = AF_INET, .ai_socktype = SOCK_STREAM};
    struct addrinfo *found = NULL;
    int problem = getaddrinfo("127.0.0.1", "80", &hints, &found);
    if (problem != 0) return failed(host_error, gai_strerror(problem));
    freeaddrinfo(found);
    problem = getaddrinfo("localhost", NULL, &hints, &found);
    if (problem == 0) freeaddrinfo(found);
    else api->log(api, task, CURFEW_LOG_WARNING, CURFEW_TEXT(gai_strerror(problem)));
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
                                      : work(api, task, host_error);
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
