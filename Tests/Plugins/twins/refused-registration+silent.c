/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: says no without a word when the host takes no more handlers
 */
#define TWIN_REGISTERED           \
    if (answer != CURFEW_OK) {    \
        *host_error->message = 0; \
        return answer;            \
    }
#include "twin.h"
