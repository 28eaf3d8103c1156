/* SPDX-License-Identifier: Apache-2.0 */
/* curfew/curfew.h: everything that is stable. A plugin needs only plugin.h, an embedder host.h. */
#ifndef CURFEW_CURFEW_H
#define CURFEW_CURFEW_H

#include "types.h"
#include "version.h"
#include "plugin.h"
#include "host.h"
#include "requests.h"
#include "subs.h"
#include "ext/requests.h"
#include "ext/subs.h"
#include "ext/thread-check.h"

#endif /* CURFEW_CURFEW_H */
