/* SPDX-License-Identifier: Apache-2.0 */
/* A plugin without the note; its code must never run, which it would say. */
#define _POSIX_C_SOURCE 200809L
#include <curfew/plugin.h>

#include <stdlib.h>

__attribute__((constructor)) static void loaded(void) { setenv("CURFEW_TEST_NONOTE", "ran", 1); }

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *host_info,
                                                       curfew_error *host_error) {
    (void)api, (void)host_info, (void)host_error;
    return CURFEW_FAILED;
}
