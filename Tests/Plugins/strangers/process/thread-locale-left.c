/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: CF0854 CF0868
 *
 * Gives its worker a locale of its own, and does not take it back.
 */
#include "stranger.h"

#include <locale.h>
#include <pthread.h>

CURFEW_PLUGIN_NOTE();

static locale_t utf8;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void make_locale(void) { utf8 = newlocale(LC_ALL_MASK, "C.UTF-8", (locale_t)0); }

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
    pthread_once(&once, make_locale);
    if (utf8 != (locale_t)0) uselocale(utf8);
    return CURFEW_OK;
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
