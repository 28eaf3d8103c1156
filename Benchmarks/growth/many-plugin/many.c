/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One plugin of many: plugins.c copies the library and writes another number into each copy, over
 * the digits of the identifier, so that no two have the same content.
 */
#include <curfew/plugin.h>

#include "mark.h"

CURFEW_PLUGIN_NOTE();

static const volatile char identifier[] = MANY_MARK;

static curfew_status run(void *handler_data, const curfew_host_api *api, curfew_task task,
                         curfew_error *host_error) {
    (void)handler_data, (void)api, (void)task, (void)host_error;
    return CURFEW_OK;
}

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *host_info,
                                                       curfew_error *host_error) {
    (void)host_info;
    const curfew_handler handler = {.struct_size = sizeof handler,
                                    .identifier = (const char *)identifier,
                                    .run = run};
    return api->register_handler(api, &handler, host_error);
}
