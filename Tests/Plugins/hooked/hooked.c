/* SPDX-License-Identifier: Apache-2.0 */
/* A plugin that does what the test wants: it finds the address of the test's function in the
 * environment, and calls it from its entry and when it is retired. */
#define _POSIX_C_SOURCE 200809L
#include <curfew/plugin.h>

#include <stdlib.h>

CURFEW_PLUGIN_NOTE();

/* host_info is NULL when the plugin is retired. */
typedef curfew_status (*hook_function)(void *plugin_data, const curfew_host_api *api,
                                       curfew_plugin_info *host_info, curfew_error *host_error);

static hook_function hook(void) {
    const char *address = getenv("CURFEW_TEST_HOOK");
    return address == NULL ? NULL : (hook_function)(uintptr_t)strtoull(address, NULL, 10);
}

static void retire(void *plugin_data) {
    const hook_function call = hook();
    if (call != NULL) call(plugin_data, NULL, NULL, NULL);
}

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *host_info,
                                                       curfew_error *host_error) {
    const hook_function call = hook();
    if (call == NULL) return CURFEW_FAILED;
    host_info->retire = retire;
    return call(NULL, api, host_info, host_error);
}
