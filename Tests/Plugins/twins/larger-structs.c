/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: refuses a table that is larger than the one it knows
 */
#define TWIN_IN_ENTRY                    \
    if (api->struct_size != sizeof *api) \
        return twin_no(host_error, CURFEW_FAILED, "made for another version of the table");
#include "twin.h"
