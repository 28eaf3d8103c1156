/* SPDX-License-Identifier: Apache-2.0 */
/* Returns success from its entry without having registered the handler of its manifest. */
#include "../violation.h"

MISDEED_ENTRY(return CURFEW_OK;)
