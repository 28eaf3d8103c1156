/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: asks for more of a task than there is room for
 * status: warn
 */
#define TWIN_IF_PLAIN                                                        \
    struct {                                                                 \
        curfew_task_info info;                                               \
        uint64_t more[2];                                                    \
    } larger = {.info = {.struct_size = sizeof larger}};                     \
    (void)api->task_info(api, task, &larger.info);
#include "twin.h"
