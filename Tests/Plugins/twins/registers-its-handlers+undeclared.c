/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: registers a handler that its manifest does not declare
 */
#define TWIN_REGISTERED                          \
    curfew_handler other = handler;              \
    other.identifier = "org.example.undeclared"; \
    (void)api->register_handler(api, &other, NULL);
#include "twin.h"
