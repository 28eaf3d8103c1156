/* SPDX-License-Identifier: Apache-2.0 */
/* Was built for another ABI. Its code must never run. */
#include "../violation.h"

__attribute__((section(".note.curfew"), used, aligned(4))) static const struct {
    uint32_t name_bytes, description_bytes, type;
    char name[8];
    uint32_t abi, reserved;
} other_note = {7, 8, 1, "Curfew", CURFEW_ABI_VERSION + 1, 0};

__attribute__((constructor)) static void loaded(void) { note("ran", 0); }

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *host_info,
                                                       curfew_error *host_error) {
    (void)api, (void)host_info, (void)host_error;
    return CURFEW_FAILED;
}
