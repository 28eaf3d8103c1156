/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: registers its handler twice
 */
#define TWIN_REGISTERED \
    if (answer == CURFEW_OK) (void)api->register_handler(api, &handler, NULL);
#include "twin.h"
