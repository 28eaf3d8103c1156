/* SPDX-License-Identifier: Apache-2.0 */
/*
 * curfew/curfew.h: includes all headers. A plugin needs only plugin.h; an embedder includes this
 * one.
 *
 *     types.h, version.h   statuses, errors, tasks, values; the conventions of all headers
 *     plugin.h, ext/       write a plugin
 *     clock.h              own time in a test
 *     config.h, host.h     create a host, shut it down
 *     loader.h             find and load plugins
 *     handlers.h, tasks.h  register handlers, launch them, wait for them
 *     events.h             subscribe to events, wait for them, deliver them
 *     requests.h           schedule work that outlives the process
 *     factors.h            see why a request waits, and influence it
 *     b4x/                 event handlers, Wait For and resumable subs as in B4X
 */
#ifndef CURFEW_CURFEW_H
#define CURFEW_CURFEW_H

#include "types.h"
#include "version.h"
#include "plugin.h"
#include "clock.h"
#include "config.h"
#include "host.h"
#include "loader.h"
#include "handlers.h"
#include "tasks.h"
#include "events.h"
#include "requests.h"
#include "factors.h"
#include "b4x/targets.h"
#include "b4x/waits.h"
#include "ext/requests.h"
#include "ext/subs.h"
#include "ext/thread-check.h"

#endif /* CURFEW_CURFEW_H */
