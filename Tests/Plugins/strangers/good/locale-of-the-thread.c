/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 *
 * Prints numbers in a locale of its own, with newlocale and uselocale, and restores the locale
 * of the worker. The locale of the process stays as it is.
 */
#include "stranger.h"

#include <locale.h>

CURFEW_PLUGIN_NOTE();

static curfew_status work(curfew_error *err) {
    locale_t mine = newlocale(LC_ALL_MASK, "C.UTF-8", (locale_t)0);
    if (mine == (locale_t)0)
        mine = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (mine == (locale_t)0)
        return failed(err, "not even the locale C");
    locale_t before = uselocale(mine);
    char number[32];
    snprintf(number, sizeof number, "%.2f", 3.25);
    double again = strtod(number, NULL);
    uselocale(before);
    freelocale(mine);
    return again == 3.25 ? CURFEW_OK : failed(err, "the point is a comma");
}

static curfew_status run(void *data, const curfew_host_api *host, curfew_task id,
                         curfew_error *err) {
    curfew_task_info about;
    (void)data;
    memset(&about, 0, sizeof about);
    about.struct_size = sizeof about;
    if (host->task_info(host, id, &about) != CURFEW_OK)
        return failed(err, "the host does not know this task");
    if (payload_is(&about, "fail"))
        return failed(err, "the payload wants a failure");
    if (payload_is(&about, "slow")) {
        while (host->remaining_ns(host, id) > 0)
            pause_ms(2);
        return failed(err, "stopped before the end");
    }
    return work(err);
}

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *host,
                                                       curfew_plugin_info *plugin,
                                                       curfew_error *err) {
    (void)plugin;
    curfew_handler handler;
    memset(&handler, 0, sizeof handler);
    handler.struct_size = sizeof handler;
    handler.identifier = "org.example.stranger.work";
    handler.run = run;
    return host->register_handler(host, &handler, err);
}
