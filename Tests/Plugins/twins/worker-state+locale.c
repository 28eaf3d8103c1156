/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: leaves the host's thread with a locale of its own
 */
#include <locale.h>

#define TWIN_IF_PLAIN                                                    \
    const locale_t own = newlocale(LC_ALL_MASK, "C", (locale_t)0);       \
    if (own != (locale_t)0) uselocale(own);
#include "twin.h"
