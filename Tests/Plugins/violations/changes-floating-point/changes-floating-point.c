/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the loading thread round upwards and, where that can be asked for, lose small numbers. */
#include "../violation.h"

#include <fenv.h>

static void change(void) {
    note("rounding", fesetround(FE_UPWARD));
#if defined(__x86_64__)
    /* Flush to zero, and denormals are zero. */
    __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | 0x8040);
#endif
}

MISDEED_AT_LOAD("org.curfew.violation.changes-floating-point", change)
