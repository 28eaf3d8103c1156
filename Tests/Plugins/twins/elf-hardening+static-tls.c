/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: takes a part of the room for static thread-local data
 * status: warn
 */
static __thread int tasks __attribute__((tls_model("initial-exec")));

#define TWIN_IN_RUN tasks++;
#include "twin.h"
