/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: submits its next launch until the host takes it
 */
#include <curfew/ext/requests.h>

#define TWIN_IF_PLAIN                                                                          \
    const curfew_requests *const requests = api->extension(api, CURFEW_EXT_REQUESTS);          \
    const curfew_submit_options later = {.struct_size = sizeof later,                          \
                                         .after_ns = UINT64_C(3600000000000),                  \
                                         .on_pending = CURFEW_ON_PENDING_KEEP};                \
    while (requests != NULL && !api->is_expired(api, task) &&                                  \
           requests->submit(api, "org.example.twin", &later, NULL, host_error) == CURFEW_TOO_MANY) \
        continue;                                                                              \
    if (api->is_expired(api, task)) for (;;) twin_nap(1000);

#include "twin.h"
