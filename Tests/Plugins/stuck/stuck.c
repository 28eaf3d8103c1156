/* SPDX-License-Identifier: Apache-2.0 */
/* Never returns from its entry. */
#include <curfew/plugin.h>
#include <unistd.h>

CURFEW_PLUGIN_NOTE();

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *info,
                                                       curfew_error *error) {
    (void)api, (void)info, (void)error;
    for (;;) pause();
}
