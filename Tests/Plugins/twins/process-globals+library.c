/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: loads a library so that all others see its symbols
 * status: warn
 */
#include <dlfcn.h>

#define TWIN_IN_ENTRY if (TWIN_ONCE) dlopen("libz.so.1", RTLD_NOW | RTLD_GLOBAL);
#include "twin.h"
