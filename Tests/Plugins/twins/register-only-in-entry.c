/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: registers its handler again in its run
 */
#define TWIN_IN_RUN                                                 \
    const curfew_handler again = {.struct_size = sizeof again,      \
                                  .identifier = "org.example.twin", \
                                  .run = twin_run};                 \
    (void)api->register_handler(api, &again, NULL);
#include "twin.h"
