/* SPDX-License-Identifier: Apache-2.0 */
/* Does not say for which ABI it was built. Its code must never run. */
#include "../violation.h"

__attribute__((constructor)) static void loaded(void) { note("ran", 0); }

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *host_info,
                                                       curfew_error *host_error) {
    (void)api, (void)host_info, (void)host_error;
    return CURFEW_FAILED;
}
