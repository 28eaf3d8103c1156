/* SPDX-License-Identifier: Apache-2.0 */
/* A refresh task carried over from a phone: a "do" function that answers "Done." or an error text,
 * an expiration that cancels the operation, and a completion that says which of them it was. The
 * payload tells what the operation meets: nothing, an error ("fail:" and its text), or work that
 * goes on until it is cancelled ("endless"). */
#define _POSIX_C_SOURCE 200809L
#include <curfew/plugin.h>

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

CURFEW_PLUGIN_NOTE();

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static const char *do_background_app_refresh_task(const char *payload, uint64_t bytes,
                                                  const curfew_host_api *api, curfew_task task,
                                                  char *text, size_t room) {
    if (bytes >= 5 && memcmp(payload, "fail:", 5) == 0) {
        snprintf(text, room, "%.*s", (int)(bytes - 5), payload + 5);
        return text;
    }
    if (bytes == 7 && memcmp(payload, "endless", 7) == 0) {
        pthread_mutex_lock(&lock);
        /* Asked of the host: the expiration of the task before may come as late as this. */
        while (!api->is_expired(api, task)) pthread_cond_wait(&changed, &lock);
        pthread_mutex_unlock(&lock);
        return "The operation was cancelled.";
    }
    return "Done.";
}

static curfew_status run(void *handler_data, const curfew_host_api *api, curfew_task task,
                         curfew_error *host_error) {
    (void)handler_data;
    curfew_task_info info = {.struct_size = sizeof info};
    if (api->task_info(api, task, &info) != CURFEW_OK) return CURFEW_FAILED;
    api->raise(api, task, "dobackgroundapprefreshtask", NULL, 0);
    char text[256];
    const char *result = do_background_app_refresh_task(info.payload, info.payload_bytes, api,
                                                        task, text, sizeof text);
    if (strcmp(result, "Done.") == 0) return CURFEW_OK;
    snprintf(host_error->message, sizeof host_error->message, "%s", result);
    return CURFEW_FAILED;
}

static void expired(void *handler_data, const curfew_host_api *api, curfew_task task,
                    curfew_reason reason) {
    (void)handler_data, (void)api, (void)task, (void)reason;
    pthread_mutex_lock(&lock);
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *host_info,
                                                       curfew_error *host_error) {
    (void)host_info;
    const curfew_handler handler = {.struct_size = sizeof handler,
                                    .identifier = "com.yourcompany.apprefresh",
                                    .run = run,
                                    .expired = expired};
    return api->register_handler(api, &handler, host_error);
}
