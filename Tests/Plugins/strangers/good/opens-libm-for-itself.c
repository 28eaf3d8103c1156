/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 *
 * Loads libm with dlopen, local and lazily, calls cos through dlsym, and closes it again.
 */
#include "stranger.h"

#include <dlfcn.h>

CURFEW_PLUGIN_NOTE();

static curfew_status work(curfew_error *err) {
    void *library = dlopen("libm.so.6", RTLD_LAZY | RTLD_LOCAL);
    if (library == NULL)
        return failed(err, dlerror());
    double (*cosine)(double);
    *(void **)&cosine = dlsym(library, "cos");
    double one = cosine != NULL ? cosine(0) : 0;
    dlclose(library);
    return one == 1 ? CURFEW_OK : failed(err, "cos of 0 is not 1");
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
