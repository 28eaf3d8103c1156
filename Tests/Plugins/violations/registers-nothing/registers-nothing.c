/* SPDX-License-Identifier: Apache-2.0 */
/* Says that all went well, and has not registered what its manifest promises. */
#include "../violation.h"

MISDEED_ENTRY(return CURFEW_OK;)
