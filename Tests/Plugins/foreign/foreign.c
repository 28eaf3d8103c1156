/* SPDX-License-Identifier: Apache-2.0 */
/* A plugin of another ABI; its code must never run, which it would say. */
#define _POSIX_C_SOURCE 200809L
#include <curfew/plugin.h>

#include <stdlib.h>

__attribute__((section(".note.curfew"), used, aligned(4))) static const struct {
    uint32_t name_bytes, description_bytes, type;
    char name[8];
    uint32_t abi, reserved;
} note = {7, 8, 1, "Curfew", CURFEW_ABI_VERSION + 1, 0};

__attribute__((constructor)) static void loaded(void) { setenv("CURFEW_TEST_FOREIGN", "ran", 1); }

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *host_info,
                                                       curfew_error *host_error) {
    (void)api, (void)host_info, (void)host_error;
    return CURFEW_FAILED;
}
