/* SPDX-License-Identifier: Apache-2.0 */
/* A plugin that says no when it is loaded. */
#include <curfew/plugin.h>

#include <string.h>

CURFEW_PLUGIN_NOTE();

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *host_info,
                                                       curfew_error *host_error) {
    (void)host_info;
    api->log(api, 0, CURFEW_LOG_WARNING, CURFEW_TEXT("the licence ran out yesterday"));
    strcpy(host_error->message, "there is no licence for this machine");
    return CURFEW_REFUSED;
}
