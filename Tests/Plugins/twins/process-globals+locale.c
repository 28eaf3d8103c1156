/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: changes the locale of the process
 */
#include <locale.h>

#define TWIN_IN_RUN \
    if (TWIN_ONCE) setlocale(LC_ALL, strcmp(setlocale(LC_ALL, NULL), "C") == 0 ? "C.UTF-8" : "C");
#include "twin.h"
