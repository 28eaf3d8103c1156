/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: repeats what it does not know in its log, whatever it is
 */
#define TWIN_IN_RUN                                                                        \
    if (!twin_is(&info, "plain") && !twin_is(&info, "fail") && !twin_is(&info, "slow"))    \
        api->log(api, task, CURFEW_LOG_DEBUG, info.payload, info.payload_bytes > 40 ? 40 : info.payload_bytes);
#include "twin.h"
