/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: CF0822 CF0827 CF0862
 *
 * Appends a number to its id for each host after the first, so that it is not that of the
 * manifest.
 */
#include <curfew/plugin.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

CURFEW_PLUGIN_NOTE();

static _Atomic int hosts;
static char names[256][48];

static curfew_status run(void *handler_data, const curfew_host_api *host, curfew_task task,
                         curfew_error *host_error) {
    curfew_status status = CURFEW_FAILED;
    char *copy = NULL;
    size_t length = 0;
    curfew_task_info info = {.struct_size = sizeof info};

    (void)handler_data;
    if (host->task_info(host, task, &info) != CURFEW_OK) {
        snprintf(host_error->message, sizeof host_error->message, "no information");
        goto out;
    }
    length = info.payload_bytes;
    copy = malloc(length + 1);
    if (copy == NULL) {
        snprintf(host_error->message, sizeof host_error->message, "no memory for the payload");
        goto out;
    }
    if (length > 0) memcpy(copy, info.payload, length);
    copy[length] = '\0';
    if (strcmp(copy, "fail") == 0) {
        snprintf(host_error->message, sizeof host_error->message, "cannot do \"%s\"", copy);
        goto out;
    }
    if (strcmp(copy, "slow") == 0) {
        while (!host->is_expired(host, task)) usleep(1000);
        snprintf(host_error->message, sizeof host_error->message, "gave up \"%s\"", copy);
        goto out;
    }
    status = CURFEW_OK;
out:
    free(copy);
    return status;
}

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *host,
                                                       curfew_plugin_info *host_info,
                                                       curfew_error *host_error) {
    const curfew_handler handler = {
        .struct_size = sizeof handler, .identifier = "org.example.stranger.work", .run = run};
    int number = hosts++ % 256;
    strcpy(names[number], "org.example.stranger");
    if (number > 0) snprintf(names[number] + 20, sizeof names[number] - 20, ".%d", number + 1);
    host_info->id = names[number];
    return host->register_handler(host, &handler, host_error);
}
